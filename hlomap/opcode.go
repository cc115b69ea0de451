package hlomap

import "strings"

// Op is an HLO opcode. The names are XLA's own (xla/hlo/ir/hlo_opcode.h); what a reader does not know is OpOther, and
// [Module.Opcode] still returns it as written.
type Op uint8

// The opcodes of XLA as of 2026-08. OpAsyncStart, OpAsyncUpdate and OpAsyncDone also stand for the sugared spellings
// (`reduce-scatter-start`); [Module.AsyncOp] tells what runs inside.
const (
	OpOther Op = iota
	OpAbs
	OpAcos
	OpAcosh
	OpAdd
	OpAddDependency
	OpAfterAll
	OpAllGather
	OpAllGatherDone
	OpAllGatherStart
	OpAllReduce
	OpAllReduceDone
	OpAllReduceStart
	OpAllToAll
	OpAnd
	OpAsin
	OpAsinh
	OpAsyncDone
	OpAsyncStart
	OpAsyncUpdate
	OpAtan2
	OpAtanh
	OpBatchNormGrad
	OpBatchNormInference
	OpBatchNormTraining
	OpBitcast
	OpBitcastConvert
	OpBroadcast
	OpCall
	OpCbrt
	OpCeil
	OpCholesky
	OpClamp
	OpClz
	OpCollectiveBroadcast
	OpCollectivePermute
	OpCollectivePermuteDone
	OpCollectivePermuteStart
	OpCompare
	OpComplex
	OpConcatenate
	OpConditional
	OpConstant
	OpConvert
	OpConvolution
	OpCopy
	OpCopyDone
	OpCopyStart
	OpCosh
	OpCosine
	OpCustomCall
	OpDivide
	OpDomain
	OpDot
	OpDynamicReshape
	OpDynamicSlice
	OpDynamicUpdateSlice
	OpErf
	OpExponential
	OpExponentialMinusOne
	OpFft
	OpFloor
	OpFusion
	OpGather
	OpGetDimensionSize
	OpGetTupleElement
	OpImag
	OpInfeed
	OpIota
	OpIsFinite
	OpLog
	OpLogPlusOne
	OpLogistic
	OpMap
	OpMaximum
	OpMinimum
	OpMultiply
	OpNegate
	OpNot
	OpOptBarrier
	OpOr
	OpOutfeed
	OpPad
	OpParameter
	OpPartitionID
	OpPopcnt
	OpPower
	OpRaggedAllToAll
	OpRaggedDot
	OpReal
	OpRecv
	OpRecvDone
	OpReduce
	OpReducePrecision
	OpReduceScatter
	OpReduceWindow
	OpRemainder
	OpReplicaID
	OpReshape
	OpReverse
	OpRng
	OpRngBitGenerator
	OpRngGetAndUpdateState
	OpRoundNearestAfz
	OpRoundNearestEven
	OpRsqrt
	OpScaledDot
	OpScan
	OpScatter
	OpSelect
	OpSelectAndScatter
	OpSend
	OpSendDone
	OpSetDimensionSize
	OpShiftLeft
	OpShiftRightArithmetic
	OpShiftRightLogical
	OpSign
	OpSine
	OpSinh
	OpSlice
	OpSort
	OpSqrt
	OpStochasticConvert
	OpSubtract
	OpTan
	OpTanh
	OpTopK
	OpTranspose
	OpTriangularSolve
	OpTuple
	OpWhile
	OpXor
	numOps
)

// opNames lists the opcodes in the order of the constants.
var opNames = [numOps]string{
	"", "abs", "acos", "acosh", "add", "add-dependency", "after-all",
	"all-gather", "all-gather-done", "all-gather-start", "all-reduce", "all-reduce-done", "all-reduce-start", "all-to-all",
	"and", "asin", "asinh", "async-done", "async-start", "async-update", "atan2", "atanh",
	"batch-norm-grad", "batch-norm-inference", "batch-norm-training", "bitcast", "bitcast-convert", "broadcast",
	"call", "cbrt", "ceil", "cholesky", "clamp", "count-leading-zeros",
	"collective-broadcast", "collective-permute", "collective-permute-done", "collective-permute-start",
	"compare", "complex", "concatenate", "conditional", "constant", "convert", "convolution", "copy", "copy-done", "copy-start",
	"cosh", "cosine", "custom-call", "divide", "domain", "dot", "dynamic-reshape", "dynamic-slice", "dynamic-update-slice",
	"erf", "exponential", "exponential-minus-one", "fft", "floor", "fusion", "gather", "get-dimension-size", "get-tuple-element",
	"imag", "infeed", "iota", "is-finite", "log", "log-plus-one", "logistic", "map", "maximum", "minimum", "multiply",
	"negate", "not", "opt-barrier", "or", "outfeed", "pad", "parameter", "partition-id", "popcnt", "power",
	"ragged-all-to-all", "ragged-dot", "real", "recv", "recv-done", "reduce", "reduce-precision", "reduce-scatter", "reduce-window",
	"remainder", "replica-id", "reshape", "reverse", "rng", "rng-bit-generator", "rng-get-and-update-state",
	"round-nearest-afz", "round-nearest-even", "rsqrt", "scaled-dot", "scan", "scatter", "select", "select-and-scatter",
	"send", "send-done", "set-dimension-size", "shift-left", "shift-right-arithmetic", "shift-right-logical",
	"sign", "sine", "sinh", "slice", "sort", "sqrt", "stochastic-convert", "subtract", "tan", "tanh", "topk", "transpose",
	"triangular-solve", "tuple", "while", "xor",
}

// String returns XLA's name of the opcode, "" for OpOther.
func (o Op) String() string {
	if o < numOps {
		return opNames[o]
	}
	return ""
}

// Base returns the opcode of the exchange itself: OpAllReduce for OpAllReduceStart and OpAllReduceDone; all others are
// returned unchanged.
func (o Op) Base() Op {
	switch o {
	case OpAllReduceStart, OpAllReduceDone:
		return OpAllReduce
	case OpAllGatherStart, OpAllGatherDone:
		return OpAllGather
	case OpCollectivePermuteStart, OpCollectivePermuteDone:
		return OpCollectivePermute
	}
	return o
}

// IsCollective reports whether an instruction with this opcode starts an exchange between devices: the plain
// collectives and the native starts, neither dones nor async-start.
func (o Op) IsCollective() bool { return o < numOps && isCollective[o] }

var isCollective = [numOps]bool{
	OpAllReduce: true, OpAllReduceStart: true, OpAllGather: true, OpAllGatherStart: true, OpCollectivePermute: true,
	OpCollectivePermuteStart: true, OpReduceScatter: true, OpAllToAll: true, OpCollectiveBroadcast: true, OpRaggedAllToAll: true,
}

// namesParticipants reports whether an instruction may name the devices of an exchange that it starts.
func (o Op) namesParticipants() bool { return o.IsCollective() || o == OpAsyncStart }

// IsCollectiveDone reports whether the opcode completes a native asynchronous collective.
func (o Op) IsCollectiveDone() bool {
	return o == OpAllReduceDone || o == OpAllGatherDone || o == OpCollectivePermuteDone
}

// opSlots is a power of two: the opcode table is so sparse that most look-ups end at the first probe.
const opSlots = 4096

// opTable maps the hash of an opcode's name to the opcode, by open addressing. It is never written after start.
var opTable = buildOpTable()

func buildOpTable() *[opSlots]Op {
	t := new([opSlots]Op)
	for o := Op(1); o < numOps; o++ {
		at := hash64([]byte(opNames[o]), 0, len(opNames[o])) % opSlots
		for t[at] != OpOther {
			at = (at + 1) % opSlots
		}
		t[at] = o
	}
	return t
}

// opAt returns the opcode that is spelled by the n bytes of b at off.
func opAt(b []byte, off, n int) Op {
	for at := hash64(b, off, n) % opSlots; ; at = (at + 1) % opSlots {
		o := opTable[at]
		if o == OpOther || opNames[o] == string(b[off:off+n]) {
			return o
		}
	}
}

// opNamed returns the opcode with the given name, OpOther when there is none.
func opNamed(name string) Op {
	return opAt([]byte(name), 0, len(name))
}

// splitAsync recognises the sugared spelling of an asynchronous operation: "reduce-scatter-start" is (OpAsyncStart,
// "reduce-scatter"). It answers OpOther for everything else.
func splitAsync(opcode string) (Op, string) {
	for _, s := range [...]struct {
		suffix string
		op     Op
	}{{"-start", OpAsyncStart}, {"-update", OpAsyncUpdate}, {"-done", OpAsyncDone}} {
		if inner, ok := strings.CutSuffix(opcode, s.suffix); ok && inner != "" {
			return s.op, inner
		}
	}
	return OpOther, ""
}
