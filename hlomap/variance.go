package hlomap

import "encoding/binary"

// spread is what variance knows of one array: which devices agree on it.
type spread struct {
	labels labelling
	// rough is set where devices may agree more often than the labels say: the value depends on the device's own number in
	// a way that was not worked out, or on an operation that may itself communicate, or on what devices send on: all they get in turn
	// may add up to the same.
	rough bool
	// met is set where the labels are those behind one of variance.reduced: nothing that tells more devices apart came in since.
	met bool
	// known is an index into variance.knowns: the number that each device holds, 0 where it was not worked out.
	known int32
}

// knownValue is an integer that every device holds, or an array of them that all devices hold alike.
type knownValue struct {
	values    []int64
	perDevice bool // values[d] is the scalar of device d
}

// variance finds, for every value of a module, which devices provably hold the same. It runs the computations forward over
// labellings instead of numbers: once for every caller, loops until nothing changes.
//
// Facts are indices into spreads; the least fact, 0, is a value that was not reached.
type variance struct {
	g       *dataGraph
	labels  *labelTable
	tuples  *tupleTable
	spreads []spread
	equal   fact // of a value that all devices agree on
	index   map[spread]fact
	joins   map[uint64]fact
	knowns  []knownValue
	all     []fact // by instruction, over all calls
	again   []fact // by instruction, in the call at hand, of computations that are run more than once; nil while there is none
	ran     []bool // by computation
	running []bool // by computation: its run has not come back yet
	now     []fact // all or again: where the facts of the computation at hand are
	memo    map[string]fact
	depth   int
	steps   int // instructions looked at; above the limit everything is taken to differ
	limit   int
	// reduced are the exchanges, by index, that are taken to happen wherever all devices agree on whether they do: a branch or a round
	// of a loop that goes through them counts, what would have been kept in its place does not. It is nil where both count.
	reduced *bitSet
	chosen  map[uint64]fact // see choose
}

// Bounds against damaged or hostile modules: calls nest this deep, and loops settle in this many rounds.
const (
	maxNesting    = 200
	maxLoopRounds = 64
)

// stepLimit returns how many steps an analysis may take: a generous multiple of a module's size, because a computation
// is looked at once for each of its callers.
func stepLimit(m *Module) int { return 200*m.NumInstructions() + 1<<20 }

func newVariance(g *dataGraph) *variance { return runVariance(g, newLabelTable(g.devices), nil) }

// runVariance is newVariance with labellings of a table, and see variance.reduced.
func runVariance(g *dataGraph, labels *labelTable, reduced *bitSet) *variance {
	n := g.m.NumInstructions()
	v := &variance{
		g:       g,
		labels:  labels,
		reduced: reduced,
		tuples:  newTupleTable(),
		spreads: make([]spread, 1),
		index:   map[spread]fact{},
		joins:   map[uint64]fact{},
		knowns:  make([]knownValue, 1),
		all:     make([]fact, n),
		ran:     make([]bool, g.m.NumComputations()),
		running: make([]bool, g.m.NumComputations()),
		memo:    map[string]fact{},
		limit:   stepLimit(g.m),
	}
	v.equal = v.leaf(spread{})
	entry := g.m.Entry()
	if entry == NoComp {
		return v
	}
	v.run(entry, v.ofArguments(entry))
	return v
}

// ofArguments returns what shardings say of the parameters of the entry.
func (v *variance) ofArguments(entry CompID) []fact {
	arguments := v.g.m.entryArguments()
	facts := make([]fact, len(arguments.shardings))
	for k, text := range arguments.shardings {
		facts[k] = v.ofSharding(text)
	}
	args := make([]fact, len(arguments.list))
	for n := range args {
		switch k := arguments.list[n].sharding; {
		case k >= 0:
			args[n] = facts[k]
		case v.g.m.Parameter(entry, n) != NoInstr:
			args[n] = v.leaf(spread{labels: allDifferent, rough: true})
		}
	}
	return args
}

func (v *variance) ofSharding(text string) fact {
	parts := splitShardings(text)
	facts := make([]fact, len(parts))
	for k, part := range parts {
		facts[k] = v.leaf(spread{labels: allDifferent, rough: true})
		if s, ok := parseSharding(part); ok {
			if l, ok := s.labelsOf(v.labels); ok {
				facts[k] = v.leaf(spread{labels: l})
			}
		}
	}
	if len(facts) == 1 && !isTupleSharding(text) {
		return facts[0]
	}
	return v.tuples.of(facts)
}

func (v *variance) leaf(s spread) fact {
	if v.g.devices == 1 {
		s.labels = allEqual
	}
	if s.labels == allEqual {
		s.rough = false
	}
	if f, ok := v.index[s]; ok {
		return f
	}
	f := fact(len(v.spreads))
	v.spreads = append(v.spreads, s)
	v.index[s] = f
	return f
}

// join returns the fact about a value that depends on two others.
func (v *variance) join(a, b fact) fact { return v.tuples.merge(a, b, v.joinLeaf) }

func (v *variance) joinLeaf(a, b fact) fact {
	if a == b {
		return a
	}
	key := pairKey(a, b)
	if f, ok := v.joins[key]; ok {
		return f
	}
	sa, sb := v.spreads[a], v.spreads[b]
	labels := v.labels.join(sa.labels, sb.labels)
	f := v.leaf(spread{
		labels: labels, rough: sa.rough || sb.rough,
		met: sa.met && labels == sa.labels || sb.met && labels == sb.labels,
	})
	v.joins[key] = f
	return f
}

// flat returns the spread of a value as a whole.
func (v *variance) flat(f fact) spread { return v.spreads[v.tuples.flat(f, v.joinLeaf)] }

// of returns the spread of an instruction's result, or of one element of it, over all calls.
func (v *variance) of(i InstrID, path ...int) spread {
	return v.flat(v.tuples.atPath(v.all[i], path))
}

// operand returns the fact about operand k of an instruction.
func (v *variance) operand(i InstrID, k int) fact {
	o := v.g.m.Operands(i)[k]
	if o == NoInstr {
		return v.leaf(spread{labels: allDifferent, rough: true})
	}
	if f := v.tuples.atPath(v.now[o], v.g.m.OperandPath(i, k)); f != 0 {
		return f
	}
	return v.leaf(spread{labels: allDifferent, rough: true}) // only in damaged files: a cycle, an index out of range
}

func (v *variance) operands(i InstrID) []fact {
	out := make([]fact, len(v.g.m.Operands(i)))
	for k := range out {
		out[k] = v.operand(i, k)
	}
	return out
}

// mix joins all operands. It also tells whether one of them is a number worked out for every device; of their join there is none.
func (v *variance) mix(i InstrID) (f fact, known bool) {
	f = v.equal
	plain := v.g.m.elided == nil // operands are values of their own
	for k, o := range v.g.m.Operands(i) {
		var x fact
		if plain && o != NoInstr {
			x = v.now[o]
		}
		if x == 0 {
			x = v.operand(i, k)
		}
		switch {
		case x == f || x == v.equal:
		case x < 0:
			f = v.join(f, v.tuples.flat(x, v.joinLeaf))
		case v.spreads[x].known != 0:
			f, known = v.join(f, x), true
		case f == v.equal:
			f = x
		default:
			f = v.join(f, x)
		}
	}
	return f, known
}

// run returns the fact about the root of a computation that is given arguments. HLO has no recursion: in a damaged file that has,
// what a computation calls itself for stays unknown, else a few lines of it would use up all steps.
func (v *variance) run(c CompID, args []fact) fact {
	if c == NoComp || v.running[c] || v.depth >= maxNesting {
		return v.leaf(spread{labels: allDifferent, rough: true})
	}
	key := ""
	if len(v.g.m.Callers(c)) > 1 {
		key = callKey(c, args)
		if f, ok := v.memo[key]; ok {
			return f
		}
	}
	v.depth++
	v.running[c] = true
	defer func() { v.depth--; v.running[c] = false }()
	f := v.sweep(c, args)
	if key != "" {
		v.memo[key] = f
	}
	return f
}

// sweep goes through a computation and returns the fact about its root. The first call of a computation is all that is known of it,
// so that only further ones need a place for their own facts.
func (v *variance) sweep(c CompID, args []fact) fact {
	outer := v.now
	defer func() { v.now = outer }()
	own := v.all
	if v.ran[c] {
		if v.again == nil {
			v.again = make([]fact, len(v.all))
		}
		own = v.again
	}
	v.ran[c] = true
	v.now = own
	v.g.forward(c, func(i InstrID) {
		f := v.step(i, args)
		own[i] = f
		if f != v.all[i] {
			v.all[i] = v.join(v.all[i], f)
		}
	})
	if root := v.g.m.Root(c); root != NoInstr {
		return own[root]
	}
	return v.leaf(spread{labels: allDifferent, rough: true})
}

// callKey names a call of a computation with certain arguments.
func callKey(c CompID, args []fact) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(c))
	for _, a := range args {
		b = binary.LittleEndian.AppendUint32(b, uint32(a))
	}
	return string(b)
}

// step returns the fact about one instruction.
func (v *variance) step(i InstrID, args []fact) fact {
	if v.steps++; v.steps > v.limit {
		return v.leaf(spread{labels: allDifferent, rough: true})
	}
	m := v.g.m
	ops := m.Operands(i)
	switch op := m.Op(i); op {
	case OpParameter:
		if n := m.ParameterNumber(i); n >= 0 && n < len(args) {
			return args[n]
		}
		return v.leaf(spread{labels: allDifferent, rough: true})
	case OpTuple:
		return v.tuples.of(v.operands(i))
	case OpGetTupleElement:
		if len(ops) == 1 {
			return v.tuples.at(v.operand(i, 0), v.g.tupleIndex(i))
		}
	case OpPartitionID:
		return v.deviceNumber()
	case OpRng, OpInfeed, OpRecv, OpRecvDone, OpScan:
		return v.leaf(spread{labels: allDifferent, rough: true})
	case OpFusion, OpCall, OpAsyncStart:
		if x, ok := v.g.exchange(i); ok {
			return v.exchange(i, x)
		}
		if c := v.g.called(i); c != NoComp {
			return v.run(c, v.operands(i))
		}
	case OpWhile:
		return v.while(i)
	case OpConditional:
		return v.conditional(i)
	case OpOptBarrier:
		if len(ops) > 1 {
			return v.tuples.of(v.operands(i))
		}
		return v.pass(i)
	case OpCopyStart, OpCopyDone, OpAsyncDone, OpAsyncUpdate, OpAllReduceDone, OpAllGatherDone, OpCollectivePermuteDone,
		OpDomain, OpAddDependency:
		return v.pass(i)
	case OpConcatenate:
		return v.concatenate(i)
	case OpCustomCall:
		return v.custom(i)
	case OpConstant, OpIota:
		return v.equal
	case OpSelect:
		if f, ok := v.selected(i); ok {
			return f
		}
	default:
		if x, ok := v.g.exchange(i); ok {
			return v.exchange(i, x)
		}
	}
	return v.compute(i)
}

// pass returns the fact about the first operand.
func (v *variance) pass(i InstrID) fact {
	if len(v.g.m.Operands(i)) == 0 {
		return v.leaf(spread{labels: allDifferent, rough: true})
	}
	return v.operand(i, 0)
}

// exchange returns the fact behind a collective; a start stands for what its done returns.
func (v *variance) exchange(i InstrID, x exchangeInfo) fact {
	n := len(v.g.m.Operands(i))
	if n == 1 {
		return v.exchanged(x, v.operand(i, 0))
	}
	out := make([]fact, n)
	for k := range out {
		out[k] = v.exchanged(x, v.operand(i, k))
	}
	return v.tuples.of(out)
}

// exchanged returns the fact behind a collective of what one of its operands is.
func (v *variance) exchanged(x exchangeInfo, operand fact) fact {
	in := v.flat(operand)
	in.known = 0
	in.met = in.met || v.reduced != nil && v.reduced.has(int(x.at))
	e := exchange{op: x.op, groups: x.groups, in: in.labels}
	c := &v.g.collectives[x.at]
	if known, ok := v.labels.moves[e]; ok {
		in.labels = known
		in.rough = in.rough || c.SourceTargetPairs != nil && known != allEqual
		return v.leaf(in)
	}
	switch {
	case c.SourceTargetPairs != nil:
		in.labels = v.labels.permuted(e, c.SourceTargetPairs)
		in.rough = in.rough || in.labels != allEqual
	case c.ReplicaGroups != nil:
		in.labels = v.labels.exchanged(e, c.ReplicaGroups)
	default:
		in = spread{labels: allDifferent, rough: true}
	}
	return v.leaf(in)
}

// while joins what a loop carries with what its body makes of it until that changes nothing. Where devices may leave
// the loop at different times, everything it carries differs between them.
func (v *variance) while(i InstrID) fact {
	body, cond, ok := v.g.loop(i)
	if !ok || len(v.g.m.Operands(i)) == 0 {
		return v.leaf(spread{labels: allDifferent, rough: true})
	}
	first := v.operand(i, 0)
	carried := first
	for range maxLoopRounds {
		goOn := v.flat(v.run(cond, []fact{carried}))
		round := v.run(body, []fact{carried})
		next := v.join(carried, round)
		if goOn.labels != allEqual {
			next = v.join(next, v.leaf(spread{labels: goOn.labels, rough: goOn.rough}))
		}
		if next == carried {
			if v.reduced != nil && goOn.labels == allEqual {
				return v.choose(first, round)
			}
			return carried
		}
		carried = next
	}
	return v.leaf(spread{labels: allDifferent, rough: true})
}

func (v *variance) conditional(i InstrID) fact {
	var out fact
	alike := v.reduced != nil && len(v.g.m.Operands(i)) > 0 && v.flat(v.operand(i, 0)).labels == allEqual
	for k, c := range v.g.m.Called(i) {
		if k+1 >= len(v.g.m.Operands(i)) {
			continue
		}
		if branch := v.run(c, []fact{v.operand(i, k+1)}); alike && out != 0 {
			out = v.choose(out, branch)
		} else {
			out = v.join(out, branch)
		}
	}
	if out == 0 {
		out, _ = v.mix(i)
		return out
	}
	which := v.flat(v.operand(i, 0))
	return v.join(out, v.leaf(spread{labels: which.labels, rough: which.rough}))
}

// concatenate joins pieces. Where they differ in which devices agree, the whole says too little of each: GPU flattens
// gradients of many shapes and shardings into one array, reduces that and takes it apart again.
func (v *variance) concatenate(i InstrID) fact {
	f, _ := v.mix(i)
	for k := range v.g.m.Operands(i) {
		if s := v.flat(f); v.flat(v.operand(i, k)).labels != s.labels {
			return v.leaf(spread{labels: s.labels, rough: true})
		}
	}
	return f
}

// custom returns the fact about a custom call: a function of its operands, unless it may communicate.
func (v *variance) custom(i InstrID) fact {
	if k := v.g.asyncOperand(i); k >= 0 {
		return v.operand(i, k)
	}
	if v.g.keepsEach(i) {
		return v.tuples.of(v.operands(i))
	}
	f, _ := v.mix(i)
	if s := v.flat(f); s.labels != allEqual && !v.g.localCall(i) {
		return v.leaf(spread{labels: s.labels, rough: true})
	}
	return f
}
