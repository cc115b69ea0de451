package flow

// Transformed is a function wrapped by a transformation of JAX. Kind is "jit", "pjit", "shard_map", "smap", "pmap", "vmap",
// "grad", "value_and_grad", "jacrev", "jacfwd", "hessian", "checkpoint", "custom_vjp", "eval_shape", "auto_axes",
// "explicit_axes", "custom_partitioning", "vjp" (the function that vjp returns), "lifted_scan" and "lifted_vmap" (classes of Flax
// modules) or "wrapped" (runs the function as it is).
type Transformed struct {
	Kind  string
	Fn    Value
	Make  *Event // the call that made it
	Map   *ManualCall
	Grads *vjpState

	called bool
	args   *Call
}

// Arg returns an argument of the transformation itself, such as in_shardings.
func (t *Transformed) Arg(pos int, names ...string) *Arg {
	if t.args == nil {
		return nil
	}
	return t.args.arg(pos, names...)
}

// Value returns the value of an argument of the transformation, nil when it was not passed.
func (t *Transformed) Value(pos int, names ...string) Value {
	if t.args == nil {
		return nil
	}
	return t.args.value(pos, names...)
}

// vjpState is what the function returned by vjp needs.
type vjpState struct {
	primals []Value
	loss    Value
	event   *Event
	region  *Region
}

// binds reports whether the wrapper binds self when found in a class, as functions do.
func (t *Transformed) binds() bool {
	switch t.Kind {
	case "jit", "pjit", "checkpoint", "pmap", "wrapped", "custom_vjp", "custom_jvp", "vmap", "grad", "value_and_grad", "shard_map":
		return true
	}
	return false
}

// transformKinds maps names to kinds.
func transformKind(name string) string {
	switch name {
	case "jax.jit", "flax.nnx.jit", "equinox.filter_jit", "flax.linen.jit":
		return "jit"
	case "jax.experimental.pjit.pjit":
		return "pjit"
	case "jax.shard_map", "jax.experimental.shard_map.shard_map", "flax.nnx.shard_map":
		return "shard_map"
	case "jax.smap":
		return "smap"
	case "jax.pmap", "flax.nnx.pmap", "equinox.filter_pmap":
		return "pmap"
	case "jax.vmap", "flax.nnx.vmap", "equinox.filter_vmap":
		return "vmap"
	case "jax.grad", "flax.nnx.grad", "equinox.filter_grad":
		return "grad"
	case "jax.value_and_grad", "flax.nnx.value_and_grad", "equinox.filter_value_and_grad":
		return "value_and_grad"
	case "jax.jacrev", "jax.jacobian":
		return "jacrev"
	case "jax.jacfwd":
		return "jacfwd"
	case "jax.hessian":
		return "hessian"
	case "jax.checkpoint", "flax.linen.remat", "flax.linen.checkpoint", "flax.nnx.remat", "equinox.filter_checkpoint":
		return "checkpoint"
	case "jax.custom_vjp", "jax.custom_jvp", "jax.custom_gradient", "jax.custom_batching.custom_vmap":
		return "custom_vjp"
	case "jax.named_call", "jax.profiler.annotate_function", "jax.disable_jit", "jax.make_jaxpr", "jax.linearize":
		return "wrapped"
	case "flax.linen.scan":
		return "lifted_scan"
	case "flax.linen.vmap":
		return "lifted_vmap"
	case "jax.sharding.auto_axes":
		return "auto_axes"
	case "jax.sharding.explicit_axes":
		return "explicit_axes"
	case "jax.experimental.custom_partitioning.custom_partitioning":
		return "custom_partitioning"
	}
	return ""
}

// transformCall evaluates the call of a transformation.
func (in *interp) transformCall(name string, c *Call) (Value, bool) {
	switch name {
	case "jax.vjp", "equinox.filter_vjp":
		return in.vjp(c), true
	case "jax.jvp", "jax.linearize":
		return in.jvp(c), true
	case "jax.eval_shape", "equinox.filter_eval_shape", "flax.nnx.eval_shape":
		return in.evalShape(c), true
	case "shardls.identity":
		return c.value(0), true
	}
	kind := transformKind(name)
	if kind == "" || isLift(kind) && !liftsClass(c.value(0)) {
		return nil, false
	}
	fn := c.arg(0, "fun", "f")
	if fn == nil || !callable(fn.Value) {
		if fn == nil && !c.Splat { // a decorator with keywords only
			return &Partial{Fn: &Ext{Name: name, Path: callPath(c, name)}, Kw: c.Kw, At: c.At}, true
		}
		if fn == nil {
			return Unknown{}, true
		}
	}
	t := &Transformed{Kind: kind, Fn: fn.Value, Make: c.ev, args: c.keep()}
	switch kind {
	case "shard_map", "smap", "pmap":
		t.Map = in.manualCall(kind, name, t, c)
		in.facts.Manuals = append(in.facts.Manuals, t.Map)
	}
	if in.importing == 0 {
		switch kind {
		case "shard_map", "smap", "pmap", "jit", "pjit", "auto_axes":
			in.pending = append(in.pending, t)
		}
	}
	return t, true
}

func callPath(c *Call, name string) string {
	if e, ok := c.Callee.(*Ext); ok {
		return e.path()
	}
	return name
}

func callable(v Value) bool {
	switch v.(type) {
	case *Func, *Bound, *Partial, *Transformed, *Class, *Ext, *Method, *Instance, *Object, Unknown:
		return true
	}
	return false
}

// unknownCall is a call with unknown arguments for every parameter that the function is known to take.
func (in *interp) unknownCall(t *Transformed) *Call {
	c := &Call{in: in, open: true, At: t.Make.At}
	fn := t.Fn
	skip := 0
	for {
		switch f := fn.(type) {
		case *Bound:
			fn = f.Fn
			skip++
			continue
		case *Transformed:
			fn = f.Fn
			continue
		case *Partial:
			fn = f.Fn
			skip += len(f.Pos)
			continue
		case *Func:
			if f.Class != nil && !f.Static && skip == 0 && len(f.Params) > 0 && f.Params[0].Name == "self" {
				c.Pos = append(c.Pos, Arg{Value: in.selfOf(f.Class)})
				skip++
			}
			for i, p := range f.Params {
				if i < skip || p.Kind == VarKwargs || p.Kind == KeywordOnly {
					continue
				}
				if p.Kind == VarArgs || openDefault(p) != nil {
					break
				}
				c.Pos = append(c.Pos, Arg{Value: in.annotated(p, f)})
			}
		}
		return c
	}
}

// within runs f in a region.
func (in *interp) within(r *Region, f func() Value) Value {
	saved := in.region
	r.Parent = saved
	in.region = r
	v := f()
	in.region = saved
	return v
}

// callTransformed calls a transformed function.
func (in *interp) callTransformed(t *Transformed, c *Call) Value {
	t.called = true
	if in.depth >= maxDepth {
		return Unknown{}
	}
	c.Callee = t
	c.ev = in.event("call."+t.Kind, c)
	in.depth++
	v := in.applyTransform(t, c)
	in.depth--
	c.ev.Result = v
	return v
}

func (in *interp) applyTransform(t *Transformed, c *Call) Value {
	switch t.Kind {
	case "jit", "pjit":
		return in.callJit(t, c)
	case "shard_map", "smap":
		return in.callManual(t, c)
	case "pmap":
		return in.callPmap(t, c)
	case "vmap":
		return in.callVmap(t, c)
	case "grad", "value_and_grad", "jacrev", "jacfwd", "hessian":
		return in.callGrad(t, c)
	case "vjp":
		return in.callVjp(t, c)
	case "checkpoint":
		return in.within(&Region{Kind: RematRegion, At: c.At, Call: c.ev}, func() Value { return in.forward(t.Fn, c) })
	case "auto_axes", "explicit_axes":
		return in.callAxes(t, c)
	case "lifted_scan", "lifted_vmap":
		return in.lift(t, c)
	}
	return in.forward(t.Fn, c)
}

// forward calls fn with the arguments of c.
func (in *interp) forward(fn Value, c *Call) Value {
	sub := *c
	sub.Recv, sub.ev = nil, nil
	sub.Stmt = false
	return in.call(fn, &sub)
}

// callJit runs the body of a jitted function.
func (in *interp) callJit(t *Transformed, c *Call) Value {
	in.placeJitInputs(t, c)
	sub := *c
	sub.Pos = in.laidOut(t, in.tracedArgs(c.Pos))
	sub.Kw = in.tracedArgs(c.Kw)
	ctx := in.ctx
	if t.Kind == "pjit" { // pjit reads only the legacy context (JAX 0.10.2)
		in.ctx.New = nil
	}
	v := in.within(&Region{Kind: JitRegion, At: t.Make.At, Call: c.ev}, func() Value { return in.forward(t.Fn, &sub) })
	in.ctx = ctx
	return in.placeJitOutputs(t, c, v)
}

// tracedArgs drops what does not survive tracing: who made an array.
func (in *interp) tracedArgs(args []Arg) []Arg {
	out := make([]Arg, len(args))
	copy(out, args)
	for i := range out {
		if a, ok := out[i].Value.(*Array); ok && a.Made != nil {
			x := a.clone()
			x.Made = nil
			x.Copy = nil
			out[i].Value = x
		}
	}
	return out
}

// callVmap runs the body of a mapped function without the mapped dimension.
func (in *interp) callVmap(t *Transformed, c *Call) Value {
	axes := t.Value(1, "in_axes")
	sub := *c
	sub.Pos = append([]Arg(nil), c.Pos...)
	for i := range sub.Pos {
		if axis := prefixAt(axes, i, Int(0)); !IsNone(axis) {
			sub.Pos[i].Value = marked(dropDim(sub.Pos[i].Value, axis), c.ev)
		}
	}
	sub.Kw = append([]Arg(nil), c.Kw...)
	for i := range sub.Kw {
		sub.Kw[i].Value = marked(dropDim(sub.Kw[i].Value, Int(0)), c.ev)
	}
	r := &Region{Kind: VmapRegion, At: t.Make.At, Call: c.ev, Size: -1}
	bindAxis(r, t.Value(3, "axis_name"))
	v := in.within(r, func() Value { return in.forward(t.Fn, &sub) })
	return addDim(v)
}

// bindAxis binds the axis_name argument of a mapping.
func bindAxis(r *Region, name Value) {
	switch v := name.(type) {
	case nil, None:
	case *Str:
		r.Binds = append(r.Binds, v.S)
	default:
		r.BindsOpen = true
	}
}

// prefixAt is the entry for argument i of a prefix such as in_axes.
func prefixAt(axes Value, i int, absent Value) Value {
	switch v := axes.(type) {
	case nil:
		return absent
	case *Tuple:
		if i < len(v.Elems) {
			return v.Elems[i]
		}
		return Unknown{}
	case *List:
		if i < len(v.Elems) {
			return v.Elems[i]
		}
		return Unknown{}
	}
	return axes
}

// dropDim removes the mapped dimension from every leaf.
func dropDim(v Value, axis Value) Value {
	if IsNone(axis) {
		return v
	}
	return mapTree(v, 0, func(leaf Value) Value {
		a, ok := leaf.(*Array)
		if !ok {
			return leaf
		}
		out := a.clone()
		out.Made, out.Input = nil, a.Input
		i, known := Integer(axis)
		if !known || a.Rank() <= 0 {
			out.RankKnown, out.Dims = false, nil
			return out
		}
		if i < 0 {
			i += int64(len(a.Dims))
		}
		if i < 0 || i >= int64(len(a.Dims)) {
			out.RankKnown, out.Dims = false, nil
			return out
		}
		out.Dims = append(append([]int64{}, a.Dims[:i]...), a.Dims[i+1:]...)
		return out
	})
}

// addDim puts a dimension of unknown size in front of every leaf.
func addDim(v Value) Value {
	return mapArrays(v, func(a *Array) Value {
		out := a.clone()
		out.Sharding, out.Weak = nil, false
		if a.RankKnown {
			out.Dims = append([]int64{-1}, a.Dims...)
		}
		return out
	})
}

// callAxes runs a function under auto_axes or explicit_axes.
func (in *interp) callAxes(t *Transformed, c *Call) Value {
	r := &Region{Kind: AxesRegion, At: t.Make.At, Call: c.ev, Explicit: t.Kind == "explicit_axes"}
	if names, ok := Names(t.Value(-1, "axes")); ok {
		for _, n := range names {
			r.Axes = r.Axes.Union(Axes(n.S))
		}
	}
	sub := *c
	sub.Kw = nil
	for _, a := range c.Kw {
		if a.Name != "out_sharding" && a.Name != "in_sharding" {
			sub.Kw = append(sub.Kw, a)
		}
	}
	v := in.within(r, func() Value { return in.forward(t.Fn, &sub) })
	out := t.Value(-1, "out_sharding", "out_shardings")
	if k := c.value(-1, "out_sharding"); k != nil {
		out = k
	}
	if t.Kind == "auto_axes" && out != nil {
		return in.applySharding(v, out)
	}
	return v
}

// evalShape runs a function for its shapes alone.
func (in *interp) evalShape(c *Call) Value {
	if len(c.Pos) == 0 {
		return Unknown{}
	}
	sub := *c
	sub.Pos = c.Pos[1:]
	v := in.within(&Region{Kind: JitRegion, At: c.At, Call: c.ev}, func() Value { return in.forward(c.Pos[0].Value, &sub) })
	return mapArrays(v, func(a *Array) Value {
		out := a.derived()
		out.Static, out.Made = true, c.ev
		return out
	})
}
