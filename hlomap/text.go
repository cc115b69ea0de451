package hlomap

import (
	"bytes"
	"fmt"
)

// The forward pass over HLO text. It keeps the graph and offsets; whatever else a question needs is decoded from the
// bytes later (textsource.go). It reads every vintage and printer: names with and without "%", operands with and
// without types, elided get-tuple-elements, forward references, instructions over several lines.

// maxProblems bounds the problems kept for a module, so that a file of another kind does not give one for each line.
const maxProblems = 20

// readText reads all modules of a text.
func readText(path string, text []byte, memory *residence) []*Module {
	r := &textReader{text: text}
	var out []*Module
	for p := r.skipPreamble(0); p < len(text); p = r.skipPreamble(p) {
		m := &Module{path: path, entry: NoComp, inOrder: true, memory: memory}
		p = r.module(m, p)
		m = r.readAgain(m)
		if len(m.comps) > 0 || m.name != "" || len(m.problems) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// textReader holds the state of the pass over one text.
type textReader struct {
	text []byte
	m    *Module
	src  *textSource

	table   nameTable
	pending []pendingOperand // operands of the current computation that are not defined yet
	omitted int              // problems beyond maxProblems
	known   int              // problems before the current computation
	nested  []nestedBody     // bodies that stand in attributes of the instructions so far
	inline  inlineReader

	odd      bool // whether something of the module was not as XLA prints it
	reserved bool // whether a module has been given room for the whole text

	// The line of a position that the pass has been at; positions only grow.
	lineAt   int
	lineFrom int
	regular  bool // each instruction of the computation so far has had a line of its own
}

// pendingOperand is an operand that was used before it was defined.
type pendingOperand struct {
	edge   uint32
	name   uint32
	length uint32
}

var (
	headerWord = []byte("HloModule")
	rootWord   = []byte("ROOT ")
	entryWord  = []byte("ENTRY")
)

// skipPreamble returns the start of the first line that may belong to a module: it skips blank lines, comments, and
// the lines that frame a dump on standard output ("*** Begin FILE ***").
func (r *textReader) skipPreamble(p int) int {
	t := r.text
	if p == 0 && bytes.HasPrefix(t, []byte("\xef\xbb\xbf")) {
		p = 3
	}
	for {
		p = skipBlank(t, p)
		if p < len(t) && bytes.HasPrefix(t[p:], []byte("*** ")) {
			p = nextLine(t, p)
			continue
		}
		return p
	}
}

// module reads one module from p and returns the position after it.
func (r *textReader) module(m *Module, p int) int {
	r.m, r.src, r.omitted, r.nested, r.odd = m, &textSource{m: m, text: r.text, start: p}, 0, nil, false
	m.src, m.content = r.src, r.text
	if bytes.HasPrefix(r.text[p:], headerWord) {
		p = r.header(p)
	}
	r.reserve(p)
	for p = r.skipPreamble(p); p < len(r.text) && !r.atHeader(p); p = r.skipPreamble(p) {
		p = r.topLevel(p)
	}
	r.finish()
	r.src.end = p
	return p
}

// atHeader reports whether a module header starts at p.
func (r *textReader) atHeader(p int) bool {
	t := r.text
	if !bytes.HasPrefix(t[p:], headerWord) || p > 0 && t[p-1] != '\n' {
		return false
	}
	e := p + len(headerWord)
	return e >= len(t) || t[e] == ' ' || t[e] == '\t'
}

// bytesPerInstruction is what an instruction with metadata takes in printed text, at the lower end.
const bytesPerInstruction = 128

// instructionsPerComputation is how many instructions stand in a computation, at the lower end: most modules have a reducer of its own
// for each reduction.
const instructionsPerComputation = 16

// reserve sizes the arrays for the first module of a text, which in a dump is the only one; further ones let them grow.
func (r *textReader) reserve(p int) {
	n := 64
	if !r.reserved {
		n += (len(r.text) - p) / bytesPerInstruction
		r.reserved = true
	}
	m := r.m
	m.ops = make([]Op, 0, n)
	m.at = make([]uint32, 0, n)
	m.operands = make([]uint32, 0, n)
	m.numbers = make([]int32, 0, n)
	m.edgeStart = make([]uint32, 0, n+1)
	m.edges = make([]InstrID, 0, n+n/2)
	comps := n/instructionsPerComputation + 8
	m.comps = make([]computation, 0, comps)
	m.params = make([]InstrID, 0, 2*comps)
	r.src.bodies = make([]bodyLines, 0, comps)
	r.src.closes = make([]uint32, 0, comps)
}

// header reads the header and returns the position after it. Some of its attributes span lines.
func (r *textReader) header(p int) int {
	t := r.text
	q := skipBlank(t, p+len(headerWord))
	e := q
	for e < len(t) && t[e] != ',' && t[e] != '\n' && t[e] != ' ' && t[e] != '\r' {
		e++
	}
	r.m.name = string(t[q:e])
	r.src.attrs = e
	r.src.attrsEnd = r.skipAttributes(e)
	return r.src.attrsEnd
}

// topLevel reads what stands outside computations: a frame table or a computation.
func (r *textReader) topLevel(p int) int {
	t := r.text
	end := lineEnd(t, p)
	if len(r.m.comps) == 0 {
		if k := tableNamed(bytes.TrimRight(t[p:end], " \t\r")); k >= 0 {
			r.src.tables[k] = end
			return r.skipTable(end)
		}
	}
	if t[p] == '}' {
		return p + 1
	}
	if body, ok := r.computation(p); ok {
		return r.body(body)
	}
	if t[p] == '{' && r.looksLikeInstruction(skipBlank(t, p+1)) { // XLA prints for fingerprints without names of computations
		r.open(p, 0, p)
		return r.body(p + 1)
	}
	if r.looksLikeInstruction(p) { // a bare list of instructions, as XLA prints single ones
		r.open(p, 0, p)
		return r.body(p)
	}
	r.problem(p, "neither a computation nor a frame table: %s", clip(t[p:end]))
	return min(end+1, len(t))
}

// skipTable returns the position after the numbered lines of a frame table.
func (r *textReader) skipTable(p int) int {
	t := r.text
	for p < len(t) {
		q := p + 1
		for q < len(t) && (t[q] == ' ' || t[q] == '\t') {
			q++
		}
		if q >= len(t) || t[q] < '0' || t[q] > '9' {
			return min(p+1, len(t))
		}
		p = lineEnd(t, q)
	}
	return p
}

// computation reads a computation's header and returns the position after its "{".
func (r *textReader) computation(p int) (body int, ok bool) {
	t := r.text
	entry := false
	if bytes.HasPrefix(t[p:], entryWord) && p+len(entryWord) < len(t) && !nameChar[t[p+len(entryWord)]] {
		entry = true
		p = skipBlank(t, p+len(entryWord))
	}
	if p < len(t) && t[p] == '%' {
		p++
	}
	e := skipName(t, p)
	q := skipBlank(t, e)
	if q < len(t) && t[q] == '(' {
		end, closed := skipParentheses(t, q)
		if !closed {
			return 0, false
		}
		q = skipBlank(t, end)
	}
	if bytes.HasPrefix(t[q:], []byte("->")) {
		end, read := skipResult(t, skipBlank(t, q+2))
		if !read {
			return 0, false
		}
		q = skipBlank(t, end)
	}
	if q >= len(t) || t[q] != '{' || e == p && !entry {
		return 0, false
	}
	if entry {
		r.m.entry = CompID(len(r.m.comps))
	}
	r.open(p, e-p, q)
	return q + 1, true
}

// skipResult returns the position after the shape at p, the result of a computation; ok is false where there is none.
func skipResult(t []byte, p int) (end int, ok bool) {
	if p < len(t) && t[p] == '(' {
		return skipTupleShape(t, p)
	}
	_, end, ok = parseShape(t, p, nil)
	return end, ok
}

// open starts a computation whose name is the n bytes at p and whose "{" is at brace.
func (r *textReader) open(p, n, brace int) {
	first := InstrID(len(r.m.ops))
	r.m.comps = append(r.m.comps, computation{first: first, end: first, root: NoInstr, at: uint32(p), size: uint32(n),
		params: uint32(len(r.m.params)), hash: hash64(r.text, p, n)})
	expect := 16
	if r.m.entry == CompID(len(r.m.comps)-1) {
		expect = (len(r.text) - p) / 160 // the entry is the last and by far the longest one of most modules
	}
	r.table.reset(first, expect)
	r.pending = r.pending[:0]
	r.src.bodies = append(r.src.bodies, bodyLines{line: uint32(r.line(brace)), from: uint32(brace), braced: r.text[brace] == '{'})
	r.known = len(r.m.problems)
}

// line returns the 1-based line of a position at or after the ones asked for before.
func (r *textReader) line(p int) int {
	r.lineAt += bytes.Count(r.text[r.lineFrom:p], []byte{'\n'})
	r.lineFrom = p
	return r.lineAt + 1
}

// body reads the instructions of the open computation from p, after its "{", and returns the position after its "}".
func (r *textReader) body(p int) int {
	t := r.text
	// A computation whose first instruction stands on the line of the header may have several on each line.
	q := p
	for q < len(t) && (t[q] == ' ' || t[q] == '\t' || t[q] == '\r') {
		q++
	}
	if q < len(t) && t[q] != '\n' && t[q] != '/' {
		return r.packedBody(p)
	}
	start := p
	r.regular = true
	for blank := 1; ; blank = 0 {
		lines := 0
		for p < len(t) && (t[p] == ' ' || t[p] == '\n' || t[p] == '\t' || t[p] == '\r') {
			if t[p] == '\n' {
				lines++
			}
			p++
		}
		r.regular = r.regular && lines == blank
		if p < len(t) && t[p] == '}' {
			return r.close(p)
		}
		if p < len(t) {
			if next, ok := r.instruction(p); ok {
				p = min(lineEnd(t, next)+1, len(t))
				continue
			}
		}
		r.regular = false
		if p < len(t) && t[p] != '{' && t[p] != '(' {
			if q, ok := r.between(p); ok {
				p = q
				continue
			}
		}
		// A line with a bracket in front is a body in place. The "}" may stand on the line of an instruction: read again, attribute by attribute.
		r.rewind()
		return r.packedBody(start)
	}
}

// packedBody is body for text that does not give each instruction its own lines: an instruction ends where no comma
// follows an attribute.
func (r *textReader) packedBody(p int) int {
	t := r.text
	r.regular = false
	for {
		p = skipBlank(t, p)
		if p < len(t) && t[p] == '}' {
			return r.close(p)
		}
		if p < len(t) {
			if next, ok := r.instruction(p); ok {
				p = r.skipAttributes(next)
				continue
			}
		}
		q, ok := r.between(p)
		if !ok {
			if r.src.bodies[len(r.src.bodies)-1].braced {
				r.problem(p, "computation is never closed")
				r.m.cutOff = true
			}
			r.close(p)
			return p
		}
		p = q
	}
}

// between skips what stands in a computation and is no instruction: a comment, or a line that goes on with the instruction
// before it. It answers false where the computation cannot go on: at the end of the text and at the next header.
func (r *textReader) between(p int) (next int, ok bool) {
	t := r.text
	if p >= len(t) || r.atHeader(p) || p > 0 && t[p-1] == '\n' && r.startsComputation(p) {
		return p, false
	}
	if q := skipComment(t, p); q > p {
		return q, true
	}
	return r.continuation(p), true
}

// rewind forgets the instructions of the open computation.
func (r *textReader) rewind() {
	m := r.m
	c := &m.comps[len(m.comps)-1]
	r.truncate(c.first)
	m.params = m.params[:c.params]
	c.root, c.numParams = NoInstr, 0
	m.problems = m.problems[:r.known]
	r.table.reset(c.first, 16)
	clear(r.inline.read)
}

// truncate forgets the instructions of the open computation from n on.
func (r *textReader) truncate(n InstrID) {
	m := r.m
	if int(n) < len(m.ops) {
		m.edges = m.edges[:m.edgeStart[n]]
	}
	m.ops, m.at, m.operands, m.edgeStart = m.ops[:n], m.at[:n], m.operands[:n], m.edgeStart[:n]
	m.numbers = m.numbers[:n]
	if len(m.elided) > len(m.edges) {
		m.elided = m.elided[:len(m.edges)]
	}
	for len(r.pending) > 0 && int(r.pending[len(r.pending)-1].edge) >= len(m.edges) {
		r.pending = r.pending[:len(r.pending)-1]
	}
	for i := range r.src.inline {
		if i >= n {
			delete(r.src.inline, i)
		}
	}
	m.comps[len(m.comps)-1].end = n
}

// continuation skips a line that goes on with the instruction before it.
func (r *textReader) continuation(p int) int {
	t := r.text
	r.odd = true
	comp := &r.m.comps[len(r.m.comps)-1]
	if comp.end == comp.first {
		r.problem(p, "not an instruction: %s", clip(t[p:lineEnd(t, p)]))
		return nextLine(t, p)
	}
	if t[p] != ',' && !nameChar[t[p]] && t[p] != '{' && t[p] != '%' && t[p] != ')' {
		r.problem(p, "not an instruction: %s", clip(t[p:lineEnd(t, p)]))
		return nextLine(t, p)
	}
	for p < len(t) && t[p] != '\n' {
		switch t[p] {
		case '{', '(', '[':
			end, ok := skipBalanced(t, p)
			if !ok {
				return nextLine(t, p)
			}
			p = end
		case '"':
			p = skipString(t, p)
		case '}':
			return p // the computation's own
		default:
			p++
		}
	}
	return p
}

// startsComputation reports whether the line at p is a computation's header, without reading it.
func (r *textReader) startsComputation(p int) bool {
	line := bytes.TrimRight(r.text[p:lineEnd(r.text, p)], " \t\r")
	return len(line) > 0 && line[len(line)-1] == '{' && !bytes.Contains(line, []byte(" = "))
}

// looksLikeInstruction reports whether `name = ` stands at p.
func (r *textReader) looksLikeInstruction(p int) bool {
	t := r.text
	if bytes.HasPrefix(t[p:], rootWord) {
		p += len(rootWord)
	}
	if p < len(t) && t[p] == '%' {
		p++
	}
	e := skipName(t, p)
	return e > p && bytes.HasPrefix(t[e:], []byte(" = "))
}

// close ends the open computation; at is the position of its "}". It returns the position after that and after an
// execution thread that is named there.
func (r *textReader) close(at int) int {
	c := &r.m.comps[len(r.m.comps)-1]
	c.end = InstrID(len(r.m.ops))
	r.src.closes = append(r.src.closes, uint32(at))
	if body := &r.src.bodies[len(r.src.bodies)-1]; r.regular {
		body.regular = true
		r.lineAt, r.lineFrom = int(body.line)+int(c.end-c.first), at
	}
	if c.root == NoInstr && c.end > c.first {
		c.root, r.odd = c.end-1, true
	}
	for _, f := range r.pending {
		def := r.lookup(int(f.name), int(f.length))
		if def == NoInstr {
			r.problem(int(f.name), "operand %s is not defined", clip(r.text[f.name:f.name+f.length]))
			continue
		}
		r.m.edges[f.edge] = def
		r.m.inOrder = false
	}
	return r.skipAttributes(min(at+1, len(r.text)))
}

// finish completes the module after its last computation.
func (r *textReader) finish() {
	m := r.m
	m.foreign = m.name == "" && len(m.problems)+r.omitted >= len(m.ops)
	if m.entry == NoComp && m.name != "" {
		m.cutOff = true
	}
	if m.entry == NoComp && len(m.comps) > 0 {
		m.entry = CompID(len(m.comps) - 1)
	}
	r.resolveNested()
	m.edgeStart = append(m.edgeStart, uint32(len(m.edges)))
	if m.elided != nil {
		m.elided = append(m.elided, make([]int32, len(m.edges)-len(m.elided))...)
	}
	if r.omitted > 0 {
		m.problems = append(m.problems, Problem{Path: m.path, Message: fmt.Sprintf("%d more problems of this kind", r.omitted)})
	}
}

// problem notes something that could not be understood at byte p.
func (r *textReader) problem(p int, format string, args ...any) {
	r.odd = true
	if len(r.m.problems) >= maxProblems {
		r.omitted++
		return
	}
	line := 1 + bytes.Count(r.text[:min(p, len(r.text))], []byte{'\n'})
	r.m.problems = append(r.m.problems, Problem{Path: r.m.path, Line: line, Message: fmt.Sprintf(format, args...)})
}

// clip quotes the start of a piece of the text for a message.
func clip(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q…", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
