package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
)

func shd401() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD401", Name: "unused-constraint-result", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "the result of a call that returns a placed copy is dropped",
		Doc: analyzers.Documentation{
			Finds:   "with_sharding_constraint, device_put, reshard, pcast, with_logical_constraint or equinox.filter_shard as a statement of its own. A method called on the result counts as a use, and so does a handler of its errors.",
			Matters: "Arrays are immutable: these functions return a new array with the wanted layout and leave their argument alone. Nothing happens and nothing is said; inside jit the call is removed as dead code.",
			Example: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def block(x):
    h = x * 2
    jax.lax.with_sharding_constraint(h, NamedSharding(mesh, P("data")))
    return h
`,
			Instead: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def block(x):
    h = x * 2
    h = jax.lax.with_sharding_constraint(h, NamedSharding(mesh, P("data")))
    return h
`,
			FixSafety: "The fix assigns the result to the argument. For a constraint that changes no value, so it is safe; for the functions that move data it is unsafe, because the name then holds another array.",
			Ignore:    "When the call is made for its side effect alone, such as warming up a transfer.",
		},
		Needles: []string{"with_sharding_constraint", "device_put", "reshard", "lax.pcast", "pvary", "filter_shard", "with_logical_constraint"},
		Check:   checkUnusedConstraint,
	}
}

func checkUnusedConstraint(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.lax.with_sharding_constraint", "jax.device_put", "jax.sharding.reshard", "jax.lax.pcast", "jax.lax.pvary",
		"equinox.filter_shard", "flax.linen.with_logical_constraint") {
		x := e.Arg(0, "x")
		if !e.Stmt || len(e.Handled) > 0 /* tried for its error */ || len(e.Pos)+len(e.Kw) < 2 || x == nil {
			continue
		}
		name, operand := lastName(e.Name), x.At
		f := analyzers.Finding{}
		if !assignable(operand) || madeByReading(p.Facts(), operand) {
			f.Message = fmt.Sprintf("the result of %s(%s, ...) is dropped, so nothing is placed: the function returns a new array", name, shortText(operand.Text()))
			out.report(e.At, f)
			continue
		}
		target := operand.Text()
		f.Message = fmt.Sprintf("the result of %s is dropped, so %s keeps its layout; write %s = %s(...)", name, target, target, e.Fn.Text())
		safety := analyzers.Unsafe
		if name == "with_sharding_constraint" || name == "with_logical_constraint" {
			safety = analyzers.Safe
		}
		f.Fixes = []analyzers.Fix{{Title: fmt.Sprintf("Assign the result to %s", target), Safety: safety, Edits: []analyzers.Edit{inserted(e.At, target+" = ")}}}
		out.report(e.At, f)
	}
}

const maxShown = 40 // bytes of source shown in a message

// shortText cuts source text that is too long or too tall for a message.
func shortText(s string) string {
	for i := range s {
		if s[i] == '\n' || i >= maxShown {
			return s[:i] + "…"
		}
	}
	return s
}
