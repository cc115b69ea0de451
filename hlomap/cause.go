package hlomap

// causeOf returns the operation that made the values an exchange sends: for a gradient the product, sum or scatter-add
// that contracts over the batch. A combined exchange carries the line of one operand at best; this is the line of each.
// It is NoInstr when the values are nothing but arguments and constants.
func (t *training) causeOf(h reductionHit) InstrID {
	if i, ok := t.causes[h]; ok {
		return i
	}
	id := t.g.collectives[h.collective].ID
	best, rank := NoInstr, 0
	start := place{instr: id, dim: h.dim, from: h.from, to: h.to}
	if len(t.g.m.Operands(id)) > 1 {
		start.path = []int{h.operand}
	}
	t.walker.walk(start, func(end place) bool {
		if r := t.causeRank(end.instr); r > rank {
			best, rank = end.instr, r
		}
		return rank < 3
	})
	if best != NoInstr && t.g.m.Op(best) == OpReduce {
		best = t.productBehind(best)
	}
	t.causes[h] = best
	return best
}

// causeRank orders the ends of a walk by how likely they are what a person looks for: a product before a scatter-add
// before a sum before anything else that computes.
func (t *training) causeRank(i InstrID) int {
	switch t.g.m.Op(i) {
	case OpDot, OpConvolution, OpRaggedDot, OpScaledDot:
		return 4
	case OpCustomCall:
		if t.g.target(i) == "AllocateBuffer" {
			return 0
		}
		return 3
	case OpScatter, OpReduce, OpReduceWindow, OpSelectAndScatter, OpSort:
		return 2
	case OpParameter, OpConstant, OpIota, OpPartitionID, OpReplicaID, OpOther:
		return 0
	}
	return 1
}

// productBehind returns the product whose partial results a reduce adds up (GPU splits long contractions), else the
// reduce itself.
func (t *training) productBehind(reduce InstrID) InstrID {
	name := t.g.m.OpName(reduce)
	found := reduce
	w := newWalker(t.g, t.v)
	ops := t.g.m.Operands(reduce)
	if len(ops) == 0 || ops[0] == NoInstr || name == "" {
		return reduce
	}
	w.walk(place{instr: ops[0], path: t.g.m.OperandPath(reduce, 0)}, func(end place) bool {
		if t.causeRank(end.instr) >= 3 && t.g.m.OpName(end.instr) == name {
			found = end.instr
			return false
		}
		return true
	})
	return found
}

// describe returns an instruction as a cause. Frames of an instruction inside a called computation are those of the
// computation, followed by the frames of the call where the dump has not joined them (before XLA's inliner).
func (t *training) describe(i InstrID) *Cause {
	if i == NoInstr {
		return nil
	}
	m := t.g.m
	return &Cause{Instruction: m.InstrName(i), Opcode: m.Opcode(i), OpName: m.OpName(i), Frames: m.Frames(i)}
}
