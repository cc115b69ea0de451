package flow

import "strings"

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
			x.Commit, x.Made = CommitUnknown, c.ev
			return x
		}
	case "update":
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
