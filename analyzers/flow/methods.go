package flow

import (
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// callMethod calls a method of a built-in object.
func (in *interp) callMethod(m *Method, c *Call) Value {
	c.Recv = m.Recv
	switch r := m.Recv.(type) {
	case *Array:
		return in.callArrayMethod(r, m.Name, c)
	case *Str:
		return in.stringMethod(r, m.Name, c)
	case *List:
		return in.listMethod(r, m.Name, c)
	case *Dict:
		return in.dictMethod(r, m.Name, c)
	case *Tuple:
		return tupleMethod(r, m.Name, c)
	case *Set:
		return in.setMethod(r, m.Name, c)
	case *Devices:
		return in.devicesMethod(r, m.Name, c)
	case *Spec, *Sharding, *Mesh:
		return in.layoutMethod(r, m.Name, c)
	case *Transformed:
		return in.transformedMethod(r, m.Name, c)
	case *Object:
		if r.Class == "at" {
			return in.atMethod(r, "", c)
		}
		c.ev = in.event(r.Class+"."+m.Name, c)
		if m.Name == "enter_context" || m.Name == "enter_async_context" { // of contextlib.ExitStack: holds to the end of its block
			return in.enter(orUnknown(c.value(0, "cm")), c.ev)
		}
		v := in.objectResult(r, m.Name, c)
		c.ev.Result = v
		return v
	case *Method:
		if o, ok := r.Recv.(*Object); ok && o.Class == "at" {
			return in.atMethod(o, m.Name, c)
		}
		return Unknown{}
	case *Instance:
		return in.callExternalBase(r, m.Name, c)
	case *Class:
		return in.classMethod(r, m.Name, c)
	case *Super:
		if self, ok := r.Self.(*Instance); ok {
			in.initFields(r.Class, self, c)
		}
		return None{}
	case *Func:
		if m.Name == "def_partition" {
			in.event("custom_partitioning.def_partition", c)
		}
	case Int, Float:
		return Unknown{}
	}
	in.escape(c)
	return Unknown{}
}

// classMethod evaluates methods that classes inherit from a library.
func (in *interp) classMethod(k *Class, name string, c *Call) Value {
	c.ev = in.event(foreignBase(k)+"."+name, c)
	switch name {
	case "_make":
		if elems, complete, ok := in.iterate(orUnknown(c.value(0))); ok && complete {
			call := &Call{At: c.At, Fn: c.Fn, in: in}
			for _, e := range elems {
				call.Pos = append(call.Pos, Arg{Value: e})
			}
			return in.instantiate(k, call)
		}
	case "create":
		return &Object{Class: foreignBase(k) + ".create", Made: c.ev}
	}
	return Unknown{}
}

// callArrayMethod evaluates a method of an array, or of a tree of unknown structure.
func (in *interp) callArrayMethod(a *Array, name string, c *Call) Value {
	c.ev = in.event("jax.Array."+name, c)
	v := in.arrayMethodResult(a, name, c)
	c.ev.Result = v
	return v
}

// sequence is the argument of a method that takes a sequence whole or spread out: x.reshape((2, 3)) and x.reshape(2, 3).
func (c *Call) sequence(names ...string) Value {
	if len(c.Pos) < 2 {
		return c.value(0, names...)
	}
	t := &Tuple{}
	for _, p := range c.Pos {
		t.Elems = append(t.Elems, p.Value)
	}
	return t
}

func (in *interp) arrayMethodResult(a *Array, name string, c *Call) Value {
	switch name {
	case "sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "argmax", "argmin":
		return in.reduceCall(name, c, a, 0)
	case "reshape":
		v := in.reshapeCall(c, a, c.sequence("shape"))
		if out, ok := v.(*Array); ok {
			return in.placedOut(out, c)
		}
		return v
	case "transpose":
		return in.transposeCall(c, a, c.sequence())
	case "astype":
		out := a.derived()
		out.Grad, out.Commit, out.Gather, out.Sum = a.Grad, a.Commit, a.Gather, a.Sum
		out.DType = dtypeFrom(orUnknown(c.value(0, "dtype")))
		out.Weak = false
		out.Sharding = nil
		return out
	case "block_until_ready", "copy", "conj":
		return a
	case "ravel", "flatten":
		out := a.derived()
		out.Grad, out.Commit = a.Grad, a.Commit
		out.Tree = false
		out.Dims, out.RankKnown = []int64{a.Size()}, true
		return out
	case "squeeze":
		out := a.derived()
		out.Commit, out.Grad = a.Commit, a.Grad
		out.Dims, out.RankKnown = squeezed(a, c.value(0, "axis"))
		return out
	case "swapaxes", "cumsum", "cumprod", "sort", "argsort", "repeat", "take", "clip", "round", "diagonal", "trace", "view":
		out := a.derived()
		out.Commit = a.Commit
		if name != "clip" && name != "round" && name != "sort" {
			out.Dims, out.RankKnown = nil, false
		}
		return out
	case "dot":
		b := orUnknown(c.value(0))
		return in.arrayBinary("@", a, b, c.At)
	case "item", "tolist", "addressable_shards", "devices", "is_deleted", "delete":
		return Unknown{}
	case "addressable_data":
		return &Array{Host: false, VarKnown: true, Commit: Committed}
	case "get":
		if !a.Tree {
			return Unknown{}
		}
		part := a.clone()
		part.Part = true
		return part
	case "keys":
		return &List{Open: true}
	case "items":
		if a.Tree {
			e := a.clone()
			e.Part = true
			return &Iterator{Kind: "items", Elems: []Value{&Tuple{Elems: []Value{Unknown{}, e}}}, Open: true, At: c.At}
		}
	case "values":
		if a.Tree {
			e := a.clone()
			e.Part = true
			return &Iterator{Kind: "values", Elems: []Value{e}, Open: true, At: c.At}
		}
	case "replace", "_replace", "update", "apply_gradients", "pop":
		return in.treeMethod(a, c)
	}
	return Unknown{}
}

// treeMethod is a method of a tree node of unknown structure that returns such a node.
func (in *interp) treeMethod(a *Array, c *Call) Value {
	if !a.Tree || c.Splat {
		return Unknown{}
	}
	arrays := []*Array{a}
	var grad *Gradient
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, p := range list {
			leaves, _ := Leaves(p.Value)
			for _, l := range leaves {
				if x, ok := l.(*Array); ok {
					arrays = append(arrays, x)
					if x.Grad != nil {
						grad = x.Grad
					}
				} else if IsUnknown(l) {
					return Unknown{}
				}
			}
		}
	}
	out := &Array{Tree: true, Made: c.ev}
	mergeFacts(out, arrays...)
	if grad != nil {
		in.update(out, a, grad, c.ev)
	}
	return out
}

// atMethod evaluates x.at[i].set(v) and its relatives.
func (in *interp) atMethod(o *Object, name string, c *Call) Value {
	a, ok := o.Attrs["array"].(*Array)
	if !ok {
		return Unknown{}
	}
	c.Recv = o
	c.ev = in.event("jax.Array.at."+name, c)
	out := a.derived()
	out.Made, out.Commit = c.ev, a.Commit
	if name == "get" {
		v := indexArray(a, o.Attrs["index"])
		c.ev.Result = v
		if x, isArray := v.(*Array); isArray {
			return in.placedOut(x, c)
		}
		return v
	}
	if b, ok := asArray(orUnknown(c.value(0, "values"))); ok {
		mergeFacts(out, a, b)
	} else {
		out.VarKnown = false
	}
	c.ev.Result = out
	return out
}

func (in *interp) stringMethod(s *Str, name string, c *Call) Value {
	arg, hasArg := String(c.value(0))
	switch name {
	case "lower":
		return &Str{S: strings.ToLower(s.S), At: s.At}
	case "upper":
		return &Str{S: strings.ToUpper(s.S), At: s.At}
	case "strip":
		return &Str{S: strings.TrimSpace(s.S), At: s.At}
	case "startswith":
		if hasArg {
			return Bool(strings.HasPrefix(s.S, arg))
		}
	case "endswith":
		if hasArg {
			return Bool(strings.HasSuffix(s.S, arg))
		}
	case "split":
		var parts []string
		if hasArg && arg != "" {
			parts = strings.Split(s.S, arg)
		} else if len(c.Pos) == 0 {
			parts = strings.Fields(s.S)
		} else {
			return Unknown{}
		}
		l := &List{}
		for _, p := range parts {
			l.Elems = append(l.Elems, &Str{S: p, At: s.At})
		}
		return l
	case "join":
		return in.joined(s, orUnknown(c.value(0)))
	case "replace":
		to, ok := String(c.value(1))
		if hasArg && ok {
			if text, ok := replaced(s.S, arg, to); ok {
				return &Str{S: text, At: s.At}
			}
		}
	case "format":
		return formatString(s, c)
	case "removeprefix":
		if hasArg {
			return &Str{S: strings.TrimPrefix(s.S, arg), At: s.At}
		}
	case "removesuffix":
		if hasArg {
			return &Str{S: strings.TrimSuffix(s.S, arg), At: s.At}
		}
	}
	return Unknown{}
}

// joined is separator.join(parts).
func (in *interp) joined(separator *Str, parts Value) Value {
	elems, complete, ok := in.iterate(parts)
	if !ok || !complete {
		return Unknown{}
	}
	var texts []string
	size := 0
	for _, e := range elems {
		text, ok := String(e)
		if size += len(text) + len(separator.S); !ok || size > maxText {
			return Unknown{}
		}
		texts = append(texts, text)
	}
	return &Str{S: strings.Join(texts, separator.S), At: separator.At}
}

// replaced is text with other text instead of old; ok is false where that takes too much room.
func replaced(text, old, other string) (out string, ok bool) {
	if len(text)+strings.Count(text, old)*len(other) > max(maxText, len(text)) {
		return "", false
	}
	return strings.ReplaceAll(text, old, other), true
}

func formatString(s *Str, c *Call) Value {
	out := s.S
	for i, a := range c.Pos {
		text, ok := formatted(a.Value)
		if !ok {
			return Unknown{}
		}
		if strings.Contains(out, "{}") {
			out = strings.Replace(out, "{}", text, 1)
		} else {
			out, ok = replaced(out, "{"+itoa(int64(i))+"}", text)
		}
		if !ok || len(out) > maxText {
			return Unknown{}
		}
	}
	for _, a := range c.Kw {
		text, ok := formatted(a.Value)
		if ok {
			out, ok = replaced(out, "{"+a.Name+"}", text)
		}
		if !ok {
			return Unknown{}
		}
	}
	if strings.ContainsAny(out, "{}") || c.Splat {
		return Unknown{}
	}
	return &Str{S: out, At: s.At}
}

func (in *interp) listMethod(l *List, name string, c *Call) Value {
	switch name {
	case "append":
		in.touchList(l)
		l.Elems = append(l.Elems, orUnknown(c.value(0)))
		return None{}
	case "extend":
		in.extendList(l, orUnknown(c.value(0)))
		return None{}
	case "insert":
		in.touchList(l)
		i, ok := Integer(c.value(0))
		if !ok || i < 0 || i > int64(len(l.Elems)) {
			l.Open, l.Elems = true, nil
			return None{}
		}
		l.Elems = append(append(append([]Value(nil), l.Elems[:i]...), orUnknown(c.value(1))), l.Elems[i:]...)
		return None{}
	case "pop":
		in.touchList(l)
		if len(l.Elems) == 0 || l.Open {
			return Unknown{}
		}
		i := int64(len(l.Elems) - 1)
		if v := c.value(0); v != nil {
			k, ok := Integer(v)
			if !ok || k < 0 || k >= int64(len(l.Elems)) {
				l.Open, l.Elems = true, nil
				return Unknown{}
			}
			i = k
		}
		v := l.Elems[i]
		l.Elems = append(append([]Value(nil), l.Elems[:i]...), l.Elems[i+1:]...)
		return v
	case "reverse":
		in.touchList(l)
		out := make([]Value, len(l.Elems))
		for i, e := range l.Elems {
			out[len(out)-1-i] = e
		}
		l.Elems = out
		return None{}
	case "copy":
		return &List{Elems: append([]Value(nil), l.Elems...), Open: l.Open}
	case "clear":
		in.touchList(l)
		l.Elems, l.Open = nil, false
		return None{}
	case "sort", "remove":
		in.touchList(l)
		l.Elems, l.Open = nil, true
		return None{}
	case "index", "count":
		return tupleMethod(&Tuple{Elems: l.Elems, Open: l.Open}, name, c)
	}
	return Unknown{}
}

func tupleMethod(t *Tuple, name string, c *Call) Value {
	switch name {
	case "index":
		for i, e := range t.Elems {
			eq, known := Equal(e, orUnknown(c.value(0)))
			if !known {
				return Unknown{}
			}
			if eq {
				return Int(i)
			}
		}
	case "count":
		n := 0
		for _, e := range t.Elems {
			eq, known := Equal(e, orUnknown(c.value(0)))
			if !known || t.Open {
				return Unknown{}
			}
			if eq {
				n++
			}
		}
		return Int(n)
	}
	return Unknown{}
}

func (in *interp) setMethod(s *Set, name string, c *Call) Value {
	switch name {
	case "union", "intersection", "difference", "symmetric_difference":
		op := map[string]string{"union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^"}[name]
		return in.setBinary(op, s, orUnknown(c.value(0)))
	case "copy":
		return &Set{Elems: s.Elems, Open: s.Open, Frozen: s.Frozen}
	case "issubset", "issuperset", "isdisjoint":
		return setTest(name, s, orUnknown(c.value(0)))
	}
	in.changeSet(s, name, c)
	if name == "pop" {
		return Unknown{}
	}
	return None{}
}

// changeSet evaluates a method that changes a set. What another method does to it is unknown.
func (in *interp) changeSet(s *Set, name string, c *Call) {
	in.touchSet(s)
	one := []Value{orUnknown(c.value(0))}
	var out *Set
	switch name {
	case "clear":
		s.Elems, s.Open = nil, false
		return
	case "add":
		out = in.setBinary("|", s, &Tuple{Elems: one})
	case "discard", "remove":
		out = in.setBinary("-", s, &Tuple{Elems: one})
	case "update":
		out = in.setBinary("|", s, one[0])
	case "difference_update":
		out = in.setBinary("-", s, one[0])
	case "intersection_update":
		out = in.setBinary("&", s, one[0])
	}
	if out == nil || len(c.Pos) != 1 {
		out = &Set{Open: true}
	}
	s.Elems, s.Open = out.Elems, out.Open
}

// setTest compares a set with another collection.
func setTest(name string, s *Set, with Value) Value {
	other, complete, ok := Elements(with)
	if !ok || !complete || s.Open {
		return Unknown{}
	}
	left, right := s.Elems, other
	if name == "issuperset" {
		left, right = other, s.Elems
	}
	for _, e := range left {
		found, known := contains(&Tuple{Elems: right}, e)
		if !known {
			return Unknown{}
		}
		if found == (name == "isdisjoint") {
			return Bool(false)
		}
	}
	return Bool(true)
}

func (in *interp) dictMethod(d *Dict, name string, c *Call) Value {
	switch name {
	case "get":
		if v, ok := d.Get(orUnknown(c.value(0))); ok {
			return v
		}
		if d.Open || constantKind(orUnknown(c.value(0))) == 0 {
			return Unknown{}
		}
		return orDefault(c.value(1), None{})
	case "items":
		it := &Iterator{Kind: "items", Open: d.Open, At: c.At}
		for i, k := range d.Keys {
			it.Elems = append(it.Elems, &Tuple{Elems: []Value{k, d.Vals[i]}})
		}
		return it
	case "keys":
		return &List{Elems: d.Keys, Open: d.Open}
	case "values":
		return &List{Elems: d.Vals, Open: d.Open}
	case "copy":
		return &Dict{Keys: append([]Value(nil), d.Keys...), Vals: append([]Value(nil), d.Vals...), Open: d.Open}
	case "update":
		in.touchDict(d)
		if v := c.value(0); v != nil {
			in.dictUpdate(d, v)
		}
		for _, a := range c.Kw {
			dictPut(d, &Str{S: a.Name}, a.Value)
		}
		return None{}
	case "setdefault":
		if v, ok := d.Get(orUnknown(c.value(0))); ok {
			return v
		}
		in.touchDict(d)
		v := orDefault(c.value(1), None{})
		dictPut(d, orUnknown(c.value(0)), v)
		if d.Open {
			return Unknown{}
		}
		return v
	case "pop":
		return in.dictPop(d, c)
	}
	return Unknown{}
}

// dictPop takes a key out of a dict; where it is not known which one goes, nothing is known of the rest.
func (in *interp) dictPop(d *Dict, c *Call) Value {
	v, ok := d.Get(orUnknown(c.value(0)))
	in.touchDict(d)
	if !ok {
		if !d.Open && constantKind(orUnknown(c.value(0))) != 0 {
			return orDefault(c.value(1), Unknown{})
		}
		d.Keys, d.Vals, d.Open = nil, nil, true
		return Unknown{}
	}
	out := &Dict{}
	for i, k := range d.Keys {
		if eq, _ := Equal(k, c.value(0)); !eq {
			out.Keys, out.Vals = append(out.Keys, k), append(out.Vals, d.Vals[i])
		}
	}
	d.Keys, d.Vals = out.Keys, out.Vals
	return v
}

func (in *interp) devicesMethod(d *Devices, name string, c *Call) Value {
	c.ev = in.event("devices."+name, c)
	switch name {
	case "reshape":
		return in.reshapeCall(c, d, c.sequence("shape"))
	case "transpose":
		return in.transposeCall(c, d, c.sequence())
	case "flatten", "ravel":
		return d.flattened()
	case "copy", "tolist", "astype":
		return d
	case "swapaxes":
		return d.transposed([]int64{1, 0})
	case "squeeze":
		out := *d
		out.Dims = nil
		return &out
	}
	return Unknown{}
}

// layoutMethod evaluates methods of specs, shardings and meshes.
func (in *interp) layoutMethod(v Value, name string, c *Call) Value {
	c.ev = in.event("jax.sharding."+layoutName(v)+"."+name, c)
	switch x := v.(type) {
	case *Sharding:
		switch name {
		case "with_memory_kind", "with_spec", "update":
			out := *x
			out.At = c.At
			if k, ok := c.value(0, "memory_kind", "kind").(*Str); ok && name != "with_spec" {
				out.MemoryKind = k.S
			}
			if s, ok := c.value(0, "spec").(*Spec); ok && name == "with_spec" {
				out.Spec = s
			} else if s, ok := c.value(-1, "spec").(*Spec); ok {
				out.Spec = s
			}
			if out.Spec != x.Spec {
				in.meet(out.Spec, out.Mesh, MeetSharding, c.ev, false)
			}
			return &out
		}
	case *Spec:
		if name == "update" || name == "_normalized_spec_for_aval" {
			return &Spec{}
		}
		if name == "index" || name == "count" {
			if elems, complete, _ := x.values(); complete {
				return tupleMethod(&Tuple{Elems: elems}, name, c)
			}
		}
	case *Mesh:
		if name == "__enter__" && c.Fn.Valid() {
			object := Ref{File: c.Fn.File, Node: c.Fn.File.Syntax.Child(c.Fn.Node, pyparse.FieldObject)}
			return in.enter(x, in.event("with", &Call{At: object, Fn: c.Fn, Callee: x}))
		}
		if name == "update" || name == "update_axis_types" {
			return &Mesh{}
		}
	}
	return Unknown{}
}

func layoutName(v Value) string {
	switch v.(type) {
	case *Sharding:
		return "Sharding"
	case *Spec:
		return "PartitionSpec"
	}
	return "Mesh"
}

// transformedMethod evaluates methods of wrapped functions such as lower and defvjp.
func (in *interp) transformedMethod(t *Transformed, name string, c *Call) Value {
	c.ev = in.event("jax."+t.Kind+"."+name, c)
	switch name {
	case "lower", "trace", "eval_shape":
		sub := *c
		sub.Recv, sub.ev = nil, nil
		v := in.callTransformed(t, &sub)
		if name == "eval_shape" {
			return v
		}
		return &Object{Class: "jax.stages.Lowered", Made: c.ev}
	case "defvjp", "defjvp", "def_vmap":
		return None{}
	}
	return Unknown{}
}
