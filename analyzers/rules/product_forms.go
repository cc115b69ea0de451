package rules

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

// writtenProduct is a product of two arrays as the source spells it.
type writtenProduct struct {
	file     *pyparse.File
	node     pyparse.NodeID
	kind     string // "matmul" for @, matmul and dot; "einsum"; "dot_general"
	operands [2]pyparse.NodeID
	spec     string // of einsum, without spaces
	dims     [2]int64
	keyed    bool // the product already has arguments by name
}

// productAt reads the product that starts where an expression does and was lowered to an operation named op: x @ w, jnp.dot(x, w),
// jnp.matmul(x, w), x.dot(w), jnp.einsum("...", x, w) or lax.dot_general(x, w, dimensions). Of several that start at one point,
// as in einsum("...", a, v) @ w, it is the one that JAX names the scope after (an einsum's spec), or the one that takes the parameters.
func productAt(file *pyparse.File, at pyparse.NodeID, op string, sums []summed) (writtenProduct, bool) {
	op = strings.ReplaceAll(op, " ", "")
	products := map[pyparse.NodeID]writtenProduct{}
	n := theOneOf(file, startingWith(file, at, func(n pyparse.NodeID) bool {
		p, ok := readProduct(file, n)
		products[n] = p
		return ok && (p.kind == "einsum" || !strings.Contains(op, "->"))
	}), func(n pyparse.NodeID) bool {
		p := products[n]
		return p.kind != "einsum" || strings.Contains(op, "->") && strings.Contains(op, p.spec)
	}, func(n pyparse.NodeID) [2]pyparse.NodeID { return products[n].operands }, sums)
	return products[n], n != pyparse.None
}

func readProduct(file *pyparse.File, n pyparse.NodeID) (writtenProduct, bool) {
	p := writtenProduct{file: file, node: n, kind: "matmul"}
	if file.Is(n, pyparse.KindBinaryOperator) && file.Operator(n) == "@" {
		p.operands = [2]pyparse.NodeID{file.Child(n, pyparse.FieldLeft), file.Child(n, pyparse.FieldRight)}
		return p, true
	}
	f := file.Callee(n)
	if f == pyparse.None {
		return p, false
	}
	var args []pyparse.NodeID
	for _, a := range file.Arguments(n) {
		if a.Kind != pyparse.Positional {
			p.keyed = true
			continue
		}
		args = append(args, a.Value)
	}
	name := file.Text(f)
	switch last := lastName(name); {
	case (last == "dot" || last == "matmul") && len(args) == 2:
		p.operands = [2]pyparse.NodeID(args)
	case last == "dot" && len(args) == 1 && file.Is(f, pyparse.KindAttribute):
		p.operands = [2]pyparse.NodeID{file.Child(f, pyparse.FieldObject), args[0]}
	case last == "einsum" && len(args) == 3:
		spec, ok := file.StringValue(args[0])
		p.kind, p.spec, p.operands = "einsum", strings.ReplaceAll(spec, " ", ""), [2]pyparse.NodeID(args[1:])
		return p, ok
	case last == "dot_general" && len(args) == 3:
		p.kind, p.operands = "dot_general", [2]pyparse.NodeID(args[:2])
		return p, p.readDimensions(args[2])
	default:
		return p, false
	}
	return p, true
}

// theOneOf tells apart expressions that start at one point, which XLA's frames do not: they give the start as the end as well (XLA of
// jaxlib 0.10.2). Of several it is the only one that fits and one of whose own operands, which are not another of them,
// mentions a parameter; None where that leaves none or more.
func theOneOf(file *pyparse.File, candidates []pyparse.NodeID, fits func(pyparse.NodeID) bool, operands func(pyparse.NodeID) [2]pyparse.NodeID, sums []summed) pyparse.NodeID {
	if len(candidates) == 1 {
		return candidates[0]
	}
	var left []pyparse.NodeID
	for _, n := range candidates {
		if fits(n) {
			left = append(left, n)
		}
	}
	if len(left) > 1 {
		left = slices.DeleteFunc(left, func(n pyparse.NodeID) bool {
			sides := operands(n)
			return !slices.ContainsFunc(sides[:], func(side pyparse.NodeID) bool {
				return !slices.ContainsFunc(candidates, func(c pyparse.NodeID) bool { return file.Contains(side, c) }) && takesOne(file.Text(side), sums)
			})
		})
	}
	if len(left) != 1 {
		return pyparse.None
	}
	return left[0]
}

// takesOne reports whether the source of an expression has the last name in the path of a parameter: out of params['out'].
func takesOne(source string, sums []summed) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	here := words(source)
	return slices.ContainsFunc(sums, func(s summed) bool {
		path := words(s.parameter)
		return len(path) > 0 && slices.Contains(here, path[len(path)-1])
	})
}

// readDimensions reads (((a,), (b,)), ((), ())): one contracted dimension each and no batch.
func (p *writtenProduct) readDimensions(n pyparse.NodeID) bool {
	lists := func(n pyparse.NodeID) []pyparse.NodeID {
		n = p.file.Unwrap(n)
		if !p.file.Is(n, pyparse.KindTuple, pyparse.KindList) {
			return nil
		}
		return p.file.ChildList(n)
	}
	both := lists(n)
	if len(both) != 2 {
		return false
	}
	contracted, batch := lists(both[0]), lists(both[1])
	if len(contracted) != 2 || len(batch) != 2 || len(lists(batch[0])) != 0 || len(lists(batch[1])) != 0 {
		return false
	}
	for k := range p.dims {
		dims := lists(contracted[k])
		if len(dims) != 1 {
			return false
		}
		d, ok := p.file.Int(dims[0])
		if !ok {
			return false
		}
		p.dims[k] = d
	}
	return true
}

// orders finds out which term of an einsum the operand of the lowered product is: JAX may have swapped them. It answers false
// where both have the same number of dimensions and the product does not keep them apart.
func (p *writtenProduct) orders(g evidence.Graph, forward hlomap.InstrID, weight *int) bool {
	a, b, _, ok := p.terms()
	if !ok {
		return false
	}
	first, second := len(g.Dims(g.Operand(forward, 0))), len(g.Dims(g.Operand(forward, 1)))
	lettersA, lettersB := len(strings.TrimPrefix(a, "...")), len(strings.TrimPrefix(b, "..."))
	fits := func(letters int, term string, rank int) bool {
		return letters == rank || strings.HasPrefix(term, "...") && rank >= letters
	}
	straight := fits(lettersA, a, first) && fits(lettersB, b, second)
	swapped := fits(lettersA, a, second) && fits(lettersB, b, first)
	if straight && swapped {
		straight = p.contractsAs(g, forward, a, b)
		swapped = p.contractsAs(g, forward, b, a)
	}
	if straight == swapped {
		return false
	}
	if swapped {
		*weight = 1 - *weight
	}
	return true
}

// contractsAs reports whether a lowered product contracts the dimensions that two terms of an einsum share and do not keep.
func (p *writtenProduct) contractsAs(g evidence.Graph, forward hlomap.InstrID, left, right string) bool {
	_, _, out, _ := p.terms()
	dims := func(term string, operand int) []int {
		var list []int
		letters := strings.TrimPrefix(term, "...")
		spread := len(g.Dims(g.Operand(forward, operand))) - len(letters)
		for k, letter := range letters {
			if !strings.ContainsRune(out, letter) {
				list = append(list, spread+k)
			}
		}
		return list
	}
	sorted := func(list []int) []int {
		list = slices.Clone(list)
		slices.Sort(list)
		return list
	}
	return slices.Equal(sorted(g.Dimensions(forward, "lhs_contracting_dims")), dims(left, 0)) &&
		slices.Equal(sorted(g.Dimensions(forward, "rhs_contracting_dims")), dims(right, 1))
}

// terms takes an einsum apart. It answers only where each gradient is an einsum of the same letters: no letter twice in a
// term or alone in one, and an ellipsis at the front of one operand and of the result at most.
func (p *writtenProduct) terms() (a, b, out string, ok bool) {
	inputs, out, found := strings.Cut(p.spec, "->")
	a, b, two := strings.Cut(inputs, ",")
	if !found || !two || strings.Contains(b, ",") {
		return "", "", "", false
	}
	letters := map[string]string{}
	for _, term := range []string{a, b, out} {
		rest := strings.TrimPrefix(term, "...")
		for k := range len(rest) {
			if rest[k] < 'A' || rest[k] > 'z' || strings.IndexByte(rest, rest[k]) != k {
				return "", "", "", false
			}
		}
		letters[term] = rest
	}
	spread := strings.HasPrefix(out, "...")
	if strings.HasPrefix(a, "...") && strings.HasPrefix(b, "...") || spread != (strings.HasPrefix(a, "...") || strings.HasPrefix(b, "...")) {
		return "", "", "", false
	}
	within := func(x string, others ...string) bool {
		for _, letter := range letters[x] {
			if !strings.ContainsRune(strings.Join(others, ""), letter) {
				return false
			}
		}
		return true
	}
	return a, b, out, within(a, b, out) && within(b, a, out) && within(out, a, b)
}

// gradientSource is the source of a product and of its gradients, in terms of h, w and the gradient g.
type gradientSource struct {
	weight  int // which of the two arguments is w
	forward string
	lines   string // indented, may be empty
	dh, dw  string
}

func (s *gradientSource) arguments() string {
	if s.weight == 0 {
		return "w, h"
	}
	return "h, w"
}

func (s *gradientSource) result() string {
	if s.weight == 0 {
		return s.dw + ", " + s.dh
	}
	return s.dh + ", " + s.dw
}

// backward writes a product whose weight gradient has the type of the weight; its products keep the type of h. It returns
// nil where the form of the product is not one it knows.
func (p *writtenProduct) backward(g evidence.Graph, forward hlomap.InstrID, weight int, jnp, lax string) (stem string, s *gradientSource) {
	s = &gradientSource{weight: weight}
	ranks := [2]int{len(g.Dims(g.Operand(forward, 0))), len(g.Dims(g.Operand(forward, 1)))}
	switch {
	case p.keyed:
		return "", nil
	case p.kind == "matmul" && weight == 1 && ranks[1] == 2:
		*s = linearGradient(jnp)
		return "linear_wide_grad", s
	case p.kind == "matmul" && weight == 0 && ranks == [2]int{2, 2}:
		s.forward = "w.astype(h.dtype) @ h"
		s.lines = "    dw = " + jnp + ".dot(g, h.T, preferred_element_type=w.dtype)\n"
		s.dh, s.dw = "w.astype(g.dtype).T @ g", "dw"
		return "left_linear_wide_grad", s
	case p.kind == "einsum":
		return p.einsumBackward(s, jnp)
	case p.kind == "dot_general" && weight == 1 && lax != "" && p.dims[0] >= 0 && p.dims[1] >= 0:
		return p.generalBackward(s, jnp, lax)
	}
	return "", nil
}

// linearGradient is the product of activations with a matrix on their right.
func linearGradient(jnp string) gradientSource {
	return gradientSource{
		weight: 1, forward: "h @ w.astype(h.dtype)",
		lines: "    rows, grads = h.reshape(-1, h.shape[-1]), g.reshape(-1, g.shape[-1])\n" +
			"    dw = " + jnp + ".dot(rows.T, grads, preferred_element_type=w.dtype)\n",
		dh: "g @ w.astype(g.dtype).T", dw: "dw",
	}
}

func (p *writtenProduct) einsumBackward(s *gradientSource, jnp string) (string, *gradientSource) {
	a, b, out, ok := p.terms()
	if !ok {
		return "", nil
	}
	h, w := a, b
	if s.weight == 0 {
		h, w = b, a
	}
	if strings.HasPrefix(w, "...") {
		return "", nil // the weight would be broadcast
	}
	inputs := func(x, y string) string {
		if s.weight == 0 {
			return y + "," + x
		}
		return x + "," + y
	}
	cast := "w.astype(h.dtype)"
	s.forward = fmt.Sprintf(`%s.einsum("%s->%s", h, %s)`, jnp, inputs(h, w), out, cast)
	if s.weight == 0 {
		s.forward = fmt.Sprintf(`%s.einsum("%s->%s", %s, h)`, jnp, inputs(h, w), out, cast)
	}
	hs, gs, rows, grads := h, out, "h", "g"
	if strings.HasPrefix(h, "...") {
		free := unusedLetter(p.spec)
		hs, gs = free+h[3:], free+out[3:]
		rows, grads = "rows", "grads"
		s.lines = "    rows, grads = " + flattened("h", len(h)-3) + ", " + flattened("g", len(out)-3) + "\n"
	}
	s.lines += fmt.Sprintf("    dw = %s.einsum(\"%s,%s->%s\", %s, %s, preferred_element_type=w.dtype)\n", jnp, hs, gs, w, rows, grads)
	s.dh, s.dw = fmt.Sprintf(`%s.einsum("%s,%s->%s", g, w.astype(g.dtype))`, jnp, out, w, h), "dw"
	stem := strings.NewReplacer("...", "x", ",", "_", "->", "_").Replace(p.spec)
	return "einsum_" + stem + "_wide_grad", s
}

// flattened merges all dimensions of an array but the last n.
func flattened(x string, n int) string {
	if n == 0 {
		return x + ".reshape(-1)"
	}
	return fmt.Sprintf("%s.reshape(-1, *%s.shape[-%d:])", x, x, n)
}

func unusedLetter(spec string) string {
	for letter := 'z'; letter >= 'a'; letter-- {
		if !strings.ContainsRune(spec, letter) {
			return string(letter)
		}
	}
	return "Z"
}

func (p *writtenProduct) generalBackward(s *gradientSource, jnp, lax string) (string, *gradientSource) {
	h, w := p.dims[0], p.dims[1]
	s.forward = fmt.Sprintf("%s.dot_general(h, w.astype(h.dtype), (((%d,), (%d,)), ((), ())))", lax, h, w)
	s.lines = fmt.Sprintf(`    rows, columns = [d for d in range(h.ndim) if d != %[3]d], [d for d in range(w.ndim) if d != %[4]d]
    dw = %[2]s.dot_general(h, g, ((rows, range(len(rows))), ((), ())), preferred_element_type=w.dtype)
    dh = %[2]s.dot_general(g, w.astype(g.dtype), ((range(len(rows), g.ndim), columns), ((), ())))
`, jnp, lax, h, w)
	s.dh, s.dw = fmt.Sprintf("%s.moveaxis(dh, -1, %d)", jnp, h), fmt.Sprintf("%s.moveaxis(dw, 0, %d)", jnp, w)
	return fmt.Sprintf("dot_general_%d_%d_wide_grad", h, w), s
}
