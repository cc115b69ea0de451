package flow

import (
	"sort"

	"github.com/shardls/shardls/pyparse"
)

// Limits of the interpreter. They bound time, not precision: what lies beyond is unknown.
const (
	maxDepth      = 24      // nested calls
	maxRecursion  = 1       // a function on its own stack
	maxUnroll     = 16      // iterations of a loop over known elements
	maxModules    = 48      // files loaded for one program
	stepsPerNode  = 8       // budget of steps for every node of the file
	minSteps      = 40_000  // and at least this many
	maxSteps      = 250_000 // and at most this many
	openSteps     = 12_000  // budget of one function that nothing calls
	maxCollection = 4096    // elements of a computed sequence
	maxText       = 1 << 16 // bytes of a computed string
)

// interp holds the state of one run.
type interp struct {
	facts   *Facts
	opt     Options
	rel     Release
	steps   int
	frame   *frame
	region  *Region
	ctx     Context
	told    *Context // ctx as the last event was told
	unit    *Unit
	depth   int
	guarded int
	handled []string // exception classes that the try statements around in the same function have handlers for
	// remainder is the region behind a process test whose branch just ended in a return: the rest of the block runs on some processes, or
	// with one process, only.
	remainder *Region
	order     int

	modules  map[*File]*Module // by the files that imports find
	importer *pyparse.File     // the file whose imports were resolved last
	resolved []imported        // its imports
	journal  []write
	spare    []*changes // to be used again
	calls    []*Call    // to be used again
	made     *batches
	tracking int

	words     map[*pyparse.File]*relevance
	funcs     []*Func // functions made in the main file, in order
	called    map[Ref]bool
	pending   []*Transformed
	selves    map[*Class]Value
	state     *Class // Flax's TrainState, nil until it is named
	missing   bool   // a name that the target release lacks was asked for in the current try
	importing int    // modules being run for an import
	loops     int    // Python loops of unknown length around the current statement
	members   map[member]reached
	opened    map[openKey]Value // results of functions called with nothing but unknown arguments
	replaying int               // the body of a loop is being traced again with a wider carry
}

// frame is the activation of a function, a class body or a module.
type frame struct {
	parent  *frame
	fn      *Func
	file    *File
	env     *Env
	globals *Env
	global  map[string]bool
	returns []Value
	few     [2]Value // room for the first of returns
	yields  []Value
	yieldIn *Context // the mesh context at the yields
	module  *Module
	class   *Class // while its body runs
	flow    flowState
	live    bool
}

// flowState says how the statements so far ended.
type flowState uint8

const (
	running flowState = iota
	returned
	raised
	broke
	continued
)

// write is an entry of the journal: the old content of a place that was overwritten. It lets branches whose condition is
// unknown be run one after the other from the same state and be joined.
type write struct {
	env  *Env // a name of a scope
	slot int

	attrs map[string]Value // or an attribute
	key   string

	old Value // nil: absent

	held *held // or what a collection holds; it is not changed
}

// held is the content of a collection: exactly one of list, dict and iter is set.
type held struct {
	list  *List
	dict  *Dict
	set   *Set
	iter  *Iterator
	elems []Value
	keys  []Value
	open  bool
	used  int
}

func newInterp(file *pyparse.File, opt Options) *interp {
	main := &File{Syntax: file}
	in := &interp{
		facts:   &Facts{Main: main, Files: map[string]*File{file.Path: main}, Release: opt.Release},
		opt:     opt,
		rel:     opt.Release,
		modules: map[*File]*Module{},
		words:   map[*pyparse.File]*relevance{},
		called:  map[Ref]bool{},
		selves:  map[*Class]Value{},
		opened:  map[openKey]Value{},
		members: map[member]reached{},
		ctx:     Context{LegacyKnown: true, NewKnown: true},
	}
	if p, ok := opt.Loader.(*Program); ok {
		in.made = p.newBatches()
	} else {
		in.made = &batches{}
	}
	in.facts.made = in.made
	in.steps = opt.Steps
	if in.steps == 0 {
		in.steps = min(max(minSteps, stepsPerNode*len(file.Nodes)), maxSteps)
	}
	return in
}

// run executes the main module and then what nothing called.
func (in *interp) run() {
	in.module(in.main(), in.facts.Main, "__main__")
	in.runPending()
	in.facts.Truncated = in.steps <= 0
}

// main is the main file as imports find it.
func (in *interp) main() *File {
	if p, ok := in.opt.Loader.(*Program); ok {
		if f := p.Files[in.facts.Main.Syntax.Path]; f != nil {
			return f
		}
	}
	return in.facts.Main
}

// module executes a file at module level; found is the file as imports find it.
func (in *interp) module(found, f *File, name string) *Module {
	m := &Module{File: f, env: in.newEnv(nil, len(f.Syntax.Imports)+4*fewNames)}
	in.modules[found] = m
	m.env.set("__name__", &Str{S: name})
	m.env.set("__file__", Unknown{})
	saved := in.save()
	in.frame = &frame{file: f, env: m.env, globals: m.env, module: m, live: true}
	in.region = &Region{Kind: TopRegion}
	in.unit = &Unit{}
	in.ctx = Context{LegacyKnown: true, NewKnown: true}
	if len(f.Syntax.Nodes) > 0 {
		in.block(0)
	}
	keep := in.ctx
	in.frame.live = false
	in.restore(saved)
	if f == in.facts.Main {
		in.ctx = keep // jax.set_mesh at module level holds for the rest of the program
	}
	return m
}

// state is what a call replaces and restores.
type state struct {
	frame   *frame
	region  *Region
	ctx     Context
	unit    *Unit
	guarded int
	handled []string
}

func (in *interp) save() state {
	return state{in.frame, in.region, in.ctx, in.unit, in.guarded, in.handled}
}

func (in *interp) restore(s state) {
	in.frame, in.region, in.ctx, in.unit, in.guarded, in.handled = s.frame, s.region, s.ctx, s.unit, s.guarded, s.handled
}

// runPending evaluates what nothing visible calls, with unknown arguments: first mapped functions, whose specs say something
// of their arguments, then plain functions in the order of the source.
func (in *interp) runPending() {
	for round := 0; round < 4 && in.steps > 0; round++ {
		worked := false
		for i := 0; i < len(in.pending); i++ {
			if t := in.pending[i]; !t.called && in.worthwhile(t) {
				worked = true
				in.rationed(func() { in.openly(func() { in.callTransformed(t, in.unknownCall(t)) }) })
			}
		}
		in.pending = in.pending[:0]
		funcs := in.funcs
		sort.SliceStable(funcs, func(i, j int) bool { return funcs[i].At.Node < funcs[j].At.Node })
		in.funcs = nil
		for _, fn := range funcs {
			if !in.called[fn.At] && in.relevant(fn.At) {
				worked = true
				in.rationed(func() { in.callOpen(fn) })
			}
		}
		if !worked {
			return
		}
	}
}

// worthwhile reports whether a mapped function, the statement that makes it, or what it maps over has anything to say.
func (in *interp) worthwhile(t *Transformed) bool {
	fn, ok := t.Fn.(*Func)
	if !ok || t.Make == nil || in.relevant(fn.At) {
		return true
	}
	at := t.Make.At
	if at.Valid() {
		at.Node = at.File.Syntax.EnclosingStatement(at.Node)
	}
	return in.relevant(at)
}

// rationed runs f with a part of the budget, so that one function cannot use up what the others need.
func (in *interp) rationed(f func()) {
	rest := max(0, in.steps-openSteps)
	in.steps -= rest
	f()
	in.steps = rest + max(0, in.steps)
}

// openKey identifies a call with nothing but unknown arguments from code that nothing visible calls: its result is the same
// every time.
type openKey struct {
	fn  Ref
	env *Env
}

// openCall reports whether a call is of that kind.
func (in *interp) openCall(fn *Func, c *Call) (openKey, bool) {
	if in.region.Kind != OpenRegion && !(in.region.Kind == PyLoop && in.region.Parent.Kind == OpenRegion) || c.Splat || c.open {
		return openKey{}, false
	}
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, a := range list {
			switch v := a.Value.(type) {
			case Unknown, None, *Class, *Module:
			case *Instance:
				if in.selves[v.Class] != Value(v) {
					return openKey{}, false
				}
			default:
				return openKey{}, false
			}
		}
	}
	return openKey{fn: fn.At, env: fn.env}, true
}

// openly runs f in a region that nothing visible surrounds.
func (in *interp) openly(f func()) {
	saved := in.save()
	in.region = &Region{Kind: OpenRegion, BindsOpen: true}
	in.ctx = Context{New: in.ctx.New, NewAt: in.ctx.NewAt, RulesUnknown: true}
	in.unit = &Unit{}
	in.frame = &frame{file: in.facts.Main, env: in.newEnv(nil, 0), globals: in.newEnv(nil, 0), live: true}
	f()
	in.restore(saved)
}

// callOpen calls a function that nothing called, with unknown arguments.
func (in *interp) callOpen(fn *Func) {
	in.openly(func() {
		c := &Call{At: Ref{}, in: in}
		for i, p := range fn.Params {
			if p.Kind == VarArgs || p.Kind == VarKwargs {
				continue
			}
			if i == 0 && fn.Class != nil && !fn.Static {
				self := Value(fn.Class)
				if !fn.ClassM {
					self = in.selfOf(fn.Class)
				}
				c.Pos = append(c.Pos, Arg{Value: self})
				continue
			}
			if d := openDefault(p); d != nil {
				continue
			}
			c.Kw = append(c.Kw, Arg{Name: p.Name, Value: in.annotated(p, fn)})
		}
		c.open = true
		in.callFunc(fn, c)
	})
}

// openDefault returns the default that a parameter of a function that nothing calls takes. Flags stay unknown, because the
// other value is as likely; names and sizes are taken, because a call without the argument meets them.
func openDefault(p *Param) Value {
	switch d := p.Default.(type) {
	case *Str, Int, *Spec, *Mesh, *Sharding:
		return d
	case *Tuple:
		return d
	}
	return nil
}

// selfOf makes an instance of a class whose methods nothing calls, by running __init__ with unknown arguments.
func (in *interp) selfOf(c *Class) Value {
	if v, ok := in.selves[c]; ok {
		return v
	}
	inst := &Instance{Class: c, Attrs: map[string]Value{}, Open: true}
	in.selves[c] = inst
	for _, f := range c.Fields {
		if d := openDefault(f); d != nil {
			inst.Attrs[f.Name] = d
		} else {
			inst.Attrs[f.Name] = in.annotated(f, nil)
		}
	}
	init, ok := in.classAttr(c, "__init__")
	if fn, isFn := init.(*Func); ok && isFn && !in.called[fn.At] && len(fn.Params) > 0 {
		call := &Call{in: in, open: true, Pos: []Arg{{Value: inst}}}
		for _, p := range fn.Params[1:] {
			if p.Kind != VarArgs && p.Kind != VarKwargs && openDefault(p) == nil {
				call.Kw = append(call.Kw, Arg{Name: p.Name, Value: in.annotated(p, fn)})
			}
		}
		in.callFunc(fn, call)
	} else if ok {
		in.reuseSelf(c, inst)
	}
	return inst
}

// reuseSelf fills an instance from one that the program made, when there is exactly one.
func (in *interp) reuseSelf(c *Class, inst *Instance) {
	if c.made != nil && c.madeCount == 1 {
		for k, v := range c.made.Attrs {
			inst.Attrs[k] = v
		}
	}
}

// step takes one step of the budget.
func (in *interp) step() bool {
	in.steps--
	return in.steps > 0
}

// touchList must be called before a list changes.
func (in *interp) touchList(l *List) {
	if in.tracking > 0 {
		in.journal = append(in.journal, write{held: in.made.keepHeld(held{list: l, elems: l.Elems, open: l.Open})})
	}
	l.Elems = l.Elems[:len(l.Elems):len(l.Elems)]
}

// touchDict must be called before a dict changes.
func (in *interp) touchDict(d *Dict) {
	if in.tracking > 0 {
		in.journal = append(in.journal, write{held: in.made.keepHeld(held{dict: d, keys: d.Keys, elems: d.Vals, open: d.Open})})
	}
	d.Keys = d.Keys[:len(d.Keys):len(d.Keys)]
	d.Vals = append([]Value(nil), d.Vals...)
}

// touchSet must be called before a set changes.
func (in *interp) touchSet(s *Set) {
	if in.tracking > 0 {
		in.journal = append(in.journal, write{held: in.made.keepHeld(held{set: s, elems: s.Elems, open: s.Open})})
	}
	s.Elems = s.Elems[:len(s.Elems):len(s.Elems)]
}

// touchIter must be called before an iterator is consumed.
func (in *interp) touchIter(it *Iterator) {
	if in.tracking > 0 {
		in.journal = append(in.journal, write{held: in.made.keepHeld(held{iter: it, used: it.Used})})
	}
}

// lookup finds a name: in the local scopes, then among the globals, then among the builtins.
func (in *interp) lookup(name string) (Value, bool) {
	for e := in.frame.env; e != nil; e = e.parent {
		if v := e.get(name); v != nil {
			return force(v), true
		}
	}
	if v := in.frame.globals.get(name); v != nil {
		return force(v), true
	}
	if v, ok := builtins()[name]; ok {
		return v, true
	}
	return Unknown{}, false
}

// event records a call. Its result is filled in by the caller.
func (in *interp) event(name string, c *Call) *Event {
	e := in.made.events.one()
	*e = Event{
		Name: name, At: c.At, Fn: c.Fn, Pos: c.Pos, Kw: c.Kw, Callee: c.Callee, Recv: c.Recv, Region: in.region, Context: in.context(),
		Unit: in.unit, Stmt: c.Stmt, Guarded: in.guarded > 0, Handled: in.handled, Splat: c.Splat, Order: in.order, Func: in.frame.fn, Result: Unknown{},
	}
	in.order++
	in.facts.Events = append(roomy(in.facts.Events), e)
	return e
}

// context is a copy of the mesh context for events; it changes rarely.
func (in *interp) context() *Context {
	if in.told == nil || *in.told != in.ctx {
		told := in.ctx
		in.told = &told
	}
	return in.told
}

// Call is a call being evaluated.
type Call struct {
	At     Ref
	Fn     Ref
	Callee Value
	Recv   Value
	Pos    []Arg
	Kw     []Arg
	Splat  bool // *args or **kwargs of unknown content
	Stmt   bool

	open bool // made up for a function that nothing calls
	kept bool // something remembers the call
	in   *interp
	ev   *Event
}

// arg returns an argument by position or name.
func (c *Call) arg(pos int, names ...string) *Arg { return pick(c.Pos, c.Kw, pos, names) }

// value returns an argument's value, nil when it was not passed. With an unknown splat a missing argument is unknown.
func (c *Call) value(pos int, names ...string) Value {
	if a := c.arg(pos, names...); a != nil {
		return a.Value
	}
	if c.Splat {
		return Unknown{}
	}
	return nil
}

// ref makes a reference to a node of the current file.
func (in *interp) ref(n pyparse.NodeID) Ref { return Ref{File: in.frame.file, Node: n} }
