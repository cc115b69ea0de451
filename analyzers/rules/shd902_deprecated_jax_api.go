package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd902() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD902", Name: "deprecated-jax-api", Severity: analyzers.Info, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a name that the JAX release in use still has, but warns about",
		Doc: analyzers.Documentation{
			Finds:   "Names about sharding that the target release deprecates: jax.experimental.shard_map and pjit since 0.8.0, and names that go with the release after.",
			Matters: "The code works and warns. A deprecated name is removed about three months later at the earliest.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
double = shard_map(lambda x: 2 * x, mesh, P("data"), P("data"), check_rep=False)
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
double = shard_map(lambda x: 2 * x, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_vma=False)
`,
			FixSafety: "The fix for shard_map changes the import and every call in one step, because jax.shard_map takes mesh and specs by keyword and check_vma for check_rep. It is offered only where all calls are plain. It is unsafe: " +
				"jax.shard_map insists that the context mesh equals its mesh. pjit becomes jax.jit where its shardings are no bare PartitionSpecs, which jit resolves in jax.set_mesh only; it is unsafe for the same reason.",
			Ignore: "While the same file has to run on releases older than 0.6.1, which lack jax.shard_map.",
		},
		Needles: apiNeedles(),
		Check:   checkDeprecated,
	}
}

func checkDeprecated(p *analyzers.Pass) {
	out := newOnce(p)
	for _, m := range p.Facts().Mentions {
		c := apiChanges()[m.Path]
		if m.Guarded || !c.deprecatedIn(p.JAX) {
			continue
		}
		f := analyzers.Finding{
			Message:    fmt.Sprintf("%s is deprecated since JAX %s%s", m.Path, c.Deprecated, useInstead(c.Replacement)),
			Confidence: confidence(p.JAX),
		}
		switch {
		case c.Name == legacyShardMap:
			f.Fixes = shardMapMoved(m)
		case c.Name == "jax.experimental.pjit.pjit":
			f.Fixes = pjitReplaced(p.Facts(), m)
		case c.Same != "":
			if edits := renamed(m, c.Same); edits != nil {
				f.Fixes = fixOf("Write "+c.Same, analyzers.Safe, edits...)
			}
		}
		out.report(m.At, f)
	}
}

const legacyShardMap = "jax.experimental.shard_map.shard_map"

// shardMapMoved rewrites an import of the old shard_map together with every call of it, or nothing.
func shardMapMoved(m flow.Mention) []analyzers.Fix {
	edits := renamed(m, "jax.shard_map")
	uses := usesOf(m)
	if edits == nil || m.Import && len(uses) == 0 {
		return nil
	}
	for _, use := range uses {
		call, first, ok := callOf(use)
		if !ok {
			return nil
		}
		more, ok := modernArguments(call, first)
		if !ok {
			return nil
		}
		edits = append(edits, more...)
	}
	if imp, ok := importBehind(m); ok {
		edits = append(edits, importDropped(m.At.File, imp))
	}
	return fixOf("Use jax.shard_map", analyzers.Unsafe, edits...)
}

// usesOf lists the places that read what a mention names: those of the imported name, or the attribute itself.
func usesOf(m flow.Mention) []flow.Ref {
	if !m.Import {
		return []flow.Ref{m.At}
	}
	s := m.At.File.Syntax
	var out []flow.Ref
	for _, imp := range s.Imports {
		if imp.Node != m.At.Node {
			continue
		}
		if symbol := s.Lookup(s.ScopeOf(imp.Statement), imp.Bound); symbol != nil {
			for _, use := range symbol.Uses {
				out = append(out, flow.Ref{File: m.At.File, Node: use})
			}
		}
	}
	return out
}

// callOf finds the call of a function, directly or through partial. First is the index of its first argument in the call.
func callOf(fn flow.Ref) (call flow.Ref, first int, ok bool) {
	s := fn.File.Syntax
	parent := s.Parent(fn.Node)
	if s.Is(parent, pyparse.KindCall) && s.Callee(parent) == fn.Node {
		return flow.Ref{File: fn.File, Node: parent}, 0, true
	}
	if parent = s.Parent(parent); !s.Is(parent, pyparse.KindCall) {
		return call, 0, false
	}
	args := s.Arguments(parent)
	name, _ := s.DottedName(s.Callee(parent))
	if len(args) == 0 || args[0].Node != fn.Node || lastName(name) != "partial" {
		return call, 0, false
	}
	return flow.Ref{File: fn.File, Node: parent}, 1, true
}

// modernArguments are the edits that turn arguments of the old shard_map into those of jax.shard_map: mesh and specs by
// keyword, check_vma for check_rep. A call with auto= or with unpacked arguments has no mechanical form.
func modernArguments(call flow.Ref, first int) ([]analyzers.Edit, bool) {
	s := call.File.Syntax
	var edits []analyzers.Edit
	for i, a := range s.Arguments(call.Node)[first:] {
		switch {
		case a.Kind != pyparse.Positional && a.Kind != pyparse.Keyword, a.Name == "auto":
			return nil, false
		case a.Name == "check_rep":
			edits = append(edits, replaced(flow.Ref{File: call.File, Node: a.Key}, "check_vma"))
		case a.Name == "" && i > 0:
			if i >= len(legacyPositions()) {
				return nil, false
			}
			edits = append(edits, inserted(flow.Ref{File: call.File, Node: a.Node}, legacyPositions()[i]+"="))
		}
	}
	return edits, true
}

// legacyPositions are the positional parameters that the old shard_map had, under their names in jax.shard_map.
func legacyPositions() []string { return []string{"f", "mesh", "in_specs", "out_specs", "check_vma"} }
