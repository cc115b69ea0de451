package hlomap

import "slices"

// block keeps copies of short lists, many of them in one allocation: a large module has tens of thousands of lists of one or two
// elements.
type block[T any] struct{ room []T }

// blockSize is how many elements share an allocation.
const blockSize = 512

// keep returns a copy of a list, nil for an empty one. A nil block allocates each list for itself.
func (b *block[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if b == nil {
		return slices.Clone(list)
	}
	if len(list) > cap(b.room)-len(b.room) {
		b.room = make([]T, 0, max(blockSize, len(list)))
	}
	from := len(b.room)
	b.room = append(b.room, list...)
	return b.room[from:len(b.room):len(b.room)]
}

// reuse gives up what was kept, whose memory serves what is kept next.
func (b *block[T]) reuse() { b.room = b.room[:0] }

// grouped returns n empty lists with room for one element each, all in one allocation: of things that are sorted by what they belong to
// there is mostly one.
func grouped[T any](n int) [][]T {
	lists, room := make([][]T, n), make([]T, n)
	for k := range lists {
		lists[k] = room[k : k : k+1]
	}
	return lists
}
