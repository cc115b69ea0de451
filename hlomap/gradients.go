package hlomap

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// gradientsOf reports on every weight.
func (a *Attribution) gradientsOf(t *training) *Gradients {
	out := &Gradients{}
	if t.g.m.Stage() == BeforeOptimizations {
		out.Reason = t.noTraining()
		return out
	}
	for k := range t.params {
		if p := &t.params[k]; p.kind == kindWeight {
			out.Parameters = append(out.Parameters, a.gradient(t, k))
		}
	}
	if len(out.Parameters) == 0 {
		out.Reason = t.noTraining()
	}
	return out
}

// noTraining says why a module has no parameters to report on.
func (t *training) noTraining() string {
	switch stage := t.g.m.Stage(); {
	case t.g.m.CutOff():
		return "the dump was cut off, so that its gradients are not known"
	case stage == BeforeOptimizations:
		return "the module was not partitioned yet: its gradients are not reduced before that"
	case slices.ContainsFunc(t.params, func(p entryParameter) bool { return p.output >= 0 }):
		return "no argument goes into the making of its own new value: the module trains nothing"
	}
	return "no result is the new value or the gradient of an argument: the module trains nothing"
}

// gradient reports on one weight.
func (a *Attribution) gradient(t *training, k int) ParameterGradient {
	p := &t.params[k]
	g := ParameterGradient{Parameter: t.treePath(p), DType: p.DType, DeviceShape: p.Shape}
	if s := t.shardingOf(p); s != nil {
		g.Sharding, g.Shape = a.specOf(s), s.wholeShape(p.Shape)
	} else if t.g.devices == 1 {
		g.Shape = p.Shape
	}
	if p.output < 0 {
		g.Status, g.Reason = StatusUnknown, "no result was recognized as its new value"
		return g
	}
	g.Output, g.Renewed = t.dest.outputs[p.output].path, t.reaches(p, p.output)
	if t.crowded[p.output] {
		g.Status, g.Reason = StatusUnknown, fmt.Sprintf("more than %d reductions go into its new value", maxHits)
		return g
	}
	for _, h := range t.gradientHits(k) {
		r := a.reduction(t, h)
		g.Reductions = append(g.Reductions, r)
		g.Duplicate = g.Duplicate || r.EqualValues
		g.LowPrecision = g.LowPrecision || r.LowPrecision()
	}
	direct := len(g.Reductions) > 0
	if !direct {
		for _, h := range sortedHits(t.indirect[p.output]) {
			if !t.derives(h) {
				continue // equal on all devices because activations or data are, not because a gradient was reduced
			}
			g.Reductions = append(g.Reductions, a.reduction(t, h))
		}
	}
	g.Status, g.Reason = a.verdict(t, p, &g, direct)
	if g.Status != StatusReduced && g.Status != StatusDerived && g.Status != StatusMissing {
		g.Reductions = nil
	}
	if g.Status == StatusDerived {
		for k := range g.Reductions {
			g.LowPrecision = g.LowPrecision || g.Reductions[k].LowPrecision()
		}
	}
	return g
}

// gradientHits returns the reductions on the direct way to the new value of a weight that belong to its gradient. The derivative of a
// normalization by the batch is scaled by statistics of the batch, which a forward pass reduces. Where names do not tell, as in JAX < 0.7, a
// forward pass goes without the weight up to there, and the gradient depends on it.
func (t *training) gradientHits(k int) []reductionHit {
	hits := sortedHits(t.hits[t.params[k].output])
	depends := func(h reductionHit) bool {
		s, ok := t.ingredientsOf(t.causeOf(h))
		return ok && s.params[k]
	}
	if len(hits) < 2 {
		return hits
	}
	return slices.DeleteFunc(hits, func(h reductionHit) bool {
		if !isReduction(t.g.exchanges[h.collective].op) || t.isGradient(h) {
			return false
		}
		i := t.causeOf(h)
		if i != NoInstr && bytes.Contains(t.g.nameText(i), []byte("jvp(")) {
			return true
		}
		return !depends(h) && slices.ContainsFunc(hits, depends)
	})
}

// treePath returns the name of an argument's leaf.
func (t *training) treePath(p *entryParameter) string {
	name := p.opName
	if name == "" {
		name = fmt.Sprintf("args[%d]", p.number)
	}
	for _, k := range p.path {
		name += fmt.Sprintf("[%d]", k)
	}
	return name
}

// name returns the tree path of the argument that a leaf belongs to, "" when the dump has none.
func (t *training) name(leaf int) string { return t.params[leaf].opName }

func sortedHits(hits []reductionHit) []reductionHit {
	hits = slices.Clone(hits)
	slices.SortFunc(hits, func(a, b reductionHit) int {
		if a.collective != b.collective {
			return a.collective - b.collective
		}
		if a.operand != b.operand {
			return a.operand - b.operand
		}
		return int(a.from - b.from)
	})
	return slices.Compact(hits)
}

// reduction describes one reduction of a weight's gradient.
func (a *Attribution) reduction(t *training, h reductionHit) Reduction {
	c := &t.g.collectives[h.collective]
	o := &c.Operands[h.operand]
	r := Reduction{
		Collective: c.Name, Operand: h.operand, Opcode: c.Opcode, OperandDType: o.DType, ReducerDType: c.ReducerDType,
		Axes: c.Axes, GroupSize: groupSize(c), Bytes: o.Bytes, Elements: elementsIn(o.Shape), Executions: c.Executions,
		InLoop: t.g.m.Times(t.g.m.Comp(c.ID)).InLoop, conditional: c.Conditional, Cause: a.cause(t, h), Frames: c.Frames,
	}
	if h.operand < len(c.Results) {
		r.ResultDType = c.Results[h.operand].DType
	}
	if h.to != 0 && o.Bytes > 0 && h.dim < len(o.Shape) && o.Shape[h.dim] > 0 {
		r.Bytes = o.Bytes / o.Shape[h.dim] * (h.to - h.from)
		r.Elements = r.Elements / o.Shape[h.dim] * (h.to - h.from)
	}
	if c.Opcode == "collective-permute" {
		r.GroupSize = ringSize(c.SourceTargetPairs, t.g.devices)
		r.ReducerDType = o.DType
		return r
	}
	if r.EqualValues = t.equalValues(h); r.EqualValues {
		if first, ok := t.reducedBefore(h); ok {
			r.First, r.Scaling = t.g.collectives[first.collective].Name, t.scalingOf(h, first)
		}
	}
	return r
}

// elementsIn returns the number of elements of an array, -1 where a dimension is unknown or the number too large.
func elementsIn(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt64/d {
			return -1
		}
		n *= d
	}
	return n
}

// equalValues reports whether a sum adds up values that its devices agree on already.
func (t *training) equalValues(h reductionHit) bool {
	c := &t.g.collectives[h.collective]
	if !t.g.sums(c.ID) || len(t.g.m.Operands(c.ID)) <= h.operand {
		return false
	}
	o := t.g.m.Operands(c.ID)[h.operand]
	if o == NoInstr {
		return false
	}
	path := t.g.m.OperandPath(c.ID, h.operand)
	labels := t.v.of(o, path...).labels
	if h.to != 0 {
		labels = t.pieceLabels(place{instr: o, path: path, dim: h.dim, from: h.from, to: h.to}, labels)
	}
	return t.v.labels.agreeWithin(labels, c.ReplicaGroups)
}

// pieceLabels returns the labels of a piece of an array that was put together from pieces; the array's own labels tell
// devices apart that differ in any piece. It is those when the pieces are not found.
func (t *training) pieceLabels(start place, whole labelling) labelling {
	w := newWalker(t.g, t.v)
	depth, found, labels := -1, false, allEqual
	w.visitAll = func(p place) {
		switch {
		case depth < 0 && t.g.m.Op(p.instr) == OpConcatenate && p.to != 0:
			depth = p.depth
		case depth >= 0 && p.depth == depth+1:
			found = true
			labels = t.v.labels.join(labels, t.v.of(p.instr, p.path...).labels)
		}
	}
	w.walk(start, func(place) bool { return true })
	if !found {
		return whole
	}
	return labels
}

// sums reports whether the reducer of a reduction adds; the greatest of equal values is no harm.
func (g *dataGraph) sums(i InstrID) bool {
	for _, c := range g.m.Called(i) {
		if c == NoComp || g.m.Root(c) == NoInstr {
			continue
		}
		r := g.m.Root(c)
		for g.m.Op(r) == OpConvert && len(g.m.Operands(r)) == 1 && g.m.Operands(r)[0] != NoInstr {
			r = g.m.Operands(r)[0]
		}
		if g.m.Op(r) == OpAdd {
			return true
		}
		if g.m.Op(r).IsCollective() {
			return g.sums(r)
		}
	}
	return false
}

func groupSize(c *Collective) int {
	if len(c.ReplicaGroups) == 0 {
		return 0
	}
	return len(c.ReplicaGroups[0])
}

func ringSize(pairs [][2]int, devices int) int {
	if groups := ringGroups(pairs, devices); len(groups) > 0 {
		return len(groups[0])
	}
	return 0
}

// verdict decides the status of a weight from the reductions that its new value meets and from which devices agree on it.
func (a *Attribution) verdict(t *training, p *entryParameter, g *ParameterGradient, direct bool) (ParameterStatus, string) {
	if t.unchanged(p) {
		return StatusNotTrained, "the output is the input: no update reaches it"
	}
	labels := t.v.labels
	held := t.heldBy(t.v, p)
	given := t.v.flat(t.v.tuples.atPath(t.v.all[p.instr], p.path))
	// A result that comes back in other tiles is sharded in a way that the argument's sharding does not tell.
	given.rough = given.rough || !sameArray(&p.Array, &t.dest.outputs[p.output].Array)
	apart := !given.rough && !held.rough && labels.finer(held.labels, given.labels)
	declared := given
	if apart || given.rough {
		declared = t.declared(p, given)
	}
	g.Differs = apart && (declared.rough || labels.finer(held.labels, declared.labels))
	reduced, exchanged := t.intermittent(p, g, held, given, apart)
	g.Intermittent = reduced || exchanged
	switch {
	case reduced:
		return StatusReduced, a.intermittentReason(g)
	case exchanged:
		return StatusUnknown, "devices agree in some steps only, by an exchange that is no reduction: a condition decides, and in between each keeps a value of its own"
	case apart && declared.rough:
		return StatusUnknown, "each device computes a new value of its own, and the dump does not tell whether the step returns them as one array, " +
			"so that a reduction is missing, or as parts of a larger one: the module before partitioning does"
	case g.Differs:
		return StatusMissing, fmt.Sprintf("devices that should hold the same values hold different ones: %s over %s", missingReason(g), a.where(t, held.labels, declared.labels))
	case direct:
		return StatusReduced, reducedReason(g)
	case len(g.Reductions) > 0:
		return StatusDerived, fmt.Sprintf("its update is computed from values that %s has already reduced", collectiveNames(g.Reductions))
	case held.labels == allEqual:
		return StatusNotNeeded, "all devices end up with the same new value without a reduction"
	case given.rough && declared.rough:
		return StatusUnknown, "the dump does not say how the parameter is sharded"
	case !labels.finer(held.labels, declared.labels) && declared.labels != allEqual && !apart:
		return StatusSharded, "each device owns its part and computes that part's whole gradient"
	case held.rough:
		return StatusUnknown, "which devices hold the same values could not be worked out"
	case apart:
		return StatusSharded, "each device returns a new value of its own, as its part of a larger array"
	}
	return StatusUnknown, "the way of the update could not be followed"
}

// heldBy returns which devices agree on a parameter's new value.
func (t *training) heldBy(v *variance, p *entryParameter) spread {
	s := v.of(t.g.m.Root(t.g.m.Entry()), t.dest.outputs[p.output].path...)
	s.rough = s.rough || v.labels.full
	return s
}

// declared returns which devices are said to hold the same part of a parameter's new value, given those of the parameter itself. It is
// rough where the dump does not tell.
func (t *training) declared(p *entryParameter, given spread) spread {
	r := t.resultOf(p.output)
	if r.known {
		return spread{labels: r.labels}
	}
	if s := t.shardingOf(p); r.dims == nil || s == nil || !slices.Equal(r.dims, s.wholeShape(p.Shape)) {
		given.rough = true
	}
	return given // else an array of the same size, of which each device has a part of the same size
}

// intermittentReason says what reduces a parameter that devices agree on in some steps only.
func (a *Attribution) intermittentReason(g *ParameterGradient) string {
	list := g.Reductions
	if now := slices.DeleteFunc(slices.Clone(list), func(r Reduction) bool { return !r.conditional }); len(now) > 0 {
		list = now
	}
	return fmt.Sprintf("%s makes devices agree in some steps only: a condition decides, and in between each keeps a value of its own", collectiveNames(list))
}

// missingReason begins to say what a gradient lacks: it may be reduced over some of the devices alone.
func missingReason(g *ParameterGradient) string {
	if len(g.Reductions) > 0 {
		return "what reduces the gradient leaves it different"
	}
	return "nothing reduces the gradient"
}

// where names the mesh axes over which devices hold different values of what they should hold alike, or else the devices that should.
func (a *Attribution) where(t *training, held, declared labelling) string {
	own := t.v.labels.labels[declared]
	if len(a.meshes) > 0 {
		if axes := a.meshes[0].axesApart(t.v.labels.labels[held], own); len(axes) > 0 {
			return strings.Join(axes, ", ")
		}
	}
	groups := map[int32][]int{}
	var order []int32
	for d, l := range own {
		if groups[l] == nil {
			order = append(order, l)
		}
		groups[l] = append(groups[l], d)
	}
	var list [][]int
	for _, l := range order {
		list = append(list, groups[l])
	}
	if axes, _ := a.axesOfGroups(list); len(axes) > 0 {
		return strings.Join(axes, ", ")
	}
	return fmt.Sprintf("groups of %d devices", len(list[0]))
}

func reducedReason(g *ParameterGradient) string {
	if g.Duplicate {
		return fmt.Sprintf("%s adds up values that are equal on all its devices already", collectiveNames(slices.DeleteFunc(slices.Clone(g.Reductions), func(r Reduction) bool { return !r.EqualValues })))
	}
	r := &g.Reductions[0]
	over := "an unknown set of devices"
	if len(r.Axes) > 0 {
		over = strings.Join(r.Axes, ", ")
	} else if r.GroupSize > 0 {
		over = fmt.Sprintf("groups of %d devices", r.GroupSize)
	}
	where := ""
	if r.InLoop {
		where = " inside a loop"
	}
	if len(g.Reductions) > 1 {
		return fmt.Sprintf("its gradient comes through %d reductions, the first over %s%s", len(g.Reductions), over, where)
	}
	return fmt.Sprintf("its gradient is reduced over %s%s", over, where)
}

func collectiveNames(list []Reduction) string {
	var names []string
	for _, r := range list {
		if !slices.Contains(names, r.Collective) {
			names = append(names, r.Collective)
		}
	}
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:2], ", "), len(names)-2)
	}
	return strings.Join(names, ", ")
}

// shardingOf returns the sharding of an argument, nil when the dump does not tell.
func (t *training) shardingOf(p *entryParameter) *Sharding {
	text, ok := t.g.m.InstrAttr(p.instr, "sharding")
	if !ok {
		return nil
	}
	parts := splitShardings(text)
	if len(parts) != 1 { // of a tuple, or not closed
		return nil
	}
	s, ok := parseSharding(parts[0])
	if !ok {
		return nil
	}
	return s
}

// specOf spells a sharding, over the first of the known meshes that it fits.
func (a *Attribution) specOf(s *Sharding) string {
	for k := range a.meshes {
		if spec := s.Spec(&a.meshes[k]); spec != "" {
			return spec
		}
	}
	return s.Spec(nil)
}
