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
	tables   [numTables]int // offset of the first line of each frame table, 0 where there is none
	closes   []uint32       // by computation: offset of its "}"
}

func (s *textSource) moduleAttr(key string) (string, bool) {
	v, ok := findAttr(s.text, s.attrs, s.attrsEnd, key)
	return string(v.of(s.text)), ok
}

func (s *textSource) compName(c CompID) string {
	at := s.m.comps[c].at
	return string(s.text[at : at+s.m.comps[c].size])
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
	p := int(s.m.at[i])
	return string(s.text[p:skipName(s.text, p)])
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

func (s *textSource) shape(i InstrID) Shape {
	p := skipName(s.text, int(s.m.at[i]))
	if n := bytes.IndexByte(s.text[p:], '='); n >= 0 {
		p = skipBlank(s.text, p+n+1)
	}
	sh, _, ok := parseShape(s.text, p)
	if !ok {
		return Shape{}
	}
	return sh
}

// attrsOf returns where the attributes of an instruction start, and the end of all its text: a byte of the next
// instruction or of the computation's end. What stands between is white space, a "ROOT" or a "%".
func (s *textSource) attrsOf(i InstrID) (from, limit int) {
	c := s.m.comp[i]
	if i+1 < s.m.comps[c].end {
		limit = int(s.m.at[i+1])
	} else {
		limit = int(s.closes[c])
	}
	open := int(s.m.operands[i]) - 1
	if s.m.ops[i] == OpConstant {
		return min(skipLiteral(s.text, open), limit), limit
	}
	from, _ = skipBalanced(s.text[:limit], open)
	return from, limit
}

func (s *textSource) attrSpan(i InstrID, key string) (span, bool) {
	from, limit := s.attrsOf(i)
	return findAttr(s.text, from, limit, key)
}

func (s *textSource) attr(i InstrID, key string) (string, bool) {
	v, ok := s.attrSpan(i, key)
	return string(v.of(s.text)), ok
}

// eachAttr visits the attributes of an instruction in the order written. The slices are parts of the text.
func (s *textSource) eachAttr(i InstrID, visit func(key, value []byte)) {
	p, limit := s.attrsOf(i)
	for p < limit {
		p = skipBlank(s.text[:limit], p)
		if p < limit && s.text[p] == ',' {
			p++
			continue
		}
		key, value, end, ok := nextAttr(s.text, p, limit)
		if !ok {
			return
		}
		visit(key.of(s.text), value.of(s.text))
		p = max(end, p+1)
	}
}

// metadata reads the fields in `metadata={…}`.
func (s *textSource) metadata(i InstrID) Metadata {
	md := Metadata{Column: -1}
	v, ok := s.attrSpan(i, "metadata")
	if !ok || v.to-v.from < 2 {
		return md
	}
	for p := v.from + 1; p < v.to-1; {
		if c := s.text[p]; c == ' ' || c == ',' || c == '\n' {
			p++
			continue
		}
		key, value, end, ok := nextAttr(s.text, p, v.to-1)
		if !ok {
			return md
		}
		p = max(end, p+1)
		md.set(string(key.of(s.text)), value.of(s.text))
	}
	return md
}

func (md *Metadata) set(key string, value []byte) {
	switch key {
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

// unquote returns the content of a quoted string with its escapes undone, and unquoted text as it is.
func unquote(v []byte) string {
	if len(v) >= 2 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		return unescape(v[1 : len(v)-1])
	}
	return string(v)
}

// calleeKeys are the attributes that name computations, in the order that Called promises.
var calleeKeys = [...]string{"body", "condition", "calls", "to_apply", "branch_computations", "true_computation",
	"false_computation", "called_computations", "select", "scatter"}

func (s *textSource) called(i InstrID) []CompID {
	var found [len(calleeKeys)][]byte
	s.eachAttr(i, func(key, value []byte) {
		for k, name := range calleeKeys {
			if string(key) == name {
				found[k] = value
			}
		}
	})
	var out []CompID
	for _, v := range found {
		for _, n := range nameList(v) {
			if c := s.m.CompByName(string(n)); c != NoComp {
				out = append(out, c)
			}
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

func (s *textSource) parameterNumber(i InstrID) int {
	p := skipBlank(s.text, int(s.m.operands[i]))
	n, e := parseInt(s.text, p)
	if e == p || n >= maxParameter {
		return -1
	}
	return int(n)
}

func (s *textSource) line(i InstrID) int {
	return 1 + bytes.Count(s.text[:s.m.at[i]], []byte{'\n'})
}
