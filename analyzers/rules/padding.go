package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// padded is the size that an uneven dimension has to be padded to.
func (u uneven) padded() int64 { return (u.size + u.shards - 1) / u.shards * u.shards }

// padFix pads the array of a placement where it is handed over, or, for out_shardings, where it is returned.
func padFix(facts *flow.Facts, pl *flow.Placement, u uneven) []analyzers.Fix {
	at := paddable(pl)
	if !at.Valid() || !alikeEverywhere(facts, pl) || placedByCaller(pl) {
		return nil
	}
	more := fmt.Sprint(u.padded() - u.size)
	if s := at.File.Syntax; isKind(at, pyparse.KindIdentifier) && s.EnclosingFunction(at.Node) != pyparse.None { // other calls may bring other sizes
		more = fmt.Sprintf("-%s.shape[%d] %% %d", at.Text(), u.dim, u.shards)
	}
	widths := make([]string, pl.Array.Rank())
	for i := range widths {
		widths[i] = "(0, 0)"
		if i == u.dim {
			widths[i] = "(0, " + more + ")"
		}
	}
	list := strings.Join(widths, ", ")
	if len(widths) == 1 {
		list += ","
	}
	w := writing(at.File)
	text := fmt.Sprintf("%s(%s, (%s))", w.name("jax.numpy.pad"), at.Text(), list)
	return w.fix(fmt.Sprintf("Pad dimension %d to %d", u.dim, u.padded()), analyzers.Unsafe, replaced(at, text))
}

// placedByCaller reports whether a function places an array as its caller says: padding is right for one layout only.
func placedByCaller(pl *flow.Placement) bool {
	if pl.Kind != flow.PlacePut && pl.Kind != flow.PlaceConstraint {
		return false
	}
	where := pl.Event.Arg(1, "device", "shardings")
	return where != nil && handedInWithin(where.At)
}

// paddable is the expression of the array that a placement places, invalid where it is part of a tree.
func paddable(pl *flow.Placement) flow.Ref {
	if pl.Path != "" {
		return flow.Ref{}
	}
	switch pl.Kind {
	case flow.PlacePut, flow.PlaceConstraint:
		if len(pl.Event.Pos) > 0 {
			return pl.Event.Pos[0].At
		}
	case flow.PlaceJitIn, flow.PlaceInSpec:
		for _, a := range pl.Event.Pos {
			if a.Value == flow.Value(pl.Array) && a.At.Valid() && !isKind(a.At, pyparse.KindListSplat) {
				return a.At
			}
		}
	case flow.PlaceJitOut:
		if t, ok := pl.Event.Callee.(*flow.Transformed); ok {
			if _, isArray := pl.Event.Body.(*flow.Array); isArray {
				return returned(t.Fn)
			}
		}
	}
	return flow.Ref{}
}

// alikeEverywhere reports whether every array that the same code places has the same shape, as it has not in a function that is mapped
// over a tree.
func alikeEverywhere(facts *flow.Facts, pl *flow.Placement) bool {
	for _, other := range facts.Placements {
		if other.At != pl.At || other.Kind != pl.Kind || other.Path != pl.Path || other.Event == pl.Event {
			continue
		}
		if other.Array.Rank() != pl.Array.Rank() {
			return false
		}
		for i := range pl.Array.Dims {
			if other.Array.Dim(i) != pl.Array.Dim(i) {
				return false
			}
		}
	}
	return true
}

// sizeFix changes the number that gives an uneven dimension its size: in the shape that the array is made with, or the constant that it
// is named by.
func sizeFix(made *flow.Event, u uneven, rank int) []analyzers.Fix {
	if made == nil {
		return nil
	}
	for _, list := range [2][]flow.Arg{made.Pos, made.Kw} {
		for _, a := range list {
			elems, complete, ok := flow.Elements(a.Value)
			if !ok || !complete || len(elems) != rank || !isKind(a.At, pyparse.KindTuple, pyparse.KindList) {
				continue
			}
			s := a.At.File.Syntax
			nodes := s.ChildList(a.At.Node)
			if size, known := flow.Integer(elems[u.dim]); !known || size != u.size || len(nodes) != rank {
				continue
			}
			if number := numberOf(s, nodes[u.dim]); number != pyparse.None {
				return fixOf(fmt.Sprintf("Make it %d", u.padded()), analyzers.Unsafe, replaced(flow.Ref{File: a.At.File, Node: number}, fmt.Sprint(u.padded())))
			}
		}
	}
	return nil
}

// numberOf is the literal behind an expression: itself, or what a name was assigned once.
func numberOf(s *pyparse.File, n pyparse.NodeID) pyparse.NodeID {
	if s.Is(n, pyparse.KindIdentifier) {
		symbol := s.Resolve(n)
		if symbol == nil || len(symbol.Bindings) != 1 || symbol.Bindings[0].Kind != pyparse.BindAssignment {
			return pyparse.None
		}
		assignment := symbol.Bindings[0].Source
		if s.Child(assignment, pyparse.FieldLeft) != symbol.Bindings[0].Node {
			return pyparse.None
		}
		n = s.Child(assignment, pyparse.FieldRight)
	}
	if _, ok := s.Int(n); ok {
		return n
	}
	return pyparse.None
}
