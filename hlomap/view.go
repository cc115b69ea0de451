// Package hlomap reads what XLA wrote: HLO text of every vintage, HLO protos, and profiles. It answers which collective
// moves which bytes over which devices, how often, for which parameter, and from which line of Python.
//
// The package takes bytes and returns plain values; it touches no file. Content never makes a reader fail: it returns what
// it understood and a list of [Problem]s.
package hlomap

import (
	"slices"
	"strings"
)

// Stage says where in the compiler's work a module was printed.
type Stage string

// The stages, as printed.
const (
	BeforeOptimizations Stage = "before-optimizations"
	AfterPartitioning   Stage = "after-partitioning"
	AfterOptimizations  Stage = "after-optimizations"
	UnknownStage        Stage = "unknown"
)

// Problem is something in a dump that could not be understood. Line is 1-based, 0 where there is none.
type Problem struct {
	Path    string
	Line    int
	Message string
}

// MeshAxis is one named axis and its size in devices.
type MeshAxis struct {
	Name string
	Size int
}

// Mesh is an ordered list of axes in row-major order. DeviceIDs maps mesh position to partition id; nil is the identity.
type Mesh struct {
	Axes      []MeshAxis
	DeviceIDs []int
	Source    string // "hlo", "python", "config" or "inferred"
}

// Frame is one Python frame. Line is 1-based; Column is the 0-based byte column that XLA carries, -1 when unknown.
type Frame struct {
	Path     string
	Line     int
	Column   int
	Function string
}

// Precision says how a source line was found.
type Precision string

// From best to none. "combined": one of several lines of a combined collective; "caller": only an outer frame is in the
// workspace; "producer": the line of the operand's producer.
const (
	PrecisionExact    Precision = "exact"
	PrecisionCombined Precision = "combined"
	PrecisionCaller   Precision = "caller"
	PrecisionProducer Precision = "producer"
	PrecisionNone     Precision = "none"
)

// Role says what an operand of a collective is to the program.
type Role string

// The roles, as printed.
const (
	RoleGradient       Role = "gradient"
	RoleParameter      Role = "parameter"
	RoleActivation     Role = "activation"
	RoleLoss           Role = "loss"
	RoleOptimizerState Role = "optimizer-state"
	RoleOther          Role = "other"
	RoleUnknown        Role = "unknown"
)

// Array is one array leaf. Bytes is -1 when the element type or a dimension is unknown.
type Array struct {
	DType string
	Shape []int64
	Bytes int64
}

// Operand is one array operand of a collective and what is known of where it comes from.
type Operand struct {
	Array
	Role       Role
	Parameters []string // tree paths: gradients of (reductions) or values of (gathers); nil when unknown
	// Cause is the operation that made the values: of gradients the one that contracts over the batch. It is nil where the
	// collective's own line says as much.
	Cause *Cause
	// FirstUser is the first operation that uses the result and does not merely move it, nil where the result is only returned.
	FirstUser      *Cause
	ParamPrecision string // "exact", "candidates" or "none"
}

// Cause is an instruction with its op_name and Python frames, innermost first.
type Cause struct {
	Instruction string
	Opcode      string
	OpName      string
	Frames      []Frame
}

// Wrapper is a computation that a collective stands in.
type Wrapper struct {
	Kind        string // "fusion" or "call"
	Computation string // the called computation
	Instruction string // the fusion or call itself
	In          string // the computation that it stands in
}

// Collective is one exchange between devices, as design/contracts describe it. An asynchronous start/done pair is one
// Collective named after its start.
type Collective struct {
	ID      InstrID // the instruction: of an asynchronous pair the start
	Async   bool
	Logical bool // false for a part of an exchange that is already listed

	// Tens of thousands of these are in memory: what takes a byte each stands together.
	GroupsTooLarge   bool // the groups were not expanded: more devices than the reader's cap
	AxesExact        bool
	Conditional      bool // stands in a branch: Executions is what happens if the branch is always taken
	WidenedByBackend bool // the backend widened the element type (CPU's all-reduce promotion)

	Name        string
	Opcode      string // base opcode: "all-reduce", never "all-reduce-start"
	Computation string
	WrappedIn   []Wrapper // innermost first

	ChannelID         *int64
	ReplicaGroups     [][]int  // nil for permutes
	SourceTargetPairs [][2]int // nil for all but permutes

	Axes  []string // nil when no set of axes of a known mesh gives these groups
	Shift *Shift   // of a permute that moves data along one axis

	Executions       *int64 // per run of the module; nil when unknown
	ExecutionsReason string // "entry", "known trip count", "solved condition"; "" when unknown

	Origin       string // "partitioner", "user" or "unknown"
	OriginReason string

	OpName string
	Frames []Frame // the whole stack as the dump has it, innermost first
	// CallerFrames go on where Frames end: before XLA's inliner has run, what stands in a called computation (the body of a
	// shard_map) has the frames of its function alone, and the rest is on the call (JAX ≥ 0.9.1). Nil where Frames are
	// complete, and where several calls disagree.
	CallerFrames []Frame

	Operands []Operand
	Results  []Array

	BytesPerExecution     *int64 // S of one device: the operands, for all-gather the results
	WireBytesPerExecution *int64 // what one device sends
	BytesPerStep          *int64

	ReducerDType string // "" where there is no reducer or it is unknown

	Line int // 1-based line of the instruction in a text dump, 0 in protos
}

// Stack returns all frames of a collective, innermost first: its own and those of the calls around it.
func (c *Collective) Stack() []Frame {
	if len(c.CallerFrames) == 0 {
		return c.Frames
	}
	return slices.Concat(c.Frames, c.CallerFrames)
}

// ParameterStatus is the verdict on one parameter's gradient.
type ParameterStatus string

// The statuses, as printed.
const (
	StatusReduced    ParameterStatus = "reduced"
	StatusDerived    ParameterStatus = "derived"
	StatusNotNeeded  ParameterStatus = "not-needed"
	StatusNotTrained ParameterStatus = "not-trained"
	StatusMissing    ParameterStatus = "missing"
	StatusSharded    ParameterStatus = "sharded"
	StatusUnknown    ParameterStatus = "unknown"
)

// Reduction is one reduction that a parameter's gradient met on its way to the update.
type Reduction struct {
	Collective   string
	Operand      int
	Opcode       string
	OperandDType string
	ResultDType  string
	ReducerDType string
	Axes         []string
	GroupSize    int // devices in a group; 0 when unknown
	Bytes        int64
	Elements     int64 // of the parameter's part of the operand, on one device; -1 when unknown
	Executions   *int64
	InLoop       bool
	EqualValues  bool // the reduced values already agree: a sum makes them GroupSize times too large
	// First is the reduction of the same gradient that made the values agree, and Scaling says whether they are added up or averaged now.
	// First is "" where values do not agree, or for another reason.
	First       string
	Scaling     Scaling
	Cause       *Cause
	Frames      []Frame // of the collective itself
	conditional bool    // it stands in a branch
}

// LowPrecision reports whether operand, result and reducer are all of at most 16 bits.
func (r *Reduction) LowPrecision() bool {
	return low(r.OperandDType) && low(r.ResultDType) && low(r.ReducerDType)
}

func low(dtype string) bool {
	return dtype == "bf16" || dtype == "f16" || strings.HasPrefix(dtype, "f8e") || strings.HasPrefix(dtype, "f6e") || strings.HasPrefix(dtype, "f4e")
}

// ParameterGradient is what happens to one parameter's gradient.
type ParameterGradient struct {
	Parameter    string // tree path, e.g. params['layers']['w']
	DType        string
	Shape        []int64 // of the whole array, as JAX has it; nil when the dump does not tell how it is sharded
	DeviceShape  []int64 // of the part that one device holds
	Sharding     string  // as a PartitionSpec, "" when unknown
	Status       ParameterStatus
	Reason       string
	LowPrecision bool
	Duplicate    bool
	Reductions   []Reduction
	// Output is the path, within the module's result, of its new value or of its gradient; nil when neither was recognized, or where
	// the result is no tuple.
	Output []int
	// Renewed says that elements of the parameter go into that output, as into a new value; none go into a gradient that is returned.
	Renewed bool
	// Differs says that devices which share the parameter compute different new values of it, and are not known to return them as parts
	// of a larger array: the status is missing, or unknown where the dump does not tell.
	Differs bool
	// Intermittent says that devices agree on the new value in some steps only: a condition decides whether it is reduced.
	Intermittent bool
}

// Gradients is the coverage of one module. Parameters is empty, with a Reason, for a module that trains nothing.
type Gradients struct {
	Parameters []ParameterGradient
	Reason     string
}
