package pyparse

import (
	"slices"
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

// repairer collects the insertions that balance a file.
type repairer struct {
	text       []byte
	tokens     []token
	insertions []insertion
	blanked    []int // offsets of closing brackets without an opening one

	open     []int // offsets of the open brackets of the current statement
	indent   int   // column of the current statement
	inside   bool  // the current statement has begun
	previous int   // end of the last token that is no comment or line break
	operand  bool  // that token wants an operand behind it
	header   bool  // the current statement needs a colon
}

// maxRepairs bounds the number of literals that are closed in one file.
const maxRepairs = 8

// repair returns the insertions that close what is open in text, which was scanned to tokens.
func repair(text []byte, tokens []token) *repairer {
	r := &repairer{text: text, tokens: tokens}
	r.closeStrings()
	for i := range r.tokens {
		r.token(i)
	}
	slices.SortStableFunc(r.insertions, func(a, b insertion) int { return a.offset - b.offset })
	return r
}

// closeStrings closes each literal without an end at the end of its first line.
func (r *repairer) closeStrings() {
	for range maxRepairs {
		i := slices.IndexFunc(r.tokens, func(t token) bool { return t.class == tokOpenString })
		if i < 0 {
			return
		}
		t := r.tokens[i]
		for i > 0 && r.tokens[i].start == t.start && r.tokens[i-1].class != tokFString && t.class != tokOpenString {
			i--
		}
		s := &scanner{source: r.text, at: t.start}
		end := min(s.lineEnd(t.start), len(r.text))
		quotes := openingQuotes(r.text[t.start:end])
		if quotes == "" { // inside an f-string with fields: its opening was a token of its own
			return
		}
		r.insertions = append(r.insertions, insertion{end, quotes, "the literal is not closed"})
		rest := scan(r.text[end:])
		r.tokens = append(r.tokens[:i:i], token{tokString, t.start, end})
		for _, x := range rest {
			r.tokens = append(r.tokens, token{x.class, x.start + end, x.end + end})
		}
	}
}

// openingQuotes returns the quotes behind the prefix of a literal.
func openingQuotes(text []byte) string {
	i := 0
	for i < len(text) && text[i] != '"' && text[i] != '\'' {
		i++
	}
	if i == len(text) {
		return ""
	}
	q := string(text[i])
	if strings.HasPrefix(string(text[i:]), strings.Repeat(q, 3)) {
		return strings.Repeat(q, 3)
	}
	return q
}

func (r *repairer) insert(offset int, text, what string) {
	r.insertions = append(r.insertions, insertion{offset, text, what})
}

func (r *repairer) token(i int) {
	t := r.tokens[i]
	switch t.class {
	case tokComment, tokJoin:
		return
	case tokNewline, tokBreak:
		if len(r.open) == 0 || t.end >= len(r.text) || r.statementFollows(i) {
			r.endStatement()
		}
		return
	}
	word := string(r.text[t.start:t.end])
	if !r.inside {
		r.inside, r.indent = true, column(r.text, t.start)
		r.header = needsColon(word)
	}
	if r.operand && (t.class == tokOp && closes(word) || t.class == tokFieldClose || word == ",") {
		r.insert(r.previous, "_", "an expression is missing")
	}
	r.operand = false
	switch t.class {
	case tokFieldOpen:
		r.open = append(r.open, t.start)
	case tokFieldClose:
		r.pop("{")
	case tokOp:
		r.operator(t, word)
	}
	r.previous = t.end
}

func closes(op string) bool { return op == ")" || op == "]" || op == "}" }

func (r *repairer) operator(t token, op string) {
	switch op {
	case "(", "[", "{":
		r.open = append(r.open, t.start)
	case ")":
		r.closeWith("(", t.start)
	case "]":
		r.closeWith("[", t.start)
	case "}":
		r.closeWith("{", t.start)
	case ":":
		if len(r.open) == 0 {
			r.header = false
		}
	case ".", "=", "==", "+", "-", "/", "//", "%", "@", "&", "|", "^", "<", ">", "<=", ">=", "!=", "+=", "-=":
		r.operand = true
	}
}

func (r *repairer) pop(opener string) {
	if n := len(r.open); n > 0 && r.text[r.open[n-1]] == opener[0] {
		r.open = r.open[:n-1]
	}
}

// closeWith handles a closing bracket: it closes what stands open inside, or is dropped when nothing matches it.
func (r *repairer) closeWith(opener string, offset int) {
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.text[r.open[i]] != opener[0] {
			continue
		}
		for j := len(r.open) - 1; j > i; j-- {
			r.insert(r.previous, closing(r.text[r.open[j]]), "a bracket is not closed")
		}
		r.open = r.open[:i]
		return
	}
	r.blanked = append(r.blanked, offset)
}

func closing(opener byte) string {
	switch opener {
	case '(':
		return ")"
	case '[':
		return "]"
	}
	return "}"
}

func (r *repairer) endStatement() {
	if !r.inside {
		return
	}
	if r.operand {
		r.insert(r.previous, "_", "an expression is missing")
	}
	for i := len(r.open) - 1; i >= 0; i-- {
		r.insert(r.previous, closing(r.text[r.open[i]]), "a bracket is not closed")
	}
	if r.header {
		r.insert(r.previous, ":", "a colon is missing")
	}
	r.open, r.inside, r.operand, r.header = r.open[:0], false, false, false
}

// needsColon reports whether a statement that starts with word has a header that ends in a colon.
func needsColon(word string) bool {
	switch word {
	case "def", "class", "if", "elif", "else", "for", "while", "with", "try", "except", "finally":
		return true
	}
	return false
}

// statementFollows reports whether the line behind the break at token i starts a statement, although brackets are open.
func (r *repairer) statementFollows(i int) bool {
	for i++; i < len(r.tokens); i++ {
		switch r.tokens[i].class {
		case tokComment, tokBreak, tokNewline, tokJoin:
			continue
		}
		break
	}
	if i >= len(r.tokens) {
		return true
	}
	t := r.tokens[i]
	switch word := string(r.text[t.start:t.end]); word {
	case "def", "class", "return", "import", "while", "with", "try", "except", "finally", "raise", "assert", "pass", "break",
		"continue", "del", "global", "nonlocal", "elif":
		return true
	case "@":
		return column(r.text, t.start) <= r.indent
	default:
		return column(r.text, t.start) <= r.indent && t.class == tokName && !isOperatorKeyword(word) || column(r.text, t.start) <= r.indent && (word == "if" || word == "for")
	}
}

// patched returns the text with everything inserted.
func (r *repairer) patched() []byte {
	out := make([]byte, 0, len(r.text)+len(r.insertions)*2)
	at := 0
	for _, x := range r.insertions {
		out = append(append(out, r.text[at:x.offset]...), x.text...)
		at = x.offset
	}
	out = append(out, r.text[at:]...)
	for _, offset := range r.blanked {
		shift := 0
		for _, x := range r.insertions {
			if x.offset <= offset {
				shift += len(x.text)
			}
		}
		out[offset+shift] = ' '
	}
	return out
}

// mapBack turns the offsets of a tree of the patched text into offsets of the source and reports each repair as a problem.
func (r *repairer) mapBack(f *File) {
	at := make([]int, len(r.insertions)) // offsets of the insertions in the patched text
	total := 0
	for i, x := range r.insertions {
		at[i] = x.offset + total
		total += len(x.text)
	}
	before := make([]int, len(r.insertions)+1) // bytes inserted before the i-th insertion
	for i, x := range r.insertions {
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
		f.Problems = append(f.Problems, Problem{Start: offset, End: offset + 1, Message: "the bracket closes nothing"})
	}
}

// markBroken flags every node around the places of the repairs.
func (r *repairer) markBroken(f *File) {
	mark := func(offset int) {
		n := uint32(0)
	search:
		for {
			f.Nodes[n].Flags |= HasError
			for c, end := n+1, f.Nodes[n].Next; c < end; c = f.Nodes[c].Next {
				if int(f.Nodes[c].Start) <= offset && offset <= int(f.Nodes[c].End) {
					n = c
					continue search
				}
			}
			return
		}
	}
	for _, x := range r.insertions {
		mark(x.offset)
	}
	for _, offset := range r.blanked {
		mark(offset)
	}
}
