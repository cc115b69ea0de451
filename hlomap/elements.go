package hlomap

import "strings"

// elements handles the operations that work element by element or move elements about; flat is the fact about an array.
func (s *destinations) elements(i InstrID, op Op, flat, f fact) {
	if flat == 0 {
		return
	}
	switch wayOf(op) {
	case wayFirst:
		s.giveFirst(i, flat)
		return
	case wayMoved:
		s.giveFirst(i, s.whole(flat))
		return
	case wayAll:
		for k := range s.g.m.Operands(i) {
			s.give(i, k, flat)
		}
		return
	case wayNone:
		return
	}
	switch op {
	case OpBitcast, OpReshape:
		s.giveFirst(i, s.reshaped(i, flat))
	case OpSlice:
		s.slice(i, flat)
	case OpPad:
		s.pad(i, flat)
	case OpConcatenate:
		s.concatenate(i, flat)
	case OpDynamicUpdateSlice:
		s.giveFirst(i, s.whole(flat))
		if len(s.g.m.Operands(i)) > 1 {
			s.give(i, 1, s.whole(flat))
		}
	case OpSelect:
		s.giveSome(i, flat, 1, 2)
	case OpClamp:
		s.giveSome(i, flat, 1)
	case OpMultiply, OpDivide:
		s.multiply(i, flat)
	case OpBroadcast:
		if s.g.ofConstant(i) {
			return
		}
		if s.g.resizes(i) {
			s.giveFirst(i, s.indirect(s.leaves[flat]))
		} else {
			s.giveFirst(i, s.whole(flat))
		}
	case OpReduce:
		if s.g.resizes(i) {
			s.mix(i, flat)
			return
		}
		for k := range len(s.g.m.Operands(i)) / 2 { // only dimensions of one element are dropped
			s.give(i, k, s.whole(s.tuples.at(f, k)))
		}
	case OpScatter:
		s.scatter(i, f)
	default:
		s.mix(i, flat)
	}
}

func (s *destinations) giveSome(i InstrID, f fact, which ...int) {
	for _, k := range which {
		if k < len(s.g.m.Operands(i)) {
			s.give(i, k, f)
		}
	}
}

// whole forgets which piece of an array goes where.
func (s *destinations) whole(f fact) fact {
	d := s.leaves[f]
	if d.parts == 0 {
		return f
	}
	d.parts = 0
	return s.leaf(d)
}

// reshaped keeps the pieces of an array through a reshape that changes nothing but, at most, adds or drops dimensions of
// one element; it forgets them otherwise.
func (s *destinations) reshaped(i InstrID, f fact) fact {
	d := s.leaves[f]
	if d.parts == 0 || len(s.g.m.Operands(i)) == 0 {
		return f
	}
	out, in := s.g.m.Shape(i), s.g.m.OperandShape(i, 0)
	dim, ok := sameDimension(out.Dims, in.Dims, s.cuts[d.parts].dim)
	if !ok {
		return s.whole(f)
	}
	d.parts = s.cut(dim, s.cuts[d.parts].parts)
	return s.leaf(d)
}

// sameDimension finds a dimension of one shape in another that differs from it by dimensions of one element only.
func sameDimension(from, to []int64, dim int) (int, bool) {
	at := 0
	for k, n := range from {
		if n == 1 {
			if k == dim {
				return 0, false
			}
			continue
		}
		for at < len(to) && to[at] == 1 {
			at++
		}
		if at == len(to) || to[at] != n {
			return 0, false
		}
		if k == dim {
			return at, true
		}
		at++
	}
	return 0, false
}

// slice tells the operand which piece of it goes where, when the slice cuts one dimension only.
func (s *destinations) slice(i InstrID, f fact) {
	text, _ := s.g.m.InstrAttr(i, "slice")
	bounds := parseSlice(text)
	in := s.g.m.OperandShape(i, 0)
	dim := -1
	for k, b := range bounds {
		if k >= len(in.Dims) || b.stride != 1 {
			s.giveFirst(i, s.whole(f))
			return
		}
		if b.from == 0 && b.to == in.Dims[k] {
			continue
		}
		if dim >= 0 {
			s.giveFirst(i, s.whole(f))
			return
		}
		dim = k
	}
	if dim < 0 {
		s.giveFirst(i, f)
		return
	}
	d := s.leaves[f]
	if d.direct != 0 {
		parts := []part{{bounds[dim].from, bounds[dim].to, d.direct}}
		if c := s.cuts[d.parts]; d.parts != 0 && c.dim == dim {
			parts = nil
			for _, p := range c.parts {
				parts = append(parts, part{p.from + bounds[dim].from, p.to + bounds[dim].from, p.direct})
			}
		}
		d.parts = s.cut(dim, parts)
	}
	s.giveFirst(i, s.leaf(d))
}

// concatenate tells every operand where its piece goes.
func (s *destinations) concatenate(i InstrID, f fact) {
	d := s.leaves[f]
	text, _ := s.g.m.InstrAttr(i, "dimensions")
	dims, _, ok := parseNumbers([]byte(text), 0, '{', '}')
	c := s.cuts[d.parts]
	known := ok && len(dims) == 1 && d.parts != 0 && int64(c.dim) == dims[0]
	at := int64(0)
	for k := range s.g.m.Operands(i) {
		if !known {
			s.give(i, k, s.whole(f))
			continue
		}
		shape := s.g.m.OperandShape(i, k)
		if c.dim >= len(shape.Dims) {
			return
		}
		end := at + shape.Dims[c.dim]
		s.give(i, k, s.piece(d, c, at, end))
		at = end
	}
}

// pad tells the operand where its piece goes. TPU writes the concatenation of arrays as the maximum of padded ones.
func (s *destinations) pad(i InstrID, f fact) {
	d := s.leaves[f]
	c := s.cuts[d.parts]
	at, ok := s.g.padded(i, c.dim)
	if d.parts == 0 || !ok {
		s.giveFirst(i, s.whole(f))
		return
	}
	shape := s.g.m.OperandShape(i, 0)
	s.giveFirst(i, s.piece(d, c, at, at+shape.Dims[c.dim]))
}

// padded returns where along a dimension the operand of a pad lies in the result; ok is false when the pad spreads its
// elements, or cuts any off.
func (g *dataGraph) padded(i InstrID, dim int) (at int64, ok bool) {
	text, _ := g.m.InstrAttr(i, "padding")
	shape := Shape{}
	if len(g.m.Operands(i)) > 0 {
		shape = g.m.OperandShape(i, 0)
	}
	if dim >= len(shape.Dims) {
		return 0, false
	}
	for k, edges := range strings.Split(text, "x") {
		low, rest, _ := strings.Cut(edges, "_")
		high, inner, _ := strings.Cut(rest, "_")
		n := atoi(low, -1)
		if n < 0 || atoi(high, -1) < 0 || inner != "" && inner != "0" {
			return 0, false
		}
		if k == dim {
			at, ok = int64(n), true
		}
	}
	return at, ok
}

// piece returns where the elements from ≤ index < to of a cut array go.
func (s *destinations) piece(d destination, c partList, from, to int64) fact {
	var sets []setID
	var parts []part
	for _, p := range c.parts {
		lo, hi := max(p.from, from), min(p.to, to)
		if lo < hi {
			sets = append(sets, p.direct)
			parts = append(parts, part{lo - from, hi - from, p.direct})
		}
	}
	out := destination{direct: s.sets.unionAll(sets), derived: d.derived}
	if len(parts) > 1 || len(parts) == 1 && parts[0].to-parts[0].from < to-from {
		out.parts = s.cut(c.dim, parts)
	}
	return s.leaf(out)
}

// bound is one dimension of a slice.
type bound struct{ from, to, stride int64 }

// parseSlice reads "{[0:4], [2:8:2]}".
func parseSlice(text string) []bound {
	var out []bound
	b := []byte(text)
	for p := 0; p < len(b); p++ {
		if b[p] != '[' {
			continue
		}
		x := bound{stride: 1}
		x.from, p = parseInt(b, p+1)
		if p >= len(b) || b[p] != ':' {
			return nil
		}
		x.to, p = parseInt(b, p+1)
		if p < len(b) && b[p] == ':' {
			x.stride, p = parseInt(b, p+1)
		}
		out = append(out, x)
	}
	return out
}

// multiply hands a product's destination on to its operands. A factor that was spread from few elements (the scale of a
// clipped norm, a learning rate) scales a gradient and is none, so the way does not lead through it; without this every
// parameter would seem to depend on every reduction.
func (s *destinations) multiply(i InstrID, f fact) {
	few := func(k int) bool {
		o := s.g.m.Operands(i)[k]
		return o != NoInstr && len(s.g.m.OperandPath(i, k)) == 0 && s.spreadsFew(o, 0)
	}
	n := len(s.g.m.Operands(i))
	all := true
	for k := range n {
		all = all && few(k)
	}
	for k := range n {
		if all || !few(k) {
			s.give(i, k, f)
		}
	}
}

// spreadsFew reports whether a value repeats few elements: a broadcast that grows, and what is computed from such
// broadcasts and constants alone.
func (s *destinations) spreadsFew(i InstrID, depth int) bool {
	if a := s.few[i]; a != notAsked {
		return a == yes
	}
	if depth > 20 {
		return false
	}
	m := s.g.m
	v := false
	switch m.Op(i) {
	case OpBroadcast:
		v = s.g.ofConstant(i) || s.g.resizes(i)
	case OpConstant:
		v = true
	case OpConvert, OpCopy, OpBitcast, OpReshape, OpNegate, OpAbs, OpSqrt, OpRsqrt, OpExponential, OpLog, OpAdd, OpSubtract,
		OpMultiply, OpDivide, OpMaximum, OpMinimum, OpPower, OpSelect:
		v = true
		for k, o := range m.Operands(i) {
			if o == NoInstr || len(m.OperandPath(i, k)) > 0 || !s.spreadsFew(o, depth+1) {
				v = false
				break
			}
		}
	}
	s.few[i] = answerOf(v)
	return v
}

// scatter keeps the elements of the arrays it adds to; what it adds comes from anywhere.
func (s *destinations) scatter(i InstrID, f fact) {
	ops := s.g.m.Operands(i)
	arrays := (len(ops) - 1) / 2
	equal := s.v.of(i).labels == allEqual
	for k := range arrays {
		d := s.leaves[s.whole(s.tuples.at(f, k))]
		s.give(i, k, s.leaf(d))
		s.stop(i, d.direct)
		if equal {
			s.give(i, arrays+1+k, s.indirect(d))
		}
	}
}
