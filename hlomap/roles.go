package hlomap

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// attribute fills in what every operand of a collective is to the program.
func (a *Attribution) attribute(t *training) {
	owners := t.owners()
	users := sync.OnceValue(func() *firstUsers { return newFirstUsers(t.g) })
	d := describer{t: t}
	axes := map[int32]axisNames{}
	for at := range a.collectives {
		c := &a.collectives[at]
		a.nameAxes(c, t.g.exchanges[at].groups, axes)
		for k := range c.Operands {
			switch cause := a.attributeOperand(t, owners, at, k); {
			case cause == NoInstr:
			case t.factsOf(reductionHit{collective: at, operand: k}).product != 0:
				c.Operands[k].Cause = a.cause(t, reductionHit{collective: at, operand: k})
			default:
				d.describe(cause, &c.Operands[k].Cause)
			}
			d.describe(users().of(c.ID, k), &c.Operands[k].FirstUser)
		}
	}
	d.flush()
}

// owners returns, by output, the leaf of an argument whose new value it is, -1 for none.
func (t *training) owners() []int {
	out := make([]int, len(t.dest.outputs))
	for o := range out {
		out[o] = -1
	}
	for k := range t.params {
		if o := t.params[k].output; o >= 0 {
			out[o] = k
		}
	}
	return out
}

// attributeOperand fills in what operand k of a collective is, and returns the instruction that is its cause, NoInstr where that
// is not worth a mention.
func (a *Attribution) attributeOperand(t *training, owners []int, at, k int) InstrID {
	c := &a.collectives[at]
	o := &c.Operands[k]
	x := t.g.exchanges[at]
	h := reductionHit{collective: at, operand: k}
	if k >= len(t.g.m.Operands(c.ID)) {
		return NoInstr // an operand that is a tuple: leaves are not told apart
	}
	if t.fromArguments(o, at, k, isReduction(x.op)) {
		return NoInstr
	}
	d := t.destinationOf(at, k)
	weights, exact := t.weightsAt(owners, d)
	if len(weights) > 0 && isReduction(x.op) && d.parts != 0 {
		weights = slices.Clone(weights) // before the pieces are asked for theirs
		if w, part, e := t.gradientParts(owners, d, h); part != h {
			weights, h, exact = w, part, e
		}
	}
	switch {
	case len(weights) > 0 && (!isReduction(x.op) || t.isGradient(h) || t.passesFor(weights, h)):
		o.Role = RoleGradient
		if !isReduction(x.op) && t.movesToOutput(c.ID, k) {
			o.Role = RoleParameter
		}
		o.name(t, weights, exact)
	case isReduction(x.op) && t.derivesWeights(owners, d, h, o):
	default:
		o.Role = t.otherRole(owners, d, o, h)
	}
	switch {
	case isReduction(x.op) && (o.Role == RoleGradient || len(c.Operands) > 1 || len(c.Frames) == 0):
		return t.causeOf(h) // else the collective's own line is as good
	case o.Role == RoleGradient && t.isRing(at):
		return t.rings[at].product
	}
	return NoInstr
}

// passesFor reports whether a reduction is taken for that of the gradient of one of some weights, for want of names.
func (t *training) passesFor(weights []int, h reductionHit) bool {
	return slices.ContainsFunc(weights, func(k int) bool { return slices.Contains(t.gradientHits(k), h) })
}

// name sets the parameters of an operand.
func (o *Operand) name(t *training, leaves []int, exact bool) {
	t.names = t.names[:0]
	for _, k := range leaves {
		t.names = append(t.names, t.treePath(&t.params[k]))
	}
	o.Parameters = t.named.keep(t.names)
	o.ParamPrecision = "exact"
	if !exact {
		o.ParamPrecision = "candidates"
	}
}

// weightsAt returns the weights whose new values a destination is part of: one, or several that are told apart piece by
// piece, exactly; else candidates. They are good until it is asked again.
func (t *training) weightsAt(owners []int, d destination) (weights []int, exact bool) {
	weights = t.weights[:0]
	defer func() { t.weights = weights[:0] }()
	add := func(set setID) int {
		n := 0
		for _, o := range t.dest.sets.members(set) {
			if k := owners[o]; k >= 0 && t.params[k].kind == kindWeight {
				n++
				if !slices.Contains(weights, k) {
					weights = append(weights, k)
				}
			}
		}
		return n
	}
	if d.parts == 0 {
		add(d.direct)
		return weights, len(weights) == 1
	}
	exact = true
	for _, p := range t.dest.cuts[d.parts].parts {
		if add(p.direct) > 1 {
			exact = false
		}
	}
	return weights, exact
}

// gradientParts returns the weights whose gradients are pieces of an array, and one of these pieces, where the array holds something
// else too and that is what the reduction as a whole would be taken for: GPU's backend sends what is summed at the same time as one
// array. Otherwise it returns the reduction itself.
func (t *training) gradientParts(owners []int, d destination, whole reductionHit) (weights []int, one reductionHit, exact bool) {
	one, exact = whole, true
	cut := t.dest.cuts[d.parts]
	for _, p := range cut.parts {
		h := t.hitOf(whole.collective, whole.operand, cut.dim, p)
		of, single := t.weightsAt(owners, destination{direct: p.direct})
		of = slices.Clone(of)
		if len(of) == 0 || !t.isGradient(h) {
			continue
		}
		if t.causeOf(h) == t.causeOf(whole) && t.isGradient(whole) {
			return nil, whole, false
		}
		if len(weights) == 0 {
			one = h
		}
		exact = exact && single
		for _, k := range of {
			if !slices.Contains(weights, k) {
				weights = append(weights, k)
			}
		}
	}
	return weights, one, exact
}

// derivesWeights attributes a reduction whose result is worked into gradients of several weights, such as that of a
// product of two parameters.
func (t *training) derivesWeights(owners []int, d destination, h reductionHit, o *Operand) bool {
	if !t.overData(h) || !t.isGradient(h) {
		return false
	}
	var weights []int
	for _, out := range t.dest.deep.members(d.derived) {
		if k := owners[out]; k >= 0 && t.params[k].kind == kindWeight {
			weights = append(weights, k)
		}
	}
	if len(weights) == 0 {
		return false
	}
	o.Role = RoleGradient
	o.name(t, weights, len(weights) == 1)
	return true
}

// overData reports whether a reduction joins devices that were given different data.
func (t *training) overData(h reductionHit) bool {
	groups := t.g.collectives[h.collective].ReplicaGroups
	return len(groups) > 0 && !t.v.labels.agreeWithin(t.dataLabels(), groups)
}

// dataLabels tells which devices are given the same data: all arguments that have no new value among the results.
func (t *training) dataLabels() labelling {
	if t.data >= 0 {
		return t.data
	}
	l := allEqual
	defer func() { t.data = l }()
	for k := range t.params {
		if p := &t.params[k]; p.kind == kindOther && p.output < 0 {
			l = t.v.labels.join(l, t.v.flat(t.v.tuples.atPath(t.v.all[p.instr], p.path)).labels)
		}
	}
	return l
}

// fromArguments attributes an operand that is nothing but arguments of the module, cast, cut, rearranged or scaled. Of
// reductions only those of weights are meant: TPU spells gathers of small arrays as sums of pieces padded with zeros.
func (t *training) fromArguments(o *Operand, at, k int, reduces bool) bool {
	sources, only := t.sourcesOf(at, k)
	if !only || len(sources) == 0 || reduces && t.params[sources[0]].kind == kindOther {
		return false
	}
	weights := slices.DeleteFunc(slices.Clone(sources), func(k int) bool { return t.params[k].kind == kindState || !t.isParameter(k) })
	switch {
	case len(weights) > 0:
		o.Role = RoleParameter
		o.name(t, weights, len(weights) == 1 && len(sources) == 1)
	case slices.ContainsFunc(sources, func(k int) bool { return t.params[k].kind == kindState }):
		o.Role = RoleOptimizerState
		o.name(t, sources, len(sources) == 1)
	case isFloat(o.DType):
		o.Role = RoleActivation
	default:
		o.Role = RoleOther
	}
	return true
}

// isParameter reports whether an argument holds weights: those that are trained and, in modules that train nothing,
// floats that all devices or all members of a group share while the data is split, or that are split where no data is.
func (t *training) isParameter(k int) bool {
	p := &t.params[k]
	if p.kind == kindWeight {
		return true
	}
	if !isFloat(p.DType) {
		return false
	}
	if t.trains() {
		return p.kind == kindOther && p.output < 0 && t.isHeld(k)
	}
	return weightName(t.name(k))
}

// isHeld reports whether an argument is named like a weight that a program computes with and neither trains nor returns, such as one of a
// teacher or below adapters: it stands at the place of a trained one in another tree, or in a tree of parameters.
func (t *training) isHeld(k int) bool {
	if root := container(t.name(k)); strings.Contains(root, "params") || strings.Contains(root, "weights") {
		return true
	}
	rest := belowArgument(t.name(k))
	if !strings.ContainsAny(rest, "'.") {
		return false // a position says little
	}
	return slices.ContainsFunc(t.params, func(p entryParameter) bool {
		return p.kind == kindWeight && belowArgument(p.opName) == rest
	})
}

// belowArgument is the part of a tree path behind the name of the argument: "['mlp']['w']" of "teacher['mlp']['w']", ".mlp.w" of "teacher.mlp.w".
func belowArgument(name string) string {
	if k := strings.IndexAny(name, "[."); k >= 0 {
		return name[k:]
	}
	return ""
}

func (t *training) trains() bool {
	return slices.ContainsFunc(t.params, func(p entryParameter) bool { return p.kind == kindWeight })
}

// sourcesOf returns the arguments whose values operand k of a collective is made of by data movement, casts and scaling; only
// is false when anything else went in.
func (t *training) sourcesOf(at, k int) (sources []int, only bool) {
	m := t.g.m
	start := place{instr: t.g.exchanges[at].instr}
	if len(m.Operands(start.instr)) > 1 {
		start.path = []int{k}
	}
	only = true
	w := t.walker
	w.valuesOnly = t.dest
	w.walk(start, func(end place) bool {
		if m.Op(end.instr) != OpParameter || m.Comp(end.instr) != m.Entry() {
			only = false
			return false
		}
		if leaf := t.leafAt(m.ParameterNumber(end.instr), end.path); leaf >= 0 && !slices.Contains(sources, leaf) {
			sources = append(sources, leaf)
		}
		return true
	})
	w.valuesOnly = nil
	slices.Sort(sources)
	return sources, only
}

// movesToOutput reports whether the result of a collective is an output as it stands: an updated weight that is gathered,
// rather than a gradient on its way to the update.
func (t *training) movesToOutput(i InstrID, k int) bool {
	var path []int
	if len(t.g.m.Operands(i)) > 1 {
		path = []int{k}
	}
	s := userSearch{m: t.g.m, of: i, seen: map[InstrID]bool{}, moved: func(u InstrID) bool {
		return t.g.m.Op(u) == OpConvert || t.g.m.Op(u) == OpSlice
	}}
	return s.from(i, path) == NoInstr && len(s.seen) < maxUserSearch
}

// otherRole tells apart what is neither weight nor gradient.
func (t *training) otherRole(owners []int, d destination, o *Operand, h reductionHit) Role {
	if t.dest.steps > t.dest.limit {
		return RoleUnknown
	}
	if !isFloat(o.DType) {
		return RoleOther
	}
	sums := isReduction(t.g.exchanges[h.collective].op)
	if !sums && t.movesState(owners, d) {
		return RoleOptimizerState
	}
	switch scalar := isScalar(o.Shape); {
	case sums && t.ofUpdate(h):
		return RoleOther
	case scalar && t.isMetric(owners, d):
		return RoleLoss
	case scalar:
		return RoleOther
	}
	return RoleActivation
}

func isScalar(shape []int64) bool {
	for _, n := range shape {
		if n != 1 {
			return false
		}
	}
	return true
}

// movesState reports whether what is moved goes directly into the state of an optimizer.
func (t *training) movesState(owners []int, d destination) bool {
	return slices.ContainsFunc(t.dest.sets.members(d.direct), func(o int32) bool {
		k := owners[o]
		return k >= 0 && t.params[k].kind == kindState && stateName(t.name(k))
	})
}

// isMetric reports whether a number goes directly into a result that is nobody's new value, or is summed up to one that is returned: the
// losses of all micro-batches are.
func (t *training) isMetric(owners []int, d destination) bool {
	return slices.ContainsFunc(t.dest.sets.members(d.direct), func(o int32) bool { return owners[o] < 0 }) ||
		slices.ContainsFunc(t.dest.deep.members(d.derived), func(o int32) bool { return owners[o] < 0 && isScalar(t.dest.outputs[o].Shape) })
}

// ofUpdate reports whether a reduction adds up what the optimizer computes with gradients, such as their norm: names say that it takes what
// a backward pass made, and belongs to no pass itself. JAX < 0.7, whose names begin with jit(main), marks passes under name scopes only; there
// what data goes into through reductions alone belongs to the optimizer.
func (t *training) ofUpdate(h reductionHit) bool {
	i := t.causeOf(h)
	if i == NoInstr || t.g.inBackward(i) {
		return false
	}
	name := t.g.nameText(i)
	if !t.markers || bytes.Contains(name, []byte("jit(main)")) {
		s, ok := t.ingredientsOf(i)
		return ok && s.reduced && !s.direct
	}
	return len(name) > 0 && !bytes.Contains(name, []byte("jvp(")) && t.behindBackward(i)
}

// weightName reports whether a tree path looks like that of a weight rather than of data. It decides only in modules
// that train nothing.
func weightName(name string) bool {
	switch container(name) {
	case "x", "y", "batch", "inputs", "input", "tokens", "labels", "ids", "data", "cache", "state", "key", "rng", "mask":
		return false
	}
	return name != ""
}
