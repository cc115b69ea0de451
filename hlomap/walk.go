package hlomap

import (
	"bytes"
	"math/bits"
	"slices"
)

// A walker goes from a value backward to the operations that made its elements, through whatever keeps elements apart:
// elementwise operations, data movement, fusions, calls, loops. Where the way leads through an array that was put
// together from pieces, it follows the piece it came for.
type walker struct {
	g    *dataGraph
	v    *variance
	few  []uint64 // places visited first; most walks are short
	seen map[uint64]bool
	todo []place
	// visitAll, when set, is told every place on the way.
	visitAll func(p place)
	// valuesOnly, when set, ends the way at arithmetic: what is left are casts, movement and scaling by few elements.
	valuesOnly *destinations
}

// place is a point on a walk: an element of an instruction's result, the calls that lead to it from where the walk
// began, and which elements along one dimension the walk is for (to 0: all).
type place struct {
	instr    InstrID
	path     []int
	calls    []InstrID
	dim      int
	from, to int64
	depth    int
	product  InstrID // plus one: the last slice on the way that bears the name of a product, 0 for none
	summed   bool    // whether the way leads through another reduction than the one that it began at
}

// maxWalk bounds the places of one walk.
const maxWalk = 4096

func newWalker(g *dataGraph, v *variance) *walker {
	return &walker{g: g, v: v, few: make([]uint64, 0, 32)}
}

// walk visits the places behind a value, nearest first. The visit is told the ends of the way: instructions that make
// elements rather than pass them on, and parameters of the entry. It returns false to stop.
func (w *walker) walk(start place, visit func(end place) bool) {
	w.few = w.few[:0]
	clear(w.seen)
	w.todo = append(w.todo[:0], start)
	for n := 0; n < len(w.todo) && n < maxWalk; n++ {
		p := w.todo[n]
		if p.instr == NoInstr || len(p.calls) > maxNesting || w.was(p) {
			continue
		}
		if w.visitAll != nil {
			w.visitAll(p)
		}
		if w.step(p) && !visit(p) {
			return
		}
	}
}

// was reports whether a place was visited before, and notes it. Places are told apart by a hash of 64 bits.
func (w *walker) was(p place) bool {
	h := mix64(uint64(p.instr)+1, uint64(len(p.path)))
	for _, x := range p.path {
		h = mix64(h, uint64(x))
	}
	for _, x := range p.calls {
		h = mix64(h, ^uint64(x))
	}
	if p.to != 0 {
		h = mix64(mix64(mix64(h, uint64(p.dim)), uint64(p.from)), uint64(p.to))
	}
	if p.summed {
		h = ^h
	}
	if len(w.few) < cap(w.few) {
		if slices.Contains(w.few, h) {
			return true
		}
		w.few = append(w.few, h)
		return false
	}
	if w.seen == nil {
		w.seen = map[uint64]bool{}
	}
	if slices.Contains(w.few, h) || w.seen[h] {
		return true
	}
	w.seen[h] = true
	return false
}

func mix64(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9E3779B97F4A7C15, b^0xD6E8FEB86659FD93)
	return hi ^ lo + a<<1
}

// toOperand continues at operand k of an instruction.
func (w *walker) toOperand(p place, k int) {
	ops := w.g.m.Operands(p.instr)
	if k < 0 || k >= len(ops) || ops[k] == NoInstr {
		return
	}
	path := append(append([]int(nil), w.g.m.OperandPath(p.instr, k)...), p.path...)
	p.path, p.instr = path, ops[k]
	p.depth++
	w.todo = append(w.todo, p)
}

// into continues at the root of a computation that an instruction runs.
func (w *walker) into(p place, c CompID) {
	if c == NoComp {
		return
	}
	p.calls = append(append([]InstrID(nil), p.calls...), p.instr)
	p.instr = w.g.m.Root(c)
	p.depth++
	w.todo = append(w.todo, p)
}

// all forgets which elements the walk is for.
func (p place) all() place {
	p.dim, p.from, p.to = 0, 0, 0
	return p
}

// step continues a walk behind a place, and reports whether it ends there.
func (w *walker) step(p place) bool {
	m := w.g.m
	i := p.instr
	op := m.Op(i)
	switch op {
	case OpTuple:
		if len(p.path) == 0 {
			return false
		}
		k := p.path[0]
		p.path = p.path[1:]
		w.toOperand(p, k)
	case OpGetTupleElement:
		p.path = append([]int{w.g.tupleIndex(i)}, p.path...)
		w.toOperand(p, 0)
	case OpFusion, OpCall, OpAsyncStart:
		if _, ok := w.g.exchange(i); ok {
			w.exchange(p)
			return false
		}
		c := w.g.called(i)
		w.into(p, c)
		return c == NoComp
	case OpWhile:
		return w.while(p)
	case OpConditional:
		for _, c := range m.Called(i) {
			w.into(p, c)
		}
	case OpParameter:
		return w.parameter(p)
	case OpOptBarrier:
		if len(m.Operands(i)) > 1 && len(p.path) > 0 {
			k := p.path[0]
			p.path = p.path[1:]
			w.toOperand(p, k)
			return false
		}
		w.toOperand(p, 0)
	case OpCopyStart, OpCopyDone, OpAsyncDone, OpAsyncUpdate, OpAllReduceDone, OpAllGatherDone, OpCollectivePermuteDone:
		w.toOperand(p, 0)
	case OpCustomCall:
		return w.custom(p)
	default:
		if _, ok := w.g.exchange(i); ok {
			w.exchange(p)
			return false
		}
		return w.elements(p, op)
	}
	return false
}

// while continues in a round of a loop and in front of it.
func (w *walker) while(p place) bool {
	if w.g.expandedScatter(p.instr) {
		w.toOperand(p.all(), 0)
		return true
	}
	if body, _, ok := w.g.loop(p.instr); ok {
		w.into(p, body)
	}
	w.toOperand(p, 0)
	return false
}

// exchange continues in front of a collective.
func (w *walker) exchange(p place) {
	k := 0
	if x, _ := w.g.exchange(p.instr); p.depth > 0 {
		p.summed = p.summed || isReduction(x.op)
		if x.op == OpAllGather || x.op == OpReduceScatter || x.op == OpAllToAll {
			p = p.all() // what it sends has other places
		}
	}
	if len(w.g.m.Operands(p.instr)) > 1 && len(p.path) > 0 {
		k, p.path = p.path[0], p.path[1:]
	} else {
		p.path = nil
	}
	w.toOperand(p, k)
}

func (w *walker) custom(p place) bool {
	if k := w.g.asyncOperand(p.instr); k >= 0 {
		p.path = nil
		w.toOperand(p.all(), k)
		return false
	}
	if !keepsElements(w.g.target(p.instr)) {
		return true
	}
	if len(p.path) > 0 && w.g.keepsEach(p.instr) {
		k := p.path[0]
		p.path = p.path[1:]
		w.toOperand(p, k)
		return false
	}
	p.path = nil
	for k := range w.g.m.Operands(p.instr) {
		w.toOperand(p.all(), k)
	}
	return false
}

// parameter continues outside the computation: at the argument of the call that the walk came in through, else of every
// caller.
func (w *walker) parameter(p place) bool {
	m := w.g.m
	c := m.Comp(p.instr)
	if c == m.Entry() {
		return true
	}
	n := m.ParameterNumber(p.instr)
	callers := m.Callers(c)
	if len(p.calls) > 0 {
		callers = p.calls[len(p.calls)-1:]
		p.calls = p.calls[:len(p.calls)-1]
	}
	for _, call := range callers {
		q := p
		q.instr = call
		switch m.Op(call) {
		case OpWhile:
			w.toOperand(q, 0)
			if body, _, ok := w.g.loop(call); ok && body == c {
				w.into(q, body)
			}
		case OpConditional:
			for k, b := range m.Called(call) {
				if b == c {
					w.toOperand(q, k+1)
				}
			}
		default:
			w.toOperand(q, n)
		}
	}
	return false
}

// elements continues behind operations that keep elements apart.
func (w *walker) elements(p place, op Op) bool {
	p.path = nil
	m := w.g.m
	n := len(m.Operands(p.instr))
	if w.valuesOnly != nil && !keepsValues(op) {
		return w.scaled(p, op)
	}
	switch wayOf(op) {
	case wayFirst:
		w.toOperand(p, 0)
		return false
	case wayMoved:
		w.toOperand(p.all(), 0)
		return false
	case wayAll:
		for k := range n {
			w.toOperand(p, k)
		}
		return false
	case wayNone:
		return false
	}
	switch op {
	case OpBitcast, OpReshape:
		w.reshape(p)
	case OpSlice:
		w.slice(p)
	case OpPad:
		w.pad(p)
	case OpConcatenate:
		w.concatenate(p)
	case OpDynamicUpdateSlice:
		w.toOperand(p.all(), 1)
		w.toOperand(p.all(), 0)
	case OpSelect:
		w.toOperand(p, 1)
		w.toOperand(p, 2)
	case OpClamp:
		w.toOperand(p, 1)
	case OpMultiply, OpDivide:
		for k := range n {
			w.toOperand(p, k)
		}
	case OpBroadcast:
		if w.g.resizes(p.instr) {
			return false // a scale, not what the elements are made of
		}
		w.toOperand(p.all(), 0)
	case OpReduce:
		if w.g.resizes(p.instr) {
			return true
		}
		for k := range n / 2 {
			w.toOperand(p.all(), k)
		}
	case OpScatter:
		for k := range (n - 1) / 2 {
			w.toOperand(p.all(), k)
		}
		return true
	default:
		return true
	}
	return false
}

// keepsValues reports whether an opcode hands on the values of its operands, if cast, moved or cut.
func keepsValues(op Op) bool {
	switch op {
	case OpConvert, OpCopy, OpReducePrecision, OpTranspose, OpReverse, OpPad, OpDynamicSlice, OpBitcast, OpReshape, OpSlice,
		OpConcatenate, OpDynamicUpdateSlice, OpSelect, OpBroadcast, OpConstant, OpIota, OpDomain, OpAddDependency:
		return true
	}
	return false
}

// scaled continues behind a product with factors that repeat few elements; everything else ends a walk over values.
func (w *walker) scaled(p place, op Op) bool {
	ops := w.g.m.Operands(p.instr)
	if op != OpMultiply && op != OpDivide {
		return true
	}
	full := -1
	for k, o := range ops {
		if o != NoInstr && w.valuesOnly.spreadsFew(o, 0) {
			continue
		}
		if full >= 0 {
			return true
		}
		full = k
	}
	if full < 0 {
		return true
	}
	w.toOperand(p, full)
	return false
}

func (w *walker) reshape(p place) {
	if p.to == 0 || len(w.g.m.Operands(p.instr)) == 0 {
		w.toOperand(p, 0)
		return
	}
	out, in := w.g.m.Shape(p.instr), w.g.m.OperandShape(p.instr, 0)
	dim, ok := sameDimension(out.Dims, in.Dims, p.dim)
	if !ok {
		w.toOperand(p.all(), 0)
		return
	}
	p.dim = dim
	w.toOperand(p, 0)
}

func (w *walker) slice(p place) {
	if bytes.HasSuffix(w.g.nameText(p.instr), []byte("dot_general")) {
		p.product = p.instr + 1
	}
	text, _ := w.g.m.InstrAttr(p.instr, "slice")
	in := w.g.m.OperandShape(p.instr, 0)
	dim := -1
	var cut bound
	for k, b := range parseSlice(text) {
		if k >= len(in.Dims) || b.stride != 1 || dim >= 0 && (b.from != 0 || b.to != in.Dims[k]) {
			w.toOperand(p.all(), 0)
			return
		}
		if b.from != 0 || b.to != in.Dims[k] {
			dim, cut = k, b
		}
	}
	switch {
	case dim < 0:
	case p.to != 0 && p.dim == dim:
		p.from, p.to = p.from+cut.from, p.to+cut.from
	default:
		p.dim, p.from, p.to = dim, cut.from, cut.to
	}
	w.toOperand(p, 0)
}

// pad continues in front of a pad, unless the elements the walk is for are padding.
func (w *walker) pad(p place) {
	at, ok := w.g.padded(p.instr, p.dim)
	if p.to == 0 || !ok {
		w.toOperand(p.all(), 0)
		return
	}
	shape := w.g.m.OperandShape(p.instr, 0)
	from, to := max(p.from, at)-at, min(p.to, at+shape.Dims[p.dim])-at
	if from >= to {
		return
	}
	p.from, p.to = from, to
	w.toOperand(p, 0)
}

func (w *walker) concatenate(p place) {
	text, _ := w.g.m.InstrAttr(p.instr, "dimensions")
	dims, _, ok := parseNumbers([]byte(text), 0, '{', '}')
	known := ok && len(dims) == 1 && p.to != 0 && int64(p.dim) == dims[0]
	at := int64(0)
	for k := range w.g.m.Operands(p.instr) {
		shape := w.g.m.OperandShape(p.instr, k)
		if !known || p.dim >= len(shape.Dims) {
			w.toOperand(p.all(), k)
			continue
		}
		end := at + shape.Dims[p.dim]
		if at < p.to && end > p.from {
			q := p
			q.from, q.to = max(p.from, at)-at, min(p.to, end)-at
			if q.from == 0 && q.to == end-at {
				q = q.all()
			}
			w.toOperand(q, k)
		}
		at = end
	}
}
