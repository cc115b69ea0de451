package flow

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"
)

// place identifies something that can be overwritten: a collection, a name of a scope, or an attribute.
type place struct {
	id   unsafe.Pointer
	slot int
	key  string
}

func (w *write) place() place {
	switch h := w.held; {
	case w.env != nil:
		return place{id: address(w.env), slot: w.slot}
	case h == nil:
		return place{id: reflect.ValueOf(w.attrs).UnsafePointer(), key: w.key}
	case h.list != nil:
		return place{id: address(h.list)}
	case h.dict != nil:
		return place{id: address(h.dict)}
	case h.set != nil:
		return place{id: address(h.set)}
	default:
		return place{id: address(h.iter)}
	}
}

// address tells objects apart.
func address[T any](object *T) unsafe.Pointer { return unsafe.Pointer(object) }

// content captures what a place holds now.
func (w *write) content(made *batches) write {
	switch h := w.held; {
	case w.env != nil:
		return write{env: w.env, slot: w.slot, old: w.env.vars[w.slot].value}
	case h == nil:
		return write{attrs: w.attrs, key: w.key, old: w.attrs[w.key]}
	case h.list != nil:
		return write{held: made.keepHeld(held{list: h.list, elems: h.list.Elems, open: h.list.Open})}
	case h.dict != nil:
		return write{held: made.keepHeld(held{dict: h.dict, keys: h.dict.Keys, elems: h.dict.Vals, open: h.dict.Open})}
	case h.set != nil:
		return write{held: made.keepHeld(held{set: h.set, elems: h.set.Elems, open: h.set.Open})}
	default:
		return write{held: made.keepHeld(held{iter: h.iter, used: h.iter.Used})}
	}
}

// put stores content into its place.
func (w *write) put() {
	switch h := w.held; {
	case w.env != nil:
		w.env.vars[w.slot].value = w.old
	case h == nil && w.old == nil:
		delete(w.attrs, w.key)
	case h == nil:
		w.attrs[w.key] = w.old
	case h.list != nil:
		h.list.Elems, h.list.Open = h.elems, h.open
	case h.dict != nil:
		h.dict.Keys, h.dict.Vals, h.dict.Open = h.keys, h.elems, h.open
	case h.set != nil:
		h.set.Elems, h.set.Open = h.elems, h.open
	case h.iter != nil:
		h.iter.Used = h.used
	}
}

// outcome is the effect of one alternative: what it wrote and how it ended.
type outcome struct {
	*changes // nil where it wrote nothing
	flow     flowState
	ctx      Context
}

// changes is what an alternative wrote.
type changes struct {
	writes []write // one for each place, in the order in which they were first written
	places []place // of writes
	index  map[place]int
}

// fewWrites is the number of writes up to which looking at each is cheaper than a map.
const fewWrites = 8

// find returns the position in writes of what was written to p, -1 for nothing.
func (c *changes) find(p place) int {
	switch {
	case c == nil:
		return -1
	case len(c.places) <= fewWrites:
		return slices.Index(c.places, p)
	}
	if i, ok := c.index[p]; ok {
		return i
	}
	return -1
}

func (c *changes) add(p place, w write) {
	c.places, c.writes = append(c.places, p), append(c.writes, w)
	switch n := len(c.places); {
	case n == fewWrites+1:
		if c.index == nil {
			c.index = make(map[place]int, 4*fewWrites)
		}
		for i, p := range c.places {
			c.index[p] = i
		}
	case n > fewWrites:
		c.index[p] = n - 1
	}
}

// since collects what the journal says was written after a mark.
func (in *interp) since(mark int) *changes {
	if len(in.journal) == mark {
		return nil
	}
	c := &changes{}
	if n := len(in.spare); n > 0 {
		c, in.spare = in.spare[n-1], in.spare[:n-1]
	}
	for i := mark; i < len(in.journal); i++ {
		w := &in.journal[i]
		if p := w.place(); c.find(p) < 0 {
			c.add(p, w.content(in.made))
		}
	}
	return c
}

// release keeps the memory of changes that have been merged for later ones.
func (in *interp) release(c *changes) {
	if c == nil {
		return
	}
	clear(c.writes) // they keep values alive
	clear(c.index)
	c.writes, c.places = c.writes[:0], c.places[:0]
	in.spare = append(in.spare, c)
}

// try runs f and undoes its writes.
func (in *interp) try(f func()) outcome {
	mark := len(in.journal)
	in.tracking++
	ctx := in.ctx
	f()
	out := outcome{changes: in.since(mark), flow: in.frame.flow, ctx: in.ctx}
	for i := len(in.journal) - 1; i >= mark; i-- {
		in.journal[i].put()
	}
	clear(in.journal[mark:])
	in.journal = in.journal[:mark]
	in.tracking--
	in.ctx = ctx
	in.frame.flow = running
	return out
}

// branches runs alternatives of which exactly one happens, but it is unknown which, from the same state, and joins what they
// leave behind. Alternatives that raise do not count.
func (in *interp) branches(alternatives ...func()) {
	var some [3]outcome // most branches have two
	outs := some[:0]
	for _, f := range alternatives {
		outs = append(outs, in.try(f))
	}
	in.merge(outs)
}

// merge joins what alternatives leave behind. It uses up outs.
func (in *interp) merge(outs []outcome) {
	end := raised
	live := 0 // those that come first in outs
	for i := range outs {
		flow := outs[i].flow
		if flow == running {
			end = running
		}
		if end != running && flow != raised {
			end = flow
		}
		if flow == running || flow == broke || flow == continued {
			outs[i], outs[live] = outs[live], outs[i]
			live++
		}
	}
	in.frame.flow = end
	in.join(outs[:live])
	for i := range outs {
		in.release(outs[i].changes)
	}
}

// join stores the join of what the alternatives that go on left in each place, and of their contexts.
func (in *interp) join(live []outcome) {
	for i := range live {
		if live[i].changes == nil {
			continue
		}
	places:
		for _, p := range live[i].places {
			for j := range live[:i] {
				if live[j].find(p) >= 0 {
					continue places
				}
			}
			in.joinPlace(p, live)
		}
	}
	for i := range live {
		if i == 0 {
			in.ctx = live[i].ctx
			continue
		}
		in.ctx = joinContext(in.ctx, live[i].ctx)
	}
}

// joinPlace stores the join of what the live alternatives left in p.
func (in *interp) joinPlace(p place, live []outcome) {
	var result write
	for i := range live {
		var w write
		if at := live[i].find(p); at >= 0 {
			w = live[i].writes[at]
		} else {
			for j := range live { // unchanged there: what the place holds now
				if at := live[j].find(p); at >= 0 {
					w = live[j].writes[at].content(in.made)
					break
				}
			}
		}
		if i == 0 {
			result = w
			continue
		}
		result = joinWrites(result, w, in.made)
	}
	if in.tracking > 0 {
		in.journal = append(in.journal, result.content(in.made))
	}
	result.put()
}

func joinWrites(a, b write, made *batches) write {
	if a.held == nil {
		a.old = Join(a.old, b.old)
		return a
	}
	h, other := *a.held, b.held
	left := joiner(maxJoined)
	switch {
	case h.list != nil:
		h.elems, h.open = left.elems(h.elems, other.elems, h.open || other.open)
	case h.dict != nil:
		h.keys, h.elems, h.open = left.keys(&h, other)
	case h.set != nil:
		h.elems, h.open = common(h.elems, other.elems, h.open || other.open)
	case h.iter != nil:
		h.used = max(h.used, other.used)
	}
	return write{held: made.keepHeld(h)}
}

func (left *joiner) elems(a, b []Value, open bool) ([]Value, bool) {
	if len(a) != len(b) {
		return nil, true
	}
	out := make([]Value, len(a))
	for i := range a {
		out[i] = left.join(a[i], b[i])
	}
	return out, open
}

// common lists the elements that two sets are known to share; open is true where one may hold others.
func common(a, b []Value, open bool) ([]Value, bool) {
	var out []Value
	for _, e := range a {
		if slices.ContainsFunc(b, func(o Value) bool { same, _ := Equal(e, o); return same }) {
			out = append(out, e)
		}
	}
	return out, open || len(out) != len(a) || len(out) != len(b)
}

func (left *joiner) keys(a, b *held) (keys, vals []Value, open bool) {
	open = a.open || b.open
	other := &Dict{Keys: b.keys, Vals: b.elems}
	for i, k := range a.keys {
		if v, ok := other.Get(k); ok {
			keys, vals = append(keys, k), append(vals, left.join(a.elems[i], v))
		}
	}
	return keys, vals, open || len(keys) != len(a.keys) || len(keys) != len(b.keys)
}

func joinContext(a, b Context) Context {
	out := a
	if a.New != b.New || a.NewKnown != b.NewKnown {
		out.New, out.NewKnown = nil, false
	}
	if a.Rules != b.Rules || a.RulesUnknown != b.RulesUnknown {
		out.Rules, out.RulesUnknown = nil, true
	}
	if a.Legacy != b.Legacy || a.LegacyKnown != b.LegacyKnown {
		out.Legacy, out.LegacyKnown = nil, false
	}
	return out
}

// maxJoined bounds how many parts of two values are compared: objects refer to each other, round in circles too.
const maxJoined = 1000

// joiner counts down from maxJoined.
type joiner int

// Join returns what is known of a value that is a or b. A name that one alternative leaves unbound has the other's value:
// reading it after the unbound alternative would raise.
func Join(a, b Value) Value {
	left := joiner(maxJoined)
	return left.join(a, b)
}

func (left *joiner) join(a, b Value) Value {
	if a == nil {
		return b
	}
	if b == nil || a == b {
		return a
	}
	if *left--; *left < 0 {
		return Unknown{}
	}
	a, b = force(a), force(b)
	switch x := a.(type) {
	case *Str:
		if y, ok := b.(*Str); ok && x.S == y.S {
			return x
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok && len(x.Elems) == len(y.Elems) {
			elems, open := left.elems(x.Elems, y.Elems, x.Open || y.Open)
			return &Tuple{Elems: elems, Open: open}
		}
	case *Dict:
		if y, ok := b.(*Dict); ok {
			d := &Dict{}
			d.Keys, d.Vals, d.Open = left.keys(&held{keys: x.Keys, elems: x.Vals, open: x.Open}, &held{keys: y.Keys, elems: y.Vals, open: y.Open})
			return d
		}
	case *List:
		if y, ok := b.(*List); ok {
			elems, open := left.elems(x.Elems, y.Elems, x.Open || y.Open)
			return &List{Elems: elems, Open: open}
		}
	case *Array:
		if y, ok := b.(*Array); ok {
			return joinArrays(x, y)
		}
		if y, ok := asArray(b); ok {
			return joinArrays(x, y)
		}
	case *Instance:
		if y, ok := b.(*Instance); ok && x.Class == y.Class {
			return left.instances(x, y)
		}
	case *Func:
		if y, ok := b.(*Func); ok && x.At == y.At {
			return x
		}
	case *Spec, *Mesh, *Sharding, *DType, *Ext, *Devices:
		if equal, known := Equal(a, b); known && equal {
			return a
		}
	}
	if _, ok := b.(*Array); ok {
		if y, ok := asArray(a); ok {
			return joinArrays(y, b.(*Array))
		}
	}
	return joinOthers(a, b)
}

func joinOthers(a, b Value) Value {
	switch x := a.(type) {
	case *Mesh:
		if y, ok := b.(*Mesh); ok {
			return joinMeshes(x, y)
		}
	case *Sharding:
		if y, ok := b.(*Sharding); ok && x.Kind == y.Kind && x.MemoryKind == y.MemoryKind {
			out := &Sharding{Kind: x.Kind, At: x.At, MemoryKind: x.MemoryKind}
			if x.Mesh == y.Mesh {
				out.Mesh = x.Mesh
			}
			return out
		}
	case *Spec:
		if _, ok := b.(*Spec); ok {
			return &Spec{At: x.At}
		}
	}
	return Unknown{}
}

// joinMeshes keeps names that agree and forgets sizes and types that do not.
func joinMeshes(x, y *Mesh) Value {
	out := &Mesh{Maker: x.Maker, At: x.At, Name: x.Name}
	if x.Maker != y.Maker {
		out.Maker = ""
	}
	if !x.Known || !y.Known || len(x.Axes) != len(y.Axes) {
		return out
	}
	out.Known = true
	for i, a := range x.Axes {
		b := y.Axes[i]
		if a.Name != b.Name {
			return &Mesh{Maker: out.Maker, At: x.At}
		}
		if a.Size != b.Size {
			a.Size = -1
		}
		if a.Type != b.Type {
			a.Type = UnknownType
		}
		out.Axes = append(out.Axes, a)
	}
	return out
}

func (left *joiner) instances(x, y *Instance) Value {
	out := &Instance{Class: x.Class, Attrs: map[string]Value{}, At: x.At, Open: true, lifts: x.lifts}
	for _, k := range slices.Sorted(maps.Keys(x.Attrs)) { // in order: the budget must end at the same one every time
		if w, ok := y.Attrs[k]; ok {
			out.Attrs[k] = left.join(x.Attrs[k], w)
		}
	}
	return out
}

func joinArrays(x, y *Array) *Array {
	out := &Array{Tree: x.Tree || y.Tree, Host: x.Host && y.Host, Key: x.Key && y.Key}
	if x.RankKnown && y.RankKnown && len(x.Dims) == len(y.Dims) {
		out.RankKnown = true
		out.Dims = make([]int64, len(x.Dims))
		for i := range x.Dims {
			out.Dims[i] = x.Dims[i]
			if x.Dims[i] != y.Dims[i] {
				out.Dims[i] = -1
			}
		}
	}
	if x.DType == y.DType {
		out.DType, out.Weak = x.DType, x.Weak && y.Weak
	}
	if x.Commit == y.Commit {
		out.Commit = x.Commit
	}
	if x.Sharding == y.Sharding {
		out.Sharding = x.Sharding
	}
	out.Grad = joinGradients(x, y)
	out.Zero = x.Zero && y.Zero
	mergeFacts(out, x, y)
	out.VarKnown = out.VarKnown && x.Var.Equal(y.Var)
	if x.Label == y.Label {
		out.Label = x.Label
	}
	return out
}
