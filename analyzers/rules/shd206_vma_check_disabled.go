package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
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
			FixSafety: "The fix turns the check on. It is unsafe because gradients then come out summed, and code that fails the check raises.",
			Ignore:    "Around code that the check cannot see into: kernels, and functions that carry no replication rule.",
		},
		Needles: []string{"check_vma", "check_rep"},
		Check:   checkDisabled,
	}
}

func checkDisabled(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, m := range facts.Manuals {
		if m.Kind != "shard_map" || m.CheckArg == nil || m.Checked != flow.No || onlyKernel(facts, m) {
			continue
		}
		name := m.CheckArg.Name
		if name == "" {
			name = "check_rep"
		}
		out.report(m.CheckArg.At, analyzers.Finding{
			Message: fmt.Sprintf("%s=False switches off the proof that replicated outputs agree, and makes gradients need collectives by hand; write %s=True unless the body is a kernel", name, name),
			Fixes:   fixOf("Turn the check on", analyzers.Unsafe, replaced(m.CheckArg.At, "True")),
		})
	}
}

// onlyKernel reports whether the body does nothing but call kernels.
func onlyKernel(facts *flow.Facts, m *flow.ManualCall) bool {
	kernel := false
	for _, e := range facts.Events {
		r := e.Region.InManual()
		if r == nil || r.Map != m {
			continue
		}
		switch {
		case strings.HasPrefix(e.Name, "jax.experimental.pallas"), strings.HasPrefix(e.Name, "jax.ffi.ffi_call"), strings.HasPrefix(e.Name, "jax.extend.ffi"):
			kernel = true
		case strings.HasPrefix(e.Name, "op."), strings.HasPrefix(e.Name, "jax.lax."), strings.HasPrefix(e.Name, "jax.numpy."), strings.HasPrefix(e.Name, "call.grad"),
			strings.HasPrefix(e.Name, "jax.Array."), strings.HasPrefix(e.Name, "jax.nn."):
			return false
		}
	}
	return kernel
}
