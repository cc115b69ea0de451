package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// handover is where a caller gives an array away: the call of the jit that donates it, or of a function that passes its parameter on to one.
type handover struct {
	call, arg flow.Ref
	through   string // the functions in between, " in apply"; "" for the jit itself
}

// handovers lists the calls by which an argument comes to a donation, from the jit outwards.
func handovers(e *flow.Event, d donation) []handover {
	list := []handover{{call: e.At, arg: donatedExpression(e, d)}}
	for unit := e.Unit; unit != nil && unit.Func != nil && unit.Call.Valid() && len(list) < maxHandovers; unit = unit.Caller {
		last := list[len(list)-1]
		arg := passedParameter(unit, last)
		if !arg.Valid() {
			break
		}
		list = append(list, handover{call: unit.Call, arg: arg, through: last.through + " in " + unit.Func.Name})
	}
	return list
}

// maxHandovers bounds how many functions a donated array is followed through.
const maxHandovers = 4

// donatedExpression is the expression of a donated argument: that of an element where it came out of a tuple that was written before and
// unpacked. Invalid where that is not plain.
func donatedExpression(e *flow.Event, d donation) flow.Ref {
	at := d.arg.At
	s := at.File.Syntax
	if !s.Is(s.Parent(at.Node), pyparse.KindListSplat, pyparse.KindDictionarySplat) {
		return at
	}
	symbol := s.Resolve(at.Node)
	if !isKind(at, pyparse.KindIdentifier) || s.Is(s.Parent(at.Node), pyparse.KindDictionarySplat) || symbol == nil || len(symbol.Bindings) != 1 || d.index >= len(e.Pos) {
		return flow.Ref{}
	}
	tuple := writtenTuple(at)
	if !tuple.Valid() || branched(s, s.EnclosingStatement(tuple.Node), at.Node) || s.EnclosingFunction(tuple.Node) != s.EnclosingFunction(at.Node) {
		return flow.Ref{}
	}
	position := 0
	for _, a := range e.Pos[:d.index] {
		if a.At == at {
			position++
		}
	}
	elements := s.ChildList(tuple.Node)
	if position >= len(elements) || s.Is(elements[position], pyparse.KindListSplat) || boundBetween(s, tuple.Node, e.At.Node, s.Text(elements[position])) {
		return flow.Ref{}
	}
	return flow.Ref{File: at.File, Node: elements[position]}
}

// boundBetween reports whether a name or attribute is bound behind one node of a function and before another.
func boundBetween(s *pyparse.File, from, to pyparse.NodeID, text string) bool {
	_, after := s.Span(from)
	before, _ := s.Span(to)
	for n := range s.Descendants(max(s.EnclosingFunction(to), 0)) {
		if start, _ := s.Span(n); start >= after && start < before && s.Text(n) == text && isTarget(s, n) {
			return true
		}
	}
	return false
}

// passedParameter is what the caller of a function passes for the parameter that the function gives away on every path; invalid where it
// is not known to.
func passedParameter(unit *flow.Unit, h handover) flow.Ref {
	fn, s := unit.Func, h.call.File.Syntax
	if fn.At.File != h.call.File || !isKind(h.arg, pyparse.KindIdentifier) || s.EnclosingFunction(h.call.Node) != fn.At.Node || !certain(s, fn, h.call.Node) {
		return flow.Ref{}
	}
	symbol := s.Resolve(h.arg.Node)
	if symbol == nil || len(symbol.Bindings) != 1 || symbol.Bindings[0].Kind != pyparse.BindParameter {
		return flow.Ref{}
	}
	caller := unit.Call.File.Syntax
	callee := caller.Callee(unit.Call.Node)
	if name, _ := caller.DottedName(callee); lastName(name) != fn.Name {
		return flow.Ref{} // a partial, or something that wraps it: its arguments may stand elsewhere
	}
	index, name := -1, h.arg.Text()
	for i, p := range fn.Params {
		if p.Name == name && (p.Kind == flow.Positional || p.Kind == flow.PosOnly || p.Kind == flow.KeywordOnly) {
			index = i
		}
	}
	if fn.Class != nil && !fn.Static && caller.Is(callee, pyparse.KindAttribute) {
		index--
	}
	position := 0
	for a := range caller.EachArgument(unit.Call.Node) {
		switch a.Kind {
		case pyparse.Keyword:
			if a.Name == name {
				return flow.Ref{File: unit.Call.File, Node: a.Value}
			}
		case pyparse.Positional:
			if position == index {
				return flow.Ref{File: unit.Call.File, Node: a.Value}
			}
			position++
		default:
			return flow.Ref{}
		}
	}
	return flow.Ref{}
}

// certain reports whether a call of a function always comes to a node: no branch, loop or handler lies between, and nothing leaves before.
func certain(s *pyparse.File, fn *flow.Func, n pyparse.NodeID) bool {
	if asksFirst(flow.Ref{File: fn.At.File, Node: n}) {
		return false
	}
	for p := s.Parent(n); p != fn.At.Node; p = s.Parent(p) {
		if p == pyparse.None || s.Is(p, pyparse.KindIfStatement, pyparse.KindForStatement, pyparse.KindWhileStatement, pyparse.KindTryStatement, pyparse.KindMatchStatement,
			pyparse.KindConditionalExpression, pyparse.KindBooleanOperator, pyparse.KindLambda, pyparse.KindListComprehension, pyparse.KindDictionaryComprehension,
			pyparse.KindSetComprehension, pyparse.KindGeneratorExpression) {
			return false
		}
	}
	return true
}

// boundTargets are the targets of the assignments around a call, by their source: whatever becomes of its result, they hold something else
// afterwards.
func boundTargets(call flow.Ref) map[string]bool {
	out := map[string]bool{}
	s := call.File.Syntax
	statement := s.EnclosingStatement(call.Node)
	for n := call.Node; n != pyparse.None; n = s.Parent(n) {
		if a, ok := s.Assignment(n); ok && a.Value != pyparse.None && s.Contains(a.Value, call.Node) {
			for _, target := range a.Targets {
				collectTargets(s, target, out)
			}
		}
		if n == statement {
			break
		}
	}
	return out
}

// asksMetadata reports whether a function asks for the structure, shapes or types of what it gets and leaves its data alone.
func asksMetadata(name string) bool {
	switch lastName(name) {
	case "len", "isinstance", "type", "id", "hasattr", "tree_structure", "eval_shape", "shape", "ndim", "size", "typeof", "result_type", "zeros_like", "ones_like", "empty_like":
		return true
	}
	return strings.HasSuffix(name, "tree.structure")
}

// readsMetadata reports whether an occurrence of a name leaves the data of the arrays in it alone: it asks for keys, shapes or types.
func readsMetadata(s *pyparse.File, n pyparse.NodeID) bool {
	parent := s.Parent(n)
	switch {
	case s.Is(parent, pyparse.KindKeywordArgument) && s.FirstChild(parent) != n:
		return metadataCall(s, s.Parent(s.Parent(parent)), n)
	case s.Is(parent, pyparse.KindArgumentList):
		return metadataCall(s, s.Parent(parent), n) || metadataOfLeaf(s, s.Parent(parent))
	case s.Is(parent, pyparse.KindComparisonOperator):
		return s.Is(s.FirstChild(parent), pyparse.KindString) // whether a dictionary has a key
	}
	if !s.Is(parent, pyparse.KindAttribute) || s.Child(parent, pyparse.FieldObject) != n || !s.Is(s.Parent(parent), pyparse.KindCall) {
		return false
	}
	switch s.Text(s.Child(parent, pyparse.FieldAttribute)) {
	case "keys":
		return true
	case "items", "values":
		return iteratesOverMetadata(s, s.Parent(parent))
	}
	return false
}

// metadataOfLeaf reports whether a call lists the leaves of a tree and one of them is asked for its shape or type alone.
func metadataOfLeaf(s *pyparse.File, call pyparse.NodeID) bool {
	name, _ := s.DottedName(s.Callee(call))
	if lastName(name) != "tree_leaves" && !strings.HasSuffix(name, "tree.leaves") {
		return false
	}
	leaf := s.Parent(call)
	if !s.Is(leaf, pyparse.KindSubscript) || s.Child(leaf, pyparse.FieldValue) != call {
		return false
	}
	attribute := s.Parent(leaf)
	return s.Is(attribute, pyparse.KindAttribute) && survives(s.Text(s.Child(attribute, pyparse.FieldAttribute)))
}

// metadataCall reports whether a call asks an argument for nothing but its metadata, be it leaf by leaf.
func metadataCall(s *pyparse.File, call, arg pyparse.NodeID) bool {
	name, _ := s.DottedName(s.Callee(call))
	if asksMetadata(name) {
		return true
	}
	if lastName(name) == "full_like" {
		return s.FirstChild(s.Parent(arg)) == arg
	}
	if lastName(name) != "tree_map" && !strings.HasSuffix(name, "tree.map") {
		return false
	}
	for a := range s.EachArgument(call) {
		if a.Value == arg {
			return false
		}
		if !s.Is(a.Value, pyparse.KindLambda) {
			name, _ := s.DottedName(a.Value)
			return asksMetadata(name)
		}
		for p := range s.Descendants(s.Child(a.Value, pyparse.FieldParameters)) {
			if s.Is(p, pyparse.KindIdentifier) && readsBelow(s, s.Body(a.Value), s.Text(p)) {
				return false
			}
		}
		return true
	}
	return false
}

// iteratesOverMetadata reports whether a loop or comprehension over items() or values() reads nothing but metadata of the values.
func iteratesOverMetadata(s *pyparse.File, call pyparse.NodeID) bool {
	loop := s.Parent(call)
	if !s.Is(loop, pyparse.KindForInClause, pyparse.KindForStatement) || s.Child(loop, pyparse.FieldRight) != call {
		return false
	}
	target := s.Child(loop, pyparse.FieldLeft)
	if parts := s.ChildList(target); len(parts) > 0 {
		target = parts[len(parts)-1]
	}
	if !s.Is(target, pyparse.KindIdentifier) {
		return false
	}
	over := loop
	if s.Is(loop, pyparse.KindForInClause) {
		over = s.Parent(loop)
	}
	return !readsBelow(s, over, s.Text(target))
}

// readsBelow reports whether the data of a name is read below a node, or in the node itself.
func readsBelow(s *pyparse.File, root pyparse.NodeID, name string) bool {
	for n := range selfAndBelow(s, root) {
		if s.Is(n, pyparse.KindIdentifier) && s.Text(n) == name && !s.Is(s.Parent(n), pyparse.KindForInClause) && !s.Is(s.Parent(s.Parent(n)), pyparse.KindForInClause) && readsValue(s, n) {
			return true
		}
	}
	return false
}
