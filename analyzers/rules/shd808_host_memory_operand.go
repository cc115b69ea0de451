package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd808() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD808", Name: "host-memory-operand", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		JAX:     analyzers.Releases{From: "0.7.1"},
		Summary: "an array in host memory meets one in device memory",
		Doc: analyzers.Documentation{
			Finds: "An operation on an array that was placed with memory kind pinned_host and one in device memory, also where both reach a jitted function as arguments; " +
				"and a pinned_host array passed to a jit whose in_shardings name device memory. Scalars may meet any array.",
			Matters: "JAX raises ValueError: 'memory_space of all inputs passed to `add` must be the same', or 'Memory kinds passed to jax.jit does not match' for in_shardings. " +
				"An offloaded state has to be moved to the device for the update, and back afterwards.",
			Example: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
host = NamedSharding(mesh, P("data"), memory_kind="pinned_host")
grads = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, P("data")))
moment = jax.device_put(np.zeros((8, 4), np.float32), host)
update = jax.jit(lambda moment, grads: 0.9 * moment + grads)
moment = update(moment, grads)
`,
			Instead: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
host = NamedSharding(mesh, P("data"), memory_kind="pinned_host")
grads = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, P("data")))
moment = jax.device_put(np.zeros((8, 4), np.float32), host)
update = jax.jit(lambda moment, grads: 0.9 * jax.device_put(moment, jax.memory.Space.Device) + grads)
moment = update(moment, grads)
`,
			FixSafety: "The fix moves the operand, or the argument of the call, to device memory first. It is safe: without it the operation raises.",
			Ignore:    "Never: the call raises.",
		},
		Needles:  []string{"memory_kind", "MemoryKind", "memory.Space", "jax.memory", "import memory", "pinned_host", "MemorySpace", "memory_space"},
		Requires: [][]string{{"pinned_host", ".Host"}},
		Check:    checkHostOperands,
	}
}

func checkHostOperands(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 7, 1) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		if !combines(e.Name) || e.Guarded {
			continue
		}
		host, device := -1, false
		for i, a := range e.Pos {
			x, ok := a.Value.(*flow.Array)
			if !ok || x.Rank() == 0 {
				continue
			}
			if inHostMemory(x.Memory) {
				host = i
			}
			device = device || x.Rank() > 0 && (x.Memory == "device" || isConstructor(x.Made) || x.Host && e.Region.Traced())
		}
		if host >= 0 && device {
			out.report(e.At, hostOperand(e, host))
		}
	}
	for _, place := range p.Facts().Placements {
		a := place.Array
		if place.Kind == flow.PlaceJitIn && a != nil && inHostMemory(a.Memory) && place.Shard.Memory() == "device" {
			out.report(place.Event.At, analyzers.Finding{
				Message: fmt.Sprintf("%s lies in %s memory, but in_shardings asks for device memory, and jit does not move it; device_put it first", named(a, place.Path), a.Memory),
				Fixes:   argumentPlaced(p.Facts(), place, "Move it to device memory", analyzers.Safe, devicePut(place.Event.At.File)),
			})
		}
	}
}

func inHostMemory(kind string) bool { return kind == "pinned_host" || kind == "unpinned_host" }

// combines reports whether an operation takes operands that have to be in one memory (JAX 0.10.2).
func combines(name string) bool {
	switch name {
	case "op.getitem", "op.isinstance":
		return false
	case "jax.numpy.add", "jax.numpy.subtract", "jax.numpy.multiply", "jax.numpy.divide", "jax.numpy.true_divide", "jax.numpy.matmul", "jax.numpy.dot", "jax.numpy.maximum",
		"jax.numpy.minimum", "jax.numpy.where", "jax.numpy.power", "jax.lax.add", "jax.lax.sub", "jax.lax.mul", "jax.lax.div", "jax.lax.dot", "jax.lax.max", "jax.lax.min", "jax.lax.select":
		return true
	}
	return strings.HasPrefix(name, "op.")
}

func hostOperand(e *flow.Event, i int) analyzers.Finding {
	a, _ := e.Pos[i].Value.(*flow.Array)
	at := operandNode(e, i)
	name := named(a, "")
	if at.Valid() && len(at.Text()) < 40 {
		name = at.Text()
	}
	f := analyzers.Finding{Message: fmt.Sprintf("the operand %s lies in %s memory and meets an array in device memory: JAX raises ValueError; move it first, jax.device_put(%s, jax.memory.Space.Device)",
		name, a.Memory, name)}
	moved := scaledOperand(at)
	device, put := "", ""
	if at.Valid() {
		device, put = spelling(at.File.Syntax, "jax.memory.Space.Device"), spelling(at.File.Syntax, "jax.device_put")
	}
	if isKind(moved, pyparse.KindIdentifier, pyparse.KindAttribute, pyparse.KindSubscript) && device != "" && put != "" {
		f.Fixes = fixOf("Move it to device memory", analyzers.Safe, replaced(moved, fmt.Sprintf("%s(%s, %s)", put, moved.Text(), device)))
	}
	return f
}

// scaledOperand is what stands beside the numbers in an expression that only scales one operand: moment of 0.9 * moment.
func scaledOperand(at flow.Ref) flow.Ref {
	for isKind(at, pyparse.KindBinaryOperator, pyparse.KindParenthesizedExpression, pyparse.KindUnaryOperator) {
		s := at.File.Syntax
		if !s.Is(at.Node, pyparse.KindBinaryOperator) {
			at.Node = s.FirstChild(at.Node)
			if s.Is(at.Node, pyparse.KindOperator) {
				return flow.Ref{}
			}
			continue
		}
		left, right := s.Child(at.Node, pyparse.FieldLeft), s.Child(at.Node, pyparse.FieldRight)
		switch {
		case s.Is(left, pyparse.KindInteger, pyparse.KindFloat):
			at.Node = right
		case s.Is(right, pyparse.KindInteger, pyparse.KindFloat):
			at.Node = left
		default:
			return flow.Ref{}
		}
	}
	return at
}

// operandNode is the expression of an operand of a call or of a binary operator.
func operandNode(e *flow.Event, i int) flow.Ref {
	if e.Pos[i].At.Valid() {
		return e.Pos[i].At
	}
	if !isKind(e.At, pyparse.KindBinaryOperator) || i > 1 {
		return flow.Ref{}
	}
	return flow.Ref{File: e.At.File, Node: e.At.File.Syntax.Child(e.At.Node, [2]pyparse.Field{pyparse.FieldLeft, pyparse.FieldRight}[i])}
}
