package hlomap

import (
	"slices"
	"strings"
)

// causeOf returns the operation that made the values an exchange sends: for a gradient the product, sum or scatter-add
// that contracts over the batch. A combined exchange carries the line of one operand at best; this is the line of each.
// It is NoInstr when the values are nothing but arguments and constants.
func (t *training) causeOf(h reductionHit) InstrID {
	facts := t.factsOf(h)
	if facts.traced {
		return facts.cause
	}
	id := t.g.exchanges[h.collective].instr
	best, rank, found := NoInstr, 0, false
	start := place{instr: id, dim: h.dim, from: h.from, to: h.to}
	if len(t.g.m.Operands(id)) > 1 {
		start.path = []int{h.operand}
	}
	t.walker.walk(start, func(end place) bool {
		// What another reduction has summed before is no reason for this one, if it also sums something that the other has not.
		r := t.causeRank(end.instr)
		if own := r >= 2 && !end.summed; own && !found || own == found && r > rank {
			best, rank, found = end.instr, r, own
			facts.product = end.product
		}
		return rank < 3 || !found
	})
	if best != NoInstr && t.g.m.Op(best) == OpReduce {
		best = t.productBehind(best)
	}
	facts.cause, facts.traced = best, true
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

// productBehind returns the product whose partial results a reduce adds up, when nothing but casts and moves stands between
// the two (GPU splits long contractions so), else the reduce itself.
func (t *training) productBehind(reduce InstrID) InstrID {
	m := t.g.m
	i := reduce
	for range maxNesting {
		ops := m.Operands(i)
		if len(ops) == 0 || ops[0] == NoInstr || len(m.OperandPath(i, 0)) > 0 {
			return reduce
		}
		i = ops[0]
		switch {
		case t.causeRank(i) >= 3:
			if m.OpName(i) == m.OpName(reduce) {
				return i
			}
			return reduce
		case m.Op(i) == OpParameter:
			callers := m.Callers(m.Comp(i))
			if len(callers) != 1 || m.Op(callers[0]) != OpFusion {
				return reduce
			}
			n := m.ParameterNumber(i)
			if n >= len(m.Operands(callers[0])) || len(m.OperandPath(callers[0], n)) > 0 {
				return reduce
			}
			if i = m.Operands(callers[0])[n]; i == NoInstr {
				return reduce
			}
			if t.causeRank(i) >= 3 && m.OpName(i) == m.OpName(reduce) {
				return i
			}
			return reduce
		case !moves[m.Op(i)] || m.Op(i) == OpTuple || m.Op(i) == OpGetTupleElement:
			return reduce
		}
	}
	return reduce
}

// describer describes many instructions, a few at a time.
type describer struct {
	t       *training
	list    []InstrID
	answers []**Cause
}

// describe will have an instruction described at to.
func (d *describer) describe(i InstrID, to **Cause) {
	d.list, d.answers = append(d.list, i), append(d.answers, to)
	if len(d.list) == aheadInstructions {
		d.flush()
	}
}

// flush describes what is left.
func (d *describer) flush() {
	d.t.g.m.readAhead(d.list)
	causes := make([]Cause, len(d.list))
	for k, i := range d.list {
		if i != NoInstr {
			causes[k] = d.t.describe(i)
			*d.answers[k] = &causes[k]
		}
	}
	d.list, d.answers = d.list[:0], d.answers[:0]
}

// describeCause returns what made the values of a hit. GPU's backend computes products that share an operand (queries, keys
// and values) as one and slices it; the product bears the name and frames of one of them, each slice those of its own.
func (t *training) describeCause(h reductionHit) *Cause {
	i := t.causeOf(h)
	if i == NoInstr {
		return nil
	}
	c := t.describe(i)
	if part := t.factsOf(h).product; part != 0 && t.causeRank(i) >= 3 {
		if named := t.describe(part - 1); len(named.Frames) > 0 {
			c.OpName, c.Frames = named.OpName, named.Frames
		}
	}
	return &c
}

// describe returns an instruction as a cause. Frames of an instruction inside a called computation are those of the
// computation, followed by the frames of the call where the dump has not joined them (before XLA's inliner).
func (t *training) describe(i InstrID) Cause {
	m := t.g.m
	var opName string
	var frames []Frame
	if x, ok := t.g.exchange(i); ok && m.Op(i) != OpAsyncStart { // it was read before, whose list of devices may be long
		opName, frames = t.g.collectives[x.at].OpName, t.g.collectives[x.at].Frames
	} else {
		md := m.Metadata(i)
		if md.OpName == "" && m.framesOf(md) == nil {
			md = t.metadataBehind(i)
		}
		opName, frames = md.OpName, m.framesOf(md)
	}
	if more := goingOn(frames, t.callersOf(m.Comp(i))); len(more) > 0 {
		frames = slices.Concat(frames, more)
	}
	return Cause{Instruction: m.InstrName(i), Opcode: m.Opcode(i), OpName: opName, Frames: frames}
}

// metadataBehind returns the metadata of a product that has none of its own. Where XLA:CPU turns the operands of products and convolutions,
// only what turns the result back keeps the name of the operation (JAX 0.10.2).
func (t *training) metadataBehind(i InstrID) Metadata {
	primitive := ""
	m := t.g.m
	switch m.Op(i) {
	case OpDot:
		primitive = "dot_general"
	case OpConvolution:
		primitive = "conv_general_dilated"
	default:
		return Metadata{}
	}
	var found Metadata
	s := userSearch{m: m, of: i, seen: map[InstrID]bool{}, moved: func(u InstrID) bool {
		md := m.Metadata(u)
		if strings.HasSuffix(md.OpName, primitive) {
			found = md
		}
		return found.OpName != ""
	}}
	s.from(i, nil)
	return found
}

// callersOf returns the frames of the calls around a computation.
func (t *training) callersOf(c CompID) []Frame {
	frames, ok := t.callers[c]
	if !ok {
		frames = t.g.m.callerFrames(c)
		t.callers[c] = frames
	}
	return frames
}
