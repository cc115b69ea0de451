package pyparse

import (
	"strings"
	"unicode/utf8"
)

// tokenClass is what a token of the scanner is. The scanner serves the rewriter only: it runs on files that the grammar
// stumbles on and is lenient to the end.
type tokenClass uint8

const (
	tokName    tokenClass = iota
	tokNumber             // or anything else that is no name, operator or string
	tokOp                 // one operator or delimiter
	tokString             // a whole literal without replacement fields
	tokFString            // opening of a literal with replacement fields; it ends at tokFEnd
	tokFEnd
	tokFieldOpen  // {
	tokFieldSpec  // the : before a format specifier; start is that of the specifier's text, which may be empty
	tokFieldClose // }
	tokNewline    // end of a logical line
	tokBreak      // line break inside brackets
	tokJoin       // backslash and line break
	tokComment
	tokOpenString // a literal without an end; it reaches to the end of its line or of the file
)

// token is one token: its bytes are source[start:end].
type token struct {
	class      tokenClass
	start, end int
}

// scanner splits source into tokens.
type scanner struct {
	source []byte
	at     int
	depth  int // open brackets, not counting those of replacement fields around
	tokens []token
	fields int // replacement fields around

	strict bool // a line break ends a literal in single quotes even inside a replacement field
	lines  int  // literals in single quotes around
}

// maxFieldDepth is the nesting of f-strings beyond which replacement fields are read as text. CPython stops at 150.
const maxFieldDepth = 150

const byteOrderMark = "\xef\xbb\xbf"

func scan(source []byte) []token { return scanFrom(source, false) }

func scanFrom(source []byte, strict bool) []token {
	s := &scanner{source: source, strict: strict}
	if strings.HasPrefix(string(source[:min(3, len(source))]), byteOrderMark) {
		s.at = len(byteOrderMark)
	}
	for s.at < len(source) {
		s.next()
	}
	s.add(tokNewline, len(source))
	return s.tokens
}

func (s *scanner) add(class tokenClass, end int) {
	s.tokens = append(s.tokens, token{class, s.at, end})
	s.at = end
}

// next scans one token, or skips blanks.
func (s *scanner) next() {
	c := s.source[s.at]
	switch {
	case c == ' ' || c == '\t' || c == '\f':
		s.at++
	case c == '\n' || c == '\r':
		class := tokNewline
		if s.depth > 0 || s.fields > 0 {
			class = tokBreak
		}
		s.add(class, s.lineBreak(s.at))
	case c == '#':
		s.add(tokComment, s.lineEnd(s.at))
	case c == '\\' && s.at+1 < len(s.source) && (s.source[s.at+1] == '\n' || s.source[s.at+1] == '\r'):
		s.add(tokJoin, s.lineBreak(s.at+1))
	case c == '"' || c == '\'':
		s.str(s.at)
	case isNameByte(c) && (c < '0' || c > '9'):
		s.name()
	case c >= '0' && c <= '9' || c == '.' && s.at+1 < len(s.source) && s.source[s.at+1] >= '0' && s.source[s.at+1] <= '9':
		s.number()
	default:
		s.operator()
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func (s *scanner) lineEnd(from int) int {
	for from < len(s.source) && s.source[from] != '\n' && s.source[from] != '\r' {
		from++
	}
	return from
}

// lineBreak returns the offset behind the line break at from.
func (s *scanner) lineBreak(from int) int {
	if s.source[from] == '\r' && from+1 < len(s.source) && s.source[from+1] == '\n' {
		return from + 2
	}
	return from + 1
}

func (s *scanner) name() {
	end := s.at
	for end < len(s.source) && isNameByte(s.source[end]) {
		end++
	}
	if end < len(s.source) && (s.source[end] == '"' || s.source[end] == '\'') && isStringPrefix(s.source[s.at:end]) {
		s.str(end)
		return
	}
	s.add(tokName, end)
}

func isStringPrefix(b []byte) bool {
	switch strings.ToLower(string(b)) {
	case "r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt":
		return true
	}
	return false
}

func (s *scanner) number() {
	end := s.at
	for end < len(s.source) && (isNameByte(s.source[end]) || s.source[end] == '.' ||
		(s.source[end] == '+' || s.source[end] == '-') && (s.source[end-1] == 'e' || s.source[end-1] == 'E')) {
		end++
	}
	s.add(tokNumber, max(end, s.at+1))
}

// operators of more than one byte, longest first.
var longOperators = []string{"**=", "//=", ">>=", "<<=", "...", "->", ":=", "==", "!=", "<=", ">=", "<>", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "**", "//", "<<", ">>"}

func (s *scanner) operator() {
	rest := s.source[s.at:min(s.at+3, len(s.source))]
	for _, op := range longOperators {
		if strings.HasPrefix(string(rest), op) {
			s.add(tokOp, s.at+len(op))
			return
		}
	}
	switch s.source[s.at] {
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth = max(0, s.depth-1)
	}
	s.add(tokOp, s.at+1)
}

// str scans the literal that starts at s.at and whose first quote stands at quote.
func (s *scanner) str(quote int) {
	prefix := strings.ToLower(string(s.source[s.at:quote]))
	q, width := s.source[quote], 1
	if quote+2 < len(s.source) && s.source[quote+1] == q && s.source[quote+2] == q {
		width = 3
	}
	formatted := strings.ContainsAny(prefix, "ft") && s.fields < maxFieldDepth
	raw := strings.Contains(prefix, "r")
	end, stop := s.text(quote+width, q, width, formatted, raw)
	if stop != '{' {
		class := tokString
		if stop == 0 {
			class = tokOpenString
		}
		s.add(class, end)
		return
	}
	s.add(tokFString, end)
	for stop == '{' {
		s.field(q, width)
		end, stop = s.text(s.at, q, width, formatted, raw)
		s.at = end
	}
	if stop == 0 {
		s.add(tokOpenString, s.at)
		return
	}
	s.at = end - width
	s.add(tokFEnd, end)
}

// escaped returns the offset of the last byte of the escape sequence at i. In f-strings a backslash does not escape a brace, but
// \N{…} is no replacement field.
func (s *scanner) escaped(i int, formatted, raw bool) int {
	switch next := s.source[i+1]; {
	case formatted && (next == '{' || next == '}'):
		return i
	case formatted && !raw && next == 'N' && i+2 < len(s.source) && s.source[i+2] == '{':
		return i + 2
	case next == '\n' || next == '\r':
		return s.lineBreak(i+1) - 1
	}
	return i + 1
}

// text skips the text of a literal. It stops behind the closing quotes and returns the quote, before a replacement field and
// returns '{', or where the literal breaks off and returns 0.
func (s *scanner) text(from int, q byte, width int, formatted, raw bool) (end int, stop byte) {
	for i := from; i < len(s.source); i++ {
		switch c := s.source[i]; {
		case c == '\\' && i+1 < len(s.source):
			i = s.escaped(i, formatted, raw)
		case c == q && (width == 1 || i+2 < len(s.source) && s.source[i+1] == q && s.source[i+2] == q):
			return i + width, q
		case (c == '\n' || c == '\r') && width == 1:
			return i, 0
		case formatted && c == '{':
			if i+1 < len(s.source) && s.source[i+1] == '{' {
				i++
				continue
			}
			return i, '{'
		}
	}
	return len(s.source), 0
}

// field scans one replacement field, from its opening to its closing brace.
func (s *scanner) field(q byte, width int) {
	s.add(tokFieldOpen, s.at+1)
	outer := s.depth
	s.depth, s.fields = 0, s.fields+1
	if width == 1 {
		s.lines++
		defer func() { s.lines-- }()
	}
	defer func() { s.depth, s.fields = outer, s.fields-1 }()
	for s.at < len(s.source) {
		switch c := s.source[s.at]; {
		case s.strict && s.lines > 0 && (c == '\n' || c == '\r'):
			return
		case s.depth == 0 && c == '}':
			s.add(tokFieldClose, s.at+1)
			return
		case s.depth == 0 && c == ':':
			s.at++
			s.spec(q, width)
			return
		case s.depth == 0 && c == '!' && s.at+1 < len(s.source) && s.source[s.at+1] != '=':
			s.at++
		default:
			s.next()
		}
	}
}

// spec scans a format specifier up to the closing brace of its field.
func (s *scanner) spec(q byte, width int) {
	s.tokens = append(s.tokens, token{tokFieldSpec, s.at, s.at})
	for s.at < len(s.source) {
		switch c := s.source[s.at]; {
		case c == '}':
			s.add(tokFieldClose, s.at+1)
			return
		case c == '{' && s.fields < maxFieldDepth:
			s.field(q, width)
		case c == q && width == 1, width == 1 && (c == '\n' || c == '\r'):
			return // the literal ends inside a field
		default:
			s.at++
		}
	}
}
