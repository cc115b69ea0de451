package flow

import (
	"slices"
	"strings"
)

// optaxCall evaluates functions of optax.
func (in *interp) optaxCall(name string, c *Call) Value {
	switch name {
	case "apply_updates":
		return in.applyUpdates(orUnknown(c.value(0, "params")), orUnknown(c.value(1, "updates")), c)
	case "global_norm":
		if a, ok := mergedResult(c); ok {
			out := a.(*Array)
			out.Tree, out.RankKnown, out.Dims, out.Made = false, true, []int64{}, c.ev
			return out
		}
		return Unknown{}
	case "incremental_update":
		if a, ok := mergedResult(c); ok {
			return a
		}
		return Unknown{}
	}
	if strings.HasPrefix(name, "softmax_cross_entropy") || strings.HasSuffix(name, "_loss") || name == "squared_error" {
		if a, ok := mergedResult(c); ok {
			a.(*Array).Tree = false
			return a
		}
		return Unknown{}
	}
	return &Object{Class: "optax." + name, Made: c.ev}
}

// applyUpdates adds updates to parameters.
func (in *interp) applyUpdates(params, updates Value, c *Call) Value {
	add := func(p, u Value) Value {
		a, aok := asArray(p)
		b, bok := asArray(u)
		if !aok || !bok {
			return Unknown{}
		}
		out := a.derived()
		mergeFacts(out, a, b)
		out.Made = c.ev
		if b.Grad != nil {
			in.update(out, a, b.Grad, c.ev)
		}
		return out
	}
	if a, ok := params.(*Array); ok && a.Tree {
		leaves, _ := Leaves(updates)
		if len(leaves) > 0 {
			return add(a, leaves[0])
		}
		return Unknown{}
	}
	leaves, complete := Leaves(updates)
	old, all := Leaves(params)
	if len(leaves) == 1 && len(old) > 0 {
		return mapTree(params, 0, func(p Value) Value { return add(p, leaves[0]) })
	}
	if !complete || !all || len(leaves) != len(old) {
		return Unknown{}
	}
	i := 0
	return mapTree(params, 0, func(p Value) Value {
		i++
		return add(p, leaves[i-1])
	})
}

// optaxMethod evaluates the methods of gradient transformations.
func (in *interp) optaxMethod(o *Object, method string, c *Call) Value {
	switch method {
	case "init":
		if a, ok := mergedResult(c); ok {
			x := a.(*Array)
			x.Commit, x.Made = in.unplaced(c), c.ev
			return x
		}
	case "update":
		if v, follows := in.composedUpdate(o, c); follows {
			return v
		}
		grads := orUnknown(c.value(0))
		arrays := []*Array{}
		for _, p := range c.Pos {
			leaves, _ := Leaves(p.Value)
			for _, l := range leaves {
				a, ok := asArray(l)
				if !ok {
					return &Tuple{Elems: []Value{Unknown{}, Unknown{}}}
				}
				arrays = append(arrays, a)
			}
		}
		updates := mapOnlyArrays(grads, func(g *Array) Value {
			out := g.derived()
			mergeFacts(out, arrays...)
			out.Grad = g.Grad
			return out
		})
		state := &Array{Tree: true}
		mergeFacts(state, arrays...)
		state.VarUpper = true // some transformations keep no state, others only a count
		return &Tuple{Elems: []Value{updates, state}}
	}
	return Unknown{}
}

// composedUpdate is the update of a transformation that is made of functions of the workspace, or of transformations some of
// which may be; follows is false for all others. What a part that is not known does to the gradients is unknown.
func (in *interp) composedUpdate(o *Object, c *Call) (v Value, follows bool) {
	if o.Made == nil {
		return nil, false
	}
	switch strings.TrimPrefix(o.Class, "optax.") {
	case "GradientTransformation", "GradientTransformationExtraArgs":
		return in.call(orUnknown(o.Made.Value(1, "update")), followUp(c, c.Pos, c.Kw)), true
	case "stateless":
		f := orUnknown(o.Made.Value(0, "f"))
		updates := in.call(f, followUp(c, []Arg{{Value: orUnknown(c.value(0, "updates"))}, {Value: orUnknown(c.value(2, "params"))}}, nil))
		return &Tuple{Elems: []Value{updates, Unknown{}}}, true
	case "chain":
		if !slices.ContainsFunc(o.Made.Pos, func(a Arg) bool { return custom(a.Value) }) {
			return nil, false
		}
	case "masked", "MultiSteps", "apply_if_finite", "maybe_update", "conditionally_transform":
		if len(o.Made.Pos) == 0 || !custom(o.Made.Pos[0].Value) {
			return nil, false
		}
		return &Tuple{Elems: []Value{Unknown{}, Unknown{}}}, true
	default:
		return nil, false
	}
	updates := orUnknown(c.value(0, "updates"))
	for _, part := range o.Made.Pos {
		tx, ok := part.Value.(*Object)
		if !ok {
			return &Tuple{Elems: []Value{Unknown{}, Unknown{}}}, true
		}
		args := []Arg{{Value: updates}, {Value: Unknown{}}, {Value: orUnknown(c.value(2, "params"))}}
		updates = first(in.objectResult(tx, "update", followUp(c, args, nil)))
	}
	return &Tuple{Elems: []Value{updates, Unknown{}}}, true
}

// custom reports whether a gradient transformation is or holds one whose update is a function of the workspace.
func custom(v Value) bool {
	o, ok := v.(*Object)
	if !ok || o.Made == nil {
		return false
	}
	switch o.Class {
	case "optax.GradientTransformation", "optax.GradientTransformationExtraArgs", "optax.stateless", "optax.stateless_with_tree_map":
		return true
	}
	return slices.ContainsFunc(o.Made.Pos, func(a Arg) bool { return custom(a.Value) })
}

// followUp is a call that a library makes while it evaluates another one.
func followUp(c *Call, pos, kw []Arg) *Call {
	return &Call{At: c.At, Fn: c.Fn, Pos: pos, Kw: kw, Splat: c.Splat, in: c.in, ev: c.ev}
}

// first is the first element of a pair.
func first(v Value) Value {
	if elems, complete, ok := Elements(v); ok && complete && len(elems) > 0 {
		return elems[0]
	}
	return Unknown{}
}
