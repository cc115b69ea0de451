package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd109() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD109", Name: "multislice-needs-hybrid-mesh", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.8.1"},
		Summary: "make_mesh is used for devices of several slices",
		Doc: analyzers.Documentation{
			Finds: "jax.make_mesh whose shape or devices depend on the number of slices (slice_index, num_slices, a dcn_* setting), outside of a branch that tests for one slice.",
			Matters: "make_mesh refuses devices of several slices: on TPU in every release tried, on GPU with a ValueError since 0.10.2 (older releases accepted). On one slice nothing is wrong, " +
				"so the program fails when it is scaled up. mesh_utils.create_hybrid_device_mesh puts the slow network on the axis that is meant for it.",
			Example: `import jax

num_slices = len({d.slice_index for d in jax.devices()})
mesh = jax.make_mesh((num_slices, 4), ("replica", "model"))
`,
			Instead: `import jax
from jax.experimental import mesh_utils
from jax.sharding import Mesh

num_slices = len({d.slice_index for d in jax.devices()})
mesh = Mesh(mesh_utils.create_hybrid_device_mesh((1, 4), (num_slices, 1)), ("replica", "model"))
`,
			Ignore: "When the number is always 1.",
		},
		Needles: []string{"make_mesh"},
		Check:   checkMultislice,
	}
}

func checkMultislice(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 8, 1) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.make_mesh") {
		for _, a := range []*flow.Arg{e.Arg(0, "axis_shapes", "axis_sizes"), e.Arg(-1, "devices")} {
			if a == nil || !a.At.Valid() {
				continue
			}
			name := sliceName(a.At.File.Syntax, a.At.Node)
			if name == "" || underSliceTest(e.At) {
				continue
			}
			out.report(e.At, analyzers.Finding{Confidence: analyzers.Likely, Message: fmt.Sprintf("the mesh depends on %s, and jax.make_mesh refuses devices of several slices (JAX %s); build the devices with mesh_utils.create_hybrid_device_mesh(ici_shape, dcn_shape)", name, p.JAX)})
		}
	}
}

// sliceName finds a name in an expression, or in what its names were assigned, that speaks of slices. Python's own slice
// objects and functions called slice do not count.
func sliceName(f *pyparse.File, n pyparse.NodeID) string {
	found := ""
	mentions(f, n, 0, func(name string) bool {
		if name == "num_slices" || name == "slice_index" || strings.HasPrefix(name, "dcn_") {
			found = name
		}
		return found != ""
	})
	return found
}

// underSliceTest reports whether a test on the number of slices surrounds the call.
func underSliceTest(at flow.Ref) bool {
	f := at.File.Syntax
	for n := range f.Ancestors(at.Node) {
		if f.Is(n, pyparse.KindIfStatement, pyparse.KindConditionalExpression) {
			cond := f.Child(n, pyparse.FieldCondition)
			if cond == pyparse.None {
				cond = n
			}
			if sliceName(f, cond) != "" {
				return true
			}
		}
	}
	return false
}
