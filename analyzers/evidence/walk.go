package evidence

import (
	"iter"
	"slices"

	"github.com/shardls/shardls/hlomap"
)

// Source follows a value backward through everything that only moves it: copies, reshapes, tuples, the borders of calls
// and fusions, and the entry of loops for values that the loop carries unchanged. It stops at the operation that computes
// the value and returns it. Where through accepts an opcode, the walk also goes through operand 0 of that operation.
func (g Graph) Source(i hlomap.InstrID, through func(hlomap.Op) bool) hlomap.InstrID {
	return g.SourceOf(Value{Instr: i}, through).Instr
}

// SourceOf is [Graph.Source] for an element of a tuple.
func (g Graph) SourceOf(v Value, through func(hlomap.Op) bool) Value {
	for range maxVisits {
		next, ok := g.back(v, through)
		if !ok || len(next.Path) > maxPath {
			return v
		}
		v = next
	}
	return v
}

// Backward yields the instructions that [Graph.Source] passes on its way from an instruction, that one and the source included.
func (g Graph) Backward(i hlomap.InstrID, through func(hlomap.Op) bool) iter.Seq[hlomap.InstrID] {
	return func(yield func(hlomap.InstrID) bool) {
		v := Value{Instr: i}
		for range maxVisits {
			next, ok := g.back(v, through)
			if v.Instr == hlomap.NoInstr || !yield(v.Instr) || !ok || len(next.Path) > maxPath {
				return
			}
			v = next
		}
	}
}

func (g Graph) back(v Value, through func(hlomap.Op) bool) (Value, bool) {
	m, i := g.M, v.Instr
	if i == hlomap.NoInstr {
		return v, false
	}
	operand := func(k int, path []int) (Value, bool) {
		o := g.Operand(i, k)
		if o == hlomap.NoInstr {
			return v, false
		}
		return Value{o, append(append([]int(nil), m.OperandPath(i, k)...), path...)}, true
	}
	switch op := g.Op(i); {
	case op == hlomap.OpGetTupleElement:
		return operand(0, push(m.TupleIndex(i), v.Path))
	case op == hlomap.OpTuple:
		if len(v.Path) == 0 {
			return v, false
		}
		return operand(v.Path[0], v.Path[1:])
	case Moves(op) || through != nil && through(op):
		return operand(0, v.Path)
	case op == hlomap.OpParameter:
		return g.backOut(v)
	case op == hlomap.OpCall || op == hlomap.OpFusion:
		if called := m.Called(i); len(called) == 1 && m.Root(called[0]) != hlomap.NoInstr {
			return Value{m.Root(called[0]), v.Path}, true
		}
	case op == hlomap.OpWhile && g.invariant(i, v.Path):
		return operand(0, v.Path)
	}
	return v, false
}

// backOut goes from a parameter of a called computation to the operand of its only caller.
func (g Graph) backOut(v Value) (Value, bool) {
	m := g.M
	callers := m.Callers(m.Comp(v.Instr))
	if len(callers) != 1 {
		return v, false
	}
	caller, k := callers[0], m.ParameterNumber(v.Instr)
	switch g.Op(caller) {
	case hlomap.OpWhile:
		if !g.invariant(caller, v.Path) {
			return v, false
		}
		k = 0
	case hlomap.OpConditional:
		k = -1
		for b, c := range m.Called(caller) {
			if c == m.Comp(v.Instr) {
				k = b + 1
			}
		}
	case hlomap.OpCall, hlomap.OpFusion, hlomap.OpAsyncStart:
	default:
		return v, false
	}
	o := g.Operand(caller, k)
	if o == hlomap.NoInstr {
		return v, false
	}
	return Value{o, append(append([]int(nil), m.OperandPath(caller, k)...), v.Path...)}, true
}

// invariant reports whether a loop hands on the element of its carry that path leads to unchanged.
func (g Graph) invariant(loop hlomap.InstrID, path []int) bool {
	if len(path) != 1 {
		return false
	}
	m := g.M
	for _, c := range m.Called(loop) {
		root := m.Root(c)
		if root == hlomap.NoInstr || g.Op(root) != hlomap.OpTuple {
			continue
		}
		o := g.Operand(root, path[0])
		for o != hlomap.NoInstr && g.Op(o) == hlomap.OpCopy {
			o = g.Operand(o, 0)
		}
		return o != hlomap.NoInstr && g.Op(o) == hlomap.OpGetTupleElement && m.TupleIndex(o) == path[0] &&
			g.Op(g.Operand(o, 0)) == hlomap.OpParameter
	}
	return false
}

// Carry describes a value that a loop carries: element Index of the loop's tuple.
type Carry struct {
	Loop  hlomap.InstrID
	Index int
}

// CarryOf returns the carry that an instruction in a loop body reads, looking through moves; false when it reads none.
func (g Graph) CarryOf(i hlomap.InstrID) (Carry, bool) {
	m := g.M
	for range maxVisits {
		if i == hlomap.NoInstr {
			return Carry{}, false
		}
		switch op := g.Op(i); {
		case op == hlomap.OpGetTupleElement:
			o := g.Operand(i, 0)
			if o == hlomap.NoInstr || g.Op(o) != hlomap.OpParameter {
				return Carry{}, false
			}
			for _, caller := range m.Callers(m.Comp(o)) {
				if g.Op(caller) == hlomap.OpWhile {
					return Carry{caller, m.TupleIndex(i)}, true
				}
			}
			return Carry{}, false
		case Moves(op):
			i = g.Operand(i, 0)
		case op == hlomap.OpParameter:
			outside, ok := g.backOut(Value{Instr: i})
			if !ok || len(outside.Path) > 0 {
				return Carry{}, false
			}
			i = outside.Instr
		default:
			return Carry{}, false
		}
	}
	return Carry{}, false
}

// BodyRoot returns the root of a loop's body, hlomap.NoInstr where the dump has no body. It is what the loop carries on.
func (g Graph) BodyRoot(loop hlomap.InstrID) hlomap.InstrID {
	for _, c := range g.M.Called(loop) {
		root := g.M.Root(c)
		if root == hlomap.NoInstr {
			continue
		}
		if shape := g.M.Shape(root); shape.IsTuple() {
			return root // that of the condition is no tuple
		}
	}
	return hlomap.NoInstr
}

// ReadOnlyBy reports whether user, an operation of the loop's body or of a fusion in it, is the only one there that uses the
// carry.
func (g Graph) ReadOnlyBy(c Carry, user hlomap.InstrID) bool {
	root := g.BodyRoot(c.Loop)
	if root == hlomap.NoInstr {
		return false
	}
	parameter := g.M.Parameter(g.M.Comp(root), 0)
	if parameter == hlomap.NoInstr {
		return false
	}
	uses, all := g.uses(Value{Instr: parameter, Path: []int{c.Index}}, nil)
	return all && !slices.ContainsFunc(uses, func(u Use) bool { return u.User != user })
}

// Init returns what a loop's carry holds before the first iteration, NoInstr when the loop does not take a tuple.
func (g Graph) Init(c Carry) hlomap.InstrID {
	t := g.Operand(c.Loop, 0)
	for t != hlomap.NoInstr && g.Op(t) == hlomap.OpCopy {
		t = g.Operand(t, 0)
	}
	if t == hlomap.NoInstr || g.Op(t) != hlomap.OpTuple {
		return hlomap.NoInstr
	}
	return g.Operand(t, c.Index)
}

// Uses returns the operations that use a value and do more than move it, following it through copies, reshapes, tuples,
// calls, fusions, loops and conditionals. Where through accepts an opcode, the walk goes on behind that operation too.
// The order is that of the module.
func (g Graph) Uses(i hlomap.InstrID, through func(hlomap.Op) bool) []Use {
	return g.UsesOf(Value{Instr: i}, through)
}

// UsesOf is [Graph.Uses] for an element of a tuple.
func (g Graph) UsesOf(v Value, through func(hlomap.Op) bool) []Use {
	uses, _ := g.uses(v, through)
	return uses
}

// uses answers [Graph.UsesOf]; all is false, and no use is known, where there are too many places to look at: loops in loops that
// carry hundreds of arrays and swap them.
func (g Graph) uses(v Value, through func(hlomap.Op) bool) (found []Use, all bool) {
	w := forward{g: g, through: through, seen: map[placeKey]bool{}}
	w.from(v)
	if len(w.seen) > maxVisits || w.steps > maxSteps {
		return nil, false
	}
	return w.found, true
}

type forward struct {
	g       Graph
	through func(hlomap.Op) bool
	seen    map[placeKey]bool
	steps   int // operands looked at
	found   []Use
}

func (w *forward) from(v Value) {
	key := v.key()
	if len(v.Path) > maxPath || len(w.seen) > maxVisits || w.steps > maxSteps || w.seen[key] {
		return
	}
	w.seen[key] = true
	m := w.g.M
	for _, u := range m.Users(v.Instr) {
		w.steps += len(m.Operands(u))
		for k, o := range m.Operands(u) {
			if o != v.Instr {
				continue
			}
			if path, ok := cut(v.Path, m.OperandPath(u, k)); ok {
				w.use(Use{u, k, path})
			}
		}
	}
	if v.Instr == w.g.Root(v.Instr) {
		w.out(v)
	}
}

// cut removes the path of an elided get-tuple-element from the front of a value's path.
func cut(path, prefix []int) ([]int, bool) {
	if len(prefix) > len(path) {
		return nil, len(path) == 0 && len(prefix) == 0
	}
	for k := range prefix {
		if path[k] != prefix[k] {
			return nil, false
		}
	}
	return path[len(prefix):], true
}

func (w *forward) use(u Use) {
	m := w.g.M
	switch op := w.g.Op(u.User); {
	case op == hlomap.OpGetTupleElement:
		if len(u.Path) > 0 && u.Path[0] == m.TupleIndex(u.User) {
			w.from(Value{u.User, u.Path[1:]})
		}
	case op == hlomap.OpTuple:
		w.from(Value{u.User, push(u.Operand, u.Path)})
	case Moves(op) || w.through != nil && w.through(op):
		w.from(Value{u.User, u.Path})
	case op == hlomap.OpCall || op == hlomap.OpFusion || op == hlomap.OpWhile || op == hlomap.OpConditional || op == hlomap.OpAsyncStart:
		w.into(u)
	default:
		w.found = append(w.found, u)
	}
}

func (w *forward) into(u Use) {
	m := w.g.M
	for b, c := range m.Called(u.User) {
		k := u.Operand
		switch w.g.Op(u.User) {
		case hlomap.OpWhile:
			k = 0
		case hlomap.OpConditional:
			if u.Operand == 0 {
				continue // the predicate
			}
			if u.Operand != b+1 {
				continue
			}
			k = 0
		}
		if p := m.Parameter(c, k); p != hlomap.NoInstr {
			w.from(Value{p, u.Path})
		}
	}
}

// out follows the root of a called computation to its callers, and the root of a loop body to the next iteration.
func (w *forward) out(v Value) {
	m := w.g.M
	comp := m.Comp(v.Instr)
	for _, caller := range m.Callers(comp) {
		switch w.g.Op(caller) {
		case hlomap.OpCall, hlomap.OpFusion, hlomap.OpConditional, hlomap.OpAsyncStart:
			w.from(Value{caller, v.Path})
		case hlomap.OpWhile:
			if called := m.Called(caller); len(called) > 0 && called[0] == comp {
				if p := m.Parameter(comp, 0); p != hlomap.NoInstr {
					w.from(Value{p, v.Path})
				}
				w.from(Value{caller, v.Path})
			}
		}
	}
}

// OnPartition reports whether a value depends on which partition computes it: a partition-id or replica-id is among the
// operations that it is computed from. The walk is meant for indices and other small values and gives up, answering
// false, at operations that take arrays larger than limit bytes.
func (g Graph) OnPartition(i hlomap.InstrID) bool {
	const limit = 1 << 16
	seen := map[hlomap.InstrID]bool{}
	var walk func(i hlomap.InstrID) bool
	walk = func(i hlomap.InstrID) bool {
		if i == hlomap.NoInstr || seen[i] || len(seen) > maxVisits {
			return false
		}
		seen[i] = true
		switch g.Op(i) {
		case hlomap.OpPartitionID, hlomap.OpReplicaID:
			return true
		}
		if b := g.Bytes(i); b < 0 || b > limit {
			return false
		}
		for _, o := range g.M.Operands(i) {
			if walk(o) {
				return true
			}
		}
		if g.Op(i) == hlomap.OpParameter {
			for _, caller := range g.M.Callers(g.M.Comp(i)) {
				if op := g.Op(caller); op == hlomap.OpFusion || op == hlomap.OpCall {
					return walk(g.Operand(caller, g.M.ParameterNumber(i)))
				}
			}
		}
		for _, c := range g.M.Called(i) {
			if op := g.Op(i); (op == hlomap.OpFusion || op == hlomap.OpCall) && walk(g.M.Root(c)) {
				return true
			}
		}
		return false
	}
	return walk(i)
}
