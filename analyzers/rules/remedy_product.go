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

// rewriting collects what the operations of one line become, and what has to be defined for it.
type rewriting struct {
	file        *pyparse.File
	path        string
	jax, jnp    string
	become      map[pyparse.NodeID]func() string
	definitions []string
	edits       []analyzers.Edit
	parameters  []string // whose gradients are summed in their own type afterwards
	products    int
	lookups     int
}

// inOwnType rewrites the products and sums of a line so that the gradients of the parameters in them leave the contraction over
// the batch in the parameters' own type. It needs the parameter to be there in that type: where the program differentiates
// with respect to a 16-bit copy, or stores 16-bit parameters, there is nothing to write.
func inOwnType(m *link.Module, l *lowSum, release flow.Release) []analyzers.Fix {
	file := l.place.Expression.File
	if l.place.Expression.Node == pyparse.None || explicitAxes(m, l, release) {
		return nil
	}
	r := &rewriting{file: file, path: l.place.Path, jax: spelling(file, "jax"), jnp: spelling(file, "jax.numpy"), become: map[pyparse.NodeID]func() string{}}
	if r.jax == "" || r.jnp == "" {
		return nil
	}
	for _, c := range l.causes() {
		if slices.ContainsFunc(l.behind(c), func(s summed) bool { return bits(s.dtype) <= 16 }) || mapped(c.OpName) {
			continue
		}
		place, ok := m.Locate(c.Frames, evidence.Primitive(c.OpName))
		if !ok || place.Path != l.place.Path || !r.operation(m, l, c, place.Expression.Node) {
			continue
		}
		for _, s := range l.behind(c) {
			if !slices.Contains(r.parameters, s.parameter) {
				r.parameters = append(r.parameters, s.parameter)
			}
		}
	}
	edits := r.all()
	if len(edits) == 0 {
		return nil
	}
	title := "Compute the " + gradientOf(r.parameters) + " in the type of the parameter (custom_vjp)"
	switch {
	case r.products > 0:
	case r.lookups > 0:
		title = "Look " + some(r.parameters, 3) + " up before the cast, so that the gradient is summed in the type of the parameter; the rows are looked up in it too"
	default:
		title = "Broadcast " + some(r.parameters, 3) + " before the cast, so that the gradient is summed in the type of the parameter"
	}
	return []analyzers.Fix{{Title: title, Safety: analyzers.Unsafe, Edits: edits}}
}

// accumulated adds preferred_element_type to the products of a line. The gradient is then summed in float32 also where the
// program has only the 16-bit copy of the weight.
func accumulated(m *link.Module, l *lowSum) []analyzers.Fix {
	file := l.place.Expression.File
	if l.place.Expression.Node == pyparse.None || spelling(file, "jax.numpy") == "" {
		return nil
	}
	r := &rewriting{file: file, path: l.place.Path, jnp: spelling(file, "jax.numpy"), become: map[pyparse.NodeID]func() string{}}
	g := evidence.Graph{M: m.Deciding.Module}
	for _, c := range l.causes() {
		place, ok := m.Locate(c.Frames, evidence.Primitive(c.OpName))
		forward, _ := l.forwardOf(g, c)
		if !ok || c.Opcode != "dot" || place.Path != l.place.Path || forward == hlomap.NoInstr || bits(g.M.Shape(forward).DType) != 16 {
			continue
		}
		p, ok := productAt(file, place.Expression.Node, g.M.OpName(forward), l.behind(c))
		if !ok || p.keyed {
			continue
		}
		r.become[p.node] = func() string { return r.wide(&p, longType(g.M.Shape(forward).DType)) }
		for _, s := range l.behind(c) {
			r.parameters = append(r.parameters, s.parameter)
		}
	}
	edits := r.all()
	if len(edits) == 0 {
		return nil
	}
	return []analyzers.Fix{{
		Title: fmt.Sprintf("Accumulate in float32 (preferred_element_type): the %s %s rounded to %s once behind %s float32 sum, and products of the backward pass become float32",
			gradientOf(r.parameters), numbered(r.parameters, "is", "are"), l.dtypes(), numbered(r.parameters, "its", "their")),
		Safety: analyzers.Unsafe, Edits: edits,
	}}
}

// wide spells a product that accumulates in float32, cast back to what it was.
func (r *rewriting) wide(p *writtenProduct, dtype string) string {
	wider, cast := "preferred_element_type="+r.jnp+".float32", ".astype("+r.jnp+"."+dtype+")"
	if p.file.Is(p.node, pyparse.KindBinaryOperator) {
		return r.jnp + ".matmul(" + r.render(p.operands[0]) + ", " + r.render(p.operands[1]) + ", " + wider + ")" + cast
	}
	args := p.file.Arguments(p.node)
	start, end := p.file.Span(p.node)
	_, to := p.file.Span(args[len(args)-1].Node)
	first, _ := p.file.Span(args[0].Node)
	text := string(p.file.Source[start:first])
	for k, a := range args {
		if k > 0 {
			text += ", "
		}
		text += r.render(a.Node)
	}
	return text + ", " + wider + strings.TrimPrefix(strings.TrimLeft(string(p.file.Source[to:end]), " \n\t"), ",") + cast
}

// mapped reports whether an operation stands under vmap: a custom_vjp function would make one weight gradient per example there.
func mapped(opName string) bool { return strings.Contains(opName, "vmap(") }

// operation rewrites the operation of the forward pass of which a cause is the backward pass; false where it can't.
func (r *rewriting) operation(m *link.Module, l *lowSum, c *hlomap.Cause, at pyparse.NodeID) bool {
	g := evidence.Graph{M: m.Deciding.Module}
	sums := l.behind(c)
	forward, operand := l.forwardOf(g, c)
	if forward == hlomap.NoInstr {
		return false
	}
	switch {
	case c.Opcode == "dot" && g.Op(forward) == hlomap.OpDot:
		return r.product(g, forward, operand, at, sums)
	case c.Opcode == "reduce":
		return r.broadcast(g, forward, operand, at, sums)
	case c.Opcode == "scatter" && g.Op(forward) == hlomap.OpGather:
		return r.lookup(g, forward, at)
	}
	return false
}

// forwardOperations lists the operations of a module's forward pass that have weights or biases as operands, by their places.
func forwardOperations(m *hlomap.Module) map[hlomap.Frame][]hlomap.InstrID {
	at := map[hlomap.Frame][]hlomap.InstrID{}
	for i := range hlomap.InstrID(m.NumInstructions()) {
		switch m.Op(i) {
		case hlomap.OpDot, hlomap.OpAdd, hlomap.OpSubtract, hlomap.OpMultiply, hlomap.OpGather:
		default:
			continue
		}
		if frames := m.Frames(i); len(frames) > 0 && !evidence.Backward(m.OpName(i)) {
			at[frames[0]] = append(at[frames[0]], i)
		}
	}
	return at
}

// forwardOf finds the operation of the forward pass at the very place of a cause that takes one of the parameters whose sums the cause is
// behind, and as which operand.
func (l *lowSum) forwardOf(g evidence.Graph, c *hlomap.Cause) (hlomap.InstrID, int) {
	if len(c.Frames) == 0 {
		return hlomap.NoInstr, 0
	}
	through := func(op hlomap.Op) bool {
		return op == hlomap.OpConvert || op == hlomap.OpBroadcast || op == hlomap.OpDynamicSlice || op.Base() == hlomap.OpAllGather
	}
	sums := l.behind(c)
	for _, i := range l.forward()[c.Frames[0]] {
		if g.M.InstrName(i) == c.Instruction {
			continue
		}
		for k := len(g.M.Operands(i)) - 1; k >= 0; k-- {
			name := entryParameter(g, g.Source(g.Operand(i, k), through))
			if name != "" && slices.ContainsFunc(sums, func(s summed) bool { return s.parameter == name }) {
				return i, k
			}
		}
	}
	return hlomap.NoInstr, 0
}

// broadcast rewrites x + b.astype(T), and the same with - and *, so that b is broadcast in its own type.
func (r *rewriting) broadcast(g evidence.Graph, forward hlomap.InstrID, operand int, at pyparse.NodeID, sums []summed) bool {
	operator, verb := "", ""
	switch g.Op(forward) {
	case hlomap.OpAdd:
		operator, verb = "+", "add"
	case hlomap.OpSubtract:
		operator, verb = "-", "subtract"
	case hlomap.OpMultiply:
		operator, verb = "*", "multiply"
	}
	n := theOneOf(r.file, startingWith(r.file, at, func(n pyparse.NodeID) bool { return operator != "" && r.file.Operator(n) == operator }),
		func(pyparse.NodeID) bool { return true }, r.sides, sums)
	other := g.Operand(forward, 1-operand)
	if n == pyparse.None || operand == 0 && operator == "-" || other != hlomap.NoInstr && g.Op(other) == hlomap.OpBroadcast {
		return false
	}
	sides := r.sides(n)
	v, ok := wideOf(r.file, r.path, sides[operand])
	if !ok {
		return false
	}
	r.edits = append(r.edits, v.edits...)
	x := sides[1-operand]
	if r.file.Is(x, pyparse.KindIdentifier) {
		name := r.file.Text(x)
		r.become[n] = func() string {
			return fmt.Sprintf("%s %s %s.broadcast_to(%s, %s.shape).astype(%s.dtype)", name, operator, r.jnp, v.text, name, name)
		}
		return true
	}
	name := r.define(verb+"_broadcast", func(name string) string {
		return fmt.Sprintf("def %s(x, b):\n    # b is broadcast in its own type, so that its gradient is summed over the batch in that type.\n"+
			"    return x %s %s.broadcast_to(b, x.shape).astype(x.dtype)\n", name, operator, r.jnp)
	})
	r.become[n] = func() string { return name + "(" + r.render(x) + ", " + v.text + ")" }
	return true
}

// sides are the operands of a binary operator.
func (r *rewriting) sides(n pyparse.NodeID) [2]pyparse.NodeID {
	return [2]pyparse.NodeID{r.file.Child(n, pyparse.FieldLeft), r.file.Child(n, pyparse.FieldRight)}
}

// lookup rewrites table.astype(T)[ids] to table[ids].astype(T), and jnp.take likewise: the gradient is then scattered into
// an array of the table's own type.
func (r *rewriting) lookup(g evidence.Graph, forward hlomap.InstrID, at pyparse.NodeID) bool {
	var v wideValue
	table := pyparse.None
	n := startingHere(r.file, at, func(n pyparse.NodeID) (ok bool) {
		switch args := r.file.Arguments(n); {
		case r.file.Is(n, pyparse.KindSubscript):
			table = r.file.Child(n, pyparse.FieldValue)
		case strings.HasSuffix(r.file.Text(r.file.Callee(n)), ".take") && len(args) > 1 && args[0].Kind == pyparse.Positional:
			table = args[0].Value
		default:
			return false
		}
		v, ok = wideOf(r.file, r.path, table)
		return ok
	})
	if n == pyparse.None {
		return false
	}
	start, end := r.file.Span(n)
	from, to := r.file.Span(table)
	dtype := longType(g.M.Shape(forward).DType)
	r.edits = append(r.edits, v.edits...)
	r.lookups++
	r.become[n] = func() string {
		return string(r.file.Source[start:from]) + v.text + string(r.file.Source[to:end]) + ".astype(" + r.jnp + "." + dtype + ")"
	}
	return true
}

// startingHere returns the smallest expression for which fits is true among those that start where at does, and hold it or
// are held by it.
func startingHere(file *pyparse.File, at pyparse.NodeID, fits func(pyparse.NodeID) bool) pyparse.NodeID {
	for _, n := range expressionsFrom(file, at) {
		if fits(n) {
			return n
		}
	}
	return pyparse.None
}

// startingWith returns all of these expressions for which fits is true, the smallest first.
func startingWith(file *pyparse.File, at pyparse.NodeID, fits func(pyparse.NodeID) bool) []pyparse.NodeID {
	return slices.DeleteFunc(expressionsFrom(file, at), func(n pyparse.NodeID) bool { return !fits(n) })
}

func expressionsFrom(file *pyparse.File, at pyparse.NodeID) []pyparse.NodeID {
	var found []pyparse.NodeID
	start, _ := file.Span(at)
	for n := file.NodeAt(start); n != pyparse.None; n = file.Parent(n) {
		if from, _ := file.Span(n); from != start || file.Is(n, pyparse.KindExpressionStatement, pyparse.KindBlock, pyparse.KindModule) {
			break
		}
		found = append(found, n)
	}
	return found
}

// product rewrites a product so that the gradient of its narrow operand, the weight, leaves its own product in the weight's type.
func (r *rewriting) product(g evidence.Graph, forward hlomap.InstrID, weight int, at pyparse.NodeID, sums []summed) bool {
	p, ok := productAt(r.file, at, g.M.OpName(forward), sums)
	if !ok {
		return false
	}
	if p.kind == "einsum" && !p.orders(g, forward, &weight) {
		return false
	}
	v, ok := wideOf(r.file, r.path, p.operands[weight])
	if !ok {
		return false
	}
	stem, body := p.backward(g, forward, weight, r.jnp, spelling(r.file, "jax.lax"))
	if body == nil {
		return false
	}
	name := r.define(stem, func(name string) string { return customProduct(r.jax, name, body) })
	r.edits = append(r.edits, v.edits...)
	r.products++
	r.become[p.node] = func() string {
		h := r.render(p.operands[1-weight])
		if weight == 0 {
			return name + "(" + v.text + ", " + h + ")"
		}
		return name + "(" + h + ", " + v.text + ")"
	}
	return true
}

// customProduct is the source of a product with a backward pass of its own.
func customProduct(jax, name string, body *gradientSource) string {
	return fmt.Sprintf(`@%[1]s.custom_vjp
def %[2]s(%[3]s):
    return %[4]s


def %[2]s_fwd(%[3]s):
    return %[2]s(%[3]s), (%[3]s)


def %[2]s_bwd(saved, g):
    %[3]s = saved
%[5]s    return %[6]s


%[2]s.defvjp(%[2]s_fwd, %[2]s_bwd)
`, jax, name, body.arguments(), body.forward, body.lines, body.result())
}

// define returns the name of a definition for which text gives the source, adding it where the file does not have it yet.
func (r *rewriting) define(stem string, text func(name string) string) string {
	if strings.Contains(string(r.file.Source), text(stem)) {
		return stem
	}
	name := unusedName(r.file, stem)
	if d := text(name); !slices.Contains(r.definitions, d) {
		r.definitions = append(r.definitions, d)
	}
	return name
}

// render is the source of an expression with everything in it that is rewritten.
func (r *rewriting) render(n pyparse.NodeID) string {
	if become := r.become[n]; become != nil {
		return become()
	}
	start, end := r.file.Span(n)
	var b strings.Builder
	at := start
	for c := range r.file.Children(n) {
		if from, to := r.file.Span(c); from >= at && r.changes(c) {
			b.Write(r.file.Source[at:from])
			b.WriteString(r.render(c))
			at = to
		}
	}
	b.Write(r.file.Source[at:end])
	return b.String()
}

// changes reports whether something in an expression is rewritten.
func (r *rewriting) changes(n pyparse.NodeID) bool {
	for k := range r.become {
		if r.file.Contains(n, k) {
			return true
		}
	}
	return false
}

// all lists the edits: the outermost of the rewritten expressions, definitions behind the imports, and wide names.
func (r *rewriting) all() []analyzers.Edit {
	var edits []analyzers.Edit
	for n := range r.become {
		outermost := true
		for other := range r.become {
			outermost = outermost && (other == n || !r.file.Contains(other, n))
		}
		if outermost {
			start, end := r.file.Span(n)
			edits = append(edits, analyzers.Edit{Span: analyzers.Span{Path: r.path, Start: start, End: end}, NewText: r.render(n)})
		}
	}
	if len(edits) == 0 {
		return nil
	}
	slices.SortFunc(edits, func(a, b analyzers.Edit) int { return a.Span.Start - b.Span.Start })
	for _, e := range r.edits {
		if !slices.Contains(edits, e) {
			edits = append(edits, e)
		}
	}
	for _, d := range r.definitions {
		edits = append(edits, defined(r.file, r.path, d))
	}
	return edits
}
