package hlomap

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
)

// InstrID is the ordinal of an instruction in its module, in the order of the file. Printed order and proto order are
// both post-orders: in one computation operands come before their users, and called computations before their callers.
// Hand-written text may break this; use [Module.InOrder] where a sweep relies on it.
type InstrID int32

// CompID is the ordinal of a computation in its module, in the order of the file.
type CompID int32

// NoInstr and NoComp stand for "none" and for what a damaged file does not define.
const (
	NoInstr InstrID = -1
	NoComp  CompID  = -1
)

// Module is one HLO module as a graph of instructions. The graph (opcodes, operands, computations) is read when the
// module is opened; everything else is decoded from the bytes when asked for. A Module is safe for use by several
// goroutines. It keeps the bytes that it was read from.
type Module struct {
	name  string
	path  string
	stage Stage
	src   source

	content []byte // of the whole file
	memory  *residence

	ops      []Op     // by instruction
	at       []uint32 // by instruction: offset of its name in text, of its message in a proto
	operands []uint32 // by instruction: offset of the operand list in text, length of the message in a proto
	numbers  []int32  // by instruction: of a parameter, or of the element that a get-tuple-element takes; else -1

	edgeStart []uint32  // by instruction, one more at the end: its operands are edges[edgeStart[i]:edgeStart[i+1]]
	edges     []InstrID // operands; NoInstr where the file does not define them
	elided    []int32   // by edge, nil when nothing is elided: 0 none, k+1 the element k, -n the path paths[n-1]
	paths     [][]int   // longer paths of elided get-tuple-elements

	comps    []computation
	params   []InstrID // of all computations, by number; NoInstr for gaps in the numbering
	entry    CompID
	inOrder  bool
	cutOff   bool
	foreign  bool // text without a header of which no more is understood than any text has by chance
	problems []Problem

	compNames onceValue[compTable]
	tables    onceValue[*frameTable]
	graph     onceValue[*callGraph]
	users     onceValue[*userTable]
	execs     onceValue[*executions]

	usersAsked  atomic.Int32
	deviceCount onceValue[int]
	arguments   onceValue[*argumentTable]
	collectives onceValue[*collectiveList]
	framePaths  onceValue[[]string]
	attributing sync.Mutex // held while attribution fills in the list of collectives itself
	attributed  bool
}

// computation is one computation; its instructions are first ≤ i < end.
type computation struct {
	first, end InstrID
	root       InstrID
	at         uint32 // offset of the header line in text, of the message in a proto
	size       uint32 // length of the name in text (which starts at `at`), of the message in a proto
	params     uint32 // where its parameters begin in Module.params
	numParams  uint32
	hash       uint64 // of the name
}

// source decodes on demand what the pass over the file did not keep. Text and proto each have one.
type source interface {
	moduleAttr(key string) (string, bool)
	tiled() bool
	compNameBytes(c CompID) []byte // part of the file
	compThread(c CompID) string
	instrName(i InstrID) string
	opcode(i InstrID) string
	shape(i InstrID, dims *block[int64]) Shape // with its dimensions kept in dims
	attr(i InstrID, key string) (string, bool)
	argument(i InstrID, spelled *spellings, dims *block[int64]) argument
	metadata(i InstrID) Metadata
	collective(i InstrID, spelled *spellings) collectiveAttrs
	participants(i InstrID, spelled *spellings) (groups, pairs []byte)
	namers() []InstrID // the instructions that name participants; of some that name the same, the first is enough
	called(i InstrID) []CompID
	literal(i InstrID) (string, bool)
	frameTable() *frameTable
	line(i InstrID) int
}

// spellings holds what a module says again and again, so that it is read once. It belongs to one walk over the module.
type spellings struct {
	wire map[spelling][]byte // of a proto, spelled as the text printer does, by the wire form
	long [][]byte            // of text, the latest values of attributes that take long to go through
	next int                 // which of these the next one replaces
}

// spelling is something of a proto: which field of an instruction, and its bytes.
type spelling struct {
	field protowire.Number
	bytes string
}

// once spells the bytes of a field, which must not change, unless they were spelled before.
func (s *spellings) once(num protowire.Number, raw []byte, spell func() string) []byte {
	key := spelling{num, textOf(raw)}
	text, ok := s.wire[key]
	if !ok {
		if s.wire == nil {
			s.wire = map[spelling][]byte{}
		}
		text = []byte(spell())
		s.wire[key] = text
	}
	return text
}

const (
	// longValue is how many bytes of an attribute take longer to go through than to compare with a few others.
	longValue = 1024
	// keptValues is how many values are compared: groups of devices go along the rows of a mesh, or its columns, or both.
	keptValues = 4
)

// value returns the value of the attribute that starts at p, as it stood where it was first read, and where it ends.
func (s *spellings) value(t []byte, p int) (value []byte, end int) {
	for _, v := range s.long {
		// What ends at a comma ends there whatever follows.
		if end = p + len(v); end < len(t) && t[end] == ',' && string(t[p:end]) == string(v) {
			return v, end
		}
	}
	end = endOfValue(t, p)
	value = t[p:end]
	switch {
	case len(value) < longValue || value[0] != '{' || end == len(t) || t[end] != ',':
	case len(s.long) < keptValues:
		s.long = append(s.long, value)
	default:
		s.long[s.next] = value
		s.next = (s.next + 1) % keptValues
	}
	return value, end
}

// Metadata is the metadata of an instruction as the dump has it; absent fields are zero.
type Metadata struct {
	OpType     string
	OpName     string
	SourceFile string // before XLA of 2025-12; "a.py:10,b.py:20" on combined operations
	SourceLine int    // 1-based, 0 when absent
	Column     int    // 0-based byte column of the source line, -1 when absent
	FrameID    int    // id of the innermost frame in the module's table, 0 for none
}

// empty reports whether there is nothing that names a place or an operation.
func (md *Metadata) empty() bool { return md.OpName == "" && md.SourceFile == "" && md.FrameID == 0 }

// Name returns the module's name, "" for headerless text.
func (m *Module) Name() string { return m.name }

// Path returns the name under which the module was opened.
func (m *Module) Path() string { return m.path }

// Stage returns where in the compiler's work the module was printed, told by its file name or else by its content.
func (m *Module) Stage() Stage { return m.stage }

// Problems returns what could not be understood while the module was read.
func (m *Module) Problems() []Problem { return m.problems }

// CutOff reports whether the text ends before the module does: it has a header but no entry computation, or a computation that
// is never closed. What such a module does not show may still be in it.
func (m *Module) CutOff() bool { return m.cutOff }

// Attr returns an attribute of the module's header as the text printer spells its value ("num_partitions",
// "input_output_alias", "is_scheduled", "frontend_attributes", "entry_computation_layout"), and whether it is there.
func (m *Module) Attr(key string) (string, bool) { return m.src.moduleAttr(key) }

// Tiled reports whether an argument or a result of the entry has a layout with tiles, as on TPU.
func (m *Module) Tiled() bool { return m.src.tiled() }

// NumInstructions returns the number of instructions of all computations. Get-tuple-elements that the printer elided are not counted.
func (m *Module) NumInstructions() int { return len(m.ops) }

// NumComputations returns the number of computations.
func (m *Module) NumComputations() int { return len(m.comps) }

// InOrder reports whether every operand comes before its users and every called computation before its caller, as in
// all printed modules. Sweeps over ordinals are exact only then.
func (m *Module) InOrder() bool { return m.inOrder }

// Entry returns the entry computation: the one marked so, else the last; NoComp for a module without computations.
func (m *Module) Entry() CompID { return m.entry }

// CompName returns the name of a computation without "%".
func (m *Module) CompName(c CompID) string {
	if c < 0 || int(c) >= len(m.comps) {
		return ""
	}
	return string(m.src.compNameBytes(c))
}

// CompThread returns the execution thread of a computation, "" for the main one.
func (m *Module) CompThread(c CompID) string { return m.src.compThread(c) }

// CompRange returns the instructions of a computation as first ≤ i < end.
func (m *Module) CompRange(c CompID) (first, end InstrID) {
	return m.comps[c].first, m.comps[c].end
}

// Root returns the root of a computation: the instruction marked so, else the last; NoInstr for an empty one.
func (m *Module) Root(c CompID) InstrID { return m.comps[c].root }

// Parameter returns the parameter of a computation with the given number, NoInstr when there is none.
func (m *Module) Parameter(c CompID, number int) InstrID {
	p := m.parameters(c)
	if number < 0 || number >= len(p) {
		return NoInstr
	}
	return p[number]
}

// NumParameters returns how many parameters a computation has, counting gaps in the numbering.
func (m *Module) NumParameters(c CompID) int { return int(m.comps[c].numParams) }

func (m *Module) parameters(c CompID) []InstrID {
	from, n := m.comps[c].params, m.comps[c].numParams
	return m.params[from : from+n]
}

// maxParameterGaps bounds how many parameters of a module may be missing: a part of a module can begin with any, but numbers in a
// damaged file must not take memory.
const maxParameterGaps = 1 << 16

// setParameter notes a parameter of the last computation; false means that its number is too large to be one.
func (m *Module) setParameter(c *computation, number int64, i InstrID) bool {
	if number < 0 || number > math.MaxInt32 || number-int64(c.numParams)+int64(len(m.params)) > int64(len(m.ops))+maxParameterGaps {
		return false
	}
	for int64(c.numParams) <= number {
		m.params = append(m.params, NoInstr)
		c.numParams++
	}
	m.params[int64(c.params)+number] = i
	m.numbers[i] = int32(number)
	return true
}

// CompByName returns the first computation with the given name (without "%"), or NoComp.
func (m *Module) CompByName(name string) CompID { return m.compNamed([]byte(name)) }

// Comp returns the computation an instruction stands in.
func (m *Module) Comp(i InstrID) CompID {
	if last := CompID(len(m.comps) - 1); i >= m.comps[last].first {
		return last // the entry, mostly, with more instructions than all others together
	}
	n, _ := slices.BinarySearchFunc(m.comps, i, func(c computation, i InstrID) int {
		if c.end <= i {
			return -1
		}
		return 1
	})
	return CompID(n)
}

// Op returns the opcode of an instruction.
func (m *Module) Op(i InstrID) Op { return m.ops[i] }

// Opcode returns the opcode as written, also one that this package does not know; sugar such as
// "reduce-scatter-start" is returned as it stands.
func (m *Module) Opcode(i InstrID) string { return m.src.opcode(i) }

// InstrName returns the name of an instruction without "%".
func (m *Module) InstrName(i InstrID) string { return m.src.instrName(i) }

// Line returns the 1-based line of an instruction in its file, 0 in protos.
func (m *Module) Line(i InstrID) int { return m.src.line(i) }

// Offset returns the byte offset of an instruction's name in the text of the file (of its message in a proto).
func (m *Module) Offset(i InstrID) int { return int(m.at[i]) }

// InstrByName returns the first instruction with the given name in a computation, or NoInstr; with NoComp it looks
// through the whole module. It is a linear search.
func (m *Module) InstrByName(c CompID, name string) InstrID {
	first, end := InstrID(0), InstrID(len(m.ops))
	if c != NoComp {
		first, end = m.CompRange(c)
	}
	for i := first; i < end; i++ {
		if m.src.instrName(i) == name {
			return i
		}
	}
	return NoInstr
}

// Operands returns the operands of an instruction, NoInstr where the file does not define one. The slice is the
// module's own and must not be changed. Where the printer elided a get-tuple-element, the operand is the tuple and
// [Module.OperandPath] tells the element.
func (m *Module) Operands(i InstrID) []InstrID {
	return m.edges[m.edgeStart[i]:m.edgeStart[i+1]:m.edgeStart[i+1]]
}

// OperandPath returns the tuple path of operand k of an instruction, outermost index first: empty unless the printer
// elided a get-tuple-element (`%tuple#2`, XLA ≥ 2026-06).
func (m *Module) OperandPath(i InstrID, k int) []int {
	if m.elided == nil {
		return nil
	}
	switch e := m.elided[int(m.edgeStart[i])+k]; {
	case e == 0:
		return nil
	case e > 0:
		return []int{int(e) - 1}
	default:
		return m.paths[-e-1]
	}
}

// OperandShape returns the shape of operand k, with an elided get-tuple-element applied; the zero Shape where there is no
// such operand.
func (m *Module) OperandShape(i InstrID, k int) Shape { return m.operandShape(i, k, nil) }

func (m *Module) operandShape(i InstrID, k int, dims *block[int64]) Shape {
	args := m.Operands(i)
	if k < 0 || k >= len(args) || args[k] == NoInstr {
		return Shape{}
	}
	o := args[k]
	s := m.src.shape(o, dims)
	return s.At(m.OperandPath(i, k)...)
}

// Users returns the instructions that have i as an operand, in order, each once. The table is built at the first call.
func (m *Module) Users(i InstrID) []InstrID {
	if m.usersAsked.Add(1) <= fewUsers {
		return m.findUsers(i)
	}
	t := m.users.get(func() *userTable { return newUserTable(m) })
	return t.list[t.start[i]:t.end[i]:t.end[i]]
}

// Shape decodes the shape of an instruction's result.
func (m *Module) Shape(i InstrID) Shape { return m.src.shape(i, nil) }

// InstrAttr returns an attribute of an instruction as the text printer spells its value, and whether it is there:
// "dimensions", "sharding", "channel_id", "custom_call_target" (quoted), "lhs_contracting_dims", "direction",
// "frontend_attributes", "backend_config". For protos the value is rendered in the printer's spelling.
func (m *Module) InstrAttr(i InstrID, key string) (string, bool) { return m.src.attr(i, key) }

// Metadata decodes the metadata of an instruction.
func (m *Module) Metadata(i InstrID) Metadata { return m.src.metadata(i) }

// OpName returns the op_name of an instruction: the name stack and the primitive, or for an entry parameter its tree path.
func (m *Module) OpName(i InstrID) string { return m.src.metadata(i).OpName }

// Called returns the computations an instruction calls. The order is fixed by the opcode: body then condition for
// while; the branches in index order (true before false) for conditional; one for all others but custom-call.
func (m *Module) Called(i InstrID) []CompID { return m.src.called(i) }

// Callers returns the instructions that run a computation: while, conditional, call, fusion, async-start, custom-call and
// scan, in order. Reducers, comparators and the like have no callers here.
func (m *Module) Callers(c CompID) []InstrID { return m.calls().callers[c] }

// ParameterNumber returns the number of a parameter, -1 for other instructions.
func (m *Module) ParameterNumber(i InstrID) int {
	if m.ops[i] != OpParameter {
		return -1
	}
	return int(m.numbers[i])
}

// TupleIndex returns the element that a get-tuple-element takes, -1 for other instructions.
func (m *Module) TupleIndex(i InstrID) int {
	if m.ops[i] != OpGetTupleElement {
		return -1
	}
	return int(m.numbers[i])
}

// Literal returns the value of a constant as the text printer spells it, and whether it is known: printers elide long
// ones, and of protos only scalars are read.
func (m *Module) Literal(i InstrID) (string, bool) {
	if m.ops[i] != OpConstant {
		return "", false
	}
	return m.src.literal(i)
}

// AsyncOp returns the opcode that an async-start (or its sugared spelling) runs, OpOther when it is unknown or the
// instruction is none.
func (m *Module) AsyncOp(i InstrID) Op {
	if m.ops[i] != OpAsyncStart {
		return OpOther
	}
	if _, inner := splitAsync(m.src.opcode(i)); inner != "async" {
		return opNamed(inner)
	}
	for _, c := range m.Called(i) {
		if r := m.Root(c); r != NoInstr {
			return m.ops[r]
		}
	}
	return OpOther
}

// fewUsers is how many times users are looked for one by one before a table of all is worth its memory.
const fewUsers = 8

// findUsers looks through the computation of an instruction.
func (m *Module) findUsers(i InstrID) []InstrID {
	var out []InstrID
	c := m.comps[m.Comp(i)]
	for at, end := m.edgeStart[c.first], m.edgeStart[c.end]; ; {
		k := slices.Index(m.edges[at:end], i)
		if k < 0 {
			return out
		}
		after, _ := slices.BinarySearch(m.edgeStart[c.first:c.end], at+uint32(k)+1) // the first instruction whose operands come later
		next := c.first + InstrID(after)
		out = append(out, next-1)
		at = m.edgeStart[next]
	}
}

// userTable holds for every instruction the ones that use it: list[start[i]:end[i]]. One that has an operand twice is listed
// once, which leaves a gap behind end.
type userTable struct {
	start, end []uint32
	list       []InstrID
}

func newUserTable(m *Module) *userTable {
	n := len(m.ops)
	t := &userTable{start: make([]uint32, n), end: make([]uint32, n), list: make([]InstrID, len(m.edges))}
	for _, d := range m.edges {
		if d != NoInstr {
			t.end[d]++
		}
	}
	at := uint32(0)
	for d, uses := range t.end {
		t.start[d], t.end[d] = at, at
		at += uses
	}
	for i := range InstrID(n) {
		for _, d := range m.Operands(i) {
			if d == NoInstr {
				continue
			}
			if e := t.end[d]; e == t.start[d] || t.list[e-1] != i {
				t.list[e] = i
				t.end[d] = e + 1
			}
		}
	}
	return t
}

// onceValue computes a value at the first call of get, once also when several goroutines ask at the same time.
type onceValue[T any] struct {
	once  sync.Once
	value T
}

func (o *onceValue[T]) get(make func() T) T {
	o.once.Do(func() { o.value = make() })
	return o.value
}
