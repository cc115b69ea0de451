package pyparse

import (
	"bytes"
	"slices"
	"strings"
)

// Suppression is a comment that asks for findings to be kept quiet.
//
// Behind code it speaks for the whole logical line, whichever of its physical lines it stands on: a simple statement, or the
// header of a compound one with its decorators. Alone on a line it speaks for the logical line below, with nothing but more
// comments in between; alone on a line inside brackets it speaks for the statement around it.
type Suppression struct {
	Form  SuppressionForm
	Codes []SuppressedCode // empty only when Form is Malformed; codes of other tools in a noqa list are left out
	// Start and End are the byte range of the directive from its # up to the next # or the end of the comment.
	Start, End int
	// ScopeStart and ScopeEnd are the half-open byte range in which a finding has to start to be suppressed.
	ScopeStart, ScopeEnd int
	Reason               string
}

// SuppressionForm is the way a suppression is written.
type SuppressionForm uint8

// The forms.
const (
	Ignore     SuppressionForm = iota // # shardls: ignore[SHD601] reason
	FileIgnore                        // # shardls: file-ignore[SHD601] reason
	NoQA                              // # noqa: SHD601
	Malformed                         // # shardls: followed by anything else, or by no codes
)

// SuppressedCode is one code, prefix of codes or name of a rule in a suppression.
type SuppressedCode struct {
	Code       string // upper case; a name, which has a hyphen in it, is in lower case
	Start, End int    // byte range of the code
}

// codePrefix starts every code of ours.
const codePrefix = "SHD"

// Covers reports whether the suppression keeps a finding of code that starts at offset quiet, and which of its codes does.
func (s *Suppression) Covers(code string, offset int) (index int, ok bool) {
	if offset < s.ScopeStart || offset >= s.ScopeEnd {
		return 0, false
	}
	for i, c := range s.Codes {
		if strings.HasPrefix(code, c.Code) {
			return i, true
		}
	}
	return 0, false
}

// collectSuppressions reads the directives in all comments.
func (f *File) collectSuppressions() {
	for _, c := range f.Comments {
		for at := c.Start; at < c.End; {
			next := c.End
			if i := bytes.IndexByte(f.Source[at+1:c.End], '#'); i >= 0 {
				next = at + 1 + i
			}
			if beginsDirective(f.Source[at+1 : next]) {
				if s, ok := f.directive(at, next); ok {
					f.scopeOfSuppression(&s, c)
					f.Suppressions = append(f.Suppressions, s)
				}
			}
			at = next
		}
	}
}

// beginsDirective reports whether the text behind a # begins with a letter of noqa or shardls, as that of few comments does.
func beginsDirective(text []byte) bool {
	for _, c := range text {
		switch c {
		case ' ', '\t':
		case 'n', 'N', 's':
			return true
		default:
			return false
		}
	}
	return false
}

// directive reads source[start:end], which begins with a #.
func (f *File) directive(start, end int) (Suppression, bool) {
	s := Suppression{Start: start, End: end}
	text := string(f.Source[start+1 : end])
	for s.End > start+1 && (f.Source[s.End-1] == ' ' || f.Source[s.End-1] == '\t') && f.endsComment(end) {
		s.End-- // trailing blanks of a comment are nobody's
	}
	body := strings.TrimLeft(text, " \t")
	at := start + 1 + len(text) - len(body)
	if len(body) >= 4 && strings.EqualFold(body[:4], "noqa") {
		return f.noqa(s, body, at)
	}
	rest, ok := strings.CutPrefix(body, "shardls:")
	if !ok {
		return s, false
	}
	trimmed := strings.TrimLeft(rest, " \t")
	at += len(body) - len(trimmed)
	switch {
	case strings.HasPrefix(trimmed, "ignore["):
		s.Form = Ignore
	case strings.HasPrefix(trimmed, "file-ignore["):
		s.Form = FileIgnore
	default:
		s.Form = Malformed
		return s, true
	}
	open := strings.IndexByte(trimmed, '[') + 1
	closing := strings.IndexByte(trimmed, ']')
	if closing < 0 {
		s.Form = Malformed
		return s, true
	}
	s.addCodes(trimmed[open:closing], at+open, "")
	s.Reason = strings.TrimSpace(trimmed[closing+1:])
	if len(s.Codes) == 0 {
		s.Form = Malformed
	}
	return s, true
}

func (f *File) endsComment(end int) bool {
	return end == len(f.Source) || f.Source[end] == '\n' || f.Source[end] == '\r'
}

// noqa reads noqa: A1, B2 and keeps our codes. Without a list it is not for us: it hides what other tools say.
func (f *File) noqa(s Suppression, body string, at int) (Suppression, bool) {
	s.Form = NoQA
	rest := strings.TrimLeft(body[4:], " \t")
	if !strings.HasPrefix(rest, ":") {
		return s, false
	}
	at += len(body) - len(rest) + 1
	list := rest[1:]
	s.Reason = strings.TrimSpace(list[s.addCodes(list, at, codePrefix):])
	return s, len(s.Codes) > 0
}

// addCodes reads codes separated by commas or blanks from list, which starts at offset at, keeps those with prefix and returns how
// far it came. A word that is no code ends the list; with no prefix, words may be names with hyphens too.
func (s *Suppression) addCodes(list string, at int, prefix string) int {
	i, done := 0, 0
	for i < len(list) {
		if c := list[i]; c == ',' || c == ' ' || c == '\t' {
			i++
			continue
		}
		end := i
		for end < len(list) && (isNameByte(list[end]) || prefix == "" && end > i && list[end] == '-') {
			end++
		}
		if end == i || prefix != "" && !isCode(list[i:end]) {
			break
		}
		code := strings.ToUpper(list[i:end])
		if strings.Contains(code, "-") {
			code = strings.ToLower(code)
		}
		if strings.HasPrefix(code, prefix) {
			s.Codes = append(s.Codes, SuppressedCode{Code: code, Start: at + i, End: at + end})
		}
		i, done = end, end
	}
	return done
}

// isCode reports whether word is letters followed by digits, as the codes of every linter are.
func isCode(word string) bool {
	letters := strings.TrimRight(word, "0123456789")
	return letters != "" && len(letters) < len(word) && strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

// scopeOfSuppression computes where s, a directive in comment c, has a say.
func (f *File) scopeOfSuppression(s *Suppression, c Comment) {
	lineStart, lineEnd := f.lineAround(c.Start)
	if s.Form == FileIgnore {
		s.ScopeStart, s.ScopeEnd = 0, len(f.Source)+1
		return
	}
	code := bytes.TrimRight(f.Source[lineStart:c.Start], " \t\f")
	alone := len(bytes.TrimLeft(code, " \t\f"+byteOrderMark)) == 0
	at := lineStart + len(code) - 1
	if alone {
		at = c.Start
		if f.betweenStatements(c.Start) {
			at = f.nextCode(lineEnd)
			if at < 0 { // nothing follows: it speaks for itself and will be reported as unused
				s.ScopeStart, s.ScopeEnd = c.Start, c.Start
				return
			}
			lineStart, lineEnd = f.lineAround(at)
		}
	}
	start, end := f.logicalLine(at)
	s.ScopeStart, s.ScopeEnd = min(start, lineStart), max(end, lineEnd)
}

func (f *File) lineAround(offset int) (start, end int) {
	start, end = offset, offset
	for start > 0 && f.Source[start-1] != '\n' && f.Source[start-1] != '\r' {
		start--
	}
	for end < len(f.Source) && f.Source[end] != '\n' && f.Source[end] != '\r' {
		end++
	}
	return start, end
}

// nextCode returns the offset of the first code on the lines behind lineEnd, past lines that hold a comment only, or -1 at an empty
// line or the end of the file.
func (f *File) nextCode(lineEnd int) int {
	for lineEnd < len(f.Source) {
		start := (&scanner{source: f.Source}).lineBreak(lineEnd)
		at := start
		for at < len(f.Source) && (f.Source[at] == ' ' || f.Source[at] == '\t' || f.Source[at] == '\f') {
			at++
		}
		if at == len(f.Source) || f.Source[at] == '\n' || f.Source[at] == '\r' {
			return -1
		}
		if f.Source[at] != '#' {
			return at
		}
		_, lineEnd = f.lineAround(at)
	}
	return -1
}

// betweenStatements reports whether offset, where a comment starts, is not inside the brackets of a statement.
func (f *File) betweenStatements(offset int) bool {
	at := uint32(offset)
	n := f.descend(at, func(x *Node) bool { return x.Start <= at && at < x.End })
	for {
		switch {
		case n <= 0 || f.Is(n, KindBlock, KindError) || f.block(n) != None:
			return true
		case f.Is(f.Parent(n), KindModule, KindBlock):
			return false
		}
		if f.isBracketed(n) {
			return false
		}
		n = f.Parent(n)
	}
}

// isBracketed reports whether the text of n starts with a bracket, so that a line break in it does not end a statement.
func (f *File) isBracketed(n NodeID) bool {
	b := f.Bytes(n)
	return len(b) > 0 && (b[0] == '(' || b[0] == '[' || b[0] == '{')
}

// block returns the body of a compound statement or of one of its clauses, or None.
func (f *File) block(n NodeID) NodeID {
	if f.Is(n, KindDecoratedDefinition) {
		n = f.Child(n, FieldDefinition)
	}
	for c := range f.Children(n) {
		if f.Is(c, KindBlock) {
			return c
		}
	}
	return None
}

// logicalLine returns the byte range of the simple statement at offset, or of the header of the compound statement or clause.
func (f *File) logicalLine(offset int) (start, end int) {
	for n := f.NodeAt(offset); n > 0; n = f.Parent(n) {
		body := f.block(n)
		statement := f.Is(f.Parent(n), KindModule, KindBlock)
		if body == None && !statement {
			continue
		}
		if f.Is(f.Parent(n), KindDecoratedDefinition) || f.Is(n, KindError) || f.Is(n, KindBlock) {
			continue
		}
		start, end = f.Span(n)
		if body != None {
			end, _ = f.Span(body)
			end = f.codeEnd(end)
		} else if f.Nodes[n].Flags&HasError != 0 {
			break
		}
		return start, end
	}
	return offset, offset
}

// codeEnd moves offset back past blanks, line breaks and comments.
func (f *File) codeEnd(offset int) int {
	i, _ := slices.BinarySearchFunc(f.Comments, offset, func(c Comment, at int) int { return c.Start - at })
	for offset > 0 {
		switch c := f.Source[offset-1]; {
		case c == ' ' || c == '\t' || c == '\f' || c == '\n' || c == '\r':
			offset--
		case i > 0 && f.Comments[i-1].End == offset:
			i--
			offset = f.Comments[i].Start
		default:
			return offset
		}
	}
	return 0
}
