package hlomap

import "slices"

// entryParameter is an array leaf of an argument of the module.
type entryParameter struct {
	Array
	number int
	path   []int // within the argument, empty unless that is a tuple
	output int   // the leaf of the result that holds its new value (or its gradient), -1 for none
	instr  InstrID
	kind   parameterKind
	opName string // of the parameter, "" when the dump has none
}

// parameterKind is what an argument is to the program.
type parameterKind uint8

const (
	kindOther  parameterKind = iota // data, random keys, schedules: nothing that is trained
	kindWeight                      // trained, or held by the program like those that are
	kindState                       // optimizer slots, averages, statistics: updated beside the weights
)

// reductionHit is an operand of a reduction whose result goes directly into an output.
type reductionHit struct {
	collective int // index in dataGraph.collectives
	operand    int
	dim        int
	from, to   int64 // which elements along dim belong to the output; to 0: all
}

// training says which arguments of a module are trained, and which reductions their updates meet.
type training struct {
	g      *dataGraph
	v      *variance
	dest   *destinations
	walker *walker

	params   []entryParameter
	firstOf  []int                      // by argument number: its first leaf
	hits     [][]reductionHit           // by output
	indirect [][]reductionHit           // by output: reductions behind operations that mix elements
	crowded  []bool                     // by output: more reductions go into it than are told apart
	origins  [][]InstrID                // by output: where its elements are made
	rings    map[int]*ring              // by index of a collective-permute that carries sums
	whole    hitTable                   // what is known of whole operands of collectives
	pieces   map[reductionHit]*hitFacts // and of pieces of them
	data     labelling                  // see dataLabels; -1 before it was asked for
	feeds    *feeds                     // what gradients are made of
	renewed  map[InstrID]bool           // see isNewValue; nil before it was asked for
	takes    map[InstrID]bool           // see weighted
	sources  map[InstrID]ingredients    // see ingredientsOf
	markers  bool                       // the module names its backward pass
	before   *Module                    // the module before partitioning, nil where it is not known
	results  []result                   // by output; nil before it was asked for
	then     *variance                  // see reducedThen; nil before it was asked for
	thenAll  *variance                  // see exchangedThen; nil before it was asked for
	callers  map[CompID][]Frame         // of computations that were asked for, the frames of the calls around them
	named    block[string]              // the parameters of operands
	names    []string                   // room for name
	weights  []int                      // room for weightsAt
}

func newTraining(g *dataGraph) *training {
	v := newVariance(g)
	t := &training{
		g: g, v: v,
		dest:   newDestinations(g, v),
		walker: newWalker(g, v),
		rings:  map[int]*ring{},
		whole:  newHitTable(g.exchanges),
		pieces: map[reductionHit]*hitFacts{}, takes: map[InstrID]bool{}, sources: map[InstrID]ingredients{}, callers: map[CompID][]Frame{},
		data: -1,
	}
	t.readParameters()
	t.matchOutputs()
	t.collectHits()
	t.classify()
	return t
}

func (t *training) readParameters() {
	m := t.g.m
	entry := m.Entry()
	if entry == NoComp {
		return
	}
	arguments := m.entryArguments().list
	t.params = make([]entryParameter, 0, len(arguments))
	t.firstOf = make([]int, 0, len(arguments))
	for n := range arguments {
		t.firstOf = append(t.firstOf, len(t.params))
		p := m.Parameter(entry, n)
		if p == NoInstr {
			continue
		}
		t.addLeaves(entryParameter{number: n, instr: p, output: -1, opName: arguments[n].opName}, &arguments[n].shape, nil)
	}
}

func (t *training) addLeaves(p entryParameter, shape *Shape, path []int) {
	if !shape.IsTuple() {
		p.Array, p.path = shape.array(), slices.Clone(path)
		t.params = append(t.params, p)
		return
	}
	for k := range shape.Elements {
		t.addLeaves(p, &shape.Elements[k], append(path, k))
	}
}

// leafAt returns the leaf of an argument, -1 when it has none there.
func (t *training) leafAt(number int, path []int) int {
	if number < 0 || number >= len(t.firstOf) {
		return -1
	}
	for k := t.firstOf[number]; k < len(t.params) && t.params[k].number == number; k++ {
		if slices.Equal(t.params[k].path, path) {
			return k
		}
	}
	return -1
}

// goesTo returns the outputs that the elements of an argument go to.
func (t *training) goesTo(p *entryParameter) []int32 {
	if p.number >= len(t.dest.entry) {
		return nil
	}
	d := t.dest.flat(t.dest.tuples.atPath(t.dest.entry[p.number], p.path))
	return t.dest.sets.members(d.direct)
}

// matchOutputs finds the output that holds the new value of each argument. Aliases say so where arguments are donated,
// but JAX pairs donated arguments with results by shape alone, so an alias counts only where dataflow does not say
// otherwise. Else an output belongs to the one argument of its type that reaches it element by element; of several, to
// the nearest: in `p - lr * m / sqrt(v)` that is p.
func (t *training) matchOutputs() {
	candidates := grouped[int](len(t.dest.outputs))
	for k := range t.params {
		for _, o := range t.goesTo(&t.params[k]) {
			if len(candidates[o]) <= maxHits && sameArray(&t.params[k].Array, &t.dest.outputs[o].Array) {
				candidates[o] = append(candidates[o], k)
			}
		}
	}
	shared := t.matchTiles(candidates)
	for o := range candidates {
		if len(candidates[o]) > maxHits {
			candidates[o] = nil // no telling which; an alias may
		}
	}
	p := newPairing(candidates, len(t.params))
	aliases := t.aliases()
	for o, k := range aliases {
		if k >= 0 && !shared[o] && !p.taken[k] && slices.Contains(candidates[o], k) {
			p.pair(o, k)
		}
	}
	p.pairAll(t.nearest)
	for o, k := range aliases {
		if k >= 0 && p.owner[o] < 0 && !p.taken[k] && sameArray(&t.params[k].Array, &t.dest.outputs[o].Array) {
			p.pair(o, k)
		}
	}
	for o, k := range p.owner {
		if k >= 0 {
			t.params[k].output = o
		}
	}
}

// matchTiles adds the arguments that come back in other tiles: where out_shardings are left open, the partitioner may return a
// parameter in tiles although it came in whole, or the other way round. An output that none of its own shape reaches may have any of
// them. Where several outputs share fewer arguments of their shape than they are, as a parameter's new value shares those of its slots
// that came in as tiles, one of them belongs to an argument that reaches no output of its own shape. It returns the outputs that were
// given such arguments. An alias tells nothing of them, because an array of another size can't give its buffer.
func (t *training) matchTiles(candidates [][]int) (shared []bool) {
	shared = make([]bool, len(candidates))
	home, free, short := t.shares(candidates)
	for k := range t.params {
		for _, o := range t.goesTo(&t.params[k]) {
			if !free[o] && (!short[o] || home[k]) || len(candidates[o]) > maxHits || !t.mayComeBackAs(&t.params[k], &t.dest.outputs[o].Array) {
				continue
			}
			at, _ := slices.BinarySearch(candidates[o], k)
			candidates[o] = slices.Insert(candidates[o], at, k)
			shared[o] = true
		}
	}
	return shared
}

// shares says which arguments are candidates, which outputs have none, and which share fewer than they are, directly or in a chain.
func (t *training) shares(candidates [][]int) (home, free, short []bool) {
	home, free, short = make([]bool, len(t.params)), make([]bool, len(candidates)), make([]bool, len(candidates))
	users := grouped[int](len(t.params))
	for o, list := range candidates {
		free[o] = len(list) == 0
		for _, k := range list {
			home[k] = true
			users[k] = append(users[k], o)
		}
	}
	seen, counted := make([]bool, len(candidates)), make([]bool, len(t.params))
	for first := range candidates {
		if seen[first] || free[first] {
			continue
		}
		seen[first] = true
		group, arguments := []int{first}, 0
		for n := 0; n < len(group); n++ {
			for _, k := range candidates[group[n]] {
				if counted[k] {
					continue
				}
				counted[k] = true
				arguments++
				for _, o := range users[k] {
					if !seen[o] {
						seen[o] = true
						group = append(group, o)
					}
				}
			}
		}
		for _, o := range group {
			short[o] = arguments < len(group)
		}
	}
	return home, free, short
}

// mayComeBackAs reports whether an output may hold the new value of an argument in other tiles: of the whole array, where the
// argument's sharding tells what that is.
func (t *training) mayComeBackAs(p *entryParameter, o *Array) bool {
	if !tileOf(&p.Array, o) {
		return false
	}
	s := t.shardingOf(p)
	if s == nil || t.g.m.Stage() == BeforeOptimizations { // there each device may return its own as a part of a larger array
		return true
	}
	whole := s.wholeShape(p.Shape)
	for i, n := range whole {
		if i >= len(o.Shape) || o.Shape[i] <= 0 || n%o.Shape[i] != 0 {
			return false
		}
	}
	return true
}

// tileOf reports whether one of two arrays of a type can be a tile of the other.
func tileOf(a, b *Array) bool {
	if a.DType != b.DType || len(a.Shape) != len(b.Shape) || len(a.Shape) == 0 {
		return false
	}
	smaller, larger := false, false
	for i, n := range a.Shape {
		m := b.Shape[i]
		switch {
		case n == m:
		case n > 0 && m > n && m%n == 0:
			larger = true
		case m > 0 && n > m && n%m == 0:
			smaller = true
		default:
			return false
		}
	}
	return smaller != larger
}

// nearest returns the candidate, of several in ascending order, that stands the fewest operations behind an output; the first of
// equals, because results are listed in the order of arguments.
func (t *training) nearest(o int, candidates []int) int {
	best := candidates[0]
	entry := t.g.m.Entry()
	start := place{instr: t.g.m.Root(entry), path: t.dest.outputs[o].path}
	t.walker.walk(start, func(end place) bool {
		if t.g.m.Op(end.instr) != OpParameter || t.g.m.Comp(end.instr) != entry {
			return true
		}
		k := t.leafAt(t.g.m.ParameterNumber(end.instr), end.path)
		if _, found := slices.BinarySearch(candidates, k); found {
			best = k
			return false
		}
		return true
	})
	return best
}

func sameArray(a, b *Array) bool { return a.DType == b.DType && slices.Equal(a.Shape, b.Shape) }

// aliases returns, by output, the leaf of an argument whose buffer it takes over, -1 for none.
func (t *training) aliases() []int {
	out := make([]int, len(t.dest.outputs))
	for o := range out {
		out[o] = -1
	}
	text, ok := t.g.m.Attr("input_output_alias")
	if !ok {
		return out
	}
	at := 0
	for _, a := range parseAliases(text) { // mostly in the order of the outputs
		o := -1
		for n := range t.dest.outputs {
			if k := (at + n) % len(t.dest.outputs); slices.Equal(t.dest.outputs[k].path, a.output) {
				o, at = k, k+1
				break
			}
		}
		if o < 0 {
			continue
		}
		if k := t.leafAt(a.number, a.path); k >= 0 {
			out[o] = k
		}
	}
	return out
}

// alias is one entry of input_output_alias.
type alias struct {
	output []int
	number int
	path   []int
}

// parseAliases reads "{ {0}: (3, {}, may-alias), {1,2}: (5, {0}, must-alias) }".
func parseAliases(text string) []alias {
	var out []alias
	b := []byte(text)
	p := 1
	for {
		p = skipTo(b, p, '{')
		if p >= len(b) {
			return out
		}
		path, next, ok := parseNumbers(b, p, '{', '}')
		if !ok {
			return out
		}
		p = skipTo(b, next, '(')
		if p >= len(b) {
			return out
		}
		var a alias
		n, next := parseInt(b, p+1)
		a.number, a.output = int(min(n, 1<<30)), toInts(path)
		inner, next, ok := parseNumbers(b, skipTo(b, next, '{'), '{', '}')
		if !ok {
			return out
		}
		a.path = toInts(inner)
		out = append(out, a)
		p = skipTo(b, next, ')')
	}
}

func skipTo(b []byte, p int, c byte) int {
	for p < len(b) && b[p] != c {
		p++
	}
	return p
}

func toInts(list []int64) []int {
	out := make([]int, len(list))
	for k, n := range list {
		out[k] = int(min(n, 1<<30))
	}
	return out
}

// isReduction reports whether an exchange adds up (or otherwise combines) what its devices hold.
func isReduction(op Op) bool { return op == OpAllReduce || op == OpReduceScatter }

// collectHits notes for every output which reductions its elements come through.
func (t *training) collectHits() {
	t.hits = grouped[reductionHit](len(t.dest.outputs))
	t.indirect = make([][]reductionHit, len(t.dest.outputs))
	t.crowded = make([]bool, len(t.dest.outputs))
	t.origins = grouped[InstrID](len(t.dest.outputs))
	for at := range t.g.exchanges {
		x := &t.g.exchanges[at]
		if x.piece || !isReduction(x.op) && !t.isRing(at) || x.alone {
			continue
		}
		for k := range int(x.operands) {
			t.noteHits(at, k, t.destinationOf(at, k))
		}
	}
	for _, s := range t.dest.stops {
		for _, o := range t.dest.sets.members(s.direct) {
			t.origins[o] = append(t.origins[o], s.instr)
		}
	}
	for o := range t.origins {
		slices.Sort(t.origins[o])
	}
}

// destinationOf returns where operand k of a collective goes.
func (t *training) destinationOf(at, k int) destination {
	if len(t.g.m.Operands(t.g.exchanges[at].instr)) > 1 {
		return t.dest.of(at, k)
	}
	return t.dest.of(at)
}

// hitOf is the reduction of a part of what operand k of a collective sends. The parts of what it returns are told by their places in
// what it sends, or else not told apart.
func (t *training) hitOf(at, k, dim int, p part) reductionHit {
	x := t.g.exchanges[at]
	switch {
	case dim >= gatheredDim && x.op == OpReduceScatter && t.g.along(x) == dim-gatheredDim:
		dim -= gatheredDim
	case dim >= gatheredDim || x.op == OpReduceScatter && t.g.along(x) == dim:
		return reductionHit{collective: at, operand: k}
	}
	return reductionHit{at, k, dim, p.from, p.to}
}

func (t *training) noteHits(at, k int, d destination) {
	if d.parts != 0 {
		cut := t.dest.cuts[d.parts]
		for _, p := range cut.parts {
			for _, o := range t.dest.sets.members(p.direct) {
				t.noteHit(o, t.hitOf(at, k, cut.dim, p))
			}
		}
	} else {
		for _, o := range t.dest.sets.members(d.direct) {
			t.noteHit(o, reductionHit{collective: at, operand: k})
		}
	}
	for _, o := range t.dest.deep.members(d.derived) {
		t.indirect[o] = append(t.indirect[o], reductionHit{collective: at, operand: k})
	}
}

// maxHits bounds the reductions that are told apart of those whose results go into one output, and the arguments that may be its
// former value. Where thousands of arrays go element by element into each of thousands of outputs, there are millions.
const maxHits = 256

// noteHit adds a reduction to those of an output. Of too many the first remains: it tells still that there are any.
func (t *training) noteHit(o int32, h reductionHit) {
	switch {
	case t.crowded[o] || slices.Contains(t.hits[o], h): // of parts that are not told apart
	case len(t.hits[o]) < maxHits:
		t.hits[o] = append(t.hits[o], h)
	default:
		t.crowded[o] = true
		t.hits[o] = slices.Clone(t.hits[o][:1])
	}
}
