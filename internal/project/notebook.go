package project

import "github.com/shardls/shardls/pyparse"

// Notebook is the Python of a notebook's code cells as one source, and where each cell lies in it.
type Notebook struct {
	Source []byte

	cells *pyparse.Notebook
}

// readNotebook reads an .ipynb file. Its error says why it is none.
func readNotebook(content []byte) (*Notebook, error) {
	cells, err := pyparse.ParseNotebook(content)
	if err != nil {
		return nil, err
	}
	return &Notebook{Source: cells.Source, cells: cells}, nil
}

// Cell returns the 1-based code cell and the 1-based line in it of an offset, false where it lies in none.
func (n *Notebook) Cell(offset int) (cell, line int, ok bool) {
	i, _, ok := n.cells.Locate(offset)
	if !ok {
		return 0, 0, false
	}
	line = 1
	for _, b := range n.Source[n.cells.Cells[i].Start:offset] {
		if b == '\n' {
			line++
		}
	}
	return i + 1, line, true
}
