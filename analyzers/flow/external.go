package flow

import "strings"

// external calls something of a library and records the event.
func (in *interp) external(e *Ext, c *Call) Value {
	if name, ok := strings.CutPrefix(e.Name, "builtins."); ok {
		return in.builtin(name, c)
	}
	c.ev = in.event(e.Name, c)
	v := in.library(e.Name, c)
	c.ev.Result = v
	return v
}

// library evaluates a library call by topic.
func (in *interp) library(name string, c *Call) Value {
	if v, ok := in.transformCall(name, c); ok {
		return v
	}
	if v, ok := in.shardingCall(name, c); ok {
		return v
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return in.generic(name, c)
	}
	base := name[dot+1:]
	switch name[:dot] {
	case "jax.lax":
		return in.laxCall(base, c)
	case "jax.numpy", "numpy":
		return in.numpyCall(name[:dot] == "numpy", base, c)
	case "jax.numpy.linalg", "numpy.linalg":
		return in.numpyCall(strings.HasPrefix(name, "numpy."), "linalg."+base, c)
	case "jax.random":
		return in.randomCall(base, c)
	case "jax.tree", "jax.tree_util":
		return in.treeCall(base, c)
	case "jax.nn":
		return in.nnCall(base, c)
	case "functools", "itertools", "operator", "math", "copy", "dataclasses":
		return in.standardCall(name, c)
	case "optax":
		return in.optaxCall(base, c)
	case trainStateName:
		return in.trainStateCall(base, c)
	}
	if v, ok := in.miscCall(name, c); ok {
		return v
	}
	return in.generic(name, c)
}

// generic is the result of a library call that has no rule of its own. A function of a library that works array by array
// gives something that varies where its arguments do; anything else gives an object that remembers its call.
func (in *interp) generic(name string, c *Call) Value {
	in.escape(c)
	if pureLibrary(name) && c.arg(-1, "axis_name") == nil {
		if a, ok := mergedResult(c); ok {
			a.(*Array).VarUpper = !exactLibrary(name)
			return a
		}
	}
	return &Object{Class: name, Made: c.ev}
}

// mergedResult is an array or tree of unknown shape that varies where the arguments of c do; ok is false when no argument is
// an array, or one is unknown.
func mergedResult(c *Call) (Value, bool) {
	if c.Splat {
		return nil, false
	}
	var some [8]*Array // most calls have fewer
	arrays := some[:0]
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, a := range list {
			var known bool
			if arrays, known = appendArrays(arrays, a.Value); !known {
				return nil, false
			}
		}
	}
	if len(arrays) == 0 {
		return nil, false
	}
	out := &Array{Tree: true}
	mergeFacts(out, arrays...)
	out.Memory = ""
	return out, true
}

// appendArrays adds the arrays among the leaves of v; known is false when a leaf may be an array of which nothing is known.
func appendArrays(arrays []*Array, v Value) (out []*Array, known bool) {
	leaves := []Value{v}
	switch v.(type) {
	case *Tuple, *List, *Dict, *Instance:
		leaves, _ = Leaves(v)
	}
	for _, leaf := range leaves {
		switch x := leaf.(type) {
		case *Array:
			arrays = append(arrays, x)
		case Unknown, *Object:
			return nil, false
		}
	}
	return arrays, true
}

// callObject calls an object of a library.
func (in *interp) callObject(o *Object, c *Call) Value {
	c.Recv = o
	c.ev = in.event(o.Class+".__call__", c)
	v := in.objectResult(o, "__call__", c)
	c.ev.Result = v
	return v
}

// objectResult is what a method of a library object returns.
func (in *interp) objectResult(o *Object, method string, c *Call) Value {
	if o.Class == unravelClass {
		return unravel(o, c)
	}
	if strings.HasPrefix(o.Class, "optax.") {
		return in.optaxMethod(o, method, c)
	}
	in.escape(c)
	if pureLibrary(o.Class) {
		if a, ok := mergedResult(c); ok {
			a.(*Array).VarUpper = true
			return a
		}
	}
	if o.Class == "jax.ffi.ffi_call" || o.Class == "jax.experimental.pallas.pallas_call" || o.Class == "jax.experimental.pallas.tpu.pallas_call" {
		return Unknown{}
	}
	if method == "__call__" {
		return Unknown{}
	}
	return &Object{Class: o.Class + "." + method, Made: c.ev}
}

// callExternalBase calls a method that a workspace class inherits from a library.
func (in *interp) callExternalBase(o *Instance, method string, c *Call) Value {
	base := foreignBase(o.Class)
	c.Recv = o
	c.ev = in.event(base+"."+method, c)
	v := Value(Unknown{})
	if a, ok := mergedResult(c); ok && pureLibrary(base) {
		a.(*Array).VarUpper = true
		v = a
	}
	switch method {
	case "_replace", "replace":
		v = in.replaced(o, c)
	case "apply", "init":
		if base == "flax.linen.Module" {
			in.linenApply(o, method, c)
		}
		if arr, ok := v.(*Array); ok && method == "apply" && (c.arg(-1, "mutable") != nil) {
			v = &Tuple{Elems: []Value{arr, arr}}
		}
	}
	c.ev.Result = v
	return v
}

// linenApply runs the __call__ of a Flax module for its events.
func (in *interp) linenApply(o *Instance, method string, c *Call) {
	fn, ok := in.classAttr(o.Class, "__call__")
	if !ok || len(c.Pos) == 0 {
		return
	}
	sub := &Call{At: c.At, Fn: c.Fn, Pos: c.Pos[1:], in: in, Splat: c.Splat}
	for _, a := range c.Kw {
		switch a.Name {
		case "rngs", "mutable", "method", "capture_intermediates":
		default:
			sub.Kw = append(sub.Kw, a)
		}
	}
	if m := c.value(-1, "method"); m != nil && !IsNone(m) {
		return
	}
	in.call(&Bound{Self: o, Fn: fn}, sub)
	_ = method
}

// replaced copies a dataclass or NamedTuple with some fields changed.
func (in *interp) replaced(o *Instance, c *Call) Value {
	out := &Instance{Class: o.Class, Attrs: map[string]Value{}, At: c.At, Open: o.Open || c.Splat}
	for k, v := range o.Attrs {
		out.Attrs[k] = v
	}
	for _, a := range c.Kw {
		out.Attrs[a.Name] = a.Value
	}
	return out
}

// standardCall evaluates functions of Python's standard library.
func (in *interp) standardCall(name string, c *Call) Value {
	switch name {
	case "functools.partial":
		if len(c.Pos) == 0 {
			return Unknown{}
		}
		if c.Splat {
			in.escape(c)
			return &Partial{Fn: c.Pos[0].Value, Pos: append([]Arg(nil), c.Pos[1:]...), Kw: c.Kw, At: c.At}
		}
		return &Partial{Fn: c.Pos[0].Value, Pos: append([]Arg(nil), c.Pos[1:]...), Kw: c.Kw, At: c.At}
	case "functools.wraps", "functools.lru_cache", "functools.cache", "functools.singledispatch":
		if len(c.Pos) == 1 && name != "functools.wraps" && name != "functools.lru_cache" {
			return c.Pos[0].Value
		}
		if fn, ok := c.value(0).(*Func); ok && name == "functools.lru_cache" {
			return fn
		}
		return &Ext{Name: "shardls.identity"}
	case "functools.reduce":
		return in.reduce(c)
	case "math.prod":
		elems, complete, ok := Elements(c.value(0))
		if !ok || !complete {
			return Unknown{}
		}
		total := Value(Int(1))
		for _, e := range elems {
			total = numberBinary("*", total, e)
		}
		return total
	case "math.ceil", "math.floor":
		if f, ok := number(c.value(0)); ok {
			i := int64(f)
			if name == "math.ceil" && float64(i) < f {
				i++
			} else if name == "math.floor" && float64(i) > f {
				i--
			}
			return Int(i)
		}
	case "itertools.chain":
		out := &Iterator{Kind: "chain", At: c.At, InFn: in.frame.fn}
		for _, a := range c.Pos {
			elems, complete, ok := in.iterate(a.Value)
			out.Open = out.Open || !ok || !complete
			out.Elems = append(out.Elems, elems...)
		}
		return out
	case "dataclasses.replace", "copy.replace":
		if o, ok := c.value(0).(*Instance); ok {
			return in.replaced(o, c)
		}
	case "copy.copy", "copy.deepcopy":
		return c.value(0)
	case "dataclasses.field":
		return &Object{Class: name, Made: c.ev}
	case "operator.add", "operator.sub", "operator.mul", "operator.truediv":
		op := map[string]string{"add": "+", "sub": "-", "mul": "*", "truediv": "/"}[name[len("operator."):]]
		if len(c.Pos) == 2 {
			return in.binary(op, c.Pos[0].Value, c.Pos[1].Value, c.At.Node)
		}
	}
	if a, ok := mergedResult(c); ok && name[:5] == "math." {
		return a
	}
	return Unknown{}
}

func (in *interp) reduce(c *Call) Value {
	elems, complete, ok := Elements(c.value(1))
	if !ok || !complete || len(elems) == 0 {
		return Unknown{}
	}
	total := elems[0]
	rest := elems[1:]
	if init := c.value(2); init != nil {
		total, rest = init, elems
	}
	for _, e := range rest {
		total = in.call(c.value(0), &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: total}, {Value: e}}, in: in})
	}
	return total
}
