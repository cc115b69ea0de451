package rules

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

// reducedFirst makes the weights of a line reduced over the axes of their gradients' sums before they are cast, on meshes with Explicit
// axes: the transpose of that is a sum in the type of the parameter (JAX 0.10). It is for weights that are not sharded over the axes of
// the sum; a bias that meets a value sharded over the batch can't be reduced.
func reducedFirst(m *link.Module, l *lowSum, release flow.Release) []analyzers.Fix {
	file, axes := l.place.Expression.File, l.axes()
	if l.place.Expression.Node == pyparse.None || len(axes) == 0 || !release.AtLeast(0, 10, 0) || !explicitAxes(m, l, release) || l.byHand(m.Deciding) {
		return nil
	}
	r := newLayerRewriting(l)
	partition := spelling(file, "jax.sharding.PartitionSpec")
	if r.jax == "" || r.jnp == "" || partition == "" || !strings.Contains(string(file.Source), "set_mesh(") {
		return nil // a bare spec needs a mesh in context
	}
	g := evidence.Graph{M: m.Deciding.Module}
	for _, c := range l.causes() {
		sums := l.behind(c)
		place, ok := m.Locate(c.Frames, evidence.Primitive(c.OpName))
		forward, weight := l.forwardOf(g, c)
		if !ok || c.Opcode != "dot" || mapped(c.OpName) || place.Path != l.place.Path || forward == hlomap.NoInstr {
			continue
		}
		layout, ok := wideLayout(m, sums, axes, len(g.Dims(g.Operand(forward, weight))))
		if !ok {
			continue
		}
		p, ok := productAt(file, place.Expression.Node, g.M.OpName(forward), sums)
		if !ok || p.kind == "einsum" && !p.orders(g, forward, &weight) {
			continue
		}
		v, ok := wideOf(file, l.place.Path, p.operands[weight])
		if !ok || layout != nil && strings.Contains(v.text, "(") || strings.HasSuffix(v.text, "T") {
			continue // the layout is that of the parameter as it is stored
		}
		text := r.jax + ".reshard(" + v.text + ", " + partition + "(" + reducedSpec(layout, len(g.Dims(g.Operand(forward, weight))), axes) + ")).astype(" + r.jnp + "." + longType(g.M.Shape(forward).DType) + ")"
		r.edits = append(r.edits, v.edits...)
		r.become[p.operands[weight]] = func() string { return text }
		for _, s := range sums {
			r.parameters = append(r.parameters, s.parameter)
		}
	}
	edits := r.all()
	if len(edits) == 0 {
		return nil
	}
	return []analyzers.Fix{{
		Title:  "Reduce the " + gradientOf(r.parameters) + " in the type of the parameter (reshard to a spec with reduced= before the cast)",
		Safety: analyzers.Unsafe, Edits: edits,
	}}
}

// reducedSpec spells the entries of a layout of some rank, and the axes over which its gradient is summed.
func reducedSpec(layout [][]string, rank int, axes []string) string {
	text := ""
	for d := range rank {
		if d < len(layout) && len(layout[d]) > 0 {
			text += axisText(layout[d]) + ", "
		} else {
			text += "None, "
		}
	}
	return text + "reduced={" + strings.Join(quotedNames(axes), ", ") + "}"
}

// wideLayout returns the layout that the parameters of sums share, nil for one that is whole on every device. It answers only where they
// are wider than 16 bits, and, where sharded, have the given rank and no axis of the sums in their layout.
func wideLayout(m *link.Module, sums []summed, axes []string, rank int) ([][]string, bool) {
	g := evidence.Graph{M: m.Deciding.Module}
	layouts := map[string][][]string{}
	first, end := g.M.CompRange(g.M.Entry())
	for i := first; i < end; i++ {
		text, ok := g.M.InstrAttr(i, "sharding")
		sharding, parsed := link.ParseSharding(text)
		name := entryParameter(g, i)
		if name == "" || !ok || !parsed {
			continue
		}
		if sharding.Replicated() {
			layouts[name] = nil
		} else if spec, known := sharding.Axes(m.Mesh()); known && len(g.Dims(i)) == rank && !slices.ContainsFunc(slices.Concat(spec...), func(a string) bool { return slices.Contains(axes, a) || strings.Contains(a, ":") }) {
			layouts[name] = spec
		}
	}
	var shared [][]string
	for k, s := range sums {
		layout, ok := layouts[s.parameter]
		if !ok || bits(s.dtype) <= 16 || k > 0 && specText(layout) != specText(shared) {
			return nil, false
		}
		shared = layout
	}
	return shared, len(sums) > 0
}
