package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd305() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD305", Name: "init-then-shard", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "an array is made whole on one device before it is spread",
		Doc: analyzers.Documentation{
			Finds:   "device_put with a spec that names an axis of arrays that jnp or jax.random made, when together they are as large as min-bytes says (1 MiB unless configured). NumPy arrays live in host memory and are sent piece by piece.",
			Matters: "The whole array exists on device 0 first: a model that only fits sharded runs out of memory there.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
cache = jax.device_put(jnp.zeros((4096, 1024)), rows)
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
cache = jnp.zeros((4096, 1024), device=rows)
`,
			FixSafety: "Where a constructor that takes device= is called inside device_put, the fix hands the sharding to it. It is safe. Other calls inside device_put, and the call on the line before that assigns the same name, are made in jax.jit with out_shardings; that is unsafe, because a function with side effects or one that needs concrete values can't be traced.",
			Ignore:    "When the array fits one device and start-up time does not matter.",
		},
		Needles:  []string{"device_put"},
		Requires: [][]string{layoutNeedles()},
		Check:    checkInitThenShard,
	}
}

func checkInitThenShard(p *analyzers.Pass) {
	limit := p.Settings.MinBytes
	if limit == 0 {
		limit = 1 << 16 // every finding is asked for; a few kilobytes still cost nothing
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.device_put") {
		arg := e.Arg(0, "x")
		if arg == nil || e.Region.UnderJit() || !spreads(e.Value(1, "device")) {
			continue
		}
		bytes, ok := madeOnDevice(arg.Value)
		if !ok || bytes < limit {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("the array is made whole on one device (%s) before device_put spreads it; make it in jax.jit with out_shardings", byteText(bytes))}
		if a, ok := arg.Value.(*flow.Array); ok && isConstructor(a.Made) && a.Made.At == arg.At && isKind(arg.At, pyparse.KindCall) && arg.At.File == e.At.File {
			constructor := arg.At.File.Syntax.Text(arg.At.File.Syntax.Callee(arg.At.Node))
			f.Message = fmt.Sprintf("%s makes the whole array (%s) on one device before device_put spreads it", constructor, byteText(bytes))
			f.Fixes = madeInPlace(e, arg.At)
			if len(f.Fixes) > 0 && f.Fixes[0].Safety == analyzers.Safe {
				f.Message += fmt.Sprintf("; write %s(..., device=sharding)", constructor)
			} else {
				f.Message += "; make it in jax.jit with out_shardings"
			}
		}
		if a, ok := arg.Value.(*flow.Array); ok && f.Fixes == nil && isConstructor(a.Made) && a.Made.Fn.Valid() {
			f.Message = fmt.Sprintf("%s makes the whole array (%s) on one device before device_put spreads it; make it in jax.jit with out_shardings", a.Made.Fn.Text(), byteText(bytes))
		}
		switch {
		case f.Fixes != nil:
		case isKind(arg.At, pyparse.KindCall) && !jitted(p.Facts(), arg.At):
			f.Fixes = jittedInPlace(e, arg.At)
		case assignable(arg.At):
			f.Fixes = placedNext(p.Facts(), e, arg)
		}
		out.report(e.At, f)
	}
}

// spreads reports whether a tree of shardings names a mesh axis.
func spreads(v flow.Value) bool {
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		switch s := l.(type) {
		case *flow.Sharding:
			if s.Spec != nil && len(s.Spec.Axes()) > 0 {
				return true
			}
		case *flow.Spec:
			if len(s.Axes()) > 0 {
				return true
			}
		}
	}
	return false
}

// madeOnDevice adds up the bytes of a tree of arrays that constructors of jnp and jax.random made outside of jit, or that were computed from such; ok is false where
// one comes from elsewhere or its size is unknown.
func madeOnDevice(v flow.Value) (bytes int64, ok bool) {
	leaves, complete := flow.Leaves(v)
	if !complete {
		return 0, false
	}
	for _, l := range leaves {
		a, isArray := l.(*flow.Array)
		if !isArray {
			continue
		}
		if a.Host || a.Static || a.Commit != flow.Fresh || a.Sharding != nil || !computedEagerly(a.Made) || a.Size() < 0 {
			return 0, false
		}
		bytes += a.Size() * itemSize(a.DType)
	}
	return bytes, bytes > 0
}

// computedEagerly reports whether functions of JAX computed an array from others, nil being arithmetic, or made it.
func computedEagerly(e *flow.Event) bool {
	switch {
	case e == nil || isConstructor(e):
		return true
	case e.Name == "jax.numpy.array", e.Name == "jax.numpy.asarray", strings.HasPrefix(e.Name, "jax.numpy.from"), e.Name == "jax.numpy.load":
		return false // what comes from host memory may be meant to pass by one device
	}
	return strings.HasPrefix(e.Name, "jax.numpy.") || strings.HasPrefix(e.Name, "jax.nn.") || strings.HasPrefix(e.Name, "jax.lax.") || strings.HasPrefix(e.Name, "jax.Array.")
}

// itemSize is the size of an element in bytes; unknown types count as one byte, which never overstates.
func itemSize(dtype string) int64 {
	switch {
	case dtype == "complex128":
		return 16
	case strings.HasSuffix(dtype, "64"):
		return 8
	case strings.HasSuffix(dtype, "32"):
		return 4
	case strings.HasSuffix(dtype, "16"):
		return 2
	}
	return 1
}

// madeInPlace hands the sharding to the constructor inside a device_put.
func madeInPlace(e *flow.Event, constructor flow.Ref) []analyzers.Fix {
	sharding := e.Arg(1, "device")
	s := constructor.File.Syntax
	switch lastName(s.Text(s.Callee(constructor.Node))) {
	case "zeros", "ones", "full", "empty", "arange", "eye", "linspace":
	default:
		return jittedInPlace(e, constructor)
	}
	if sharding == nil || len(e.Pos)+len(e.Kw) != 2 || !isKind(sharding.At, pyparse.KindIdentifier, pyparse.KindAttribute, pyparse.KindSubscript, pyparse.KindCall) || s.KeywordArgument(constructor.Node, "device") != pyparse.None {
		return nil
	}
	at, ok := argumentAdded(constructor, "device="+sharding.At.Text())
	if !ok {
		return nil
	}
	text, start := constructor.Text(), spanOf(constructor).Start
	return fixOf("Make the array in place", analyzers.Safe, replaced(e.At, text[:at.At-start]+at.Text+text[at.At-start:]))
}

// jittedInPlace makes in a jit what a call inside a device_put makes.
func jittedInPlace(e *flow.Event, call flow.Ref) []analyzers.Fix {
	sharding := e.Arg(1, "device")
	jit := spelling(e.At.File.Syntax, "jax.jit")
	if sharding == nil || !sharding.At.Valid() || jit == "" || len(e.Pos)+len(e.Kw) != 2 || !isKind(call, pyparse.KindCall) || call.File != e.At.File {
		return nil
	}
	return fixOf("Make the array in jax.jit", analyzers.Unsafe, replaced(e.At, jittedCall(call, jit, sharding.At.Text())))
}

// jittedCall writes a call as one of a jit with out_shardings. Arguments that are plain names, attributes or keys go in from
// outside; with others, such as shapes, the whole call goes into a lambda.
func jittedCall(call flow.Ref, jit, sharding string) string {
	s := call.File.Syntax
	function := s.Text(s.Callee(call.Node))
	arguments := s.Text(s.Child(call.Node, pyparse.FieldArguments))
	for _, a := range s.Arguments(call.Node) {
		if name, _ := s.DottedName(s.Callee(a.Value)); a.Kind != pyparse.Positional || lastName(name) != "key" && lastName(name) != "PRNGKey" {
			return jit + "(lambda: " + call.Text() + ", out_shardings=" + sharding + ")()"
		}
	}
	return jit + "(" + function + ", out_shardings=" + sharding + ")" + arguments
}

// placedNext rewrites x = init(...) and the statement x = device_put(x, sharding) behind it to one jitted call.
func placedNext(facts *flow.Facts, e *flow.Event, arg *flow.Arg) []analyzers.Fix {
	s := e.At.File.Syntax
	sharding := e.Arg(1, "device")
	target := targetOf(e.At)
	jit := spelling(e.At.File.Syntax, "jax.jit")
	if sharding == nil || !sharding.At.Valid() || !target.Valid() || target.Text() != arg.At.Text() || jit == "" || len(e.Pos)+len(e.Kw) != 2 {
		return nil
	}
	put := statementAt(e.At)
	if !put.Valid() {
		return nil
	}
	before := pyparse.None
	for child := range s.Children(s.Parent(put.Node)) {
		if child == put.Node {
			break
		}
		before = child
	}
	a, ok := s.Assignment(s.FirstChild(before))
	if !ok || len(a.Targets) != 1 || a.Operator != "" || s.Text(a.Targets[0]) != target.Text() {
		return nil
	}
	made := flow.Ref{File: e.At.File, Node: a.Value}
	if !isKind(made, pyparse.KindCall) || !movable(sharding.At, made) || jitted(facts, made) {
		return nil
	}
	return fixOf("Make the arrays in jax.jit", analyzers.Unsafe, replaced(made, jittedCall(made, jit, sharding.At.Text())), lineDropped(put))
}

// jitted reports whether a call runs a jitted function.
func jitted(facts *flow.Facts, call flow.Ref) bool {
	for _, e := range facts.Named("call.jit", "call.pjit") {
		if e.At == call {
			return true
		}
	}
	return false
}
