package flow

import (
	"slices"
	"strings"
)

// Equal is Python's == on what is known.
func Equal(a, b Value) (equal, known bool) {
	if IsUnknown(a) || IsUnknown(b) {
		return false, false
	}
	if a == b {
		return true, true
	}
	if x, ok := Integer(a); ok {
		if y, ok := Integer(b); ok {
			return x == y, true
		}
		if y, ok := b.(Float); ok {
			return Float(x) == y, true
		}
	}
	switch x := a.(type) {
	case Float:
		if y, ok := b.(Float); ok {
			return x == y, true
		}
		if y, ok := Integer(b); ok {
			return x == Float(y), true
		}
	case *Str:
		if y, ok := b.(*Str); ok {
			return x.S == y.S, true
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return equalElems(x.Elems, y.Elems, x.Open || y.Open)
		}
	case *List:
		if y, ok := b.(*List); ok {
			return equalElems(x.Elems, y.Elems, x.Open || y.Open)
		}
	case *Ext:
		if y, ok := b.(*Ext); ok {
			same := x.Name == y.Name
			return same, same || isAxisType(x.Name) && isAxisType(y.Name)
		}
	case *DType:
		return equalDType(x, b)
	case *Mesh:
		if y, ok := b.(*Mesh); ok {
			return equalMesh(x, y)
		}
	case *Spec:
		if y, ok := b.(*Spec); ok && x.Complete() && y.Complete() {
			return x.String() == y.String(), true
		}
	case *Sharding:
		if y, ok := b.(*Sharding); ok {
			return equalSharding(x, y)
		}
	case *Devices:
		if y, ok := b.(*Devices); ok {
			same, known := x.SameOrder(y)
			return same, known && same
		}
	}
	return differentConstants(a, b)
}

func equalDType(x *DType, b Value) (bool, bool) {
	if name := dtypeFrom(b); name != "" {
		return x.Name == name, true
	}
	return false, false
}

// differentConstants knows that constants of different types differ.
func differentConstants(a, b Value) (bool, bool) {
	return false, constantKind(a) != 0 && constantKind(b) != 0
}

func constantKind(v Value) int {
	switch v.(type) {
	case None:
		return 1
	case Bool, Int, Float:
		return 2
	case *Str:
		return 3
	case *Tuple:
		return 4
	case *List:
		return 5
	case *Func, *Class, *Module:
		return 6
	}
	return 0
}

func equalElems(a, b []Value, open bool) (equal, known bool) {
	if open {
		return false, false
	}
	if len(a) != len(b) {
		return false, true
	}
	known = true
	for i := range a {
		e, k := Equal(a[i], b[i])
		if k && !e {
			return false, true
		}
		known = known && k
	}
	return known, known
}

func equalMesh(x, y *Mesh) (equal, known bool) {
	if x.At == y.At && x.At.Valid() && x.Known && y.Known && sameAxes(x, y) {
		return true, true
	}
	if x.Known && y.Known && !sameAxes(x, y) {
		for i := range x.Axes {
			if len(x.Axes) != len(y.Axes) || x.Axes[i].Name != y.Axes[i].Name {
				return false, true
			}
		}
		return false, len(x.Axes) != len(y.Axes)
	}
	if x.Known && y.Known {
		if same, known := x.Devices.SameOrder(y.Devices); known {
			return same, true
		}
	}
	return false, false
}

func sameAxes(x, y *Mesh) bool {
	if len(x.Axes) != len(y.Axes) {
		return false
	}
	for i := range x.Axes {
		a, b := x.Axes[i], y.Axes[i]
		if a.Name != b.Name || a.Size != b.Size || a.Type != b.Type {
			return false
		}
	}
	return true
}

func equalSharding(x, y *Sharding) (equal, known bool) {
	if x.Kind != y.Kind {
		return false, false
	}
	if x.Mesh == nil || y.Mesh == nil || x.Spec == nil || y.Spec == nil {
		return false, false
	}
	m, mk := equalMesh(x.Mesh, y.Mesh)
	s, sk := Equal(x.Spec, y.Spec)
	if (mk && !m) || (sk && !s) {
		return false, true
	}
	return m && s && x.MemoryKind == y.MemoryKind, mk && sk
}

// Truth is Python's bool() on what is known.
func Truth(v Value) (truth, known bool) {
	switch v := v.(type) {
	case None:
		return false, true
	case Bool:
		return bool(v), true
	case Int:
		return v != 0, true
	case Float:
		return v != 0, true
	case *Str:
		return v.S != "", true
	case *Tuple:
		return len(v.Elems) > 0, len(v.Elems) > 0 || !v.Open
	case *List:
		return len(v.Elems) > 0, len(v.Elems) > 0 || !v.Open
	case *Set:
		return len(v.Elems) > 0, len(v.Elems) > 0 || !v.Open
	case *Dict:
		return len(v.Keys) > 0, len(v.Keys) > 0 || !v.Open
	case *Func, *Class, *Bound, *Partial, *Transformed, *Mesh, *Sharding, *Module:
		return true, true
	case *Devices: // there is always a device; a part of them, or an array of them, may be empty or have no truth
		return true, !v.Host && !slices.ContainsFunc(v.Ops, func(op string) bool { return op != reversal })
	case *Instance:
		_, hasBool := v.Class.Attrs["__bool__"]
		_, hasLen := v.Class.Attrs["__len__"]
		return true, !hasBool && !hasLen && len(v.Class.Bases) == 0
	}
	return false, false
}

// isAxisType reports whether a name is a member of jax.sharding.AxisType, which all differ.
func isAxisType(name string) bool { return strings.HasPrefix(name, "jax.sharding.AxisType.") }
