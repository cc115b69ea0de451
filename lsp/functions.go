package lsp

import "github.com/shardls/shardls/pyparse"

// function is a definition in a Python file, as byte ranges: all of it, and its name.
type function struct {
	start, end    int
	name, nameEnd int
}

// functions are the definitions of a file in the order of the source.
func (a *analysis) functions(path string) []function {
	if a.workspace == nil {
		return nil
	}
	facts := a.workspace.Program.Files[path]
	if facts == nil || facts.Tree() == nil {
		return nil
	}
	file := facts.Tree()
	var out []function
	for i := range file.Nodes {
		n := pyparse.NodeID(i)
		if !file.Is(n, pyparse.KindFunctionDefinition) {
			continue
		}
		var f function
		f.start, f.end = file.Span(n)
		f.name, f.nameEnd = file.Span(file.Child(n, pyparse.FieldName))
		out = append(out, f)
	}
	return out
}
