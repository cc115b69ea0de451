package text

import (
	"strings"
	"testing"
)

func TestHistory(t *testing.T) {
	tests := []struct {
		name          string
		before, after string // lines without their endings, separated by spaces
		now           string // per old line: its new number, or x
	}{
		{"same", "a b c", "a b c", "0 1 2"},
		{"added above", "a b", "n a b", "1 2"},
		{"added between", "a b", "a n m b", "0 3"},
		{"added below", "a b", "a b n", "0 1"},
		{"deleted", "a b c", "a c", "0 x 1"},
		{"edited", "a b c", "a n c", "0 x 2"},
		{"edited and moved", "a b c d", "n a m c d", "1 x 3 4"},
		{"several", "a b c d e f", "a c d n e g f", "0 x 1 2 4 6"},
		{"all", "a b", "c d e", "x x"},
		{"from nothing", "", "a b", ""},
		{"to nothing", "a b", "", "x x"},
	}
	for _, tt := range tests {
		for _, ending := range []string{"\n", "\r\n"} {
			h := NewHistory(join(tt.before, ending), join(tt.after, ending))
			for line, want := range strings.Fields(tt.now) {
				got, change := h.Now(line)
				if want == "x" {
					if change != Changed {
						t.Errorf("%s: line %d is at %d, want it changed", tt.name, line, got)
					}
					continue
				}
				if change == Changed || string(rune('0'+got)) != want || (change == Same) != (got == line) {
					t.Errorf("%s: line %d is at %d (%v), want %s", tt.name, line, got, change, want)
				}
				if back, change := h.Then(got); back != line || change == Changed {
					t.Errorf("%s: line %d goes back to %d (%v), want %d", tt.name, got, back, change, line)
				}
			}
			if h.Unchanged() != (tt.before == tt.after) {
				t.Errorf("%s: Unchanged = %v", tt.name, h.Unchanged())
			}
		}
	}
}

func join(words, ending string) []byte {
	var b strings.Builder
	for _, w := range strings.Fields(words) {
		b.WriteString(w + ending)
	}
	return []byte(b.String())
}

// FuzzHistory: a line that is followed has the same content on both sides, and following it back leads to where it was.
func FuzzHistory(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc")
	f.Add("a\r\nb", "b\r\n\r\na")
	f.Fuzz(func(t *testing.T, before, after string) {
		old, now := NewMap([]byte(before)), NewMap([]byte(after))
		h := NewHistory(old.Text, now.Text)
		for line := range old.Lines() - 1 { // the last one has no ending, so it can differ in that alone
			got, change := h.Now(line)
			if change == Changed {
				continue
			}
			if a, b := content(old, line), content(now, got); a != b {
				t.Fatalf("line %d %q is said to be line %d %q", line, a, got, b)
			}
			if back, change := h.Then(got); back != line || change == Changed {
				t.Fatalf("line %d goes to %d and back to %d (%v)", line, got, back, change)
			}
		}
	})
}

func content(m *Map, line int) string {
	start, end, ok := m.LineBounds(line)
	if !ok {
		return "no such line"
	}
	return string(m.Text[start:end])
}
