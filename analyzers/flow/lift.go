package flow

// Flax's scan and vmap take a class of modules and give one whose modules run in a loop or over a new dimension.

func isLift(kind string) bool { return kind == "lifted_scan" || kind == "lifted_vmap" }

// liftsClass reports whether the target of a lifted transformation is a class of the workspace, under other transformations or not.
func liftsClass(target Value) bool {
	for range maxDepth {
		switch v := target.(type) {
		case *Class:
			return true
		case *Transformed:
			target = v.Fn
		case *Partial:
			target = v.Fn
		default:
			return false
		}
	}
	return false
}

// lift makes a module of a lifted class.
func (in *interp) lift(t *Transformed, c *Call) Value {
	v := in.forward(t.Fn, c)
	if inst, ok := v.(*Instance); ok {
		inst.lifts = append(inst.lifts, t)
	}
	return v
}

// callLifted calls a module of a lifted class, the outermost transformation first.
func (in *interp) callLifted(inst *Instance, lifts []*Transformed, c *Call) Value {
	if len(lifts) == 0 {
		fn, ok := in.classAttr(inst.Class, "__call__")
		if !ok {
			return in.callExternalBase(inst, "__call__", c)
		}
		return in.call(&Bound{Self: inst, Fn: fn}, c)
	}
	last := len(lifts) - 1
	t, inner := lifts[last], lifts[:last]
	sub := *c
	sub.Pos = append([]Arg(nil), c.Pos...)
	axes := t.Value(-1, "in_axes")
	if t.Kind == "lifted_vmap" {
		for i := range sub.Pos {
			sub.Pos[i].Value = dropMapped(sub.Pos[i].Value, prefixAt(axes, i, Int(0)))
		}
		r := &Region{Kind: VmapRegion, At: t.Make.At, Call: c.ev, Size: -1}
		bindAxis(r, t.Value(-1, "axis_name"))
		return addDim(in.within(r, func() Value { return in.callLifted(inst, inner, &sub) }))
	}
	for i := 1; i < len(sub.Pos); i++ { // the first argument is the carry
		sub.Pos[i].Value = dropMapped(sub.Pos[i].Value, prefixAt(axes, i-1, Int(0)))
	}
	out, ok := in.callLifted(inst, inner, &sub).(*Tuple)
	if !ok || len(out.Elems) != 2 {
		return Unknown{}
	}
	return &Tuple{Elems: []Value{out.Elems[0], addDim(out.Elems[1])}}
}

// dropMapped is dropDim where axis may be flax.linen.broadcast.
func dropMapped(v, axis Value) Value {
	if _, ok := axis.(*Ext); ok {
		return v
	}
	return dropDim(v, axis)
}
