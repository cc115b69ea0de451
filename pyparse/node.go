package pyparse

import (
	"bytes"
	"iter"
	"unsafe"
)

// NodeID names a node by its position in [File.Nodes]. The module itself is node 0.
type NodeID int32

// None is the NodeID of no node. Every method that takes a NodeID accepts it and answers None, zero or nothing.
const None NodeID = -1

// Flags say what is special about a node.
type Flags uint8

// The first three mirror dump.h.
const (
	HasError  Flags = 1 << iota // the node or something below it could not be parsed
	Missing                     // the parser invented the node to go on; it has no text
	TooDeep                     // the node's descendants were left out because they nest too deep
	Rewritten                   // the node's own syntax was replaced before parsing: read its text with care
)

// Node is one node of the tree. Nodes are stored in pre-order: a node's first child follows it, its next sibling is at Next,
// and its descendants are the nodes in between.
type Node struct {
	Start, End uint32 // byte range in the source, half-open
	Next       uint32 // index of the next node that is not a descendant
	Kind       Kind
	Field      Field
	Flags      Flags
	_          uint8
}

func (f *File) valid(n NodeID) bool { return n >= 0 && int(n) < len(f.Nodes) }

// KindOf returns n's kind, or 0 for None.
func (f *File) KindOf(n NodeID) Kind {
	if !f.valid(n) {
		return 0
	}
	return f.Nodes[n].Kind
}

// Is reports whether n is of one of the kinds.
func (f *File) Is(n NodeID, kinds ...Kind) bool {
	k := f.KindOf(n)
	for _, want := range kinds {
		if k == want && k != 0 {
			return true
		}
	}
	return false
}

// FieldOf returns the role n plays in its parent.
func (f *File) FieldOf(n NodeID) Field {
	if !f.valid(n) {
		return FieldNone
	}
	return f.Nodes[n].Field
}

// Span returns n's half-open byte range in the source.
func (f *File) Span(n NodeID) (start, end int) {
	if !f.valid(n) {
		return 0, 0
	}
	return int(f.Nodes[n].Start), int(f.Nodes[n].End)
}

// Bytes returns the source text of n, which must not be changed.
func (f *File) Bytes(n NodeID) []byte {
	if !f.valid(n) {
		return nil
	}
	return f.Source[f.Nodes[n].Start:f.Nodes[n].End]
}

// Text returns the source text of n. The string shares the memory of the source: keep it only where the file is kept as well.
func (f *File) Text(n NodeID) string {
	b := f.Bytes(n)
	return unsafe.String(unsafe.SliceData(b), len(b)) // a file's source never changes
}

// Parent returns the node that n stands in, or None for the module.
func (f *File) Parent(n NodeID) NodeID {
	if !f.valid(n) {
		return None
	}
	return f.parents[n]
}

// Children yields n's children in order, without operator tokens. Comments and punctuation are not nodes.
func (f *File) Children(n NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		if !f.valid(n) {
			return
		}
		for c, end := uint32(n)+1, f.Nodes[n].Next; c < end; c = f.Nodes[c].Next {
			if k := f.Nodes[c].Kind; k != KindOperator && k != KindAsync && !yield(NodeID(c)) {
				return
			}
		}
	}
}

// ChildrenIn yields those children of n that stand in field, operator tokens included.
func (f *File) ChildrenIn(n NodeID, field Field) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		if !f.valid(n) {
			return
		}
		for c, end := uint32(n)+1, f.Nodes[n].Next; c < end; c = f.Nodes[c].Next {
			if f.Nodes[c].Field == field && !yield(NodeID(c)) {
				return
			}
		}
	}
}

// Child returns the first child of n that stands in field, or None.
func (f *File) Child(n NodeID, field Field) NodeID {
	for c := range f.ChildrenIn(n, field) {
		return c
	}
	return None
}

// FirstChild returns the first child that [File.Children] yields, or None.
func (f *File) FirstChild(n NodeID) NodeID {
	for c := range f.Children(n) {
		return c
	}
	return None
}

// ChildList returns the children that [File.Children] yields.
func (f *File) ChildList(n NodeID) []NodeID {
	count := f.childCount(n)
	if count == 0 {
		return nil
	}
	list := make([]NodeID, 0, count)
	for c := range f.Children(n) {
		list = append(list, c)
	}
	return list
}

// childCount is the number of children that [File.Children] yields.
func (f *File) childCount(n NodeID) int {
	count := 0
	for range f.Children(n) {
		count++
	}
	return count
}

// Descendants yields n and everything below it in pre-order.
func (f *File) Descendants(n NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		if !f.valid(n) {
			return
		}
		for c := n; uint32(c) < f.Nodes[n].Next; c++ {
			if !yield(c) {
				return
			}
		}
	}
}

// Contains reports whether n is ancestor or stands below it.
func (f *File) Contains(ancestor, n NodeID) bool {
	return f.valid(ancestor) && f.valid(n) && ancestor <= n && uint32(n) < f.Nodes[ancestor].Next
}

// NodeAt returns the deepest node whose range holds the byte at offset, or that ends there when no node holds it: with the
// cursor right behind a name the name is found. It returns the module when nothing smaller fits.
func (f *File) NodeAt(offset int) NodeID {
	if len(f.Nodes) == 0 {
		return None
	}
	at := uint32(max(offset, 0))
	n := f.descend(at, func(x *Node) bool { return x.Start <= at && at < x.End })
	if touching := f.descend(at, func(x *Node) bool { return x.Start <= at && at <= x.End && x.Start < x.End }); f.Nodes[n].Next > uint32(n)+1 &&
		f.Nodes[touching].Next == uint32(touching)+1 {
		return touching
	}
	return n
}

func (f *File) descend(at uint32, holds func(*Node) bool) NodeID {
	n := uint32(0)
search:
	for {
		for c, end := n+1, f.Nodes[n].Next; c < end; c = f.Nodes[c].Next {
			if f.Nodes[c].Start > at {
				break
			}
			if holds(&f.Nodes[c]) {
				n = c
				continue search
			}
		}
		return NodeID(n)
	}
}

// Ancestors yields n's parent, its parent, and so on up to the module.
func (f *File) Ancestors(n NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for p := f.Parent(n); p != None && yield(p); p = f.Parent(p) {
		}
	}
}

// EnclosingFunction returns the innermost function definition or lambda around n, or None. Decorators, defaults and
// annotations belong to the surroundings of a function in Python, yet are found inside it here, because that is where they
// are written; use [File.ScopeOf] for name resolution.
func (f *File) EnclosingFunction(n NodeID) NodeID {
	for p := range f.Ancestors(n) {
		if f.Is(p, KindFunctionDefinition, KindLambda) {
			return p
		}
	}
	return None
}

// EnclosingClass returns the innermost class definition around n, or None.
func (f *File) EnclosingClass(n NodeID) NodeID {
	for p := range f.Ancestors(n) {
		if f.Is(p, KindClassDefinition) {
			return p
		}
	}
	return None
}

// EnclosingStatement returns the innermost statement that n is or stands in, or None for the module. A decorated
// definition counts as one statement.
func (f *File) EnclosingStatement(n NodeID) NodeID {
	for ; n > 0; n = f.Parent(n) {
		if p := f.Parent(n); f.Is(p, KindModule, KindBlock) {
			return n
		}
	}
	return None
}

// StatementAt returns the bytes of the innermost statement at an offset: of one with a block what stands before the block, of a function
// all. It answers false where no statement is.
func (f *File) StatementAt(offset int) (from, to int, ok bool) {
	n := f.EnclosingStatement(f.NodeAt(offset))
	if n == None {
		return 0, 0, false
	}
	from, to = f.Span(n)
	if f.Is(n, KindFunctionDefinition, KindDecoratedDefinition) {
		return from, to, true
	}
	for child := range f.Children(n) {
		if f.Is(child, KindBlock) {
			to, _ = f.Span(child)
			to = from + len(bytes.TrimRight(f.Source[from:to], " \t\r\n"))
			break
		}
	}
	return from, to, true
}

// Unwrap removes what does not change a value: parentheses, and the node that marks an annotation.
func (f *File) Unwrap(n NodeID) NodeID {
	for f.Is(n, KindParenthesizedExpression, KindType) {
		inner := f.FirstChild(n)
		if inner == None {
			break
		}
		n = inner
	}
	return n
}
