package rules

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
)

// userMade reports whether the program wrote the collective itself: the primitive is a collective, not an operation that
// the partitioner could not do locally.
func (x *exchange) userMade() bool { return x.Origin == "user" || writtenByUser(x.primitive) }

// writtenByUser reports whether a primitive is one of JAX's collectives. Names of JAX 0.4 to 0.10.
func writtenByUser(primitive string) bool {
	switch primitive {
	case "psum", "psum2", "psum_invariant", "pmax", "pmin", "ppermute", "pshuffle", "all_gather", "all_gather_invariant", "all_gather_reduced",
		"reduce_scatter", "psum_scatter", "all_to_all", "ragged_all_to_all", "unreduced_psum", "unreduced_reduce_scatter", "pbroadcast":
		return true
	}
	return false
}

// moves reports whether the collective only moves elements.
func (x *exchange) moves() bool {
	switch x.Opcode {
	case "all-gather", "all-to-all", "collective-permute", "ragged-all-to-all", "collective-broadcast":
		return true
	}
	return false
}

func (x *exchange) gathers() bool { return x.Opcode == "all-gather" }

func (x *exchange) reduces() bool { return x.Opcode == "all-reduce" || x.Opcode == "reduce-scatter" }

// dimension returns the array dimension that a gather or scatter works on, -1 when the dump does not say.
func (x *exchange) dimension() int {
	if d := x.graph.Dimensions(x.instr, "dimensions"); len(d) == 1 {
		return d[0]
	}
	return -1
}

// operand returns the instruction that computes the exchange's first operand, looking through moves.
func (x *exchange) operand() hlomap.InstrID {
	return x.graph.Source(x.graph.Operand(x.instr, 0), x.apart)
}

// uses returns what uses the exchange's result, looking through moves.
func (x *exchange) uses() []evidence.Use {
	v := evidence.Value{Instr: x.instr}
	if x.inPieces() {
		v.Path = []int{0} // all pieces are put together by the same operation
	}
	return x.graph.UsesOf(v, x.together)
}

// inPieces reports whether the exchange has one operand per device, as CPU's backend writes all-to-all: the array is sliced in
// front of it and put together behind it.
func (x *exchange) inPieces() bool {
	return x.Opcode == "all-to-all" && len(x.Operands) > 1 && len(x.Operands) == groupSize(x.Collective)
}

// apart lets a walk continue in front of the slices of an exchange in pieces, together behind their concatenation.
func (x *exchange) apart(op hlomap.Op) bool    { return op == hlomap.OpSlice && x.inPieces() }
func (x *exchange) together(op hlomap.Op) bool { return op == hlomap.OpConcatenate && x.inPieces() }

// throughGathers lets a walk continue behind an all-gather: the partitioner gathers dimension by dimension.
func throughGathers(op hlomap.Op) bool { return op.Base() == hlomap.OpAllGather }

// elementwise lets a walk continue behind operations that keep every element where it is. Only operand 0 is followed
// backward.
func elementwise(op hlomap.Op) bool {
	switch op {
	case hlomap.OpConvert, hlomap.OpAdd, hlomap.OpSubtract, hlomap.OpMultiply, hlomap.OpDivide, hlomap.OpMaximum, hlomap.OpMinimum, hlomap.OpNegate,
		hlomap.OpTanh, hlomap.OpExponential, hlomap.OpLogistic, hlomap.OpRsqrt, hlomap.OpSqrt, hlomap.OpAbs, hlomap.OpSine, hlomap.OpCosine,
		hlomap.OpPower, hlomap.OpErf, hlomap.OpLog, hlomap.OpSelect, hlomap.OpLogPlusOne, hlomap.OpExponentialMinusOne, hlomap.OpSign, hlomap.OpFloor,
		hlomap.OpCeil, hlomap.OpRoundNearestEven, hlomap.OpCbrt, hlomap.OpTan, hlomap.OpAtan2, hlomap.OpReducePrecision, hlomap.OpClamp:
		return true
	}
	return false
}

// entryParameter returns the tree path of a parameter of the entry computation, "" for everything else.
func entryParameter(g evidence.Graph, i hlomap.InstrID) string {
	if i == hlomap.NoInstr || g.Op(i) != hlomap.OpParameter || g.M.Comp(i) != g.M.Entry() {
		return ""
	}
	return strings.ReplaceAll(g.M.OpName(i), `\'`, "'")
}

// sameGroups reports whether two collectives exchange between the same groups of devices.
func sameGroups(a, b *hlomap.Collective) bool {
	return a.ReplicaGroups != nil && slices.EqualFunc(a.ReplicaGroups, b.ReplicaGroups, func(g, h []int) bool { return slices.Equal(g, h) })
}

// isZero reports whether an instruction is a constant zero or a broadcast of one.
func isZero(g evidence.Graph, i hlomap.InstrID) bool {
	for range 8 {
		if i == hlomap.NoInstr {
			return false
		}
		switch g.Op(i) {
		case hlomap.OpBroadcast, hlomap.OpCopy, hlomap.OpConvert, hlomap.OpReshape, hlomap.OpBitcast:
			i = g.Operand(i, 0)
		case hlomap.OpConstant:
			text, ok := g.M.Literal(i)
			return ok && (text == "0" || text == "-0" || text == "false")
		default:
			return false
		}
	}
	return false
}

// isConstant reports whether an instruction is a constant, looking through moves.
func isConstant(g evidence.Graph, i hlomap.InstrID) bool {
	i = g.Source(i, func(op hlomap.Op) bool { return op == hlomap.OpBroadcast || op == hlomap.OpConvert })
	return i != hlomap.NoInstr && g.Op(i) == hlomap.OpConstant
}
