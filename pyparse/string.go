package pyparse

import (
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// StringLiteral is a decoded string, bytes, f-string or t-string literal, or a concatenation of several.
type StringLiteral struct {
	Node         NodeID
	Value        string // decoded text; the replacement fields of an f-string are left out
	Exact        bool   // Value is what Python makes of the literal: no replacement fields, no escape by character name
	Bytes        bool   // b"…"
	Interpolated bool   // at least one piece is an f-string or t-string
	Template     bool   // at least one piece is a t-string
	Pieces       []StringPiece
	Parts        []StringPart // text and replacement fields in order
}

// StringPiece is one of the literals that stand side by side.
type StringPiece struct {
	Node                     NodeID
	Prefix                   string // lower-cased: "", "r", "rb", "f", …
	ContentStart, ContentEnd int    // byte range between the quotes
}

// StringPart is a run of text or a replacement field of an f-string.
type StringPart struct {
	Text       string // decoded; "" for a replacement field
	Node       NodeID // the replacement field, or None for text
	Value      NodeID // expression of the replacement field, or None
	Conversion byte   // 'r', 's', 'a' or 0
	Spec       NodeID // format specifier, or None
}

// StringValue returns the text of a string literal that has no replacement fields and is no bytes literal.
func (f *File) StringValue(n NodeID) (string, bool) {
	n = f.Unwrap(n)
	if !f.Is(n, KindString, KindConcatenatedString) {
		return "", false
	}
	s := f.StringLiteral(n)
	return s.Value, s.Exact && !s.Bytes
}

// PlainString returns the text of a string literal that means exactly what stands between its quotes: one piece without prefix,
// escapes and line ends, which is the usual one. It is [File.StringLiteral] without the work; the string shares the memory of the
// source, as that of [File.Text] does.
func (f *File) PlainString(n NodeID) (string, bool) {
	if !f.Is(n, KindString) {
		return "", false
	}
	text := f.Text(n)
	if len(text) < 2 || text[0] != '"' && text[0] != '\'' || text[len(text)-1] != text[0] {
		return "", false
	}
	inner := text[1 : len(text)-1]
	if inner == "" {
		return "", true
	}
	if inner[0] == text[0] { // three quotes, or something that the parser repaired
		return "", false
	}
	for i := 0; i < len(inner); i++ {
		if c := inner[i]; c == '\\' || c == '\r' || c == '\n' || c == text[0] || c >= utf8.RuneSelf {
			return "", false
		}
	}
	return inner, true
}

// StringLiteral decodes the string or concatenated string n. For any other node it returns a literal whose Exact is false.
func (f *File) StringLiteral(n NodeID) StringLiteral {
	s := StringLiteral{Node: n, Exact: true}
	switch n = f.Unwrap(n); f.KindOf(n) {
	case KindString:
		f.addPiece(&s, n)
	case KindConcatenatedString:
		for c := range f.Children(n) {
			if f.Is(c, KindString) {
				f.addPiece(&s, c)
			}
		}
	default:
		s.Exact = false
	}
	if len(s.Parts) == 1 {
		s.Value = s.Parts[0].Text
		return s
	}
	var value strings.Builder
	for _, p := range s.Parts {
		value.WriteString(p.Text)
	}
	s.Value = value.String()
	return s
}

// pieceOf finds prefix and quotes of one literal.
func (f *File) pieceOf(n NodeID) (piece StringPiece, ok bool) {
	start, end := f.Span(n)
	text := f.Source[start:end]
	i := 0
	for i < len(text) && text[i] != '"' && text[i] != '\'' {
		i++
	}
	if i == len(text) {
		return StringPiece{Node: n}, false
	}
	quotes := 1
	if len(text) >= i+6 && text[i+1] == text[i] && text[i+2] == text[i] {
		quotes = 3
	}
	piece = StringPiece{Node: n, Prefix: strings.ToLower(f.Text(n)[:i]), ContentStart: start + i + quotes, ContentEnd: end - quotes}
	if piece.ContentEnd < piece.ContentStart || text[len(text)-1] != text[i] {
		piece.ContentEnd = end
		return piece, false
	}
	return piece, true
}

func (f *File) addPiece(s *StringLiteral, n NodeID) {
	piece, ok := f.pieceOf(n)
	s.Pieces = append(s.Pieces, piece)
	if !ok {
		s.Exact = false
		return
	}
	raw := strings.Contains(piece.Prefix, "r")
	bytes := strings.Contains(piece.Prefix, "b")
	template := strings.Contains(piece.Prefix, "t")
	formatted := template || strings.Contains(piece.Prefix, "f")
	s.Bytes = s.Bytes || bytes
	s.Template = s.Template || template
	s.Interpolated = s.Interpolated || formatted
	at := piece.ContentStart
	text := func(end int) {
		if end > at {
			decoded, exact := decodeEscapes(f.Source[at:end], raw, bytes, formatted)
			s.Exact = s.Exact && exact && utf8.Valid(f.Source[at:end])
			s.Parts = append(s.Parts, StringPart{Text: decoded, Node: None, Value: None, Spec: None})
		}
	}
	for c := range f.Children(n) {
		if f.Is(c, KindInterpolation) {
			start, end := f.Span(c)
			text(start)
			s.Parts = append(s.Parts, f.Interpolation(c))
			s.Exact = false
			at = end
		}
	}
	text(piece.ContentEnd)
}

// Interpolation returns the replacement field at n.
func (f *File) Interpolation(n NodeID) StringPart {
	part := StringPart{Node: n, Value: f.Child(n, FieldExpression), Spec: f.Child(n, FieldFormatSpecifier)}
	if conversion := f.Text(f.Child(n, FieldTypeConversion)); len(conversion) > 1 {
		part.Conversion = conversion[1]
	}
	return part
}

// decodeEscapes turns the source text of a literal into what it means, and reports whether it knows every escape.
func decodeEscapes(text []byte, raw, bytes, formatted bool) (string, bool) {
	if plain(text, formatted) {
		return unsafe.String(unsafe.SliceData(text), len(text)), true // a file's source never changes
	}
	exact := true
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\r': // Python reads source with universal newlines
			out = append(out, '\n')
			i++
			if i < len(text) && text[i] == '\n' {
				i++
			}
		case formatted && (c == '{' || c == '}') && i+1 < len(text) && text[i+1] == c:
			out = append(out, c)
			i += 2
		case c == '\\' && !raw && i+1 < len(text):
			decoded, size, known := escape(text[i:], bytes)
			out = append(out, decoded...)
			exact = exact && known
			i += size
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out), exact
}

// plain reports whether the source text of a literal is what it means.
func plain(text []byte, formatted bool) bool {
	for _, c := range text {
		if c == '\\' || c == '\r' || formatted && (c == '{' || c == '}') {
			return false
		}
	}
	return true
}

var simpleEscapes = map[byte]string{
	'\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v", '\n': "",
}

// escape decodes the escape sequence at the start of text, which has at least two bytes.
func escape(text []byte, bytes bool) (decoded string, size int, known bool) {
	c := text[1]
	if s, ok := simpleEscapes[c]; ok {
		return s, 2, true
	}
	digits := 0
	switch {
	case c == '\r':
		if len(text) > 2 && text[2] == '\n' {
			return "", 3, true
		}
		return "", 2, true
	case c >= '0' && c <= '7':
		end := 2
		for end < len(text) && end < 4 && text[end] >= '0' && text[end] <= '7' {
			end++
		}
		return codePoint(string(text[1:end]), 8, bytes, end)
	case c == 'x':
		digits = 2
	case bytes:
		return string(text[:2]), 2, true
	case c == 'u':
		digits = 4
	case c == 'U':
		digits = 8
	case c == 'N':
		return "\uFFFD", 2, false
	default:
		return string(text[:2]), 2, true
	}
	if len(text) < 2+digits {
		return "\uFFFD", len(text), false
	}
	return codePoint(string(text[2:2+digits]), 16, bytes, 2+digits)
}

func codePoint(digits string, base int, bytes bool, size int) (string, int, bool) {
	v, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil || v > utf8.MaxRune || v >= 0xD800 && v < 0xE000:
		return "\uFFFD", size, false
	case bytes:
		return string([]byte{byte(v)}), size, true
	}
	return string(rune(v)), size, true
}
