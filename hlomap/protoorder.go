package hlomap

import (
	"cmp"
	"slices"
)

// XLA sorts the computations of a proto by their ids, and prints those of text in the order in which a walk comes to their end: of
// each instruction in the order in which they were made, which is that of their ids, into what it calls. Both put callees before
// their callers (XLA of jaxlib 0.6.2 to 0.10.2, for CPU, GPU and TPU; in 0.4.35 the two orders are one). The reader takes the order
// of text: what comes first in a module is the same in both of its forms, or else a list of its collectives is not.

// protoCall is one computation that an instruction calls.
type protoCall struct {
	caller uint32 // id of the instruction, its low half
	callee int64  // id of the computation
}

// sortComputations puts the computations of the module into the order of text.
func (r *protoReader) sortComputations() {
	order := r.textOrder()
	if slices.IsSorted(order) {
		return
	}
	m := r.m
	old := Module{ops: m.ops, at: m.at, operands: m.operands, numbers: m.numbers, edges: m.edges, edgeStart: m.edgeStart, comps: m.comps, params: m.params}
	m.ops, m.numbers = make([]Op, 0, len(old.ops)), make([]int32, 0, len(old.numbers))
	m.at, m.operands = make([]uint32, 0, len(old.at)), make([]uint32, 0, len(old.operands))
	m.edges, m.edgeStart = make([]InstrID, 0, len(old.edges)), make([]uint32, 0, len(old.edgeStart))
	m.comps, m.params = make([]computation, 0, len(old.comps)), make([]InstrID, 0, len(old.params))
	place := make([]CompID, len(order))
	for to, from := range order {
		place[from] = CompID(to)
		m.appendComputation(&old, from)
	}
	m.edgeStart = append(m.edgeStart, uint32(len(m.edges)))
	for id, c := range r.src.compByID {
		r.src.compByID[id] = place[c]
	}
	for k, i := range r.src.naming {
		c := old.Comp(i)
		r.src.naming[k] = i - old.comps[c].first + m.comps[place[c]].first
	}
	slices.Sort(r.src.naming)
}

// appendComputation appends a computation of another reading of the same module.
func (m *Module) appendComputation(old *Module, id CompID) {
	c := old.comps[id]
	by := InstrID(len(m.ops)) - c.first
	move := func(to, from []InstrID) []InstrID {
		for _, i := range from {
			if i != NoInstr {
				i += by
			}
			to = append(to, i)
		}
		return to
	}
	m.ops = append(m.ops, old.ops[c.first:c.end]...)
	m.at = append(m.at, old.at[c.first:c.end]...)
	m.operands = append(m.operands, old.operands[c.first:c.end]...)
	m.numbers = append(m.numbers, old.numbers[c.first:c.end]...)
	edges := old.edges[old.edgeStart[c.first]:old.edgeStart[c.end]]
	for _, at := range old.edgeStart[c.first:c.end] {
		m.edgeStart = append(m.edgeStart, at-old.edgeStart[c.first]+uint32(len(m.edges)))
	}
	m.edges = move(m.edges, edges)
	params := old.parameters(id)
	c.params = uint32(len(m.params))
	m.params = move(m.params, params)
	c.first, c.end = c.first+by, c.end+by
	if c.root != NoInstr {
		c.root += by
	}
	m.comps = append(m.comps, c)
}

// textOrder returns the computations in the order of text: those that nothing calls as they stand in the proto, each after all that
// it leads to.
func (r *protoReader) textOrder() []CompID {
	w := orderWalk{r: r, seen: make([]bool, len(r.m.comps)), order: make([]CompID, 0, len(r.m.comps))}
	called := make([]bool, len(r.m.comps))
	for c := range r.callsFrom {
		slices.SortStableFunc(r.callsOf(CompID(c)), func(a, b protoCall) int { return cmp.Compare(a.caller, b.caller) })
		for _, call := range r.callsOf(CompID(c)) {
			if callee, ok := r.src.compByID[call.callee]; ok {
				called[callee] = true
			}
		}
	}
	for c := range called {
		if !called[c] {
			w.from(CompID(c))
		}
	}
	for c := range called { // in a damaged proto that call each other in a circle
		w.from(CompID(c))
	}
	return w.order
}

func (r *protoReader) callsOf(c CompID) []protoCall {
	if int(c)+1 < len(r.callsFrom) {
		return r.calls[r.callsFrom[c]:r.callsFrom[c+1]]
	}
	return r.calls[r.callsFrom[c]:]
}

// orderWalk is a walk through the computations of a module, without recursion: content must not exhaust the stack.
type orderWalk struct {
	r     *protoReader
	seen  []bool
	order []CompID
	open  []openComputation
}

type openComputation struct {
	id   CompID
	left []protoCall // what it calls and the walk has not come to
}

func (w *orderWalk) from(c CompID) {
	w.enter(c)
	for len(w.open) > 0 {
		top := &w.open[len(w.open)-1]
		if len(top.left) == 0 {
			w.order = append(w.order, top.id)
			w.open = w.open[:len(w.open)-1]
			continue
		}
		n := 1
		for n < len(top.left) && top.left[n].caller == top.left[0].caller {
			n++
		}
		calls := top.left[:n]
		top.left = top.left[n:]
		for k := n - 1; k >= 0; k-- { // the first is to be on top
			if c, ok := w.r.src.compByID[calls[k].callee]; ok {
				w.enter(c)
			}
		}
	}
}

func (w *orderWalk) enter(c CompID) {
	if !w.seen[c] {
		w.seen[c] = true
		w.open = append(w.open, openComputation{id: c, left: w.r.callsOf(c)})
	}
}
