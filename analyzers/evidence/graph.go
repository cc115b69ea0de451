// Package evidence walks a compiled module to find what an exchange between devices is for: which operation needed the
// value that was moved, which operation made it, and which of its uses matter. Rules ask it; it judges nothing itself.
package evidence

import (
	"strconv"
	"strings"

	"github.com/shardls/shardls/hlomap"
)

// maxVisits bounds one walk. Real walks between two operations that compute take a few dozen steps.
const maxVisits = 4096

// maxSteps bounds the operands that one walk forward looks at. A loop that carries a thousand arrays takes some thousands.
const maxSteps = 1 << 14

// maxPath bounds the depth of tuples in tuples that a walk follows. JAX makes two or three; a damaged dump, whose computations
// call themselves, any number.
const maxPath = 32

// Value is one array or tuple of a module: the result of an instruction, or the element of it that Path leads to.
type Value struct {
	Instr hlomap.InstrID
	Path  []int
}

// Use is an instruction that takes a value as its operand number Operand.
type Use struct {
	User    hlomap.InstrID
	Operand int
	// Path is where in the operand the value sits, for users that take tuples.
	Path []int
}

// Graph answers questions about one module.
type Graph struct {
	M *hlomap.Module
}

// Op returns the opcode of an instruction, hlomap.OpOther for hlomap.NoInstr: operands that a damaged dump does not define are
// no operation that a rule looks for.
func (g Graph) Op(i hlomap.InstrID) hlomap.Op {
	if i == hlomap.NoInstr {
		return hlomap.OpOther
	}
	return g.M.Op(i)
}

// Moves reports whether an opcode only moves, renames or re-lays elements: what comes out is what went in.
func Moves(op hlomap.Op) bool {
	switch op {
	case hlomap.OpCopy, hlomap.OpBitcast, hlomap.OpReshape, hlomap.OpTranspose, hlomap.OpOptBarrier, hlomap.OpCopyStart, hlomap.OpCopyDone,
		hlomap.OpAllGatherDone, hlomap.OpAllReduceDone, hlomap.OpCollectivePermuteDone, hlomap.OpAsyncDone, hlomap.OpAddDependency, hlomap.OpDomain:
		return true
	}
	return false
}

// Primitive returns the name of the JAX primitive that an instruction was lowered from: the last part of its op_name
// without parameters, "" when the dump has none. JAX up to 0.4.34 prints parameters in brackets behind it.
func (g Graph) Primitive(i hlomap.InstrID) string {
	if i == hlomap.NoInstr {
		return ""
	}
	return Primitive(g.M.OpName(i))
}

// Primitive returns the JAX primitive at the end of an op_name. Instructions that XLA merged list several names separated
// by ";"; the last is the one that the instruction computes.
func Primitive(opName string) string {
	if k := strings.IndexByte(opName, '['); k >= 0 {
		if !strings.Contains(opName[k:], "=") {
			return "" // the tree path of an argument: params['w']
		}
		opName = opName[:k]
	}
	if k := strings.LastIndexByte(opName, ';'); k >= 0 {
		opName = opName[k+1:]
	}
	name := opName[strings.LastIndexByte(opName, '/')+1:]
	if strings.ContainsAny(name, "()' ") {
		return ""
	}
	return name
}

// Scopes returns the parts of an op_name before its primitive, outermost first: jit(f), while, body, named scopes. A "/"
// inside parentheses does not separate.
func Scopes(opName string) []string {
	var scopes []string
	depth, start := 0, 0
	for i := 0; i < len(opName); i++ {
		switch opName[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '/':
			if depth == 0 {
				scopes = append(scopes, opName[start:i])
				start = i + 1
			}
		}
	}
	return scopes
}

// Backward reports whether an op_name says that its operation belongs to a backward pass. Its absence proves nothing:
// JAX before 0.8 does not mark unscoped operations.
func Backward(opName string) bool { return strings.Contains(opName, "transpose(") }

// InFunction reports whether one of the scopes of an op_name is jit(NAME) (pjit before JAX 0.7) for a NAME that match accepts.
func InFunction(opName string, match func(name string) bool) bool {
	for _, s := range Scopes(opName) {
		name, ok := strings.CutPrefix(s, "jit(")
		if !ok {
			name, ok = strings.CutPrefix(s, "pjit(")
		}
		if ok && match(strings.TrimSuffix(name, ")")) {
			return true
		}
	}
	return false
}

// Dimensions returns an attribute such as dimensions={0,1} or lhs_contracting_dims={1}; nil when it is absent or not a
// list of numbers.
func (g Graph) Dimensions(i hlomap.InstrID, attr string) []int {
	if i == hlomap.NoInstr {
		return nil
	}
	text, ok := g.M.InstrAttr(i, attr)
	if !ok {
		return nil
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	var dims []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil
		}
		dims = append(dims, n)
	}
	return dims
}

// Dims returns the dimensions of an instruction's result, nil for tuples.
func (g Graph) Dims(i hlomap.InstrID) []int64 {
	if i == hlomap.NoInstr {
		return nil
	}
	s := g.M.Shape(i)
	return s.Dims
}

// Bytes returns the size of an instruction's result in bytes, -1 when it is unknown.
func (g Graph) Bytes(i hlomap.InstrID) int64 {
	if i == hlomap.NoInstr {
		return -1
	}
	s := g.M.Shape(i)
	total := int64(0)
	for _, a := range s.Leaves() {
		if a.Bytes < 0 {
			return -1
		}
		total += a.Bytes
	}
	return total
}

// Operand returns operand k of an instruction, NoInstr when there is none.
func (g Graph) Operand(i hlomap.InstrID, k int) hlomap.InstrID {
	if i == hlomap.NoInstr {
		return i
	}
	if ops := g.M.Operands(i); k >= 0 && k < len(ops) {
		return ops[k]
	}
	return hlomap.NoInstr
}

// Root returns the root of an instruction's computation.
func (g Graph) Root(i hlomap.InstrID) hlomap.InstrID { return g.M.Root(g.M.Comp(i)) }

// CustomCallTarget returns the target of a custom call, "" for other instructions.
func (g Graph) CustomCallTarget(i hlomap.InstrID) string {
	if g.Op(i) != hlomap.OpCustomCall {
		return ""
	}
	target, _ := g.M.InstrAttr(i, "custom_call_target")
	return strings.Trim(target, `"`)
}

// Loop returns the while instruction whose body or condition holds an instruction, the innermost one, or NoInstr. Calls
// and fusions are looked through.
func (g Graph) Loop(i hlomap.InstrID) hlomap.InstrID {
	comp := g.M.Comp(i)
	for range 64 {
		callers := g.M.Callers(comp)
		if len(callers) == 0 {
			return hlomap.NoInstr
		}
		caller := callers[0]
		if g.Op(caller) == hlomap.OpWhile {
			return caller
		}
		comp = g.M.Comp(caller)
	}
	return hlomap.NoInstr
}

func (v Value) key() placeKey {
	key := placeKey{instr: v.Instr, element: -1}
	for n, k := range v.Path {
		if n == 0 {
			key.element = k
			continue
		}
		key.within += "." + strconv.Itoa(k)
	}
	return key
}

// placeKey tells values apart.
type placeKey struct {
	instr   hlomap.InstrID
	element int // the first of the path, -1 for none
	within  string
}

// push puts k before path: the value sits in element k of a larger tuple.
func push(k int, path []int) []int { return append([]int{k}, path...) }
