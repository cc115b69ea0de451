package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd805() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD805", Name: "optimizer-state-unsharded", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "the state of an optimizer is made on one device while the parameters are sharded",
		Doc: analyzers.Documentation{
			Finds: "The init of an optax optimizer that keeps moments, called with parameters that are placed on a mesh only afterwards, or under jit with sharded parameters and without out_shardings. " +
				"A state that is placed or constrained later is left alone, and so are optimizers without moments.",
			Matters: "Adam keeps two moments as large as the parameters. Made before the parameters are placed they stay on one device; made under jit they do too, because the zeros depend on no argument. " +
				"An eager init after placing follows the layout of the parameters.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
params = {"w": jnp.ones((64, 64))}
tx = optax.adam(1e-3)
opt_state = tx.init(params)
params = jax.device_put(params, NamedSharding(mesh, P("fsdp")))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
params = {"w": jnp.ones((64, 64))}
tx = optax.adam(1e-3)
params = jax.device_put(params, NamedSharding(mesh, P("fsdp")))
opt_state = tx.init(params)
`,
			FixSafety: "Where the two statements are neighbors, the fix swaps them; the init of an optimizer that jit wraps is called without it, so that every moment takes the layout of its parameter. It is unsafe because the layout of the state changes, and of what is computed from it.",
			Ignore:    "When the state is small, or moved by code that is not in view.",
		},
		Requires: [][]string{{"optax"}, meshNeedles(), layoutNeedles()},
		Check:    checkOptimizerState,
	}
}

func checkOptimizerState(p *analyzers.Pass) {
	out := newOnce(p)
	inits, follows := optimizerInits(p)
	for _, e := range inits {
		params := e.Arg(0, "params")
		if jit := e.Region.Find(flow.JitRegion); jit != nil {
			if e.Region == jit && prunedState(p, e, jit.Call, params.Value) {
				out.report(jitOf(jit.Call), analyzers.Finding{
					Message: "the optimizer's state depends on no argument of this jit, so it is made on one device while the parameters are sharded; pass out_shardings",
					Fixes:   eagerInit(jit.Call),
				})
			}
			continue
		}
		if put := placedLater(p, e, params.Value); put != nil && !follows && !movedLater(p, e, e) {
			out.report(e.At, earlyState(e, put, params))
		}
	}
}

// jitOf is where a function that is called was jitted, the call where that is not known.
func jitOf(call *flow.Event) flow.Ref {
	if t, ok := call.Callee.(*flow.Transformed); ok && t.Make != nil && t.Make.At.Valid() {
		return t.Make.At
	}
	return call.At
}

// eagerInit calls the init of an optimizer without jit, so that every moment takes the layout of its parameter.
func eagerInit(call *flow.Event) []analyzers.Fix {
	t, ok := call.Callee.(*flow.Transformed)
	if !ok || t.Make == nil || !isKind(t.Make.At, pyparse.KindCall) {
		return nil
	}
	s := t.Make.At.File.Syntax
	args := s.Arguments(t.Make.At.Node)
	if len(args) != 1 || args[0].Kind != pyparse.Positional {
		return nil
	}
	init := flow.Ref{File: t.Make.At.File, Node: args[0].Value}
	if !isKind(init, pyparse.KindAttribute) || lastName(init.Text()) != "init" {
		return nil
	}
	return fixOf("Call init without jit", analyzers.Unsafe, replaced(t.Make.At, init.Text()))
}

// optimizerInits lists the calls that make the state of an optimizer with moments; follows tells whether one of them is given
// parameters that are already placed, outside of jit.
func optimizerInits(p *analyzers.Pass) (inits []*flow.Event, follows bool) {
	for _, e := range p.Facts().Events {
		if !strings.HasPrefix(e.Name, "optax.") || lastName(e.Name) != "init" || e.Region.Open() || e.Region.InManual() != nil || e.Arg(0, "params") == nil {
			continue
		}
		if tx, ok := e.Recv.(*flow.Object); !ok || !keepsMoments(tx, 0) {
			continue
		}
		inits = append(inits, e)
		follows = follows || !e.Region.UnderJit() && spreadTree(e.Value(0, "params"), anyAxis[:]...)
	}
	return inits, follows
}

// spreadTree reports whether a leaf of a tree is known to be cut over several devices.
func spreadTree(v flow.Value, types ...flow.AxisType) bool {
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		if a, ok := l.(*flow.Array); ok && spread(a.Sharding, types...) {
			return true
		}
	}
	return false
}

var anyAxis = [...]flow.AxisType{flow.UnknownType, flow.Auto, flow.Explicit}

// keepsMoments reports whether an optimizer is known to keep arrays as large as the parameters (optax 0.2.8).
func keepsMoments(tx *flow.Object, depth int) bool {
	if depth > 8 || tx.Made == nil {
		return false
	}
	switch lastName(tx.Class) {
	case "adam", "adamw", "adamax", "adamaxw", "adan", "adabelief", "adadelta", "adagrad", "amsgrad", "lamb", "lars", "lion", "nadam", "nadamw", "novograd", "radam",
		"yogi", "scale_by_adam", "scale_by_adamax", "scale_by_amsgrad", "scale_by_belief", "scale_by_lion", "scale_by_rms", "scale_by_stddev", "scale_by_yogi", "scale_by_radam",
		"rmsprop", "trace", "ema":
		return true
	case "sgd":
		return given(tx.Made.Value(1, "momentum")) && !flow.IsUnknown(tx.Made.Value(1, "momentum"))
	case "chain", "masked", "apply_if_finite", "MultiSteps", "named_chain":
		for _, a := range tx.Made.Pos {
			if part, ok := a.Value.(*flow.Object); ok && keepsMoments(part, depth+1) {
				return true
			}
		}
	}
	return false
}

// spread reports whether a sharding cuts arrays over axes of one of the types with several devices.
func spread(s *flow.Sharding, types ...flow.AxisType) bool {
	if s == nil || s.Spec == nil || s.Mesh == nil {
		return false
	}
	for _, axis := range s.Spec.Axes() {
		if a, ok := s.Mesh.Axis(axis); ok && slices.Contains(types, a.Type) && a.Size != 1 {
			return true
		}
	}
	return false
}

// prunedState reports whether a jitted call returns the state that e made from sharded parameters as it is.
func prunedState(p *analyzers.Pass, e, call *flow.Event, params flow.Value) bool {
	if call == nil {
		return false
	}
	t, ok := call.Callee.(*flow.Transformed)
	if !ok || given(t.Value(-1, "out_shardings", "out_axis_resources")) || call.Region.Traced() || constrainedInside(p.Facts(), call) {
		return false
	}
	// On Explicit axes the zeros take the layout from the parameters' types.
	return spreadTree(params, flow.Auto) && holdsMadeBy(call.Body, e) && !movedLater(p, call, e)
}

// holdsMadeBy reports whether a tree has a leaf that one of the calls made.
func holdsMadeBy(v flow.Value, makers ...*flow.Event) bool {
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		for _, maker := range makers {
			if ok && a.Made == maker {
				return true
			}
		}
	}
	return false
}

// placedLater finds the call that spreads the parameters over a mesh after the optimizer's init saw them unplaced.
func placedLater(p *analyzers.Pass, e *flow.Event, params flow.Value) *flow.Event {
	leaves, _ := flow.Leaves(params)
	for _, place := range p.Facts().Placements {
		a := place.Array
		if place.Kind != flow.PlacePut || a == nil || place.Event.Order < e.Order || place.Event.Region.Open() || !spread(place.Shard, anyAxis[:]...) {
			continue
		}
		for _, l := range leaves {
			b, ok := l.(*flow.Array)
			if ok && b.Sharding == nil && (a == b || a.Made != nil && a.Made == b.Made) {
				return place.Event
			}
		}
	}
	return nil
}

// movedLater reports whether the state that came out of call, or of a call inside it, is placed afterwards.
func movedLater(p *analyzers.Pass, call, maker *flow.Event) bool {
	for _, e := range p.Facts().Named("jax.device_put", "jax.lax.with_sharding_constraint", "equinox.filter_shard", "jax.sharding.reshard", "call.jit", "jax.make_array_from_callback") {
		if e.Order <= call.Order {
			continue
		}
		if t, ok := e.Callee.(*flow.Transformed); ok && !given(t.Value(-1, "in_shardings", "out_shardings")) {
			continue
		}
		for _, a := range e.Pos {
			if holdsMadeBy(a.Value, call, maker) {
				return true
			}
		}
	}
	return false
}

func earlyState(e, put *flow.Event, params *flow.Arg) analyzers.Finding {
	name := "the params"
	if assignable(params.At) && !strings.Contains(params.At.Text(), "params") {
		name += " " + params.At.Text()
	}
	f := analyzers.Finding{
		Message:    fmt.Sprintf("the optimizer's state is made from %s before they are placed on the mesh and stays on one device; call init after placing them", name),
		Related:    []analyzers.Related{{Span: spanOf(put.At), Message: "they are placed here"}},
		Confidence: analyzers.Certain,
	}
	first, second := statementOf(e.At), statementOf(put.At)
	if !first.Valid() || !second.Valid() || first.File != second.File || first.Node == second.Node || !neighbours(first, second) {
		return f
	}
	f.Fixes = fixOf("Place the parameters first", analyzers.Unsafe, replaced(first, second.Text()), replaced(second, first.Text()))
	return f
}

// statementOf is the simple statement that holds a node.
func statementOf(at flow.Ref) flow.Ref {
	if !at.Valid() {
		return flow.Ref{}
	}
	return flow.Ref{File: at.File, Node: at.File.Syntax.EnclosingStatement(at.Node)}
}

// neighbours reports whether b is the statement after a in the same block.
func neighbours(a, b flow.Ref) bool {
	s := a.File.Syntax
	if s.Parent(a.Node) != s.Parent(b.Node) || s.Is(a.Node, pyparse.KindDecoratedDefinition) {
		return false
	}
	next := pyparse.None
	for child := range s.Children(s.Parent(a.Node)) {
		if child > a.Node && next == pyparse.None {
			next = child
		}
	}
	return next == b.Node && statementAt(a).Valid() && statementAt(b).Valid()
}
