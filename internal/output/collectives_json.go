package output

import (
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/shardls/shardls/hlomap"
)

// The document of `shardls collectives` is written by appending to one buffer: a module of a large model has tens of
// thousands of collectives, and encoding/json by reflection would cost more than reading the dump.

// CollectivesModule is one module of the document.
type CollectivesModule struct {
	Name         string
	Path         string // of the dump, as printed
	Stage        hlomap.Stage
	Devices      int // 0 when unknown
	Instructions int
	Meshes       []hlomap.Mesh // nil when unknown
	Collectives  []hlomap.Collective
	CutOff       bool // the dump ends before the module does
	// Leave, when set, gives back memory that comes again where it is read, such as that of the names of collectives. It is called after
	// every [leaveBytes] of the document.
	Leave func()
}

// SourceLine is where in Python something is. Line and Column are 1-based; the column counts code points and is 0 when
// unknown. An empty path means that there is none.
type SourceLine struct {
	Path      string
	Line      int
	Column    int
	Function  string
	Precision hlomap.Precision
	Edited    bool // the line was edited since: it is that of the dump
}

// CollectivesOptions says how places are printed.
type CollectivesOptions struct {
	// Display turns a frame's path into the printed one; nil prints it as it is.
	Display func(path string) string
	// Source chooses the line to show for a stack of frames, innermost first; nil takes the innermost frame.
	Source func(frames []hlomap.Frame) SourceLine
	// Collective chooses the line to show for a collective; nil asks Source for its frames.
	Collective func(c *hlomap.Collective) SourceLine
	// Measured gives the measurements of a collective; it is nil where there is no profile.
	Measured func(c *hlomap.Collective) []hlomap.Measurement
}

// flushBytes is how much of a document is collected before it is written.
const flushBytes = 64 << 10

// leaveBytes is how much of a document is written before memory is given back.
const leaveBytes = 1 << 20

// WriteCollectives writes the JSON document of modules and their collectives.
func WriteCollectives(w io.Writer, modules []CollectivesModule, opts CollectivesOptions) error {
	j := &collectivesWriter{opts: opts, buf: make([]byte, 0, flushBytes+flushBytes/4)}
	j.raw(`{"version":1,"modules":[`)
	for k := range modules {
		if k > 0 {
			j.raw(",")
		}
		if err := j.module(w, &modules[k]); err != nil {
			return err
		}
	}
	j.raw("]}\n")
	_, err := w.Write(j.buf)
	return err
}

// AppendCollective appends one collective as it stands in the document, for documents that hold a few of them. With a
// module's name the object says which it is from.
func AppendCollective(buf []byte, c *hlomap.Collective, module string, opts CollectivesOptions) []byte {
	j := &collectivesWriter{opts: opts, buf: buf}
	j.collective(c, module)
	return j.buf
}

// collectivesWriter appends JSON to a buffer.
type collectivesWriter struct {
	opts CollectivesOptions
	buf  []byte

	// Group lists repeat: some are kept as printed, by their first group, which tells equal lists by identity.
	groups     map[*[]int]string
	groupsSize int // of the kept ones in bytes

	// So do stacks of frames; equal ones share memory, and the first frame tells which.
	stacks map[*hlomap.Frame]*stackText

	// And so do arrays: results are mostly of the type of the operands.
	array     hlomap.Array // the last one
	arrayText []byte
}

// stackText is what is kept of a stack of frames.
type stackText struct {
	frames int        // how many there are
	line   SourceLine // the line to show for it
	source string     // that as printed
	text   string     // the frames as printed, "" before they were
}

func (j *collectivesWriter) raw(s string) { j.buf = append(j.buf, s...) }

func (j *collectivesWriter) int(n int64) { j.buf = strconv.AppendInt(j.buf, n, 10) }

func (j *collectivesWriter) bool(b bool) { j.buf = strconv.AppendBool(j.buf, b) }

func (j *collectivesWriter) string(s string) { j.buf = appendJSONString(j.buf, s) }

// word writes a string of our own, in which nothing is to be escaped.
func (j *collectivesWriter) word(s string) {
	j.buf = append(append(append(j.buf, '"'), s...), '"')
}

// known writes a string, or null for an empty one.
func (j *collectivesWriter) known(s string) {
	if s == "" {
		j.raw("null")
		return
	}
	j.string(s)
}

// atLeast writes n, or null where it is below least, which stands for unknown.
func (j *collectivesWriter) atLeast(least, n int64) {
	if n < least {
		j.raw("null")
		return
	}
	j.int(n)
}

func (j *collectivesWriter) optional(n *int64) {
	if n == nil {
		j.raw("null")
		return
	}
	j.int(*n)
}

// list writes a JSON array of n elements.
func (j *collectivesWriter) list(n int, each func(k int)) {
	j.raw("[")
	for k := range n {
		if k > 0 {
			j.raw(",")
		}
		each(k)
	}
	j.raw("]")
}

// knownList is list, or null where the list is unknown.
func (j *collectivesWriter) knownList(known bool, n int, each func(k int)) {
	if !known {
		j.raw("null")
		return
	}
	j.list(n, each)
}

func (j *collectivesWriter) ints(list []int) {
	j.list(len(list), func(k int) { j.int(int64(list[k])) })
}

func (j *collectivesWriter) strings(list []string) {
	j.knownList(list != nil, len(list), func(k int) { j.string(list[k]) })
}

func (j *collectivesWriter) module(w io.Writer, m *CollectivesModule) error {
	j.raw(`{"name":`)
	j.string(m.Name)
	j.raw(`,"path":`)
	j.string(m.Path)
	j.raw(`,"stage":`)
	j.string(string(m.Stage))
	j.raw(`,"devices":`)
	j.atLeast(1, int64(m.Devices))
	j.raw(`,"instructions":`)
	j.int(int64(m.Instructions))
	j.raw(`,"meshes":`)
	j.meshes(m.Meshes)
	if m.CutOff && len(m.Collectives) == 0 { // there may be some in what is missing
		j.raw(`,"cutOff":true,"collectives":null}`)
		return nil
	}
	if m.CutOff {
		j.raw(`,"cutOff":true`)
	}
	j.raw(`,"collectives":[`)
	written := 0
	for k := range m.Collectives {
		if k > 0 {
			j.raw(",")
		}
		j.collective(&m.Collectives[k], "")
		if len(j.buf) >= flushBytes {
			if _, err := w.Write(j.buf); err != nil {
				return err
			}
			if written += len(j.buf); written >= leaveBytes && m.Leave != nil {
				m.Leave()
				written = 0
			}
			j.buf = j.buf[:0]
		}
	}
	j.raw("]}")
	return nil
}

func (j *collectivesWriter) meshes(meshes []hlomap.Mesh) {
	j.knownList(meshes != nil, len(meshes), func(k int) {
		m := &meshes[k]
		j.raw(`{"axes":`)
		j.list(len(m.Axes), func(k int) {
			j.raw(`{"name":`)
			j.string(m.Axes[k].Name)
			j.raw(`,"size":`)
			j.int(int64(m.Axes[k].Size))
			j.raw("}")
		})
		j.raw(`,"source":`)
		j.known(m.Source)
		if m.DeviceIDs != nil {
			j.raw(`,"deviceIds":`)
			j.ints(m.DeviceIDs)
		}
		j.raw("}")
	})
}

func (j *collectivesWriter) collective(c *hlomap.Collective, module string) {
	j.raw("{")
	if module != "" {
		j.raw(`"module":`)
		j.string(module)
		j.raw(",")
	}
	j.raw(`"name":`)
	j.string(c.Name)
	j.raw(`,"opcode":`)
	j.word(c.Opcode)
	j.raw(`,"async":`)
	j.bool(c.Async)
	j.raw(`,"computation":`)
	j.string(c.Computation)
	if len(c.WrappedIn) > 0 {
		j.raw(`,"wrappedIn":`)
		j.list(len(c.WrappedIn), func(k int) { j.wrapper(&c.WrappedIn[k]) })
	}
	j.raw(`,"logical":`)
	j.bool(c.Logical)
	j.raw(`,"channelId":`)
	j.optional(c.ChannelID)
	j.participants(c)
	j.runs(c)
	j.raw(`,"origin":`)
	j.word(c.Origin)
	j.raw(`,"originReason":`)
	j.known(c.OriginReason)
	j.raw(`,"opName":`)
	j.known(c.OpName)
	j.raw(`,"source":`)
	j.collectiveSource(c)
	j.raw(`,"frames":`)
	j.frames(c.Frames)
	if len(c.CallerFrames) > 0 {
		j.raw(`,"callerFrames":`)
		j.frames(c.CallerFrames)
	}
	j.raw(`,"operands":`)
	j.list(len(c.Operands), func(k int) { j.operand(&c.Operands[k]) })
	j.raw(`,"results":`)
	j.list(len(c.Results), func(k int) {
		j.raw("{")
		j.arrayOf(&c.Results[k])
		j.raw("}")
	})
	j.amounts(c)
	if j.opts.Measured != nil {
		j.raw(`,"measured":`)
		j.measured(j.opts.Measured(c))
	}
	j.raw("}")
}

// measured writes what a profile saw of a collective: in which instructions of the final module, how many executions on all devices,
// and their times in seconds.
func (j *collectivesWriter) measured(list []hlomap.Measurement) {
	if len(list) == 0 {
		j.raw("null")
		return
	}
	j.raw(`{"instructions":`)
	j.list(len(list), func(k int) { j.string(list[k].Instruction) })
	var total measuredTimes
	for _, m := range list {
		total.add(m)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"operands", total.operands}, {"events", total.events}, {"devices", total.devices}} {
		j.raw(`,"` + n.name + `":`)
		j.int(int64(n.value))
	}
	for _, t := range []struct {
		name    string
		seconds float64
	}{{"mean", total.mean}, {"min", total.least}, {"max", total.most}} {
		j.raw(`,"` + t.name + `Seconds":`)
		j.buf = strconv.AppendFloat(j.buf, t.seconds, 'g', -1, 64)
	}
	j.raw("}")
}

// measuredTimes adds up the measurements of one exchange, which mostly are one. Times are seconds.
type measuredTimes struct {
	operands, events, devices int
	mean, least, most         float64
}

func (t *measuredTimes) add(m hlomap.Measurement) {
	t.operands += m.Operands
	t.events += m.Count
	t.devices = max(t.devices, len(m.Devices))
	t.mean += m.MeanSeconds()
	t.least += float64(m.MinPs) / 1e12
	t.most += float64(m.MaxPs) / 1e12
}

func (j *collectivesWriter) wrapper(w *hlomap.Wrapper) {
	j.raw(`{"kind":`)
	j.string(w.Kind)
	j.raw(`,"computation":`)
	j.string(w.Computation)
	j.raw(`,"instruction":`)
	j.string(w.Instruction)
	j.raw(`,"in":`)
	j.string(w.In)
	j.raw("}")
}

// participants writes groups, pairs and axes.
func (j *collectivesWriter) participants(c *hlomap.Collective) {
	j.raw(`,"replicaGroups":`)
	j.replicaGroups(c.ReplicaGroups)
	j.raw(`,"sourceTargetPairs":`)
	j.knownList(c.SourceTargetPairs != nil, len(c.SourceTargetPairs), func(k int) { j.ints(c.SourceTargetPairs[k][:]) })
	if c.GroupsTooLarge {
		j.raw(`,"groupsTooLarge":true`)
	}
	j.raw(`,"axes":`)
	j.strings(c.Axes)
	j.raw(`,"axesExact":`)
	j.bool(c.AxesExact)
	if c.Opcode == "collective-permute" {
		j.raw(`,"shift":`)
		j.shift(c.Shift)
	}
}

// shift writes how a permute moves data along its axis.
func (j *collectivesWriter) shift(s *hlomap.Shift) {
	if s == nil {
		j.raw("null")
		return
	}
	j.raw(`{"axis":`)
	j.string(s.Axis)
	j.raw(`,"steps":`)
	j.int(int64(s.Steps))
	j.raw(`,"open":`)
	j.bool(s.Open)
	j.raw("}")
}

func (j *collectivesWriter) replicaGroups(groups [][]int) {
	if len(groups) > 0 {
		if text, ok := j.groups[&groups[0]]; ok {
			j.raw(text)
			return
		}
	}
	from := len(j.buf)
	j.knownList(groups != nil, len(groups), func(k int) { j.ints(groups[k]) })
	if len(groups) > 0 {
		j.keepGroups(&groups[0], string(j.buf[from:]))
	}
}

// mostGroups is how many bytes of printed group lists are kept: several of the lists of tens of thousands of devices.
const mostGroups = 4 << 20

// keepGroups keeps a group list as printed. Where that gets too much, all others go.
func (j *collectivesWriter) keepGroups(first *[]int, text string) {
	if j.groups == nil || j.groupsSize+len(text) > mostGroups {
		j.groups, j.groupsSize = map[*[]int]string{}, 0
	}
	j.groups[first] = text
	j.groupsSize += len(text)
}

func (j *collectivesWriter) runs(c *hlomap.Collective) {
	j.raw(`,"executions":`)
	j.optional(c.Executions)
	j.raw(`,"executionsReason":`)
	j.known(c.ExecutionsReason)
	if c.Conditional {
		j.raw(`,"conditional":true`)
	}
}

func (j *collectivesWriter) amounts(c *hlomap.Collective) {
	j.raw(`,"bytesPerExecution":`)
	j.optional(c.BytesPerExecution)
	j.raw(`,"wireBytesPerExecution":`)
	j.optional(c.WireBytesPerExecution)
	j.raw(`,"bytesPerStep":`)
	j.optional(c.BytesPerStep)
	j.raw(`,"reducerDtype":`)
	j.known(c.ReducerDType)
	j.raw(`,"widenedByBackend":`)
	j.bool(c.WidenedByBackend)
}

// arrayOf writes the fields of an array without braces.
func (j *collectivesWriter) arrayOf(a *hlomap.Array) {
	if last := &j.array; len(j.arrayText) > 0 && a.Bytes == last.Bytes && a.DType == last.DType && slices.Equal(a.Shape, last.Shape) {
		j.buf = append(j.buf, j.arrayText...)
		return
	}
	from := len(j.buf)
	j.raw(`"dtype":`)
	j.known(a.DType)
	j.raw(`,"shape":`)
	j.knownList(a.DType != "", len(a.Shape), func(k int) { j.atLeast(0, a.Shape[k]) })
	j.raw(`,"bytes":`)
	j.atLeast(0, a.Bytes)
	j.array, j.arrayText = *a, append(j.arrayText[:0], j.buf[from:]...)
}

func (j *collectivesWriter) operand(o *hlomap.Operand) {
	j.raw("{")
	j.arrayOf(&o.Array)
	j.raw(`,"role":`)
	j.word(string(o.Role))
	j.raw(`,"parameters":`)
	j.strings(o.Parameters)
	j.raw(`,"source":`)
	if o.Cause != nil {
		j.source(o.Cause.Frames)
	} else {
		j.source(nil)
	}
	j.raw(`,"precision":`)
	j.known(o.ParamPrecision)
	j.raw(`,"firstUser":`)
	j.cause(o.FirstUser)
	j.raw("}")
}

// cause writes an operation with its line, null where there is none.
func (j *collectivesWriter) cause(c *hlomap.Cause) {
	if c == nil {
		j.raw("null")
		return
	}
	j.raw(`{"instruction":`)
	j.string(c.Instruction)
	j.raw(`,"opName":`)
	j.known(c.OpName)
	j.raw(`,"source":`)
	j.source(c.Frames)
	j.raw("}")
}

func (j *collectivesWriter) frames(frames []hlomap.Frame) {
	if len(frames) == 0 {
		j.raw("null")
		return
	}
	s := j.stack(frames)
	if s != nil && s.text != "" {
		j.raw(s.text)
		return
	}
	from := len(j.buf)
	j.list(len(frames), func(k int) { j.frame(&frames[k]) })
	if s != nil {
		s.text = string(j.buf[from:])
	}
}

// stack returns what is kept of a stack of frames: nil for less than two, which are shared only where nearly all have more.
func (j *collectivesWriter) stack(frames []hlomap.Frame) *stackText {
	if len(frames) < 2 {
		return nil
	}
	s := j.stacks[&frames[0]]
	if s == nil || s.frames != len(frames) {
		s = &stackText{frames: len(frames), line: j.lineOf(frames)}
		from := len(j.buf)
		j.sourceLine(s.line)
		s.source = string(j.buf[from:])
		j.buf = j.buf[:from]
		if j.stacks == nil {
			j.stacks = map[*hlomap.Frame]*stackText{}
		}
		j.stacks[&frames[0]] = s
	}
	return s
}

func (j *collectivesWriter) frame(f *hlomap.Frame) {
	j.raw(`{"path":`)
	j.known(j.display(f.Path))
	j.raw(`,"line":`)
	j.atLeast(1, int64(f.Line))
	j.raw(`,"function":`)
	j.known(f.Function)
	j.raw("}")
}

// collectiveSource writes the line of a collective, which mostly is that of its frames.
func (j *collectivesWriter) collectiveSource(c *hlomap.Collective) {
	if j.opts.Collective == nil {
		j.source(c.Stack())
		return
	}
	line := j.opts.Collective(c)
	if s := j.stack(c.Frames); s != nil && s.line == line {
		j.raw(s.source)
		return
	}
	j.sourceLine(line)
}

// source writes the line to show for a stack of frames.
func (j *collectivesWriter) source(frames []hlomap.Frame) {
	if s := j.stack(frames); s != nil {
		j.raw(s.source)
		return
	}
	j.sourceLine(j.lineOf(frames))
}

func (j *collectivesWriter) lineOf(frames []hlomap.Frame) SourceLine {
	switch {
	case len(frames) == 0:
		return SourceLine{Precision: hlomap.PrecisionNone}
	case j.opts.Source != nil:
		return j.opts.Source(frames)
	}
	f := &frames[0]
	return SourceLine{Path: j.display(f.Path), Line: f.Line, Function: f.Function, Precision: hlomap.PrecisionExact}
}

func (j *collectivesWriter) sourceLine(s SourceLine) {
	j.raw(`{"path":`)
	j.known(s.Path)
	j.raw(`,"line":`)
	j.atLeast(1, int64(s.Line))
	j.raw(`,"column":`)
	j.atLeast(1, int64(s.Column))
	j.raw(`,"function":`)
	j.known(s.Function)
	j.raw(`,"precision":`)
	j.word(string(s.Precision))
	if s.Edited {
		j.raw(`,"edited":true`)
	}
	j.raw("}")
}

func (j *collectivesWriter) display(path string) string {
	if j.opts.Display == nil || path == "" {
		return path
	}
	return j.opts.Display(path)
}

// plain returns how many of the first bytes of s stand in a JSON string as they are, which are nearly all. It looks at eight at a time:
// a byte of a word is not plain where it has its highest bit set, or where taking the least plain byte from it, or one from what it
// differs in from a quote or a backslash, borrows from that bit.
func plain(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	k := 0
	for ; k+8 <= len(s); k += 8 {
		w := uint64(s[k]) | uint64(s[k+1])<<8 | uint64(s[k+2])<<16 | uint64(s[k+3])<<24 |
			uint64(s[k+4])<<32 | uint64(s[k+5])<<40 | uint64(s[k+6])<<48 | uint64(s[k+7])<<56
		quote, backslash := w^ones*'"', w^ones*'\\'
		if (w|(w-ones*' ')|(quote-ones)|(backslash-ones))&high != 0 {
			break
		}
	}
	for k < len(s) && s[k] >= ' ' && s[k] != '"' && s[k] != '\\' && s[k] < utf8.RuneSelf {
		k++
	}
	return k
}

// appendJSONString appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendJSONString(buf []byte, s string) []byte {
	const hex = "0123456789abcdef"
	buf = append(buf, '"')
	from := 0
	for k := 0; k < len(s); {
		if k += plain(s[k:]); k == len(s) {
			break
		}
		c := s[k]
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[k:]); r != utf8.RuneError || n > 1 {
				k += n
				continue
			}
		}
		buf = append(buf, s[from:k]...)
		switch {
		case c == '"' || c == '\\':
			buf = append(buf, '\\', c)
		case c == '\n':
			buf = append(buf, '\\', 'n')
		case c == '\t':
			buf = append(buf, '\\', 't')
		case c >= utf8.RuneSelf:
			buf = append(buf, "\ufffd"...)
		default:
			buf = append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		k++
		from = k
	}
	return append(append(buf, s[from:]...), '"')
}
