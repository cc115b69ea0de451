package project

// Notebook is the Python of a notebook's code cells as one source, and where each cell lies in it.
type Notebook struct {
	Source []byte
}

func readNotebook(content []byte) *Notebook { return &Notebook{Source: content} }

// Cell returns the 1-based code cell and the 1-based line in it of an offset, false where it lies in none.
func (n *Notebook) Cell(offset int) (cell, line int, ok bool) { return 0, 0, false }
