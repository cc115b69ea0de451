package flow

// AxisNames reads an axis_name argument; known is false when a name is not known.
func AxisNames(v Value) (names []string, known bool) {
	switch v := v.(type) {
	case *Str:
		return []string{v.S}, true
	case *Tuple, *List, *Set:
		elems, complete, _ := Elements(v)
		known = complete
		for _, e := range elems {
			if s, ok := e.(*Str); ok {
				names = append(names, s.S)
			} else if !IsNone(e) {
				known = false
			}
		}
		return names, known
	}
	return nil, false
}

// laxCall evaluates functions of jax.lax.
func (in *interp) laxCall(name string, c *Call) Value {
	switch name {
	case "psum", "pmean", "pmax", "pmin":
		return in.reduction(name, c)
	case "psum_scatter", "all_gather", "all_to_all", "ppermute", "pshuffle", "pswapaxes", "pbroadcast", "all_gather_invariant", "ragged_all_to_all":
		return in.exchange(name, c)
	case "pcast", "pvary":
		return in.cast(name, c)
	case "axis_index":
		return in.axisIndex(c)
	case "axis_size":
		return in.axisSize(c)
	case "scan":
		return in.scan(c)
	case "fori_loop":
		return in.foriLoop(c)
	case "while_loop":
		return in.whileLoop(c)
	case "cond", "switch":
		return in.cond(name, c)
	case "map":
		return in.laxMap(c)
	case "stop_gradient":
		return mapTree(orUnknown(c.value(0, "x")), 0, func(leaf Value) Value {
			a, ok := leaf.(*Array)
			if !ok {
				return leaf
			}
			out := a.clone()
			out.Reduced, out.Wrt = nil, nil
			return out
		})
	case "optimization_barrier":
		return orUnknown(c.value(0))
	case "dynamic_slice", "dynamic_slice_in_dim", "dynamic_index_in_dim", "slice", "slice_in_dim", "rev", "sort", "top_k", "dynamic_update_slice",
		"dynamic_update_slice_in_dim", "dynamic_update_index_in_dim", "convert_element_type", "bitcast_convert_type", "reshape", "transpose",
		"broadcast", "broadcast_in_dim", "expand_dims", "squeeze", "dot_general", "dot", "full", "iota", "broadcasted_iota", "concatenate", "reduce", "full_like", "zeros_like_array", "batch_matmul", "pad", "select", "cumsum", "argmax", "argmin":
		return in.laxArray(name, c)
	}
	if elementwise(name) {
		return in.elementwiseCall(name, false, c)
	}
	return in.generic("jax.lax."+name, c)
}

// reduction evaluates psum, pmean, pmax and pmin: the result is equal along the axes.
func (in *interp) reduction(kind string, c *Call) Value {
	names, known := AxisNames(orUnknown(c.value(1, "axis_name")))
	if g := c.value(-1, "axis_index_groups"); g != nil && !IsNone(g) {
		known = false
	}
	for _, n := range names {
		bound, _ := in.region.Bound(n)
		known = known && (bound || in.region.Open())
	}
	x := orUnknown(c.value(0, "x"))
	if _, isInt := Integer(x); isInt && kind == "psum" {
		return in.axisProduct(names, known)
	}
	if _, isFloat := x.(Float); isFloat {
		return scalar("float32")
	}
	return mapOnlyArrays(x, func(a *Array) Value {
		out := a.clone()
		out.Made, out.Gather, out.Ratio, out.Update, out.Input, out.Label = c.ev, nil, nil, nil, nil, ""
		out.Weak = false
		out.VarKnown = a.VarKnown && known
		out.Var = a.Var.Minus(Axes(names...))
		noteReduction(out, a, names, kind, c.ev)
		return out
	})
}

// noteReduction records on out that a collective reduced a over axes, and on the gradient that a holds.
func noteReduction(out, a *Array, axes []string, kind string, e *Event) {
	if a.Grad != nil {
		g := *a.Grad
		for _, axis := range axes {
			g.Outer = append(g.Outer[:len(g.Outer):len(g.Outer)], &Reduction{Axis: axis, Kind: kind, Event: e})
		}
		out.Grad = &g
	}
	for _, axis := range axes {
		out.Reduced = mergeReductions(out.Reduced, []*Reduction{{Axis: axis, Kind: kind, Event: e}})
	}
}

// axisProduct is psum(1, axes): the number of devices along them.
func (in *interp) axisProduct(names []string, known bool) Value {
	if n := in.devicesAlong(names); known && n >= 0 {
		return Int(n)
	}
	return scalar("int32")
}

// sizeOfAxis is the size of a mesh axis that the surrounding manual regions bind, -1 when unknown.
func (in *interp) sizeOfAxis(name string) int64 { return in.region.AxisSize(name) }

// AxisSize is the number of devices along a bound axis, -1 when unknown.
func (r *Region) AxisSize(name string) int64 {
	for ; r != nil; r = r.Parent {
		if r.Kind == ManualRegion && r.Own.Has(name) {
			return r.Mesh.Size(name)
		}
		for _, b := range r.Binds {
			if b == name {
				return r.Size
			}
		}
	}
	return -1
}

// exchange evaluates the collectives whose result still differs along the axis.
func (in *interp) exchange(kind string, c *Call) Value {
	if kind == "ppermute" {
		in.permutation(c)
	}
	names, known := AxisNames(orUnknown(c.value(exchangeAxis(kind), "axis_name")))
	to, _ := String(c.value(-1, "to"))
	return mapOnlyArrays(orUnknown(c.value(0, "x", "operand")), func(a *Array) Value {
		out := a.derived()
		out.Made = c.ev
		out.VarKnown = a.VarKnown && known
		out.Var = a.Var.Union(Axes(names...))
		out.Touched = out.Touched.Union(out.Var)
		switch kind {
		case "all_gather", "all_gather_invariant":
			out.Gather = c.ev
			if to == "invarying" || kind == "all_gather_invariant" {
				out.Var = a.Var.Minus(Axes(names...))
			}
			in.gatherShape(out, a, names, c)
		case "psum_scatter":
			noteReduction(out, a, names, kind, c.ev)
			in.scatterShape(out, a, names, c)
		case "ppermute", "pshuffle", "pbroadcast":
		default:
			out.Dims, out.RankKnown = nil, false
		}
		return out
	})
}

// permutation consumes the permutation of a ppermute. An iterator yields its pairs once: a second use, or one kept outside of
// the traced function, gives zeros.
func (in *interp) permutation(c *Call) {
	it, ok := orUnknown(c.value(2, "perm")).(*Iterator)
	if !ok || it.Kind == "range" || it.Kind == "items" || it.Kind == "values" {
		return
	}
	outlives := it.InFn == nil && in.frame.fn != nil
	c.ev.Reused = in.replaying == 0 && (it.Used > 0 || outlives)
	in.touchIter(it)
	it.Used++
}

func exchangeAxis(kind string) int {
	if kind == "ragged_all_to_all" {
		return -1
	}
	return 1
}

// devicesAlong multiplies the sizes of axes, -1 where one is unknown.
func (in *interp) devicesAlong(names []string) int64 {
	n := int64(1)
	for _, name := range names {
		size := in.sizeOfAxis(name)
		if size < 0 {
			return -1
		}
		n *= size
	}
	return n
}

// gatherShape multiplies the gathered dimension (tiled) or inserts one.
func (in *interp) gatherShape(out, a *Array, names []string, c *Call) {
	if a.Rank() < 0 {
		return
	}
	n := in.devicesAlong(names)
	axis, ok := Integer(orDefault(c.value(-1, "axis"), Int(0)))
	tiled, tknown := Truth(orDefault(c.value(-1, "tiled"), Bool(false)))
	if !tknown || !ok {
		out.Dims, out.RankKnown = nil, false
		return
	}
	rank := int64(a.Rank())
	if !tiled {
		rank++
	}
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		out.Dims, out.RankKnown = nil, false
		return
	}
	if !tiled {
		dims := append([]int64{}, a.Dims[:axis]...)
		dims = append(dims, n)
		out.Dims = append(dims, a.Dims[axis:]...)
		return
	}
	out.Dims = append([]int64{}, a.Dims...)
	if n < 0 || out.Dims[axis] < 0 {
		out.Dims[axis] = -1
	} else {
		out.Dims[axis] *= n
	}
}

func (in *interp) scatterShape(out, a *Array, names []string, c *Call) {
	if a.Rank() < 0 {
		return
	}
	n := in.devicesAlong(names)
	axis, ok := Integer(orDefault(c.value(-1, "scatter_dimension"), Int(0)))
	tiled, tknown := Truth(orDefault(c.value(-1, "tiled"), Bool(false)))
	if axis < 0 {
		axis += int64(a.Rank())
	}
	if !tknown || !ok || axis < 0 || axis >= int64(a.Rank()) {
		out.Dims, out.RankKnown = nil, false
		return
	}
	if !tiled {
		out.Dims = append(append([]int64{}, a.Dims[:axis]...), a.Dims[axis+1:]...)
		return
	}
	out.Dims = append([]int64{}, a.Dims...)
	if n > 0 && out.Dims[axis] >= 0 && out.Dims[axis]%n == 0 {
		out.Dims[axis] /= n
	} else {
		out.Dims[axis] = -1
	}
}

func orDefault(v, fallback Value) Value {
	if v == nil {
		return fallback
	}
	return v
}

// cast evaluates pcast and pvary.
func (in *interp) cast(name string, c *Call) Value {
	names, known := AxisNames(orUnknown(c.value(1, "axis_name")))
	to := "varying"
	if name == "pcast" {
		s, ok := String(c.value(-1, "to"))
		known = known && ok
		to = s
	}
	return mapOnlyArrays(orUnknown(c.value(0, "x")), func(a *Array) Value {
		out := a.clone()
		out.Weak = false
		out.VarKnown = a.VarKnown && known
		if to == "varying" {
			out.Var = a.Var.Union(Axes(names...))
			out.Touched = out.Touched.Union(out.Var)
			out.Gather = nil
		}
		return out
	})
}

func (in *interp) axisIndex(c *Call) Value {
	names, known := AxisNames(orUnknown(c.value(0, "axis_name")))
	out := scalar("int32")
	out.Weak = false
	out.Var, out.VarKnown = Axes(names...), known
	out.Touched = out.Var
	out.Made = c.ev
	return out
}

func (in *interp) axisSize(c *Call) Value {
	names, known := AxisNames(orUnknown(c.value(0, "axis_name")))
	v := in.axisProduct(names, known)
	if _, ok := v.(Int); ok {
		return v
	}
	return Unknown{}
}

// carry runs one iteration of a loop body twice when what varies grows, so that the second iteration is seen too.
func (in *interp) carry(c *Call, init Value, body func(Value) (next, out Value)) (last, out Value) {
	r := &Region{Kind: LoopRegion, At: c.At, Call: c.ev}
	var next Value
	in.within(r, func() Value {
		next, out = body(settle(init))
		return nil
	})
	in.facts.Carries = append(in.facts.Carries, &Carry{Event: c.ev, Before: init, After: next})
	if grows(init, next) {
		in.replaying++
		defer func() { in.replaying-- }()
		in.within(r, func() Value {
			last, out = body(joinVarying(init, next))
			return nil
		})
		return firstUpdates(next, last), out
	}
	return next, out
}

// firstUpdates is what a loop leaves, with the updates of its first iteration where later ones update their results: what a parameter
// was before is what it was when the loop began.
func firstUpdates(first, last Value) Value {
	old, _ := Leaves(first)
	now, _ := Leaves(last)
	if len(old) != len(now) {
		return last
	}
	i := -1
	return mapTree(last, 0, func(leaf Value) Value {
		i++
		a, isArray := leaf.(*Array)
		before, wasArray := old[min(i, len(old)-1)].(*Array)
		if !isArray || !wasArray || a.Update == nil || before.Update == nil {
			return leaf
		}
		out := a.clone()
		out.Update = before.Update
		return out
	})
}

// settle turns the numbers of an initial carry into arrays.
func settle(v Value) Value {
	return mapTree(v, 0, func(leaf Value) Value {
		switch leaf.(type) {
		case Int, Float, Bool:
			a, _ := asArray(leaf)
			return a
		}
		if a, ok := leaf.(*Array); ok {
			out := a.clone()
			out.Made, out.Copy, out.Input = nil, nil, a.Input
			return out
		}
		return leaf
	})
}

// grows reports whether a leaf varies over more axes after an iteration.
func grows(before, after Value) bool {
	b, _ := Leaves(before)
	a, _ := Leaves(after)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, xok := asArray(b[i])
		y, yok := asArray(a[i])
		if xok && yok && x.VarKnown && y.VarKnown && !x.Var.Covers(y.Var) {
			return true
		}
	}
	return false
}

// joinVarying is the carry after any number of iterations, as far as varying axes go.
func joinVarying(before, after Value) Value {
	a, _ := Leaves(after)
	i := 0
	return mapTree(settle(before), 0, func(leaf Value) Value {
		x, ok := leaf.(*Array)
		if !ok || i >= len(a) {
			i++
			return leaf
		}
		y, ok := asArray(a[i])
		i++
		if !ok {
			return leaf
		}
		out := x.clone()
		mergeFacts(out, x, y)
		out.Made = nil
		return out
	})
}

func (in *interp) scan(c *Call) Value {
	f, init, xs := orUnknown(c.value(0, "f")), orUnknown(c.value(1, "init")), c.value(2, "xs")
	if xs == nil {
		xs = None{}
	}
	x := firstRow(xs)
	last, y := in.carry(c, init, func(carry Value) (Value, Value) {
		r := in.call(f, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: carry}, {Value: x}}, in: in})
		return pairOf(r)
	})
	return &Tuple{Elems: []Value{last, stacked(y, xs)}}
}

// firstRow is one element along the leading dimension of every leaf.
func firstRow(xs Value) Value {
	return mapTree(xs, 0, func(leaf Value) Value {
		a, ok := leaf.(*Array)
		if !ok {
			return leaf
		}
		out := a.clone()
		out.Made = nil
		if a.Rank() > 0 {
			out.Dims = a.Dims[1:]
		} else {
			out.Dims, out.RankKnown = nil, false
		}
		return out
	})
}

// stacked puts the loop dimension in front of what a loop collects.
func stacked(y, xs Value) Value {
	n := int64(-1)
	leaves, _ := Leaves(xs)
	for _, l := range leaves {
		if a, ok := l.(*Array); ok && a.Rank() > 0 {
			n = a.Dims[0]
		}
	}
	return mapArrays(y, func(a *Array) Value {
		out := a.derived()
		out.Weak = false
		out.Grad = a.Grad
		if a.RankKnown {
			out.Dims = append([]int64{n}, a.Dims...)
		}
		return out
	})
}

func pairOf(v Value) (a, b Value) {
	if t, ok := v.(*Tuple); ok && len(t.Elems) == 2 && !t.Open {
		return t.Elems[0], t.Elems[1]
	}
	return Unknown{}, Unknown{}
}

func (in *interp) foriLoop(c *Call) Value {
	body, init := orUnknown(c.value(2, "body_fun")), orUnknown(c.value(3, "init_val"))
	last, _ := in.carry(c, init, func(carry Value) (Value, Value) {
		i := scalar("int32")
		return in.call(body, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: i}, {Value: carry}}, in: in}), None{}
	})
	return last
}

func (in *interp) whileLoop(c *Call) Value {
	cond, body, init := orUnknown(c.value(0, "cond_fun")), orUnknown(c.value(1, "body_fun")), orUnknown(c.value(2, "init_val"))
	last, _ := in.carry(c, init, func(carry Value) (Value, Value) {
		in.call(cond, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: carry}}, in: in})
		return in.call(body, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: carry}}, in: in}), None{}
	})
	return last
}

// cond evaluates cond and switch: all branches run, and their results have to have equal types.
func (in *interp) cond(name string, c *Call) Value {
	var branches []Value
	var operands []Arg
	if name == "cond" {
		branches = []Value{orUnknown(c.value(1, "true_fun")), orUnknown(c.value(2, "false_fun"))}
		if len(c.Pos) > 3 {
			operands = c.Pos[3:]
		}
	} else {
		elems, complete, ok := Elements(orUnknown(c.value(1, "branches")))
		if !ok || !complete || len(elems) == 0 {
			return Unknown{}
		}
		branches = elems
		if len(c.Pos) > 2 {
			operands = c.Pos[2:]
		}
	}
	if a := c.arg(-1, "operand"); a != nil {
		operands = []Arg{*a}
		operands[0].Name = ""
	}
	pred, _ := asArray(orUnknown(c.value(0, "pred", "index")))
	var result Value
	for i, b := range branches {
		r := in.within(&Region{Kind: BranchRegion, At: c.At, Call: c.ev}, func() Value {
			return in.call(b, &Call{At: c.At, Fn: c.Fn, Pos: operands, in: in})
		})
		if i == 0 {
			result = r
			continue
		}
		in.facts.Carries = append(in.facts.Carries, &Carry{Event: c.ev, Branch: true, Before: result, After: r})
		result = joinBranches(result, r)
	}
	if pred == nil {
		return result
	}
	return mapArrays(result, func(a *Array) Value {
		out := a.clone()
		mergeFacts(out, a, pred)
		out.Made = nil
		return out
	})
}

// joinBranches joins the results of two branches; unlike a join of two program states, what varies in either varies in the
// result.
func joinBranches(a, b Value) Value {
	la, _ := Leaves(a)
	lb, _ := Leaves(b)
	if len(la) != len(lb) {
		return Join(a, b)
	}
	i := 0
	return mapTree(a, 0, func(leaf Value) Value {
		x, xok := asArray(leaf)
		y, yok := asArray(lb[i])
		i++
		if !xok || !yok {
			return Join(leaf, lb[i-1])
		}
		out := joinArrays(x, y)
		mergeFacts(out, x, y)
		return out
	})
}

func (in *interp) laxMap(c *Call) Value {
	xs := orUnknown(c.value(1, "xs"))
	y := in.within(&Region{Kind: LoopRegion, At: c.At, Call: c.ev}, func() Value {
		return in.call(orUnknown(c.value(0, "f")), &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: firstRow(xs)}}, in: in})
	})
	return stacked(y, xs)
}
