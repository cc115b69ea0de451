package flow

import "strings"

// isInstance decides isinstance for types that are known.
func (in *interp) isInstance(c *Call) Value {
	v, class := c.value(0), c.value(1)
	classes := []Value{class}
	if t, ok := class.(*Tuple); ok {
		classes = t.Elems
	}
	if namesType(class, "builtins.tuple") {
		in.event("op.isinstance", c)
	}
	known := true
	for _, k := range classes {
		yes, ok := instanceOf(v, k)
		if ok && yes {
			return Bool(true)
		}
		known = known && ok
	}
	if !known {
		return Unknown{}
	}
	return Bool(false)
}

// namesType reports whether a class argument of isinstance is or holds a library type.
func namesType(class Value, name string) bool {
	if e, ok := class.(*Ext); ok {
		return e.Name == name
	}
	t, ok := class.(*Tuple)
	if !ok {
		return false
	}
	for _, e := range t.Elems {
		if namesType(e, name) {
			return true
		}
	}
	return false
}

func instanceOf(v, class Value) (yes, known bool) {
	if c, ok := class.(*Class); ok {
		if c.enum != "" { // its members are kept as their values
			return false, false
		}
		i, isInst := v.(*Instance)
		if !isInst {
			return false, constantKind(v) != 0
		}
		return derives(i.Class, c), derives(i.Class, c) || !hasForeignBase(i.Class)
	}
	e, ok := class.(*Ext)
	if !ok || IsUnknown(v) {
		return false, false
	}
	if want := typeNames(v); want != nil {
		for _, t := range want {
			if t == e.Name {
				return true, true
			}
		}
		return false, strings.HasPrefix(e.Name, "builtins.") || strings.HasPrefix(e.Name, "jax.sharding.")
	}
	return false, false
}

func derives(c, base *Class) bool {
	if c == base || c.At == base.At {
		return true
	}
	for _, b := range c.ancestors() {
		if k, ok := b.(*Class); ok && (k == base || k.At == base.At) {
			return true
		}
	}
	return false
}

// typeNames lists the library types of a value, nil when unknown. A PartitionSpec is no tuple since 0.6.1.
func typeNames(v Value) []string {
	switch v := v.(type) {
	case *Str:
		return []string{"builtins.str", "builtins.object"}
	case Int:
		return []string{"builtins.int", "builtins.object"}
	case Bool:
		return []string{"builtins.bool", "builtins.int", "builtins.object"}
	case Float:
		return []string{"builtins.float", "builtins.object"}
	case *Tuple:
		return []string{"builtins.tuple", "builtins.object", "collections.abc.Sequence", "typing.Sequence"}
	case *List:
		return []string{"builtins.list", "builtins.object", "collections.abc.Sequence", "typing.Sequence"}
	case *Dict:
		return []string{"builtins.dict", "builtins.object", "collections.abc.Mapping", "typing.Mapping"}
	case *Set:
		return []string{"builtins.set", "builtins.frozenset", "builtins.object"}
	case None:
		return []string{"builtins.object"}
	case *Spec:
		return []string{"jax.sharding.PartitionSpec", "builtins.object"}
	case *Mesh:
		if v.Abstract {
			return []string{"jax.sharding.AbstractMesh", "builtins.object"}
		}
		return []string{"jax.sharding.Mesh", "builtins.object"}
	case *Sharding:
		return []string{v.Kind, "jax.sharding.Sharding", "builtins.object"}
	}
	return nil
}

// hasAttr answers for library names from the table of releases.
func (in *interp) hasAttr(c *Call) Value {
	name, ok := String(c.value(1))
	if !ok {
		return Unknown{}
	}
	switch o := c.value(0).(type) {
	case *Ext:
		path := o.path() + "." + name
		if _, listed := tables().releases[path]; listed || strings.HasPrefix(path, "jax") {
			return Bool(Exists(path, in.rel))
		}
	case *Instance:
		if v, ok := o.Attrs[name]; ok && v != nil {
			return Bool(true)
		}
		if _, ok := in.classAttr(o.Class, name); ok {
			return Bool(true)
		}
		if !o.Open && !hasForeignBase(o.Class) {
			return Bool(false)
		}
	}
	return Unknown{}
}

func (in *interp) getAttrCall(c *Call) Value {
	name, ok := String(c.value(1))
	if !ok {
		return Unknown{}
	}
	obj := c.value(0)
	if e, isExt := obj.(*Ext); isExt {
		path := e.path() + "." + name
		if !Exists(path, in.rel) {
			if d := c.value(2); d != nil {
				return d
			}
			in.recordName(path, c.At, false)
			in.noteMissing(path)
			return Unknown{}
		}
		if c.value(2) == nil {
			in.recordName(path, c.At, false)
		}
		return in.constantOf(ext(path))
	}
	if i, isInst := obj.(*Instance); isInst && c.value(2) != nil {
		if v, ok := i.Attrs[name]; ok && v != nil {
			return v
		}
		if v, ok := in.classAttr(i.Class, name); ok {
			return in.bind(v, i, c.At)
		}
		if i.Open || hasForeignBase(i.Class) {
			return Unknown{}
		}
		return c.value(2)
	}
	return in.getAttr(obj, name, c.At)
}
