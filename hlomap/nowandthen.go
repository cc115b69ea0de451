package hlomap

import "slices"

// reducedThen returns which devices agree where everything that weights are reduced in takes place: as variance, but for branches, rounds
// of loops and selections that all devices take alike, of which those that lead through a reduction of a weight count and the others
// do not. A step that averages its parameters now and then leaves devices in agreement there, and nowhere else.
func (t *training) reducedThen() *variance {
	if t.then == nil {
		reduced := newBitSet(len(t.g.exchanges))
		for k := range t.params {
			if p := &t.params[k]; p.kind == kindWeight && p.output >= 0 {
				for _, h := range t.hits[p.output] {
					reduced.add(h.collective)
				}
			}
		}
		t.then = runVariance(t.g, t.v.labels, &reduced)
	}
	return t.then
}

// exchangedThen is reducedThen for exchanges of all kinds: an average may be taken of what was gathered.
func (t *training) exchangedThen() *variance {
	if t.thenAll == nil {
		all := newBitSet(len(t.g.exchanges))
		for at := range t.g.exchanges {
			all.add(at)
		}
		t.thenAll = runVariance(t.g, t.v.labels, &all)
	}
	return t.thenAll
}

// intermittent reports whether devices agree on the new value of a parameter where what reduces it takes place, and else do not; exchanged
// is set where another exchange than a reduction makes them agree. Devices that differ in any case are not asked about unless they
// share the parameter (apart) or a reduction of it stands in a branch.
func (t *training) intermittent(p *entryParameter, g *ParameterGradient, held, given spread, apart bool) (reduced, exchanged bool) {
	more := func(v *variance) bool {
		then := t.heldBy(v, p)
		return !then.rough && t.v.labels.finer(held.labels, then.labels) && (!apart || !t.v.labels.finer(then.labels, given.labels))
	}
	switch {
	case held.rough || !apart && !slices.ContainsFunc(g.Reductions, func(r Reduction) bool { return r.conditional }):
		return false, false
	case len(g.Reductions) > 0 && more(t.reducedThen()):
		return true, false
	}
	return false, apart && more(t.exchangedThen())
}

// choose returns the fact about one of two values, either of which all devices have: the one behind a reduction, element by element of
// tuples, where only one is, and of two the one that more devices agree on.
func (v *variance) choose(a, b fact) fact {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > 0 && b > 0:
		switch ma, mb := v.spreads[a].met, v.spreads[b].met; {
		case ma && !mb:
			return a
		case mb && !ma:
			return b
		case ma: // a reduction over more devices follows one over fewer
			f := v.joinLeaf(a, b)
			if both := v.spreads[f].labels; both == v.spreads[a].labels {
				return b
			} else if both == v.spreads[b].labels {
				return a
			}
			return f
		}
		return v.joinLeaf(a, b)
	}
	key := pairKey(a, b)
	if f, ok := v.chosen[key]; ok {
		return f
	}
	elements := make([]fact, max(v.tuples.row(a).width, v.tuples.row(b).width))
	v.tuples.steps += len(elements)
	for k := range elements {
		elements[k] = v.choose(v.tuples.at(a, k), v.tuples.at(b, k))
	}
	if v.chosen == nil {
		v.chosen = map[uint64]fact{}
	}
	f := v.tuples.of(elements)
	v.chosen[key] = f
	return f
}

// selected returns the fact about a selection that takes the whole of one of two values, the same on all devices.
func (v *variance) selected(i InstrID) (f fact, ok bool) {
	if v.reduced == nil || len(v.g.m.Operands(i)) != 3 || v.flat(v.operand(i, 0)).labels != allEqual || !v.g.isOne(i, 0) {
		return 0, false
	}
	return v.choose(v.operand(i, 1), v.operand(i, 2)), true
}

// isOne reports whether operand k of an instruction is one number, or an array that repeats one.
func (g *dataGraph) isOne(i InstrID, k int) bool {
	shape := g.m.OperandShape(i, k)
	for range maxNesting {
		if elementsOf(&shape) == 1 {
			return true
		}
		o := g.m.Operands(i)[k]
		if o == NoInstr || len(g.m.Operands(o)) == 0 {
			return false
		}
		switch g.m.Op(o) {
		case OpBroadcast, OpCopy, OpBitcast, OpReshape, OpTranspose:
		default:
			return false
		}
		i, k = o, 0
		shape = g.m.OperandShape(i, 0)
	}
	return false
}
