// Package text converts byte offsets to positions that people and editors use.
//
// Everything inside shardls counts bytes. A [Map] owns one file's bytes and a table of line starts and is the one place
// where bytes become lines and columns: 1-based code points for printers, 0-based code units of a negotiated encoding for
// editors. Lines end at LF, CRLF or a lone CR, as the language server protocol counts them and as Python's tokenizer does.
package text

import (
	"sort"
	"unicode/utf8"
)

// Encoding says what a column of an editor position counts.
type Encoding uint8

// The encodings that the language server protocol can negotiate.
const (
	UTF16 Encoding = iota // 16-bit code units, the protocol's default
	UTF8                  // bytes
	UTF32                 // code points
)

// Position is a place in a file for people: Line and Column are 1-based, Column counts code points.
type Position struct {
	Line, Column int
}

// Map converts between byte offsets and positions of one immutable text.
type Map struct {
	Text  []byte
	lines []int // byte offset of each line's first byte; lines[0] == 0
}

// NewMap indexes the lines of b. The Map keeps b and expects it not to change.
func NewMap(b []byte) *Map {
	m := &Map{Text: b, lines: make([]int, 1, 1+len(b)/32)}
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\n':
			m.lines = append(m.lines, i+1)
		case '\r':
			if i+1 < len(b) && b[i+1] == '\n' {
				i++
			}
			m.lines = append(m.lines, i+1)
		}
	}
	return m
}

// Lines is the number of lines; a text that ends in a newline has an empty last line.
func (m *Map) Lines() int { return len(m.lines) }

// Line returns the 0-based line that holds offset, clamped to the text.
func (m *Map) Line(offset int) int {
	return max(0, sort.Search(len(m.lines), func(i int) bool { return m.lines[i] > offset })-1)
}

// LineBounds returns the byte range of the 0-based line without its line ending, and false if there is no such line.
func (m *Map) LineBounds(line int) (start, end int, ok bool) {
	if line < 0 || line >= len(m.lines) {
		return 0, 0, false
	}
	start, end = m.lines[line], len(m.Text)
	if line+1 < len(m.lines) {
		end = m.lines[line+1]
		if end > start && m.Text[end-1] == '\n' {
			end--
		}
		if end > start && m.Text[end-1] == '\r' {
			end--
		}
	}
	return start, end, true
}

// Position converts a byte offset to a 1-based line and code-point column. Offsets outside the text are clamped.
func (m *Map) Position(offset int) Position {
	offset = max(0, min(offset, len(m.Text)))
	line := m.Line(offset)
	return Position{Line: line + 1, Column: 1 + utf8.RuneCount(m.Text[m.lines[line]:offset])}
}

// Offset converts a 1-based line and code-point column to a byte offset, clamped to the line.
func (m *Map) Offset(p Position) int {
	return m.OffsetFromUnits(p.Line-1, p.Column-1, UTF32)
}

// UnitsFromOffset converts a byte offset to a 0-based line and a 0-based column in code units of enc.
func (m *Map) UnitsFromOffset(offset int, enc Encoding) (line, column int) {
	offset = max(0, min(offset, len(m.Text)))
	line = m.Line(offset)
	return line, units(m.Text[m.lines[line]:offset], enc)
}

// OffsetFromUnits converts a 0-based line and column in code units of enc to a byte offset. A column past the line's end
// means its end and a line past the text's end means the text's end, as the protocol asks.
func (m *Map) OffsetFromUnits(line, column int, enc Encoding) int {
	start, end, ok := m.LineBounds(line)
	if !ok {
		if line < 0 {
			return 0
		}
		return len(m.Text)
	}
	if enc == UTF8 {
		return max(start, min(start+column, end))
	}
	offset := start
	for n := 0; offset < end && n < column; {
		r, size := utf8.DecodeRune(m.Text[offset:end])
		n++
		if enc == UTF16 && r >= 0x10000 {
			n++
		}
		offset += size
	}
	return offset
}

func units(b []byte, enc Encoding) int {
	if enc == UTF8 {
		return len(b)
	}
	n := utf8.RuneCount(b)
	if enc == UTF16 {
		for _, r := range string(b) {
			if r >= 0x10000 {
				n++
			}
		}
	}
	return n
}
