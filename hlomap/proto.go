package hlomap

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// The pass over an HLO proto: HloProto, what `.hlo.pb` files hold, or a bare HloModuleProto. It reads the wire form and
// keeps the same graph as the text reader; field numbers are those of xla/service/hlo.proto and xla/xla_data.proto.

// The fields of HloModuleProto.
const (
	moduleName             = 1
	moduleEntryName        = 2
	moduleComputations     = 3
	moduleProgramShape     = 4
	moduleEntryID          = 6
	moduleSchedule         = 7
	moduleAlias            = 8
	moduleOutputSharding   = 12
	moduleDeviceAssignment = 15
	moduleStackFrames      = 17
	moduleFrontend         = 19
	modulePayloads         = 22
)

// The fields of HloComputationProto.
const (
	compName         = 1
	compInstructions = 2
	compID           = 5
	compRootID       = 6
	compThreadName   = 8
)

// The fields of HloInstructionProto that the pass itself reads.
const (
	instrName            = 1
	instrOpcode          = 2
	instrShape           = 3
	instrMetadata        = 7
	instrParameterNumber = 9
	instrTupleIndex      = 13
	instrID              = 35
	instrOperandIDs      = 36
	instrCalledIDs       = 38
)

// passFields are the ones that the pass looks at in every instruction.
const passFields = 1<<instrName | 1<<instrOpcode | 1<<instrParameterNumber | 1<<instrTupleIndex | 1<<instrID | 1<<instrOperandIDs | 1<<instrCalledIDs

// The fields of HloInstructionProto that are spelled once for all instructions that have them alike, see [spellings], or looked for
// alone.
const (
	instrSharding   = 40
	instrGroups     = 49
	instrPairs      = 52
	instrDeviceList = 87
	instrIotaList   = 92
	instrMeshList   = 93
)

// isProto reports whether data is a proto and no text: HLO text has no control characters but white space.
func isProto(data []byte) bool {
	if len(data) < 2 || data[0]&7 != byte(protowire.BytesType) {
		return false
	}
	for _, c := range data[:min(len(data), 4096)] {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return true
		}
	}
	return false
}

// maxProtoNesting bounds how deep a module is looked for in other messages: HloProto, and snapshots around it.
const maxProtoNesting = 3

// findModule returns the HloModuleProto in a message and its offset, nil where there is none. In a module field 3 holds
// computations and field 1 is a name; in the messages around it (HloProto, HloSnapshot, HloUnoptimizedSnapshot) field 1 is the next
// one inside, and field 3 something else.
func findModule(b []byte, at, depth int) ([]byte, int) {
	var first *field
	named, computations, others := false, 0, false
	f := fieldsOf(b)
	for f.find(1<<moduleName | 1<<moduleComputations | 1<<moduleEntryName | 1<<moduleEntryID) {
		switch {
		case f.num == 1 && f.kind == protowire.BytesType && first == nil:
			first = &field{data: f.data, at: f.at}
			named = isName(f.data)
		case f.num == moduleComputations && f.kind == protowire.BytesType:
			computations++
		case f.num == moduleEntryName && f.kind == protowire.BytesType, f.num == moduleEntryID && f.kind == protowire.VarintType:
			others = true
		}
		if named && computations > 0 && (others || computations > 1) {
			break // whatever else there is
		}
	}
	switch {
	case f.damaged && f.num == moduleComputations:
		computations++
	case f.damaged && f.num == 1 && first == nil:
		first = &f.field
	}
	if computations > 0 && (named || first == nil) && (others || computations > 1) {
		return b, at
	}
	if first == nil || depth >= maxProtoNesting {
		return nil, 0
	}
	return findModule(first.data, at+first.at, depth+1)
}

// isName reports whether bytes are printable, as the name of a module is.
func isName(b []byte) bool {
	for _, c := range b {
		if c < ' ' {
			return false
		}
	}
	return true
}

// readProto reads the module in a proto. It answers nil where there is none.
func readProto(path string, data []byte, memory *residence) *Module {
	msg, at := findModule(data, 0, 0)
	if msg == nil {
		return nil
	}
	m := &Module{path: path, entry: NoComp, inOrder: true, memory: memory}
	r := &protoReader{m: m, src: &protoSource{m: m, data: data, module: msg}, base: at,
		named: map[naming]bool{}}
	m.src, m.content = r.src, data
	r.read(msg)
	return m
}

// protoReader holds the state of the pass over one module.
type protoReader struct {
	m    *Module
	src  *protoSource
	base int // offset of the message in the data

	ids   []uint32           // of the instructions of the current computation, their low halves
	dense []InstrID          // by id minus the smallest one
	other map[uint32]InstrID // where the ids are too far apart for dense
	least uint32

	named map[naming]bool  // what instructions so far said of participants
	runs  map[int64][]byte // by the id of a computation, see schedules

	calls     []protoCall // in the order of the proto
	callsFrom []uint32    // by computation: where its own begin
	callees   []int64     // room for those of one instruction
}

// naming is what an instruction says of participants: its opcode, and the bytes from the first to the last of the fields for that.
type naming struct {
	op     Op
	fields spelling
}

func (r *protoReader) problem(message string) {
	r.m.problems = append(r.m.problems, Problem{Path: r.m.path, Message: message})
}

func (r *protoReader) read(msg []byte) {
	m := r.m
	entryID, entryName, hasEntry := int64(0), "", false
	r.src.header = map[protowire.Number][]byte{}
	r.reserve(len(msg))
	r.runs = schedules(msg)
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case moduleName:
			m.name = string(f.data)
		case moduleEntryName:
			entryName = string(f.data)
		case moduleEntryID:
			entryID, hasEntry = int64(f.n), true
		case moduleComputations:
			r.computation(f.data, r.base+f.at)
		case modulePayloads:
			r.src.payloads = append(r.src.payloads, f.data)
		default:
			if _, seen := r.src.header[f.num]; !seen && f.kind == protowire.BytesType {
				r.src.header[f.num] = f.data
			}
		}
	}
	if f.damaged {
		if f.num == moduleComputations {
			r.computation(f.data, r.base+f.at)
		}
		r.problem("the proto is damaged: only its beginning could be read")
		m.cutOff = true
	}
	m.edgeStart = append(m.edgeStart, uint32(len(m.edges)))
	r.sortComputations()
	c, ok := r.src.compByID[entryID]
	switch {
	case hasEntry && ok:
		m.entry = c
	case entryName != "" && m.CompByName(entryName) != NoComp:
		m.entry = m.CompByName(entryName)
	case len(m.comps) > 0:
		m.entry = CompID(len(m.comps) - 1)
	}
}

// reserve sizes the arrays by what an instruction with metadata takes on average.
func (r *protoReader) reserve(size int) {
	m, n := r.m, size/120+16
	m.ops = make([]Op, 0, n)
	m.at = make([]uint32, 0, n)
	m.operands = make([]uint32, 0, n)
	m.numbers = make([]int32, 0, n)
	m.edgeStart = make([]uint32, 0, n+1)
	m.edges = make([]InstrID, 0, n*2)
	r.ids = make([]uint32, 0, n)
	comps := n/instructionsPerComputation + 8
	m.comps = make([]computation, 0, comps)
	m.params = make([]InstrID, 0, 2*comps)
	r.src.compByID = make(map[int64]CompID, comps)
}

// computation reads one computation. Operands are kept as ids until all instructions are known.
func (r *protoReader) computation(msg []byte, at int) {
	m := r.m
	id := CompID(len(m.comps))
	first := InstrID(len(m.ops))
	m.comps = append(m.comps, computation{first: first, end: first, root: NoInstr, at: uint32(at), size: uint32(len(msg)),
		params: uint32(len(m.params)), hash: hash64(nil, 0, 0)})
	c := &m.comps[id]
	r.ids = r.ids[:0]
	r.callsFrom = append(r.callsFrom, uint32(len(r.calls)))
	named := false
	compNumber, rootID := int64(0), uint32(0) // numbers that are absent are 0
	firstEdge := len(m.edges)
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case compInstructions:
			if f.kind == protowire.BytesType {
				r.instruction(f.data, at+f.at, c)
			}
		case compName:
			c.hash = hash64(f.data, 0, len(f.data))
			if named {
				r.src.rename(c.at, f.data)
			}
			named = true
		case compID:
			compNumber = int64(f.n)
		case compRootID:
			rootID = uint32(f.n)
		}
	}
	if f.damaged {
		r.problem("a computation is damaged: only its beginning could be read")
	}
	if _, taken := r.src.compByID[compNumber]; !taken {
		r.src.compByID[compNumber] = id
	}
	c.end = InstrID(len(m.ops))
	r.index(first)
	r.schedule(r.runs[compNumber], c, firstEdge)
	r.resolve(first, firstEdge)
	if !f.damaged { // the number of the root follows the instructions
		c.root = r.byID(rootID)
	}
	if c.root == NoInstr && c.end > c.first {
		c.root = c.end - 1
	}
}

func (r *protoReader) instruction(msg []byte, at int, c *computation) {
	m := r.m
	i := InstrID(len(m.ops))
	m.at = append(m.at, uint32(at))
	m.operands = append(m.operands, uint32(len(msg)))
	m.edgeStart = append(m.edgeStart, uint32(len(m.edges)))
	op, id, number, index := OpOther, uint32(0), uint64(0), uint64(0) // numbers that are absent are 0
	f := fieldsOf(msg)
	named := f.short(instrName<<3|byte(protowire.BytesType)) != nil
	if name := f.short(instrOpcode<<3 | byte(protowire.BytesType)); name != nil {
		op = opSpelled(name)
	}
	f.short(instrShape<<3 | byte(protowire.BytesType))
	f.short(instrMetadata<<3 | byte(protowire.BytesType))
	for f.find(passFields) {
		switch f.num {
		case instrName:
			if named {
				r.src.rename(m.at[i], f.data)
			}
			named = true
		case instrOpcode:
			op = opSpelled(f.data)
		case instrParameterNumber:
			number = f.n
		case instrTupleIndex:
			index = f.n
		case instrID:
			id = uint32(f.n)
		case instrOperandIDs:
			r.operandIDs(&f)
		case instrCalledIDs:
			r.callees = f.appendInts(r.callees)
		}
	}
	for _, callee := range r.callees {
		r.calls = append(r.calls, protoCall{caller: id, callee: callee})
	}
	r.callees = r.callees[:0]
	if f.damaged {
		r.problem("an instruction is damaged: only its beginning could be read")
	}
	m.ops = append(m.ops, op)
	r.ids = append(r.ids, id)
	m.numbers = append(m.numbers, -1)
	switch {
	case op == OpGetTupleElement && index <= maxTupleIndex:
		m.numbers[i] = int32(index)
	case op == OpParameter:
		m.setParameter(c, int64(number), i)
	case op.namesParticipants():
		r.participants(msg, i)
	}
}

// participants notes an instruction that names participants, unless one before says the same: the few that are left are all that has to be
// looked at to know the devices of the module, whose header does not tell.
func (r *protoReader) participants(msg []byte, i InstrID) {
	what, from, to := naming{op: r.m.ops[i]}, len(msg), 0
	for f := fieldsOf(msg); f.participants(); to = f.p {
		if from > f.at {
			what.fields.field, from = f.num, f.at
		}
	}
	if from < to {
		what.fields.bytes = textOf(msg[from:to])
	}
	if !r.named[what] {
		r.named[what] = true
		r.src.naming = append(r.src.naming, i)
	}
}

func opSpelled(name []byte) Op {
	op := opAt(name, 0, len(name))
	if op == OpOther {
		op, _ = splitAsync(string(name))
	}
	return op
}

// operandIDs keeps the ids of operands as edges. Only the low half of an id counts: since 2025-09 the upper half is that
// of the computation, and an operand may be given with or without it.
func (r *protoReader) operandIDs(f *fieldReader) {
	m := r.m
	if f.kind == protowire.VarintType {
		m.edges = append(m.edges, InstrID(uint32(f.n)))
		return
	}
	// The numbers are read where they stand in the message: reading eight bytes at a time needs some behind them.
	for p, end := f.at, f.at+len(f.data); p < end; {
		v, next := varint(f.message, p)
		if next < 0 || next > end {
			return
		}
		m.edges = append(m.edges, InstrID(uint32(v)))
		p = next
	}
}

// index prepares the look-up of the current computation's instructions by id.
func (r *protoReader) index(first InstrID) {
	r.other, r.dense = nil, r.dense[:0]
	if len(r.ids) == 0 {
		return
	}
	least, most := r.ids[0], r.ids[0]
	for _, id := range r.ids {
		least, most = min(least, id), max(most, id)
	}
	r.least = least
	if span := uint64(most-least) + 1; span <= uint64(len(r.ids))*16+64 {
		if uint64(cap(r.dense)) < span {
			r.dense = make([]InstrID, span)
		}
		r.dense = r.dense[:span]
		for k := range r.dense {
			r.dense[k] = NoInstr
		}
		for k, id := range r.ids {
			r.dense[id-least] = first + InstrID(k)
		}
		return
	}
	r.other = make(map[uint32]InstrID, len(r.ids))
	for k, id := range r.ids {
		r.other[id] = first + InstrID(k)
	}
}

func (r *protoReader) byID(id uint32) InstrID {
	if r.other != nil {
		if i, ok := r.other[id]; ok {
			return i
		}
		return NoInstr
	}
	if k := id - r.least; len(r.ids) > 0 && id >= r.least && k < uint32(len(r.dense)) {
		return r.dense[k]
	}
	return NoInstr
}

// resolve turns the ids among the edges into ordinals.
func (r *protoReader) resolve(first InstrID, edge int) {
	m := r.m
	missing := 0
	for i := first; i < InstrID(len(m.ops)); i++ {
		end := len(m.edges)
		if int(i)+1 < len(m.ops) {
			end = int(m.edgeStart[i+1])
		}
		for ; edge < end; edge++ {
			def := r.byID(uint32(m.edges[edge]))
			m.edges[edge] = def
			if def == NoInstr {
				missing++
			} else if def >= i {
				m.inOrder = false
			}
		}
	}
	if missing > 0 {
		r.problem("operands are not defined")
	}
}

// reencoded reports whether a binary file went through a text codec: every byte from 0x80 up has become U+FFFD.
func reencoded(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 16)], []byte("\xef\xbf\xbd"))
}
