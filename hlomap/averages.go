package hlomap

import "slices"

// findAverages takes from the weights those that only follow others: averages that are computed with as well, such as
// the teacher of a distillation or the target of a value function. Its new value is made from the new value of a weight,
// element by element, and meets no reduction but that weight's. Before that it takes from them what feeds others alone.
func (t *training) findAverages() {
	left := maxAlone
	groups, order := t.sharingReductions()
	for _, h := range order {
		alike := groups[h]
		if len(alike) > maxHits {
			continue
		}
		left = t.dropSlots(alike, left)
		var follow []int
		for _, k := range alike {
			if slices.ContainsFunc(alike, func(leader int) bool { return t.follows(k, leader) }) {
				follow = append(follow, k)
			}
		}
		for _, k := range follow {
			t.params[k].kind = kindState
		}
	}
}

// sharingReductions groups the weights whose first reduction is another's as well, by that reduction.
func (t *training) sharingReductions() (groups map[reductionHit][]int, order []reductionHit) {
	first := func(p *entryParameter) (h reductionHit, ok bool) {
		for h := range t.hitsOf(p.output) {
			return h, true
		}
		return h, false
	}
	for k := range t.params {
		if p := &t.params[k]; p.kind == kindWeight {
			if h, ok := first(p); ok {
				t.factsOf(h).first++
			}
		}
	}
	groups = map[reductionHit][]int{}
	for k := range t.params {
		if p := &t.params[k]; p.kind == kindWeight {
			if h, ok := first(p); ok && t.factsOf(h).first > 1 {
				if groups[h] == nil {
					order = append(order, h)
				}
				groups[h] = append(groups[h], k)
			}
		}
	}
	return groups, order
}

// maxFed is the number of a weight's reductions that are looked behind to tell its slots from it.
const maxFed = 8

// dropSlots takes from weights that share a reduction the slots among them. Where the new values of weights are computed with in the
// same step, by an adversary or in a second round that is written out, the slots that made them go into gradients too; but not into
// all that the weight itself goes into. It may look at so many instructions, and returns how many are left.
func (t *training) dropSlots(alike []int, left int) int {
	fed := make([]uint, len(alike)) // by weight: a bit for each of the reductions that it goes into
	n := 0
	for h := range t.hitsOf(t.params[alike[0]].output) {
		if !t.isGradient(h) {
			continue
		}
		if left -= t.g.m.NumInstructions(); left < 0 || n == maxFed {
			break
		}
		f := newFeeds(t)
		f.sought.whole = make([]bool, t.g.m.NumInstructions())
		f.add(step{piece{t.causeOf(h), -1}, t.markers})
		f.run()
		for j, k := range alike {
			if f.argument(&t.params[k]) {
				fed[j] |= 1 << n
			}
		}
		n++
	}
	for j, k := range alike {
		if slices.ContainsFunc(fed, func(other uint) bool { return other != fed[j] && other|fed[j] == other }) {
			t.params[k].kind = kindState
		}
	}
	return left
}

// follows reports whether the new value of a weight is made from another's, and not the other way round.
func (t *training) follows(k, leader int) bool {
	p, q := &t.params[k], &t.params[leader]
	if p.kind != kindWeight || q.kind != kindWeight || len(t.hits[p.output]) == 0 || t.crowded[p.output] {
		return false
	}
	return k != leader && sameArray(&p.Array, &q.Array) && slices.Equal(t.hits[p.output], t.hits[q.output]) &&
		t.reaches(q, p.output) && !t.reaches(p, q.output)
}

// reaches reports whether the elements of an argument go to an output.
func (t *training) reaches(p *entryParameter, output int) bool {
	_, found := slices.BinarySearch(t.goesTo(p), int32(output))
	return found
}

// isStatistic reports whether an argument's new value is computed by a forward pass alone, as running means and
// variances are. Only names tell the passes apart; a backend may have lost them.
func (t *training) isStatistic(p *entryParameter) bool {
	if !t.markers || len(t.hits[p.output])+len(t.origins[p.output]) == 0 {
		return false
	}
	return !slices.ContainsFunc(t.hits[p.output], t.isGradient) &&
		!slices.ContainsFunc(t.origins[p.output], func(i InstrID) bool { return t.g.inBackward(i) || len(t.g.nameText(i)) == 0 })
}

// isNewValue reports whether an instruction makes the new value of an argument out of the argument.
func (t *training) isNewValue(i InstrID) bool {
	if t.renewed == nil {
		t.renewed = map[InstrID]bool{}
		m := t.g.m
		for k := range t.params {
			if p := &t.params[k]; p.output >= 0 && t.reaches(p, p.output) {
				t.noteNewValue(m.Root(m.Entry()), t.dest.outputs[p.output].path)
			}
		}
	}
	return t.renewed[i]
}

// noteNewValue notes the instruction that makes an element of a result, and those in the computations that it is handed on from.
func (t *training) noteNewValue(i InstrID, path []int) {
	m := t.g.m
	for range maxWalk {
		if i == NoInstr {
			return
		}
		k := 0
		switch op := m.Op(i); {
		case op == OpTuple && len(path) > 0:
			k, path = path[0], path[1:]
		case op == OpGetTupleElement:
			path = append([]int{t.g.tupleIndex(i)}, path...)
		case op == OpCopy:
			t.renewed[i] = true
		case (op == OpCall || op == OpWhile) && t.g.called(i) != NoComp:
			i = m.Root(t.g.called(i)) // of a loop the body comes first
			continue
		default:
			t.renewed[i] = true
			return
		}
		ops := m.Operands(i)
		if k >= len(ops) {
			return
		}
		path = append(slices.Clone(m.OperandPath(i, k)), path...)
		i = ops[k]
	}
}
