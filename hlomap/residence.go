package hlomap

import (
	"math"
	"sync"
)

// residence keeps small how much of a mapped file stands in memory. What the pass over a file keeps of it grows while the analyses
// behind it look at pieces all over the file, so that without it the whole file would be there when most else is. Memory that was looked
// at is given back in turn; where it is looked at again it comes again, from the system's file cache, which costs a fault for each window.
//
// A nil residence, that of data which is no mapping, keeps everything.
type residence struct {
	content []byte
	release func(part []byte)

	mu      sync.Mutex
	windows []uint64 // a bit for each: whether it was looked at since memory was given back
	seen    int      // how many were
	first   int      // the first of them
	last    int
}

const (
	// windowBytes is how much of a file a fault brings in, at least.
	windowBytes = 64 << 10
	// leastWindows is how many windows of a small file are kept.
	leastWindows = 6 << 20 / windowBytes
	// residentPart is the part of a large file that is kept: one in so many bytes.
	residentPart = 4
	// sweepInstructions is how many instructions a sweep goes through before it says where it has been.
	sweepInstructions = 1024
)

func newResidence(content []byte, release func(part []byte)) *residence {
	if release == nil {
		return nil
	}
	return &residence{content: content, release: release, windows: make([]uint64, len(content)/windowBytes/64+1), first: math.MaxInt}
}

// look notes that instructions are about to be looked at; at is where they stand in the file.
func (r *residence) look(at []uint32, list []InstrID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range list {
		if i != NoInstr {
			r.enter(int(at[i] / windowBytes))
		}
	}
	r.leaveIfMany()
}

// swept notes that a sweep is about to look at the instructions from one offset in the file to another.
func (r *residence) swept(from, to uint32) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := from / windowBytes; w <= to/windowBytes; w++ {
		r.enter(int(w))
	}
	r.leaveIfMany()
}

// enter notes that a window is looked at.
func (r *residence) enter(w int) {
	word, bit := &r.windows[w/64], uint64(1)<<(w%64)
	if *word&bit != 0 {
		return
	}
	*word |= bit
	r.seen++
	r.first, r.last = min(r.first, w), max(r.last, w)
}

// leaveIfMany gives back what was looked at where that is much. What the pass over the file brought in and nobody looked at since
// stays: the first who goes through the file behind the pass finds all of it there.
func (r *residence) leaveIfMany() {
	if windows := len(r.content) / windowBytes; r.seen > max(leastWindows, windows/residentPart) {
		r.leave(r.first, min(r.last+1, windows)) // what is behind the last whole window is little
	}
}

// leave gives back a range of windows. The lock is held.
func (r *residence) leave(from, to int) {
	r.release(r.content[from*windowBytes : to*windowBytes])
	clear(r.windows)
	r.seen, r.first, r.last = 0, math.MaxInt, 0
}

// Leave gives back the memory that a mapped file takes, see [OpenMapped]. It comes again where names and paths are read.
func (m *Module) Leave() {
	if r := m.memory; r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.leave(0, len(r.content)/windowBytes)
	}
}
