package hlomap

import "bytes"

// textSource decodes from HLO text what the forward pass did not keep.
type textSource struct {
	m        *Module
	text     []byte
	start    int // of the module in the text
	end      int
	attrs    int // of the header's attributes; attrsEnd is 0 without a header
	attrsEnd int
	tables   [numTables]int  // offset of the first line of each frame table, 0 where there is none
	closes   []uint32        // by computation: offset of its "}"
	bodies   []bodyLines     // by computation
	nested   []nestedBody    // in order; nil but for text with bodies in place
	lines    []uint32        // of a text that was laid out anew: by line, the 1-based one of the file
	inline   map[InstrID]int // where the types of instructions start that stand in place of an operand

	header onceValue[map[string]span]
}

func (s *textSource) moduleAttr(key string) (string, bool) {
	v, ok := s.headerValue(key)
	return string(v), ok
}

func (s *textSource) tiled() bool {
	layout, _ := s.headerValue("entry_computation_layout")
	return bytes.Contains(layout, []byte(":T("))
}

// headerValue looks in the header's attributes, which are found once: some are as long as the module has parameters.
func (s *textSource) headerValue(key string) ([]byte, bool) {
	header := s.header.get(func() map[string]span {
		all := map[string]span{}
		eachAttr(s.text, s.attrs, s.attrsEnd, func(key, value span) bool {
			all[string(key.of(s.text))] = value
			return true
		})
		return all
	})
	v, ok := header[key]
	return v.of(s.text), ok
}

func (s *textSource) compNameBytes(c CompID) []byte {
	at := s.m.comps[c].at
	return s.text[at : at+s.m.comps[c].size]
}

// compThread reads `}, execution_thread="host"`.
func (s *textSource) compThread(c CompID) string {
	p := int(s.closes[c]) + 1
	limit := lineEnd(s.text, min(p, len(s.text)))
	if p >= limit {
		return ""
	}
	v, _ := findAttr(s.text, p, limit, "execution_thread")
	return unquote(v.of(s.text))
}

func (s *textSource) instrName(i InstrID) string {
	if _, ok := s.inline[i]; ok {
		return textOf(s.opcodeSpan(i).of(s.text))
	}
	p := int(s.m.at[i])
	return textOf(s.text[p:skipName(s.text, p)])
}

// opcodeSpan finds the opcode in front of the operand list.
func (s *textSource) opcodeSpan(i InstrID) span {
	to := int(s.m.operands[i]) - 1
	from := to
	for from > 0 && nameChar[s.text[from-1]] {
		from--
	}
	return span{from, to}
}

func (s *textSource) opcode(i InstrID) string {
	if o := s.m.ops[i]; o != OpOther && o != OpAsyncStart && o != OpAsyncUpdate && o != OpAsyncDone {
		return o.String()
	}
	return string(s.opcodeSpan(i).of(s.text))
}

func (s *textSource) shape(i InstrID, dims *block[int64]) Shape {
	if at, ok := s.inline[i]; ok {
		return s.inlineShape(i, at, dims)
	}
	p := skipName(s.text, int(s.m.at[i]))
	if n := bytes.IndexByte(s.text[p:], '='); n >= 0 {
		p = skipBlank(s.text, p+n+1)
	}
	sh, _, ok := parseShape(s.text, p, dims)
	if !ok {
		return Shape{}
	}
	return sh
}

// attrsOf returns where the attributes of an instruction start, and the end of all its text: a byte of the next
// instruction or of the computation's end. What stands between is white space, a "ROOT" or a "%".
func (s *textSource) attrsOf(i InstrID) (from, limit int) {
	if _, ok := s.inline[i]; ok { // those have none
		return 0, 0
	}
	c := s.m.Comp(i)
	if i+1 < s.m.comps[c].end {
		limit = int(s.m.at[i+1])
	} else {
		limit = int(s.closes[c])
	}
	open := int(s.m.operands[i]) - 1
	if s.m.ops[i] == OpConstant {
		return min(skipLiteral(s.text, open), limit), limit
	}
	// As printed, an operand list holds no parentheses.
	list := s.text[open+1 : limit]
	if n := bytes.IndexByte(list, ')'); n >= 0 && bytes.IndexByte(list[:n], '(') < 0 {
		return open + 1 + n + 1, limit
	}
	from, _ = skipOperands(s.text[:limit], open)
	return from, limit
}

func (s *textSource) attrSpan(i InstrID, key string) (span, bool) {
	from, limit := s.attrsOf(i)
	return findAttr(s.text, from, limit, key)
}

func (s *textSource) attr(i InstrID, key string) (string, bool) {
	v, ok := s.attrSpan(i, key)
	return textOf(v.of(s.text)), ok
}

func (s *textSource) argument(i InstrID, spelled *spellings, dims *block[int64]) argument {
	a := argument{shape: s.shape(i, dims)}
	a.opName = s.eachAttr(i, spelled, func(key, value []byte) {
		if string(key) == "sharding" && !a.sharded {
			a.sharding, a.sharded = value, true
		}
	}).OpName
	return a
}

// eachAttr visits the attributes of an instruction in the order written, but for the metadata, which it returns. The slices are parts
// of the text.
func (s *textSource) eachAttr(i InstrID, spelled *spellings, visit func(key, value []byte)) Metadata {
	md := Metadata{Column: -1}
	p, limit := s.attrsOf(i)
	t := s.text[:limit]
	for p = attrStart(t, p); p < limit; p = attrStart(t, p) {
		key, q, valued, ok := nextKey(t, p)
		end := q
		switch {
		case !ok:
			return md
		case !valued:
			visit(key.of(t), nil)
		case string(key.of(t)) == "metadata":
			md, end = readMetadata(t, q)
		default:
			var value []byte
			value, end = spelled.value(t, q)
			visit(key.of(t), value)
		}
		p = max(end, p+1)
	}
	return md
}

// metadata reads the fields in `metadata={…}`.
func (s *textSource) metadata(i InstrID) Metadata {
	p, limit := s.attrsOf(i)
	at, valued, _ := findValue(s.text, p, limit, "metadata")
	if !valued {
		return Metadata{Column: -1}
	}
	md, _ := readMetadata(s.text[:limit], at)
	return md
}

// readMetadata reads the `{op_name="…" stack_frame_id=3}` at p and returns where it ends.
func readMetadata(t []byte, p int) (md Metadata, end int) {
	md.Column = -1
	for q := p + 1; q < len(t) && t[p] == '{'; {
		switch t[q] {
		case ' ', ',', '\n':
			q++
			continue
		case '}':
			return md, q + 1
		}
		key, value, end, ok := nextAttr(t, q, len(t))
		if !ok {
			break
		}
		q = max(end, q+1)
		md.set(key.of(t), value.of(t))
	}
	return md, endOfValue(t, p)
}

func (md *Metadata) set(key, value []byte) {
	switch string(key) {
	case "op_type":
		md.OpType = unquote(value)
	case "op_name":
		md.OpName = unquote(value)
	case "source_file":
		md.SourceFile = unquote(value)
	case "source_line":
		md.SourceLine = atoi(string(value), 0)
	case "source_column":
		md.Column = atoi(string(value), -1)
	case "stack_frame_id":
		md.FrameID = atoi(string(value), 0)
	}
}

// collective reads all that a collective needs in one walk over its attributes.
func (s *textSource) collective(i InstrID, spelled *spellings) collectiveAttrs {
	a := collectiveAttrs{callee: NoComp}
	a.metadata = s.eachAttr(i, spelled, func(key, value []byte) {
		switch string(key) {
		case "channel_id":
			n, end := parseInt(value, 0)
			a.hasChannel = end == 0 || n > 0 // builds that hide the number print "_"
			a.channel = n
		case "use_global_device_ids":
			a.global = string(value) == "true"
		case "replica_groups":
			a.groups, a.hasGroups = value, true
		case "source_target_pairs":
			a.pairs = value
		case "slice_sizes":
			a.sliceSizes = value
		case "frontend_attributes":
			a.frontend = value
		case "backend_config":
			a.generated = generatedByPartitioner(value)
		case "to_apply":
			if name := firstName(value); len(s.nested) == 0 && len(name) > 0 {
				a.callee = s.m.compNamed(name)
			} else if called := s.called(i); len(called) > 0 {
				a.callee = called[0]
			}
		}
	})
	return a
}

func (s *textSource) participants(i InstrID, spelled *spellings) (groups, pairs []byte) {
	s.eachAttr(i, spelled, func(key, value []byte) {
		switch string(key) {
		case "replica_groups":
			groups = value
		case "source_target_pairs":
			pairs = value
		}
	})
	return groups, pairs
}

func (s *textSource) namers() []InstrID {
	var list []InstrID
	for i, op := range s.m.ops {
		if op.namesParticipants() {
			list = append(list, InstrID(i))
		}
	}
	return list
}

// generatedByPartitioner reads GPU's mark in the configuration of a collective.
func generatedByPartitioner(config []byte) bool {
	return bytes.Contains(config, []byte(`"is_spmd_generated":true`))
}

// unquote returns the content of a quoted string with its escapes undone, and unquoted text as it is. The string shares memory with v
// where it can, see [textOf].
func unquote(v []byte) string {
	if len(v) >= 2 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		return unescape(v[1 : len(v)-1])
	}
	return textOf(v)
}

// calleeKeys are the attributes that name computations, in the order that Called promises.
var calleeKeys = [...]string{"body", "condition", "calls", "to_apply", "branch_computations", "true_computation",
	"false_computation", "called_computations", "select", "scatter"}

func (s *textSource) called(i InstrID) []CompID {
	var found [len(calleeKeys)]span
	p, limit := s.attrsOf(i)
	eachAttr(s.text, p, limit, func(key, value span) bool {
		for k, name := range calleeKeys {
			if string(key.of(s.text)) == name {
				found[k] = value
			}
		}
		return true
	})
	var out []CompID
	for _, v := range found {
		if v.from < v.to {
			out = append(out, s.compsIn(v)...)
		}
	}
	return out
}

func (s *textSource) literal(i InstrID) (string, bool) {
	open := int(s.m.operands[i]) - 1
	end := skipLiteral(s.text, open)
	v := bytes.TrimSpace(s.text[open+1 : max(open+1, end-1)])
	if bytes.Contains(v[:min(len(v), 64)], []byte("...")) {
		return "", false
	}
	return string(v), true
}

// bodyLines says where the instructions of a computation stand. In printed text each has a line of its own, from the
// line after the header on.
type bodyLines struct {
	line    uint32 // 1-based line of the "{"
	from    uint32 // offset of the "{"
	braced  bool   // false for a bare list of instructions
	regular bool
}

// line is the line of an instruction in its file.
func (s *textSource) line(i InstrID) int {
	n := s.lineOfText(i)
	if n > 0 && n <= len(s.lines) {
		return int(s.lines[n-1])
	}
	return n
}

// lineOfText is the line in the text that was read: a sum in printed text, counted in the computation in hand-written text.
func (s *textSource) lineOfText(i InstrID) int {
	c := &s.m.comps[s.m.Comp(i)]
	b := s.bodies[s.m.Comp(i)]
	if b.regular {
		return int(b.line) + 1 + int(i-c.first)
	}
	return int(b.line) + bytes.Count(s.text[b.from:s.m.at[i]], []byte{'\n'})
}
