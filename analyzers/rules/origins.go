package rules

import (
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

const maxOrigins = 64 // expressions that one value is followed back through

// origins lists the expressions that a value is made from: the expression itself, what was assigned to its names and attributes,
// what functions of the file return, and the arguments that callers pass for parameters.
type origins struct {
	seen  map[flow.Ref]bool
	nodes []flow.Ref
}

// originsOf follows the expression at a place, evaluated in a frame, back to what it is made from.
func originsOf(at flow.Ref, unit *flow.Unit) []flow.Ref {
	o := &origins{seen: map[flow.Ref]bool{}}
	o.expression(at, unit)
	return o.nodes
}

func (o *origins) expression(at flow.Ref, unit *flow.Unit) {
	if !at.Valid() || o.seen[at] || len(o.nodes) >= maxOrigins {
		return
	}
	o.seen[at] = true
	o.nodes = append(o.nodes, at)
	s := at.File.Syntax
	for n := range s.Descendants(at.Node) {
		if !s.Is(n, pyparse.KindIdentifier) {
			continue
		}
		if s.FieldOf(n) == pyparse.FieldAttribute {
			o.attribute(flow.Ref{File: at.File, Node: n}, unit)
			continue
		}
		symbol := s.Resolve(n)
		if symbol == nil {
			continue
		}
		for _, b := range symbol.Bindings {
			o.binding(at.File, b, unit)
		}
	}
}

func (o *origins) binding(f *flow.File, b pyparse.Binding, unit *flow.Unit) {
	s := f.Syntax
	switch b.Kind {
	case pyparse.BindAssignment, pyparse.BindAugmented:
		o.expression(flow.Ref{File: f, Node: s.Child(b.Source, pyparse.FieldRight)}, unit)
	case pyparse.BindFor:
		o.expression(flow.Ref{File: f, Node: s.Child(b.Source, pyparse.FieldRight)}, unit)
	case pyparse.BindFunction:
		o.returned(f, b.Source)
	case pyparse.BindParameter:
		o.parameter(s.Text(b.Node), flow.Ref{File: f, Node: b.Node}, unit)
	}
}

// attribute follows self.name to what the file assigns to attributes of that name, and to the method of that name.
func (o *origins) attribute(name flow.Ref, unit *flow.Unit) {
	s, text := name.File.Syntax, name.Text()
	if object := s.Child(s.Parent(name.Node), pyparse.FieldObject); s.Text(object) != "self" {
		return
	}
	for n := range s.Descendants(0) {
		switch s.KindOf(n) {
		case pyparse.KindAssignment:
			left := s.Child(n, pyparse.FieldLeft)
			if s.Is(left, pyparse.KindAttribute) && s.Text(s.Child(left, pyparse.FieldAttribute)) == text {
				o.expression(flow.Ref{File: name.File, Node: s.Child(n, pyparse.FieldRight)}, unit)
			}
		case pyparse.KindFunctionDefinition:
			if method, _ := s.Name(n); method == text {
				o.returned(name.File, n)
			}
		}
	}
}

// returned follows what a function returns or yields.
func (o *origins) returned(f *flow.File, function pyparse.NodeID) {
	s := f.Syntax
	for n := range s.Descendants(s.Body(function)) {
		if s.Is(n, pyparse.KindReturnStatement, pyparse.KindYield) {
			o.expression(flow.Ref{File: f, Node: n}, nil)
		}
	}
}

// parameter follows a parameter to the argument of the call that entered its function.
func (o *origins) parameter(name string, at flow.Ref, unit *flow.Unit) {
	for ; unit != nil; unit = unit.Caller {
		fn := unit.Func
		if fn == nil || !fn.At.Contains(at) {
			continue
		}
		position := -1
		for i, p := range fn.Params {
			if p.Name == name {
				position = i
				o.expression(p.DefaultAt, unit.Caller)
			}
		}
		if fn.Class != nil && !fn.Static {
			position--
		}
		if !isKind(unit.Call, pyparse.KindCall) {
			return
		}
		arguments := unit.Call.File.Syntax.Arguments(unit.Call.Node)
		for i, a := range arguments {
			if unit.Call.File == fn.At.File && a.Value == fn.At.Node {
				position += i + 1 // a function that maps its first argument over those behind it
			}
		}
		for i, a := range arguments {
			if a.Name == name || a.Name == "" && i == position {
				o.expression(flow.Ref{File: unit.Call.File, Node: a.Value}, unit.Caller)
			}
		}
		return
	}
}

// calledIn reports whether one of the calls stands in one of the expressions.
func calledIn(nodes []flow.Ref, events []*flow.Event) bool {
	for _, e := range events {
		for _, n := range nodes {
			if n.Contains(e.At) {
				return true
			}
		}
	}
	return false
}
