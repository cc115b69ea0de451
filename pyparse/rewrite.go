package pyparse

import (
	"bytes"
	"slices"
)

// The grammar does not know every construct that CPython accepts. A rewrite replaces such a construct by one of the same length
// that the grammar knows, so that offsets stay what they are; texts are always read from the original source.

// rewriter walks the tokens of a file and edits a copy of its source.
type rewriter struct {
	source []byte
	text   []byte // the copy; nil until the first edit
	tokens []token
	at     int

	brackets []bracket
	splats   []int // offsets of stars that became a unary operator
	marks    []int // offsets of other replaced bytes
	start    bool  // the next token starts a statement
	header   string
}

// bracket is an open bracket, or a replacement field.
type bracket struct {
	subscript  bool
	typeParams bool
	bounded    bool // inside a type parameter list: the current parameter has a bound
	starred    bool // … or a star
}

// rewrite replaces every construct in source that the grammar does not know. The result's text is nil if there is none.
func rewrite(source []byte, tokens []token) *rewriter {
	r := &rewriter{source: source, tokens: tokens, start: true}
	for ; r.at < len(tokens); r.at++ {
		r.token(tokens[r.at])
	}
	return r
}

func (r *rewriter) tokenText(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return string(r.source[r.tokens[i].start:r.tokens[i].end])
}

// neighbour returns the index of the nearest token in direction step that is no comment, break or join, or -1.
func (r *rewriter) neighbour(i, step int) int {
	for i += step; i >= 0 && i < len(r.tokens); i += step {
		switch r.tokens[i].class {
		case tokComment, tokBreak, tokJoin:
			continue
		}
		return i
	}
	return -1
}

func (r *rewriter) replace(offset int, with string) {
	if r.text == nil {
		r.text = bytes.Clone(r.source)
	}
	copy(r.text[offset:], with)
}

func (r *rewriter) token(t token) {
	switch t.class {
	case tokNewline:
		r.start, r.header = true, ""
		r.brackets = r.brackets[:0]
		return
	case tokComment, tokJoin, tokBreak:
		return
	case tokString, tokFString:
		r.templatePrefix(t)
	case tokFieldOpen:
		r.brackets = append(r.brackets, bracket{})
	case tokFieldClose:
		r.close()
	case tokFieldSpec:
		if t.start < len(r.source) && r.source[t.start] == '=' {
			r.replace(t.start, "<") // := would be read as the walrus operator
		}
	case tokName:
		r.name(t)
	case tokOp:
		r.operator(t)
		return
	}
	r.start = false
}

// templatePrefix turns a t-string (PEP 750) into an f-string.
func (r *rewriter) templatePrefix(t token) {
	for i := t.start; i < t.end && r.source[i] != '"' && r.source[i] != '\''; i++ {
		if r.source[i]|0x20 == 't' {
			r.replace(i, "f")
		}
	}
}

func (r *rewriter) name(t token) {
	word := string(r.source[t.start:t.end])
	if len(r.brackets) > 0 {
		return
	}
	switch word {
	case "class", "def", "except":
		r.header = word
	case "type":
		next := r.neighbour(r.at, 1)
		if !r.start || next < 0 {
			return
		}
		if r.tokens[next].class == tokName {
			switch r.tokenText(next) {
			case "in", "is", "not", "and", "or", "if", "else", "for":
				return
			}
			r.header = word
		} else {
			r.replace(t.start, "typ_") // a name that happens to start a statement
		}
	case "print":
		if next := r.neighbour(r.at, 1); r.start && next >= 0 && r.tokenText(next) == ">>" {
			r.replace(t.start, "prin_")
		}
	}
}

func (r *rewriter) operator(t token) {
	op := string(r.source[t.start:t.end])
	r.start = op == ";" || op == ":" && len(r.brackets) == 0
	switch op {
	case "(", "[", "{":
		r.open(op)
	case ")", "]", "}":
		r.close()
	case "*":
		r.star(t)
	case ",":
		if len(r.brackets) == 0 && r.header == "except" {
			r.exceptComma(t)
		}
	case ":":
		if len(r.brackets) == 0 {
			r.header = ""
		}
	}
	r.typeParameter(t, op)
}

func (r *rewriter) open(op string) {
	previous := r.neighbour(r.at, -1)
	b := bracket{}
	if op == "[" && previous >= 0 {
		switch p := r.tokens[previous]; p.class {
		case tokName:
			b.subscript = !isOperatorKeyword(r.tokenText(previous))
		case tokString, tokFEnd:
			b.subscript = true
		case tokOp:
			switch r.tokenText(previous) {
			case ")", "]", "}":
				b.subscript = true
			}
		}
		if len(r.brackets) == 0 && b.subscript {
			switch before := r.tokenText(r.neighbour(previous, -1)); before {
			case "class", "def", "type":
				b.typeParams = r.header == before
			}
		}
	}
	r.brackets = append(r.brackets, b)
}

func (r *rewriter) close() {
	if len(r.brackets) > 0 {
		r.brackets = r.brackets[:len(r.brackets)-1]
	}
}

func isOperatorKeyword(word string) bool {
	switch word {
	case "and", "or", "not", "in", "is", "if", "else", "for", "return", "yield", "lambda", "await", "assert", "del", "raise",
		"from", "import", "while", "with", "as", "elif", "case", "except":
		return true
	}
	return false
}

// star handles *( where the grammar does not expect it: in a subscript and in a tuple without parentheses.
func (r *rewriter) star(t token) {
	next := r.neighbour(r.at, 1)
	if next < 0 || r.tokenText(next) != "(" {
		return
	}
	previous := r.neighbour(r.at, -1)
	before := r.tokenText(previous)
	if n := len(r.brackets); n > 0 {
		if r.brackets[n-1].subscript && (before == "[" || before == ",") {
			r.splat(t.start)
		}
		return
	}
	switch before {
	case "=", ",", "return", "yield", "in":
		r.splat(t.start)
	}
}

func (r *rewriter) splat(offset int) {
	r.replace(offset, "~")
	r.splats = append(r.splats, offset)
}

// exceptComma handles except A, B (PEP 758), which the grammar knows for two types at most and not behind except*.
func (r *rewriter) exceptComma(t token) {
	r.replace(t.start, "|")
	r.marks = append(r.marks, t.start)
}

// typeParameter handles the defaults of type parameters (PEP 696): T = int becomes T : int, T: int = str becomes T: int | str, and
// the default of a starred parameter is blanked.
func (r *rewriter) typeParameter(t token, op string) {
	n := len(r.brackets)
	if n == 0 || !r.brackets[n-1].typeParams {
		return
	}
	b := &r.brackets[n-1]
	switch op {
	case ",":
		b.bounded, b.starred = false, false
	case ":":
		b.bounded = true
	case "*", "**":
		b.starred = true
	case "=":
		r.marks = append(r.marks, t.start)
		switch {
		case b.starred:
			r.blank(t.start)
		case b.bounded:
			r.replace(t.start, "|")
		default:
			r.replace(t.start, ":")
			b.bounded = true
		}
	}
}

// blank overwrites everything from offset to the end of the current type parameter, except line breaks.
func (r *rewriter) blank(offset int) {
	depth := 0
	for i := r.at; i < len(r.tokens); i++ {
		t := r.tokens[i]
		if t.class == tokOp {
			switch r.tokenText(i) {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			}
			if depth < 0 || depth == 0 && r.tokenText(i) == "," {
				r.at = i - 1
				break
			}
		}
		offset = t.end
	}
	for i := r.marks[len(r.marks)-1]; i < offset; i++ {
		if c := r.source[i]; c != '\n' && c != '\r' {
			r.replace(i, " ")
		}
	}
}

// relabel turns the operators that stood in for stars back into splats. It runs before the tree is normalised.
func (r *rewriter) relabel(f *File) {
	if len(r.splats) == 0 {
		return
	}
	for i := 0; i < len(f.Nodes); i++ {
		n := &f.Nodes[i]
		if n.Kind != KindUnaryOperator || n.Next <= uint32(i)+2 {
			continue
		}
		if _, ok := slices.BinarySearch(r.splats, int(n.Start)); ok {
			n.Kind, n.Flags = KindListSplat, n.Flags|Rewritten
			f.Nodes[i+2].Field = FieldNone
			f.removeLeaf(i + 1) // the operator
		}
	}
}

// removeLeaf takes the leaf at index i out of the tree.
func (f *File) removeLeaf(i int) {
	f.Nodes = slices.Delete(f.Nodes, i, i+1)
	for j := range f.Nodes {
		if f.Nodes[j].Next > uint32(i) {
			f.Nodes[j].Next--
		}
	}
}

// mark flags the nodes whose own text was replaced.
func (r *rewriter) mark(f *File) {
	for _, offset := range r.marks {
		if n := f.NodeAt(offset); n > 0 {
			f.Nodes[n].Flags |= Rewritten
			f.Nodes[f.Parent(n)].Flags |= Rewritten
		}
	}
}

// chainedSubscripts finds annotations like a[b][c], where the grammar allows one subscript only, by the errors they leave, and turns
// them into a[b, c]. It reports whether it found one.
func (r *rewriter) chainedSubscripts(f *File) bool {
	found := false
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Kind != KindError || n.End == 0 || int(n.End) >= len(r.source) || r.source[n.End-1] != ']' || r.source[n.End] != '[' {
			continue
		}
		r.replace(int(n.End)-1, ", ")
		r.marks = append(r.marks, int(n.End)-1)
		found = true
	}
	return found
}

// joinDedented joins lines inside brackets that are indented less than the statement they belong to: behind a dot or operator the
// grammar takes such a line for the end of the block. It returns nil when there is no such line. Comments on the joined lines are
// blanked.
func (r *rewriter) joinDedented() []byte {
	text := bytes.Clone(r.source)
	if r.text != nil {
		copy(text, r.text)
	}
	found, indent, fresh := false, 0, true
	for i, t := range r.tokens {
		switch t.class {
		case tokNewline:
			fresh = true
		case tokBreak:
			next := r.neighbour(i, 1)
			if next < 0 || column(r.source, r.tokens[next].start) >= indent {
				continue
			}
			found = true
			for j := t.start; j < t.end; j++ {
				text[j] = ' '
			}
			for c := i - 1; c >= 0 && r.tokens[c].class == tokComment; c-- {
				copy(text[r.tokens[c].start:r.tokens[c].end], bytes.Repeat([]byte{' '}, r.tokens[c].end-r.tokens[c].start))
			}
		case tokComment, tokJoin:
		default:
			if fresh {
				fresh, indent = false, column(r.source, t.start)
			}
		}
	}
	if !found {
		return nil
	}
	return text
}

// column is the number of bytes between the start of the line and offset.
func column(source []byte, offset int) int {
	start := offset
	for start > 0 && source[start-1] != '\n' && source[start-1] != '\r' {
		start--
	}
	return offset - start
}
