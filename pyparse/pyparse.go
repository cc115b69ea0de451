// Package pyparse turns Python source into a compact syntax tree with scopes, imports and suppression comments.
//
// It is the only package that knows tree-sitter and it knows nothing of JAX.
package pyparse

// File is one parsed Python file.
type File struct {
	Path   string
	Source []byte
}
