package hlomap

// block keeps copies of short lists, many of them in one allocation: a large module has tens of thousands of lists of one or two
// elements.
type block[T any] struct{ room []T }

// blockSize is how many elements share an allocation.
const blockSize = 512

// keep returns a copy of a list, nil for an empty one.
func (b *block[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if len(list) > cap(b.room)-len(b.room) {
		b.room = make([]T, 0, max(blockSize, len(list)))
	}
	from := len(b.room)
	b.room = append(b.room, list...)
	return b.room[from:len(b.room):len(b.room)]
}
