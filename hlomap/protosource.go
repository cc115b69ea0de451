package hlomap

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// protoSource decodes from an HLO proto what the pass did not keep. Values of attributes are spelled as the text printer
// does, so that both forms are read by the same code.
type protoSource struct {
	m        *Module
	data     []byte
	module   []byte
	compByID map[int64]CompID
	payloads [][]byte
	naming   []InstrID                   // see namers
	renamed  map[uint32][]byte           // names of what has several, by the offset of the message, see rename
	header   map[protowire.Number][]byte // fields of the module but for computations: it is long to look for them again
}

// message returns the wire form of an instruction.
func (s *protoSource) message(i InstrID) []byte {
	at := s.m.at[i]
	return s.data[at : at+s.m.operands[i]]
}

// protoInstr is one instruction, split into its fields.
type protoInstr struct {
	name, opcode, shape, metadata, literal, sharding, frontend, config, target []byte
	fusionKind, direction, dot, devices, iota, mesh, payload                   []byte
	tupleIndex, channel, oldChannel, parameter                                 int64
	global, sideEffect                                                         bool
	dimensions, called, sliceSizes                                             []int64
	slices, groups, pairs                                                      [][]byte
}

// split decodes an instruction's fields in one walk.
func (s *protoSource) split(i InstrID) (p protoInstr) {
	for f := fieldsOf(s.message(i)); f.next(); {
		p.set(&f.field)
	}
	return p
}

// set keeps a field; the numbers are those of HloInstructionProto.
func (p *protoInstr) set(f *field) {
	switch f.num {
	case 1:
		p.name = f.data
	case 2:
		p.opcode = f.data
	case 3:
		p.shape = f.data
	case 7:
		p.metadata = f.data
	case 8:
		p.literal = f.data
	case 9:
		p.parameter = int64(f.n)
	case 11:
		p.fusionKind = f.data
	case 13:
		p.tupleIndex = int64(f.n)
	case 14:
		p.dimensions = f.appendInts(p.dimensions)
	case 17:
		p.slices = append(p.slices, f.data)
	case 20:
		p.sliceSizes = f.appendInts(p.sliceSizes)
	case 26:
		p.channel = int64(f.n)
	case 28:
		p.target = f.data
	case 30:
		p.dot = f.data
	case instrCalledIDs:
		p.called = f.appendInts(p.called)
	case instrSharding:
		p.sharding = f.data
	case 43:
		p.config = f.data
	case 45:
		p.oldChannel = int64(f.n)
	case instrGroups:
		p.groups = append(p.groups, f.data)
	case instrPairs:
		p.pairs = append(p.pairs, f.data)
	case 63:
		p.direction = f.data
	case 65:
		p.sideEffect = f.n != 0
	case 68:
		p.frontend = f.data
	case 71:
		p.global = f.n != 0
	case instrDeviceList:
		p.devices = f.data
	case instrIotaList:
		p.iota = f.data
	case instrMeshList:
		p.mesh = f.data
	case 99:
		p.payload = f.data
	}
}

// rename notes another name of an instruction or a computation that has one already: of a field that comes again the last value holds.
// XLA writes each field once, so that names are read without a look at what follows.
func (s *protoSource) rename(at uint32, name []byte) {
	if s.renamed == nil {
		s.renamed = map[uint32][]byte{}
	}
	s.renamed[at] = name
}

func (s *protoSource) compNameBytes(c CompID) []byte {
	if name, ok := s.renamed[s.m.comps[c].at]; ok {
		return name
	}
	return bytesField(s.compMessage(c), compName)
}

func (s *protoSource) compMessage(c CompID) []byte {
	at := s.m.comps[c].at
	return s.data[at : at+s.m.comps[c].size]
}

func (s *protoSource) compThread(c CompID) string {
	thread := string(bytesField(s.compMessage(c), compThreadName))
	if thread == "main" {
		return ""
	}
	return thread
}

func (s *protoSource) instrName(i InstrID) string {
	if name, ok := s.renamed[s.m.at[i]]; ok {
		return textOf(name)
	}
	return textOf(bytesField(s.message(i), instrName))
}

func (s *protoSource) opcode(i InstrID) string {
	if o := s.m.ops[i]; o != OpOther && o != OpAsyncStart && o != OpAsyncUpdate && o != OpAsyncDone {
		return o.String()
	}
	return string(bytesField(s.message(i), instrOpcode))
}

func (s *protoSource) line(InstrID) int { return 0 }

func (s *protoSource) shape(i InstrID, dims *block[int64]) Shape {
	return protoShape(bytesField(s.message(i), instrShape), dims, 0)
}

// elementTypes are the names of PrimitiveType by number.
var elementTypes = [...]string{1: "pred", 2: "s8", 3: "s16", 4: "s32", 5: "s64", 6: "u8", 7: "u16", 8: "u32", 9: "u64", 10: "f16",
	11: "f32", 12: "f64", 13: "tuple", 14: "opaque", 15: "c64", 16: "bf16", 17: "token", 18: "c128", 19: "f8e5m2", 20: "f8e4m3fn",
	21: "s4", 22: "u4", 23: "f8e4m3b11fnuz", 24: "f8e5m2fnuz", 25: "f8e4m3fnuz", 26: "s2", 27: "u2", 28: "f8e4m3", 29: "f8e3m4",
	30: "s1", 31: "u1", 32: "f4e2m1fn", 33: "f8e8m0fnu", 34: "buffer", 35: "f6e3m2fn", 36: "f6e2m3fn"}

// protoShape decodes a ShapeProto and keeps the dimensions in dims.
func protoShape(b []byte, dims *block[int64], depth int) Shape {
	var sh Shape
	var room [8]int64
	list := room[:0]
	if depth > maxShapeDepth || b == nil {
		return sh
	}
	var inner []Shape
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 2:
			if sh.DType = "unknown"; f.n < uint64(len(elementTypes)) && f.n > 0 {
				sh.DType = elementTypes[f.n]
			}
		case 3:
			list = f.appendInts(list)
		case 4:
			if inner == nil {
				inner = make([]Shape, 0, countFields(b, 4))
			}
			inner = append(inner, protoShape(f.data, dims, depth+1))
		case 5:
			sh.layout(f.data)
		case 6:
			sh.Dynamic = sh.Dynamic || f.anyTrue()
		}
	}
	for k, d := range list {
		list[k] = max(d, -1) // unbounded is the smallest number there is
	}
	sh.Dims = dims.keep(list)
	switch {
	case sh.DType == "tuple":
		sh.Elements = inner
	case sh.DType == "buffer" && len(inner) == 1:
		return inner[0]
	case sh.DType != "" && sh.Dims == nil:
		sh.Dims = []int64{}
	}
	return sh
}

// layout keeps what matters of a LayoutProto.
func (s *Shape) layout(b []byte) {
	for f := fieldsOf(b); f.find(1<<7 | 1<<8); {
		switch f.num {
		case 7:
			s.ElementBits = int(min(f.n, 1<<16))
		case 8:
			s.MemorySpace = int(min(f.n, math.MaxInt32))
		}
	}
}

func (s *protoSource) metadata(i InstrID) Metadata {
	return readProtoMetadata(bytesField(s.message(i), instrMetadata))
}

// readProtoMetadata decodes an OpMetadata.
func readProtoMetadata(b []byte) Metadata {
	md := Metadata{Column: -1}
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 1:
			md.OpType = textOf(f.data)
		case 2:
			md.OpName = textOf(f.data)
		case 3:
			md.SourceFile = textOf(f.data)
		case 4:
			md.SourceLine = int(min(f.n, math.MaxInt32))
		case 15:
			md.FrameID = int(min(f.n, math.MaxInt32))
		case 18:
			md.Column = int(min(f.n, math.MaxInt32))
		}
	}
	return md
}

// called returns the called computations in the order of the text reader: body before condition is also the proto's.
func (s *protoSource) called(i InstrID) []CompID {
	return s.compsOf(intsOf(s.message(i), instrCalledIDs))
}

func (s *protoSource) compsOf(ids []int64) []CompID {
	var out []CompID
	for _, id := range ids {
		if c, ok := s.compByID[id]; ok {
			out = append(out, c)
		}
	}
	return out
}

// literal returns the value of a scalar; the field numbers are those of LiteralProto.
func (s *protoSource) literal(i InstrID) (string, bool) {
	var values []string
	for f := fieldsOf(bytesField(s.message(i), 8)); len(values) < 2 && f.next(); {
		switch f.num {
		case 2:
			for _, v := range f.appendInts(nil) {
				values = append(values, strconv.FormatBool(v != 0))
			}
		case 4, 5:
			for _, v := range f.appendInts(nil) {
				values = append(values, strconv.FormatInt(v, 10))
			}
		case 6, 7:
			for _, v := range f.appendInts(nil) {
				values = append(values, strconv.FormatUint(uint64(v), 10))
			}
		case 8, 9:
			values = append(values, f.floats()...)
		case 3, 15, 16, 17, 13: // u8, s8, u16, s16 and bf16 are kept as bytes
			if v, ok := f.narrow(); ok {
				values = append(values, v)
			}
		}
	}
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

// narrow renders the one number that a literal of a narrow type keeps as little-endian bytes.
func (f *field) narrow() (string, bool) {
	v := uint16(0)
	switch len(f.data) {
	case 1:
		v = uint16(f.data[0])
	case 2:
		v = uint16(f.data[0]) | uint16(f.data[1])<<8
	default:
		return "", false
	}
	switch f.num {
	case 15:
		return strconv.Itoa(int(int8(v))), true
	case 17:
		return strconv.Itoa(int(int16(v))), true
	case 13:
		return f.float(uint64(v)<<16, 4), true
	}
	return strconv.Itoa(int(v)), true
}

// floats renders the numbers of a repeated field of f32 (4 bytes) or f64 (field 9).
func (f *field) floats() []string {
	width := 4
	if f.num == 9 {
		width = 8
	}
	if f.kind != protowire.BytesType {
		return []string{f.float(f.n, width)}
	}
	var out []string
	for p := 0; p+width <= len(f.data) && len(out) < 2; p += width {
		v := uint64(0)
		for k := width - 1; k >= 0; k-- {
			v = v<<8 | uint64(f.data[p+k])
		}
		out = append(out, f.float(v, width))
	}
	return out
}

func (f *field) float(v uint64, width int) string {
	if width == 8 {
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	}
	return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
}

// frameTable decodes StackFrameIndexProto. Parents are 1-based there, 0 for none.
func (s *protoSource) frameTable() *frameTable {
	ft := &frameTable{files: []string{""}, functions: []string{""}, locations: make([]frameLocation, 1), frames: make([]stackFrame, 1)}
	num := func(n uint64) int { return int(min(n, math.MaxInt32)) }
	for f := fieldsOf(s.header[moduleStackFrames]); f.next(); {
		switch f.num {
		case 1:
			ft.files = append(ft.files, textOf(f.data))
		case 2:
			ft.functions = append(ft.functions, textOf(f.data))
		case 3:
			v := numbersOf(f.data)
			ft.locations = append(ft.locations, frameLocation{file: num(v[1]), function: num(v[2]), line: num(v[3]), column: num(v[4])})
		case 4:
			v := numbersOf(f.data)
			ft.frames = append(ft.frames, stackFrame{location: num(v[1]), parent: num(v[2])})
		}
	}
	return ft
}
