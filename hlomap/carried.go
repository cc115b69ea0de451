package hlomap

// unchanged reports whether the output of an argument is the argument itself: only data movement leads to it.
func (t *training) unchanged(p *entryParameter) bool {
	reached, added := t.carried(p)
	return reached && !added
}

// counts reports whether an argument only counts: a number whose new value is itself and a constant.
func (t *training) counts(p *entryParameter) bool {
	for _, n := range p.Shape {
		if n != 1 {
			return false
		}
	}
	reached, added := t.carried(p)
	return reached && added
}

// carried follows the output of an argument backward. It answers whether nothing but the argument and constants is in it, moved and
// added up, and whether anything is added.
func (t *training) carried(p *entryParameter) (reached, added bool) {
	if len(t.hits[p.output])+len(t.indirect[p.output])+len(t.origins[p.output]) > 0 {
		return false, false
	}
	m := t.g.m
	entry := m.Entry()
	same := true
	w := newWalker(t.g, t.v)
	w.visitAll = func(at place) {
		switch m.Op(at.instr) {
		case OpTuple, OpGetTupleElement, OpParameter, OpCopy, OpCopyStart, OpCopyDone, OpBitcast, OpReshape, OpTranspose,
			OpFusion, OpCall, OpWhile, OpConditional, OpOptBarrier, OpAsyncStart, OpAsyncDone, OpConvert, OpBroadcast:
			if m.Op(at.instr) == OpParameter && m.Comp(at.instr) == entry && at.instr != p.instr {
				same = false
			}
		case OpAdd, OpSubtract:
			added = added || !t.addsZero(at.instr)
		case OpConstant:
		case OpCustomCall:
			same = same && keepsElements(t.g.target(at.instr))
		default:
			same = false
		}
	}
	w.walk(place{instr: m.Root(entry), path: t.dest.outputs[p.output].path}, func(end place) bool {
		reached = reached || end.instr == p.instr
		return same
	})
	return same && reached, added
}

// addsZero reports whether an addition or subtraction changes nothing, as the update does that a compiler has found to be zero.
func (t *training) addsZero(i InstrID) bool {
	ops := t.g.m.Operands(i)
	if len(ops) != 2 {
		return false
	}
	c, ok := t.repeated(ops[1])
	return ok && c == 0
}
