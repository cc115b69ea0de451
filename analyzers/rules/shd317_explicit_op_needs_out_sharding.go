package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd317() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD317", Name: "explicit-op-needs-out-sharding", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ShardingTypeError"},
		JAX:     analyzers.Releases{From: "0.6.2"},
		Summary: "an operation on Explicit axes has no unique output sharding",
		Doc: analyzers.Documentation{
			Finds: "A product that contracts two dimensions sharded over the same Explicit axis, a lookup with a sharded index or table, an update of a sharded dimension by .at (JAX 0.10.2), and a reshape that merges a sharded dimension behind another or splits it below its shards, without out_sharding. " +
				"Also what no out_sharding helps: an operation of each element whose operands shard one dimension over different axes, an index or slice that leaves of a sharded dimension what its shards don't divide, a roll that cuts such a dimension, " +
				"a sort, cumsum or top_k along a sharded dimension (JAX 0.10.2), and a scan or map over one.",
			Matters: "It raises ShardingTypeError when it is traced: JAX does not choose between the possible outputs. Which operations do was measured with 55 of them on JAX 0.6.2 and 0.10.2.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
x = jax.device_put(jnp.ones((8, 16)), jax.sharding.NamedSharding(mesh, P("data", "model")))
w = jax.device_put(jnp.ones((16, 32)), jax.sharding.NamedSharding(mesh, P("model", None)))
y = jnp.matmul(x, w)
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
x = jax.device_put(jnp.ones((8, 16)), jax.sharding.NamedSharding(mesh, P("data", "model")))
w = jax.device_put(jnp.ones((16, 32)), jax.sharding.NamedSharding(mesh, P("model", None)))
y = jnp.matmul(x, w, out_sharding=P("data", None))
`,
			FixSafety: "The fix passes out_sharding: for a product the axes of what is left of the operands, for a lookup those of the index and of the row, for a reshape the merged dimension whole on every device, or sharded where it divides. An operator becomes jnp.matmul, an index .at[...].get. It is unsafe: another layout may be meant.",
			Ignore:    "Never: the call raises.",
		},
		Needles:  []string{"Explicit", "make_mesh"},
		Requires: [][]string{meshNeedles()},
		Check:    checkExplicitOps,
	}
}

func checkExplicitOps(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 6, 2) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		if e.Guarded || e.Region.Find(flow.AxesRegion, flow.ManualRegion) != nil {
			continue
		}
		c := conflictOf(e, p.JAX)
		if c == nil || c.mesh.ImplicitTypes {
			continue
		}
		advice := "pass out_sharding"
		if e.Name == "op.getitem" {
			advice = "write .at[...].get(out_sharding=...)"
		}
		message := fmt.Sprintf("%s has no unique output sharding on Explicit axes and raises ShardingTypeError; %s", c.what, advice)
		if c.advice != "" {
			message = fmt.Sprintf("%s raises on Explicit axes; %s", c.what, c.advice)
		}
		out.report(e.At, analyzers.Finding{Message: message, Fixes: outShardingFixes(p.Facts(), e, c)})
	}
}

// outShardingFixes gives an operation each of the output shardings that JAX takes.
func outShardingFixes(facts *flow.Facts, e *flow.Event, c *conflict) []analyzers.Fix {
	var texts []string
	for _, spec := range c.results {
		text := ""
		if e.Context.New != nil {
			text = specSource(spec, e.At)
		} else if e.Context.NewKnown {
			text = layoutText(facts, c.mesh, spec, e.At)
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return alternatives("Ask for the output as", texts, func(text string) []analyzers.Edit { return withOutSharding(e, "out_sharding="+text) })
}

// withOutSharding passes out_sharding to an operation, which becomes a call where it is an operator or an index.
func withOutSharding(e *flow.Event, argument string) []analyzers.Edit {
	s := e.At.File.Syntax
	matmul, jit := spelling(e.At.File.Syntax, "jax.numpy.matmul"), s.Callee(e.At.Node)
	switch {
	case isKind(e.At, pyparse.KindBinaryOperator):
		if matmul == "" {
			return nil
		}
		left, right := s.Text(s.Child(e.At.Node, pyparse.FieldLeft)), s.Text(s.Child(e.At.Node, pyparse.FieldRight))
		return []analyzers.Edit{replaced(e.At, fmt.Sprintf("%s(%s, %s, %s)", matmul, left, right, argument))}
	case isKind(e.At, pyparse.KindSubscript):
		table := flow.Ref{File: e.At.File, Node: s.Child(e.At.Node, pyparse.FieldValue)}
		if !table.Valid() {
			return nil
		}
		return []analyzers.Edit{appended(table, ".at"), appended(e.At, ".get("+argument+")")}
	case s.Is(jit, pyparse.KindCall): // jit(jnp.matmul)(x, w)
		args := s.Arguments(jit)
		function := flow.Ref{File: e.At.File}
		if len(args) == 0 || args[0].Kind != pyparse.Positional || len(s.Arguments(e.At.Node)) != 2 {
			return nil
		}
		function.Node = args[0].Value
		if !isKind(function, pyparse.KindIdentifier, pyparse.KindAttribute) {
			return nil
		}
		return []analyzers.Edit{replaced(function, fmt.Sprintf("lambda a, b: %s(a, b, %s)", function.Text(), argument))}
	}
	edits, _ := withOwnArgument(e, argument)
	return edits
}
