package flow

import (
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// enumeration finds the members of a class that derives from one of Python's enumerations, in the order of its body. A member is
// kept as its value; what auto() stands for is known where it is the name in lower case.
func (in *interp) enumeration(c *Class, body pyparse.NodeID) {
	kind := ""
	for _, b := range c.Bases {
		if name := describe(b); strings.HasPrefix(name, "enum.") {
			kind = strings.TrimPrefix(name, "enum.")
		}
		if base, ok := b.(*Class); ok && base.enum != "" {
			kind = base.enum
		}
	}
	if c.enum = kind; kind == "" {
		return
	}
	s := in.frame.file.Syntax
	for stmt := range s.Children(body) {
		for n := range s.Children(stmt) {
			a, ok := s.Assignment(n)
			if !s.Is(n, pyparse.KindAssignment) || !ok || a.Value == pyparse.None || len(a.Targets) != 1 || !s.Is(a.Targets[0], pyparse.KindIdentifier) {
				continue
			}
			name := in.frame.file.text(a.Targets[0])
			if o, isObject := c.Attrs[name].(*Object); isObject && o.Class == "enum.auto" {
				c.Attrs[name] = Unknown{}
				if kind == "StrEnum" {
					c.Attrs[name] = &Str{S: strings.ToLower(name), At: in.ref(a.Targets[0])}
				}
			}
			c.members = append(c.members, name)
		}
	}
}

// enumerated lists the members of an enumeration.
func (c *Class) enumerated() []Value {
	var out []Value
	for _, name := range c.members {
		out = append(out, orUnknown(c.Attrs[name]))
	}
	return out
}

// memberOf is the member of an enumeration that has a value.
func (c *Class) memberOf(v Value) Value {
	for _, m := range c.enumerated() {
		if same, known := Equal(m, v); known && same {
			return m
		}
	}
	return Unknown{}
}
