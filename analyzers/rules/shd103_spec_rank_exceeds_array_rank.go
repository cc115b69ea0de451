package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd103() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD103", Name: "spec-rank-exceeds-array-rank", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "a PartitionSpec has more entries than the array has dimensions",
		Doc: analyzers.Documentation{
			Finds: "An array whose rank is known and that meets a spec with more entries: in device_put, in a constraint, in the shardings of jit or the in_specs of shard_map. " +
				"The usual victims are scalars in a training state, such as an optimizer's step count, and biases that get the spec of their kernel. A tuple entry counts once, and a spec may be shorter than the rank.",
			Matters: "JAX raises ValueError when the two meet.",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
state = {"count": jnp.zeros([], jnp.int32), "mu": jnp.zeros((16, 8))}
shardings = jax.tree.map(lambda _: NamedSharding(mesh, P("fsdp")), state)
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
state = {"count": jnp.zeros([], jnp.int32), "mu": jnp.zeros((16, 8))}
shardings = jax.tree.map(lambda a: NamedSharding(mesh, P("fsdp") if a.ndim else P()), state)
`,
			FixSafety: "In a function that is mapped over a tree the fix gives the empty spec to the leaves of smaller rank. For a single array it leaves None entries out of the spec until it fits, or writes the empty spec; " +
				"a sharding that other arrays have too stays as it is, and there is no fix where a call is evaluated for several leaves and only some lack the dimensions. It is unsafe because another layout may have been meant.",
			Ignore: "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{layoutNeedles()},
		Check:    checkSpecRank,
	}
}

func checkSpecRank(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	mapped := map[flow.Ref]bool{}
	for _, e := range facts.Named("jax.tree.map") {
		checkMappedRank(out, e, mapped)
	}
	for _, pl := range facts.Placements {
		if pl.Kind == flow.PlaceOutSpec || pl.Array == nil || pl.Spec == nil || !pl.Spec.Known || pl.Shard != nil && mapped[pl.Shard.At] {
			continue
		}
		entries := len(pl.Spec.Entries)
		rank, name := lowestRank(pl.Array, named(pl.Array, pl.Path))
		if rank < 0 || entries <= rank {
			continue
		}
		out.reportCaused(pl.Event, rankPlace(facts, pl), analyzers.Finding{
			Message: fmt.Sprintf("%s needs rank %d or more, but %s has rank %d", pl.Spec, entries, name, rank),
			Fixes:   shorterSpec(facts, pl, rank),
		})
	}
}

// rankPlace is the call at which a spec meets an array, or the spec where the call is evaluated for several of them and this one is
// written elsewhere in the file for such arrays alone.
func rankPlace(facts *flow.Facts, pl *flow.Placement) flow.Ref {
	spec := pl.Spec.At
	if pl.Kind != flow.PlacePut && pl.Kind != flow.PlaceConstraint || !spec.Valid() || spec.File != pl.At.File || pl.At.Contains(spec) || meantForOthers(facts, pl, spec) {
		return pl.At
	}
	for _, other := range facts.Placements {
		if other.At == pl.At && other.Spec != nil && other.Spec.At != spec {
			return spec
		}
	}
	return pl.At
}

// shorterSpec writes a spec that fits the rank of the array: what is sharded stays if leaving out None makes it fit, as in the spec of a
// kernel that a bias got; otherwise, and as the alternative, the array is replicated.
func shorterSpec(facts *flow.Facts, pl *flow.Placement, rank int) []analyzers.Fix {
	var fixes []analyzers.Fix
	if kept := keptEntries(pl, rank); len(kept) > 0 {
		w := writing(pl.At.File)
		if texts, ok := entryTexts(w, pl.Spec, kept); ok {
			if edits := respelt(w, facts, pl, texts); edits != nil {
				fixes = w.fix("Leave out dimensions that the array does not have", analyzers.Unsafe, edits...)
			}
		}
	}
	w := writing(pl.At.File)
	if edits := respelt(w, facts, pl, nil); edits != nil {
		fixes = append(fixes, w.fix("Give it the empty spec", analyzers.Unsafe, edits...)...)
	}
	return fixes
}

// keptEntries leaves None entries out from the front until the spec fits; nil where it never does, where nothing is left sharded or a
// dimension does not divide.
func keptEntries(pl *flow.Placement, rank int) []flow.SpecEntry {
	surplus := len(pl.Spec.Entries) - rank
	var kept []flow.SpecEntry
	sharded := false
	for _, e := range pl.Spec.Entries {
		if surplus > 0 && len(e.Names) == 0 && !e.Unconstrained && !e.Unknown {
			surplus--
			continue
		}
		sharded = sharded || len(e.Names) > 0
		kept = append(kept, e)
	}
	if surplus > 0 || !sharded {
		return nil
	}
	for i, e := range kept {
		if shards, ok := pl.Mesh.Shards(e); len(e.Names) > 0 && (!ok || pl.Array.Dim(i) < 0 || pl.Array.Dim(i)%shards != 0) {
			return nil
		}
	}
	return kept
}

// checkMappedRank judges shardings that are made for a whole tree at once, where the tree is visible.
func checkMappedRank(out *once, e *flow.Event, mapped map[flow.Ref]bool) {
	if len(e.Pos) < 2 {
		return
	}
	arrays, _ := flow.Leaves(e.Pos[1].Value)
	results, _ := flow.Leaves(e.Result)
	if len(arrays) != len(results) {
		return
	}
	for i := range arrays {
		a, isArray := arrays[i].(*flow.Array)
		spec, at := specOf(results[i])
		if !isArray || spec == nil || !spec.Known {
			continue
		}
		rank, name := lowestRank(a, leafName(e.Pos[1].Value, i))
		if rank < 0 || len(spec.Entries) <= rank {
			continue
		}
		mapped[at] = true
		f := analyzers.Finding{Message: fmt.Sprintf("%s is given to every leaf, but %s has rank %d; write %s only where a.ndim allows it", spec, name, rank, spec)}
		f.Fixes = rankFix(e, spec)
		out.report(e.At, f)
		return
	}
}

// lowestRank is the rank of an array that is called name, or of the leaf of lowest rank in a state of which that is known, with what it is called.
func lowestRank(a *flow.Array, name string) (rank int, called string) {
	if maker := stepCounter(a); maker != "" {
		return 0, "the step count in the state of " + maker
	}
	return a.Rank(), name
}

// stepCounter names the optimizer whose whole state a value is, where that state holds a step count, a scalar (optax 0.2); else "".
func stepCounter(a *flow.Array) string {
	if a == nil || !a.Tree || a.Part || a.Made == nil || !strings.HasSuffix(a.Made.Name, ".init") {
		return ""
	}
	tx, ok := a.Made.Recv.(*flow.Object)
	if !ok {
		return ""
	}
	return countingPart(tx, 0)
}

// countingPart finds the transformation of a chain that counts steps.
func countingPart(tx *flow.Object, depth int) string {
	if slices.Contains([]string{"adam", "adamw", "adamax", "adamaxw", "nadam", "nadamw", "amsgrad", "adabelief", "lamb", "radam", "yogi", "lion", "scale_by_adam", "scale_by_lion"},
		strings.TrimPrefix(tx.Class, "optax.")) {
		return tx.Class
	}
	if tx.Class != "optax.chain" || tx.Made == nil || depth > 3 {
		return ""
	}
	for _, part := range tx.Made.Pos {
		if o, ok := part.Value.(*flow.Object); ok {
			if name := countingPart(o, depth+1); name != "" {
				return name
			}
		}
	}
	return ""
}

func specOf(v flow.Value) (*flow.Spec, flow.Ref) {
	switch x := v.(type) {
	case *flow.Sharding:
		return x.Spec, x.At
	case *flow.Spec:
		return x, x.At
	}
	return nil, flow.Ref{}
}

// leafName names leaf i of a dict, "a scalar leaf" otherwise.
func leafName(tree flow.Value, i int) string {
	if d, ok := tree.(*flow.Dict); ok {
		for j, k := range d.Keys {
			leaves, _ := flow.Leaves(d.Vals[j])
			if i < len(leaves) {
				if name, isStr := flow.String(k); isStr {
					return "the leaf ['" + name + "']"
				}
				break
			}
			i -= len(leaves)
		}
	}
	return "a leaf"
}

// rankFix makes the mapped lambda look at the rank of its leaf.
func rankFix(e *flow.Event, spec *flow.Spec) []analyzers.Fix {
	fn := e.Pos[0].At
	if !isKind(fn, pyparse.KindLambda) || !fn.Contains(spec.At) || len(spec.Entries) == 0 {
		return nil
	}
	s := fn.File.Syntax
	params := s.Parameters(fn.Node)
	if len(params) != 1 {
		return nil
	}
	name := params[0].Name
	var edits []analyzers.Edit
	if name == "_" {
		name = "a"
		edits = append(edits, replaced(flow.Ref{File: fn.File, Node: params[0].NameNode}, name))
	}
	callee, fits, title := s.Text(s.Callee(spec.At.Node)), name+".ndim", "Give scalars the empty spec"
	if n := len(spec.Entries); n > 1 {
		fits, title = fmt.Sprintf("%s.ndim >= %d", name, n), "Give smaller arrays the empty spec"
	}
	edits = append(edits, appended(spec.At, fmt.Sprintf(" if %s else %s()", fits, callee)))
	return fixOf(title, analyzers.Unsafe, edits...)
}
