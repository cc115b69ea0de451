package hlomap

import (
	"iter"
	"slices"
	"strings"
)

// classify tells weights from optimizer state and from all else. What decides is the flow of data: a weight goes into
// what gradients are made of, an optimizer slot meets the same reductions but goes nowhere but into updates. Names
// decide only where data does not flow.
func (t *training) classify() {
	t.readNames()
	t.markers = t.namesBackward()
	t.markFeeds()
	for k := range t.params {
		if t.isWeight(&t.params[k]) {
			t.params[k].kind = kindWeight
		}
	}
	t.findUnnamed()
	t.findAverages()
	t.matchGradients()
	t.data = -1 // gradients were paired with arguments since it was asked for
	shared := make([]bool, len(t.g.exchanges))
	for k := range t.params {
		if p := &t.params[k]; p.kind == kindWeight && p.output >= 0 {
			for h := range t.hitsOf(p.output) {
				shared[h.collective] = true
			}
		}
	}
	var rest []int
	for k := range t.params {
		p := &t.params[k]
		if p.kind != kindOther || !isFloat(p.DType) {
			continue
		}
		if p.output < 0 {
			if t.feeds.argument(p) && t.mayHaveNewValue(p) {
				rest = append(rest, k) // among weights it is one, of which nothing more is known
			}
			continue
		}
		if t.isStatistic(p) || t.meets(p, shared) || !t.feeds.argument(p) && t.meets(p, nil) || stateName(t.name(k)) {
			p.kind = kindState
			continue
		}
		rest = append(rest, k)
	}
	t.classifyByPlace(rest)
}

// meets reports whether the new value of an argument comes through one of some collectives, of any where nil is given, directly or not.
func (t *training) meets(p *entryParameter, collectives []bool) bool {
	for h := range t.hitsOf(p.output) {
		if collectives == nil || collectives[h.collective] {
			return true
		}
	}
	return false
}

// classifyByPlace takes arguments of which data does not tell what they are for what their neighbors in the tree are: a
// weight that nothing trains stands among weights. A step that is counted may stand there too.
func (t *training) classifyByPlace(rest []int) {
	if len(rest) == 0 {
		return
	}
	places := map[string]parameterKind{} // by every prefix of the tree paths: a weight where there is one
	var all []string
	for k := range t.params {
		if p := &t.params[k]; p.kind == kindWeight || p.kind == kindState {
			all = prefixes(all[:0], t.name(k))
			for n := len(all) - 1; n >= 0; n-- {
				if known := places[all[n]]; known == kindWeight || known == p.kind {
					break // and so it is further up
				}
				places[all[n]] = p.kind
			}
		}
	}
	for _, k := range rest {
		all = prefixes(all[:0], t.name(k))
		for n := len(all) - 1; n >= 0; n-- { // the nearest neighbors first
			if kind, ok := places[all[n]]; ok {
				if kind == kindWeight && (t.params[k].output < 0 || !t.counts(&t.params[k])) &&
					(len(t.params[k].Shape) > 0 || t.standsAmongWeights(k)) {
					t.params[k].kind = kindWeight
				}
				break
			}
		}
	}
}

// standsAmongWeights reports whether a number that nothing trains may be a weight: it is handed on as it came, beside weights. What is
// computed anew, and what stands beside whole trees of weights, is the scale of a loss or a learning rate.
func (t *training) standsAmongWeights(k int) bool {
	p := &t.params[k]
	if p.output < 0 || !t.unchanged(p) {
		return false
	}
	node := parent(t.name(k))
	for j := range t.params {
		if t.params[j].kind == kindWeight && parent(t.name(j)) == node {
			return true
		}
	}
	return false
}

// parent returns the path of the node right above a leaf.
func parent(name string) string {
	if k := strings.LastIndexByte(name, '['); k >= 0 {
		return name[:k]
	}
	return name
}

// mayHaveNewValue reports whether an argument that was paired with no output reaches one that could be its new value.
func (t *training) mayHaveNewValue(p *entryParameter) bool {
	return slices.ContainsFunc(t.goesTo(p), func(o int32) bool {
		out := &t.dest.outputs[o].Array
		return sameArray(&p.Array, out) || t.mayComeBackAs(p, out)
	})
}

// readNames looks at the names of all operations that an output's elements are made by: most of them decide something.
func (t *training) readNames() {
	var list []InstrID
	add := func(i InstrID) {
		if i == NoInstr || t.g.backwards[i] != notAsked {
			return
		}
		if list = append(list, i); len(list) == aheadInstructions {
			t.g.readNames(list)
			list = list[:0]
		}
	}
	for o := range t.hits {
		for _, i := range t.origins[o] {
			add(i)
		}
		for h := range t.hitsOf(o) {
			add(t.causeOf(h))
		}
	}
	t.g.readNames(list)
}

// hitsOf visits the reductions that an output's elements come through, directly and not.
func (t *training) hitsOf(o int) iter.Seq[reductionHit] {
	return func(yield func(reductionHit) bool) {
		for _, h := range t.hits[o] {
			if !yield(h) {
				return
			}
		}
		for _, h := range t.indirect[o] {
			if !yield(h) {
				return
			}
		}
	}
}

// prefixes appends the paths of the nodes above a leaf, the argument first: "state", "state['p']" of "state['p']['w']".
func prefixes(to []string, name string) []string {
	first := len(container(name))
	to = append(to, name[:first])
	for p := first + 1; p < len(name); p++ {
		if name[p] == '[' {
			to = append(to, name[:p])
		}
	}
	return to
}

func isFloat(dtype string) bool {
	return strings.HasPrefix(dtype, "f") || dtype == "bf16" || strings.HasPrefix(dtype, "c")
}

// container is the part of a tree path in front of its first key or index: "state.params" of "state.params['a']['b']".
func container(name string) string {
	if k := strings.IndexByte(name, '['); k >= 0 {
		return name[:k]
	}
	return name
}

// stateName reports whether a tree path names optimizer slots or running statistics (Optax, Flax).
func stateName(name string) bool {
	for _, part := range [...]string{"opt_state", "optimizer", ".mu", ".nu", "['mu']", "['nu']", ".trace", "momentum", "batch_stats", "ema_params"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// namesBackward reports whether any reduction on the way to an output names a backward pass. JAX ≥ 0.7 always does; older
// releases only under a name scope.
func (t *training) namesBackward() bool {
	for o := range t.hits {
		for h := range t.hitsOf(o) {
			if i := t.causeOf(h); i != NoInstr && t.g.inBackward(i) {
				return true
			}
		}
		for _, i := range t.origins[o] {
			if t.g.inBackward(i) {
				return true
			}
		}
	}
	return false
}

// isGradient reports whether what a reduction adds up is a gradient rather than an activation or a statistic: a backward
// pass made it, or (where names do not say) it goes nowhere but into updates.
func (t *training) isGradient(h reductionHit) bool {
	facts := t.factsOf(h)
	if facts.gradient != notAsked {
		return facts.gradient == yes
	}
	v := false
	if i := t.causeOf(h); i != NoInstr {
		own := t.g.exchanges[h.collective].instr
		v = t.g.inBackward(i) || t.g.inBackward(own) || t.onlyUpdates(h)
	}
	facts.gradient = answerOf(v)
	return v
}

// onlyUpdates reports whether the result of a reduction goes nowhere but into outputs: not into a product, sum or look-up
// of values that differ between devices, but for the norm of all of them. It tells gradients from activations where nothing names the backward pass.
// The new value of a weight may be computed with in the same step, by an adversary or another loss: of a reduction over data the
// way ends there, and what no data goes into but through reductions is left out: an optimizer may multiply gradients whose tiles other
// devices hold.
func (t *training) onlyUpdates(h reductionHit) bool {
	m := t.g.m
	i, overData := t.g.exchanges[h.collective].instr, t.overData(h)
	differ := func(u InstrID) bool {
		if t.v.of(u).labels == allEqual {
			return false
		}
		s, ok := t.ingredientsOf(u)
		return !overData || !ok || s.direct
	}
	seen := map[InstrID]bool{i: true}
	todo := []InstrID{i}
	for n := 0; n < len(todo); n++ {
		if n > maxWalk {
			return false
		}
		i := todo[n]
		if overData && t.isNewValue(i) {
			continue
		}
		next := m.Users(i)
		if m.Root(m.Comp(i)) == i {
			next = append(slices.Clone(next), m.Callers(m.Comp(i))...)
		}
		for _, u := range next {
			if t.mixes(u) && differ(u) && !t.isNorm(u) {
				return false
			}
			if c := t.g.called(u); m.Op(u).runs() && c != NoComp && u != i {
				todo = t.intoCall(u, i, seen, todo)
			}
			if !seen[u] {
				seen[u] = true
				todo = append(todo, u)
			}
		}
	}
	return true
}

// isNorm reports whether an instruction sums a whole array up to one number, as a clipping by the global norm does with a gradient.
// A loss does so with activations, but those go into products of the backward pass as well.
// CPU's backend reduces tiles first (TreeReductionRewriter).
func (t *training) isNorm(i InstrID) bool {
	m := t.g.m
	for range maxNesting {
		shape := m.Shape(i)
		if m.Op(i) == OpReduce {
			return elementsOf(&shape) == 1
		}
		users := m.Users(i)
		if m.Op(i) != OpReduceWindow || len(users) != 1 {
			return false
		}
		i = users[0]
	}
	return false
}

// intoCall adds the parameters of the computations that user runs for which i is the argument.
func (t *training) intoCall(user, i InstrID, seen map[InstrID]bool, todo []InstrID) []InstrID {
	m := t.g.m
	for k, o := range m.Operands(user) {
		if o != i {
			continue
		}
		for _, c := range m.Called(user) {
			n := k
			if m.Op(user) == OpWhile {
				n = 0
			} else if m.Op(user) == OpConditional {
				n = 0
			}
			if c == NoComp {
				continue
			}
			if p := m.Parameter(c, n); p != NoInstr && !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return todo
}

// mixes reports whether an instruction makes each element of its result from many elements.
func (t *training) mixes(i InstrID) bool {
	switch t.g.m.Op(i) {
	case OpDot, OpConvolution, OpRaggedDot, OpScaledDot, OpGather, OpSort, OpReduceWindow, OpSelectAndScatter, OpFft,
		OpTriangularSolve, OpCholesky:
		return true
	case OpReduce:
		return t.g.resizes(i)
	case OpCustomCall:
		return !keepsElements(t.g.target(i))
	}
	return false
}

// isWeight reports whether data tells that an argument is trained: it goes into what its own update is made of.
func (t *training) isWeight(p *entryParameter) bool {
	if p.output < 0 || !isFloat(p.DType) || !t.feeds.argument(p) {
		return false
	}
	if slices.ContainsFunc(t.hits[p.output], t.isGradient) {
		return true
	}
	if slices.ContainsFunc(t.indirect[p.output], t.derives) {
		return true
	}
	for _, i := range t.origins[p.output] {
		if t.markers && t.g.inBackward(i) {
			return true
		}
	}
	return false
}

// matchGradients pairs the arguments of a function that returns gradients with its results. Nothing but order and types
// tells which gradient is whose: JAX lists results in the order of the tree that the arguments have.
func (t *training) matchGradients() {
	owned := make([]bool, len(t.dest.outputs))
	for k := range t.params {
		if o := t.params[k].output; o >= 0 {
			owned[o] = true
		}
	}
	for first := 0; first < len(t.params); {
		if t.params[first].output >= 0 || !isFloat(t.params[first].DType) {
			first++
			continue
		}
		root := container(t.name(first))
		end := first + 1
		for end < len(t.params) && container(t.name(end)) == root {
			end++
		}
		if group := t.params[first:end]; t.mayBeDifferentiated(group) {
			t.matchTree(group, owned)
		}
		first = end
	}
}

// mayBeDifferentiated reports whether a group of arguments is free, of floats, and goes into gradients.
func (t *training) mayBeDifferentiated(group []entryParameter) bool {
	feeds := false
	for k := range group {
		if group[k].output >= 0 || !isFloat(group[k].DType) {
			return false
		}
		feeds = feeds || t.feeds.argument(&group[k])
	}
	return feeds
}

// matchTree looks for consecutive free results of the types of a group, some of which are gradients; else for such of its shapes, all of
// which are: a loss that is differentiated by parameters cast to bf16 has gradients in bf16.
func (t *training) matchTree(group []entryParameter, owned []bool) {
	at := t.gradientsOfTree(group, owned, sameArray, false)
	if at < 0 {
		at = t.gradientsOfTree(group, owned, sameFloats, true)
	}
	if at < 0 {
		return
	}
	for k := range group {
		group[k].output, group[k].kind = at+k, kindWeight
		owned[at+k] = true
	}
}

// gradientsOfTree returns the first of consecutive free results that are alike to a group, and of which some or all are gradients; -1 for
// none.
func (t *training) gradientsOfTree(group []entryParameter, owned []bool, alike func(a, b *Array) bool, all bool) int {
	outs := t.dest.outputs
	for at := 0; at+len(group) <= len(outs); at++ {
		gradients, k := 0, 0
		for k < len(group) && !owned[at+k] && alike(&group[k].Array, &outs[at+k].Array) {
			if t.isGradientOutput(at + k) {
				gradients++
			}
			k++
		}
		if k == len(group) && (gradients == k || !all && gradients > 0) && (t.markers || gradients == k && k > 1) {
			return at
		}
	}
	return -1
}

// sameFloats reports whether two arrays of floats have one shape.
func sameFloats(a, b *Array) bool {
	return isFloat(a.DType) && isFloat(b.DType) && slices.Equal(a.Shape, b.Shape)
}

// isGradientOutput reports whether an output is made by a backward pass.
func (t *training) isGradientOutput(o int) bool {
	if !t.markers {
		return t.mayBeGradient(o)
	}
	for _, i := range t.origins[o] {
		if t.g.inBackward(i) {
			return true
		}
	}
	return slices.ContainsFunc(t.hits[o], t.isGradient)
}

// mayBeGradient reports whether an output may be a gradient where names do not tell: whatever reduces it does so over data, and is used
// for nothing else.
func (t *training) mayBeGradient(o int) bool {
	return len(t.hits[o]) > 0 && !slices.ContainsFunc(t.hits[o], func(h reductionHit) bool { return !t.overData(h) || !t.isGradient(h) })
}
