package hlomap

// widened reports whether the backend made an exchange wider than the program has it. XLA:CPU sums bf16 and f16 in f32 (all-reduce
// promotion) and has no other exchange of bf16 either (float normalization); XLA:GPU sums 16-bit integers in 32 bits. Promoted
// reducers have a name of their own. Else the exchange stands between two casts, there and back, of which the first has no
// metadata, because a pass inserted it. TPU widens nothing: it takes casts of the program into sums (bfloat16-fold), so that operand
// and result differ.
func (b *collectiveReader) widened(c *Collective, i InstrID, reducer *reducerFacts) bool {
	if reducer != nil && reducer.promoted {
		return true
	}
	if b.m.Stage() != AfterOptimizations {
		return false
	}
	if c.OpName == "" {
		return false // a dump without metadata tells no cast from another
	}
	for k := range b.m.Operands(i) {
		narrow := b.castFrom(place{instr: b.m.Operands(i)[k], path: b.m.OperandPath(i, k)})
		if narrow != "" && b.castBack(c.ID, k, narrow) {
			return true
		}
	}
	return false
}

// narrower reports whether a type has fewer bits than another of its kind.
func narrower(a, b string) bool {
	if isFloat(a) != isFloat(b) {
		return false
	}
	m, ok := elementBits(a)
	n, ok2 := elementBits(b)
	return ok && ok2 && m < n
}

// maxCastWay bounds the operations between a cast and the exchange that it was made for.
const maxCastWay = 16

// castFrom returns the type of the narrower value that a value is cast from without a line of the program saying so, "" for none.
func (b *collectiveReader) castFrom(p place) string {
	m := b.m
	for range maxCastWay {
		if p.instr == NoInstr || len(p.path) > 0 {
			return ""
		}
		ops := m.Operands(p.instr)
		next := NoInstr
		switch m.Op(p.instr) {
		case OpConvert:
			from, to := m.OperandShape(p.instr, 0), m.Shape(p.instr)
			md := m.Metadata(p.instr)
			if md.empty() && narrower(from.DType, to.DType) {
				return from.DType
			}
			return ""
		case OpFusion, OpCall:
			if called := m.Called(p.instr); len(called) == 1 {
				next = m.Root(called[0])
				p.calls = append(p.calls, p.instr)
			}
		case OpParameter:
			n := m.ParameterNumber(p.instr)
			if len(p.calls) == 0 || n < 0 {
				return ""
			}
			caller := p.calls[len(p.calls)-1]
			if p.calls = p.calls[:len(p.calls)-1]; n < len(m.Operands(caller)) {
				next, p.path = m.Operands(caller)[n], m.OperandPath(caller, n)
			}
		case OpBitcast, OpCopy, OpReshape, OpTranspose, OpSlice:
			if len(ops) == 1 {
				next, p.path = ops[0], m.OperandPath(p.instr, 0)
			}
		}
		p.instr = next
	}
	return ""
}

// castBack reports whether result k of an exchange goes nowhere but, moved, into casts to a type.
func (b *collectiveReader) castBack(i InstrID, k int, narrow string) bool {
	m := b.m
	todo := []InstrID{i}
	found := false
	for n := 0; n < len(todo); n++ {
		if n > maxCastWay {
			return false
		}
		for _, u := range b.uses(todo[n]) {
			switch op := m.Op(u); {
			case op == OpGetTupleElement && n == 0 && m.TupleIndex(u) != k:
			case op == OpConvert:
				if shape := m.Shape(u); shape.DType != narrow {
					return false
				}
				found = true
			case op == OpGetTupleElement, op == OpBitcast, op == OpCopy, op == OpReshape, op == OpTranspose, op == OpSlice, op == OpParameter,
				op == OpAllReduceDone, op == OpAllGatherDone, op == OpCollectivePermuteDone, op == OpAsyncDone:
				todo = append(todo, u)
			default:
				return false
			}
		}
	}
	return found
}

// uses returns the users of an instruction, of fusions the parameter inside.
func (b *collectiveReader) uses(i InstrID) []InstrID {
	m := b.m
	var out []InstrID
	for _, u := range m.Users(i) {
		called := m.Called(u)
		if m.Op(u) != OpFusion || len(called) != 1 {
			out = append(out, u)
			continue
		}
		for k, o := range m.Operands(u) {
			if p := m.Parameter(called[0], k); o == i && p != NoInstr {
				out = append(out, p)
			}
		}
	}
	return out
}
