package hlomap

import "slices"

// feeds is what goes into the making of gradients: everything in front of the reductions of gradients and of the
// operations that a backward pass makes gradients with. Elements of tuples are told apart, because loops over steps and
// conditional updates carry weights together with optimizer slots.
type feeds struct {
	t   *training
	fed pieces
	// sought is what lies between a reduction and the backward pass: accumulated gradients, statistics of them. It is
	// passed through, and feeds nothing itself.
	sought pieces
	todo   []step
	// probe, when set, asks no more than whether the backward pass is met at all.
	probe, met bool
	// ends, when set, tells where the way ends.
	ends func(p piece) bool
}

// piece is one element of an instruction's result, or all of it (-1).
type piece struct {
	instr   InstrID
	element int
}

// pieces is a set of them. Where many are all of a result, those are told by instruction.
type pieces struct {
	whole []bool // by instruction, nil where they are among the parts
	parts map[piece]bool
}

// add reports whether a piece is new.
func (s *pieces) add(p piece) bool {
	if s.whole != nil && p.element < 0 {
		known := s.whole[p.instr]
		s.whole[p.instr] = true
		return !known
	}
	if s.parts[p] {
		return false
	}
	s.parts[p] = true
	return true
}

// step is a piece to go on from; seeking: the backward pass has not been met yet.
type step struct {
	piece
	seeking bool
}

// argument reports whether an argument of the module goes into what a gradient is made of.
func (f *feeds) argument(p *entryParameter) bool {
	return f.fed.whole[p.instr] || len(p.path) > 0 && f.fed.parts[piece{p.instr, p.path[0]}]
}

func newFeeds(t *training) *feeds {
	return &feeds{t: t, fed: pieces{whole: make([]bool, t.g.m.NumInstructions()), parts: map[piece]bool{}}, sought: pieces{parts: map[piece]bool{}}}
}

func (t *training) markFeeds() {
	f := newFeeds(t)
	f.sought.whole = make([]bool, t.g.m.NumInstructions())
	t.feeds = f
	for o := range t.hits {
		for _, h := range t.hits[o] {
			if t.isGradient(h) {
				f.add(step{piece{t.causeOf(h), -1}, t.markers})
			}
		}
		for _, h := range t.indirect[o] {
			if t.isGradient(h) && (len(t.hits[o]) > 0 || t.overData(h)) && (!t.markers || t.fromBackward(h)) {
				f.add(step{piece{t.causeOf(h), -1}, t.markers})
			}
		}
		for _, i := range t.origins[o] {
			if t.markers && t.g.inBackward(i) && t.v.of(i).labels != allEqual {
				f.add(step{piece{i, -1}, false})
			}
		}
	}
	if len(f.todo) == 0 && t.markers {
		f.addEqualOrigins()
	}
	f.run()
}

// together is the number of steps whose names are read in one go: their text stays near until it is looked at.
const together = 512

// run goes on from many steps at a time, so that the names that they ask for are read in one go.
func (f *feeds) run() {
	var steps []step
	var names []InstrID
	for len(f.todo) > 0 {
		rest := max(0, len(f.todo)-together)
		steps = append(steps[:0], f.todo[rest:]...)
		f.todo = f.todo[:rest]
		names = f.unread(names[:0], steps)
		f.t.g.m.readAhead(names)
		for _, s := range steps {
			f.behind(s)
		}
	}
}

// unread adds to a list the operands whose names steps will ask for.
func (f *feeds) unread(list []InstrID, steps []step) []InstrID {
	for _, s := range steps {
		if !s.seeking {
			continue
		}
		for _, d := range f.t.g.m.Operands(s.instr) {
			if d != NoInstr && f.t.g.backwards[d] == notAsked {
				list = append(list, d)
			}
		}
	}
	return list
}

func (f *feeds) next() {
	s := f.todo[len(f.todo)-1]
	f.todo = f.todo[:len(f.todo)-1]
	f.behind(s)
}

// derives reports whether a reduction whose result is worked into an update adds up gradients over data. Batches that are
// gathered by sums, as those of a shuffle are, are equal on all devices too, but no weight goes into them.
func (t *training) derives(h reductionHit) bool {
	if !t.overData(h) || !t.isGradient(h) {
		return false
	}
	if t.markers {
		return t.fromBackward(h)
	}
	return t.weighted(t.causeOf(h))
}

// fromBackward reports whether names say that a reduction adds up what a backward pass made, or what was made of that.
func (t *training) fromBackward(h reductionHit) bool {
	i := t.causeOf(h)
	return i != NoInstr && (t.g.inBackward(i) || t.g.inBackward(t.g.exchanges[h.collective].instr) || t.behindBackward(i))
}

// weighted reports whether an operation takes arguments that have new values. Too many questions are answered with yes.
func (t *training) weighted(i InstrID) bool {
	if known, ok := t.takes[i]; ok {
		return known
	}
	if (len(t.takes)+1)*t.g.m.NumInstructions() > maxAlone {
		return true
	}
	f := newFeeds(t)
	f.add(step{piece{i, -1}, false})
	f.run()
	t.takes[i] = slices.ContainsFunc(t.params, func(p entryParameter) bool {
		return p.output >= 0 && isFloat(p.DType) && f.argument(&p) && t.reaches(&p, p.output)
	})
	return t.takes[i]
}

// ingredients is what goes into an operation, up to reductions over data.
type ingredients struct {
	params  []bool // by leaf of an argument
	direct  bool   // data does
	reduced bool   // what was reduced does
}

// ingredientsOf looks at what goes into an operation; ok is false where too much is asked.
func (t *training) ingredientsOf(i InstrID) (s ingredients, ok bool) {
	if s, ok := t.sources[i]; ok {
		return s, true
	}
	if i == NoInstr || (len(t.sources)+1)*t.g.m.NumInstructions() > maxAlone {
		return s, false
	}
	f := newFeeds(t)
	f.ends = func(p piece) bool {
		x, ok := t.g.exchange(p.instr)
		ok = ok && isReduction(x.op) && t.overData(reductionHit{collective: t.g.isExchange.rank(int(p.instr))})
		s.reduced = s.reduced || ok
		return ok
	}
	f.add(step{piece{i, -1}, false})
	f.run()
	s.params = make([]bool, len(t.params))
	for k := range t.params {
		p := &t.params[k]
		s.params[k] = f.argument(p)
		s.direct = s.direct || s.params[k] && p.kind == kindOther && p.output < 0
	}
	t.sources[i] = s
	return s, true
}

// behindBackward reports whether an operation takes what a backward pass made.
func (t *training) behindBackward(i InstrID) bool {
	f := &feeds{t: t, sought: pieces{parts: map[piece]bool{}}, probe: true}
	f.add(step{piece{i, -1}, true})
	for len(f.todo) > 0 && !f.met && len(f.sought.parts) < maxWalk {
		f.next()
	}
	return f.met
}

// maxAlone bounds the instructions that findUnnamed may look at.
const maxAlone = 1 << 24

// findUnnamed looks for weights where neither a name nor a reduction tells of gradients: JAX < 0.7, on data that all devices hold.
// A weight is then what its own update is made of, and added to.
func (t *training) findUnnamed() {
	if t.markers || t.trains() || t.g.m.Entry() == NoComp {
		return
	}
	root := t.g.m.Root(t.g.m.Entry())
	for k, left := 0, maxAlone; k < len(t.params) && left > 0; k++ {
		p := &t.params[k]
		if p.output < 0 || !isFloat(p.DType) || len(t.hits[p.output]) > 0 || len(t.origins[p.output]) == 0 ||
			!t.reaches(p, p.output) || t.v.of(root, t.dest.outputs[p.output].path...).labels != allEqual {
			continue
		}
		f := newFeeds(t)
		for _, i := range t.origins[p.output] {
			f.add(step{piece{i, -1}, false})
		}
		f.run()
		if f.argument(p) {
			p.kind = kindWeight
		}
		left -= len(f.fed.whole)
	}
}

// addEqualOrigins starts from operations that all devices agree on: a program that does not split its data at all.
func (f *feeds) addEqualOrigins() {
	for o := range f.t.origins {
		for _, i := range f.t.origins[o] {
			if f.t.g.inBackward(i) {
				f.add(step{piece{i, -1}, false})
			}
		}
	}
}

func (f *feeds) add(s step) {
	if s.instr == NoInstr || f.met || !f.probe && f.fed.whole[s.instr] {
		return
	}
	s.seeking = s.seeking && !f.t.g.inBackward(s.instr)
	switch {
	case f.probe && !s.seeking:
		f.met = true
		return
	case s.seeking && !f.sought.add(s.piece):
		return
	case !s.seeking && !f.fed.add(s.piece):
		return
	}
	f.todo = append(f.todo, s)
}

// operand goes on to an element of operand k, or all of it.
func (f *feeds) operand(s step, k, element int) {
	ops := f.t.g.m.Operands(s.instr)
	if k < 0 || k >= len(ops) {
		return
	}
	if path := f.t.g.m.OperandPath(s.instr, k); len(path) > 0 {
		element = path[0]
	}
	f.add(step{piece{ops[k], element}, s.seeking})
}

func (f *feeds) operands(s step) {
	for k := range f.t.g.m.Operands(s.instr) {
		f.operand(s, k, -1)
	}
}

// behind goes on to what a piece is made of.
func (f *feeds) behind(s step) {
	m := f.t.g.m
	if f.ends != nil && f.ends(s.piece) {
		return
	}
	switch op := m.Op(s.instr); {
	case op == OpGetTupleElement:
		f.operand(s, 0, f.t.g.tupleIndex(s.instr))
	case op == OpTuple && s.element >= 0:
		f.operand(s, s.element, -1)
	case op == OpCopy:
		f.operand(s, 0, s.element)
	case op == OpOptBarrier && len(m.Operands(s.instr)) == 1:
		f.operand(s, 0, s.element)
	case s.element >= 0 && (op == OpOptBarrier || op == OpCustomCall && f.t.g.keepsEach(s.instr)):
		f.operand(s, s.element, -1)
	case op == OpParameter:
		f.callers(s)
	case op == OpWhile:
		f.roots(s)
		f.operand(s, 0, s.element)
	case op == OpConditional:
		f.roots(s)
		f.operand(s, 0, -1)
	case op.runs():
		if f.roots(s) == 0 {
			f.operands(s)
		}
	default:
		if _, ok := f.t.g.exchange(s.instr); ok && s.element >= 0 && len(m.Operands(s.instr)) > 1 {
			f.operand(s, s.element, -1)
			return
		}
		f.operands(s)
	}
}

// roots goes on to the results of the computations that an instruction runs. The condition of a loop has a result of its own.
func (f *feeds) roots(s step) (found int) {
	m := f.t.g.m
	for k, c := range m.Called(s.instr) {
		if c == NoComp {
			continue
		}
		element := s.element
		if m.Op(s.instr) == OpWhile && k > 0 {
			element = -1
		}
		found++
		f.add(step{piece{m.Root(c), element}, s.seeking})
	}
	return found
}

// callers goes on from a parameter of a computation to what it is called with. What a loop carries into a later round is
// left out: a round of a training loop makes gradients of the weights that it is given, and slots reach them only by the
// update of the round before.
func (f *feeds) callers(s step) {
	m := f.t.g.m
	c := m.Comp(s.instr)
	if c == m.Entry() {
		return
	}
	for _, call := range m.Callers(c) {
		at := step{piece{call, s.element}, s.seeking}
		switch m.Op(call) {
		case OpWhile:
			f.operand(at, 0, s.element)
		case OpConditional:
			for k, branch := range m.Called(call) {
				if branch == c {
					f.operand(at, k+1, s.element)
				}
			}
		default:
			f.operand(at, m.ParameterNumber(s.instr), s.element)
		}
	}
}
