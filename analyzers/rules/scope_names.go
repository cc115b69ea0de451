package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// This file finds expressions that an edit may write at another place: names of meshes, shardings that the program has, and
// whether an expression still means the same where it is moved to.

// movable reports whether an expression means the same at another place of its file: every name in it is bound once, in a scope
// that the other place sees, and before it is needed there.
func movable(expr, to flow.Ref) bool {
	if !expr.Valid() || !to.Valid() || expr.File != to.File {
		return false
	}
	s := expr.File.Syntax
	for n := range selfAndBelow(s, expr.Node) {
		if !s.Is(n, pyparse.KindIdentifier) || isLabel(s, n) || boundInside(s, expr.Node, n) {
			continue
		}
		if s.Is(s.Parent(n), pyparse.KindAttribute) && receiverOf(s, n) && sameClass(s, n, to.Node) {
			if !attributeSet(expr.File, s.Parent(n), to) {
				return false
			}
			continue
		}
		if !seenFrom(s, n, to.Node) {
			return false
		}
	}
	return true
}

// selfAndBelow yields a node and everything below it.
func selfAndBelow(s *pyparse.File, n pyparse.NodeID) func(yield func(pyparse.NodeID) bool) {
	return func(yield func(pyparse.NodeID) bool) {
		if !yield(n) {
			return
		}
		for d := range s.Descendants(n) {
			if d != n && !yield(d) {
				return
			}
		}
	}
}

// isLabel reports whether an identifier is no name that is looked up: the attribute of an object, or the name of an argument.
func isLabel(s *pyparse.File, n pyparse.NodeID) bool {
	parent := s.Parent(n)
	return s.FieldOf(n) == pyparse.FieldAttribute || s.Is(parent, pyparse.KindKeywordArgument) && s.FieldOf(n) == pyparse.FieldName
}

// boundInside reports whether a name is bound within an expression: by a lambda or a comprehension.
func boundInside(s *pyparse.File, expr, name pyparse.NodeID) bool {
	symbol := s.Resolve(name)
	if symbol == nil {
		return false
	}
	opener := s.Scope(symbol.Scope).Node
	return s.Scope(symbol.Scope).Kind != pyparse.ModuleScope && s.Contains(expr, opener)
}

// seenFrom reports whether a name resolves to the same binding at another place, and has been bound when that is reached.
func seenFrom(s *pyparse.File, name, to pyparse.NodeID) bool {
	symbol := s.Resolve(name)
	scope := s.ScopeOf(to)
	other := s.Lookup(scope, s.Text(name))
	if symbol == nil || other == nil {
		return symbol == other // a builtin
	}
	if symbol != other || len(symbol.Bindings) != 1 {
		return false
	}
	if symbol.Scope != scope && s.EnclosingFunction(to) != s.EnclosingFunction(symbol.Bindings[0].Node) {
		return true // the place is in a function, which runs after the scope around it was filled
	}
	_, end := s.Span(symbol.Bindings[0].Source)
	if b := symbol.Bindings[0]; b.Kind == pyparse.BindParameter || b.Kind == pyparse.BindFor || b.Kind == pyparse.BindWith {
		_, end = s.Span(b.Node)
	}
	start, _ := s.Span(to)
	return end <= start
}

// receiverOf reports whether a name is the first parameter of the method that it stands in.
func receiverOf(s *pyparse.File, name pyparse.NodeID) bool {
	symbol := s.Resolve(name)
	if symbol == nil || len(symbol.Bindings) != 1 || symbol.Bindings[0].Kind != pyparse.BindParameter {
		return false
	}
	method := s.Scope(symbol.Scope).Node
	params := s.Parameters(method)
	return len(params) > 0 && params[0].Name == symbol.Name && s.EnclosingClass(method) != pyparse.None
}

// sameClass reports whether a name and a place stand in methods of one class that call the receiver by the same name.
func sameClass(s *pyparse.File, name, to pyparse.NodeID) bool {
	class := s.EnclosingClass(name)
	if class == pyparse.None || s.EnclosingClass(to) != class {
		return false
	}
	method := methodAround(s, to)
	params := s.Parameters(method)
	return method != pyparse.None && len(params) > 0 && params[0].Name == s.Text(name)
}

// methodAround is the outermost function of its class around a node.
func methodAround(s *pyparse.File, n pyparse.NodeID) pyparse.NodeID {
	found := pyparse.None
	for p := n; p != pyparse.None; p = s.Parent(p) {
		if s.Is(p, pyparse.KindClassDefinition) {
			break
		}
		if s.Is(p, pyparse.KindFunctionDefinition) {
			found = p
		}
	}
	return found
}

// attributeSet reports whether an attribute of the receiver is set by one statement of its class, in the constructor, or earlier in the
// same method.
func attributeSet(f *flow.File, attribute pyparse.NodeID, to flow.Ref) bool {
	s := f.Syntax
	text, found := s.Text(attribute), 0
	ok := false
	for n := range s.Descendants(s.EnclosingClass(attribute)) {
		if s.Text(n) != text || !s.Is(n, pyparse.KindAttribute) || !isTarget(s, n) {
			continue
		}
		found++
		method := methodAround(s, n)
		name, _ := s.Name(method)
		_, end := s.Span(s.EnclosingStatement(n))
		start, _ := s.Span(to.Node)
		same := method == methodAround(s, to.Node)
		ok = same && end <= start || !same && (name == "__init__" || name == "__post_init__" || name == "setup")
	}
	return ok && found == 1
}

// targetOf is the name or attribute that an assignment binds to the value of an expression, also as a part of a tuple.
func targetOf(value flow.Ref) flow.Ref {
	if !value.Valid() {
		return flow.Ref{}
	}
	s := value.File.Syntax
	parent := s.Parent(value.Node)
	if a, ok := s.Assignment(parent); ok && s.Unwrap(a.Value) == value.Node && len(a.Targets) == 1 {
		if target := (flow.Ref{File: value.File, Node: a.Targets[0]}); isKind(target, pyparse.KindIdentifier, pyparse.KindAttribute) {
			return target
		}
		return flow.Ref{}
	}
	a, ok := s.Assignment(s.Parent(parent))
	if !ok || a.Value != parent || len(a.Targets) != 1 || !s.Is(parent, pyparse.KindExpressionList, pyparse.KindTuple) {
		return flow.Ref{}
	}
	values, targets := s.ChildList(parent), s.ChildList(a.Targets[0])
	if len(values) != len(targets) {
		return flow.Ref{}
	}
	for i, v := range values {
		if v == value.Node && s.Is(targets[i], pyparse.KindIdentifier, pyparse.KindAttribute) {
			return flow.Ref{File: value.File, Node: targets[i]}
		}
	}
	return flow.Ref{}
}

// writtenOnce is where a constant is written that nothing but the given name reads: the value of its one assignment. Other
// expressions are themselves.
func writtenOnce(at flow.Ref) flow.Ref {
	if !isKind(at, pyparse.KindIdentifier) {
		return at
	}
	if value := soleValue(at); value.Valid() {
		return value
	}
	return at
}

// expressionOf is the source of an expression that is known to give a value and means the same at a place: a name that
// it was assigned to, or an argument that held it. "" when there is none.
func expressionOf(facts *flow.Facts, made flow.Ref, at flow.Ref, holds func(flow.Value) bool) string {
	if target := targetOf(made); movable(target, at) {
		return target.Text()
	}
	for _, e := range facts.Events {
		if e.At.File != at.File {
			continue
		}
		for _, list := range [2][]flow.Arg{e.Pos, e.Kw} {
			for _, a := range list {
				if isKind(a.At, pyparse.KindIdentifier, pyparse.KindAttribute) && holds(a.Value) && movable(a.At, at) {
					return a.At.Text()
				}
			}
		}
	}
	return ""
}

// meshText is the source of an expression for a mesh at a place, "" when none is known.
func meshText(facts *flow.Facts, m *flow.Mesh, at flow.Ref) string {
	if m == nil || m.Empty || m.Abstract {
		return ""
	}
	return expressionOf(facts, m.At, at, func(v flow.Value) bool { return v == m })
}

// shardingText is the source of an expression for a sharding at a place, "" when none can be written: what the program has, else
// NamedSharding of a mesh that has a name there.
func shardingText(facts *flow.Facts, s *flow.Sharding, at flow.Ref) string {
	if s == nil {
		return ""
	}
	if text := expressionOf(facts, s.At, at, func(v flow.Value) bool { return v == s }); text != "" {
		return text
	}
	if movable(s.At, at) {
		return s.At.Text()
	}
	if s.MemoryOpen || s.MemoryKind != "" {
		return ""
	}
	return layoutText(facts, s.Mesh, s.Spec, at)
}

// layoutText writes NamedSharding(mesh, spec) as the file at a place spells it, "" when it can't.
func layoutText(facts *flow.Facts, m *flow.Mesh, spec *flow.Spec, at flow.Ref) string {
	mesh, named := meshText(facts, m, at), spelling(at.File.Syntax, "jax.sharding.NamedSharding")
	text := specSource(spec, at)
	if mesh == "" || named == "" || text == "" {
		return ""
	}
	return named + "(" + mesh + ", " + text + ")"
}

// specSource writes a PartitionSpec as the file at a place spells it, "" when an entry is not known.
func specSource(spec *flow.Spec, at flow.Ref) string {
	name := spelling(at.File.Syntax, "jax.sharding.PartitionSpec")
	if spec == nil || !spec.Complete() || spec.Reduced || name == "" {
		return ""
	}
	entries := make([]string, len(spec.Entries))
	for i, e := range spec.Entries {
		entries[i] = entrySource(e, name)
	}
	return name + "(" + strings.Join(entries, ", ") + ")"
}

// entrySource writes an entry of a spec; partition is what the file calls PartitionSpec.
func entrySource(e flow.SpecEntry, partition string) string {
	switch {
	case e.Unconstrained:
		return partition + ".UNCONSTRAINED"
	case len(e.Names) == 0:
		return "None"
	}
	names := make([]string, len(e.Names))
	for i, n := range e.Names {
		names[i] = literal(n.Name, n.At)
	}
	return tupled(names)
}

// replicatedText writes the sharding that keeps a whole array on every device of a mesh.
func replicatedText(facts *flow.Facts, m *flow.Mesh, at flow.Ref) string {
	return layoutText(facts, m, &flow.Spec{Known: true}, at)
}

// spreadTexts are the sources at a place of the shardings over several devices that the program uses and that fit all arrays.
func spreadTexts(facts *flow.Facts, arrays []*flow.Array, at flow.Ref) []string {
	var texts []string
	seen := map[string]bool{}
	for _, place := range facts.Placements {
		if place.Shard == nil || !spread(place.Shard, anyAxis[:]...) || place.Shard.MemoryKind != "" || place.Shard.MemoryOpen || !fitsAll(arrays, place.Spec, place.Mesh) {
			continue
		}
		key := place.Mesh.Label() + place.Spec.String()
		if text := shardingText(facts, place.Shard, at); text != "" && !seen[key] && len(texts) < maxAlternatives {
			seen[key] = true
			texts = append(texts, text)
		}
	}
	return texts
}

const maxAlternatives = 3 // fixes that one finding offers for the same thing

// fitsAll reports whether a spec divides every array of a known shape evenly.
func fitsAll(arrays []*flow.Array, spec *flow.Spec, mesh *flow.Mesh) bool {
	for _, a := range arrays {
		if a.Rank() < 0 || spec == nil || len(spec.Entries) > a.Rank() {
			return false
		}
		if _, bad := unevenDim(&flow.Placement{Array: a, Spec: spec, Mesh: mesh}); bad {
			return false
		}
	}
	return len(arrays) > 0
}

// alternatives are fixes that differ in one text; the edits are those that make writes.
func alternatives(title string, texts []string, edit func(text string) []analyzers.Edit) []analyzers.Fix {
	var fixes []analyzers.Fix
	for _, text := range texts {
		if edits := edit(text); edits != nil {
			fixes = append(fixes, analyzers.Fix{Title: title + " " + text, Safety: analyzers.Unsafe, Edits: edits})
		}
	}
	return fixes
}
