package hlomap

import "bytes"

// XLA's parser takes text token by token: any white space, line or comment may stand between two of them, and several instructions on a
// line. The pass over the text is made for what XLA prints and most people write. Of what it does not understand it gets a second
// version, in which every instruction has a line of its own and tokens stand as XLA prints them.

// maxRelaid bounds the text that is laid out anew: nobody writes more by hand, and what XLA printed is laid out already.
const maxRelaid = 4 << 20

// readAgain reads the text of a module that the pass did not understand in a layout like XLA's, and returns what it read if that is more.
func (r *textReader) readAgain(m *Module) *Module {
	from, to := r.src.start, r.src.end
	if !r.odd || to-from > maxRelaid {
		return m
	}
	text, lines := relay(r.text[from:to], 1+bytes.Count(r.text[:from], []byte{'\n'}))
	again := &Module{path: m.path, entry: NoComp, inOrder: true}
	second := &textReader{text: text}
	second.module(again, 0)
	before, after := len(m.problems)+r.omitted, len(again.problems)+second.omitted
	if len(again.ops) < len(m.ops) || after > 0 && (after >= before || len(again.comps) < len(m.comps)) {
		return m
	}
	second.src.lines = lines
	for k := range again.problems {
		if p := &again.problems[k]; p.Line > 0 && p.Line <= len(lines) {
			p.Line = int(lines[p.Line-1])
		}
	}
	return again
}

// relay lays a module out anew, whose text begins in a line of its file. It tells of each line of the new text which one of the file it
// is from, 1-based.
func relay(t []byte, line int) (out []byte, lines []uint32) {
	l := layouter{t: t, line: line}
	for l.next() {
		l.place()
	}
	l.breakLine()
	return l.out, l.lines
}

// layouter goes through the tokens of a text.
type layouter struct {
	t          []byte
	at, end    int  // the token
	line       int  // of the token
	spaced     bool // white space or a comment is before it
	out        []byte
	lines      []uint32
	depth      int  // of brackets in the current line
	square     int  // how many of them are "["
	body       bool // in a computation
	phase      phase
	last       byte // the last byte of the token before
	lastWord   string
	afterComma bool
}

// phase is where in an instruction the layouter is.
type phase uint8

const (
	phaseName phase = iota
	phaseShape
	phaseOperands
	phaseAttributes
)

// next moves to the next token; false means that there is none.
func (l *layouter) next() bool {
	p := skipBlank(l.t, l.end)
	l.spaced = p > l.end
	l.line += bytes.Count(l.t[l.at:p], []byte{'\n'})
	l.at = p
	if p >= len(l.t) {
		return false
	}
	switch c := l.t[p]; {
	case c == '"':
		l.end = skipString(l.t, p)
	case c == '\'':
		l.end = skipAxisName(l.t, p)
	case c == '%':
		l.end = max(skipName(l.t, p+1), p+1)
	case nameChar[c]:
		l.end = skipName(l.t, p)
	default:
		l.end = p + 1
	}
	return true
}

// following returns the first byte of the token after the one at hand, 0 at the end.
func (l *layouter) following() byte {
	if p := skipBlank(l.t, l.end); p < len(l.t) {
		return l.t[p]
	}
	return 0
}

// place writes the token.
func (l *layouter) place() {
	token := l.t[l.at:l.end]
	c := token[0]
	switch {
	case l.depth == 0 && l.body && c == '}':
		l.breakLine()
		l.write(token, false)
		l.body = false
		return
	case l.depth == 0 && !l.body && c == '{' && l.opensBody():
		l.write(token, true)
		l.breakLine()
		l.body = true
		return
	case l.depth == 0 && l.startsLine(token):
		l.breakLine()
	}
	l.write(token, l.spaceBefore(c))
	switch c {
	case '(', '[', '{':
		l.depth++
		if c == '[' {
			l.square++
		}
		if c == '(' && l.phase == phaseShape && l.depth == 1 && nameChar[l.before()] {
			l.phase = phaseOperands
		}
	case ')', ']', '}':
		l.depth = max(l.depth-1, 0)
		if c == ']' {
			l.square = max(l.square-1, 0)
		}
	case '=':
		if l.depth == 0 && l.phase == phaseName {
			l.phase = phaseShape
		}
	case ',':
		if l.depth == 0 && l.phase == phaseOperands {
			l.phase = phaseAttributes
		}
	}
}

// before returns the byte before the one that was written last.
func (l *layouter) before() byte {
	if n := len(l.out); n > 1 {
		return l.out[n-2]
	}
	return 0
}

// opensBody reports whether the "{" at hand opens a computation, not a layout.
func (l *layouter) opensBody() bool {
	if l.lastWord != "" && l.lastWord[0] >= '0' && l.lastWord[0] <= '9' { // an entry of a table
		return false
	}
	return l.last != ']' || !layoutStart(l.following())
}

// startsLine reports whether the token, which is in no bracket, is the first of an instruction, a computation or a line of a table.
func (l *layouter) startsLine(token []byte) bool {
	if l.afterComma || l.lastWord == "ROOT" || l.lastWord == "ENTRY" || !nameChar[token[0]] && token[0] != '%' {
		return false
	}
	if l.body {
		if string(token) == "ROOT" {
			return true
		}
		p := skipBlank(l.t, l.end)
		return p < len(l.t) && l.t[p] == '=' && (p > l.end || token[0] == '%') // else it is an attribute
	}
	// A header or a line of a table ends where no comma follows a name, a number or a bracket.
	return l.last == '}' || l.last == '"' || nameChar[l.last] && l.lastWord != "HloModule"
}

// spaceBefore reports whether a token that begins with c is to have a blank before it.
func (l *layouter) spaceBefore(c byte) bool {
	word := nameChar[c] || c == '%'
	switch {
	case l.square > 0:
		return false
	case l.phase == phaseName && c == '=' && l.body && l.depth == 0, l.phase == phaseShape && l.last == '=':
		return true
	case l.phase == phaseShape && l.depth == 0 && c == '(' && nameChar[l.last], c == '{' && l.last == ']' && l.phase < phaseAttributes && layoutStart(l.following()):
		return false
	case l.phase == phaseShape && l.depth == 0, l.phase == phaseOperands && l.depth == 1:
		if word && (l.last == ']' || l.last == '}' || l.last == ')') {
			return true
		}
	}
	if c == ')' || c == '}' || c == ']' || c == ',' || l.last == '(' || l.last == '{' || l.last == '[' {
		return false
	}
	return l.spaced
}

func (l *layouter) write(token []byte, space bool) {
	if n := len(l.out); n == 0 || l.out[n-1] == '\n' {
		l.lines = append(l.lines, uint32(l.line))
	} else if space {
		l.out = append(l.out, ' ')
	}
	if l.lastWord == "ROOT" { // an instruction is where its name is
		l.lines[len(l.lines)-1] = uint32(l.line)
	}
	l.out = append(l.out, bytes.ReplaceAll(token, []byte{'\n'}, []byte{' '})...)
	l.last, l.afterComma, l.lastWord = token[len(token)-1], token[0] == ',', ""
	if nameChar[token[0]] {
		l.lastWord = string(token)
	}
}

// breakLine ends the line at hand.
func (l *layouter) breakLine() {
	if n := len(l.out); n > 0 && l.out[n-1] != '\n' {
		l.out = append(l.out, '\n')
	}
	l.depth, l.square, l.phase, l.last, l.lastWord, l.afterComma = 0, 0, phaseName, 0, "", false
}
