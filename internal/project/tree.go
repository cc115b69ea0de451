package project

import (
	"sync"

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

// turns follows which files were judged, so that the tree of each goes with the last file that it runs for. It is for any number of
// goroutines.
type turns struct {
	ends [][]*File // by the place of a file: whose trees nobody asks for after it and those before it

	mu     sync.Mutex
	judged []bool
	next   int // the first place that was not judged
}

// newTurns lays out when the trees of files go; last says by place which file is the last one that needs them, see [flow.LastUses].
func newTurns(files []*File, last []int) *turns {
	t := &turns{ends: make([][]*File, len(files)), judged: make([]bool, len(files))}
	for i, f := range files {
		f.place = i
		if last[i] >= 0 {
			t.ends[last[i]] = append(t.ends[last[i]], f)
		}
	}
	return t
}

// end notes that a file was judged and returns the files whose trees nobody will ask for again.
func (t *turns) end(f *File) []*File {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.judged[f.place] = true
	var done []*File
	for ; t.next < len(t.judged) && t.judged[t.next]; t.next++ {
		done = append(done, t.ends[t.next]...)
	}
	return done
}
