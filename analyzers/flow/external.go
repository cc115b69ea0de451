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
	case "numpy.random":
		return in.numpyRandom(base, c)
	case "jax.numpy.linalg", "numpy.linalg":
		return in.numpyCall(strings.HasPrefix(name, "numpy."), "linalg."+base, c)
	case "jax.random":
		return in.randomCall(base, c)
	case "jax.tree", "jax.tree_util":
		return in.treeCall(base, c)
	case "jax.nn":
		return in.nnCall(base, c)
	case "functools", "itertools", "operator", "math", "copy", "dataclasses", "typing", "types", "collections":
		if v, ok := in.miscCall(name, c); ok {
			return v
		}
		return in.standardCall(name, c)
	case "shardls":
		if base == "itemgetter" || base == "attrgetter" {
			return in.picked(base == "attrgetter", c)
		}
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
			a.(*Array).VarUpper = a.(*Array).VarUpper || !exactLibrary(name)
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
	if o.Class == generatorClass {
		if v, ok := in.numpySample(method, c); ok {
			return v
		}
	}
	in.escape(c)
	kernel := strings.HasPrefix(o.Class, "jax.experimental.pallas.") || strings.HasPrefix(o.Class, "jax.ffi.")
	if pureLibrary(o.Class) {
		if a, ok := mergedResult(c); ok {
			a.(*Array).VarUpper = a.(*Array).VarUpper || !exactObject(o)
			a.(*Array).VarKnown = a.(*Array).VarKnown && !kernel // which may ask on which device it runs
			if method == "init" && strings.HasPrefix(o.Class, "flax.linen.") {
				a.(*Array).Made, a.(*Array).Commit = c.ev, in.unplaced(c)
			}
			return a
		}
	}
	if kernel {
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
		var result Value
		if base == "flax.linen.Module" {
			result = in.linenApply(o, c)
		}
		arr, ok := v.(*Array)
		if !ok {
			break
		}
		if method == "init" {
			arr.Made, arr.Commit = c.ev, in.unplaced(c)
			break
		}
		v = applied(result, arr)
		if c.arg(-1, "mutable") != nil {
			v = &Tuple{Elems: []Value{v, arr}}
		}
	}
	c.ev.Result = v
	return v
}

// unplaced is the commitment of what a library makes of the arguments of a call: they are fresh where all of these are, and no mesh is set.
func (in *interp) unplaced(c *Call) Commit {
	if !in.ctx.NewKnown || !in.ctx.LegacyKnown || in.ctx.New != nil || in.ctx.Legacy != nil {
		return CommitUnknown
	}
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, arg := range list {
			arrays, known := appendArrays(nil, arg.Value)
			for _, a := range arrays {
				known = known && (a.Commit == Fresh || a.Host)
			}
			if !known {
				return CommitUnknown
			}
		}
	}
	return Fresh
}

// linenApply runs the __call__ of a Flax module. What it returns knows nothing of the variables, which the library keeps.
func (in *interp) linenApply(o *Instance, c *Call) Value {
	fn, ok := in.classAttr(o.Class, "__call__")
	if !ok || len(c.Pos) == 0 {
		return Unknown{}
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
		return Unknown{}
	}
	return in.call(&Bound{Self: o, Fn: fn}, sub)
}

// applied is the result of a module's body together with what the variables and arguments say of it, which alone is known where the
// body is not.
func applied(body Value, merged *Array) Value {
	leaves, _ := Leaves(body)
	for _, l := range leaves {
		if a, ok := asArray(l); !ok || !a.VarKnown {
			return merged
		}
	}
	if len(leaves) == 0 {
		return merged
	}
	return mapTree(body, 0, func(leaf Value) Value {
		a, _ := asArray(leaf)
		out := a.derived()
		mergeFacts(out, a, merged)
		out.VarUpper = a.VarUpper
		return out
	})
}

// replaced copies a dataclass or NamedTuple with some fields changed.
func (in *interp) replaced(o *Instance, c *Call) Value {
	out := &Instance{Class: o.Class, Attrs: map[string]Value{}, At: c.At, Open: o.Open || c.Splat, lifts: o.lifts}
	for k, v := range o.Attrs {
		out.Attrs[k] = v
	}
	for _, a := range c.Kw {
		out.Attrs[a.Name] = a.Value
	}
	return out
}
