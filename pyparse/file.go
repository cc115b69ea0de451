// Package pyparse turns Python source into a compact syntax tree with scopes, imports and suppression comments.
//
// It is the only package that knows tree-sitter and it knows nothing of JAX. A [File] is a plain value: it holds no foreign
// memory and may be read by many goroutines at once.
package pyparse

import "sync"

// File is one parsed Python file. It does not change after it was made.
type File struct {
	Path     string
	Source   []byte
	Nodes    []Node    // pre-order; Nodes[0] is the module
	Comments []Comment // in source order
	Problems []Problem // in source order

	Imports      []Import      // every import binding in source order, at whatever depth
	Suppressions []Suppression // in source order

	parents []NodeID
	errors  int                // error and missing nodes, and what the grammar should not have let pass
	cut     bool               // some nodes are TooDeep
	scopes  func() *scopeTable // computed on first call
}

// Comment is the byte range of a comment from its # to the end of its line.
type Comment struct {
	Start, End int
}

// Problem is something that could not be understood, with the byte range it costs.
type Problem struct {
	Start, End int
	Message    string
}

// finish derives everything that needs only the tree.
func (f *File) finish() {
	f.scopes = sync.OnceValue(func() *scopeTable { return buildScopes(f) })
	for n, x := range f.Nodes {
		switch x.Kind {
		case KindImportStatement, KindImportFromStatement, KindFutureImportStatement:
			f.Imports = append(f.Imports, f.importsOf(NodeID(n))...)
		}
	}
	f.collectSuppressions()
}

// link computes the table of parents.
func (f *File) link() {
	if len(f.parents) != len(f.Nodes) {
		f.parents = make([]NodeID, len(f.Nodes))
	}
	open := make([]NodeID, 0, 64)
	for i := range f.Nodes {
		for len(open) > 0 && uint32(i) >= f.Nodes[open[len(open)-1]].Next {
			open = open[:len(open)-1]
		}
		f.parents[i] = None
		if len(open) > 0 {
			f.parents[i] = open[len(open)-1]
		}
		if f.Nodes[i].Next > uint32(i)+1 {
			open = append(open, NodeID(i))
		}
	}
}
