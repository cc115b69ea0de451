package hlomap

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Profile is what a profiler measured: how long each instruction of each module took on each device. It is read from the
// XSpace message that xprof writes (`*.xplane.pb`) or from the Chrome trace beside it.
type Profile struct {
	Planes  []ProfilePlane
	Modules []ProfileModule
	Ops     []MeasuredOp // sorted by module, program id, instruction
}

// ProfilePlane is one plane of an XSpace: a host, a device or the metadata.
type ProfilePlane struct {
	Name   string
	Lines  int
	Events int
}

// ProfileModule is a module whose HloProto the profile carries. Proto borrows the bytes that were read.
type ProfileModule struct {
	Name      string
	ProgramID string // decimal; "" when the profile does not say
	Proto     []byte
}

// MeasuredOp sums the events of one instruction. Times are picoseconds; an event is one execution on one device.
type MeasuredOp struct {
	Module      string
	ProgramID   string // decimal; "" when the events do not say
	Instruction string
	Count       int
	TotalPs     int64
	MinPs       int64
	MaxPs       int64
	Devices     map[string]int // events per device; the key is the ordinal, or the plane's name where there is none
}

// MeanSeconds is the mean duration of one execution on one device.
func (m *MeasuredOp) MeanSeconds() float64 {
	if m.Count == 0 {
		return 0
	}
	return float64(m.TotalPs) / float64(m.Count) / 1e12
}

// Measured returns the measurement of an instruction. Where the caller knows no program id, or the profile has none, the
// module's name decides; it is nil when several programs of that name ran the instruction.
func (p *Profile) Measured(module, programID, instruction string) *MeasuredOp {
	var found *MeasuredOp
	for i := range p.Ops {
		op := &p.Ops[i]
		if op.Instruction != instruction || op.Module != module {
			continue
		}
		if programID != "" && op.ProgramID == programID {
			return op
		}
		if programID != "" && op.ProgramID != "" {
			continue
		}
		if found != nil {
			return nil
		}
		found = op
	}
	return found
}

// mostProfile bounds a profile, in bytes: as large as what is read from a pipe may be.
const mostProfile = 1 << 30

// OpenProfile reads a profile: an XSpace (`*.xplane.pb`) or a Chrome trace (`*.trace.json`), plain or compressed with gzip or
// zstd.
func OpenProfile(name string, data []byte) (*Profile, []Problem) {
	data, err := decompressAtMost(data, mostProfile)
	var problems []Problem
	if err != nil {
		problems = append(problems, Problem{Path: name, Message: err.Error()})
	}
	var p *Profile
	var more []Problem
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) > 0 && text[0] == '{' {
		p, more = ReadTrace(name, bytes.NewReader(text))
	} else {
		p, more = ReadProfile(name, data)
	}
	return p, append(problems, more...)
}

// ReadProfile reads an XSpace. Fields that it does not know are skipped; damage ends the reading of one message and is
// reported, what came before it stays.
//
// Field numbers are those of xla/tsl/profiler/protobuf/xplane.proto.
func ReadProfile(name string, data []byte) (*Profile, []Problem) {
	r := &profileReader{name: name, ops: map[opKey]*MeasuredOp{}}
	if reencodedAsText(data) {
		return &Profile{}, []Problem{{Path: name, Message: "the file was re-encoded as text: every byte above 127 was replaced"}}
	}
	r.fields("XSpace", data, func(f *field) {
		if f.num == 1 {
			r.plane(f.data)
		}
	})
	if len(r.profile.Planes) == 0 && len(r.problems) == 0 {
		r.problem("holds no profile plane")
	}
	return r.finish(), r.problems
}

// reencodedAsText recognizes a file that went through a text codec, which replaces each byte that is no UTF-8 by U+FFFD.
func reencodedAsText(data []byte) bool {
	replacement := []byte("\xef\xbf\xbd")
	return bytes.Contains(data[:min(len(data), 16)], replacement) || bytes.Count(data[:min(len(data), 4096)], replacement) > 16
}

type opKey struct{ module, program, instruction string }

type profileReader struct {
	name     string
	profile  Profile
	ops      map[opKey]*MeasuredOp
	problems []Problem
}

func (r *profileReader) problem(message string) {
	if len(r.problems) < 20 {
		r.problems = append(r.problems, Problem{Path: r.name, Message: message})
	}
}

func (r *profileReader) finish() *Profile {
	for _, op := range r.ops {
		r.profile.Ops = append(r.profile.Ops, *op)
	}
	slices.SortFunc(r.profile.Ops, func(a, b MeasuredOp) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.ProgramID, b.ProgramID), cmp.Compare(a.Instruction, b.Instruction))
	})
	return &r.profile
}

func (r *profileReader) add(key opKey, device string, ps int64) {
	op := r.ops[key]
	if op == nil {
		op = &MeasuredOp{Module: key.module, ProgramID: key.program, Instruction: key.instruction, MinPs: ps, Devices: map[string]int{}}
		r.ops[key] = op
	}
	op.Count++
	op.TotalPs += ps
	op.MinPs, op.MaxPs = min(op.MinPs, ps), max(op.MaxPs, ps)
	op.Devices[device]++
}

// fields visits the fields of a message and reports where it breaks off.
func (r *profileReader) fields(what string, b []byte, visit func(*field)) {
	f := fieldsOf(b)
	for f.next() {
		visit(&f.field)
	}
	if f.damaged {
		r.problem("damaged " + what)
	}
}

// stat is an XStat. A value that refers to a stat's name is already resolved.
type stat struct {
	name  string
	text  string // str, ref or a number in decimal
	bytes []byte
}

type eventMeta struct {
	name, display string
	stats         [][]byte
}

type planeReader struct {
	*profileReader
	name   string
	events map[uint64]eventMeta
	stats  map[uint64]string
}

// plane reads an XPlane: first its tables, which stand behind the lines that use them, then the lines.
func (r *profileReader) plane(b []byte) {
	p := &planeReader{profileReader: r, events: map[uint64]eventMeta{}, stats: map[uint64]string{}}
	info := ProfilePlane{}
	var lines [][]byte
	r.fields("XPlane", b, func(f *field) {
		switch f.num {
		case 2:
			p.name = string(f.data)
		case 3:
			lines = append(lines, f.data)
		case 4:
			key, value := r.entry(f.data)
			p.events[key] = p.eventMeta(value)
		case 5:
			key, value := r.entry(f.data)
			r.fields("XStatMetadata", value, func(f *field) {
				if f.num == 2 {
					p.stats[key] = string(f.data)
				}
			})
		}
	})
	info.Name, info.Lines = p.name, len(lines)
	for _, line := range lines {
		info.Events += p.line(line)
	}
	p.modules()
	r.profile.Planes = append(r.profile.Planes, info)
}

// entry reads a map entry with an integer key. Keys of TPU programs exceed 2^63, so they stay unsigned.
func (r *profileReader) entry(b []byte) (key uint64, value []byte) {
	r.fields("map entry", b, func(f *field) {
		switch f.num {
		case 1:
			key = f.n
		case 2:
			value = f.data
		}
	})
	return key, value
}

func (p *planeReader) eventMeta(b []byte) (m eventMeta) {
	p.fields("XEventMetadata", b, func(f *field) {
		switch f.num {
		case 2:
			m.name = string(f.data)
		case 4:
			m.display = string(f.data)
		case 5:
			m.stats = append(m.stats, f.data)
		}
	})
	return m
}

func (p *planeReader) stat(b []byte) (s stat) {
	p.fields("XStat", b, func(f *field) {
		switch f.num {
		case 1:
			s.name = p.stats[f.n]
		case 3:
			s.text = strconv.FormatUint(f.n, 10)
		case 4:
			s.text = strconv.FormatInt(int64(f.n), 10)
		case 5:
			s.text = string(f.data)
		case 6:
			s.bytes = f.data
		case 7:
			s.text = p.stats[f.n]
		}
	})
	return s
}

// line adds the events of an XLine that name an instruction, and counts all of them. On TPU the lines of whole modules and
// steps hold no instructions.
func (p *planeReader) line(b []byte) (events int) {
	name := ""
	var raw [][]byte
	p.fields("XLine", b, func(f *field) {
		switch f.num {
		case 2:
			name = string(f.data)
		case 4:
			raw = append(raw, f.data)
		}
	})
	onTPU := strings.HasPrefix(p.name, "/device:TPU:")
	for _, e := range raw {
		p.event(e, onTPU && (name == "XLA Ops" || name == "Async XLA Ops"))
	}
	return len(raw)
}

func (p *planeReader) event(b []byte, named bool) {
	var meta eventMeta
	var duration int64
	var key opKey
	device := p.name
	read := func(raw []byte) {
		switch s := p.stat(raw); s.name {
		case "hlo_op":
			key.instruction = s.text
		case "hlo_module":
			key.module = s.text
		case "program_id":
			key.program = s.text
		case "device_ordinal":
			device = s.text
		}
	}
	p.fields("XEvent", b, func(f *field) {
		switch f.num {
		case 1:
			meta = p.events[f.n]
		case 3:
			duration = int64(f.n)
		case 4:
			read(f.data)
		}
	})
	for _, raw := range meta.stats {
		read(raw)
	}
	if key.instruction == "" && named {
		key.instruction = meta.display
	}
	if key.instruction != "" {
		p.add(key, device, duration)
	}
}

// modules collects the HloProtos of the metadata plane. Its event names are `module(program id)`.
func (p *planeReader) modules() {
	for _, meta := range p.events {
		for _, raw := range meta.stats {
			s := p.stat(raw)
			if s.name != "Hlo Proto" || s.bytes == nil {
				continue
			}
			m := ProfileModule{Name: meta.name, Proto: s.bytes}
			if open := strings.LastIndexByte(meta.name, '('); open > 0 && strings.HasSuffix(meta.name, ")") {
				m.Name, m.ProgramID = meta.name[:open], meta.name[open+1:len(meta.name)-1]
			}
			p.profile.Modules = append(p.profile.Modules, m)
		}
	}
	slices.SortFunc(p.profile.Modules, func(a, b ProfileModule) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ProgramID, b.ProgramID))
	})
}
