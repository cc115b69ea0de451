package rules

import (
	"fmt"
	"slices"
	"sort"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd514() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD514", Name: "large-unsharded-intermediate", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a large array made inside the function is whole on every device",
		Doc: analyzers.Documentation{
			Finds: "An array that the function makes itself (a mask, a table, initial weights, a loop carry) and returns or keeps in a loop, computed whole on every device although the module has several.",
			Matters: "There is no communication to see: each device computes and holds the global size. A mask of 8 × 4 × 512 × 512 float32 takes 32 MiB on each of eight devices instead of 4 MiB. " +
				"An init function that is jitted without out_shardings does the same to all weights.",
			Example: `mask = jnp.tril(jnp.ones((8, 4, 512, 512))) * n
return mask, mask.sum()
`,
			Instead: `mask = jnp.tril(jnp.ones((8, 4, 512, 512))) * n
mask = jax.lax.with_sharding_constraint(mask, NamedSharding(mesh, P("data", "model")))
return mask, mask.sum()
`,
			Ignore: "When every device needs the whole array. The threshold is min-unsharded-bytes (64 MiB by default).",
		},
		CheckDump: checkUnsharded,
	}
}

func checkUnsharded(p *analyzers.DumpPass) {
	d := p.Module.Deciding
	if d == nil || d.Module == nil || d.Stage != hlomap.AfterPartitioning && d.Stage != hlomap.AfterOptimizations || p.Module.Partitions() < 2 {
		return
	}
	g := evidence.Graph{M: d.Module}
	type found struct {
		i     hlomap.InstrID
		bytes int64
		keeps string
	}
	byPlace := map[analyzers.Span]found{}
	for _, k := range keptValues(g) {
		s := g.M.Shape(k.instr)
		b := g.Bytes(k.instr)
		if s.IsTuple() || len(s.Dims) == 0 || b < p.Settings.MinUnshardedBytes || k.output < 0 && likeWholeInput(g, s.Dims) || !madeWhole(g, k.instr, b) {
			continue
		}
		place, ok := p.Module.Locate(g.M.Frames(k.instr), g.Primitive(k.instr))
		made := eventsAt(p, place)
		if !ok || byHand(made) || !wroteShape(place.Expression, s.Dims) && !wholeBefore(p.Module, k.output, s.Dims) && !makesShape(made, s.Dims) {
			continue
		}
		span := analyzers.Span{Path: place.Path, Start: place.Expression.Start, End: place.Expression.End}
		if old, ok := byPlace[span]; !ok || b > old.bytes {
			byPlace[span] = found{k.instr, b, k.how}
		}
	}
	spans := make([]analyzers.Span, 0, len(byPlace))
	for s := range byPlace {
		spans = append(spans, s)
	}
	sort.Slice(spans, func(i, j int) bool {
		return spans[i].Path < spans[j].Path || spans[i].Path == spans[j].Path && spans[i].Start < spans[j].Start
	})
	for _, span := range spans {
		v := byPlace[span]
		place, _ := p.Module.Locate(g.M.Frames(v.i), g.Primitive(v.i))
		name := "this array"
		if t := place.Expression.Target(); t != "" {
			name = "'" + t + "'"
		}
		s := g.M.Shape(v.i)
		p.Report(analyzers.Finding{
			Span: span,
			Message: fmt.Sprintf("%s (%s, %s) is whole on each of %d devices and %s; shard it with with_sharding_constraint, or with out_shardings of the jit",
				name, arrayText(s.Leaves()[0]), byteText(v.bytes), p.Module.Partitions(), v.keeps),
			HLO:     hloFacts(p.Module, d, place),
			Related: []analyzers.Related{relatedInstruction(d, d.Module.Line(v.i), d.Module.InstrName(v.i))},
		})
	}
}

// kept is a value that outlives the operation that makes it.
type kept struct {
	instr  hlomap.InstrID
	how    string
	output int // number of the entry computation's output, -1 for what a loop carries
}

// keptValues lists what the entry computation returns and what its loops carry from the start, each by the operation that
// computes it.
func keptValues(g evidence.Graph) []kept {
	var list []kept
	add := func(i hlomap.InstrID, how string, output int) {
		if s := g.Source(i, nil); s != hlomap.NoInstr {
			list = append(list, kept{s, how, output})
		}
	}
	root := g.M.Root(g.M.Entry())
	if root == hlomap.NoInstr {
		return nil
	}
	if g.Op(root) == hlomap.OpTuple {
		for k, o := range g.M.Operands(root) {
			add(o, "is returned", k)
		}
	} else {
		add(root, "is returned", 0)
	}
	for i := range hlomap.InstrID(g.M.NumInstructions()) {
		if g.Op(i) == hlomap.OpWhile {
			if t := g.Operand(i, 0); t != hlomap.NoInstr && g.Op(t) == hlomap.OpTuple {
				for _, o := range g.M.Operands(t) {
					add(o, "is carried by a loop", -1)
				}
			}
		}
	}
	return list
}

// wroteShape reports whether the statement of an expression spells the given dimensions, as one list of numbers: a module
// after partitioning shows the size of one device only, and the source is where the global size stands.
func wroteShape(e link.Expression, dims []int64) bool {
	if e.Node == pyparse.None {
		return false
	}
	file := e.File
	for n := range file.Descendants(file.EnclosingStatement(e.Node)) {
		if !file.Is(n, pyparse.KindTuple, pyparse.KindList, pyparse.KindArgumentList) {
			continue
		}
		var sizes []int64
		for c := range file.Children(n) {
			size, ok := constantInt(file, c)
			if !ok {
				break
			}
			sizes = append(sizes, size)
		}
		if slices.Equal(sizes, dims) {
			return true
		}
	}
	return false
}

// eventsAt lists what the interpreter saw happen in the statement of a place.
func eventsAt(p *analyzers.DumpPass, place link.Place) []*flow.Event {
	if p.Facts == nil || place.Expression.Node == pyparse.None {
		return nil
	}
	facts := p.Facts(place.Path)
	if facts == nil {
		return nil
	}
	file := place.Expression.File
	statement := file.EnclosingStatement(place.Expression.Node)
	var list []*flow.Event
	for _, e := range facts.Events {
		if e.At.Valid() && e.At.File.Syntax == file && file.Contains(statement, e.At.Node) {
			list = append(list, e)
		}
	}
	return list
}

// byHand reports whether one of the events is in a region where arrays are what one device has, and no constraint shards them.
func byHand(events []*flow.Event) bool {
	return slices.ContainsFunc(events, func(e *flow.Event) bool { return e.Region.InManual() != nil })
}

// makesShape reports whether events make an array of the given dimensions, by what the source tells of its values: sizes from
// a configuration, from other arrays, or from the caller. Where they make arrays of several sizes of that rank, as a function
// does that is called with several, nothing says which of them the module holds.
func makesShape(events []*flow.Event, dims []int64) bool {
	found := false
	for _, e := range events {
		a, ok := e.Result.(*flow.Array)
		if !ok || a.Tree || a.Rank() != len(dims) {
			continue
		}
		if !slices.Equal(a.Dims, dims) {
			return false
		}
		found = true
	}
	return found
}

// likeWholeInput reports whether an input of these dimensions is whole on every device: what a loop carries then, such as a sum of
// gradients, is laid out like the parameters that it belongs to.
func likeWholeInput(g evidence.Graph, dims []int64) bool {
	first, end := g.M.CompRange(g.M.Entry())
	for i := first; i < end; i++ {
		if g.Op(i) != hlomap.OpParameter || !slices.Equal(g.Dims(i), dims) {
			continue
		}
		if sharding, _ := g.M.InstrAttr(i, "sharding"); sharding == "" || sharding == "{replicated}" {
			return true
		}
	}
	return false
}

// constantInt returns the value of a number, or of a name that is assigned one and only once.
func constantInt(file *pyparse.File, n pyparse.NodeID) (int64, bool) {
	if size, ok := file.Int(n); ok {
		return size, true
	}
	if !file.Is(n, pyparse.KindIdentifier) {
		return 0, false
	}
	name, found, value := file.Text(n), 0, int64(0)
	for d := range file.Descendants(0) {
		a, ok := file.Assignment(d)
		if !ok || file.Is(file.Parent(d), pyparse.KindAssignment) {
			continue
		}
		for _, target := range a.Targets {
			if file.Is(target, pyparse.KindIdentifier) && file.Text(target) == name {
				found++
				if value, ok = file.Int(a.Value); !ok {
					return 0, false
				}
			}
		}
	}
	return value, found == 1
}

// wholeBefore reports whether an output has the same dimensions in the module before partitioning: then each device has all of it.
func wholeBefore(m *link.Module, output int, dims []int64) bool {
	if m.Before == nil || output < 0 {
		return false
	}
	g := evidence.Graph{M: m.Before.Module}
	root := g.M.Root(g.M.Entry())
	if root != hlomap.NoInstr && g.Op(root) == hlomap.OpTuple {
		root = g.Operand(root, output)
	}
	return slices.Equal(g.Dims(root), dims)
}

// madeWhole reports whether a value is computed inside the function from nothing that any device has alone: no collective,
// no partition-id, no sharded parameter, and no parameter of a size like its own, so that it is no update of an input.
func madeWhole(g evidence.Graph, i hlomap.InstrID, bytes int64) bool {
	seen := map[hlomap.InstrID]bool{}
	queue := []hlomap.InstrID{i}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		if i == hlomap.NoInstr {
			return false
		}
		if seen[i] {
			continue
		}
		if seen[i] = true; len(seen) > 20000 {
			return false
		}
		switch op := g.Op(i); {
		case op.IsCollective(), op == hlomap.OpPartitionID, op == hlomap.OpReplicaID, op == hlomap.OpWhile, op == hlomap.OpConditional,
			op == hlomap.OpCustomCall, op == hlomap.OpAsyncStart, op == hlomap.OpInfeed, op == hlomap.OpRecv, op == hlomap.OpOther:
			return false
		case op == hlomap.OpParameter:
			if g.M.Comp(i) != g.M.Entry() {
				source := g.Source(i, nil)
				if source == i {
					return false
				}
				queue = append(queue, source)
				continue
			}
			sharding, _ := g.M.InstrAttr(i, "sharding")
			if b := g.Bytes(i); sharding != "" && sharding != "{replicated}" || b < 0 || b*8 > bytes {
				return false
			}
		}
		queue = append(queue, g.M.Operands(i)...)
		if g.Op(i) == hlomap.OpCall || g.Op(i) == hlomap.OpFusion {
			for _, c := range g.M.Called(i) {
				queue = append(queue, g.M.Root(c))
			}
		}
	}
	return true
}
