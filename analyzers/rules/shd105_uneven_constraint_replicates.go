package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd105() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD105", Name: "uneven-constraint-replicates", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a constraint that does not divide the array leaves the result replicated",
		Doc: analyzers.Documentation{
			Finds: "with_sharding_constraint inside a jitted function on a dimension that is no multiple of its shards, where the constrained value is what the function returns, alone or in a container.",
			Matters: "Inside jit JAX accepts an uneven constraint and pads. A value that leaves the function in an uneven layout is replicated instead, silently: every device holds all of it " +
				"(a table of 1021 × 16 over 8 devices takes 8 times the memory; measured on JAX 0.4.35, 0.6.2 and 0.10.2).",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


@jax.jit
def make_table(key):
    table = jax.random.normal(key, (1021, 16))
    return jax.lax.with_sharding_constraint(table, NamedSharding(mesh, P("model")))


table = make_table(jax.random.key(0))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


@jax.jit
def make_table(key):
    table = jax.random.normal(key, (1024, 16))
    return jax.lax.with_sharding_constraint(table, NamedSharding(mesh, P("model")))


table = make_table(jax.random.key(0))
`,
			FixSafety: "The fix changes the number that the array's shape names, where it is written in the call that makes the array or as a constant; the alternative pads the array at the constraint. Both are unsafe: " +
				"everything else that uses the constant, or the array, sees the new size.",
			Ignore: "When the result is small or replication is wanted.",
		},

		Requires: [][]string{meshNeedles(), layoutNeedles(), jitNeedles()},
		Check:    checkUnevenConstraint,
	}
}

func checkUnevenConstraint(p *analyzers.Pass) {
	facts := p.Facts()
	returned := map[*flow.Event]bool{}
	for _, e := range facts.Named("call.jit", "call.pjit") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Arg(-1, "out_shardings") != nil {
			continue
		}
		leaves, _ := flow.Leaves(e.Body)
		for _, l := range leaves {
			if a, isArray := l.(*flow.Array); isArray && a.Made != nil {
				returned[a.Made] = true
			}
		}
	}
	out := newOnce(p)
	for _, pl := range facts.Placements {
		if pl.Kind != flow.PlaceConstraint || !returned[pl.Event] || pl.Event.Region.InManual() != nil || !pl.Event.Region.UnderJit() {
			continue
		}
		if u, ok := unevenDim(pl); ok {
			out.report(pl.At, analyzers.Finding{
				Message: fmt.Sprintf("dimension %d of %s has size %d, which does not divide into the %d shards of %s: the value leaves the jitted function replicated; make it %d",
					u.dim, named(pl.Array, pl.Path), u.size, u.shards, u.entry, u.padded()),
				Fixes: evenFixes(facts, pl, u),
			})
		}
	}
}

// evenFixes makes the dimension a multiple of its shards: in the shape that the array is made with, or by padding.
func evenFixes(facts *flow.Facts, pl *flow.Placement, u uneven) []analyzers.Fix {
	var fixes []analyzers.Fix
	if operand, ok := pl.Event.Value(0, "x").(*flow.Array); ok && pl.Path == "" {
		fixes = sizeFix(operand.Made, u, operand.Rank())
	}
	return append(fixes, padFix(facts, pl, u)...)
}
