package flow

import (
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// makeFunc makes the value of a function definition or lambda.
func (in *interp) makeFunc(n pyparse.NodeID, name string, class *Class) *Func {
	s := in.frame.file.Syntax
	env := in.frame.env
	for env != nil && env.class {
		env = env.parent
	}
	fn := in.made.funcs.one()
	*fn = Func{Name: name, At: in.ref(n), Class: class, body: s.Body(n), env: env, globals: in.frame.globals, module: in.frame.module, Async: s.IsAsync(n), guarded: in.guarded > 0}
	if parameters := s.Parameters(n); len(parameters) > 0 {
		all := in.made.params.some(len(parameters))
		fn.Params = in.made.listed.some(len(parameters))
		for i, p := range parameters {
			fn.Params[i] = &all[i]
			in.fillParam(&all[i], p)
		}
	}
	if in.frame.file == in.facts.Main {
		in.funcs = append(in.funcs, fn)
	}
	return fn
}

func (in *interp) fillParam(out *Param, p pyparse.Parameter) {
	*out = Param{Name: p.Name, At: in.ref(p.NameNode), Annotation: p.Annotation, DefaultAt: in.ref(p.Default)}
	switch p.Kind {
	case pyparse.PositionalOnly:
		out.Kind = PosOnly
	case pyparse.KeywordOnly:
		out.Kind = KeywordOnly
	case pyparse.VarPositional:
		out.Kind = VarArgs
	case pyparse.VarKeyword:
		out.Kind = VarKwargs
	}
	if p.Default != pyparse.None {
		out.Default = in.eval(p.Default)
	}
}

// definition executes a function or class definition with its decorators.
func (in *interp) definition(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	decorators := s.Decorators(n)
	def := n
	if s.Is(n, pyparse.KindDecoratedDefinition) {
		def = s.Child(n, pyparse.FieldDefinition)
	}
	name, _ := s.Name(def)
	values := make([]Value, len(decorators))
	for i, d := range decorators {
		if s.Is(d, pyparse.KindCall) {
			values[i] = in.decoratorCall(d)
		} else {
			values[i] = in.eval(d)
		}
	}
	guarded := in.guarded
	for _, d := range decorators {
		if in.skipped(d) {
			in.guarded++
		}
	}
	var v Value
	if s.Is(def, pyparse.KindClassDefinition) {
		v = in.classDefinition(def, name, values)
	} else {
		v = in.makeFunc(def, name, in.frame.class)
	}
	in.guarded = guarded
	for i := len(decorators) - 1; i >= 0; i-- {
		v = in.decorate(v, values[i], decorators[i])
	}
	in.bindName(name, v)
}

// skipped reports whether a decorator leaves a test out depending on a name or a release: skipif of pytest, skipIf and
// skipUnless of unittest.
func (in *interp) skipped(decorator pyparse.NodeID) bool {
	s := in.frame.file.Syntax
	callee := in.frame.file.text(s.Callee(decorator))
	switch callee[strings.LastIndexByte(callee, '.')+1:] {
	case "skipif", "skipIf", "skipUnless":
		return in.guards(decorator)
	}
	return false
}

// decoratorCall evaluates the call of a decorator with arguments.
func (in *interp) decoratorCall(d pyparse.NodeID) Value { return in.callNode(d, false) }

// decorate applies one decorator. Decorators that are not understood are taken to leave the function as it is, which is what
// most of them do.
func (in *interp) decorate(v, dec Value, at pyparse.NodeID) Value {
	if e, ok := dec.(*Ext); ok {
		if fn, isFn := v.(*Func); isFn {
			switch e.Name {
			case "builtins.staticmethod":
				fn.Static = true
				return fn
			case "builtins.classmethod":
				fn.ClassM = true
				return fn
			case "builtins.property", "functools.cached_property":
				fn.Property = true
				return fn
			}
		}
		if _, isClass := v.(*Class); isClass {
			return v
		}
	}
	if _, isClass := v.(*Class); isClass {
		return v
	}
	if m, ok := dec.(*Mesh); ok { // jax.sharding.Mesh is a contextlib.ContextDecorator
		in.event("with", &Call{At: in.ref(at), Fn: in.ref(at), Callee: m})
		if fn, isFn := v.(*Func); isFn {
			fn.within = m
		}
		return v
	}
	if m, ok := dec.(*Method); ok && (m.Name == "setter" || m.Name == "getter") {
		return m.Recv
	}
	r := in.call(dec, &Call{At: in.ref(at), Fn: in.ref(at), Pos: []Arg{{Value: v, At: in.ref(at)}}, in: in})
	switch r.(type) {
	case Unknown, *Object, *Array:
		return v
	}
	return r
}

// callNode evaluates a call expression.
func (in *interp) callNode(n pyparse.NodeID, stmt bool) Value {
	if !in.step() {
		return Unknown{}
	}
	s := in.frame.file.Syntax
	fnNode := s.Child(n, pyparse.FieldFunction)
	callee := in.eval(fnNode)
	if e, ok := callee.(*Ext); ok && e.Name == "builtins.super" && in.frame.fn != nil && in.frame.fn.Class != nil {
		return in.superOf()
	}
	c := in.newCall()
	c.At, c.Fn, c.Stmt = in.ref(n), in.ref(fnNode), stmt
	in.arguments(c, n)
	v := in.call(callee, c)
	in.drop(c)
	return v
}

// newCall makes a call. Most are over when their value is known, and then their memory serves the next one: see drop.
func (in *interp) newCall() *Call {
	if n := len(in.calls); n > 0 {
		c := in.calls[n-1]
		in.calls = in.calls[:n-1]
		return c
	}
	return &Call{in: in}
}

// drop takes a call back that newCall made, unless a transformed function remembers it.
func (in *interp) drop(c *Call) {
	if c.kept {
		return
	}
	*c = Call{in: in}
	in.calls = append(in.calls, c)
}

// keep is c for a value that remembers the call that made it.
func (c *Call) keep() *Call {
	c.kept = true
	return c
}

// arguments evaluates the arguments of a call node.
func (in *interp) arguments(c *Call, n pyparse.NodeID) {
	s := in.frame.file.Syntax
	positional, keyword := s.ArgumentCount(n)
	if positional+keyword == 0 {
		return
	}
	all := in.made.args.some(positional + keyword)
	c.Pos, c.Kw = all[:0:positional], all[positional:positional]
	for a := range s.EachArgument(n) {
		v := in.eval(a.Value)
		at := in.ref(a.Value)
		switch a.Kind {
		case pyparse.Keyword:
			c.Kw = append(c.Kw, Arg{Name: a.Name, Value: v, At: at})
		case pyparse.Star:
			elems, complete, ok := in.iterate(v)
			if !ok || !complete || len(elems) > maxCollection {
				c.Splat = true
				continue
			}
			for _, e := range elems {
				c.Pos = append(c.Pos, Arg{Value: e, At: at})
			}
		case pyparse.DoubleStar:
			in.expandKeywords(c, v, at)
		default:
			c.Pos = append(c.Pos, Arg{Value: v, At: at})
		}
	}
}

// entryValue is where the value of a dict's entry is written, by its key; invalid where that is not known.
func entryValue(key Value) Ref {
	k, ok := key.(*Str)
	if !ok || !k.At.Valid() {
		return Ref{}
	}
	s := k.At.File.Syntax
	switch parent := s.Parent(k.At.Node); {
	case s.Is(parent, pyparse.KindPair) && s.Child(parent, pyparse.FieldKey) == k.At.Node:
		return Ref{File: k.At.File, Node: s.Child(parent, pyparse.FieldValue)}
	case s.Is(parent, pyparse.KindKeywordArgument) && s.FieldOf(k.At.Node) == pyparse.FieldValue:
		return k.At
	}
	return Ref{}
}

func (in *interp) expandKeywords(c *Call, v Value, at Ref) {
	d, ok := v.(*Dict)
	if !ok {
		c.Splat = true
		return
	}
	c.Splat = c.Splat || d.Open
	for i, k := range d.Keys {
		if name, ok := String(k); ok {
			c.Kw = append(c.Kw, Arg{Name: name, Value: d.Vals[i], At: at, Entry: entryValue(k)})
		} else {
			c.Splat = true
		}
	}
}

// call calls a value.
func (in *interp) call(callee Value, c *Call) Value {
	if !in.step() {
		return Unknown{}
	}
	c.Callee = callee
	switch f := callee.(type) {
	case *Func:
		return in.callFunc(f, c)
	case *Bound:
		sub := *c
		sub.Pos = in.made.args.some(1 + len(c.Pos))
		sub.Pos[0].Value = f.Self
		copy(sub.Pos[1:], c.Pos)
		return in.call(f.Fn, &sub)
	case *Partial:
		sub := *c
		sub.Pos = append(append([]Arg(nil), f.Pos...), c.Pos...)
		sub.Kw = overrideKeywords(f.Kw, c.Kw)
		return in.call(f.Fn, &sub)
	case *Class:
		return in.instantiate(f, c)
	case *Transformed:
		return in.callTransformed(f, c)
	case *Ext:
		return in.external(f, c)
	case *Method:
		return in.callMethod(f, c)
	case *Instance:
		if len(f.lifts) > 0 {
			return in.callLifted(f, f.lifts, c)
		}
		if fn, ok := in.classAttr(f.Class, "__call__"); ok {
			return in.call(&Bound{Self: f, Fn: fn}, c)
		}
		return in.callExternalBase(f, "__call__", c)
	case *Object:
		return in.callObject(f, c)
	case *DType:
		return in.castScalar(f.Name, c)
	}
	e := in.event("?", c)
	in.escape(c)
	return e.Result
}

func overrideKeywords(base, more []Arg) []Arg {
	out := append([]Arg(nil), base...)
next:
	for _, a := range more {
		for i := range out {
			if out[i].Name == a.Name {
				out[i] = a
				continue next
			}
		}
		out = append(out, a)
	}
	return out
}

// escape notes that arguments were handed to code that is not understood: mutable ones may have changed.
func (in *interp) escape(c *Call) {
	if e := c.ev; e != nil && keepsArguments(e.Name) {
		return
	}
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, a := range list {
			switch v := a.Value.(type) {
			case *List:
				in.touchList(v)
				v.Open, v.Elems = true, nil
			case *Dict:
				in.touchDict(v)
				v.Open = true
			case *Set:
				in.touchSet(v)
				v.Open = true
			}
		}
	}
}

// callFunc runs a function of the workspace.
func (in *interp) callFunc(fn *Func, c *Call) Value {
	in.called[fn.At] = true
	if fn.within != nil {
		ctx := in.ctx
		in.ctx.Legacy, in.ctx.LegacyKnown, in.ctx.LegacyAt = fn.within, true, fn.At
		defer func() { in.ctx = ctx }()
	}
	key, open := in.openCall(fn, c)
	if open {
		if v, ok := in.opened[key]; ok {
			return v
		}
		in.opened[key] = Unknown{} // while it is being evaluated
	}
	if in.depth >= maxDepth || in.active(fn) > maxRecursion {
		return Unknown{}
	}
	if in.skips(fn, c) {
		in.escape(c)
		return Unknown{}
	}
	env := in.newEnv(fn.env, len(fn.Params)+4)
	f := in.made.frames.one()
	*f = frame{parent: in.frame, fn: fn, file: fn.At.File, env: env, globals: fn.globals, module: fn.module, live: true}
	f.returns = f.few[:0]
	if !in.bindParams(fn, c, f) {
		return Unknown{}
	}
	saved := in.save()
	in.frame, in.handled = f, nil
	if fn.guarded {
		in.guarded++
	}
	in.unit = in.made.units.one()
	*in.unit = Unit{Caller: saved.unit, Call: c.At, Func: fn, Depth: in.depth}
	in.depth++
	result := in.body(fn)
	in.depth--
	f.live = false
	keep := in.ctx
	in.restore(saved)
	if open {
		in.opened[key] = result
	}
	if !c.open {
		in.ctx = keep // jax.set_mesh inside a function outlives it; with blocks restore on their own
	}
	return result
}

// Captured is the value that a name from outside of a function has at the end of the program, nil where nothing binds it.
func (f *Func) Captured(name string) Value {
	for e := f.env; e != nil; e = e.parent {
		if v := e.get(name); v != nil {
			return force(v)
		}
	}
	if f.globals == nil {
		return nil
	}
	return force(f.globals.get(name))
}

// active counts how often fn is on the stack.
func (in *interp) active(fn *Func) int {
	n := 0
	for f := in.frame; f != nil; f = f.parent {
		if f.fn != nil && f.fn.At == fn.At {
			n++
		}
	}
	return n
}

// noteYield keeps the mesh context of a yield: what a function decorated with contextlib.contextmanager establishes.
func (f *frame) noteYield(ctx Context) {
	if f.yieldIn != nil {
		ctx = joinContext(*f.yieldIn, ctx)
	}
	f.yieldIn = &ctx
}

// body evaluates the body of the function whose frame is current.
func (in *interp) body(fn *Func) Value {
	if fn.At.File.Syntax.Is(fn.At.Node, pyparse.KindLambda) {
		return in.eval(fn.body)
	}
	in.block(fn.body)
	f := in.frame
	if len(f.yields) > 0 {
		elem := f.yields[0]
		for _, y := range f.yields[1:] {
			elem = Join(elem, y)
		}
		return &Iterator{Kind: "generator", Elems: []Value{elem}, Open: true, At: fn.At, InFn: fn, Context: f.yieldIn}
	}
	if len(f.returns) == 0 {
		return None{}
	}
	result := f.returns[0]
	for _, r := range f.returns[1:] {
		result = Join(result, r)
	}
	if f.flow == running && in.steps > 0 {
		result = Join(result, None{})
	}
	return result
}

// bindParams binds the arguments of a call to the parameters of fn in frame f. It reports false when they do not fit.
func (in *interp) bindParams(fn *Func, c *Call, f *frame) bool {
	pos := c.Pos
	var few [16]bool // most calls pass fewer by keyword
	used := few[:]
	if len(c.Kw) > len(few) {
		used = make([]bool, len(c.Kw))
	}
	for _, p := range fn.Params {
		switch p.Kind {
		case VarArgs:
			t := &Tuple{Open: c.Splat}
			for _, a := range pos {
				t.Elems = append(t.Elems, in.sited(a, f))
			}
			pos = nil
			f.env.set(p.Name, t)
			continue
		case VarKwargs:
			d := &Dict{Open: c.Splat}
			for i, a := range c.Kw {
				if !used[i] {
					d.Keys, d.Vals = append(d.Keys, &Str{S: a.Name}), append(d.Vals, in.sited(a, f))
				}
			}
			f.env.set(p.Name, d)
			continue
		}
		if p.Kind != KeywordOnly && len(pos) > 0 {
			f.env.set(p.Name, named(in.sited(pos[0], f), p.Name))
			pos = pos[1:]
			continue
		}
		f.env.set(p.Name, in.keywordOrDefault(p, c, used, f))
	}
	return len(pos) == 0
}

func (in *interp) keywordOrDefault(p *Param, c *Call, used []bool, f *frame) Value {
	for i, a := range c.Kw {
		if a.Name == p.Name && !used[i] {
			used[i] = true
			return named(in.sited(a, f), p.Name)
		}
	}
	if c.Splat || p.Default == nil {
		return Unknown{}
	}
	return p.Default
}

// named labels an argument that has no name of its own with the parameter's.
func named(v Value, name string) Value {
	if a, ok := v.(*Array); ok && a.Label == "" {
		return labelled(a, name)
	}
	return v
}

const maxSited = 16 // elements of a sequence that remember the argument they came in

// sited marks the names in an argument with the place that passed them. The outermost call wins: there the name is written.
func (in *interp) sited(a Arg, f *frame) Value {
	switch v := a.Value.(type) {
	case *Str:
		return in.sitedString(v, a.At, f)
	case *Tuple:
		if len(v.Elems) > maxSited || len(v.Elems) == 0 {
			return v
		}
		out := &Tuple{Elems: make([]Value, len(v.Elems)), Open: v.Open}
		changed := false
		for i, e := range v.Elems {
			out.Elems[i] = e
			if s, ok := e.(*Str); ok {
				at := a.At
				if at.Contains(s.At) {
					at = s.At
				}
				out.Elems[i] = in.sitedString(s, at, f)
				changed = changed || out.Elems[i] != e
			}
		}
		if changed {
			return out
		}
	}
	return a.Value
}

func (in *interp) sitedString(s *Str, at Ref, f *frame) Value {
	if !at.Valid() || (s.site != nil && s.site.frame.live) {
		return s
	}
	out := in.made.str(s.S, s.At)
	out.site = in.made.sites.one()
	*out.site = site{at: at, frame: f}
	return out
}

// place is where a finding about a name belongs that stands in an argument of P(...).
func (s *Str) place(arg Ref) Ref {
	switch {
	case s.site != nil && s.site.frame.live:
		return s.site.at
	case arg.Contains(s.At):
		return s.At
	}
	return arg
}

// annotated is the value of a parameter about which only its annotation is known.
func (in *interp) annotated(p *Param, fn *Func) Value {
	if p.Annotation == pyparse.None || fn == nil {
		return Unknown{}
	}
	name, ok := fn.At.File.Syntax.DottedName(p.Annotation)
	if !ok {
		return Unknown{}
	}
	saved := in.frame
	in.frame = &frame{file: fn.At.File, env: fn.env, globals: fn.globals}
	v := in.dotted(name)
	in.frame = saved
	e, ok := v.(*Ext)
	if !ok {
		return Unknown{}
	}
	switch e.Name {
	case "jax.sharding.PartitionSpec":
		return &Spec{}
	case "jax.sharding.Mesh":
		return &Mesh{}
	case "jax.sharding.NamedSharding":
		return &Sharding{Kind: e.Name}
	}
	return Unknown{}
}

// dotted resolves a dotted name without recording events.
func (in *interp) dotted(name string) Value {
	var v Value
	for i, part := range splitDots(name) {
		if i == 0 {
			v, _ = in.lookup(part)
			continue
		}
		e, ok := v.(*Ext)
		if !ok {
			return Unknown{}
		}
		v = ext(e.path() + "." + part)
	}
	return v
}
