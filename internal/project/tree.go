package project

import (
	"sync"
	"sync/atomic"

	"github.com/shardls/shardls/pyparse"
)

// lazyTree is the syntax of one file, parsed when somebody asks for it. It is for any number of goroutines.
type lazyTree struct {
	parse func() *pyparse.File

	mu     sync.Mutex
	syntax *pyparse.File
}

// get returns the same syntax until it is dropped.
func (t *lazyTree) get() *pyparse.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.syntax == nil {
		t.syntax = t.parse()
	}
	return t.syntax
}

// drop lets the memory go, and returns what it held: whoever asks again has the file parsed anew.
func (t *lazyTree) drop() *pyparse.File {
	t.mu.Lock()
	defer t.mu.Unlock()
	dropped := t.syntax
	t.syntax = nil
	return dropped
}

// group is a set of files that are tied by imports, and how many of them are still to be judged.
type group struct {
	files []*File
	left  atomic.Int32
}

// done reports whether a judged file was the last one of its group: nobody will ask for the trees of the group again.
func (g *group) done() bool { return g.left.Add(-1) == 0 }
