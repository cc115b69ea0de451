package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd501() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD501", Name: "involuntary-full-rematerialization", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a change of layout that the partitioner can only make by replicating the array",
		Doc: analyzers.Documentation{
			Finds: "An array that is gathered whole on every device only to be sliced again: a change between two shardings for which the partitioner has no direct exchange. " +
				"XLA also logs it as \"[SPMD] Involuntary full rematerialization\"; the finding needs no log, and with one (--log) it is told there too.",
			Matters: "Every device receives and holds the full array for a moment. A stepping stone that moves one mesh axis at a time turns the gathers into all-to-alls: " +
				"for 1 MiB on a 2 × 4 mesh two exchanges of 128 KiB instead of gathers up to 1 MiB (JAX 0.10.2). Of 150 random changes between two-dimensional shardings on a 2 × 2 × 2 mesh seven " +
				"took this path: those that move an array to a part of the axes on the other dimension.",
			Example: `d = jax.lax.with_sharding_constraint(d, NamedSharding(mesh, P(None, ("x", "y"), None)))  # from P("y", None, "x")
`,
			Instead: `d = jax.lax.with_sharding_constraint(d, NamedSharding(mesh, P("y", "x", None)))
d = jax.lax.with_sharding_constraint(d, NamedSharding(mesh, P(None, ("x", "y"), None)))
`,
			FixSafety: "The fix keeps the values and changes how they travel; it is marked unsafe because the gain was measured on the CPU's partitioner and depends on sizes.",
			Ignore:    "When it happens once, outside of the step.",
		},
		CheckDump: checkRematerialization,
	}
}

// resharding is what became of one array: its layouts before and after, nil when the mesh does not explain them.
type resharding struct {
	from, to [][]string
}

// explainRematerialization matches the last all-gather of an array that every use slices at a position that depends on the
// partition, and the all-gathers that lead to it.
func explainRematerialization(x *exchange) *why {
	g := x.graph
	if !x.gathers() || x.userMade() {
		return nil
	}
	slice, _ := onlyPartitionSlices(g, g.Uses(x.instr, throughGathers))
	if slice == hlomap.NoInstr {
		return nil
	}
	frames, primitive := x.Frames, x.primitive
	if c := constraintBehind(g, slice); c != hlomap.NoInstr {
		frames, primitive = g.M.Frames(c), "sharding_constraint"
	}
	from, to := x.layouts(slice)
	if (resharding{from, to}).direct() {
		return nil // an all-to-all would do: no matter of layouts
	}
	return &why{frames: frames, primitive: primitive, detail: resharding{from, to}}
}

// constraintBehind returns the sharding constraint that asks for a slice's layout: the first one behind it, looking through
// elementwise operations, which take the constraint's layout.
func constraintBehind(g evidence.Graph, i hlomap.InstrID) hlomap.InstrID {
	for range 32 {
		users := g.M.Users(i)
		next := hlomap.NoInstr
		for _, u := range users {
			if g.Primitive(u) == "sharding_constraint" {
				return u
			}
			if elementwise(g.Op(u)) || evidence.Moves(g.Op(u)) {
				next = u
			}
		}
		if next == hlomap.NoInstr {
			break
		}
		i = next
	}
	return hlomap.NoInstr
}

// layouts reads the array's layouts off the module: the one before from the groups of the gathers, the one after from the
// positions at which each partition slices.
func (x *exchange) layouts(slice hlomap.InstrID) (from, to [][]string) {
	return x.gatheredFrom(slice), x.slicedTo(slice)
}

func (x *exchange) gatheredFrom(slice hlomap.InstrID) [][]string {
	g, mesh := x.graph, x.module.Mesh()
	rank := len(g.Dims(slice))
	tiles, position := ones(rank), make([]map[int]int, rank)
	i := g.Source(g.Operand(slice, 0), nil)
	for range 16 {
		if i == hlomap.NoInstr || g.Op(i).Base() != hlomap.OpAllGather {
			break
		}
		c := x.module.Deciding.CollectiveAt(i)
		dims := g.Dimensions(i, "dimensions")
		if c == nil || len(dims) != 1 || dims[0] >= rank || position[dims[0]] != nil || c.ReplicaGroups == nil {
			return nil
		}
		at := map[int]int{}
		for _, group := range c.ReplicaGroups {
			for k, partition := range group {
				at[partition] = k
			}
		}
		tiles[dims[0]], position[dims[0]] = groupSize(c), at
		i = g.Source(g.Operand(i, 0), nil)
	}
	spec, ok := link.SpecOf(mesh, tiles, func(partition, d int) int { return position[d][partition] })
	if !ok {
		return nil
	}
	return spec
}

func (x *exchange) slicedTo(slice hlomap.InstrID) [][]string {
	g := x.graph
	full, part := g.Dims(g.Operand(slice, 0)), g.Dims(slice)
	if len(full) != len(part) {
		return nil
	}
	tiles, offsets := ones(len(part)), make([][]int64, len(part))
	for d := range part {
		if part[d] == 0 || full[d] == part[d] {
			continue
		}
		tiles[d] = int(full[d] / part[d])
		if offsets[d] = g.AtPartitions(g.Operand(slice, 1+d), x.module.Partitions()); offsets[d] == nil {
			return nil
		}
	}
	spec, ok := link.SpecOf(x.module.Mesh(), tiles, func(partition, d int) int {
		if partition >= len(offsets[d]) {
			return -1
		}
		return int(offsets[d][partition] / part[d])
	})
	if !ok {
		return nil
	}
	return spec
}

func ones(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

func checkRematerialization(p *analyzers.DumpPass) {
	lines := map[string]bool{}
	for _, c := range explained(p, "SHD501") {
		r := c.why[len(c.why)-1].detail.(resharding)
		if p.Module.Deciding.Stage == hlomap.AfterOptimizations {
			c.place = constraintAfter(p, c.place, r.to)
		}
		f := c.finding(fmt.Sprintf("this change of layout%s has no direct exchange: the array is gathered whole on every device (%s) and sliced again%s",
			fromTo(r), c.cost(), r.advice()))
		f.Fixes = throughStone(c.place, r.steppingStone())
		for _, w := range p.Module.Rematerializations {
			if w.OpName != "" && (sameOpName(c, w.OpName) || sameInput(c, w.OpName)) {
				f.Related = append(f.Related, analyzers.Related{Span: f.Span, Message: "the partitioner warned: involuntary full rematerialization of " + w.Shape})
				break
			}
		}
		lines[fmt.Sprint(c.place.Path, ":", c.place.Line)] = true
		p.Report(f)
	}
	for _, w := range p.Module.Rematerializations {
		reportWarning(p, w, lines)
	}
}

// constraintAfter returns the one constraint to a layout that stands behind a place in its function: a final module has no constraints
// any more. It is the place itself where none or several do.
func constraintAfter(p *analyzers.DumpPass, at link.Place, to [][]string) link.Place {
	file := at.Expression.File
	if p.Facts == nil || to == nil || at.Expression.Node == pyparse.None {
		return at
	}
	facts := p.Facts(at.Path)
	if facts == nil {
		return at
	}
	found := at
	seen := map[pyparse.NodeID]bool{}
	for _, pl := range facts.Placements {
		n := pl.At.Node
		if pl.Kind != flow.PlaceConstraint || pl.At.File.Syntax != file || seen[n] || pl.Spec == nil || !sameAxes(pl.Spec, to) ||
			file.EnclosingFunction(n) != file.EnclosingFunction(at.Expression.Node) {
			continue
		}
		start, end := file.Span(n)
		if start < at.Expression.Start {
			continue
		}
		seen[n] = true
		if len(seen) > 1 {
			return at
		}
		found.Expression.Node, found.Expression.Start, found.Expression.End = n, start, end
		found.Line = p.Module.Text(at.Path).Position(start).Line
	}
	return found
}

// sameAxes reports whether a spec of the source is a layout, apart from trailing Nones.
func sameAxes(s *flow.Spec, layout [][]string) bool {
	if !s.Known || s.Open || len(s.Entries) > len(layout) {
		return false
	}
	for d, axes := range layout {
		var names []string
		if d < len(s.Entries) {
			for _, n := range s.Entries[d].Names {
				names = append(names, n.Name)
			}
		}
		if !slices.Equal(names, axes) {
			return false
		}
	}
	return true
}

func sameOpName(c *cause, name string) bool {
	return slices.ContainsFunc(c.exchanges, func(x *exchange) bool { return x.OpName == name })
}

func sameInput(c *cause, name string) bool {
	return slices.ContainsFunc(c.exchanges, func(x *exchange) bool {
		return entryParameter(x.graph, x.graph.Source(x.instr, throughGathers)) == strings.ReplaceAll(name, `\'`, "'")
	})
}

func fromTo(r resharding) string {
	if r.from == nil || r.to == nil {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", specText(r.from), specText(r.to))
}

// steppingStone returns the layout to go through where one is certain: the target puts the major axis of a dimension
// together with one that comes from another dimension, so the major axis moves first; or it takes one of several axes of another
// dimension. The answer is nil elsewhere.
func (r resharding) steppingStone() [][]string {
	if r.from == nil || r.to == nil || len(r.from) != len(r.to) {
		return nil
	}
	for d, axes := range r.to {
		if len(axes) == 1 && len(r.from[d]) == 0 {
			if stone := r.oneOfSeveral(d, axes[0]); stone != nil {
				return stone
			}
		}
		if len(axes) != 2 || len(r.from[d]) > 0 {
			continue
		}
		stone := make([][]string, len(r.from))
		for k := range r.from {
			for _, a := range r.from[k] {
				if a != axes[0] {
					stone[k] = append(stone[k], a)
				}
			}
		}
		stone[d] = []string{axes[0]}
		return stone
	}
	return nil
}

// direct reports whether one exchange leads from one layout to the other: a single axis, the minor one on both sides, that moves
// from one dimension to another.
func (r resharding) direct() bool {
	if r.from == nil || len(r.from) != len(r.to) {
		return false
	}
	lost, won := 0, 0
	moved := map[string]int{}
	for d, axes := range r.from {
		switch n, k := len(axes), len(r.to[d]); {
		case slices.Equal(axes, r.to[d]):
		case n > 0 && slices.Equal(axes[:n-1], r.to[d]):
			lost++
			moved[axes[n-1]]++
		case k > 0 && slices.Equal(axes, r.to[d][:k-1]):
			won++
			moved[r.to[d][k-1]]++
		default:
			return false
		}
	}
	return lost == 1 && won == 1 && len(moved) == 1
}

// oneOfSeveral is the layout to go through to bring one of the axes of a dimension to another one that was whole: the minor axis moves
// and the rest is gathered afterwards, of the major one the rest is gathered first.
func (r resharding) oneOfSeveral(to int, axis string) [][]string {
	for d, axes := range r.from {
		n := len(axes)
		if n < 2 || len(r.to[d]) > 0 {
			continue
		}
		stone := slices.Clone(r.from)
		switch axis {
		case axes[n-1]:
			stone[d], stone[to] = axes[:n-1], []string{axis}
			return stone
		case axes[0]:
			stone[d] = axes[:1]
			return stone
		}
	}
	return nil
}

// advice says how to make the change in two steps.
func (r resharding) advice() string {
	if stone := r.steppingStone(); stone != nil {
		return "; constrain to " + specText(stone) + " first, so that one mesh axis moves at a time"
	}
	return "; go through a layout that moves one mesh axis at a time, with a with_sharding_constraint of its own"
}

// throughStone puts the constraint on the stepping stone around the argument of the constraint that asks for the target.
func throughStone(p link.Place, stone [][]string) []analyzers.Fix {
	arg := p.Expression.Argument(0)
	if stone == nil || arg == pyparse.None || p.Expression.File.Text(p.Expression.File.Callee(p.Expression.Node)) != calledConstraint(p.Expression.File) {
		return nil
	}
	start, end := p.Expression.File.Span(arg)
	edits := constrained(p.Expression.File, p.Path, start, end, stone)
	if edits == nil {
		return nil
	}
	return []analyzers.Fix{{Title: "Go through " + specText(stone), Safety: analyzers.Unsafe, Edits: edits}}
}

// calledConstraint is how a file spells with_sharding_constraint.
func calledConstraint(file *pyparse.File) string {
	return spelling(file, "jax.lax.with_sharding_constraint")
}

// reportWarning reports a warning of the log that no exchange explains: a module before partitioning names the instruction.
// A target on one device is a callback's, not a change of layout.
func reportWarning(p *analyzers.DumpPass, w link.Rematerialization, lines map[string]bool) {
	m := p.Module
	if to, ok := link.ParseSharding(w.To); ok && to.Maximal() || m.Before == nil {
		return
	}
	before := evidence.Graph{M: m.Before.Module}
	i := warnedAbout(before.M, w)
	if i == hlomap.NoInstr {
		return
	}
	place, ok := m.Locate(before.M.Frames(i), before.Primitive(i))
	if c := constraintBehind(before, i); c != hlomap.NoInstr {
		place, ok = m.Locate(before.M.Frames(c), "sharding_constraint")
	}
	key := fmt.Sprint(place.Path, ":", place.Line)
	if !ok || lines[key] || before.Bytes(i) < p.Settings.MinBytes {
		return
	}
	lines[key] = true
	f := analyzers.Finding{
		Span: analyzers.Span{Path: place.Path, Start: place.Expression.Start, End: place.Expression.End},
		Message: fmt.Sprintf("the partitioner can't change the layout of %s from %s to %s directly: it replicates the array (%s) and slices it again; "+
			"go through a layout that moves one mesh axis at a time", w.Shape, link.SpecText(w.From, m.Mesh()), link.SpecText(w.To, m.Mesh()), byteText(before.Bytes(i))),
		HLO:     hloFacts(m, m.Before, place),
		Related: []analyzers.Related{relatedInstruction(m.Before, m.Before.Module.Line(i), w.Instruction)},
	}
	p.Report(f)
}

// warnedAbout finds the instruction of a warning in the module before partitioning: by name, parameters by their op_name,
// because the partitioner renames them.
func warnedAbout(m *hlomap.Module, w link.Rematerialization) hlomap.InstrID {
	if i := m.InstrByName(hlomap.NoComp, w.Instruction); i != hlomap.NoInstr && m.OpName(i) == w.OpName {
		return i
	}
	first, end := m.CompRange(m.Entry())
	for i := first; i < end; i++ {
		if m.Op(i) == hlomap.OpParameter && w.OpName != "" && m.OpName(i) == w.OpName {
			return i
		}
	}
	return hlomap.NoInstr
}
