package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd603() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD603", Name: "low-precision-psum", Severity: analyzers.Info, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a hand-written sum over devices runs in a 16-bit type",
		Doc: analyzers.Documentation{
			Finds: "psum, pmean or psum_scatter of a scalar, or of a value that was just cast down, whose operand, result and reducer are 16-bit. Sums of gradients are SHD601's; products that " +
				"are 16-bit by nature, such as the partial activations of tensor parallelism, are left alone, and so are pmax and pmin, which lose nothing.",
			Matters: "A norm or a loss is a few bytes, and float32 costs nothing there. A norm of 4096 values of 0.1 summed in bfloat16 on 8 devices is 6.40625 instead of 6.4.",
			Example: `sq = (grads.astype(jnp.bfloat16) ** 2).sum()
norm = jnp.sqrt(jax.lax.psum(sq, "data"))
`,
			Instead: `sq = (grads.astype(jnp.float32) ** 2).sum()
norm = jnp.sqrt(jax.lax.psum(sq, "data"))
`,
			FixSafety: "The fix is unsafe: the result becomes float32.",
			Ignore:    "When the wire is the bottleneck and the rounding was validated.",
		},
		CheckDump: checkLowPsum,
	}
}

func checkLowPsum(p *analyzers.DumpPass) {
	if !decidesTypes(p) {
		return
	}
	var causes []*cause
	for _, x := range exchanges(p.Module) {
		if x.lowByHand() {
			causes = join(causes, x, &why{frames: x.Frames, primitive: x.primitive})
		}
	}
	for _, c := range causes {
		x := c.exchanges[0]
		dtype := longType(x.Results[0].DType)
		f := c.finding(fmt.Sprintf("this %s sums in %s %s; sum the float32 value and cast the result", calleeOr(c.place, "psum"), dtype, c.over()))
		f.Fixes = widenArgument(c.place)
		p.Report(f)
	}
}

// lowByHand reports whether the program sums a scalar or a value it has just cast down, all in a low-precision type, and
// the sum is none of gradients.
func (x *exchange) lowByHand() bool {
	g := x.graph
	if !x.reduces() || !x.userMade() || evidence.Backward(x.OpName) || x.isGradient() || x.primitive == "pmax" || x.primitive == "pmin" ||
		len(x.Operands) != 1 || len(x.Results) != 1 || !x.adds() {
		return false
	}
	r := hlomap.Reduction{OperandDType: x.Operands[0].DType, ResultDType: x.Results[0].DType, ReducerDType: x.ReducerDType}
	if !r.LowPrecision() {
		return false
	}
	operand := x.operand()
	cast := operand != hlomap.NoInstr && g.Op(operand) == hlomap.OpConvert && bits(g.M.OperandShape(operand, 0).DType) > 16
	return cast || len(x.Results[0].Shape) == 0
}

// adds reports whether the reducer is an addition.
func (x *exchange) adds() bool {
	for _, c := range x.graph.M.Called(x.instr) {
		if root := x.graph.M.Root(c); root != hlomap.NoInstr {
			op := x.graph.Op(x.graph.Source(root, func(op hlomap.Op) bool { return op == hlomap.OpConvert }))
			return op == hlomap.OpAdd
		}
	}
	return false
}

func calleeOr(p link.Place, otherwise string) string {
	if name := p.Expression.Callee(); name != "" {
		return name
	}
	return otherwise
}

// widenArgument casts the first argument of a psum to float32.
func widenArgument(p link.Place) []analyzers.Fix {
	e := p.Expression
	arg := e.Argument(0)
	if arg == pyparse.None || !writtenByUser(e.Callee()) && e.Callee() != "pmean" {
		return nil
	}
	start, end := e.File.Span(arg)
	text := e.File.Text(arg)
	if !e.File.Is(arg, pyparse.KindIdentifier, pyparse.KindCall, pyparse.KindAttribute, pyparse.KindSubscript, pyparse.KindParenthesizedExpression) {
		text = "(" + text + ")"
	}
	prefix := spelling(e.File, "jax.numpy")
	if prefix == "" {
		return nil
	}
	return []analyzers.Fix{{
		Title:  "Sum in float32",
		Safety: analyzers.Unsafe,
		Edits:  []analyzers.Edit{{Span: analyzers.Span{Path: p.Path, Start: start, End: end}, NewText: text + ".astype(" + prefix + ".float32)"}},
	}}
}
