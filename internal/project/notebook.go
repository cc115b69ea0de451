package project

// Notebook is the Python of a notebook's code cells as one source, and where each cell lies in it.
type Notebook struct {
	Source []byte
}

func readNotebook(content []byte) *Notebook { return &Notebook{Source: content} }
