package rules

import (
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// returned is the expression that a function returns, invalid where it has several or no return statements.
func returned(fn flow.Value) flow.Ref {
	f, ok := innermost(fn)
	if !ok || !f.At.Valid() || f.Gen {
		return flow.Ref{}
	}
	s := f.At.File.Syntax
	body := s.Body(f.At.Node)
	if s.Is(f.At.Node, pyparse.KindLambda) {
		return flow.Ref{File: f.At.File, Node: s.Unwrap(body)}
	}
	found := pyparse.None
	for n := range s.Descendants(body) {
		if !s.Is(n, pyparse.KindReturnStatement) || s.EnclosingFunction(n) != f.At.Node {
			continue
		}
		if found != pyparse.None {
			return flow.Ref{}
		}
		found = n
	}
	if found == pyparse.None || s.FirstChild(found) == pyparse.None {
		return flow.Ref{}
	}
	return flow.Ref{File: f.At.File, Node: s.FirstChild(found)}
}

// innermost is the function of the workspace behind partial, methods and transformations that keep what it returns.
func innermost(fn flow.Value) (*flow.Func, bool) {
	for {
		switch f := fn.(type) {
		case *flow.Func:
			return f, true
		case *flow.Bound:
			fn = f.Fn
		case *flow.Partial:
			fn = f.Fn
		case *flow.Transformed:
			if f.Kind != "jit" && f.Kind != "checkpoint" && f.Kind != "wrapped" {
				return nil, false
			}
			fn = f.Fn
		default:
			return nil, false
		}
	}
}

// returnedLeaf is the expression of one value in what a function returns: the whole expression, or an element of a tuple that is written out.
func returnedLeaf(fn, result, leaf flow.Value) flow.Ref {
	at := returned(fn)
	if !at.Valid() || result == leaf {
		return at
	}
	t, ok := result.(*flow.Tuple)
	if !ok || t.Open || !isKind(at, pyparse.KindTuple, pyparse.KindExpressionList) {
		return flow.Ref{}
	}
	nodes := at.File.Syntax.ChildList(at.Node)
	if len(nodes) != len(t.Elems) {
		return flow.Ref{}
	}
	for i, e := range t.Elems {
		if e == leaf {
			return flow.Ref{File: at.File, Node: nodes[i]}
		}
	}
	return flow.Ref{}
}
