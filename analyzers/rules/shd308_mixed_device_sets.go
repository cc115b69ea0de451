package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd308() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD308", Name: "mixed-device-sets", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "an array bound to one device meets one that is spread over a mesh",
		Doc: analyzers.Documentation{
			Finds:   "An operation, outside of jit or as the call of a jitted function, on one array that device_put bound to a single device and another that is placed on a mesh of several. Arrays that were never placed follow the others, also under jax.default_device.",
			Matters: "It raises ValueError: the devices are incompatible.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
x = jax.device_put(jnp.ones((8, 4)), rows)
table = jax.device_put(jnp.ones(4), jax.devices()[0])
y = x + table
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
x = jax.device_put(jnp.ones((8, 4)), rows)
table = jax.device_put(jnp.ones(4), NamedSharding(mesh, P()))
y = x + table
`,
			FixSafety: "The fix puts the array on the whole mesh, replicated, where a device was named, if the mesh has a name there. It is unsafe: elsewhere it may meet arrays of that one device.",
			Ignore:    "Never: the operation raises.",
		},
		Needles:  []string{"device_put"},
		Requires: [][]string{meshNeedles(), layoutNeedles()},
		Check:    checkDeviceSets,
	}
}

func checkDeviceSets(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		if e.Region.Traced() || !strings.HasPrefix(e.Name, "op.") && e.Name != "call.jit" && !strings.HasPrefix(e.Name, "jax.numpy.") {
			continue
		}
		var single, spread string
		var bound, other, first *flow.Array
		args := append(append([]flow.Arg{}, e.Pos...), e.Kw...)
		if e.Recv != nil {
			args = append(args, flow.Arg{Value: e.Recv})
		}
		for _, a := range args {
			for path, l := range flow.LeafPaths(a.Value) {
				array, ok := l.(*flow.Array)
				if !ok || array.Commit != flow.Committed || array.Sharding == nil {
					continue
				}
				switch {
				case array.Sharding.Kind == "jax.sharding.SingleDeviceSharding":
					single, bound = operandName(array, a, path), array
				case array.Sharding.Mesh != nil && array.Sharding.Spec != nil && wideAxes(array.Sharding.Mesh) > 0:
					if first != nil && apart(first.Sharding.Mesh, array.Sharding.Mesh) && e.Name != "call.jit" {
						out.report(e.At, analyzers.Finding{Message: fmt.Sprintf("%s lives on the devices of %s and %s on those of %s; place both on one mesh", spread, first.Sharding.Mesh.Label(), operandName(array, a, path), array.Sharding.Mesh.Label())})
					}
					spread, other = operandName(array, a, path), array
					if first == nil {
						first = array
					}
				}
			}
		}
		if single != "" && spread != "" {
			out.report(e.At, analyzers.Finding{
				Message: fmt.Sprintf("%s lives on one device and %s on a mesh; place %s with NamedSharding(mesh, P()) instead", single, spread, single),
				Fixes:   onWholeMesh(p.Facts(), bound, other.Sharding.Mesh),
			})
		}
	}
}

// apart reports whether two meshes are known to hold different devices. Jitted calls with such arguments are SHD107.
func apart(a, b *flow.Mesh) bool {
	same, known := a.Devices.SameOrder(b.Devices)
	return known && !same
}

// onWholeMesh replaces the device that an array was put on by a mesh, on which it is replicated.
func onWholeMesh(facts *flow.Facts, a *flow.Array, mesh *flow.Mesh) []analyzers.Fix {
	if a.Made == nil || a.Made.Name != "jax.device_put" {
		return nil
	}
	device := a.Made.Arg(1, "device")
	if device == nil || !device.At.Valid() || !a.Made.At.Contains(device.At) || handedInWithin(device.At) {
		return nil
	}
	text := replicatedText(facts, mesh, device.At)
	if text == "" {
		return nil
	}
	return fixOf("Replicate it over the mesh", analyzers.Unsafe, replaced(device.At, text))
}

// operandName is an operand in a message: its name, for a leaf of a tree with its path there.
func operandName(a *flow.Array, arg flow.Arg, path string) string {
	if _, one := arg.Value.(*flow.Array); !one && assignable(arg.At) {
		return arg.At.Text() + path
	}
	if a.Label != "" {
		return a.Label
	}
	if text := arg.At.Text(); text != "" {
		return text
	}
	return "an operand"
}
