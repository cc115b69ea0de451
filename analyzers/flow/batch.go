package flow

import "slices"

// batch hands out values of one type and allocates many at a time: there are too many small ones for the allocator to be asked
// about each, and what an interpretation makes mostly lives as long as its facts.
type batch[T any] struct {
	free   []T   // of the last chunk that was taken
	chunks [][]T // those that were taken come first
	taken  int
}

const (
	smallBatch  = 4  // values in the first chunk: small files make few
	largeBatch  = 64 // values in later ones
	keptBatches = 32 // chunks that are kept for the next interpretation
)

// one returns a zero value.
func (b *batch[T]) one() *T {
	if len(b.free) == 0 {
		b.fill(1)
	}
	v := &b.free[0]
	b.free = b.free[1:]
	return v
}

// some returns n zero values; what is appended to them goes elsewhere.
func (b *batch[T]) some(n int) []T {
	if n == 0 {
		return nil
	}
	if n > largeBatch {
		return make([]T, n)
	}
	if len(b.free) < n {
		b.fill(n)
	}
	values := b.free[:n:n]
	b.free = b.free[n:]
	return values
}

// fill takes a chunk of at least n values.
func (b *batch[T]) fill(n int) {
	if b.taken == len(b.chunks) || len(b.chunks[b.taken]) < n {
		size := max(n, min(smallBatch<<min(b.taken, 8), largeBatch))
		b.chunks = slices.Insert(b.chunks, b.taken, make([]T, size))
	}
	b.free = b.chunks[b.taken]
	b.taken++
}

// reset takes all values back. What only the largest files need is given up.
func (b *batch[T]) reset() {
	if len(b.chunks) > keptBatches {
		clear(b.chunks[keptBatches:])
		b.chunks = b.chunks[:keptBatches]
	}
	for _, chunk := range b.chunks[:min(b.taken, len(b.chunks))] {
		clear(chunk)
	}
	b.free, b.taken = nil, 0
}

// roomy returns a list with room for one more. It grows faster than append lets it, since long lists are built one by one.
func roomy[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(smallBatch, len(list)))
}

// batches are those of one interpretation.
type batches struct {
	events  batch[Event]
	args    batch[Arg]
	strs    batch[Str]
	sites   batch[site]
	values  batch[Value]
	funcs   batch[Func]
	params  batch[Param]
	listed  batch[*Param]
	envs    batch[Env]
	names   batch[variable]
	frames  batch[frame]
	units   batch[Unit]
	regions batch[Region]
	held    batch[held]
	bound   batch[Bound]
}

// reset takes back all that was made.
func (b *batches) reset() {
	b.events.reset()
	b.args.reset()
	b.strs.reset()
	b.sites.reset()
	b.values.reset()
	b.funcs.reset()
	b.params.reset()
	b.listed.reset()
	b.envs.reset()
	b.names.reset()
	b.frames.reset()
	b.units.reset()
	b.regions.reset()
	b.held.reset()
	b.bound.reset()
}

// newBatches returns the memory of an interpretation whose facts were released, or new one.
func (p *Program) newBatches() *batches {
	if made, ok := p.memory.Get().(*batches); ok {
		return made
	}
	return &batches{}
}

// Release lets the memory of facts serve the next interpretation. Nobody may look at the facts, or at values from them, afterwards.
func (p *Program) Release(facts *Facts) {
	if facts.made != nil {
		facts.made.reset()
		p.memory.Put(facts.made)
		*facts = Facts{}
	}
}

// keepHeld stores the content of a collection.
func (b *batches) keepHeld(h held) *held {
	kept := b.held.one()
	*kept = h
	return kept
}

// str makes a string.
func (b *batches) str(text string, at Ref) *Str {
	s := b.strs.one()
	s.S, s.At = text, at
	return s
}

// bind makes a method of a function.
func (b *batches) bind(self, fn Value) *Bound {
	m := b.bound.one()
	m.Self, m.Fn = self, fn
	return m
}
