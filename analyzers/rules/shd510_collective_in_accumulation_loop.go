package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/hlomap"
)

func shd510() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD510", Name: "collective-in-accumulation-loop", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a reduction runs in every iteration although its results are only added up",
		Doc: analyzers.Documentation{
			Finds: "An all-reduce or reduce-scatter inside a loop whose result is only added to what the loop carries: gradient accumulation with the sum over devices inside.",
			Matters: "The sum over devices of the accumulated value is the same and moves the bytes once instead of once per iteration. " +
				"XLA for TPU and GPU moves some of these out of the loop by itself; with a final module of that backend the finding follows what it did. " +
				"On GPU the moved reduction of a float32 accumulator is done in bfloat16 when the gradients are (JAX 0.10.2).",
			Example: `def body(acc, x):
    g = jax.grad(loss)(w, x)
    return acc + jax.lax.psum(g, "data"), None
total, _ = jax.lax.scan(body, jnp.zeros_like(w), xs)
`,
			Instead: `def body(acc, x):
    return acc + jax.grad(loss)(w, x), None
total, _ = jax.lax.scan(body, jnp.zeros_like(w), xs)
total = jax.lax.psum(total, "data")
`,
			Ignore: "When the accumulator would not fit unreduced, as with a reduce-scatter per micro-batch.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD510", func(c *cause) analyzers.Finding {
				often := "in every iteration"
				if n := c.executions(); n != nil {
					often = fmt.Sprintf("in each of %d iterations", *n)
				}
				advice := "accumulate inside a shard_map and psum once after the loop"
				switch x := c.exchanges[0]; {
				case c.castInLoop():
					advice = "JAX sums here because the loop casts an array that all devices hold to varying: cast it before the loop (" + x.castText(p.JAX) + ")"
				case x.userMade():
					advice = "add up the local values and psum once after the loop"
				}
				f := c.finding(fmt.Sprintf("this reduction runs %s of the loop although its result is only added to the carry (%s %s, %s); %s",
					often, c.opcodes(), c.over(), c.cost(), advice))
				if c.exchanges[0].module.Target == nil {
					f.Confidence = analyzers.Likely // TPU and GPU may move it behind the loop
				}
				return f
			})
		},
	}
}

// explainAccumulation matches a reduction of an array in a loop whose result is only added to one element of the carry.
// Scalars are left alone: a loss that is summed in every iteration costs latency only.
func explainAccumulation(x *exchange) *why {
	g := x.graph
	if !x.reduces() || !slices.ContainsFunc(x.Results, func(r hlomap.Array) bool { return len(r.Shape) > 0 }) || g.Loop(x.instr) == hlomap.NoInstr || x.Executions != nil && *x.Executions < 2 {
		return nil
	}
	for k := range x.Results {
		v := evidence.Value{Instr: x.instr}
		if len(x.Results) > 1 { // combined
			v.Path = []int{k}
		}
		uses := g.UsesOf(v, scales)
		for range 4 { // a mean over devices of a mean over micro-batches
			uses = scaled(g, uses)
		}
		if len(uses) == 0 || slices.ContainsFunc(uses, func(u evidence.Use) bool { return !addsToCarry(g, u) }) {
			return nil
		}
	}
	if x.hoisted() {
		return nil
	}
	return &why{frames: x.Frames, primitive: x.primitive}
}

// castInLoop reports whether JAX wrote a sum in a checked shard_map, as the transpose of a cast to varying in the loop: the line calls no
// sum. In front of the loop the cast's transpose is one sum behind the loop of the backward pass (JAX 0.10.2). In a loop the names of
// operations do not tell the backward pass.
func (c *cause) castInLoop() bool {
	called := c.place.Expression.Callee()
	return c.exchanges[0].primitive == "psum_invariant" && c.place.Frame == 0 && called != "psum" && called != "pmean"
}

// castText spells that cast for the axes of the sum.
func (x *exchange) castText(release flow.Release) string {
	axes := "..."
	if x.AxesExact && len(x.Axes) > 0 {
		axes = axisText(x.Axes)
	}
	return toVarying("jax", "w", axes, release, true)
}

// scales lets a walk continue behind operations over which a sum may be moved.
func scales(op hlomap.Op) bool { return op == hlomap.OpConvert || op == hlomap.OpNegate }

// scaled replaces the uses that multiply or divide by one scalar, as a mean does, by what uses their results.
func scaled(g evidence.Graph, uses []evidence.Use) []evidence.Use {
	var out []evidence.Use
	for _, u := range uses {
		if op := g.Op(u.User); (op == hlomap.OpMultiply || op == hlomap.OpDivide && u.Operand == 0) && isScalar(g, g.Operand(u.User, 1-u.Operand)) {
			out = append(out, g.Uses(u.User, scales)...)
			continue
		}
		out = append(out, u)
	}
	return out
}

// isScalar reports whether an array holds one value in all places.
func isScalar(g evidence.Graph, i hlomap.InstrID) bool {
	i = g.Source(i, nil)
	return i != hlomap.NoInstr && (len(g.Dims(i)) == 0 || g.Op(i) == hlomap.OpBroadcast && len(g.Dims(g.Operand(i, 0))) == 0)
}

// addsToCarry reports whether a use is an addition to an element of the loop's carry whose result becomes that element.
func addsToCarry(g evidence.Graph, u evidence.Use) bool {
	if g.Op(u.User) != hlomap.OpAdd {
		return false
	}
	carry, ok := g.CarryOf(g.Operand(u.User, 1-u.Operand))
	if !ok || !g.ReadOnlyBy(carry, u.User) { // a residual stream is read by the layers it passes
		return false
	}
	root := g.BodyRoot(carry.Loop) // u.User may stand in a fusion
	return g.Op(root) == hlomap.OpTuple && g.Source(g.Operand(root, carry.Index), nil) == u.User
}

// hoisted reports whether the target's own final module runs no array reduction in a loop any more.
func (x *exchange) hoisted() bool {
	target := x.module.Target
	if target == nil || target == x.module.Deciding {
		return false
	}
	for i := range target.Collectives {
		c := &target.Collectives[i]
		if (c.Opcode == "all-reduce" || c.Opcode == "reduce-scatter") && c.Executions != nil && *c.Executions > 1 && len(c.Results) > 0 && len(c.Results[0].Shape) > 0 {
			return false
		}
	}
	return true
}
