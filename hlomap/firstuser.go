package hlomap

// firstUsers finds for every value the first operation that uses it and does not merely move it. One pass from the last
// instruction to the first does for all of them.
type firstUsers struct {
	g     *dataGraph
	user  []int32 // by instruction: plus one; 0 for none
	parts map[elementUse]InstrID
}

// elementUse is an element of the result of a combined collective.
type elementUse struct {
	instr   InstrID
	element int
}

func newFirstUsers(g *dataGraph) *firstUsers {
	f := &firstUsers{g: g, user: g.sweepRoom(), parts: map[elementUse]InstrID{}}
	for i := InstrID(g.m.NumInstructions()) - 1; i >= 0; i-- {
		op := g.m.Op(i)
		u := i + 1
		if moves[op] {
			if u = InstrID(f.user[i]); u == 0 {
				continue
			}
		}
		elements := g.m.elided != nil || op == OpGetTupleElement || op == OpAsyncDone || op.IsCollectiveDone()
		for k, o := range g.m.Operands(i) {
			if o == NoInstr {
				continue
			}
			f.user[o] = int32(u)
			if elements {
				f.notePart(i, k, o, u)
			}
		}
	}
	return f
}

// notePart keeps elements of combined collectives apart.
func (f *firstUsers) notePart(i InstrID, k int, o, u InstrID) {
	m := f.g.m
	if !m.Op(o).IsCollective() && !m.Op(o).IsCollectiveDone() && m.Op(o) != OpAsyncDone {
		return
	}
	if m.Op(i) == OpGetTupleElement {
		f.parts[elementUse{o, f.g.tupleIndex(i)}] = u
	} else if path := m.OperandPath(i, k); len(path) > 0 {
		f.parts[elementUse{o, path[0]}] = u
	}
	if m.Op(i).IsCollectiveDone() || m.Op(i) == OpAsyncDone {
		for n := range len(m.Operands(o)) {
			if p, ok := f.parts[elementUse{i, n}]; ok {
				f.parts[elementUse{o, n}] = p
			}
		}
	}
}

// moves tells the opcodes that pass their operand on unchanged but for place, shape or type.
var moves = [numOps]bool{
	OpCopy: true, OpCopyStart: true, OpCopyDone: true, OpBitcast: true, OpReshape: true, OpTranspose: true, OpConvert: true,
	OpGetTupleElement: true, OpTuple: true, OpOptBarrier: true, OpSlice: true, OpAllReduceDone: true, OpAllGatherDone: true,
	OpCollectivePermuteDone: true, OpAsyncDone: true, OpAsyncUpdate: true, OpDomain: true, OpAddDependency: true,
}

// of returns the first user of element k of a collective's result, NoInstr when it has none. Where that runs a
// computation, it is the first user inside.
func (f *firstUsers) of(i InstrID, k int) InstrID {
	u := InstrID(f.user[i])
	from := i
	if len(f.g.m.Operands(i)) > 1 {
		u = f.parts[elementUse{i, k}]
	}
	for range maxNesting {
		if u == 0 {
			return NoInstr
		}
		inner := f.inside(from, u-1)
		if inner == 0 {
			return u - 1
		}
		from, u = NoInstr, inner
	}
	return u - 1
}

// inside returns the first user in the computation that a call or a fusion runs, when it is given the value itself.
func (f *firstUsers) inside(value, user InstrID) InstrID {
	m := f.g.m
	if op := m.Op(user); op != OpCall && op != OpFusion {
		return 0
	}
	c := f.g.called(user)
	if c == NoComp {
		return 0
	}
	for k, o := range m.Operands(user) {
		if value != NoInstr && o != NoInstr && f.comesFrom(o, value) {
			if p := m.Parameter(c, k); p != NoInstr {
				return InstrID(f.user[p])
			}
		}
	}
	return 0
}

// comesFrom reports whether a value is another one, moved.
func (f *firstUsers) comesFrom(o, value InstrID) bool {
	m := f.g.m
	for range maxNesting {
		if o == value {
			return true
		}
		if !moves[m.Op(o)] || len(m.Operands(o)) == 0 || m.Operands(o)[0] == NoInstr {
			return false
		}
		o = m.Operands(o)[0]
	}
	return false
}
