package pyparse

import "slices"

// maxProblems bounds the list of problems of one file.
const maxProblems = 100

// collectProblems lists the outermost regions that could not be parsed and what the grammar made up.
func (f *File) collectProblems() {
	scanAll := f.errors > 0 || f.cut // what the grammar let pass has no flag yet
	for n := uint32(0); n < uint32(len(f.Nodes)) && len(f.Problems) < maxProblems; {
		x := f.Nodes[n]
		p := Problem{Start: int(x.Start), End: int(x.End)}
		switch {
		case x.Kind == KindError:
			p.Message = "invalid syntax"
		case x.Flags&TooDeep != 0:
			p.Message = "nested too deeply"
		case x.Flags&Missing != 0:
			p.Message = "invalid syntax: something is missing here"
		case f.isSuspect(NodeID(n)):
			p.Message = "invalid syntax"
			f.flag(NodeID(n))
		case x.Flags&HasError == 0 && !scanAll:
			n = x.Next
			continue
		default:
			n++
			continue
		}
		f.Problems = append(f.Problems, p)
		n = x.Next
	}
	slices.SortStableFunc(f.Problems, func(a, b Problem) int { return a.Start - b.Start })
}

// Broken reports whether the statement that n stands in could not be parsed in full: a fact about it may be wrong. The body of a
// compound statement does not count.
func (f *File) Broken(n NodeID) bool {
	for ; n > 0 && f.valid(n); n = f.Parent(n) {
		if f.Nodes[n].Kind == KindError {
			return true
		}
		if f.Nodes[n].Flags&HasError != 0 && !f.onlyBelow(n) {
			return true
		}
		if f.Is(f.Parent(n), KindModule, KindBlock) {
			return false
		}
	}
	return false
}

// onlyBelow reports whether every error in n stands in a block below it.
func (f *File) onlyBelow(n NodeID) bool {
	found := false
	for c := range f.Children(n) {
		if f.Nodes[c].Flags&HasError == 0 {
			continue
		}
		found = true
		if f.Is(c, KindError) || !f.Is(c, KindBlock) && !f.onlyBelow(c) {
			return false
		}
	}
	return found
}

// flag marks n and everything around it as broken.
func (f *File) flag(n NodeID) {
	for ; n != None; n = f.Parent(n) {
		f.Nodes[n].Flags |= HasError
	}
}
