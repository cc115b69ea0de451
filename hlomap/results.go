package hlomap

import (
	"slices"
	"strings"
	"sync"
)

// result is what is known of a leaf of a module's result as the program returns it.
type result struct {
	dims   []int64   // of the whole array, nil where the dump does not tell
	labels labelling // which devices hold the same part of it
	known  bool      // labels tell
}

// outputSharding is the attribute that tells the shardings of a module's results. The partitioner adds it, and texts do not have it.
const outputSharding = "spmd_output_sharding"

// resultOf returns what is known of an output as the program returns it. A module after partitioning tells in protos alone: whether a
// device holds a copy of an array or a part of a larger one looks the same in its text. What it was before partitioning tells too.
func (t *training) resultOf(output int) result {
	if t.results == nil {
		t.results = make([]result, len(t.dest.outputs))
		if text, ok := t.g.m.Attr(outputSharding); ok {
			t.readOutputSharding(text)
		} else if t.before != nil && t.isBefore(t.before) {
			t.readWholeResults(t.before)
		}
	}
	return t.results[output]
}

func (t *training) readOutputSharding(text string) {
	parts := splitShardings(text)
	if len(parts) != len(t.results) {
		return
	}
	for o := range parts {
		if s, ok := parseSharding(parts[o]); ok {
			t.results[o].dims = s.wholeShape(t.dest.outputs[o].Shape)
			t.results[o].labels, t.results[o].known = s.labelsOf(t.v.labels)
		}
	}
}

// isBefore reports whether another module can be this one before it was partitioned over all of its devices: its arguments are the whole
// arrays that this one's shardings tell, and there are as many results.
func (t *training) isBefore(before *Module) bool {
	m := t.g.m
	if n, ok := m.Attr("replica_count"); ok && n != "1" || before.Stage() != BeforeOptimizations || before.Root(before.Entry()) == NoInstr {
		return false
	}
	for k := range t.params {
		p := &t.params[k]
		s := t.shardingOf(p)
		if s == nil || len(p.path) > 0 {
			continue
		}
		i := before.Parameter(before.Entry(), p.number)
		if i == NoInstr {
			return false
		}
		if shape := before.Shape(i); shape.DType != p.DType || !slices.Equal(shape.Dims, s.wholeShape(p.Shape)) {
			return false
		}
	}
	return true
}

// readWholeResults compares the results with those of the module before partitioning. Of one without a sharding there, sizes tell: as large
// as its part on each device, it is there as a whole on each, unless it is a sum that is yet to be made; in as many parts as there are
// devices, each has its own.
func (t *training) readWholeResults(before *Module) {
	root := before.Root(before.Entry())
	shape := before.Shape(root)
	leaves := shape.Leaves()
	if len(leaves) != len(t.results) {
		return
	}
	sums := sync.OnceValue(before.leavesSums)
	mesh := before.shardyMesh()
	for o := range leaves {
		own := &t.dest.outputs[o].Array
		if leaves[o].DType != own.DType || len(leaves[o].Shape) != len(own.Shape) {
			continue
		}
		r := &t.results[o]
		r.dims = leaves[o].Shape
		if s := before.resultSharding(root, o, len(leaves), mesh); s != nil {
			if slices.Equal(s.wholeShape(own.Shape), r.dims) {
				r.labels, r.known = s.labelsOf(t.v.labels)
			}
			continue
		}
		switch n := partsOf(r.dims, own.Shape); {
		case n == 1 && !sums():
			r.labels, r.known = allEqual, true
		case n == int64(t.g.devices):
			r.labels, r.known = allDifferent, true
		}
	}
}

// partsOf returns how many parts of a shape make a whole array, 0 where they don't.
func partsOf(whole, part []int64) int64 {
	n := int64(1)
	for k := range whole {
		if part[k] <= 0 || whole[k]%part[k] != 0 || n > maxGroupIDs {
			return 0
		}
		n *= whole[k] / part[k]
	}
	return n
}

// resultSharding returns the sharding of one of several leaves of the root's result, as the root or the instruction that makes the leaf
// has it, maybe over a mesh; nil where neither has one.
func (m *Module) resultSharding(root InstrID, leaf, leaves int, mesh *Mesh) *Sharding {
	if text, ok := m.InstrAttr(root, "sharding"); ok {
		if parts := splitShardings(text); len(parts) == leaves {
			s, _ := parseSharding(parts[leaf])
			return s
		}
		return nil
	}
	i := root
	if ops := m.Operands(root); m.Op(root) == OpTuple {
		if len(ops) != leaves || ops[leaf] == NoInstr || len(m.OperandPath(root, leaf)) > 0 {
			return nil
		}
		i = ops[leaf]
	} else if leaves != 1 {
		return nil
	}
	if text, ok := m.InstrAttr(i, "sharding"); ok {
		s, _ := parseSharding(text)
		return s
	}
	k := 0
	if ops := m.Operands(i); m.Op(i) == OpGetTupleElement && len(ops) == 1 && ops[0] != NoInstr {
		i, k = ops[0], m.TupleIndex(i)
	}
	return m.shardySharding(i, k, mesh)
}

// shardySharding reads what Shardy's attributes say of result k of the end of a shard_map, or of a result of the module (JAX 0.7 and
// later): xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {}]>, <@mesh, []>]>".
func (m *Module) shardySharding(i InstrID, k int, mesh *Mesh) *Sharding {
	text, ok := m.InstrAttr(i, "frontend_attributes")
	if !ok || mesh == nil {
		return nil
	}
	text = strings.ReplaceAll(text, `\`, "")
	_, list, found := strings.Cut(text, `xla.sdy.out_shardings="#sdy.sharding_per_value<[`)
	if !found {
		if _, list, found = strings.Cut(text, `xla.sdy.sharding="#sdy.sharding_per_value<[`); !found {
			return nil
		}
	}
	list, _, _ = strings.Cut(list, "]>\"")
	values := strings.Split(list, "<@")
	if k < 0 || k+1 >= len(values) {
		return nil
	}
	_, dims, ok := strings.Cut(values[k+1], "[")
	dims, rest, closed := strings.Cut(dims, "]")
	if !ok || !closed || strings.Contains(rest, "unreduced") {
		return nil
	}
	s, _ := shardingOver(mesh, splitBraces(strings.ReplaceAll(dims, `"`, "'")), "")
	return s
}

// shardyMesh returns the mesh that Shardy's shardings of a module are over, nil where the module does not tell of it or of several.
func (m *Module) shardyMesh() *Mesh {
	if meshes := m.Meshes(); len(meshes) == 1 && meshes[0].Source != "inferred" {
		return &meshes[0]
	}
	return nil
}

// leavesSums reports whether a module has arrays that are sums yet to be made over devices, and that differ between them on purpose.
func (m *Module) leavesSums() bool {
	for i := range InstrID(m.NumInstructions()) {
		for _, key := range [...]string{"sharding", "frontend_attributes"} {
			if text, ok := m.InstrAttr(i, key); ok && strings.Contains(text, "unreduced") {
				return true
			}
		}
	}
	return false
}
