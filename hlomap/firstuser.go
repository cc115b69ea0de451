package hlomap

import "slices"

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
// computation, it is the first user inside; where the value is handed out of the computation, or on to a later round of a loop, the
// first one there.
func (f *firstUsers) of(i InstrID, k int) InstrID {
	var path []int
	u := InstrID(f.user[i])
	if x, _ := f.g.exchange(i); x.op == OpRaggedAllToAll { // one result, of the first operand
		if k > 0 {
			return NoInstr
		}
	} else if len(f.g.m.Operands(i)) > 1 {
		path = []int{k}
		u = f.parts[elementUse{i, k}]
	}
	if u != 0 && !f.g.m.Op(u-1).runs() {
		return u - 1
	}
	s := userSearch{m: f.g.m, of: i, seen: map[InstrID]bool{}}
	if found := s.from(i, path); found != NoInstr {
		return found
	}
	return u - 1
}

// userSearch looks for the first user of a value beyond its own computation.
type userSearch struct {
	m    *Module
	of   InstrID // no user of itself, in a later round
	seen map[InstrID]bool
	// moved, when set, is told what moves the value on; it returns true to stop there.
	moved func(u InstrID) bool
}

// maxUserSearch bounds the values that a search looks at.
const maxUserSearch = 256

// from returns the first operation that uses an element of a value and does not merely move it, NoInstr where there is none.
func (s *userSearch) from(i InstrID, path []int) InstrID {
	if s.seen[i] || len(s.seen) == maxUserSearch {
		return NoInstr
	}
	s.seen[i] = true
	for _, u := range s.m.Users(i) {
		for k, o := range s.m.Operands(u) {
			if rest, ok := afterPath(path, s.m.OperandPath(u, k)); o == i && ok && u != s.of {
				if found := s.by(u, k, rest); found != NoInstr {
					return found
				}
			}
		}
	}
	c := s.m.Comp(i)
	if s.m.Root(c) != i {
		return NoInstr
	}
	for _, call := range s.m.Callers(c) {
		if found := s.returned(call, c, path); found != NoInstr {
			return found
		}
	}
	return NoInstr
}

// by returns the first user of what instruction u makes of its operand k, which is u itself unless that hands it on.
func (s *userSearch) by(u InstrID, k int, path []int) InstrID {
	op := s.m.Op(u)
	if moves[op] && s.moved != nil && s.moved(u) {
		return u
	}
	switch {
	case op == OpTuple:
		return s.from(u, append([]int{k}, path...))
	case op == OpOptBarrier && len(s.m.Operands(u)) > 1:
		return s.from(u, append([]int{k}, path...))
	case op == OpGetTupleElement:
		if rest, ok := afterPath(path, []int{s.m.TupleIndex(u)}); ok {
			return s.from(u, rest)
		}
		return NoInstr
	case moves[op]:
		return s.from(u, path)
	case op == OpWhile:
		return s.inside(s.m.Called(u), 0, path, u)
	case op == OpConditional:
		if called := s.m.Called(u); k > 0 && k <= len(called) {
			return s.inside(called[k-1:k], 0, path, u)
		}
		return u
	case op == OpCall || op == OpFusion:
		return s.inside(s.m.Called(u), k, path, u)
	}
	return u
}

// inside returns the first user in computations that are given the value as parameter n; the instruction that runs them where they
// are not known.
func (s *userSearch) inside(called []CompID, n int, path []int, u InstrID) InstrID {
	for _, c := range called {
		p := NoInstr
		if c != NoComp {
			p = s.m.Parameter(c, n)
		}
		if p == NoInstr {
			return u
		}
		if found := s.from(p, path); found != NoInstr {
			return found
		}
	}
	return NoInstr
}

// returned returns the first user of what a computation returns to one of its callers.
func (s *userSearch) returned(call InstrID, c CompID, path []int) InstrID {
	switch s.m.Op(call) {
	case OpWhile:
		called := s.m.Called(call)
		if called[0] != c {
			return NoInstr // the condition
		}
		if found := s.inside(called, 0, path, NoInstr); found != NoInstr {
			return found
		}
		return s.from(call, path)
	case OpCall, OpFusion, OpConditional:
		return s.from(call, path)
	}
	return NoInstr
}

// afterPath returns what is left of a path behind another one; ok is false where they part. Where the other goes deeper, nothing is left.
func afterPath(path, begin []int) (rest []int, ok bool) {
	n := min(len(path), len(begin))
	return path[n:], slices.Equal(path[:n], begin[:n])
}
