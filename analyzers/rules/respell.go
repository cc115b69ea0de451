package rules

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

// shardingArgument is the argument in which a placement gets its sharding.
func shardingArgument(pl *flow.Placement) *flow.Arg {
	switch pl.Kind {
	case flow.PlacePut:
		return pl.Event.Arg(1, "device")
	case flow.PlaceConstraint:
		return pl.Event.Arg(1, "shardings")
	}
	t, ok := pl.Event.Callee.(*flow.Transformed)
	if !ok {
		return nil
	}
	switch pl.Kind {
	case flow.PlaceJitIn:
		return t.Arg(-1, "in_shardings")
	case flow.PlaceJitOut:
		return t.Arg(-1, "out_shardings")
	case flow.PlaceInSpec:
		if t.Map != nil {
			return t.Map.InArg
		}
	}
	return nil
}

// respelt are the edits that give the array of a placement, and no other, a spec of other entries; nil where the spec cannot be told
// apart from that of others.
func respelt(w *writer, facts *flow.Facts, pl *flow.Placement, entries []string) []analyzers.Edit {
	arg := shardingArgument(pl)
	if arg == nil || !arg.At.Valid() {
		return nil
	}
	text := specName(w, pl.Spec) + "(" + strings.Join(entries, ", ") + ")"
	at, inside := specPlace(facts, arg.At, pl.Spec, pl.Shard)
	if meantForOthers(facts, pl, at) {
		return nil
	}
	if inside && at.File == w.file {
		return []analyzers.Edit{replaced(at, text)}
	}
	switch v := arg.Value.(type) {
	case *flow.Spec:
		return []analyzers.Edit{replaced(arg.At, text)}
	case *flow.Sharding:
		if v.Kind == namedSharding && assignable(arg.At) {
			return []analyzers.Edit{replaced(arg.At, w.name(namedSharding)+"("+arg.At.Text()+".mesh, "+text+")")}
		}
	}
	return nil
}

// meantForOthers reports whether other text at a place would also change the layout of arrays that a call or a constraint, evaluated for
// each leaf of a tree, gives another spec or that have another rank.
func meantForOthers(facts *flow.Facts, pl *flow.Placement, at flow.Ref) bool {
	if pl.Kind != flow.PlacePut && pl.Kind != flow.PlaceConstraint {
		return false
	}
	return slices.ContainsFunc(facts.Placements, func(other *flow.Placement) bool {
		if other.At != pl.At || other.Spec == nil {
			return false
		}
		sameSpec := other.Spec.At == pl.Spec.At
		otherRank := other.Array != nil && other.Array.Rank() != pl.Array.Rank()
		if at == pl.Spec.At {
			return sameSpec && otherRank
		}
		return !sameSpec || otherRank
	})
}

const namedSharding = "jax.sharding.NamedSharding"

// specName is how a spec's class is called: as where the spec is written, if that is in the file of the fix.
func specName(w *writer, spec *flow.Spec) string {
	if spec.At.Valid() && spec.At.File == w.file {
		if callee := spec.At.File.Syntax.Callee(spec.At.Node); callee >= 0 {
			if text := spec.At.File.Syntax.Text(callee); lastName(text) != "partial" && !strings.ContainsAny(text, "( \n") {
				return text
			}
		}
	}
	return w.name("jax.sharding.PartitionSpec")
}

// entryTexts lists entries of a spec as source: as they are written, or from what is known of them; false where one of them is neither.
func entryTexts(w *writer, spec *flow.Spec, entries []flow.SpecEntry) ([]string, bool) {
	texts := make([]string, len(entries))
	for i, e := range entries {
		switch {
		case e.At.Valid() && spec.At.Valid() && e.At.File == w.file && spec.At.Contains(e.At):
			texts[i] = e.At.Text()
		case e.Unknown:
			return nil, false
		case e.Unconstrained:
			texts[i] = specName(w, spec) + ".UNCONSTRAINED"
		case len(e.Names) == 0:
			texts[i] = "None"
		default:
			names := make([]string, len(e.Names))
			for k, n := range e.Names {
				names[k] = n.Name
			}
			texts[i] = axesSource(w.file, names)
		}
	}
	return texts, true
}
