package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/internal/distance"
	"github.com/shardls/shardls/pyparse"
)

// once reports the findings of a source rule, one for each place: the same call is evaluated once for every calling context.
type once struct {
	pass *analyzers.Pass
	seen map[told]bool
}

// told is a place and, where it has several, which of its findings.
type told struct {
	span analyzers.Span
	of   string
}

func newOnce(p *analyzers.Pass) *once { return &once{pass: p, seen: map[told]bool{}} }

// report reports f at a node unless something was reported there before.
func (o *once) report(at flow.Ref, f analyzers.Finding) { o.reportOf("", at, f) }

// reportOf is report for one of several things that can be wrong at a node, such as the arguments that one **kwargs holds.
func (o *once) reportOf(what string, at flow.Ref, f analyzers.Finding) {
	f.Span = spanOf(at)
	if !at.Valid() || o.seen[told{f.Span, what}] || testFile(o.pass.File.Syntax.Path) && !testFile(f.Span.Path) {
		return // what a test hands in decides nothing about the code under test: it may be a stand-in
	}
	if o.intended(at) {
		return
	}
	o.seen[told{f.Span, what}] = true
	o.pass.Report(f)
}

// reportCaused reports f at a node for an event elsewhere, such as the call that makes a jit raise, unless a handler around the event
// is for what JAX raises.
func (o *once) reportCaused(cause *flow.Event, at flow.Ref, f analyzers.Finding) {
	if !handles(cause, o.pass.Raises) {
		o.report(at, f)
	}
}

// intended reports whether every evaluation of what a node belongs to runs under a handler for what JAX raises there.
func (o *once) intended(at flow.Ref) bool {
	if len(o.pass.Raises) == 0 {
		return false
	}
	found, size := false, 0
	for _, e := range o.pass.Facts().Events {
		if !e.At.Contains(at) {
			continue
		}
		_, start, end := e.At.Span()
		inside := handles(e, o.pass.Raises)
		switch {
		case size == 0 || end-start < size: // the innermost event decides
			found, size = inside, end-start
		case end-start == size:
			found = found && inside
		}
	}
	return found
}

// handles reports whether a handler around an event is for one of some exceptions.
func handles(e *flow.Event, raises []string) bool {
	return slices.ContainsFunc(e.Handled, func(name string) bool { return slices.Contains(raises, name) })
}

// testFile reports whether a path is that of a test.
func testFile(name string) bool {
	dir, base := path.Split(name)
	if strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "conftest.py" {
		return true
	}
	return strings.Contains("/"+dir, "/tests/") || strings.Contains("/"+dir, "/test/")
}

// spanOf is the byte range of a node.
func spanOf(at flow.Ref) analyzers.Span {
	path, start, end := at.Span()
	return analyzers.Span{Path: path, Start: start, End: end}
}

// replaced is an edit that puts text in place of a node.
func replaced(at flow.Ref, text string) analyzers.Edit {
	return analyzers.Edit{Span: spanOf(at), NewText: text}
}

// inserted is an edit that puts text in front of a node.
func inserted(at flow.Ref, text string) analyzers.Edit {
	s := spanOf(at)
	s.End = s.Start
	return analyzers.Edit{Span: s, NewText: text}
}

// appended is an edit that puts text behind a node.
func appended(at flow.Ref, text string) analyzers.Edit {
	s := spanOf(at)
	s.Start = s.End
	return analyzers.Edit{Span: s, NewText: text}
}

// lastName is the last part of a dotted name.
func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// quote is an axis name in a message.
func quote(name string) string { return "'" + name + "'" }

// quotes lists axis names in a message.
func quotes(names []string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = quote(n)
	}
	return strings.Join(parts, ", ")
}

// literal is an axis name as Python source, with the quotes that the string at the given place uses.
func literal(name string, at flow.Ref) string {
	if strings.HasPrefix(at.Text(), "'") {
		return "'" + name + "'"
	}
	if isKind(at, pyparse.KindString) || !at.Valid() {
		return `"` + name + `"`
	}
	return quoted(at.File, name)
}

// namePlace is where a name that is wrong at an expression is mended: the expression, or the string where the name was written if that is
// where a person would look for it. several says that the expression stands for other names too, right that the string is right elsewhere.
func namePlace(at, written flow.Ref, several, right bool) flow.Ref {
	if isKind(at, pyparse.KindString) || !at.Valid() {
		return at
	}
	s := at.File.Syntax
	given := several || s.Is(s.Parent(at.Node), pyparse.KindListSplat, pyparse.KindDictionarySplat)
	if symbol := s.Resolve(at.Node); isKind(at, pyparse.KindIdentifier) && symbol != nil {
		for _, b := range symbol.Bindings {
			given = given || !s.Is(b.Source, pyparse.KindAssignment) // a parameter, a loop
		}
	}
	switch {
	case !given && !isKind(at, pyparse.KindAttribute):
		return at
	case isKind(written, pyparse.KindString) && s.Is(at.Node, pyparse.KindAttribute) && isKind(flow.Ref{File: written.File, Node: written.File.Syntax.Parent(written.Node)}, pyparse.KindAttribute):
		return at // a method makes the name of the string
	case isKind(written, pyparse.KindString) && !right:
		return written
	case given:
		return flow.Ref{}
	}
	return at
}

// isKind reports whether the node is of one of the kinds.
func isKind(at flow.Ref, kinds ...pyparse.Kind) bool {
	return at.Valid() && at.File.Syntax.Is(at.Node, kinds...)
}

// assignable reports whether an expression can stand on the left of an assignment: a name, an attribute or an element.
func assignable(at flow.Ref) bool {
	return isKind(at, pyparse.KindIdentifier, pyparse.KindAttribute, pyparse.KindSubscript)
}

// madeByReading reports whether an expression makes a new array each time it is read: a part of an array, or a transposed one.
func madeByReading(facts *flow.Facts, at flow.Ref) bool {
	if isKind(at, pyparse.KindAttribute) {
		switch lastName(at.Text()) {
		case "T", "mT", "real", "imag":
			return true
		}
	}
	return slices.ContainsFunc(facts.Named("op.getitem"), func(e *flow.Event) bool {
		array, ok := e.Recv.(*flow.Array)
		return ok && e.At == at && !array.Tree
	})
}

// asksFirst reports whether a function decides by an if whether it comes to a node: the node stands in a branch, or behind a
// branch that leaves the function.
func asksFirst(at flow.Ref) bool {
	s := at.File.Syntax
	for child, n := at.Node, s.Parent(at.Node); n != pyparse.None; child, n = n, s.Parent(n) {
		switch s.KindOf(n) {
		case pyparse.KindFunctionDefinition, pyparse.KindLambda, pyparse.KindModule:
			return false
		case pyparse.KindIfStatement, pyparse.KindConditionalExpression:
			return true
		case pyparse.KindBlock:
			for before := range s.Children(n) {
				if before == child {
					break
				}
				if s.Is(before, pyparse.KindIfStatement) && leavesFunction(s, before) {
					return true
				}
			}
		}
	}
	return false
}

// leavesFunction reports whether a return or raise stands in a statement.
func leavesFunction(s *pyparse.File, statement pyparse.NodeID) bool {
	for n := range s.Descendants(statement) {
		if s.Is(n, pyparse.KindReturnStatement, pyparse.KindRaiseStatement) {
			return true
		}
	}
	return false
}

// nearest is the name that a misspelt one most likely stands for: the one with the smallest edit distance, "" if none is near.
func nearest(name string, names []string) string {
	best, limit := "", 1+(len(name)+1)/2
	for _, n := range names {
		if d := distance.Between(name, n); d < limit && d < len(name) { // one letter for another is no slip
			best, limit = n, d
		}
	}
	return best
}

// trivial reports whether an axis has one device, so that nothing is scaled, sent or missed along it.
func trivial(r *flow.Region, axis string) bool { return r.AxisSize(axis) == 1 }

// withArgument adds a last argument to a call.
func withArgument(call flow.Ref, text string) ([]analyzers.Edit, bool) {
	e, ok := argumentAdded(call, text)
	if !ok {
		return nil, false
	}
	span := spanOf(call)
	span.Start, span.End = e.At, e.At
	return []analyzers.Edit{{Span: span, NewText: e.Text}}, true
}

// withOwnArgument adds a last argument to the call of an event where that hands its own arguments to the function: another argument of
// tree.map(f, xs), or of any call that calls f in turn, would not reach f.
func withOwnArgument(e *flow.Event, text string) ([]analyzers.Edit, bool) {
	if !handsOver(e) {
		return nil, false
	}
	return withArgument(e.At, text)
}

// handsOver reports whether an argument of an event stands among the arguments of its call.
func handsOver(e *flow.Event) bool {
	if !isKind(e.At, pyparse.KindCall) {
		return false
	}
	for _, written := range e.At.File.Syntax.Arguments(e.At.Node) {
		at := flow.Ref{File: e.At.File, Node: written.Value}
		for _, list := range [2][]flow.Arg{e.Pos, e.Kw} {
			if slices.ContainsFunc(list, func(a flow.Arg) bool {
				return a.At == at || isKind(at, pyparse.KindListSplat, pyparse.KindDictionarySplat)
			}) {
				return true
			}
		}
	}
	return false
}

// fixOf is a list of one fix.
func fixOf(title string, safety analyzers.Safety, edits ...analyzers.Edit) []analyzers.Fix {
	return []analyzers.Fix{{Title: title, Safety: safety, Edits: edits}}
}

// namedArgument is the array of a placement in a message, with the argument that holds it where that has a name.
func namedArgument(p *flow.Placement) string {
	if p.Path != "" && p.Of.Valid() && assignable(p.Of) {
		return "the leaf " + p.Path + " of " + p.Of.Text()
	}
	return named(p.Array, p.Path)
}

// named is an array in a message: its name, or "the array" with its path in a tree.
func named(a *flow.Array, path string) string {
	if a != nil && a.Label != "" && path == "" {
		return a.Label
	}
	if path != "" {
		return "the leaf " + path
	}
	return "the array"
}
