package hlomap

// way says how an opcode hands elements on, as far as following them goes.
type way uint8

const (
	wayOther way = iota // each opcode in its own way, or by mixing elements
	wayFirst            // element by element, from the first operand; others shape it (an exponent, a divisor)
	wayMoved            // from the first operand, to other places
	wayAll              // element by element, from all operands
	wayNone             // made here, or true and false
)

// wayOf returns the way of an opcode.
func wayOf(op Op) way {
	switch op {
	case OpConvert, OpCopy, OpReducePrecision, OpNegate, OpAbs, OpSqrt, OpRsqrt, OpCbrt, OpExponential, OpExponentialMinusOne,
		OpLog, OpLogPlusOne, OpLogistic, OpTanh, OpSign, OpFloor, OpCeil, OpRoundNearestAfz, OpRoundNearestEven, OpErf, OpSine,
		OpCosine, OpTan, OpSinh, OpCosh, OpReal, OpImag, OpPower, OpRemainder, OpDomain, OpAddDependency, OpStochasticConvert:
		return wayFirst
	case OpTranspose, OpReverse, OpBitcastConvert, OpDynamicReshape, OpSetDimensionSize, OpDynamicSlice:
		return wayMoved
	case OpAdd, OpSubtract, OpMaximum, OpMinimum, OpComplex, OpAnd, OpOr, OpXor, OpNot, OpAtan2, OpMap:
		return wayAll
	case OpConstant, OpIota, OpRng, OpRngBitGenerator, OpCompare, OpIsFinite, OpPartitionID, OpReplicaID:
		return wayNone
	}
	return wayOther
}
