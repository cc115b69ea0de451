package flow

import (
	"github.com/shardls/shardls/pyparse"
)

// classDefinition executes a class body.
func (in *interp) classDefinition(n pyparse.NodeID, name string, decorators []Value) Value {
	s := in.frame.file.Syntax
	c := &Class{Name: name, At: in.ref(n), Attrs: map[string]Value{}}
	for _, a := range s.Arguments(n) {
		if a.Kind == pyparse.Positional {
			c.Bases = append(c.Bases, in.eval(a.Value))
		}
	}
	saved, savedClass := in.frame.env, in.frame.class
	in.frame.env = &Env{attrs: c.Attrs, parent: saved, class: true}
	in.frame.class = c
	in.block(s.Body(n))
	in.frame.env, in.frame.class = saved, savedClass
	in.describeClass(c, decorators)
	in.enumeration(c, s.Body(n))
	if c.Dataclass || c.Tuple {
		in.fields(c, s.Body(n))
	}
	return c
}

// describeClass finds out whether the class is a dataclass, a NamedTuple or a registered pytree.
func (in *interp) describeClass(c *Class, decorators []Value) {
	for _, d := range decorators {
		switch describe(d) {
		case "dataclasses.dataclass", "attr.s", "attr.define", "attrs.define":
			c.Dataclass = true
		case "flax.struct.dataclass", "chex.dataclass", "jax_dataclasses.pytree_dataclass", "tjax.dataclasses.dataclass":
			c.Dataclass, c.Frozen = true, true
			c.Attrs[pytreeMark] = Bool(true)
		case "jax.tree_util.register_dataclass", "jax.tree_util.register_pytree_node_class":
			c.Frozen = true
			c.Attrs[pytreeMark] = Bool(true)
		}
	}
	for _, b := range c.Bases {
		switch describe(b) {
		case "typing.NamedTuple":
			c.Tuple = true
		case "flax.struct.PyTreeNode", "equinox.Module":
			c.Dataclass, c.Frozen = true, true
			c.Attrs[pytreeMark] = Bool(true)
		case "flax.linen.Module":
			c.Dataclass = true
		}
		if base, ok := b.(*Class); ok {
			c.Dataclass = c.Dataclass || base.Dataclass
			c.Tuple = c.Tuple || base.Tuple
			c.Frozen = c.Frozen || base.Frozen
		}
	}
}

// describe names the library object that a decorator or base class is.
func describe(v Value) string {
	switch v := v.(type) {
	case *Ext:
		return v.Name
	case *Partial:
		return describe(v.Fn)
	case *Object:
		return v.Class
	case *Method:
		return describe(v.Recv)
	}
	return ""
}

// fields lists the annotated names of a class body, those of its bases first.
func (in *interp) fields(c *Class, body pyparse.NodeID) {
	for _, b := range c.Bases {
		if base, ok := b.(*Class); ok {
			c.inherit(base.Fields)
		}
	}
	s := in.frame.file.Syntax
	for stmt := range s.Children(body) {
		for n := range s.Children(stmt) {
			if !s.Is(n, pyparse.KindAssignment) {
				continue
			}
			a, ok := s.Assignment(n)
			if !ok || a.Annotation == pyparse.None || len(a.Targets) != 1 || !s.Is(a.Targets[0], pyparse.KindIdentifier) {
				continue
			}
			name := in.frame.file.text(a.Targets[0])
			if text := s.Text(a.Annotation); len(text) >= 8 && text[:8] == "ClassVar" {
				continue
			}
			p := &Param{Name: name, At: in.ref(a.Targets[0]), Annotation: a.Annotation, DefaultAt: in.ref(a.Value)}
			if a.Value != pyparse.None {
				p.Default = in.fieldDefault(c, name)
			}
			c.Fields = replaceField(c.Fields, p)
		}
	}
}

// fieldDefault is a field's default; that of field(default=...) was unwrapped when the body ran.
func (in *interp) fieldDefault(c *Class, name string) Value {
	o, ok := c.Attrs[name].(*Object)
	if !ok || o.Made == nil {
		return c.Attrs[name]
	}
	if v := o.Made.Value(-1, "default"); v != nil {
		return v
	}
	if f := o.Made.Value(-1, "default_factory"); f != nil {
		return in.call(f, &Call{At: o.Made.At, in: in})
	}
	if len(o.Made.Kw) == 0 && len(o.Made.Pos) == 0 || o.Class != "dataclasses.field" {
		return c.Attrs[name]
	}
	return nil
}

// inherit adds the fields of a base. Those that another base gave already stay where they are.
func (c *Class) inherit(fields []*Param) {
	if len(c.Fields) == 0 {
		c.Fields = append(c.Fields, fields...)
		return
	}
	known := map[string]bool{}
	for _, f := range c.Fields {
		known[f.Name] = true
	}
	for _, f := range fields {
		if !known[f.Name] {
			c.Fields = append(c.Fields, f)
		}
	}
}

func replaceField(fields []*Param, p *Param) []*Param {
	for i, f := range fields {
		if f.Name == p.Name {
			out := append([]*Param(nil), fields...)
			out[i] = p
			return out
		}
	}
	return append(fields, p)
}

// classAttr finds an attribute of a class or its bases.
func (in *interp) classAttr(c *Class, name string) (Value, bool) {
	if v, ok := c.Attrs[name]; ok && v != nil {
		return v, true
	}
	for _, b := range c.ancestors() {
		if base, ok := b.(*Class); ok {
			if v, ok := base.Attrs[name]; ok && v != nil {
				return v, true
			}
		}
	}
	return nil, false
}

// ancestors lists the bases of a class and theirs, depth first. Each class stands there once: where two bases share theirs and those
// share theirs, the ways to the topmost double with every level.
func (c *Class) ancestors() []Value {
	if c.above != nil || len(c.Bases) == 0 {
		return c.above
	}
	seen := map[*Class]bool{c: true}
	var visit func(*Class)
	visit = func(k *Class) {
		for _, b := range k.Bases {
			base, ok := b.(*Class)
			if ok && seen[base] {
				continue
			}
			c.above = append(c.above, b)
			if ok {
				seen[base] = true
				visit(base)
			}
		}
	}
	visit(c)
	return c.above
}

// hasForeignBase reports whether attributes may come from a base that is not in the workspace.
func hasForeignBase(c *Class) bool {
	for _, b := range c.ancestors() {
		if _, ok := b.(*Class); ok {
			continue
		}
		e, isExt := b.(*Ext)
		if !isExt || e.Name != "builtins.object" && e.Name != "typing.NamedTuple" && e.Name != "typing.Generic" && e.Name != "abc.ABC" {
			return true
		}
	}
	return false
}

// foreignBase names the library class that a class derives from, "" when there is none.
func foreignBase(c *Class) string {
	for _, b := range c.ancestors() {
		if base, ok := b.(*Ext); ok {
			return base.Name
		}
	}
	return ""
}

// instantiate makes an instance.
func (in *interp) instantiate(c *Class, call *Call) Value {
	if c.enum != "" {
		return c.memberOf(orUnknown(call.value(0)))
	}
	inst := &Instance{Class: c, Attrs: map[string]Value{}, At: call.At, Open: call.Splat}
	c.made = inst
	c.madeCount++
	e := in.event("class."+c.Name, call)
	e.Result = inst
	if init, ok := in.classAttr(c, "__init__"); ok {
		sub := *call
		sub.Pos = append([]Arg{{Value: inst}}, call.Pos...)
		in.call(init, &sub)
		return inst
	}
	if c.Dataclass || c.Tuple {
		in.initFields(c, inst, call)
		if setup, ok := in.classAttr(c, "setup"); ok && foreignBase(c) == "flax.linen.Module" {
			in.call(&Bound{Self: inst, Fn: setup}, &Call{At: call.At, in: in})
		}
		return inst
	}
	inst.Open = inst.Open || hasForeignBase(c)
	return inst
}

// initFields is the __init__ that a dataclass is given.
func (in *interp) initFields(c *Class, inst *Instance, call *Call) {
	in.bindFields(c, inst, call)
	if post, ok := in.classAttr(c, "__post_init__"); ok {
		in.call(&Bound{Self: inst, Fn: post}, &Call{At: call.At, in: in})
	}
}

func (in *interp) bindFields(c *Class, inst *Instance, call *Call) {
	pos := call.Pos
	for _, f := range c.Fields {
		switch a := pick(nil, call.Kw, -1, []string{f.Name}); {
		case a != nil:
			inst.Attrs[f.Name] = a.Value
		case len(pos) > 0:
			inst.Attrs[f.Name] = pos[0].Value
			pos = pos[1:]
		case f.Default != nil && !call.Splat:
			inst.Attrs[f.Name] = f.Default
		default:
			inst.Attrs[f.Name] = Unknown{}
		}
	}
}

// superOf is super() inside a method: the first base class with the receiver.
func (in *interp) superOf() Value {
	fn := in.frame.fn
	if len(fn.Params) == 0 {
		return Unknown{}
	}
	return &Super{Self: in.frame.env.get(fn.Params[0].Name), Class: fn.Class}
}

// Super is the result of super().
type Super struct {
	Self  Value
	Class *Class
}

func (*Super) value() {}
