package hlomap

// Hand-written text may have an instruction, without a name and without attributes, in place of an operand:
//
//	s = f32[8] add(f32[8] multiply(x, y), negate(z))
//
// It is read as an instruction in front of the one around it, so that operands still come before their users.

// inlineReader holds what is known of the instructions in place of operands.
type inlineReader struct {
	waiting []inlineInstr   // of the operand list that is being read
	read    map[int]InstrID // by offset of the opcode
	depth   int
}

// inlineInstr is where such an instruction stands: its type (which may be left out), its opcode and the "(" behind that.
type inlineInstr struct{ shape, op, open int }

// maxInline bounds how deep instructions stand in each other's operand lists.
const maxInline = 100

// inlineOperand reads an operand that is an instruction itself and returns the position after it.
func (r *textReader) inlineOperand(shape, op, open int) int {
	i, ok := r.inline.read[op]
	if !ok {
		i = NoInstr
		if r.inline.depth < maxInline {
			r.inline.waiting = append(r.inline.waiting, inlineInstr{shape, op, open})
		}
	}
	r.m.edges = append(r.m.edges, i)
	end, _ := skipBalanced(r.text, open)
	return end
}

// readInline puts the instructions that stand in the operand list of i, which was read last, before i: it takes i back, to be
// read again.
func (r *textReader) readInline(i InstrID) {
	at := int(r.m.at[i])
	r.truncate(i)
	r.regular = false
	waiting := r.inline.waiting
	r.inline.waiting = nil
	if r.inline.read == nil {
		r.inline.read, r.src.inline = map[int]InstrID{}, map[InstrID]int{}
	}
	r.inline.depth++
	for _, w := range waiting {
		op := opAt(r.text, w.op, skipName(r.text, w.op)-w.op)
		r.keep(hashedName{}, 0, at, at, w.open, op, false)
		last := InstrID(len(r.m.ops) - 1)
		r.inline.read[w.op], r.src.inline[last] = last, w.shape
	}
	r.inline.depth--
}

// inlineShape returns the type of an instruction in place of an operand. Where none is written it is that of the first operand,
// if the instruction works element by element.
func (s *textSource) inlineShape(i InstrID, at int, dims *block[int64]) Shape {
	if op := s.opcodeSpan(i); at < op.from {
		sh, _, _ := parseShape(s.text, at, dims)
		return sh
	}
	switch s.m.ops[i] {
	case OpAdd, OpSubtract, OpMultiply, OpDivide, OpMaximum, OpMinimum, OpNegate, OpCopy:
		return s.m.OperandShape(i, 0)
	}
	return Shape{}
}
