package hlomap

import (
	"slices"
	"strconv"
	"strings"
)

// Bounds of what is worked out: the length of constant arrays, the numbers of all devices together.
const (
	maxKnownTable = 1 << 16
	maxKnown      = 1 << 24
)

// deviceNumber is the fact about partition-id.
func (v *variance) deviceNumber() fact {
	own := make([]int64, v.g.devices)
	for d := range own {
		own[d] = int64(d)
	}
	return v.know(knownValue{values: own, perDevice: true})
}

// know returns the fact about a number that was worked out for every device: devices agree exactly where they hold the
// same.
func (v *variance) know(k knownValue) fact {
	if len(v.knowns)*v.g.devices > maxKnown {
		return v.leaf(spread{labels: allDifferent, rough: true})
	}
	labels := allEqual
	if k.perDevice {
		labels = byKey(v.labels, func(d int) int64 { return k.values[d] })
	}
	for id, old := range v.knowns {
		if old.perDevice == k.perDevice && slices.Equal(old.values, k.values) && id > 0 {
			return v.leaf(spread{labels: labels, known: int32(id)})
		}
	}
	v.knowns = append(v.knowns, k)
	return v.leaf(spread{labels: labels, known: int32(len(v.knowns) - 1)})
}

// compute returns the fact about an instruction that computes its result from its operands alone. Numbers that follow
// from the device's own are worked out, because they say which part of an array a device takes: partition-id / 4 is
// equal within groups of four.
func (v *variance) compute(i InstrID) fact {
	f, known := v.mix(i)
	if f == v.equal {
		return f
	}
	s := v.flat(f)
	if s.labels == allEqual || !known {
		return f
	}
	if k, ok := v.evaluate(i); ok {
		return v.know(k)
	}
	if shape := v.g.m.Shape(i); elementsOf(&shape) == 1 && isInteger(shape.DType) && v.g.m.Op(i) != OpParameter {
		return v.leaf(spread{labels: s.labels, rough: true, met: s.met})
	}
	return v.leaf(spread{labels: s.labels, rough: s.rough, met: s.met})
}

func isInteger(dtype string) bool {
	return dtype == "pred" || strings.HasPrefix(dtype, "s") || strings.HasPrefix(dtype, "u")
}

// known returns operand k of an instruction as a number for every device, or as a constant.
func (v *variance) known(i InstrID, k int) (knownValue, bool) {
	if o := v.operand(i, k); o > 0 && v.spreads[o].known != 0 {
		return v.knowns[v.spreads[o].known], true
	}
	if len(v.g.m.OperandPath(i, k)) > 0 {
		return knownValue{}, false
	}
	return v.constant(v.g.m.Operands(i)[k])
}

// constant reads the integers of a constant, also through copies of it and into fusions.
func (v *variance) constant(i InstrID) (knownValue, bool) {
	m := v.g.m
	for range maxNesting {
		if i == NoInstr {
			return knownValue{}, false
		}
		switch m.Op(i) {
		case OpConstant:
			text, ok := m.Literal(i)
			if !ok {
				return knownValue{}, false
			}
			values, ok := parseIntegers(text)
			return knownValue{values: values}, ok
		case OpParameter:
			callers := m.Callers(m.Comp(i))
			n := m.ParameterNumber(i)
			if len(callers) != 1 || m.Op(callers[0]) == OpWhile || m.Op(callers[0]) == OpConditional || n >= len(m.Operands(callers[0])) {
				return knownValue{}, false
			}
			if len(m.OperandPath(callers[0], n)) > 0 {
				return knownValue{}, false
			}
			i = m.Operands(callers[0])[n]
		case OpCopy, OpBitcast, OpConvert, OpReshape:
			if len(m.OperandPath(i, 0)) > 0 {
				return knownValue{}, false
			}
			i = m.Operands(i)[0]
		default:
			return knownValue{}, false
		}
	}
	return knownValue{}, false
}

// parseIntegers reads a literal such as "7", "true" or "{0, 16, 32}".
func parseIntegers(text string) ([]int64, bool) {
	text = strings.TrimSpace(text)
	if len(text) > 32*maxKnownTable {
		return nil, false
	}
	inner, list := strings.CutPrefix(text, "{")
	inner = strings.TrimSuffix(inner, "}")
	var out []int64
	for part := range strings.SplitSeq(inner, ",") {
		part = strings.TrimSpace(part)
		switch part {
		case "true":
			out = append(out, 1)
			continue
		case "false":
			out = append(out, 0)
			continue
		}
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	return out, list || len(out) == 1
}

// evaluate works out an instruction for every device, where all it takes is known.
func (v *variance) evaluate(i InstrID) (knownValue, bool) {
	m := v.g.m
	ops := m.Operands(i)
	switch op := m.Op(i); op {
	case OpCopy, OpBitcast, OpReshape, OpConvert, OpBroadcast:
		shape := m.Shape(i)
		if elementsOf(&shape) != 1 || !isInteger(shape.DType) {
			return knownValue{}, false
		}
		return v.known(i, 0)
	case OpDynamicSlice:
		if len(ops) != 2 {
			return knownValue{}, false
		}
		table, ok := v.known(i, 0)
		at, ok2 := v.known(i, 1)
		shape := m.Shape(i)
		if !ok || !ok2 || table.perDevice || elementsOf(&shape) != 1 {
			return knownValue{}, false
		}
		return v.each(func(args []int64) (int64, bool) {
			return table.values[max(0, min(args[0], int64(len(table.values)-1)))], true
		}, at)
	case OpNegate, OpNot:
		a, ok := v.known(i, 0)
		if !ok {
			return knownValue{}, false
		}
		return v.each(func(x []int64) (int64, bool) {
			if op == OpNot {
				return 1 - x[0], x[0] == 0 || x[0] == 1
			}
			return -x[0], true
		}, a)
	case OpSelect, OpClamp:
		return v.evaluate3(i, op)
	}
	if len(ops) != 2 {
		return knownValue{}, false
	}
	a, ok := v.known(i, 0)
	b, ok2 := v.known(i, 1)
	if !ok || !ok2 {
		return knownValue{}, false
	}
	direction, _ := m.InstrAttr(i, "direction")
	return v.each(func(x []int64) (int64, bool) { return binary2(m.Op(i), direction, x[0], x[1]) }, a, b)
}

func (v *variance) evaluate3(i InstrID, op Op) (knownValue, bool) {
	var args []knownValue
	for k := range v.g.m.Operands(i) {
		a, ok := v.known(i, k)
		if !ok {
			return knownValue{}, false
		}
		args = append(args, a)
	}
	if len(args) != 3 {
		return knownValue{}, false
	}
	return v.each(func(x []int64) (int64, bool) {
		if op == OpClamp {
			return min(max(x[0], x[1]), x[2]), true
		}
		if x[0] != 0 {
			return x[1], true
		}
		return x[2], true
	}, args...)
}

// each applies a function to scalars, device by device.
func (v *variance) each(f func(x []int64) (int64, bool), args ...knownValue) (knownValue, bool) {
	out := make([]int64, v.g.devices)
	x := make([]int64, len(args))
	for d := range out {
		for k, a := range args {
			switch {
			case a.perDevice:
				x[k] = a.values[d]
			case len(a.values) == 1:
				x[k] = a.values[0]
			default:
				return knownValue{}, false
			}
		}
		var ok bool
		if out[d], ok = f(x); !ok {
			return knownValue{}, false
		}
	}
	return knownValue{values: out, perDevice: true}, true
}

// binary2 applies an opcode to two integers; ok is false for what it does not know.
func binary2(op Op, direction string, a, b int64) (n int64, ok bool) {
	truth := func(t bool) (int64, bool) {
		if t {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case OpAdd:
		return a + b, true
	case OpSubtract:
		return a - b, true
	case OpMultiply:
		return a * b, true
	case OpDivide, OpRemainder:
		if b == 0 || a < 0 || b < 0 {
			return 0, false
		}
		if op == OpDivide {
			return a / b, true
		}
		return a % b, true
	case OpMinimum:
		return min(a, b), true
	case OpMaximum:
		return max(a, b), true
	case OpAnd:
		return a & b, true
	case OpOr:
		return a | b, true
	case OpXor:
		return a ^ b, true
	case OpShiftLeft, OpShiftRightLogical, OpShiftRightArithmetic:
		if b < 0 || b > 31 || a < 0 {
			return 0, false
		}
		if op == OpShiftLeft {
			return a << b, true
		}
		return a >> b, true
	case OpCompare:
		switch direction {
		case "EQ":
			return truth(a == b)
		case "NE":
			return truth(a != b)
		case "LT":
			return truth(a < b)
		case "LE":
			return truth(a <= b)
		case "GT":
			return truth(a > b)
		case "GE":
			return truth(a >= b)
		}
	}
	return 0, false
}
