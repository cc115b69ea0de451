package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd405() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD405", Name: "sibling-operands-differ", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "one of several alike operands is left without the constraint that its siblings have",
		Doc: analyzers.Documentation{
			Finds: "A product whose result is resharded where it is used, to the very layout that a sharding constraint gives to other products of the same form (queries and keys, but not values).",
			Matters: "The free operand takes the layout of its inputs, and moves when it meets its siblings. Without conflicting inputs the partitioner copies the siblings' layout and nothing moves, " +
				"so this is reported on evidence from a dump only.",
			Example: `q = wsc(jnp.einsum("bsd,dhk->bshk", x, wq), heads)
k = wsc(jnp.einsum("bsd,dhk->bshk", x, wk), heads)
v = jnp.einsum("bsd,dhk->bshk", wsc(x, flat), wv)
`,
			Instead: `q = wsc(jnp.einsum("bsd,dhk->bshk", x, wq), heads)
k = wsc(jnp.einsum("bsd,dhk->bshk", x, wk), heads)
v = wsc(jnp.einsum("bsd,dhk->bshk", x, wv), heads)
`,
			FixSafety: "The fix keeps the values and changes where they live: it constrains the product and drops the constraint on its input. " +
				"It is marked unsafe because whether it is faster depends on the backend.",
			Ignore: "When the other layout is wanted for another use of the same value.",
		},
		CheckDump: func(p *analyzers.DumpPass) { each(p, "SHD405", describeSibling) },
	}
}

// sibling is a constrained product of the same form as the one that is left free.
type sibling struct {
	frames   []hlomap.Frame // of the sibling's constraint
	sameRank bool           // the free product has the rank that the constraint is written for
}

// explainSibling matches the resharding of a product in front of its use, where a sharding constraint puts another product
// with the same op_name in the layout that it is resharded to.
func explainSibling(x *exchange) *why {
	g := x.graph
	if x.userMade() || x.Opcode != "all-to-all" && !x.gathers() || x.primitive != "dot_general" {
		return nil
	}
	product := x.operand()
	if product == hlomap.NoInstr || g.Op(product) != hlomap.OpDot || constrainedBetween(g, g.Operand(x.instr, 0), product, x.apart) {
		return nil
	}
	for _, u := range x.uses() {
		if g.Op(u.User) != hlomap.OpDot {
			continue
		}
		wanted := g.M.OperandShape(u.User, u.Operand)
		if s := constrainedSibling(g, product, wanted.Dims); s != hlomap.NoInstr {
			return &why{frames: g.M.Frames(product), primitive: g.Primitive(product), detail: sibling{g.M.Frames(s), len(g.Dims(product)) == len(wanted.Dims)}}
		}
	}
	return nil
}

// constrainedBetween reports whether a sharding constraint stands between a value and the operation that computes it.
func constrainedBetween(g evidence.Graph, from, to hlomap.InstrID, through func(hlomap.Op) bool) bool {
	found := false
	for v := range g.Backward(from, through) {
		if v == to {
			break
		}
		found = found || g.Primitive(v) == "sharding_constraint"
	}
	return found
}

// constrainedSibling returns a sharding constraint with the given dimensions on a product of the same op_name and function
// as product.
func constrainedSibling(g evidence.Graph, product hlomap.InstrID, dims []int64) hlomap.InstrID {
	name, function := g.M.OpName(product), functionOf(g.M.Frames(product))
	callers := g.M.Callers(g.M.Comp(product))
	fused := len(callers) == 1 && g.Op(callers[0]) == hlomap.OpFusion
	first, end := g.M.CompRange(g.M.Comp(product))
	if fused { // a final module has each product in a fusion of its own, and turns arrays as it likes
		first, end = 0, hlomap.InstrID(g.M.NumInstructions())
	}
	for i := first; i < end; i++ {
		if !evidence.Moves(g.Op(i)) || g.Primitive(i) != "sharding_constraint" || !slices.Equal(g.Dims(i), dims) && !(fused && slices.Equal(ordered(g.Dims(i)), ordered(dims))) {
			continue
		}
		if s := g.Source(i, nil); s != product && s != hlomap.NoInstr && g.Op(s) == hlomap.OpDot && g.M.OpName(s) == name && functionOf(g.M.Frames(s)) == function {
			return i
		}
	}
	return hlomap.NoInstr
}

// ordered returns dimensions by size.
func ordered(dims []int64) []int64 {
	dims = slices.Clone(dims)
	slices.Sort(dims)
	return dims
}

func functionOf(frames []hlomap.Frame) string {
	if len(frames) == 0 {
		return ""
	}
	return frames[0].Function
}

func describeSibling(c *cause) analyzers.Finding {
	free := c.place.Expression.Target()
	if free == "" {
		free = "this product"
	} else {
		free = "'" + free + "'"
	}
	m := c.exchanges[0].module
	constrained := "a product of the same form"
	var fixes []analyzers.Fix
	s := c.why[0].detail.(sibling)
	if place, ok := m.Locate(s.frames, "sharding_constraint"); ok {
		if target := place.Expression.Target(); target != "" {
			constrained = "'" + target + "'"
		}
		constrained += fmt.Sprintf(" (line %d)", place.Line)
		if s.sameRank {
			fixes = sameConstraint(c.place, place)
		}
	}
	f := c.finding(fmt.Sprintf("%s has no sharding constraint while %s has one: it takes the layout of its input and is resharded where the two meet (%s %s, %s); give it the same constraint, and its input none that differs",
		free, constrained, c.opcodes(), c.over(), c.cost()))
	f.Fixes, f.Confidence = fixes, analyzers.Likely
	return f
}

// sameConstraint wraps an expression in the constraint that the other place applies, spelled as it is there, and takes away the
// constraint on its input that makes its layout another one. With that left in place the same bytes would move, only earlier;
// where it stands elsewhere there is no edit.
func sameConstraint(free, constrained link.Place) []analyzers.Fix {
	e, k := free.Expression, constrained.Expression
	args := k.File.Arguments(k.Node)
	if e.Node == pyparse.None || k.Callee() == "" || len(args) != 2 || args[0].Kind != pyparse.Positional || free.Path != constrained.Path {
		return nil
	}
	callee := k.File.Text(k.File.Callee(k.Node))
	edits := []analyzers.Edit{{Span: analyzers.Span{Path: free.Path, Start: e.Start, End: e.Start}, NewText: callee + "("}}
	for n := range e.File.Descendants(e.Node) {
		inner := e.File.Arguments(n)
		if e.File.Text(e.File.Callee(n)) == callee && len(inner) == 2 && inner[0].Kind == pyparse.Positional {
			start, end := e.File.Span(n)
			edits = append(edits, analyzers.Edit{Span: analyzers.Span{Path: free.Path, Start: start, End: end}, NewText: e.File.Text(inner[0].Value)})
		}
	}
	if len(edits) != 2 {
		return nil
	}
	edits = append(edits, analyzers.Edit{Span: analyzers.Span{Path: free.Path, Start: e.End, End: e.End}, NewText: ", " + k.File.Text(args[1].Node) + ")"})
	return []analyzers.Fix{{Title: "Give it the constraint of its sibling instead of the one on its input", Safety: analyzers.Unsafe, Edits: edits}}
}
