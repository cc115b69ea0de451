package hlomap

import (
	"slices"
	"strings"
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
	sums := before.leavesSums()
	for o := range leaves {
		own := &t.dest.outputs[o].Array
		if leaves[o].DType != own.DType || len(leaves[o].Shape) != len(own.Shape) {
			continue
		}
		r := &t.results[o]
		r.dims = leaves[o].Shape
		if s := before.resultSharding(root, o, len(leaves)); s != nil {
			if slices.Equal(s.wholeShape(own.Shape), r.dims) {
				r.labels, r.known = s.labelsOf(t.v.labels)
			}
			continue
		}
		switch n := partsOf(r.dims, own.Shape); {
		case n == 1 && !sums:
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
// has it; nil where neither has one.
func (m *Module) resultSharding(root InstrID, leaf, leaves int) *Sharding {
	if text, ok := m.InstrAttr(root, "sharding"); ok {
		if parts := splitShardings(text); len(parts) == leaves {
			s, _ := parseSharding(parts[leaf])
			return s
		}
		return nil
	}
	ops := m.Operands(root)
	if m.Op(root) != OpTuple || len(ops) != leaves || ops[leaf] == NoInstr || len(m.OperandPath(root, leaf)) > 0 {
		return nil
	}
	text, ok := m.InstrAttr(ops[leaf], "sharding")
	if !ok || isTupleSharding(text) {
		return nil
	}
	s, _ := parseSharding(text)
	return s
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
