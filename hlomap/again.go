package hlomap

import (
	"math"
	"slices"
	"strconv"
)

// Scaling says whether a reduction of equal values takes their mean or adds them up.
type Scaling uint8

// The scalings.
const (
	ScalingUnknown Scaling = iota // it is scaled by a number that a factor of the program may have been merged with
	ScalingNone                   // nothing scales its operand or its result: it is a sum
	ScalingMean                   // its operand or its result is divided by the number of devices
)

// maxScaled bounds the instructions on either side of a reduction that are looked at for its scaling.
const maxScaled = 64

// reducedBefore returns the reduction whose results a reduction of equal values takes again, over the same devices or more. Not every value
// that devices agree on is one: what parameters go into as well is no gradient alone, and a sum of it may be meant to keep them together.
func (t *training) reducedBefore(h reductionHit) (first reductionHit, ok bool) {
	m := t.g.m
	w := newWalker(t.g, t.v)
	w.visitAll = func(p place) {
		x, isExchange := t.g.exchange(p.instr)
		if ok || !isExchange || !isReduction(x.op) || int(x.at) == h.collective || !t.joins(int(x.at), h.collective) {
			return
		}
		k := 0
		if len(m.Operands(p.instr)) > 1 && len(p.path) > 0 {
			k = p.path[0]
		}
		c := reductionHit{collective: int(x.at), operand: k}
		if k < len(m.Operands(p.instr)) && !t.equalIn(c, t.g.collectives[h.collective].ReplicaGroups) {
			first, ok = c, true
		}
	}
	start := place{instr: t.g.exchanges[h.collective].instr, dim: h.dim, from: h.from, to: h.to}
	if len(m.Operands(start.instr)) > 1 {
		start.path = []int{h.operand}
	}
	alone := true
	w.walk(start, func(end place) bool {
		alone = m.Op(end.instr) != OpParameter
		return alone
	})
	return first, ok && alone
}

// joins reports whether every group of a collective lies in one of another's.
func (t *training) joins(outer, inner int) bool {
	group := map[int]int{}
	for k, g := range t.g.collectives[outer].ReplicaGroups {
		for _, d := range g {
			group[d] = k + 1
		}
	}
	for _, g := range t.g.collectives[inner].ReplicaGroups {
		for _, d := range g {
			if group[d] == 0 || group[d] != group[g[0]] {
				return false
			}
		}
	}
	return len(group) > 0
}

// equalIn reports whether the devices of every group agree on an operand.
func (t *training) equalIn(h reductionHit, groups [][]int) bool {
	i := t.g.exchanges[h.collective].instr
	o := t.g.m.Operands(i)[h.operand]
	return o != NoInstr && t.v.labels.agreeWithin(t.v.of(o, t.g.m.OperandPath(i, h.operand)...).labels, groups)
}

// scalingOf tells sums from means of what another reduction has reduced.
func (t *training) scalingOf(h, first reductionHit) Scaling {
	n := groupSize(&t.g.collectives[h.collective])
	before, after := t.scaledBefore(h, first, n), t.scaledAfter(h, n)
	switch {
	case before == ScalingMean || after == ScalingMean:
		return ScalingMean
	case before == ScalingNone && after == ScalingNone:
		return ScalingNone
	}
	return ScalingUnknown
}

// scaledBefore looks between two reductions for a scaling by 1/n.
func (t *training) scaledBefore(h, first reductionHit, n int) Scaling {
	m := t.g.m
	i, k := t.g.exchanges[h.collective].instr, h.operand
	for range maxScaled {
		if len(m.Operands(i)) <= k || m.Operands(i)[k] == NoInstr {
			break
		}
		i, k = m.Operands(i)[k], 0
		switch op := m.Op(i); {
		case i == t.g.exchanges[first.collective].instr:
			return ScalingNone
		case op == OpMultiply || op == OpDivide:
			return t.scale(i, n)
		case op == OpTuple || !moves[op]:
			return ScalingUnknown
		}
	}
	return ScalingUnknown
}

// scaledAfter looks behind a reduction for a scaling by 1/n, up to the operations that its result goes into first.
func (t *training) scaledAfter(h reductionHit, n int) Scaling {
	m := t.g.m
	i := t.g.exchanges[h.collective].instr
	element := -1
	if len(m.Operands(i)) > 1 {
		element = h.operand
	}
	for range maxScaled {
		users := slices.Clone(m.Users(i))
		if element >= 0 {
			users = slices.DeleteFunc(users, func(u InstrID) bool { return m.Op(u) != OpGetTupleElement || t.g.tupleIndex(u) != element })
		}
		if len(users) != 1 {
			return t.scaledByAny(users)
		}
		u := users[0]
		switch op := m.Op(u); {
		case op == OpMultiply || op == OpDivide:
			return t.scale(u, n)
		case op == OpTuple:
			call, ok := t.returnedTo(u)
			if !ok {
				return ScalingUnknown
			}
			if call == NoInstr {
				return ScalingNone
			}
			i, element = call, slices.Index(m.Operands(u), i)
			continue
		case op == OpGetTupleElement && element < 0, !moves[op] && op != OpAdd && op != OpSubtract:
			return ScalingUnknown
		case !moves[op]:
			return ScalingNone
		}
		i, element = u, -1
	}
	return ScalingUnknown
}

// scaledByAny judges a value with several users, none of which scales for all.
func (t *training) scaledByAny(users []InstrID) Scaling {
	if len(users) == 0 || slices.ContainsFunc(users, func(u InstrID) bool { op := t.g.m.Op(u); return op != OpAdd && op != OpSubtract }) {
		return ScalingUnknown
	}
	return ScalingNone
}

// returnedTo returns the call whose result a tuple is, NoInstr for the result of the module; ok is false for other tuples.
func (t *training) returnedTo(tuple InstrID) (call InstrID, ok bool) {
	m := t.g.m
	c := m.Comp(tuple)
	switch {
	case m.Root(c) != tuple:
		return NoInstr, false
	case c == m.Entry():
		return NoInstr, true
	}
	callers := m.Callers(c)
	if len(callers) != 1 || m.Op(callers[0]) != OpCall {
		return NoInstr, false
	}
	return callers[0], true
}

// scale judges a multiplication or a division: by n, by something that n may have been merged with, or by what varies.
func (t *training) scale(i InstrID, n int) Scaling {
	ops := t.g.m.Operands(i)
	for k, o := range ops {
		c, ok := t.repeated(o)
		if !ok || c == 0 || len(ops) != 2 || t.g.m.Op(i) == OpDivide && k == 0 {
			continue
		}
		if t.g.m.Op(i) == OpMultiply {
			c = 1 / c
		}
		if math.Abs(c-float64(n)) < 1e-3*float64(n) {
			return ScalingMean
		}
	}
	return ScalingUnknown
}

// repeated returns the number that a value repeats.
func (t *training) repeated(i InstrID) (float64, bool) {
	m := t.g.m
	for range maxNesting {
		switch {
		case i == NoInstr:
			return 0, false
		case m.Op(i) == OpConstant:
			text, ok := m.Literal(i)
			c, err := strconv.ParseFloat(text, 64)
			return c, ok && err == nil
		case m.Op(i) != OpBroadcast && !moves[m.Op(i)] || m.Op(i) == OpTuple || m.Op(i) == OpGetTupleElement || len(m.Operands(i)) == 0:
			return 0, false
		}
		i = m.Operands(i)[0]
	}
	return 0, false
}
