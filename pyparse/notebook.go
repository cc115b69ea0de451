package pyparse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Notebook is the Python of a notebook's code cells as one source. The cells follow each other with a line break in between; what
// only IPython understands is overwritten with blanks of the same length, so that offsets are those of the cells.
type Notebook struct {
	Source []byte
	Cells  []Cell
}

// Cell is one code cell.
type Cell struct {
	Index      int // 0-based position among all cells of the notebook, of whatever type
	Start, End int // byte range in Notebook.Source
}

// Locate returns the 0-based position of the code cell in Notebook.Cells that holds offset, or touches it, and the offset in that cell's text. It
// reports false for the line break between two cells' ranges and outside of the source.
func (n *Notebook) Locate(offset int) (cell, inCell int, ok bool) {
	i := sort.Search(len(n.Cells), func(i int) bool { return n.Cells[i].Start > offset }) - 1
	if i < 0 || offset > n.Cells[i].End {
		return 0, 0, false
	}
	return i, offset - n.Cells[i].Start, true
}

// ParseNotebook reads the JSON of an .ipynb file, of format 3 or 4. A notebook in another language than Python has no cells. The error says
// what is wrong with the file.
func ParseNotebook(content []byte) (*Notebook, error) {
	var file notebookFile
	if err := json.Unmarshal(bytes.TrimPrefix(content, []byte(byteOrderMark)), &file); err != nil {
		var odd *json.UnmarshalTypeError
		if errors.As(err, &odd) { // the library's message names types of this program
			return nil, fmt.Errorf("notebook: it holds a JSON %s in the wrong place", odd.Value)
		}
		return nil, fmt.Errorf("notebook: %w", err)
	}
	cells := file.Cells
	for _, w := range file.Worksheets {
		cells = append(cells, w.Cells...)
	}
	texts := make([]string, 0, len(cells))
	indices := make([]int, 0, len(cells))
	for i, c := range cells {
		if c.Type == "code" && file.isPython() && (c.Language == "" || strings.HasPrefix(c.Language, "python")) {
			texts = append(texts, string(c.Source)+string(c.Input))
			indices = append(indices, i)
		}
	}
	n := JoinCells(texts)
	for i := range n.Cells {
		n.Cells[i].Index = indices[i]
	}
	return n, nil
}

// JoinCells makes a notebook of the texts of its code cells, as an editor holds them.
func JoinCells(texts []string) *Notebook {
	n := &Notebook{Cells: make([]Cell, 0, len(texts))}
	for i, text := range texts {
		if i > 0 {
			n.Source = append(n.Source, '\n')
		}
		start := len(n.Source)
		n.Source = append(n.Source, text...)
		blankMagics(n.Source[start:])
		n.Cells = append(n.Cells, Cell{Index: i, Start: start, End: len(n.Source)})
	}
	return n
}

// notebookFile is what matters of an .ipynb file.
type notebookFile struct {
	Cells      []notebookCell `json:"cells"`
	Worksheets []struct {
		Cells []notebookCell `json:"cells"`
	} `json:"worksheets"`
	Metadata struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
}

type notebookCell struct {
	Type     string   `json:"cell_type"`
	Source   cellText `json:"source"`
	Input    cellText `json:"input"` // format 3
	Language string   `json:"language"`
}

func (f *notebookFile) isPython() bool {
	for _, language := range []string{f.Metadata.Language.Name, f.Metadata.Kernel.Language} {
		if language != "" {
			return strings.HasPrefix(strings.ToLower(language), "python") || strings.EqualFold(language, "ipython")
		}
	}
	return true
}

// cellText is a string, or a list of strings that follow each other.
type cellText string

// UnmarshalJSON reads either form.
func (c *cellText) UnmarshalJSON(b []byte) error {
	var lines []string
	if len(b) > 0 && b[0] == '[' {
		if err := json.Unmarshal(b, &lines); err != nil {
			return err
		}
		*c = cellText(strings.Join(lines, ""))
		return nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	*c = cellText(text)
	return nil
}

// cellMagics are the magics of whole cells whose body is Python all the same.
var cellMagics = []string{"time", "timeit", "capture", "prun", "python", "python3", "ipytest", "memit", "mprun", "lprun"}

// blankMagics overwrites the magics, shell commands and help requests of one cell.
func blankMagics(cell []byte) {
	s := &scanner{source: cell}
	if rest := bytes.TrimLeft(cell, " \t\r\n"); bytes.HasPrefix(rest, []byte("%%")) {
		name, _, _ := strings.Cut(strings.TrimSpace(firstLine(rest[2:])), " ")
		s.at = len(cell) - len(rest)
		end := s.lineEnd(s.at)
		if !slices.Contains(cellMagics, name) {
			end = len(cell)
		}
		blankBytes(cell[s.at:end])
	}
	for s.at < len(cell) {
		s.blankLine()
	}
}

func firstLine(b []byte) string {
	return string(b[:(&scanner{source: b}).lineEnd(0)])
}

// blankLine passes over one logical line and blanks what is no Python in it.
func (s *scanner) blankLine() {
	for s.at < len(s.source) && (s.source[s.at] == ' ' || s.source[s.at] == '\t' || s.source[s.at] == '\f') {
		s.at++
	}
	if s.at == len(s.source) {
		return
	}
	switch s.source[s.at] {
	case '%', '!', '?':
		s.blankCommand()
		return
	}
	s.tokens = s.tokens[:0]
	for s.at < len(s.source) {
		s.next()
		n := len(s.tokens)
		if n == 0 {
			continue
		}
		if s.tokens[n-1].class == tokNewline {
			break
		}
		if n > 1 && s.depth == 0 && s.word(n-2) == "=" && (s.word(n-1) == "!" || s.word(n-1) == "%") {
			s.at = s.tokens[n-1].start
			s.blankCommand()
			return
		}
	}
	for i := len(s.tokens) - 1; i >= 0; i-- { // name? and name??
		switch t := s.tokens[i]; {
		case t.class == tokNewline || t.class == tokComment:
		case s.word(i) == "?":
			s.source[t.start] = ' '
		default:
			return
		}
	}
}

func (s *scanner) word(i int) string {
	return string(s.source[s.tokens[i].start:s.tokens[i].end])
}

// blankCommand overwrites everything up to the end of the line, and of the lines that a backslash adds to it, by a name that
// evaluates to nothing: an indented block must not become empty, nor an assignment lose its value.
func (s *scanner) blankCommand() {
	start := s.at
	end := s.lineEnd(start)
	for end > start && s.source[end-1] == '\\' && end < len(s.source) {
		end = s.lineEnd(s.lineBreak(end))
	}
	blankBytes(s.source[start:end])
	s.source[start] = '0'
	s.at = end
	if end < len(s.source) {
		s.at = s.lineBreak(end)
	}
}

// blankBytes overwrites b with spaces, except for line breaks.
func blankBytes(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}
