package output

import (
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// tabStop is how far tabs reach in an excerpt.
const tabStop = 4

// narrow measures characters as terminals do outside East Asian locales, whatever the locale of this process is: output
// is the same everywhere.
func narrow() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// expand makes a source line printable: tabs become blanks, and control characters, which could drive a terminal, become
// their symbols.
func expand(line string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return r == '\t' || hidden(r) }) {
		return line
	}
	var b strings.Builder
	column, c := 0, narrow()
	for _, r := range line {
		switch {
		case r == '\t':
			n := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", n))
			column += n
		case hidden(r):
			b.WriteRune(symbol(r))
			column++
		default:
			b.WriteRune(r)
			column += c.RuneWidth(r)
		}
	}
	return b.String()
}

// width is the number of terminal cells that expand(text) takes when it starts at the given column.
func width(text string, column int) int {
	start, c := column, narrow()
	for _, r := range text {
		switch {
		case r == '\t':
			column += tabStop - column%tabStop
		case hidden(r):
			column++
		default:
			column += c.RuneWidth(r)
		}
	}
	return column - start
}

// hidden reports whether a character would act on the terminal or on the direction of text instead of being seen.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

func symbol(r rune) rune {
	if r < 0x20 {
		return 0x2400 + r
	}
	if r == 0x7f {
		return 0x2421
	}
	return unicode.ReplacementChar
}

// Printable makes a message safe for a terminal and keeps it on one line.
func Printable(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteByte(' ')
		case hidden(r):
			b.WriteRune(symbol(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
