package rules

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd107() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD107", Name: "second-mesh-in-program", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "two meshes with another order or set of devices meet in one computation",
		Doc: analyzers.Documentation{
			Finds: "Arrays, or an array and a constraint, of one jitted call whose meshes are built from the same device list in another order (reversed, transposed) or from different parts of it. " +
				"Meshes of another shape over the same order are fine and are not reported.",
			Matters: "JAX raises ValueError, \"Received incompatible devices for jitted computation\".",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
train = Mesh(devices.reshape(4, 2), ("data", "model"))
sample = Mesh(devices[::-1], ("batch",))
w = jax.device_put(jnp.ones((16, 8)), NamedSharding(train, P(None, "model")))
x = jax.device_put(jnp.ones((8, 16)), NamedSharding(sample, P("batch")))
y = jax.jit(jnp.dot)(x, w)
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
train = Mesh(devices.reshape(4, 2), ("data", "model"))
sample = Mesh(train.devices.reshape(-1), ("batch",))
w = jax.device_put(jnp.ones((16, 8)), NamedSharding(train, P(None, "model")))
x = jax.device_put(jnp.ones((8, 16)), NamedSharding(sample, P("batch")))
y = jax.jit(jnp.dot)(x, w)
`,
			FixSafety: "The fix builds the second mesh from the devices of the first. It is unsafe because it moves data of the second mesh to other devices.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{meshNeedles(), layoutNeedles(), jitNeedles()},
		Check:    checkSecondMesh,
	}
}

func checkSecondMesh(p *analyzers.Pass) {
	facts := p.Facts()
	out := newOnce(p)
	first := map[*flow.Event]*flow.Mesh{} // the mesh of a jitted call's arguments
	for _, e := range facts.Named("call.jit", "call.pjit") {
		if e.Region.Traced() {
			continue
		}
		var meshes []*flow.Mesh
		for _, list := range [2][]flow.Arg{e.Pos, e.Kw} {
			for _, a := range list {
				leaves, _ := flow.Leaves(a.Value)
				for _, l := range leaves {
					if x, ok := l.(*flow.Array); ok && x.Sharding != nil && x.Sharding.Mesh != nil {
						meshes = append(meshes, x.Sharding.Mesh)
					}
				}
			}
		}
		if len(meshes) == 0 {
			continue
		}
		first[e] = meshes[0]
		for _, m := range meshes[1:] {
			if otherOrder(meshes[0], m) {
				out.report(e.At, secondMesh(meshes[0], m))
				break
			}
		}
	}
	for _, pl := range facts.Placements {
		if pl.Kind != flow.PlaceConstraint || pl.Mesh == nil {
			continue
		}
		jit := pl.Event.Region.Find(flow.JitRegion)
		if jit == nil || jit.Call == nil || first[jit.Call] == nil || !otherOrder(first[jit.Call], pl.Mesh) {
			continue
		}
		out.report(pl.At, secondMesh(first[jit.Call], pl.Mesh))
	}
}

func otherOrder(a, b *flow.Mesh) bool {
	same, known := a.Devices.SameOrder(b.Devices)
	return known && !same
}

func secondMesh(a, b *flow.Mesh) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("%s and %s hold their devices in another order or hold other devices, and one computation cannot use both; build one from the other's devices, Mesh(%s.devices.reshape(...), ...)",
		madeAs(a), madeAs(b), cmp.Or(a.Name, "mesh"))}
	if madeAs(a) == madeAs(b) { // neither has a name
		f.Message = "the arrays lie on two meshes that hold their devices in another order or hold other devices, and one computation cannot use both; build one from the other's devices, " +
			"Mesh(mesh.devices.reshape(...), ...)"
	}
	for _, m := range []*flow.Mesh{a, b} {
		if m.At.Valid() {
			f.Related = append(f.Related, analyzers.Related{Span: spanOf(m.At), Message: madeAs(m) + " is made here"})
		}
	}
	for _, pair := range [2][2]*flow.Mesh{{a, b}, {b, a}} {
		if f.Fixes = sameDevices(pair[0], pair[1]); f.Fixes != nil {
			break
		}
	}
	return f
}

// madeAs is a mesh by its name, or by the call that made it where that is short.
func madeAs(m *flow.Mesh) string {
	if text := m.At.Text(); m.Name == "" && text != "" && len(text) <= 60 && !strings.Contains(text, "\n") {
		return text
	}
	return m.Label()
}

// sameDevices makes the second mesh of the devices of the first, where the second is made behind the first, in its scope and by a call of
// Mesh.
func sameDevices(a, b *flow.Mesh) []analyzers.Fix {
	if b.Maker != "jax.sharding.Mesh" || a.Name == "" || !a.At.Valid() || !b.At.Valid() || a.At.File != b.At.File || len(b.Axes) == 0 {
		return nil
	}
	s := b.At.File.Syntax
	_, made := s.Span(a.At.Node)
	use, _ := s.Span(b.At.Node)
	symbol := s.Lookup(s.ScopeOf(b.At.Node), a.Name)
	args := s.Arguments(b.At.Node)
	if use < made || symbol == nil || len(symbol.Bindings) != 1 || len(args) == 0 || args[0].Name != "" && args[0].Name != "devices" {
		return nil
	}
	shape := "-1"
	if len(b.Axes) > 1 {
		if meshDevices(a) != meshDevices(b) {
			return nil
		}
		sizes := make([]string, len(b.Axes))
		for i, axis := range b.Axes {
			if sizes[i] = fmt.Sprint(axis.Size); axis.Size <= 0 {
				return nil
			}
		}
		shape = strings.Join(sizes, ", ")
	}
	at := flow.Ref{File: b.At.File, Node: args[0].Value}
	return fixOf("Use the devices of "+a.Name, analyzers.Unsafe, replaced(at, a.Name+".devices.reshape("+shape+")"))
}

// meshDevices is the number of devices of a mesh, -1 when unknown.
func meshDevices(m *flow.Mesh) int64 {
	n := int64(1)
	for _, a := range m.Axes {
		if a.Size <= 0 {
			return -1
		}
		n *= a.Size
	}
	return n
}
