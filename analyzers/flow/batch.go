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
	smallBatch  = 4   // values in the first chunk: small files make few
	largeBatch  = 256 // values in later ones
	keptBatches = 32  // chunks that are kept for the next interpretation
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
	if b.taken > 0 {
		last := b.chunks[b.taken-1]
		clear(last[:len(last)-len(b.free)])
		for _, chunk := range b.chunks[:b.taken-1] {
			clear(chunk)
		}
	}
	if len(b.chunks) > keptBatches {
		clear(b.chunks[keptBatches:])
		b.chunks = b.chunks[:keptBatches]
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
	lists
}

// lists grow one by one. They are empty between interpretations, and keep their room.
type lists struct {
	told      []*Event  // the events of the facts
	named     []*Event  // the same, grouped by their names
	mentioned []Mention // the mentions of the facts
	journal   []write
	changes   []*changes // to be used again
	calls     []*Call    // to be used again
	positions []map[string]int
	counted   int // how many of positions are in use
}

// places returns an empty map for the positions of about so many names.
func (l *lists) places(names int) map[string]int {
	if l.counted == len(l.positions) {
		l.positions = append(l.positions, make(map[string]int, names))
	}
	l.counted++
	return l.positions[l.counted-1]
}

// reset empties the lists. Beyond its end a list may hold what was taken from it.
func (l *lists) reset() {
	l.told, l.named, l.journal = emptied(l.told), emptied(l.named), emptied(l.journal)
	l.mentioned = emptied(l.mentioned)
	for _, m := range l.positions[:l.counted] {
		clear(m)
	}
	l.counted = 0
	if len(l.positions) > keptBatches {
		clear(l.positions[keptBatches:])
		l.positions = l.positions[:keptBatches]
	}
}

// again takes the last of the values that are to be used again, or makes one.
func again[T any](spare *[]*T) *T {
	n := len(*spare)
	if n == 0 {
		return new(T)
	}
	v := (*spare)[n-1]
	*spare = (*spare)[:n-1]
	return v
}

// emptied returns the room of a list, so that nothing it held is kept alive.
func emptied[T any](list []T) []T {
	clear(list[:cap(list)])
	return list[:0]
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
	b.lists.reset()
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
		made := facts.made
		made.told, made.mentioned = facts.Events, facts.Mentions
		made.reset()
		p.memory.Put(made)
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
