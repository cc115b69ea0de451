package pyparse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Replacement puts text in place of the half-open byte range of [Notebook.Source].
type Replacement struct {
	Start, End int
	Text       string
}

// EditNotebook returns an .ipynb file with the text of its code cells edited. Every byte outside of the lines that change stays as it is. The
// error says why an edit cannot be made: it does not lie in one cell, or what it changes is a magic, which the source of the notebook
// shows as blanks.
func EditNotebook(content []byte, edits []Replacement) ([]byte, error) {
	n, err := ParseNotebook(content)
	if err != nil {
		return nil, err
	}
	places, err := cellPlaces(content)
	if err != nil {
		return nil, err
	}
	byCell := map[int][]Replacement{}
	for _, e := range edits {
		i, inside, err := n.within(e)
		if err != nil {
			return nil, err
		}
		byCell[i] = append(byCell[i], inside)
	}
	var changes []Replacement // in the file
	for i, own := range byCell {
		place := places[n.Cells[i].Index]
		before := place.text()
		if n.Cells[i].End-n.Cells[i].Start != len(before) {
			return nil, errors.New("notebook: the text of a cell is spelled in several ways")
		}
		after, err := replaceAll(before, own)
		if err != nil {
			return nil, err
		}
		if blanked(n.Source[n.Cells[i].Start:n.Cells[i].End], before, own) {
			return nil, fmt.Errorf("notebook: code cell %d has a magic where the edit is", i+1)
		}
		changes = append(changes, place.rewritten(content, after)...)
	}
	out, err := replaceAll(string(content), changes)
	return []byte(out), err
}

// within finds the cell that an edit lies in, and the edit with offsets in that cell. A line that goes may take the line break between two
// cells along, and a line that is added in front of a cell goes to the end of the one before.
func (n *Notebook) within(e Replacement) (int, Replacement, error) {
	i, at, ok := n.Locate(e.Start)
	if ok && at == 0 && i > 0 && e.Start == e.End && strings.HasSuffix(e.Text, "\n") {
		i--
		at = n.Cells[i].End - n.Cells[i].Start
		e.Text = "\n" + strings.TrimSuffix(e.Text, "\n")
		return i, Replacement{Start: at, End: at, Text: e.Text}, nil
	}
	if !ok {
		return 0, e, errors.New("notebook: an edit lies between two cells")
	}
	length := e.End - e.Start
	if e.End == n.Cells[i].End+1 {
		length--
		e.Text = strings.TrimSuffix(e.Text, "\n")
	}
	if at+length > n.Cells[i].End-n.Cells[i].Start {
		return 0, e, errors.New("notebook: an edit goes over several cells")
	}
	return i, Replacement{Start: at, End: at + length, Text: e.Text}, nil
}

// blanked reports whether an edit replaces text that the source of a notebook does not show.
func blanked(shown []byte, text string, edits []Replacement) bool {
	for _, e := range edits {
		if string(shown[e.Start:e.End]) != text[e.Start:e.End] {
			return true
		}
	}
	return false
}

// replaceAll makes edits, which may not overlap.
func replaceAll(text string, edits []Replacement) (string, error) {
	sorted := append([]Replacement(nil), edits...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Start < sorted[j].Start })
	var b strings.Builder
	at := 0
	for _, e := range sorted {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return "", errors.New("notebook: edits overlap")
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	return b.String() + text[at:], nil
}

// jsonString is a string literal of a JSON file: where it stands, quotes included, and what it says.
type jsonString struct {
	start, end int
	value      string
}

// cellPlace is where the text of a cell is written: one string, or a list of strings.
type cellPlace struct {
	list       bool
	start, end int // of the whole value
	strings    []jsonString
}

func (c *cellPlace) text() string {
	var b strings.Builder
	for _, s := range c.strings {
		b.WriteString(s.value)
	}
	return b.String()
}

// rewritten are the changes of the file that turn the text of a cell into another: of the whole string, or of those strings of the list
// that differ.
func (c *cellPlace) rewritten(content []byte, after string) []Replacement {
	if !c.list {
		return []Replacement{{Start: c.start, End: c.end, Text: encoded(after, content[c.start:c.end])}}
	}
	first, last := 0, len(c.strings) // the strings that differ
	left := 0                        // where they begin in the text
	for first < last && strings.HasPrefix(after[left:], c.strings[first].value) {
		if end := left + len(c.strings[first].value); 0 < end && end < len(after) && after[end-1] != '\n' {
			break // the line goes on
		}
		left += len(c.strings[first].value)
		first++
	}
	rest := after[left:]
	for last > first && strings.HasSuffix(rest, c.strings[last-1].value) {
		begins := len(rest) - len(c.strings[last-1].value)
		if begins > 0 && rest[begins-1] != '\n' {
			break // the line begins before
		}
		rest = rest[:begins]
		last--
	}
	return []Replacement{c.replaced(content, first, last, lines(rest))}
}

// replaced puts other lines in place of the strings first to last of the list, with what stands between two strings between them.
func (c *cellPlace) replaced(content []byte, first, last int, texts []string) Replacement {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = encoded(t, content[c.start:c.end])
	}
	separator := c.separator(content)
	joined := strings.Join(parts, separator)
	switch {
	case len(c.strings) == 0:
		return Replacement{Start: c.start, End: c.end, Text: "[" + joined + "]"}
	case first < last && len(parts) > 0:
		return Replacement{Start: c.strings[first].start, End: c.strings[last-1].end, Text: joined}
	case first < last && last < len(c.strings): // strings go together with the separator behind them
		return Replacement{Start: c.strings[first].start, End: c.strings[last].start}
	case first < last && first > 0:
		return Replacement{Start: c.strings[first-1].end, End: c.strings[last-1].end}
	case first < last:
		return Replacement{Start: c.strings[0].start, End: c.strings[last-1].end}
	case len(parts) == 0:
		return Replacement{Start: c.start, End: c.start}
	case first < len(c.strings):
		return Replacement{Start: c.strings[first].start, End: c.strings[first].start, Text: joined + separator}
	}
	end := c.strings[len(c.strings)-1].end
	return Replacement{Start: end, End: end, Text: separator + joined}
}

// separator is what the list writes between two strings.
func (c *cellPlace) separator(content []byte) string {
	if len(c.strings) > 1 {
		return string(content[c.strings[0].end:c.strings[1].start])
	}
	if space := string(content[c.start+1 : c.strings[0].start]); space != "" {
		return "," + space
	}
	return ", "
}

// lines splits a text behind every line break, as notebooks do.
func lines(text string) []string {
	var out []string
	for text != "" {
		i := strings.IndexByte(text, '\n') + 1
		if i == 0 {
			i = len(text)
		}
		out = append(out, text[:i])
		text = text[i:]
	}
	return out
}

// encoded is a JSON string, with characters beyond ASCII escaped only where the place that it goes to escapes them.
func encoded(text string, place []byte) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return `""`
	}
	literal := strings.TrimSuffix(b.String(), "\n")
	if !bytes.Contains(place, []byte(`\u`)) || bytes.ContainsFunc(place, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return literal
	}
	var escaped strings.Builder
	for _, r := range literal {
		switch {
		case r < utf8.RuneSelf:
			escaped.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&escaped, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
	}
	return escaped.String()
}
