package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd206() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD206", Name: "vma-check-disabled", Severity: analyzers.Info, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "shard_map runs without the check of what differs between devices",
		Doc: analyzers.Documentation{
			Finds: "check_vma=False, or check_rep=False of the older function, around a body that is more than one Pallas or FFI kernel.",
			Matters: "The check proves that what out_specs call replicated is the same on every device, and it makes gradients right without collectives written by hand. Without it a forgotten psum gives the value of one shard, " +
				"and the backward pass reduces over every axis that a spec leaves out.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P(), check_vma=False)
def total(x):
    return jax.lax.psum(jnp.sum(x), "data")
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P(), check_vma=True)
def total(x):
    return jax.lax.psum(jnp.sum(x), "data")
`,
			FixSafety: "The fix turns the check on. In a checked body JAX sums gradients itself (since 0.6.1), so the fix also drops a psum of a gradient, or moves its pmean into the differentiated function; where it cannot, there is no fix. " +
				"It is unsafe: the body may turn out not to pass the check.",
			Ignore: "Around code that the check cannot see into: kernels, and functions that carry no replication rule.",
		},
		Needles: []string{"check_vma", "check_rep"},
		Check:   checkDisabled,
	}
}

func checkDisabled(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, m := range facts.Manuals {
		if m.Kind != "shard_map" || m.CheckArg == nil || m.Checked != flow.No || mayHoldKernel(facts, m) {
			continue
		}
		name := m.CheckArg.Name
		if name == "" {
			name = "check_rep"
		}
		out.report(m.CheckArg.At, analyzers.Finding{
			Message: fmt.Sprintf("%s=False switches off the proof that replicated outputs agree, and makes gradients need collectives by hand; write %s=True unless the body is a kernel", name, name),
			Fixes:   checkedAgain(facts, m),
		})
	}
}

// checkedAgain turns the check on. Gradients are summed by JAX then (since 0.6.1), so reductions of gradients in the body change along with
// it; where one cannot, there is no fix.
func checkedAgain(facts *flow.Facts, m *flow.ManualCall) []analyzers.Fix {
	check := m.CheckArg.Written()
	if isKind(flow.Ref{File: check.File, Node: check.File.Syntax.Parent(check.Node)}, pyparse.KindDictionarySplat) {
		return nil
	}
	edits := []analyzers.Edit{replaced(check, "True")}
	seen := map[flow.Ref]bool{}
	for _, e := range facts.Named("jax.lax.psum", "jax.lax.pmean", "jax.lax.psum_scatter") {
		r := e.Region.InManual()
		if r == nil || r.Map != m || seen[e.At] {
			continue
		}
		for _, a := range gradientsIn(e) {
			if a.Grad.Region != r || a.Grad.Forward || lastName(e.Name) == "pmean" && len(axesOf(e)) == 1 && reducedInside(a.Grad, axesOf(e)[0]) {
				continue
			}
			if of := a.Grad.Of; of == nil || !of.VarKnown || len(of.Var) > 0 {
				return nil // JAX sums over the other axes only
			}
			_, more := meanInside(e, a.Grad)
			if more == nil {
				return nil
			}
			seen[e.At] = true
			edits = append(edits, more...)
			break
		}
	}
	return fixOf("Turn the check on", analyzers.Unsafe, edits...)
}

// mayHoldKernel reports whether the body calls a kernel, or something that cannot be seen into and may be one.
func mayHoldKernel(facts *flow.Facts, m *flow.ManualCall) bool {
	for _, file := range [...]*flow.File{facts.Main, m.CheckArg.At.File} {
		if file != nil && bytes.Contains(file.Syntax.Source, []byte("pallas")) {
			return true // its kernels hide behind wrappers of any name
		}
	}
	for _, e := range facts.Events {
		r := e.Region.InManual()
		if r == nil || r.Map != m {
			continue
		}
		for _, kernel := range [...]string{"jax.experimental.pallas", "jax.ffi.", "jax.extend.ffi"} {
			if strings.HasPrefix(e.Name, kernel) {
				return true
			}
		}
	}
	for _, run := range m.Calls {
		if !understood(run.Result) {
			return true
		}
	}
	return len(m.Calls) == 0
}

// understood reports whether a result is made of arrays and plain values alone.
func understood(v flow.Value) bool {
	var parts []flow.Value
	switch x := v.(type) {
	case *flow.Array, flow.Int, flow.Float, flow.None:
		return true
	case *flow.Tuple:
		if x.Open {
			return false
		}
		parts = x.Elems
	case *flow.List:
		if x.Open {
			return false
		}
		parts = x.Elems
	case *flow.Dict:
		if x.Open {
			return false
		}
		parts = x.Vals
	default:
		return false
	}
	for _, part := range parts {
		if !understood(part) {
			return false
		}
	}
	return true
}
