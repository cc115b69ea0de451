package rules

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd909() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD909", Name: "custom-partitioning-without-rule", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.7.0"},
		Summary: "custom_partitioning has callbacks but no sharding_rule",
		Doc: analyzers.Documentation{
			Finds:   "def_partition without sharding_rule on a function that custom_partitioning made. Files that switch Shardy off are left alone.",
			Matters: "With Shardy, the default since JAX 0.7.0, compiling the function raises NotImplementedError, also on one device. sharding_rule exists since 0.5.0.",
			Example: `import jax
from jax.experimental.custom_partitioning import custom_partitioning


@custom_partitioning
def scale(x):
    return x * 2


scale.def_partition(
    infer_sharding_from_operands=lambda mesh, args, result: args[0].sharding,
    partition=lambda mesh, args, result: (mesh, scale, args[0].sharding, (args[0].sharding,)))
`,
			Instead: `import jax
from jax.experimental.custom_partitioning import custom_partitioning


@custom_partitioning
def scale(x):
    return x * 2


scale.def_partition(
    infer_sharding_from_operands=lambda mesh, args, result: args[0].sharding,
    partition=lambda mesh, args, result: (mesh, scale, args[0].sharding, (args[0].sharding,)),
    sharding_rule="i j -> i j")
`,
			FixSafety: "Where infer_sharding_from_operands hands on the sharding of the only array, the fix writes the rule that says so for any rank, \"... -> ...\". It is unsafe because what the function computes is not looked at.",
			Ignore:    "While the program switches Shardy off by other means than this file.",
		},
		Needles: []string{"def_partition"},
		Check:   checkPartitioningRule,
	}
}

func checkPartitioningRule(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 7, 0) {
		return
	}
	facts, out := p.Facts(), newOnce(p)
	for _, e := range facts.Events {
		if switchesShardyOff(e) != "" {
			return
		}
	}
	for _, e := range facts.Named("jax.custom_partitioning.def_partition") {
		if e.Value(-1, "sharding_rule") == nil && !e.Guarded && !e.Splat {
			out.report(e.At, analyzers.Finding{
				Message: "def_partition without sharding_rule raises NotImplementedError since JAX 0.7.0, where Shardy partitions; add a rule such as sharding_rule=\"i j -> i j\"",
				Fixes:   ruleOfInfer(e),
			})
		}
	}
}

// ruleOfInfer writes the rule of an operation of one array whose result gets the sharding of that array: that is what
// infer_sharding_from_operands says, for any rank.
func ruleOfInfer(e *flow.Event) []analyzers.Fix {
	infer, ok := e.Value(-1, "infer_sharding_from_operands").(*flow.Func)
	if !ok || operands(e.Recv) != 1 {
		return nil
	}
	inferred := returned(infer)
	takes := false
	for _, p := range infer.Params {
		takes = takes || inferred.Text() == p.Name+"[0].sharding"
	}
	if !takes {
		return nil
	}
	edits, ok := withArgument(e.At, "sharding_rule="+quoted(e.At.File, "... -> ..."))
	if !ok {
		return nil
	}
	return fixOf("Add the rule that infer_sharding_from_operands follows", analyzers.Unsafe, edits...)
}

// operands is the number of arrays that a custom_partitioning takes, -1 when unknown.
func operands(v flow.Value) int {
	static := 0
	if t, ok := v.(*flow.Transformed); ok {
		if arg := t.Value(1, "static_argnums"); arg != nil {
			elems, complete, isSequence := flow.Elements(arg)
			if static = len(elems); !isSequence || !complete {
				static = 1
			}
		}
		v = t.Fn
	}
	f, ok := v.(*flow.Func)
	if !ok {
		return -1
	}
	for _, p := range f.Params {
		if p.Kind == flow.VarArgs || p.Kind == flow.VarKwargs {
			return -1
		}
	}
	return len(f.Params) - static
}
