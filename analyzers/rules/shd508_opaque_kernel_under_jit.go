package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/hlomap"
)

func shd508() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD508", Name: "opaque-kernel-under-jit", Severity: analyzers.Warning, Evidence: analyzers.FromBoth, Since: "0.1.0",
		Summary: "a kernel that the partitioner can't see into gets its operands gathered",
		Doc: analyzers.Documentation{
			Finds: "A foreign function or a hand-written kernel (ffi_call, pallas_call, Triton) under jit whose operands are sharded.",
			Matters: "The partitioner replicates the operands and runs the whole problem on each device: the result is right and takes as many times longer as there are devices. " +
				"Pallas in interpret mode leaves no trace in a CPU dump.",
			Example: `@jax.jit
def step(a):
    return jax.ffi.ffi_call("my_kernel", jax.ShapeDtypeStruct(a.shape, a.dtype))(a)
`,
			Instead: `@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def step(a):
    return jax.ffi.ffi_call("my_kernel", jax.ShapeDtypeStruct(a.shape, a.dtype))(a)
`,
			Ignore: "When the kernel needs the whole array.",
		},
		Needles:  []string{"pallas_call", "ffi_call"},
		Requires: [][]string{meshNeedles()},
		Check:    checkKernelUnderJit,
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD508", func(c *cause) analyzers.Finding {
				return c.finding(fmt.Sprintf("the kernel '%s' is opaque to the partitioner: its operands are gathered %s, %s, and every device runs the whole problem; "+
					"call it inside jax.shard_map, or give it a custom_partitioning rule", c.why[0].detail, c.over(), c.cost()))
			})
		},
	}
}

// checkKernelUnderJit reports kernels from the source alone: under jit, outside of shard_map, in a program that places arrays
// on a mesh.
func checkKernelUnderJit(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	if len(facts.Meshes) == 0 || len(facts.Named("call.custom_partitioning")) > 0 {
		return
	}
	for _, e := range facts.Named("jax.experimental.pallas.pallas_call", "jax.ffi.ffi_call", "jax.extend.ffi.ffi_call") {
		jit := e.Region.Find(flow.JitRegion)
		if jit == nil || nothingSpread(facts, jit.Call) || e.Region.InManual() != nil || !shardsSomething(facts) && len(facts.Meets) == 0 || calledInManual(facts, e) {
			continue
		}
		out.report(e.At, analyzers.Finding{
			Evidence: analyzers.FromSource,
			Message:  fmt.Sprintf("%s is opaque to the partitioner: under jit its sharded operands are gathered and every device runs the whole problem; call it inside jax.shard_map", lastName(e.Name)),
		})
	}
}

// nothingSpread reports whether a call of jit is known to get no array that is spread over devices, and makes none.
func nothingSpread(facts *flow.Facts, call *flow.Event) bool {
	if call == nil {
		return false
	}
	t, ok := call.Callee.(*flow.Transformed)
	if !ok || t.Value(1, "in_shardings") != nil || call.Splat || constrainedInside(facts, call) {
		return false
	}
	for _, a := range append(call.Pos[:len(call.Pos):len(call.Pos)], call.Kw...) {
		leaves, complete := flow.Leaves(a.Value)
		if !complete {
			return false
		}
		for _, l := range leaves {
			if array, ok := flow.AsArray(l); !ok || !array.Host && array.Commit != flow.Fresh {
				return false
			}
		}
	}
	return true
}

// calledInManual reports whether a kernel that was made here is called in a manual region, as one made outside of the body may be.
func calledInManual(facts *flow.Facts, made *flow.Event) bool {
	for _, call := range facts.Named(made.Name + ".__call__") {
		if o, ok := call.Recv.(*flow.Object); ok && o.Made == made && call.Region.InManual() != nil {
			return true
		}
	}
	return false
}

// explainOpaque matches the all-gather in front of a custom call that is neither XLA's own nor a callback.
func explainOpaque(x *exchange) *why {
	op := x.blockedBy(opaque)
	if op == hlomap.NoInstr {
		return nil
	}
	return &why{frames: x.Frames, primitive: x.primitive, detail: x.graph.CustomCallTarget(op)}
}

// foreign reports whether a primitive calls a kernel by the name that the user gives, be it one of JAX's own.
func foreign(primitive string) bool {
	switch primitive {
	case "ffi_call", "pallas_call", "triton_kernel_call", "tpu_custom_call", "mosaic_gpu", "mosaic_gpu_p":
		return true
	}
	return false
}

// opaque reports whether an instruction calls code that the user brought.
func opaque(g evidence.Graph, i hlomap.InstrID) bool {
	if g.Op(i) != hlomap.OpCustomCall {
		return false
	}
	target := g.CustomCallTarget(i)
	if target == "" || callback(g, i) {
		return false
	}
	if foreign(g.Primitive(i)) {
		return true
	}
	if linearAlgebra(target) || sorts(g, i) {
		return false
	}
	// A typed FFI handler that does not carry a name of XLA's or JAX's own.
	version, _ := g.M.InstrAttr(i, "api_version")
	return version == "API_VERSION_TYPED_FFI" && !strings.HasPrefix(target, "xla") && !strings.HasPrefix(target, "__") && !strings.HasPrefix(target, "cu_") &&
		!strings.HasPrefix(target, "cusparse") && !strings.HasPrefix(target, "hip")
}
