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
			Ignore: "Never: the operation raises.",
		},
		Needles: []string{"device_put"},
		Check:   checkDeviceSets,
	}
}

func checkDeviceSets(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		if e.Region.Traced() || !strings.HasPrefix(e.Name, "op.") && e.Name != "call.jit" && !strings.HasPrefix(e.Name, "jax.numpy.") {
			continue
		}
		var single, spread string
		args := append(append([]flow.Arg{}, e.Pos...), e.Kw...)
		if e.Recv != nil {
			args = append(args, flow.Arg{Value: e.Recv})
		}
		for _, a := range args {
			leaves, _ := flow.Leaves(a.Value)
			for _, l := range leaves {
				array, ok := l.(*flow.Array)
				if !ok || array.Commit != flow.Committed || array.Sharding == nil {
					continue
				}
				switch {
				case array.Sharding.Kind == "jax.sharding.SingleDeviceSharding":
					single = operandName(array, a)
				case array.Sharding.Mesh != nil && array.Sharding.Spec != nil && wideAxes(array.Sharding.Mesh) > 0:
					spread = operandName(array, a)
				}
			}
		}
		if single != "" && spread != "" {
			out.report(e.At, analyzers.Finding{Message: fmt.Sprintf("%s lives on one device and %s on a mesh; place %s with NamedSharding(mesh, P()) instead", single, spread, single)})
		}
	}
}

func operandName(a *flow.Array, arg flow.Arg) string {
	if a.Label != "" {
		return a.Label
	}
	if text := arg.At.Text(); text != "" {
		return text
	}
	return "an operand"
}
