package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd605() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD605", Name: "numpy-scalar-widens-arrays", Severity: analyzers.Warning, Evidence: analyzers.FromBoth, Since: "0.1.0",
		Summary: "a NumPy scalar turns a 16-bit array and all that is computed from it into float32",
		Doc: analyzers.Documentation{
			Finds: "A product, quotient, sum or difference of a 16-bit array with what np.sqrt, np.log, np.float64 and the like return, where the module casts the array to float32 for it and products or exchanges behind it are float32 too.",
			Matters: "Python numbers take the type of the array that they meet; NumPy scalars have a type of their own, float64, which JAX makes float32 where 64-bit types are off. So x / np.sqrt(d) of a bfloat16 x is float32, " +
				"and so is everything after it until the next cast: products run at the speed of float32, and exchanges send twice the bytes (JAX 0.10.2).",
			Example: `scores = jnp.einsum("btnh,bsnh->bnts", q, k) / np.sqrt(q.shape[-1])
`,
			Instead: `scores = jnp.einsum("btnh,bsnh->bnts", q, k) / float(np.sqrt(q.shape[-1]))
`,
			FixSafety: "The fix makes the scalar a Python number. It is unsafe: what follows is computed in 16 bits, as the arrays are.",
			Ignore:    "When float32 is meant from here on; a cast, x.astype(jnp.float32), says so.",
		},
		CheckDump: checkWidened,
	}
}

func checkWidened(p *analyzers.DumpPass) {
	if !decidesTypes(p) || p.Module.Deciding.Module == nil {
		return
	}
	g := evidence.Graph{M: p.Module.Deciding.Module}
	seen := map[analyzers.Span]bool{}
	for i := range hlomap.InstrID(g.M.NumInstructions()) {
		user := widenedFor(g, i)
		if user == hlomap.NoInstr {
			continue
		}
		place, ok := p.Module.Locate(g.M.Frames(user), g.Primitive(user))
		if !ok || place.Frame > 0 {
			continue
		}
		scalar := numpyScalar(place)
		if scalar == pyparse.None {
			continue
		}
		products, exchanges := widenedBehind(g, user)
		file := place.Expression.File
		start, end := file.Span(scalar)
		span := analyzers.Span{Path: place.Path, Start: start, End: end}
		if products+exchanges == 0 || seen[span] {
			continue
		}
		seen[span] = true
		narrow, wide := longType(g.M.OperandShape(i, 0).DType), longType(g.M.Shape(i).DType)
		p.Report(analyzers.Finding{
			Span: span, Evidence: analyzers.FromBoth, HLO: hloFacts(p.Module, p.Module.Deciding, place),
			Message: fmt.Sprintf("%s is a NumPy scalar, which has a type of its own: the %s array that it meets becomes %s, and so %s behind it; write float(%s)",
				shortText(file.Text(scalar)), narrow, wide, widenedText(products, exchanges), shortText(file.Text(scalar))),
			Related: []analyzers.Related{relatedInstruction(p.Module.Deciding, g.M.Line(i), fmt.Sprintf("%s: from %s to %s", g.M.InstrName(i), narrow, wide))},
			Fixes: fixOf("Make it a Python number", analyzers.Unsafe,
				analyzers.Edit{Span: analyzers.Span{Path: place.Path, Start: start, End: start}, NewText: "float("},
				analyzers.Edit{Span: analyzers.Span{Path: place.Path, Start: end, End: end}, NewText: ")"}),
		})
	}
}

// widenedFor returns the arithmetic with one scalar for which an array is cast from a 16-bit type to a wider one, in the same place of
// the source; hlomap.NoInstr where an instruction is no such cast.
func widenedFor(g evidence.Graph, i hlomap.InstrID) hlomap.InstrID {
	if g.Op(i) != hlomap.OpConvert || bits(g.M.OperandShape(i, 0).DType) > 16 || bits(g.M.OperandShape(i, 0).DType) == 0 || bits(g.M.Shape(i).DType) < 32 ||
		g.Primitive(i) != "convert_element_type" || evidence.Backward(g.M.OpName(i)) {
		return hlomap.NoInstr
	}
	for _, u := range g.M.Users(i) {
		switch g.Op(u) {
		case hlomap.OpMultiply, hlomap.OpDivide, hlomap.OpAdd, hlomap.OpSubtract:
		default:
			continue
		}
		other := g.Operand(u, 0)
		if other == i {
			other = g.Operand(u, 1)
		}
		if isConstant(g, other) && isScalar(g, other) && slices.Equal(g.M.Frames(i), g.M.Frames(u)) {
			return u
		}
	}
	return hlomap.NoInstr
}

// widenedBehind counts the products of wide operands and the exchanges of wide arrays that an array reaches before a cast to 16 bits.
func widenedBehind(g evidence.Graph, from hlomap.InstrID) (products, exchanges int) {
	seen := map[hlomap.InstrID]bool{from: true}
	queue := []hlomap.InstrID{from}
	for len(queue) > 0 && len(seen) < 5000 {
		i := queue[0]
		queue = queue[1:]
		for _, u := range g.M.Users(i) {
			if seen[u] || g.Op(u) == hlomap.OpConvert && bits(g.M.Shape(u).DType) <= 16 {
				continue
			}
			seen[u] = true
			switch op := g.Op(u); {
			case op == hlomap.OpDot, op == hlomap.OpConvolution:
				products++
			case op.IsCollective() && bits(g.M.OperandShape(u, 0).DType) >= 32:
				exchanges++
			}
			queue = append(queue, u)
		}
	}
	return products, exchanges
}

func widenedText(products, exchanges int) string {
	var parts []string
	for _, part := range []struct {
		n          int
		one, other string
	}{{products, "product", "products"}, {exchanges, "exchange between devices", "exchanges between devices"}} {
		switch part.n {
		case 0:
		case 1:
			parts = append(parts, "one "+part.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.other))
		}
	}
	if products+exchanges == 1 {
		return "does " + and(parts)
	}
	return "do " + and(parts)
}

// numpyScalar returns the NumPy scalar that arithmetic at a place has as one operand, pyparse.None where there is none, or where the
// other operand is cast on purpose. Where the dump has no columns, the only such scalar of the line is taken.
func numpyScalar(p link.Place) pyparse.NodeID {
	file := p.Expression.File
	if p.Expression.Node == pyparse.None {
		return pyparse.None
	}
	found, count := pyparse.None, 0
	look := func(n pyparse.NodeID) bool {
		if !file.Is(n, pyparse.KindBinaryOperator) || !strings.Contains("*/+-", file.Operator(n)) {
			return false
		}
		left, right := file.Child(n, pyparse.FieldLeft), file.Child(n, pyparse.FieldRight)
		for _, pair := range [][2]pyparse.NodeID{{left, right}, {right, left}} {
			if returnsScalar(file, pair[0]) && !returnsScalar(file, pair[1]) && castArgument(file, file.Unwrap(pair[1])) == pyparse.None {
				found = pair[0]
				count++
				return true
			}
		}
		return false
	}
	if startingHere(file, p.Expression.Node, look) != pyparse.None {
		return found
	}
	for n := range file.Descendants(p.Expression.Node) {
		look(n)
	}
	if count != 1 {
		return pyparse.None
	}
	return found
}

// returnsScalar reports whether an expression is a NumPy scalar of a floating type: a call of a NumPy function that returns one, or a
// name that is assigned such a call in one place.
func returnsScalar(file *pyparse.File, n pyparse.NodeID) bool {
	n = file.Unwrap(n)
	if file.Is(n, pyparse.KindIdentifier) {
		n = file.Unwrap(onlyValue(file, n))
	}
	name := file.Text(file.Callee(n))
	module := spelling(file, "numpy")
	if module == "" || !strings.HasPrefix(name, module+".") {
		return false
	}
	switch name[len(module)+1:] {
	case "sqrt", "log", "log2", "log10", "log1p", "exp", "expm1", "float64", "float32", "cbrt", "reciprocal", "sin", "cos", "tanh":
		return true
	}
	return false
}
