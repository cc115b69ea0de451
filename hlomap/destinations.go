package hlomap

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// destination is where a value goes: to which leaves of the module's result.
type destination struct {
	// direct: elements keep their place on the way, through elementwise operations and data movement.
	direct setID
	// derived: on the way stands an operation that mixes elements (a product, a sum) of values that all devices agree on.
	derived setID
	// parts is an index into destinations.parts: which piece of an array goes where, for arrays that were put together
	// from pieces and are taken apart again. 0 is none.
	parts int32
}

// part is a piece of an array, from ≤ index < to along one dimension, and where it goes.
type part struct {
	from, to int64
	direct   setID
}

// gatheredDim is added to the dimension of a part list that tells the elements of an array by their places in what is gathered from it,
// along this dimension: on its way to where it was scattered. Nothing else there is cut along the dimension has to do with them.
const gatheredDim = 1 << 20

// partList is how an array is cut along one dimension.
type partList struct {
	dim   int
	parts []part // by from
}

// maxDerived bounds the outputs that are told apart behind mixing operations.
const maxDerived = 64

// destinations finds, for every collective and every parameter of the entry, which leaves of the module's result its value
// goes to. It runs the computations backward, in one sweep for each call; loops until nothing changes.
type destinations struct {
	g        *dataGraph
	v        *variance
	tuples   *tupleTable
	sets     *setTable
	deep     *setTable
	leaves   []destination // by fact; 0 goes nowhere
	plain    []fact        // by set: the fact about what goes there directly and nowhere else, 0 before it was asked for
	index    internTable   // of all other facts
	cutJoins map[uint64]int32
	cuts     []partList
	cutAt    map[string]int32
	uses     []int32 // by instruction: what its only use says, from several on where the newest contribution is; 0 for none
	arena    []contribution
	results  []fact // by exchange, over all calls
	entry    []fact // by parameter of the entry
	stops    []stop
	stopAt   internTable // of stops, by their instructions
	memo     map[string][]fact
	running  []bool   // by computation: its run has not come back yet
	few      []answer // by instruction; see spreadsFew
	depth    int
	steps    int
	taken    []fact // room for take
	limit    int
	outputs  []output
	paths    block[int] // of outputs
}

// output is a leaf of the module's result.
type output struct {
	path []int
	Array
}

// stop is an instruction that makes elements of outputs, which go there directly.
type stop struct {
	instr  InstrID
	direct setID
}

// contribution is what one of several uses of a value says of it.
type contribution struct {
	next int32 // where the contribution before it is in the arena, less than 0 for none
	fact fact
}

// several tells places in the arena from facts. Nothing has as many facts.
const several = 1 << 30

func newDestinations(g *dataGraph, v *variance) *destinations {
	s := &destinations{
		g: g, v: v,
		tuples:   newTupleTable(),
		sets:     newSetTable(1 << 15),
		deep:     newSetTable(maxDerived),
		leaves:   make([]destination, 1),
		cuts:     make([]partList, 1),
		cutAt:    map[string]int32{},
		cutJoins: map[uint64]int32{},
		uses:     g.sweepRoom(),
		arena:    make([]contribution, 0, g.m.NumInstructions()/8),
		results:  make([]fact, len(g.exchanges)),
		memo:     map[string][]fact{},
		running:  make([]bool, g.m.NumComputations()),
		few:      make([]answer, g.m.NumInstructions()),
		limit:    stepLimit(g.m),
	}
	entry := g.m.Entry()
	if entry == NoComp || g.m.Root(entry) == NoInstr {
		return s
	}
	shape := g.m.src.shape(g.m.Root(entry), &block[int64]{})
	s.outputs = make([]output, 0, len(shape.Elements))
	s.sets.grow(2 * len(shape.Elements))
	s.plain = make([]fact, 0, 2*len(shape.Elements))
	s.leaves = slices.Grow(s.leaves, 2*len(shape.Elements))
	s.entry = s.run(entry, s.rootFact(&shape, nil))
	return s
}

// rootFact numbers the leaves of the result.
func (s *destinations) rootFact(shape *Shape, path []int) fact {
	if !shape.IsTuple() {
		n := int32(len(s.outputs))
		s.outputs = append(s.outputs, output{s.paths.keep(path), shape.array()})
		return s.leaf(destination{direct: s.sets.just(n)})
	}
	elements := make([]fact, len(shape.Elements))
	for k := range elements {
		elements[k] = s.rootFact(&shape.Elements[k], append(path, k))
	}
	return s.tuples.of(elements)
}

func (s *destinations) leaf(d destination) fact {
	if d.derived == 0 && d.parts == 0 {
		return s.direct(d.direct)
	}
	hash := mix64(uint64(uint32(d.direct))<<32|uint64(uint32(d.derived)), uint64(uint32(d.parts)))
	if f, ok := s.index.find(hash, func(n int32) bool { return s.leaves[n] == d }); ok {
		return fact(f)
	}
	f := len(s.leaves)
	s.leaves = append(s.leaves, d)
	s.index.add(hash, int32(f))
	return fact(f)
}

// direct returns the fact about what goes to a set directly and nowhere else. Nearly all facts are such ones.
func (s *destinations) direct(set setID) fact {
	if set == 0 {
		return 0
	}
	if int(set) >= len(s.plain) {
		s.plain = append(s.plain, make([]fact, len(s.sets.list)-len(s.plain))...)
	}
	if s.plain[set] == 0 {
		s.plain[set] = fact(len(s.leaves))
		s.leaves = append(s.leaves, destination{direct: set})
	}
	return s.plain[set]
}

func (s *destinations) join(a, b fact) fact { return s.tuples.merge(a, b, s.joinLeaf) }

func (s *destinations) joinLeaf(a, b fact) fact {
	da, db := s.leaves[a], s.leaves[b]
	d := destination{direct: s.sets.union(da.direct, db.direct), derived: s.deep.union(da.derived, db.derived)}
	if ca, cb := &s.cuts[da.parts], &s.cuts[db.parts]; da.parts == 0 && da.direct == 0 {
		d.parts = db.parts
	} else if db.parts == 0 && db.direct == 0 {
		d.parts = da.parts
	} else if da.parts != 0 && db.parts != 0 && ca.dim == cb.dim {
		d.parts = s.joinCuts(da.parts, db.parts)
	}
	return s.leaf(d)
}

// joinCuts puts two lists of pieces along one dimension together.
func (s *destinations) joinCuts(a, b int32) int32 {
	key := pairKey(a, b)
	if id, ok := s.cutJoins[key]; ok {
		return id
	}
	id := s.cut(s.cuts[a].dim, slices.Concat(s.cuts[a].parts, s.cuts[b].parts))
	s.cutJoins[key] = id
	return id
}

// cut interns a list of pieces.
func (s *destinations) cut(dim int, parts []part) int32 {
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.direct, b.direct))
	})
	parts = slices.Compact(parts)
	b := binary.AppendVarint(nil, int64(dim))
	for _, p := range parts {
		b = binary.AppendVarint(b, p.from)
		b = binary.AppendVarint(b, p.to)
		b = binary.AppendVarint(b, int64(p.direct))
	}
	if id, ok := s.cutAt[string(b)]; ok {
		return id
	}
	id := int32(len(s.cuts))
	s.cuts = append(s.cuts, partList{dim, parts})
	s.cutAt[string(b)] = id
	return id
}

// flat returns the destination of a value as a whole.
func (s *destinations) flat(f fact) destination { return s.leaves[s.tuples.flat(f, s.joinLeaf)] }

// of returns where the result of a collective goes, or one element of it.
func (s *destinations) of(at int, path ...int) destination {
	return s.flat(s.tuples.atPath(s.results[at], path))
}

// give adds what a use says of operand k of an instruction.
func (s *destinations) give(i InstrID, k int, f fact) {
	o := s.g.m.Operands(i)[k]
	if f == 0 || o == NoInstr {
		return
	}
	if s.g.m.elided != nil {
		f = s.tuples.within(s.g.m.OperandPath(i, k), f)
	}
	s.giveTo(o, f)
}

func (s *destinations) giveTo(o InstrID, f fact) {
	known := s.uses[o]
	switch {
	case f == 0 || known == int32(f):
		return
	case known == 0:
		s.uses[o] = int32(f)
		return
	case known < several:
		s.arena = append(s.arena, contribution{-1, fact(known)})
		known = several + int32(len(s.arena)-1)
	case s.arena[known-several].fact == f:
		return
	}
	s.arena = append(s.arena, contribution{known - several, f})
	s.uses[o] = several + int32(len(s.arena)-1)
}

// take returns what all uses of a value say together, and forgets it.
func (s *destinations) take(i InstrID) fact {
	known := s.uses[i]
	s.uses[i] = 0
	if known < several {
		return fact(known)
	}
	c := s.arena[known-several]
	if b := s.arena[c.next]; b.next < 0 && c.fact > 0 && b.fact > 0 {
		return s.joinLeaf(c.fact, b.fact)
	}
	facts := append(s.taken[:0], c.fact)
	for at := c.next; at >= 0; at = s.arena[at].next {
		facts = append(facts, s.arena[at].fact)
	}
	s.taken = facts
	return s.joinAll(facts)
}

// joinAll joins many facts at once. Element by element for tuples: a loop's result has a use for each element, and
// joining those two by two would build as many tuples.
func (s *destinations) joinAll(facts []fact) fact {
	if len(facts) == 1 {
		return facts[0]
	}
	width := 0
	for _, f := range facts {
		width = max(width, s.tuples.row(f).width)
	}
	if width == 0 {
		return s.joinLeaves(facts)
	}
	elements := make([][]fact, width)
	for _, f := range facts {
		if f > 0 {
			for k := range elements {
				elements[k] = append(elements[k], f)
			}
			continue
		}
		r := s.tuples.row(f)
		for k, e := range r.elements {
			if e != 0 {
				elements[r.from+k] = append(elements[r.from+k], e)
			}
		}
	}
	out := make([]fact, width)
	for k, e := range elements {
		if len(e) > 0 {
			out[k] = s.joinAll(e)
		}
	}
	return s.tuples.of(out)
}

func (s *destinations) joinLeaves(facts []fact) fact {
	slices.Sort(facts)
	facts = slices.Compact(facts)
	if len(facts) <= 2 {
		f := facts[0]
		if len(facts) == 2 {
			f = s.joinLeaf(f, facts[1])
		}
		return f
	}
	var direct, derived []setID
	var parts []part
	dim, cuttable := -1, true
	for _, f := range facts {
		d := s.leaves[f]
		direct, derived = append(direct, d.direct), append(derived, d.derived)
		if d.direct == 0 {
			continue
		}
		c := s.cuts[d.parts]
		if d.parts == 0 || dim >= 0 && c.dim != dim {
			cuttable = false
			continue
		}
		dim = c.dim
		parts = append(parts, c.parts...)
	}
	d := destination{direct: s.sets.unionAll(direct), derived: s.deep.unionAll(derived)}
	if cuttable && dim >= 0 {
		d.parts = s.cut(dim, parts)
	}
	return s.leaf(d)
}

// run sweeps a computation backward, given where its result goes, and returns where its parameters go: nowhere that is known where a
// computation of a damaged file calls itself.
func (s *destinations) run(c CompID, root fact) []fact {
	if c == NoComp || s.running[c] || s.depth >= maxNesting || root == 0 {
		return nil
	}
	key := ""
	if len(s.g.m.Callers(c)) > 1 {
		key = callKey(c, []fact{root})
		if args, ok := s.memo[key]; ok {
			return args
		}
	}
	s.depth++
	s.running[c] = true
	defer func() { s.depth--; s.running[c] = false }()
	if r := s.g.m.Root(c); r != NoInstr {
		s.giveTo(r, root)
	}
	args := make([]fact, s.g.m.NumParameters(c))
	s.g.backward(c, func(i InstrID) {
		if s.uses[i] == 0 {
			return
		}
		f := s.take(i)
		if s.steps++; s.steps > s.limit {
			return
		}
		if s.g.m.Op(i) == OpParameter {
			if n := s.g.m.ParameterNumber(i); n >= 0 && n < len(args) {
				args[n] = f
			}
			return
		}
		s.step(i, f)
	})
	if s.depth == 1 {
		s.arena = s.arena[:0]
	}
	if key != "" {
		s.memo[key] = args
	}
	return args
}

// step hands on to its operands where the result of an instruction goes.
func (s *destinations) step(i InstrID, f fact) {
	m := s.g.m
	ops := m.Operands(i)
	op := m.Op(i)
	switch op {
	case OpTuple:
		for k := range ops {
			s.give(i, k, s.tuples.at(f, k))
		}
	case OpGetTupleElement:
		if k := s.g.tupleIndex(i); k >= 0 && len(ops) == 1 {
			s.give(i, 0, s.tuples.within([]int{k}, f))
		}
	case OpFusion, OpCall, OpAsyncStart:
		if x, ok := s.g.exchange(i); ok {
			s.exchange(i, x, f)
			return
		}
		for k, a := range s.run(s.g.called(i), f) {
			if k < len(ops) {
				s.give(i, k, a)
			}
		}
	case OpWhile:
		s.while(i, f)
	case OpConditional:
		for k, c := range m.Called(i) {
			if a := s.run(c, f); k+1 < len(ops) && len(a) > 0 {
				s.give(i, k+1, a[0])
			}
		}
	case OpOptBarrier:
		for k := range ops {
			if len(ops) == 1 {
				s.give(i, 0, f)
			} else {
				s.give(i, k, s.tuples.at(f, k))
			}
		}
	case OpCopyStart, OpCopyDone, OpAsyncDone, OpAsyncUpdate, OpAllReduceDone, OpAllGatherDone, OpCollectivePermuteDone:
		s.giveFirst(i, f)
	case OpCustomCall:
		s.custom(i, f)
	default:
		if x, ok := s.g.exchange(i); ok {
			s.exchange(i, x, f)
			return
		}
		s.elements(i, op, s.tuples.flat(f, s.joinLeaf), f)
	}
}

// giveFirst hands a fact on to the first operand.
func (s *destinations) giveFirst(i InstrID, f fact) {
	if len(s.g.m.Operands(i)) > 0 {
		s.give(i, 0, f)
	}
}

// exchange notes where the result of a collective goes, and hands it on operand by operand.
func (s *destinations) exchange(i InstrID, x exchangeInfo, f fact) {
	s.results[x.at] = s.join(s.results[x.at], f)
	n := len(s.g.m.Operands(i))
	for k := range n {
		of := s.tuples.at(f, k)
		if n == 1 {
			of = s.tuples.flat(f, s.joinLeaf)
		}
		if of > 0 && (x.op == OpAllGather || x.op == OpReduceScatter || x.op == OpAllToAll) {
			of = s.sent(x, of)
		}
		s.give(i, k, of)
	}
}

// sent turns a fact about the result of an exchange that gathers or scatters into one about its operand.
func (s *destinations) sent(x exchangeInfo, f fact) fact {
	d := s.leaves[f]
	if d.parts == 0 {
		return f
	}
	c, along := s.cuts[d.parts], s.g.along(x)
	switch {
	case along < 0 || x.op == OpAllToAll:
		return s.whole(f)
	case x.op == OpAllGather && c.dim == along:
		d.parts = s.cut(along+gatheredDim, c.parts)
	case x.op == OpReduceScatter && c.dim == along+gatheredDim:
		d.parts = s.cut(along, c.parts)
	case c.dim >= gatheredDim || x.op == OpReduceScatter && c.dim == along:
		return s.whole(f)
	}
	return s.leaf(d)
}

// along returns the dimension that an all-gather or a reduce-scatter works along, -1 where the dump does not tell.
func (g *dataGraph) along(x exchangeInfo) int {
	i := x.instr
	if g.m.Op(i) == OpAsyncStart {
		c := g.called(i)
		if c == NoComp {
			return -1
		}
		if i = g.m.Root(c); i == NoInstr {
			return -1
		}
	}
	text, _ := g.m.InstrAttr(i, "dimensions")
	dims, _, ok := parseNumbers([]byte(text), 0, '{', '}')
	if !ok || len(dims) != 1 || dims[0] >= gatheredDim {
		return -1
	}
	return int(dims[0])
}

// while joins where the result of a loop goes with where its body sends what the loop carries, until that changes
// nothing.
func (s *destinations) while(i InstrID, f fact) {
	body, _, ok := s.g.loop(i)
	if !ok {
		return
	}
	if s.g.expandedScatter(i) {
		s.expandedScatter(i, f)
		return
	}
	for range maxLoopRounds {
		args := s.run(body, f)
		if len(args) == 0 {
			break
		}
		next := s.join(f, args[0])
		if next == f {
			break
		}
		f = next
	}
	s.giveFirst(i, f)
}

// expandedScatter handles a scatter that a backend wrote out as a loop like the scatter: what it is added to keeps its
// elements, the updates are mixed.
func (s *destinations) expandedScatter(i InstrID, f fact) {
	shape := s.g.m.Shape(i)
	elements := make([]fact, len(shape.Elements))
	mixed := fact(0)
	for k := range elements {
		elements[k] = s.tuples.at(f, k)
		d := s.flat(elements[k])
		s.stop(i, d.direct)
		if s.v.of(i, k).labels == allEqual {
			mixed = s.join(mixed, s.indirect(d))
		}
	}
	for k := range elements {
		if elements[k] == 0 {
			elements[k] = mixed
		}
	}
	s.giveFirst(i, s.tuples.of(elements))
}

func (s *destinations) custom(i InstrID, f fact) {
	if k := s.g.asyncOperand(i); k >= 0 {
		s.give(i, k, s.tuples.flat(f, s.joinLeaf))
		return
	}
	if s.g.keepsEach(i) {
		for k := range s.g.m.Operands(i) {
			s.give(i, k, s.tuples.at(f, k))
		}
		return
	}
	flat := s.tuples.flat(f, s.joinLeaf)
	if keepsElements(s.g.target(i)) {
		for k := range s.g.m.Operands(i) {
			s.give(i, k, flat)
		}
		return
	}
	s.mix(i, flat)
}

// mix handles an operation whose result elements depend on many elements. Where all devices agree on its result, it works
// on values that were made equal further up, and the way goes on, derived; otherwise this is where values come into
// being that differ between devices, and the way ends.
func (s *destinations) mix(i InstrID, f fact) {
	d := s.leaves[f]
	s.stop(i, d.direct)
	if s.v.of(i).labels != allEqual {
		return
	}
	down := s.indirect(d)
	for k := range s.g.m.Operands(i) {
		s.give(i, k, down)
	}
}

// stop notes that the direct way to outputs begins at an instruction.
func (s *destinations) stop(i InstrID, direct setID) {
	if direct == 0 {
		return
	}
	hash := mix64(uint64(i), 0)
	if n, ok := s.stopAt.find(hash, func(n int32) bool { return s.stops[n].instr == i }); ok {
		s.stops[n].direct = s.sets.union(s.stops[n].direct, direct)
		return
	}
	s.stopAt.add(hash, int32(len(s.stops)))
	s.stops = append(s.stops, stop{i, direct})
}

// indirect returns the fact behind an operation that mixes elements.
func (s *destinations) indirect(d destination) fact {
	derived := d.derived
	if d.direct == everything || len(s.sets.members(d.direct)) > maxDerived {
		derived = everything
	} else if d.direct != 0 {
		derived = s.deep.union(derived, s.deep.of(s.sets.members(d.direct)))
	}
	return s.leaf(destination{derived: derived})
}
