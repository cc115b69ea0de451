package hlomap

import (
	"strconv"
	"strings"
)

// Trip counts from conditions: `counter < bound` where the counter's start, its step and the bound are constants. XLA
// writes known_trip_count only after optimization, and TPU never; the condition is in every dump.

// affine is a value that a loop computes: a constant, or element `slot` of the loop's state plus a constant.
type affine struct {
	inState bool
	slot    string // the path in the state, as a key
	add     int64
}

// binding is what the parameters of a computation stand for: the operands of the caller, in the caller's own bindings.
// With state set the (only) parameter is the state of the loop that is being solved.
type binding struct {
	caller InstrID
	outer  *binding
	state  bool
}

// solver follows values backward. It gives up after a number of steps: a damaged or very entangled module costs no more.
type solver struct {
	m     *Module
	steps int
}

const (
	maxSolveSteps = 20000
	maxSolveDepth = 500
)

// solve returns the iterations of a while by its condition.
func (m *Module) solve(while InstrID) (int64, bool) {
	called := m.Called(while)
	if len(called) != 2 || len(m.Operands(while)) != 1 {
		return 0, false
	}
	body, cond := called[0], called[1]
	s := &solver{m: m}
	root := m.Root(cond)
	if root == NoInstr {
		return 0, false
	}
	return s.condition(root, &binding{state: true}, loop{while: while, body: body}, 0)
}

// loop is the loop that is being solved.
type loop struct {
	while InstrID
	body  CompID
}

// condition solves a predicate: a comparison, both sides of an `and`, or either in a fusion or a call.
func (s *solver) condition(i InstrID, env *binding, l loop, depth int) (int64, bool) {
	if s.steps++; s.steps > maxSolveSteps || depth > maxSolveDepth {
		return 0, false
	}
	m := s.m
	args := m.Operands(i)
	switch m.ops[i] {
	case OpFusion, OpCall:
		if c := m.Called(i); len(c) == 1 && m.Root(c[0]) != NoInstr {
			return s.condition(m.Root(c[0]), &binding{caller: i, outer: env}, l, depth+1)
		}
	case OpCopy, OpBitcast, OpReshape, OpConvert:
		if len(args) == 1 && args[0] != NoInstr {
			return s.condition(args[0], env, l, depth+1)
		}
	case OpParameter:
		if arg, outer, ok := s.argument(i, env); ok {
			return s.condition(arg, outer, l, depth+1)
		}
	case OpAnd:
		return s.both(args, env, l, depth)
	case OpCompare:
		return s.compare(i, env, l, depth)
	}
	return 0, false
}

// both solves an `and`: the loop ends with the first side that fails. A side that is not understood leaves the count open.
func (s *solver) both(args []InstrID, env *binding, l loop, depth int) (int64, bool) {
	if len(args) != 2 || args[0] == NoInstr || args[1] == NoInstr {
		return 0, false
	}
	least, some := int64(0), false
	for _, a := range args {
		if s.m.ops[a] == OpConstant {
			if v, ok := s.m.Literal(a); ok && v == "true" {
				continue
			}
		}
		n, ok := s.condition(a, env, l, depth+1)
		if !ok {
			return 0, false
		}
		if !some || n < least {
			least, some = n, true
		}
	}
	return least, some
}

// compare solves `counter < bound` and its kin.
func (s *solver) compare(i InstrID, env *binding, l loop, depth int) (int64, bool) {
	m := s.m
	args := m.Operands(i)
	dir, _ := m.src.attr(i, "direction")
	if len(args) != 2 || args[0] == NoInstr || args[1] == NoInstr {
		return 0, false
	}
	a, okA := s.operandValue(i, 0, env, depth)
	b, okB := s.operandValue(i, 1, env, depth)
	if !okA || !okB {
		return 0, false
	}
	if !a.inState || b.inState && s.invariant(a, l) {
		a, b, dir = b, a, flip(dir)
	}
	if !a.inState {
		return 0, false
	}
	if b.inState {
		if !s.invariant(b, l) {
			return 0, false
		}
		start, ok := s.start(b, l)
		if !ok {
			return 0, false
		}
		b = affine{add: start + b.add}
	}
	step, ok := s.step(a, l)
	if !ok {
		return 0, false
	}
	start, ok := s.start(a, l)
	if !ok {
		return 0, false
	}
	return iterations(start+a.add, step, b.add, dir)
}

func flip(dir string) string {
	switch dir {
	case "LT":
		return "GT"
	case "LE":
		return "GE"
	case "GT":
		return "LT"
	case "GE":
		return "LE"
	}
	return dir
}

// iterations counts how often `v dir bound` holds for v = start, start+step, …
func iterations(start, step, bound int64, dir string) (int64, bool) {
	const most = 1 << 60
	if start > most || start < -most || bound > most || bound < -most || step > most || step < -most || step == 0 {
		return 0, false
	}
	switch dir {
	case "GT", "GE":
		start, step, bound = -start, -step, -bound
		if dir == "GE" {
			bound++
		}
	case "LE":
		bound++
	case "LT":
	case "NE":
		if d := bound - start; d%step == 0 && d/step >= 0 {
			return d / step, true
		}
		return 0, false
	default:
		return 0, false
	}
	switch {
	case start >= bound:
		return 0, true
	case step < 0:
		return 0, false // runs until the counter wraps around
	}
	return (bound - start + step - 1) / step, true
}

// step returns what one iteration adds to a slot of the state.
func (s *solver) step(a affine, l loop) (int64, bool) {
	root := s.m.Root(l.body)
	if root == NoInstr {
		return 0, false
	}
	v, ok := s.value(root, pathOf(a.slot), &binding{state: true}, 0)
	if !ok || !v.inState || v.slot != a.slot {
		return 0, false
	}
	return v.add, true
}

func (s *solver) invariant(a affine, l loop) bool {
	step, ok := s.step(a, l)
	return ok && step == 0
}

// start returns the value of a slot of the state before the first iteration.
func (s *solver) start(a affine, l loop) (int64, bool) {
	path := append(append([]int(nil), s.m.OperandPath(l.while, 0)...), pathOf(a.slot)...)
	init := s.m.Operands(l.while)[0]
	if init == NoInstr {
		return 0, false
	}
	v, ok := s.value(init, path, nil, 0)
	if !ok || v.inState {
		return 0, false
	}
	return v.add, true
}

// operandValue evaluates operand k of an instruction.
func (s *solver) operandValue(i InstrID, k int, env *binding, depth int) (affine, bool) {
	o := s.m.Operands(i)[k]
	if o == NoInstr {
		return affine{}, false
	}
	return s.value(o, s.m.OperandPath(i, k), env, depth+1)
}

// value evaluates the element of an instruction's result at the given tuple path.
func (s *solver) value(i InstrID, path []int, env *binding, depth int) (affine, bool) {
	if s.steps++; s.steps > maxSolveSteps || depth > maxSolveDepth {
		return affine{}, false
	}
	m := s.m
	args := m.Operands(i)
	follow := func(k int, path []int) (affine, bool) {
		if k >= len(args) || args[k] == NoInstr {
			return affine{}, false
		}
		return s.value(args[k], append(append([]int(nil), m.OperandPath(i, k)...), path...), env, depth+1)
	}
	switch m.ops[i] {
	case OpConstant:
		return s.constant(i)
	case OpGetTupleElement:
		return follow(0, append([]int{m.TupleIndex(i)}, path...))
	case OpTuple:
		if len(path) > 0 && path[0] >= 0 {
			return follow(path[0], path[1:])
		}
	case OpCopy, OpBitcast, OpReshape, OpConvert, OpBroadcast, OpOptBarrier:
		return follow(0, path)
	case OpAdd, OpSubtract:
		return s.sum(i, env, depth)
	case OpFusion, OpCall:
		if c := m.Called(i); len(c) == 1 && m.Root(c[0]) != NoInstr {
			return s.value(m.Root(c[0]), path, &binding{caller: i, outer: env}, depth+1)
		}
	case OpWhile:
		return s.afterLoop(i, path, env, depth)
	case OpParameter:
		return s.parameter(i, path, env, depth)
	}
	return affine{}, false
}

// constant reads an integer scalar.
func (s *solver) constant(i InstrID) (affine, bool) {
	v, ok := s.m.Literal(i)
	if !ok {
		return affine{}, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	return affine{add: n}, err == nil
}

// sum adds or subtracts; at most one side may depend on the state.
func (s *solver) sum(i InstrID, env *binding, depth int) (affine, bool) {
	if len(s.m.Operands(i)) != 2 {
		return affine{}, false
	}
	a, okA := s.operandValue(i, 0, env, depth)
	b, okB := s.operandValue(i, 1, env, depth)
	if !okA || !okB || b.inState && (a.inState || s.m.ops[i] == OpSubtract) {
		return affine{}, false
	}
	if s.m.ops[i] == OpSubtract {
		b.add = -b.add
	}
	a.add += b.add
	if b.inState {
		a.inState, a.slot = true, b.slot
	}
	return a, true
}

// argument returns what a parameter stands for in its caller.
func (s *solver) argument(i InstrID, env *binding) (InstrID, *binding, bool) {
	if env == nil || env.state {
		return NoInstr, nil, false
	}
	n := s.m.ParameterNumber(i)
	args := s.m.Operands(env.caller)
	if n < 0 || n >= len(args) || args[n] == NoInstr || len(s.m.OperandPath(env.caller, n)) > 0 {
		return NoInstr, nil, false
	}
	return args[n], env.outer, true
}

// parameter evaluates a parameter: the state of the loop, an argument of the call that is being followed, or, where
// the loop stands in a computation of its own, what its only caller passes.
func (s *solver) parameter(i InstrID, path []int, env *binding, depth int) (affine, bool) {
	m := s.m
	n := m.ParameterNumber(i)
	switch {
	case env != nil && env.state:
		return affine{inState: true, slot: keyOf(path)}, true
	case env != nil:
		args := m.Operands(env.caller)
		if n < 0 || n >= len(args) || args[n] == NoInstr {
			return affine{}, false
		}
		return s.value(args[n], append(append([]int(nil), m.OperandPath(env.caller, n)...), path...), env.outer, depth+1)
	}
	callers := m.Callers(m.Comp(i))
	if len(callers) != 1 || n < 0 {
		return affine{}, false
	}
	caller := callers[0]
	switch m.ops[caller] {
	case OpCall, OpFusion, OpAsyncStart:
		if n >= len(m.Operands(caller)) {
			return affine{}, false
		}
		return s.operandElement(caller, n, path, depth)
	case OpWhile: // an element that the outer loop only passes on
		return s.afterLoop(caller, path, nil, depth)
	}
	return affine{}, false
}

func (s *solver) operandElement(i InstrID, k int, path []int, depth int) (affine, bool) {
	o := s.m.Operands(i)[k]
	if o == NoInstr {
		return affine{}, false
	}
	return s.value(o, append(append([]int(nil), s.m.OperandPath(i, k)...), path...), nil, depth+1)
}

// afterLoop evaluates an element of another loop's state, which is known where that loop does not change it.
func (s *solver) afterLoop(while InstrID, path []int, env *binding, depth int) (affine, bool) {
	m := s.m
	called := m.Called(while)
	if len(called) != 2 || m.Root(called[0]) == NoInstr || len(m.Operands(while)) != 1 || m.Operands(while)[0] == NoInstr {
		return affine{}, false
	}
	v, ok := s.value(m.Root(called[0]), path, &binding{state: true}, depth+1)
	if !ok || !v.inState || v.add != 0 || v.slot != keyOf(path) {
		return affine{}, false
	}
	return s.value(m.Operands(while)[0], append(append([]int(nil), m.OperandPath(while, 0)...), path...), env, depth+1)
}

// keyOf and pathOf turn a tuple path into a comparable key and back.
func keyOf(path []int) string {
	var b []byte
	for _, k := range path {
		b = append(strconv.AppendInt(b, int64(k), 10), '.')
	}
	return string(b)
}

func pathOf(key string) []int {
	var path []int
	for _, f := range strings.FieldsFunc(key, func(c rune) bool { return c == '.' }) {
		path = append(path, atoi(f, -1))
	}
	return path
}
