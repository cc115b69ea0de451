package hlomap

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Attributes of protos in the text printer's spelling.

// collective reads all that a collective needs in one walk over its message.
func (s *protoSource) collective(i InstrID, spelled *spellings) collectiveAttrs {
	fields := s.split(i)
	p := &fields
	a := collectiveAttrs{callee: NoComp, global: p.global, channel: max(p.channel, 0), metadata: readProtoMetadata(p.metadata)}
	if a.channel == 0 {
		a.channel = max(p.oldChannel, 0)
	}
	a.hasChannel = a.channel > 0
	a.groups, a.hasGroups = p.groupsOf(spelled)
	if s.m.ops[i].Base() == OpCollectivePermute {
		a.pairs = []byte(p.sourceTargetPairs())
		a.sliceSizes = s.sliceLists(i, p.sliceSizes)
	}
	if len(p.frontend) > 0 {
		a.frontend = []byte(renderFrontend(p.frontend))
	}
	a.generated = generatedByPartitioner(s.backendConfig(p))
	if called := s.compsOf(p.called); len(called) > 0 && s.m.ops[i] != OpAsyncStart {
		a.callee = called[0]
	}
	return a
}

// sliceLists spells the sizes of the slices that an in-place permute moves, as `{{1,64},{1,64}}`. The proto has them end to end: of
// each array that the first operand holds in turn equally many slices, with a size for each dimension.
func (s *protoSource) sliceLists(i InstrID, sizes []int64) []byte {
	input := s.m.OperandShape(i, 0)
	arrays := input.Leaves()
	dims := 0
	for _, a := range arrays {
		dims += len(a.Shape)
	}
	if dims == 0 || len(sizes) == 0 || len(sizes)%dims != 0 {
		return nil
	}
	out, slices := []byte{'{'}, len(sizes)/dims
	for _, a := range arrays {
		for range slices {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = appendBraced(out, sizes[:len(a.Shape)])
			sizes = sizes[len(a.Shape):]
		}
	}
	return append(out, '}')
}

// groupsOf spells the groups of a collective. Those that stand in one field repeat, and are spelled once.
func (p *protoInstr) groupsOf(spelled *spellings) ([]byte, bool) {
	var num protowire.Number
	var raw []byte
	for _, f := range [...]field{{num: instrMeshList, data: p.mesh}, {num: instrDeviceList, data: p.devices}, {num: instrIotaList, data: p.iota}} {
		if f.data == nil {
			continue
		}
		if raw != nil {
			num = 0 // both say something
			break
		}
		num, raw = f.num, f.data
	}
	if num == 0 || len(p.groups) > 0 {
		text, ok := p.replicaGroups()
		return []byte(text), ok
	}
	text := spelled.once(num, raw, func() string {
		text, _ := p.replicaGroups()
		return text
	})
	return text, true
}

// participants reads who takes part in a collective, and skips all else.
func (s *protoSource) participants(i InstrID, spelled *spellings) (groups, pairs []byte) {
	var p protoInstr
	for f := fieldsOf(s.message(i)); f.participants(); {
		p.set(&f.field)
	}
	groups, _ = p.groupsOf(spelled)
	if s.m.ops[i].Base() == OpCollectivePermute {
		pairs = []byte(p.sourceTargetPairs())
	}
	return groups, pairs
}

func (s *protoSource) namers() []InstrID { return s.naming }

// participants moves to the next field of an instruction that names participants.
func (r *fieldReader) participants() bool {
	for r.find(1<<instrGroups | 1<<instrPairs | 1<<moreFields) {
		switch r.num {
		case instrGroups, instrPairs, instrDeviceList, instrIotaList, instrMeshList:
			return true
		}
	}
	return false
}

func (s *protoSource) attr(i InstrID, key string) (string, bool) {
	p := s.split(i)
	v, ok := s.render(i, &p, key)
	if !ok {
		return "", false
	}
	return v, true
}

func (s *protoSource) argument(i InstrID, spelled *spellings, dims *block[int64]) (a argument) {
	for f := fieldsOf(s.message(i)); f.find(1<<instrShape | 1<<instrMetadata | 1<<instrSharding); {
		switch f.num {
		case instrShape:
			a.shape = protoShape(f.data, dims, 0)
		case instrMetadata:
			a.opName = readProtoMetadata(f.data).OpName
		case instrSharding:
			a.sharding = spelled.once(instrSharding, f.data, func() string { return renderSharding(f.data, 0) })
			a.sharded = true
		}
	}
	return a
}

// render spells one attribute; ok is false where the instruction has none of that name.
func (s *protoSource) render(i InstrID, p *protoInstr, key string) (v string, ok bool) {
	switch key {
	case "index":
		return strconv.FormatInt(p.tupleIndex, 10), s.m.ops[i] == OpGetTupleElement
	case "channel_id":
		if p.channel <= 0 {
			p.channel = p.oldChannel
		}
		return strconv.FormatInt(p.channel, 10), p.channel > 0
	case "use_global_device_ids":
		return "true", p.global
	case "custom_call_has_side_effect":
		return "true", p.sideEffect
	case "replica_groups":
		return p.replicaGroups()
	case "source_target_pairs":
		return p.sourceTargetPairs(), s.m.ops[i] == OpCollectivePermute || s.m.ops[i] == OpCollectivePermuteStart
	case "dimensions":
		always := false // the printer writes {} for these
		switch s.m.ops[i] {
		case OpBroadcast, OpReduce, OpTranspose, OpReverse, OpMap:
			always = true
		}
		return braced(p.dimensions), (len(p.dimensions) > 0 || always) && s.m.ops[i] != OpIota
	case "iota_dimension":
		return strings.Trim(braced(p.dimensions), "{}"), len(p.dimensions) > 0 && s.m.ops[i] == OpIota
	case "dynamic_slice_sizes":
		return braced(p.sliceSizes), len(p.sliceSizes) > 0
	case "slice":
		return p.slice(), len(p.slices) > 0
	case "direction":
		return string(p.direction), len(p.direction) > 0
	case "kind":
		return string(p.fusionKind), len(p.fusionKind) > 0
	case "custom_call_target":
		return quote(p.target), p.target != nil
	case "sharding":
		return renderSharding(p.sharding, 0), p.sharding != nil
	case "frontend_attributes":
		return renderFrontend(p.frontend), len(p.frontend) > 0
	case "backend_config":
		c := s.backendConfig(p)
		return string(c), len(c) > 0
	}
	if v, ok := p.dotDimensions(key); ok {
		return v, true
	}
	return s.callee(i, p, key)
}

// backendConfig returns the configuration, which newer builds keep in a table of the module (XLA ≥ 2026-03).
func (s *protoSource) backendConfig(p *protoInstr) []byte {
	if len(p.config) > 0 || p.payload == nil {
		return p.config
	}
	var out []byte
	id := -1
	for f := fieldsOf(p.payload); f.next(); {
		switch f.num {
		case 1:
			out = f.data
		case 2:
			id = int(min(f.n, 1<<30))
		}
	}
	if out == nil && id < 0 {
		id = 0 // an absent number is 0
	}
	if out == nil && id < len(s.payloads) {
		out = s.payloads[id]
	}
	return out
}

// callee spells an attribute that names computations.
func (s *protoSource) callee(i InstrID, p *protoInstr, key string) (string, bool) {
	called := s.compsOf(p.called)
	name := func(k int) (string, bool) {
		if k >= len(called) {
			return "", false
		}
		return "%" + string(s.compNameBytes(called[k])), true
	}
	switch key {
	case "body":
		if s.m.ops[i] == OpWhile {
			return name(0)
		}
	case "condition":
		if s.m.ops[i] == OpWhile {
			return name(1)
		}
	case "calls":
		if s.m.ops[i] == OpFusion || s.m.ops[i] == OpAsyncStart {
			return name(0)
		}
	case "to_apply":
		switch s.m.ops[i] {
		case OpFusion, OpAsyncStart, OpWhile, OpConditional, OpCustomCall:
		default:
			return name(0)
		}
	}
	return "", false
}

func (p *protoInstr) dotDimensions(key string) (string, bool) {
	var num protowire.Number
	switch key {
	case "lhs_contracting_dims":
		num = 1
	case "rhs_contracting_dims":
		num = 2
	case "lhs_batch_dims":
		num = 3
	case "rhs_batch_dims":
		num = 4
	default:
		return "", false
	}
	dims := intsOf(p.dot, num)
	return braced(dims), len(dims) > 0
}

// slice spells `{[0:8], [0:16:2]}`.
func (p *protoInstr) slice() string {
	var b strings.Builder
	b.WriteString("{")
	for k, d := range p.slices {
		v := numbersOf(d)
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString("[" + strconv.FormatUint(v[1], 10) + ":" + strconv.FormatUint(v[2], 10))
		if v[3] > 1 {
			b.WriteString(":" + strconv.FormatUint(v[3], 10))
		}
		b.WriteString("]")
	}
	return b.String() + "}"
}

func (p *protoInstr) sourceTargetPairs() string {
	var b strings.Builder
	b.WriteString("{")
	for k, d := range p.pairs {
		v := numbersOf(d)
		if k > 0 {
			b.WriteString(",")
		}
		b.WriteString("{" + strconv.FormatUint(v[1], 10) + "," + strconv.FormatUint(v[2], 10) + "}")
	}
	return b.String() + "}"
}

// replicaGroups reads whichever form is there: mesh axes, iota, a device list (which builds of 2024-07 to 2025-12 nest
// the iota form in, as field 2), and the old list of groups.
func (p *protoInstr) replicaGroups() (string, bool) {
	groups := p.groups
	iota := p.iota
	if p.mesh != nil {
		return renderMeshGroups(p.mesh), true
	}
	for f := fieldsOf(p.devices); f.next(); {
		switch {
		case f.num == 1:
			groups = append(groups, f.data)
		case f.num == 2 && iota == nil:
			iota = f.data
		}
	}
	if iota != nil {
		return renderIota(iota), true
	}
	if groups == nil {
		return "{}", p.devices != nil
	}
	out := []byte{'{'}
	for k, g := range groups {
		if k > 0 {
			out = append(out, ',')
		}
		out = appendBraced(out, intsOf(g, 1))
	}
	return string(append(out, '}')), true
}

// renderIota spells IotaReplicaGroupListProto.
func renderIota(b []byte) string {
	v := numbersOf(b)
	dims, perm := intsOf(b, 3), intsOf(b, 4)
	out := "[" + strconv.FormatUint(v[1], 10) + "," + strconv.FormatUint(v[2], 10) + "]<=[" + commas(dims) + "]"
	if len(dims) > 1 && len(perm) > 0 {
		out += "T(" + commas(perm) + ")"
	}
	return out
}

// renderMeshGroups spells MeshAxesReplicaGroupListProto.
func renderMeshGroups(b []byte) string {
	var mesh protoMesh
	var refs []string
	var rest [][]byte
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 1:
			mesh = readMesh(f.data)
		case 2:
			rest = append(rest, f.data)
		}
	}
	for _, r := range rest {
		refs = append(refs, mesh.axisRef(r))
	}
	return mesh.text + " {" + strings.Join(refs, ",") + "}"
}

// protoMesh is a MeshProto: its axes' names, and the mesh as the text spells it.
type protoMesh struct {
	names []string
	text  string
}

func readMesh(b []byte) protoMesh {
	var m protoMesh
	var axes []string
	var ids, reshape, perm []int64
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 1:
			name := string(bytesField(f.data, 1))
			m.names = append(m.names, name)
			axes = append(axes, singleQuote(name)+"="+strconv.FormatUint(numbersOf(f.data)[2], 10))
		case 2:
			ids = f.appendInts(ids)
		case 3:
			reshape, perm = intsOf(f.data, 1), intsOf(f.data, 2)
		}
	}
	if len(axes) == 0 && len(ids) == 1 {
		m.text = "maximal_mesh[device_id=" + commas(ids) + "]"
		return m
	}
	m.text = "mesh[" + strings.Join(axes, ",") + "]"
	switch {
	case len(reshape) > 0:
		m.text += ", device_ids=([" + commas(reshape) + "]T(" + commas(perm) + "))"
	case len(ids) > 0:
		m.text += ", device_ids=(" + commas(ids) + ")"
	}
	return m
}

// axisRef spells an AxisRefProto: an axis or a part of one.
func (m *protoMesh) axisRef(b []byte) string {
	index := uint64(0)
	var part [5]uint64 // more-major size, size
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 1:
			index = f.n
		case 2:
			part = numbersOf(f.data)
		}
	}
	out := "'?'"
	if index < uint64(len(m.names)) {
		out = singleQuote(m.names[index])
	}
	if pre, size := part[1], part[2]; size > 0 {
		out += ":(" + strconv.FormatUint(pre, 10) + ")" + strconv.FormatUint(size, 10)
	}
	return out
}

func singleQuote(s string) string {
	if !strings.ContainsAny(s, `\'`) {
		return "'" + s + "'"
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func quote(b []byte) string {
	if !bytes.ContainsAny(b, "\\\"\n") {
		return `"` + string(b) + `"`
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(string(b)) + `"`
}

func commas(list []int64) string {
	out := make([]byte, 0, 4*len(list))
	for k, n := range list {
		if k > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, n, 10)
	}
	return string(out)
}

func braced(list []int64) string { return "{" + commas(list) + "}" }

func appendBraced(out []byte, list []int64) []byte {
	out = append(out, '{')
	for k, n := range list {
		if k > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, n, 10)
	}
	return append(out, '}')
}

// renderFrontend spells FrontendAttributes, sorted by key as the printer does.
func renderFrontend(b []byte) string {
	var entries []string
	for f := fieldsOf(b); f.next(); {
		if f.num == 1 {
			key, value := bytesField(f.data, 1), bytesField(f.data, 2)
			if len(value) == 0 || value[0] != '{' { // JSON is printed as it is
				value = []byte(quote(value))
			}
			entries = append(entries, string(key)+"="+string(value))
		}
	}
	slices.Sort(entries)
	return "{" + strings.Join(entries, ",") + "}"
}
