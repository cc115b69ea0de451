package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

// reducedFirst makes the weights of a line reduced over the axes of their gradients' sums before they are cast, on meshes with Explicit
// axes: the transpose of that is a sum in the type of the parameter (JAX 0.10). It is for weights that all devices hold whole; a bias
// that meets a value sharded over the batch can't be reduced.
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
		forward, weight := forwardOf(g, c, sums)
		if !ok || c.Opcode != "dot" || mapped(c.OpName) || place.Path != l.place.Path || forward == hlomap.NoInstr || !wideAndWhole(g, sums) {
			continue
		}
		p, ok := productAt(file, place.Expression.Node, g.M.OpName(forward), sums)
		if !ok || p.keyed || p.kind == "einsum" && !p.orders(g, forward, &weight) {
			continue
		}
		v, ok := wideOf(file, l.place.Path, p.operands[weight])
		if !ok {
			continue
		}
		spec := strings.Repeat("None, ", len(g.Dims(g.Operand(forward, weight)))) + "reduced={" + strings.Join(quotedNames(axes), ", ") + "}"
		text := r.jax + ".reshard(" + v.text + ", " + partition + "(" + spec + ")).astype(" + r.jnp + "." + longType(g.M.Shape(forward).DType) + ")"
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
		Title:  "Reduce the gradient of " + some(r.parameters, 3) + " in the type of the parameter (reshard to a spec with reduced= before the cast)",
		Safety: analyzers.Unsafe, Edits: edits,
	}}
}

// wideAndWhole reports whether the parameters of sums are wider than 16 bits and whole on every device.
func wideAndWhole(g evidence.Graph, sums []summed) bool {
	whole := map[string]bool{}
	first, end := g.M.CompRange(g.M.Entry())
	for i := first; i < end; i++ {
		text, ok := g.M.InstrAttr(i, "sharding")
		sharding, parsed := link.ParseSharding(text)
		if name := entryParameter(g, i); name != "" && ok && parsed && sharding.Replicated() {
			whole[name] = true
		}
	}
	for _, s := range sums {
		if bits(s.dtype) <= 16 || !whole[s.parameter] {
			return false
		}
	}
	return len(sums) > 0
}
