package flow

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// expectsError reports whether a context manager is the assertion of a test framework that its block raises: pytest's raises,
// or assertRaises and assertRaisesRegex of unittest and absl.
func expectsError(f *File, manager pyparse.NodeID) bool {
	callee := f.text(f.Syntax.Callee(manager))
	last := lastName(callee)
	return last == "raises" || strings.HasPrefix(last, "assertRaises")
}

// skipsTest reports whether a call ends a test by an exception of its framework: pytest's skip, or skipTest of unittest and absl.
func skipsTest(f *File, call pyparse.NodeID) bool {
	callee := f.text(f.Syntax.Callee(call))
	return callee == "pytest.skip" || callee == "self.skipTest"
}

// failing evaluates a block that is there to raise, and records nothing of it: what is wrong in it is wrong on purpose.
func (in *interp) failing(body pyparse.NodeID) {
	f := in.facts
	events, meets, placements, manuals := len(f.Events), len(f.Meets), len(f.Placements), len(f.Manuals)
	carries, meshes, updates, mentions := len(f.Carries), len(f.Meshes), len(f.Updates), len(f.Mentions)
	runs := make([]int, manuals)
	for i, m := range f.Manuals {
		runs[i] = len(m.Calls)
	}
	in.block(body)
	f.Events, f.Meets, f.Placements, f.Manuals = f.Events[:events], f.Meets[:meets], f.Placements[:placements], f.Manuals[:manuals]
	f.Carries, f.Meshes, f.Updates, f.Mentions = f.Carries[:carries], f.Meshes[:meshes], f.Updates[:updates], f.Mentions[:mentions]
	for i, m := range f.Manuals {
		m.Calls = m.Calls[:runs[i]]
	}
}

func (in *interp) tryStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	var handlers []pyparse.NodeID
	var final, orelse pyparse.NodeID = pyparse.None, pyparse.None
	guard, around := 0, in.handled
	inside := around[:len(around):len(around)]
	for c := range s.Children(n) {
		switch s.KindOf(c) {
		case pyparse.KindExceptClause, pyparse.KindExceptGroupClause:
			handlers = append(handlers, c)
			inside = append(inside, in.caught(c)...)
			if in.catchesMissing(c) {
				guard = 1
			}
		case pyparse.KindElseClause:
			orelse = s.Body(c)
		case pyparse.KindFinallyClause:
			final = in.blockOf(c)
		}
	}
	in.guarded += guard
	saved := in.missing
	in.missing = false
	body := func() {
		in.handled = inside
		in.block(s.Body(n))
		in.handled = around
		if in.frame.flow == running {
			in.block(orelse)
		}
	}
	if guard == 1 {
		in.guardedTry(body, handlers)
	} else {
		alternatives := []func(){body}
		for _, h := range handlers {
			alternatives = append(alternatives, func() { in.handler(h) })
		}
		in.attempt(alternatives)
	}
	in.missing = saved
	in.guarded -= guard
	if in.frame.flow == running {
		in.block(final)
	}
}

// caught lists the exception classes that a handler names, without their modules.
func (in *interp) caught(clause pyparse.NodeID) []string {
	s := in.frame.file.Syntax
	var names []string
	for c := range s.Children(clause) {
		if s.Is(c, pyparse.KindBlock) {
			break
		}
		if s.Is(c, pyparse.KindAsPattern) {
			c = s.FirstChild(c)
		}
		types := []pyparse.NodeID{s.Unwrap(c)}
		if s.Is(types[0], pyparse.KindTuple) {
			types = s.ChildList(types[0])
		}
		for _, t := range types {
			if name, ok := s.DottedName(t); ok {
				names = append(names, lastName(name))
			}
		}
	}
	return names
}

// guardedTry runs a try whose handlers catch missing names: the handlers run only if the target release lacks a name that the
// body asks for.
func (in *interp) guardedTry(body func(), handlers []pyparse.NodeID) {
	body()
	if !in.missing {
		return
	}
	in.missing = false
	in.frame.flow = running
	for _, h := range handlers {
		in.handler(h)
		return
	}
}

// attempt runs the body of a try and its handlers as alternatives. What the body computed stays when a handler ends the
// function or raises, which is the usual shape.
func (in *interp) attempt(alternatives []func()) {
	if len(alternatives) == 1 {
		alternatives[0]()
		return
	}
	in.branches(alternatives...)
}

func (in *interp) handler(clause pyparse.NodeID) {
	s := in.frame.file.Syntax
	for c := range s.Descendants(clause) {
		if s.Is(c, pyparse.KindAsPatternTarget) {
			in.bindTarget(s.FirstChild(c), Unknown{})
			break
		}
		if s.Is(c, pyparse.KindBlock) {
			break
		}
	}
	in.block(in.blockOf(clause))
}

func (in *interp) blockOf(clause pyparse.NodeID) pyparse.NodeID {
	s := in.frame.file.Syntax
	for c := range s.Children(clause) {
		if s.Is(c, pyparse.KindBlock) {
			return c
		}
	}
	return pyparse.None
}

// catchesMissing reports whether an except clause is there for a missing module or name: it names what that raises, or it catches
// everything and then does without, rather than raising again.
func (in *interp) catchesMissing(clause pyparse.NodeID) bool {
	s := in.frame.file.Syntax
	broad := true
	for c := range s.Descendants(clause) {
		if s.Is(c, pyparse.KindBlock) {
			break
		}
		if s.Is(c, pyparse.KindIdentifier) {
			name := in.frame.file.text(c)
			if name != "Exception" && name != "BaseException" {
				if missingError(name) {
					return true
				}
				broad = false
			}
		}
	}
	return broad && !s.Is(lastStatement(s, in.blockOf(clause)), pyparse.KindRaiseStatement)
}

// missingError reports whether an exception class is raised for a missing module or name.
func missingError(name string) bool {
	switch name {
	case "ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException":
		return true
	}
	return false
}

// suppressesMissing reports whether a context manager is contextlib.suppress of the errors that a missing name raises.
func suppressesMissing(e *Event) bool { return slices.ContainsFunc(suppressed(e), missingError) }

// suppressed lists the exception classes that a context manager suppresses: the arguments of contextlib.suppress.
func suppressed(e *Event) []string {
	o, ok := e.Callee.(*Object)
	if !ok || o.Class != "contextlib.suppress" || o.Made == nil {
		return nil
	}
	var names []string
	for _, a := range o.Made.Pos {
		if x, ok := a.Value.(*Ext); ok {
			names = append(names, lastName(x.Name))
		}
	}
	return names
}
