package rules

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// jitInput is the argument of a call of a jit that a placement is about, and the source of its in_shardings as it can be written at
// the call; text is "" where that can't be.
type jitInput struct {
	arg  flow.Arg
	text string
}

// jitInputOf finds the argument in which the array of a placement by in_shardings stands. It is nil where the array stands in
// several arguments, or where the whole argument has no one sharding tree.
func jitInputOf(facts *flow.Facts, place *flow.Placement) *jitInput {
	e := place.Event
	t, ok := e.Callee.(*flow.Transformed)
	if !ok || place.Array == nil {
		return nil
	}
	index := -1
	for i, a := range e.Pos {
		if holdsLeaf(a.Value, place.Array) {
			if index >= 0 && i != index {
				return nil
			}
			index = i
		}
	}
	if index < 0 || !e.Pos[index].At.Valid() || e.Pos[index].At.File != e.At.File || !e.At.Contains(e.Pos[index].At) {
		return nil
	}
	in := &jitInput{arg: e.Pos[index]}
	in.text = inShardingText(facts, t, index, e)
	if in.text == "" && place.Path == "" {
		in.text = shardingText(facts, place.Shard, e.At)
	}
	return in
}

// inShardingText is the source of what in_shardings say of the argument at a position, where it means the same at the call.
func inShardingText(facts *flow.Facts, t *flow.Transformed, index int, call *flow.Event) string {
	a := t.Arg(1, "in_shardings")
	if a == nil || !a.At.Valid() {
		return ""
	}
	at := a.Written()
	if at.File.Syntax.Is(at.File.Syntax.Parent(at.Node), pyparse.KindDictionarySplat) {
		return ""
	}
	elems, _, sequence := flow.Elements(a.Value)
	if _, spec := a.Value.(*flow.Spec); sequence && !spec {
		s := at.File.Syntax
		node := s.Unwrap(at.Node)
		children := s.ChildList(node)
		if !s.Is(node, pyparse.KindTuple, pyparse.KindList) || index >= len(children) || len(children) != len(elems) {
			return ""
		}
		at = flow.Ref{File: at.File, Node: children[index]}
	}
	if movable(at, call.At) {
		return at.Text()
	}
	return ""
}

// holdsLeaf reports whether a tree holds an array itself.
func holdsLeaf(v flow.Value, array *flow.Array) bool {
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		if l == array {
			return true
		}
	}
	return false
}

// argumentPlaced is the fix that hands an argument of a jit through a function that places it.
func argumentPlaced(facts *flow.Facts, place *flow.Placement, title string, safety analyzers.Safety, wrap func(value, sharding string) string) []analyzers.Fix {
	in := jitInputOf(facts, place)
	if in == nil || in.text == "" {
		return nil
	}
	text := wrap(in.arg.At.Text(), in.text)
	if text == "" {
		return nil
	}
	return fixOf(title, safety, replaced(in.arg.At, text))
}

// devicePut is a wrapper for argumentPlaced that calls device_put.
func devicePut(f *flow.File) func(value, sharding string) string {
	return func(value, sharding string) string {
		put := spelling(f.Syntax, "jax.device_put")
		if put == "" {
			return ""
		}
		return put + "(" + value + ", " + sharding + ")"
	}
}
