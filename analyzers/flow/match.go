package flow

import (
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// matchStatement runs the first case that certainly matches and the earlier ones that may, of which exactly one happens.
func (in *interp) matchStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	var subjects []Value
	for c := range s.ChildrenIn(n, pyparse.FieldSubject) {
		subjects = append(subjects, in.eval(c))
	}
	subject := Value(&Tuple{Elems: subjects})
	if len(subjects) == 1 {
		subject = subjects[0]
	}
	tested := subject
	if test := processTest(subject, nil); test != nil { // a pattern compares the index of the process
		tested = test
	}
	var alternatives []func()
	for c := range s.ChildrenIn(s.Child(n, pyparse.FieldBody), pyparse.FieldAlternative) {
		m := &matching{in: in}
		fits := m.clause(c, subject)
		if fits == No {
			continue
		}
		body := s.Child(c, pyparse.FieldConsequence)
		run := func() {
			m.bind()
			in.condition(n, tested, true, func() { in.block(body) })
		}
		if fits == Yes && len(alternatives) == 0 {
			run()
			return
		}
		alternatives = append(alternatives, run)
		if fits == Yes {
			in.branches(alternatives...)
			return
		}
	}
	in.branches(append(alternatives, func() {})...)
}

// matching is one attempt to match a value with the pattern of a case, and the names that it captures.
type matching struct {
	in    *interp
	names []string
	vals  []Value
}

func (m *matching) capture(name string, v Value) {
	if name != "_" {
		m.names, m.vals = append(m.names, name), append(m.vals, v)
	}
}

func (m *matching) bind() {
	for i, name := range m.names {
		m.in.bindName(name, m.vals[i])
	}
}

// clause decides whether a case applies: its pattern matches and its guard holds.
func (m *matching) clause(n pyparse.NodeID, v Value) Tri {
	s := m.in.frame.file.Syntax
	var patterns []pyparse.NodeID
	guard := s.Child(n, pyparse.FieldGuard)
	for c := range s.Children(n) {
		if s.Is(c, pyparse.KindCasePattern) {
			patterns = append(patterns, c)
		}
	}
	var fits Tri
	if len(patterns) == 1 {
		fits = m.pattern(patterns[0], v)
	} else {
		fits = m.sequence(patterns, v)
	}
	if guard == pyparse.None || fits == No {
		return fits
	}
	holds, known := false, false
	m.in.try(func() {
		m.bind()
		holds, known = Truth(m.in.eval(s.FirstChild(guard)))
	})
	switch {
	case known && !holds:
		return No
	case known:
		return fits
	}
	return Maybe
}

func (m *matching) pattern(n pyparse.NodeID, v Value) Tri {
	s := m.in.frame.file.Syntax
	switch s.KindOf(n) {
	case pyparse.KindCasePattern:
		child := s.FirstChild(n)
		switch {
		case child == pyparse.None || s.Text(n) == "_":
			return Yes
		case strings.HasPrefix(s.Text(n), "-"):
			return equals(v, m.in.unary("-", m.in.eval(child)))
		}
		return m.pattern(child, v)
	case pyparse.KindDottedName:
		return m.dotted(n, v)
	case pyparse.KindUnionPattern:
		fits := No
		for c := range s.Children(n) {
			switch m.pattern(c, v) {
			case Yes:
				return Yes
			case Maybe:
				fits = Maybe
			}
		}
		return fits
	case pyparse.KindAsPattern:
		parts := s.ChildList(n)
		m.capture(s.Text(parts[len(parts)-1]), v)
		return m.pattern(parts[0], v)
	case pyparse.KindListPattern, pyparse.KindTuplePattern:
		return m.sequence(s.ChildList(n), v)
	case pyparse.KindDictPattern:
		return m.mapping(n, v)
	case pyparse.KindClassPattern:
		return m.class(n, v)
	case pyparse.KindString, pyparse.KindConcatenatedString, pyparse.KindInteger, pyparse.KindFloat, pyparse.KindNone, pyparse.KindTrue, pyparse.KindFalse:
		return equals(v, m.in.eval(n))
	}
	m.unknown(n)
	return Maybe
}

// equals is a comparison of a value with a constant pattern.
func equals(v, pattern Value) Tri {
	equal, known := Equal(v, pattern)
	if !known {
		return Maybe
	}
	return TriOf(equal)
}

// dotted is a name that captures, or the path of a constant.
func (m *matching) dotted(n pyparse.NodeID, v Value) Tri {
	s := m.in.frame.file.Syntax
	parts := s.ChildList(n)
	if len(parts) == 1 {
		m.capture(s.Text(parts[0]), v)
		return Yes
	}
	return equals(v, m.path(n))
}

func (m *matching) path(n pyparse.NodeID) Value {
	s := m.in.frame.file.Syntax
	value := Value(nil)
	for part := range s.Children(n) {
		if value == nil {
			value, _ = m.in.lookup(s.Text(part))
			continue
		}
		value = m.in.getAttr(value, s.Text(part), m.in.ref(n))
	}
	return value
}

// sequence matches the elements of a sequence, of which one pattern may take any number.
func (m *matching) sequence(patterns []pyparse.NodeID, v Value) Tri {
	s := m.in.frame.file.Syntax
	star := -1
	for i, p := range patterns {
		if s.Is(p, pyparse.KindSplatPattern) || s.Is(s.FirstChild(p), pyparse.KindSplatPattern) {
			star = i
		}
	}
	var elems []Value
	switch x := v.(type) {
	case *Tuple, *List:
		listed, complete, _ := Elements(x)
		if !complete {
			return m.unknowns(patterns)
		}
		elems = listed
	case *Str, Int, Float, Bool, None, *Dict, *Set:
		return No
	default:
		return m.unknowns(patterns)
	}
	if star < 0 && len(elems) != len(patterns) || len(elems) < len(patterns)-1 {
		return No
	}
	fits := Yes
	for i, p := range patterns {
		switch {
		case i == star:
			rest := len(elems) - len(patterns) + 1
			m.capture(strings.TrimLeft(s.Text(p), "* "), &List{Elems: elems[i : i+rest]})
			continue
		case star >= 0 && i > star:
			fits = both(fits, m.pattern(p, elems[len(elems)-len(patterns)+i]))
		default:
			fits = both(fits, m.pattern(p, elems[i]))
		}
	}
	return fits
}

// both is the conjunction of two verdicts.
func both(a, b Tri) Tri {
	switch {
	case a == No || b == No:
		return No
	case a == Yes && b == Yes:
		return Yes
	}
	return Maybe
}

// mapping matches the keys of a dict.
func (m *matching) mapping(n pyparse.NodeID, v Value) Tri {
	s := m.in.frame.file.Syntax
	d, ok := v.(*Dict)
	if !ok {
		if constantKind(v) != 0 {
			return No
		}
		m.unknown(n)
		return Maybe
	}
	fits := Yes
	key := Value(Unknown{})
	for c := range s.Children(n) {
		switch {
		case s.FieldOf(c) == pyparse.FieldKey:
			key = m.in.eval(c)
		case s.Is(c, pyparse.KindSplatPattern):
			m.capture(strings.TrimLeft(s.Text(c), "* "), &Dict{Open: true})
		default:
			value, has := d.Get(key)
			switch {
			case has:
				fits = both(fits, m.pattern(c, value))
			case d.Open || constantKind(key) == 0:
				m.unknown(c)
				fits = both(fits, Maybe)
			default:
				return No
			}
		}
	}
	return fits
}

// class matches an object of a class of the workspace, or of a built-in type, and its attributes.
func (m *matching) class(n pyparse.NodeID, v Value) Tri {
	s := m.in.frame.file.Syntax
	parts := s.ChildList(n)
	class := m.path(parts[0])
	fits := Maybe
	if is, known := instanceOf(v, class); known {
		fits = TriOf(is)
	}
	if fits == No {
		return No
	}
	inst, _ := v.(*Instance)
	for i, p := range parts[1:] {
		inner := s.FirstChild(p)
		attr := Value(Unknown{})
		switch {
		case s.Is(inner, pyparse.KindKeywordPattern):
			keyword := s.ChildList(inner)
			if inst != nil {
				attr = m.in.getAttr(inst, s.Text(keyword[0]), m.in.ref(p))
			}
			p = keyword[1]
		case inst != nil && i < len(inst.Class.Fields):
			attr = orUnknown(inst.Attrs[inst.Class.Fields[i].Name])
		case inst == nil && len(parts) == 2:
			attr = v // str(name) and its like capture the value itself
		}
		fits = both(fits, m.pattern(p, attr))
	}
	return fits
}

// unknown captures what a pattern names without knowing what it stands for.
func (m *matching) unknown(n pyparse.NodeID) { m.unknowns([]pyparse.NodeID{n}) }

func (m *matching) unknowns(patterns []pyparse.NodeID) Tri {
	s := m.in.frame.file.Syntax
	for _, p := range patterns {
		for c := range s.Descendants(p) {
			if s.Is(c, pyparse.KindDottedName) && len(s.ChildList(c)) == 1 {
				m.capture(s.Text(c), Unknown{})
			}
		}
	}
	return Maybe
}
