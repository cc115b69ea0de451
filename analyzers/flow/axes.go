package flow

import (
	"slices"
	"strings"
)

// AxisSet is a sorted set of axis names. The zero value is the empty set; sets are never changed in place.
type AxisSet []string

// Axes builds a set from names in any order.
func Axes(names ...string) AxisSet {
	s := slices.Clone(names)
	slices.Sort(s)
	return AxisSet(slices.Compact(s))
}

// Has reports whether name is in s.
func (s AxisSet) Has(name string) bool {
	return slices.Contains(s, name)
}

// Union returns the names in s or t.
func (s AxisSet) Union(t AxisSet) AxisSet {
	switch {
	case len(t) == 0:
		return s
	case len(s) == 0:
		return t
	case s.Covers(t):
		return s
	}
	return Axes(append(slices.Clone([]string(s)), t...)...)
}

// Minus returns the names in s that are not in t.
func (s AxisSet) Minus(t AxisSet) AxisSet {
	if !s.Meets(t) {
		return s
	}
	var out AxisSet
	for _, name := range s {
		if !t.Has(name) {
			out = append(out, name)
		}
	}
	return out
}

// And returns the names in both.
func (s AxisSet) And(t AxisSet) AxisSet {
	var out AxisSet
	for _, name := range s {
		if t.Has(name) {
			out = append(out, name)
		}
	}
	return out
}

// Covers reports whether every name of t is in s.
func (s AxisSet) Covers(t AxisSet) bool {
	for _, name := range t {
		if !s.Has(name) {
			return false
		}
	}
	return true
}

// Meets reports whether s and t share a name.
func (s AxisSet) Meets(t AxisSet) bool {
	for _, name := range t {
		if s.Has(name) {
			return true
		}
	}
	return false
}

// Equal reports whether s and t hold the same names.
func (s AxisSet) Equal(t AxisSet) bool { return slices.Equal(s, t) }

// String lists the quoted names for messages: "data", "model".
func (s AxisSet) String() string { return Quoted(s) }

// Quoted lists names with quotes around each, for messages.
func Quoted(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('"')
		b.WriteString(name)
		b.WriteByte('"')
	}
	return b.String()
}
