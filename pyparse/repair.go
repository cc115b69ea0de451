package pyparse

import (
	"slices"
	"sort"
	"strings"
)

// While somebody types, a bracket without its partner makes the grammar drop everything up to the end of the function. A repair
// inserts what is missing at the end of the broken line, so that only this line is lost; offsets are mapped back afterwards.

// insertion is text put in front of the byte at offset.
type insertion struct {
	offset int
	text   string
	what   string // for the problem that is reported
}

// opening is something that has to be closed: a bracket, a replacement field or a literal with replacement fields.
type opening struct {
	closer  string
	literal bool
}

// repairer collects the insertions that balance a file.
type repairer struct {
	text       []byte
	tokens     []token
	insertions []insertion
	blanked    []int // offsets of closing brackets without an opening one, and of stray characters

	open     []opening // of the current statement
	indent   int       // column of the current statement
	inside   bool      // the current statement has begun
	first    string    // its first word
	last     string    // its last token that is no comment or line break
	previous int       // end of that token
	colons   int       // colons outside of brackets
	lambdas  int       // words lambda that wait for their colon
	ifs      int       // words if behind an expression that wait for their else
}

// maxRepairs bounds the number of triple-quoted literals that are closed in one file.
const maxRepairs = 4

// repair returns the insertions that close what is open in text.
func repair(text []byte) *repairer {
	r := &repairer{text: text, tokens: scanFrom(text, true)}
	r.closeLiterals()
	for i := range r.tokens {
		r.token(i)
	}
	slices.SortStableFunc(r.insertions, func(a, b insertion) int { return a.offset - b.offset })
	return r
}

// closeLiterals closes each triple-quoted literal without an end at the end of its first line and scans what follows again.
func (r *repairer) closeLiterals() {
	for range maxRepairs {
		i := slices.IndexFunc(r.tokens, func(t token) bool {
			return t.class == tokOpenString && len(openingQuotes(r.text[t.start:t.end])) == 3
		})
		if i < 0 {
			return
		}
		t := r.tokens[i]
		end := (&scanner{source: r.text}).lineEnd(t.start)
		r.insert(end, openingQuotes(r.text[t.start:end]), "a literal is not closed")
		r.tokens = append(r.tokens[:i:i], token{tokString, t.start, end})
		for _, x := range scanFrom(r.text[end:], true) {
			r.tokens = append(r.tokens, token{x.class, x.start + end, x.end + end})
		}
	}
}

// openingQuotes returns the quotes behind the prefix of a literal, or nothing when there is no literal.
func openingQuotes(text []byte) string {
	i := 0
	for i < len(text) && isNameByte(text[i]) {
		i++
	}
	if i == len(text) || text[i] != '"' && text[i] != '\'' {
		return ""
	}
	q := string(text[i])
	if strings.HasPrefix(string(text[i:]), q+q+q) {
		return q + q + q
	}
	return q
}

func (r *repairer) insert(offset int, text, what string) {
	r.insertions = append(r.insertions, insertion{offset, text, what})
}

func (r *repairer) token(i int) {
	t := r.tokens[i]
	word := string(r.text[t.start:t.end])
	switch t.class {
	case tokComment, tokJoin, tokFieldSpec:
		return
	case tokNewline, tokBreak:
		r.lineEnds(i)
		return
	case tokOpenString:
		if q := openingQuotes(r.text[t.start:t.end]); q != "" && len(q) < 3 {
			r.insert(t.end, q, "a literal is not closed")
			r.last, r.previous = q, t.end
		}
		return
	}
	if word == "?" || word == "$" || word == "!" || word == "`" {
		r.blanked = append(r.blanked, t.start)
		return
	}
	if !r.inside {
		r.inside, r.indent, r.first, r.last, r.colons, r.lambdas, r.ifs = true, column(r.text, t.start), word, "", 0, 0, 0
	} else if isCloser(t, word) || word == "," || word == ":" {
		r.placeholder()
	}
	switch t.class {
	case tokFString:
		r.open = append(r.open, opening{openingQuotes(r.text[t.start:t.end]), true})
	case tokFieldOpen:
		r.open = append(r.open, opening{closer: "}"})
	case tokFEnd:
		r.closeWith(word, t.start, true)
	case tokFieldClose:
		r.closeWith("}", t.start, false)
	case tokOp:
		r.operator(t, word)
	case tokName:
		r.word(word)
	}
	r.last, r.previous = word, t.end
}

func isCloser(t token, word string) bool {
	return t.class == tokFieldClose || t.class == tokOp && (word == ")" || word == "]" || word == "}")
}

func (r *repairer) word(word string) {
	switch word {
	case "lambda":
		r.lambdas++
	case "if":
		if r.last != "" && len(r.open) == 0 {
			r.ifs++
		}
	case "else":
		r.ifs = max(0, r.ifs-1)
	}
}

func (r *repairer) operator(t token, op string) {
	switch op {
	case "(":
		r.open = append(r.open, opening{closer: ")"})
	case "[":
		r.open = append(r.open, opening{closer: "]"})
	case "{":
		r.open = append(r.open, opening{closer: "}"})
	case ")", "]", "}":
		r.closeWith(op, t.start, false)
	case ":":
		if r.lambdas > 0 {
			r.lambdas--
		} else if len(r.open) == 0 {
			r.colons++
		}
	}
}

// closeWith handles something that closes: it first closes what stands open inside, or is dropped when nothing matches it.
func (r *repairer) closeWith(closer string, offset int, literal bool) {
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.open[i].closer == closer && r.open[i].literal == literal {
			r.closeDownTo(i + 1)
			r.open = r.open[:i]
			return
		}
		if r.open[i].literal {
			break // a bracket inside a replacement field does not close one outside of the literal
		}
	}
	if !literal {
		r.blanked = append(r.blanked, offset)
	}
}

// closeDownTo closes the innermost openings until depth are left.
func (r *repairer) closeDownTo(depth int) {
	for len(r.open) > depth {
		o := r.open[len(r.open)-1]
		if r.lambdas > 0 {
			r.insert(r.previous, ":", "a colon is missing")
			r.last, r.lambdas = ":", 0
		}
		r.placeholder()
		what := "a bracket is not closed"
		if o.literal {
			what = "a literal is not closed"
		}
		r.insert(r.previous, o.closer, what)
		r.last = o.closer
		r.open = r.open[:len(r.open)-1]
	}
}

// placeholder inserts a name where the last token wants an operand behind it.
func (r *repairer) placeholder() {
	if r.inside && wantsOperand(r.last) {
		r.insert(r.previous, " _", "an expression is missing")
		r.last = "_"
	}
}

// wantsOperand reports whether an expression or name has to follow token.
func wantsOperand(token string) bool {
	switch token {
	case ".", "=", "==", "+", "-", "/", "//", "%", "@", "&", "|", "^", "~", "<", ">", "<=", ">=", "!=", "+=", "-=", "*=", "/=", ":=", "->",
		"and", "or", "not", "in", "is", "if", "else", "lambda ", "import", "from", "del", "assert", "global", "nonlocal", "await", "as",
		"def", "class", "for", "while", "with", "elif":
		return true
	}
	return false
}

// lineEnds decides whether the line break at token i ends the statement although something is open.
func (r *repairer) lineEnds(i int) {
	for j, o := range r.open {
		if o.literal && len(o.closer) == 1 { // no literal in single quotes goes on in the next line
			r.closeDownTo(j)
			break
		}
	}
	if len(r.open) == 0 || r.tokens[i].end >= len(r.text) || r.statementFollows(i) {
		r.endStatement(i)
	}
}

func (r *repairer) endStatement(i int) {
	if !r.inside {
		return
	}
	r.closeDownTo(0)
	for ; r.lambdas > 0; r.lambdas-- {
		r.insert(r.previous, ":", "a colon is missing")
		r.last = ":"
		r.insert(r.previous, " _", "an expression is missing")
	}
	if r.first != "else" || r.last != r.first {
		r.placeholder()
	}
	if conditional := r.ifs > 0 && r.first != "if" && r.first != "elif" && r.first != "case"; conditional {
		r.insert(r.previous, " else _", "an expression is missing")
	}
	r.header(i)
	r.inside = false
}

// header completes the header of a compound statement.
func (r *repairer) header(i int) {
	switch r.first {
	case "def":
		if !r.has('(') {
			r.insert(r.previous, "()", "parameters are missing")
		}
	case "class", "if", "elif", "else", "while", "with", "try", "except", "finally":
	case "for":
		if !r.hasWord("in") {
			r.insert(r.previous, " in _", "an expression is missing")
		}
	default:
		return
	}
	if r.colons == 0 {
		r.insert(r.previous, ":", "a colon is missing")
		r.last = ":"
	}
	if next := r.nextToken(i); r.last == ":" && (next < 0 || column(r.text, r.tokens[next].start) <= r.indent) {
		r.insert(r.previous, " _", "a body is missing")
	}
}

// nextToken returns the index of the first token behind i that is no comment or line break, or -1.
func (r *repairer) nextToken(i int) int {
	for i++; i < len(r.tokens); i++ {
		switch r.tokens[i].class {
		case tokComment, tokBreak, tokNewline, tokJoin:
			continue
		}
		return i
	}
	return -1
}

// statement is the text of the current statement.
func (r *repairer) statement() string {
	start := r.previous
	for start > 0 && r.text[start-1] != '\n' && r.text[start-1] != '\r' {
		start--
	}
	return string(r.text[start:r.previous])
}

func (r *repairer) has(c byte) bool { return strings.IndexByte(r.statement(), c) >= 0 }

func (r *repairer) hasWord(word string) bool {
	return slices.Contains(strings.Fields(r.statement()), word)
}

// statementFollows reports whether the line behind the break at token i starts a statement, although something is open.
func (r *repairer) statementFollows(i int) bool {
	if i = r.nextToken(i); i < 0 {
		return true
	}
	t := r.tokens[i]
	here := column(r.text, t.start)
	switch word := string(r.text[t.start:t.end]); word {
	case "def", "class", "return", "import", "while", "with", "try", "except", "finally", "raise", "assert", "pass", "break",
		"continue", "del", "global", "nonlocal", "elif":
		return true
	case "@", "if", "for":
		return here <= r.indent
	default:
		return here <= r.indent && t.class == tokName && !isOperatorKeyword(word)
	}
}

// patched returns the text with everything inserted.
func (r *repairer) patched() []byte {
	out := make([]byte, 0, len(r.text)+len(r.insertions)*2)
	at := 0
	shift := make([]int, 1, len(r.insertions)+1) // by the number of insertions: how much text they add
	for _, x := range r.insertions {
		out = append(append(out, r.text[at:x.offset]...), x.text...)
		at = x.offset
		shift = append(shift, shift[len(shift)-1]+len(x.text))
	}
	out = append(out, r.text[at:]...)
	for _, offset := range r.blanked {
		i := sort.Search(len(r.insertions), func(i int) bool { return r.insertions[i].offset > offset })
		out[offset+shift[i]] = ' '
	}
	return out
}

// mapBack turns the offsets of a tree of the patched text into offsets of the source and reports each repair as a problem.
func (r *repairer) mapBack(f *File) {
	at := make([]int, len(r.insertions)) // offsets of the insertions in the patched text
	before := make([]int, len(r.insertions)+1)
	for i, x := range r.insertions {
		at[i] = x.offset + before[i]
		before[i+1] = before[i] + len(x.text)
	}
	back := func(offset int) int {
		i, _ := slices.BinarySearch(at, offset) // insertions that begin before offset
		if i == 0 {
			return offset
		}
		return max(offset-before[i], r.insertions[i-1].offset)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		empty := n.Start == n.End
		n.Start, n.End = uint32(back(int(n.Start))), uint32(back(int(n.End)))
		if n.Start == n.End && !empty {
			n.Flags |= Missing
		}
	}
	for i := range f.Comments {
		c := &f.Comments[i]
		c.Start, c.End = back(c.Start), back(c.End)
	}
	for _, x := range r.insertions {
		f.Problems = append(f.Problems, Problem{Start: x.offset, End: x.offset, Message: x.what})
	}
	for _, offset := range r.blanked {
		f.Problems = append(f.Problems, Problem{Start: offset, End: offset + 1, Message: "invalid syntax"})
	}
}

// markBroken flags every node around the places of the repairs.
func (r *repairer) markBroken(f *File) {
	offsets := slices.Clone(r.blanked)
	for _, x := range r.insertions {
		offsets = append(offsets, x.offset)
	}
	if len(offsets) > 0 {
		slices.Sort(offsets)
		f.flagAround(0, slices.Compact(offsets))
	}
}

// flagAround flags a node and, of those within, the ones whose range holds or touches one of the ascending offsets: the first that
// does, for each. All offsets are taken along at once, because a file of a thousand lines may have a repair in each.
func (f *File) flagAround(n uint32, offsets []int) {
	f.Nodes[n].Flags |= HasError
	for c, end := n+1, f.Nodes[n].Next; c < end && len(offsets) > 0; c = f.Nodes[c].Next {
		first, _ := slices.BinarySearch(offsets, int(f.Nodes[c].Start))
		last, _ := slices.BinarySearch(offsets, int(f.Nodes[c].End)+1)
		if first < last {
			f.flagAround(c, offsets[first:last])
		}
		offsets = offsets[max(first, last):]
	}
}
