package flow

import "slices"

// contextMesh is the mesh that get_abstract_mesh returns: that of the shard_map around it, else the new context's (JAX 0.10.2
// does not see `with mesh:`).
func (in *interp) contextMesh() Value {
	manual := in.region.Find(ManualRegion, PmapRegion)
	switch {
	case manual != nil && manual.Mesh != nil:
		return manual.insideMesh()
	case manual != nil:
		return &Mesh{}
	case in.ctx.New != nil:
		return in.ctx.New
	case in.ctx.NewKnown && !in.region.Open():
		return &Mesh{Empty: true, Known: true, Abstract: true}
	}
	return &Mesh{}
}

// insideMesh is the mesh as the body of a shard_map sees it: the axes that it maps have the type Manual.
func (r *Region) insideMesh() *Mesh {
	inside := *r.Mesh
	inside.Abstract = true
	inside.Axes = slices.Clone(inside.Axes)
	for i := range inside.Axes {
		switch a := &inside.Axes[i]; {
		case r.Manual.Has(a.Name):
			a.Type = Manual
		case !r.ManualAll:
			a.Type = UnknownType
		}
	}
	return &inside
}

// setMesh evaluates jax.set_mesh: it sets the mesh at once, and as a context manager undoes it at the end of the block.
func (in *interp) setMesh(c *Call) Value {
	v := orUnknown(c.value(0, "mesh"))
	before := in.ctx
	in.applyMesh(v, c.At)
	return &Object{Class: "jax.set_mesh", Made: c.ev, Attrs: map[string]Value{"mesh": v, "before": &savedContext{before}}}
}

// savedContext keeps the context that set_mesh replaced.
type savedContext struct{ ctx Context }

func (*savedContext) value() {}

func (in *interp) applyMesh(v Value, at Ref) {
	in.ctx.NewAt = at
	if m, ok := v.(*Mesh); ok {
		in.ctx.New, in.ctx.NewKnown = m, true
		return
	}
	in.ctx.New, in.ctx.NewKnown = nil, false
}

// enter evaluates entering a context manager.
func (in *interp) enter(v Value, e *Event) Value {
	switch x := v.(type) {
	case *Mesh:
		in.ctx.Legacy, in.ctx.LegacyKnown, in.ctx.LegacyAt = x, true, e.At
		return x
	case *Object:
		switch x.Class {
		case "jax.set_mesh", "jax.sharding.use_mesh", "jax.sharding.use_abstract_mesh":
			in.applyMesh(x.Attrs["mesh"], e.At)
			return x.Attrs["mesh"]
		case "flax.linen.logical_axis_rules", "flax.nnx.logical_axis_rules":
			in.applyRules(x.Made.Value(0, "rules"))
			return None{}
		}
		if !harmlessContext(x.Class) {
			in.forgetContext()
		}
		return x
	case *Instance:
		if fn, ok := in.classAttr(x.Class, "__enter__"); ok {
			return in.call(&Bound{Self: x, Fn: fn}, &Call{At: e.At, Fn: e.At, in: in})
		}
		in.forgetContext()
		return x
	case *Iterator:
		if x.Context == nil {
			in.forgetContext()
		} else {
			in.ctx = *x.Context
		}
		return elementOf(x)
	case None: // contextlib.nullcontext, or a value that cannot be entered
	default:
		in.forgetContext()
	}
	return Unknown{}
}

// applyRules makes logical axis rules the active ones; Linen and NNX share them (flax 0.12.8).
func (in *interp) applyRules(rules Value) {
	in.ctx.Rules, in.ctx.RulesUnknown = orUnknown(rules), false
}

// forgetContext notes that an unknown context manager may have set a mesh.
func (in *interp) forgetContext() {
	in.ctx.LegacyKnown, in.ctx.NewKnown = false, false
	in.ctx.Legacy, in.ctx.New = nil, nil
	in.ctx.Rules, in.ctx.RulesUnknown = nil, true
}

// harmlessContext reports whether a library's context manager leaves the mesh alone.
func harmlessContext(class string) bool {
	switch libraryOf(class) {
	case "jax", "flax", "optax", "orbax", "numpy", "contextlib", "tempfile", "time", "threading", "warnings", "os", "builtins", "concurrent", "tqdm", "equinox", "torch", "tensorflow", "open":
		return true
	}
	return false
}
