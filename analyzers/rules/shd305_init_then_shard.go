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
			FixSafety: "Where a constructor that takes device= is called inside device_put, the fix hands the sharding to it. It is safe.",
			Ignore:    "When the array fits one device and start-up time does not matter.",
		},
		Needles: []string{"device_put"},
		Check:   checkInitThenShard,
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
			if f.Fixes != nil {
				f.Message += fmt.Sprintf("; write %s(..., device=sharding)", constructor)
			} else {
				f.Message += "; make it in jax.jit with out_shardings"
			}
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

// madeOnDevice adds up the bytes of a tree of arrays that constructors of jnp and jax.random made outside of jit; ok is false where
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
		if a.Host || a.Static || a.Commit != flow.Fresh || a.Sharding != nil || a.Made != nil && !isConstructor(a.Made) || a.Size() < 0 {
			return 0, false
		}
		bytes += a.Size() * itemSize(a.DType)
	}
	return bytes, bytes > 0
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
		return nil
	}
	if sharding == nil || !sharding.At.Valid() || s.KeywordArgument(constructor.Node, "device") != pyparse.None {
		return nil
	}
	text := s.Text(constructor.Node)
	return fixOf("Make the array in place", analyzers.Safe, replaced(e.At, strings.TrimSuffix(text, ")")+", device="+sharding.At.Text()+")"))
}
