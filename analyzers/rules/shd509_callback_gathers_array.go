package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

func shd509() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD509", Name: "callback-gathers-array", Severity: analyzers.Info, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a debug print or callback gathers a sharded array",
		Doc: analyzers.Documentation{
			Finds: "jax.debug.print, jax.debug.callback, pure_callback or io_callback that is given a sharded array under jit.",
			Matters: "Under jit a callback gets the whole logical value, so the array is gathered on one device each time the line runs (JAX 0.10.2 also logs a misleading " +
				"\"involuntary full rematerialization\" to {maximal device=0}). Scalars and reductions cost next to nothing.",
			Example: `@jax.jit
def step(x):
    h = jnp.sin(x)
    jax.debug.print("h {}", h)
    return h * 2
`,
			Instead: `@jax.jit
def step(x):
    h = jnp.sin(x)
    jax.debug.print("h {}", h.mean())
    return h * 2
`,
			Ignore: "While debugging.",
		},
		CheckDump: func(p *analyzers.DumpPass) {
			each(p, "SHD509", func(c *cause) analyzers.Finding {
				array := "the array"
				if name := printed(c.place.Expression); name != "" {
					array = "'" + name + "'"
				}
				return c.finding(fmt.Sprintf("this callback gathers %s on one device, %s %s; give it a reduction of the array (mean, norm), or call it inside a shard_map",
					array, c.cost(), c.over()))
			})
		},
	}
}

// explainCallback matches the all-gather of what a host callback is given.
func explainCallback(x *exchange) *why {
	if x.blockedBy(callback) == hlomap.NoInstr {
		return nil
	}
	return &why{frames: x.Frames, primitive: x.primitive}
}

// callback reports whether an instruction hands a value to Python on the host.
func callback(g evidence.Graph, i hlomap.InstrID) bool {
	switch g.Op(i) {
	case hlomap.OpCustomCall:
		if strings.Contains(g.CustomCallTarget(i), "callback") {
			return true
		}
	case hlomap.OpSend, hlomap.OpOutfeed: // TPU sends to the host
	default:
		return false
	}
	switch g.Primitive(i) {
	case "debug_print", "debug_callback", "pure_callback", "io_callback", "outside_call":
		return true
	}
	return false
}

// printed returns the text of the first array argument of a call of jax.debug.print or a callback.
func printed(e link.Expression) string {
	if e.Callee() == "" {
		return ""
	}
	first := 1
	if callee := e.Callee(); callee == "io_callback" || callee == "pure_callback" {
		first = 2 // the shapes of the results stand behind the function
	}
	for k, a := range e.File.Arguments(e.Node) {
		if k >= first && (a.Kind == pyparse.Positional || a.Kind == pyparse.Keyword && !callbackOption(a.Name)) {
			return e.File.Text(a.Value)
		}
	}
	return ""
}

// callbackOption reports whether a keyword of jax.debug.print or a callback is no array that it hands over (JAX 0.4 to 0.10).
func callbackOption(name string) bool {
	switch name {
	case "ordered", "vectorized", "vmap_method", "sharding", "result_shape_dtypes", "partitioned", "skip_format_check":
		return true
	}
	return false
}
