package flow

import "slices"

// batch hands out values of one type and allocates many at a time: there are too many small ones for the allocator to be asked
// about each, and what an interpretation makes mostly lives as long as its facts.
type batch[T any] struct {
	free []T
	size int // of the last allocation
}

// Sizes of the allocations of a [batch]: small files make few values.
const (
	smallBatch = 4
	largeBatch = 64
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
	if len(b.free) < n {
		b.fill(n)
	}
	values := b.free[:n:n]
	b.free = b.free[n:]
	return values
}

func (b *batch[T]) fill(n int) {
	b.size = min(max(smallBatch, 2*b.size), largeBatch)
	b.free = make([]T, max(n, b.size))
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
