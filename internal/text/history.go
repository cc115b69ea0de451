package text

import (
	"bytes"

	"github.com/aymanbagabas/go-udiff"
)

// Change says what became of a line between two versions of a text.
type Change uint8

// What can become of a line.
const (
	Same    Change = iota // same content, same number
	Moved                 // same content, other number
	Changed               // edited, added or deleted
)

// History follows lines from an old version of a text to a new one. Lines are 0-based.
type History struct {
	edits []lineEdit // in order, not overlapping
}

// lineEdit replaces some lines of the old text.
type lineEdit struct {
	old, removed, added int
}

// NewHistory compares two versions of a text line by line.
func NewHistory(before, after []byte) *History {
	h := new(History)
	if bytes.Equal(before, after) {
		return h
	}
	lines := NewMap(before)
	for _, e := range udiff.Lines(string(before), string(after)) {
		first := lines.Line(e.Start)
		h.edits = append(h.edits, lineEdit{
			old:     first,
			removed: linesIn(before[e.Start:e.End]),
			added:   linesIn([]byte(e.New)),
		})
	}
	return h
}

// linesIn counts lines; the last one may lack its ending.
func linesIn(b []byte) int {
	m := NewMap(b)
	n := m.Lines() - 1
	if start, end, ok := m.LineBounds(n); ok && end > start {
		n++
	}
	return n
}

// Unchanged reports whether both versions are the same.
func (h *History) Unchanged() bool { return len(h.edits) == 0 }

// Now returns where a line of the old version is in the new one. For a line that is [Changed] it returns the first line of
// what replaced it.
func (h *History) Now(line int) (int, Change) {
	shift := 0
	for _, e := range h.edits {
		switch {
		case line < e.old:
			return moved(line, shift)
		case line < e.old+e.removed:
			return e.old + shift, Changed
		}
		shift += e.added - e.removed
	}
	return moved(line, shift)
}

// Then is the reverse of Now: where a line of the new version was in the old one.
func (h *History) Then(line int) (int, Change) {
	shift := 0 // from old to new
	for _, e := range h.edits {
		switch {
		case line < e.old+shift:
			return moved(line, -shift)
		case line < e.old+shift+e.added:
			return e.old, Changed
		}
		shift += e.added - e.removed
	}
	return moved(line, -shift)
}

func moved(line, shift int) (int, Change) {
	if shift == 0 {
		return line, Same
	}
	return line + shift, Moved
}
