package flow

import "slices"

// callGrad differentiates a function.
func (in *interp) callGrad(t *Transformed, c *Call) Value {
	forward := t.Kind == "jacfwd" || t.Kind == "hessian"
	region := &Region{Kind: GradRegion, At: t.Make.At, Call: c.ev, Forward: forward}
	sub := *c
	sub.Pos = append([]Arg(nil), c.Pos...)
	variables := argnumsOf(t, len(c.Pos))
	region.Marked = len(variables) > 0
	for _, i := range variables {
		region.Marked = region.Marked && onlyArrays(sub.Pos[i].Value)
		sub.Pos[i].Value = marked(sub.Pos[i].Value, c.ev)
	}
	result := in.within(region, func() Value { return in.forward(t.Fn, &sub) })
	aux := Value(nil)
	loss := result
	if has, _ := Truth(t.Value(2, "has_aux")); has {
		pair, ok := result.(*Tuple)
		if ok && len(pair.Elems) == 2 && !pair.Open {
			loss, aux = pair.Elems[0], pair.Elems[1]
		} else {
			loss, aux = elementOf(result), elementOf(result)
		}
	}
	grads := in.gradients(t, c, loss, forward)
	switch {
	case t.Kind == "value_and_grad" && aux != nil:
		return &Tuple{Elems: []Value{&Tuple{Elems: []Value{loss, aux}}, grads}}
	case t.Kind == "value_and_grad":
		return &Tuple{Elems: []Value{loss, grads}}
	case aux != nil:
		return &Tuple{Elems: []Value{grads, aux}}
	}
	return grads
}

// argnumsOf lists the positions of the arguments that are differentiated, of those that are known.
func argnumsOf(t *Transformed, count int) []int {
	argnums := argnumsValue(t)
	elems := []Value{argnums}
	if _, ok := Integer(argnums); !ok {
		elems, _, _ = Elements(argnums)
	}
	var out []int
	for _, e := range elems {
		if i, ok := argnum(e, count); ok {
			out = append(out, i)
		}
	}
	return out
}

// argnumsValue is what a differentiation was given as argnums, by default the first argument.
func argnumsValue(t *Transformed) Value {
	if argnums := t.Value(1, "argnums"); argnums != nil {
		return argnums
	}
	return Int(0)
}

// argnum is the position that one of argnums means among so many positional arguments.
func argnum(v Value, count int) (int, bool) {
	i, ok := Integer(v)
	if i < 0 {
		i += int64(count)
	}
	return int(i), ok && i >= 0 && i < int64(count)
}

// marked marks the arrays of a variable of a derivative, or of a mapped argument of vmap, so that it shows what depends on them.
func marked(of Value, call *Event) Value {
	return mapTree(of, 0, func(leaf Value) Value {
		a, ok := leaf.(*Array)
		if !ok {
			return leaf
		}
		out := a.clone()
		out.Wrt = mergeEvents(a.Wrt, []*Event{call})
		return out
	})
}

// onlyArrays reports whether a tree is known and holds arrays alone, which can be marked as variables.
func onlyArrays(tree Value) bool {
	leaves, complete := Leaves(tree)
	return complete && !slices.ContainsFunc(leaves, func(leaf Value) bool {
		_, ok := leaf.(*Array)
		return !ok
	})
}

// dependent lists the reductions of values that depend on the variables of a differentiated call. Where a variable is no array, such as
// a module that is changed in place, none is left out.
func dependent(reductions []*Reduction, of Value, call *Event) []*Reduction {
	if !onlyArrays(of) {
		return reductions
	}
	var out []*Reduction
	for _, r := range reductions {
		if dependsOn(r.Event.Value(0, "x"), call) {
			out = append(out, r)
		}
	}
	return out
}

// differentiates reports whether a value that a call computed is differentiated: it depends on the variables of a derivative that
// surrounds the call.
func (in *interp) differentiates(result Value) bool {
	for r := in.region.Find(GradRegion); r != nil; r = r.Parent.Find(GradRegion) {
		if !r.Marked || dependsOn(result, r.Call) {
			return true
		}
	}
	return false
}

// mapping is the call of the innermost vmap around a call, within the same manual region, that maps one of its arguments; else nil.
func (in *interp) mapping(c *Call) *Event {
	r := in.region.Find(VmapRegion, ManualRegion, PmapRegion)
	if r == nil || r.Kind != VmapRegion {
		return nil
	}
	for _, a := range c.Pos {
		leaves, _ := Leaves(a.Value)
		for _, leaf := range leaves {
			if x, ok := leaf.(*Array); ok && slices.Contains(x.Wrt, r.Call) {
				return r.Call
			}
		}
	}
	return nil
}

func dependsOn(v Value, call *Event) bool {
	leaves, complete := Leaves(v)
	for _, leaf := range leaves {
		a, ok := leaf.(*Array)
		if ok && slices.Contains(a.Wrt, call) {
			return true
		}
		complete = complete && ok
	}
	return !complete
}

// gradients builds the gradient for the arguments that argnums picks.
func (in *interp) gradients(t *Transformed, c *Call, loss Value, forward bool) Value {
	argnums := argnumsValue(t)
	one := func(v Value) Value {
		i, ok := argnum(v, len(c.Pos))
		if !ok {
			return Unknown{}
		}
		return in.gradientTree(c.Pos[i].Value, loss, c.ev, in.region, forward, t.Kind)
	}
	switch v := argnums.(type) {
	case *Tuple:
		out := &Tuple{}
		for _, e := range v.Elems {
			out.Elems = append(out.Elems, one(e))
		}
		return out
	case *List:
		out := &Tuple{}
		for _, e := range v.Elems {
			out.Elems = append(out.Elems, one(e))
		}
		return out
	}
	return one(argnums)
}

// gradientTree is the gradient with respect to a tree of variables.
func (in *interp) gradientTree(of, loss Value, ev *Event, region *Region, forward bool, kind string) Value {
	l, ok := lossArray(loss)
	if !ok {
		return mapTree(of, 0, func(Value) Value { return Unknown{} })
	}
	inner := l.Reduced
	if kind != "vjp" {
		inner = dependent(inner, of, ev)
	}
	return mapOnlyArrays(of, func(a *Array) Value {
		g := gradientOf(a, l, ev, region, forward)
		g.Grad.Inner = inner
		if kind != "grad" && kind != "value_and_grad" && kind != "vjp" {
			g.Dims, g.RankKnown = nil, false
		}
		return g
	})
}

// lossArray merges what is differentiated into one array of facts.
func lossArray(loss Value) (*Array, bool) {
	leaves, _ := Leaves(loss)
	arrays, ok := arraysOf(leaves)
	if !ok {
		return nil, false
	}
	if len(arrays) == 1 {
		return arrays[0], true
	}
	out := &Array{Tree: true}
	mergeFacts(out, arrays...)
	return out, true
}

// gradientOf is the gradient of a loss with respect to one variable. In a checked manual region (since 0.6.1) meeting a
// varying value casts an invarying variable, and the transpose of that cast sums: the gradient varies where the variable
// does and is already summed over the rest. Unchecked, every device keeps its own part.
func gradientOf(a, loss *Array, ev *Event, region *Region, forward bool) *Array {
	g := &Array{Dims: a.Dims, RankKnown: a.RankKnown, DType: a.DType, Tree: a.Tree, Commit: a.Commit, Label: "the gradient"}
	g.VarKnown = a.VarKnown && loss.VarKnown
	g.Touched = loss.Touched.Union(a.Touched)
	fact := &Gradient{Call: ev, Inner: loss.Reduced, Loss: loss, Of: a, Forward: forward, Checked: Maybe}
	g.VarUpper = loss.VarUpper
	g.FromArgs = a.FromArgs || loss.FromArgs
	m := region.InManual()
	fact.Region = m
	g.Grad = fact
	if m == nil {
		g.Var = a.Var
		return g
	}
	fact.Checked = m.Checked
	inside := loss.Touched.Union(a.Var)
	switch {
	case forward:
		g.Var = inside
	case m.Checked == Yes && m.SumsGrads:
		g.Var = a.Var
		if g.VarKnown {
			fact.Summed = inside.Minus(a.Var).And(m.Manual)
		}
	case m.Checked == No, m.Checked == Yes:
		g.Var = inside
	default:
		g.VarKnown = false
	}
	return g
}

// vjp evaluates jax.vjp(f, *primals): the output and a function that maps cotangents to gradients.
func (in *interp) vjp(c *Call) Value {
	if len(c.Pos) == 0 {
		return Unknown{}
	}
	sub := *c
	sub.Pos, sub.Kw = c.Pos[1:], nil
	out := in.within(&Region{Kind: GradRegion, At: c.At, Call: c.ev}, func() Value { return in.forward(c.Pos[0].Value, &sub) })
	t := &Transformed{Kind: "vjp", Fn: c.Pos[0].Value, Make: c.ev, args: c.keep()}
	t.Grads = &vjpState{loss: out, event: c.ev, region: in.region}
	for _, a := range c.Pos[1:] {
		t.Grads.primals = append(t.Grads.primals, a.Value)
	}
	if has, _ := Truth(c.value(-1, "has_aux")); has {
		if pair, ok := out.(*Tuple); ok && len(pair.Elems) == 2 {
			t.Grads.loss = pair.Elems[0]
			return &Tuple{Elems: []Value{pair.Elems[0], t, pair.Elems[1]}}
		}
		return &Tuple{Elems: []Value{Unknown{}, t, Unknown{}}}
	}
	return &Tuple{Elems: []Value{out, t}}
}

func (in *interp) callVjp(t *Transformed, c *Call) Value {
	out := &Tuple{}
	for _, p := range t.Grads.primals {
		out.Elems = append(out.Elems, in.gradientTree(p, t.Grads.loss, c.ev, in.region, false, "vjp"))
	}
	return out
}

// jvp evaluates jax.jvp(f, primals, tangents): the output twice, as value and as tangent.
func (in *interp) jvp(c *Call) Value {
	primals, complete, ok := Elements(c.value(1, "primals"))
	if !ok || !complete || len(c.Pos) == 0 {
		return Unknown{}
	}
	sub := &Call{At: c.At, Fn: c.Fn, in: in}
	for _, p := range primals {
		sub.Pos = append(sub.Pos, Arg{Value: p})
	}
	out := in.within(&Region{Kind: GradRegion, At: c.At, Call: c.ev, Forward: true}, func() Value { return in.call(c.Pos[0].Value, sub) })
	return &Tuple{Elems: []Value{out, out}}
}

// joinGradients is what two values are the gradient of, if either or their sum is one: a sum that has not begun counts as any
// gradient.
func joinGradients(x, y *Array) *Gradient {
	a, b := x.Grad, y.Grad
	switch {
	case a == b, b == nil && y.Zero:
		return a
	case a == nil && x.Zero:
		return b
	case a == nil || b == nil || a.Region != b.Region || a.Checked != b.Checked || a.Forward != b.Forward:
		return nil
	}
	out := *a
	out.Summed = a.Summed.And(b.Summed)
	out.Inner = mergeReductions(a.Inner, b.Inner)
	out.Outer = mergeReductions(a.Outer, b.Outer)
	if a.Of != b.Of {
		out.Of = nil
	}
	return &out
}
