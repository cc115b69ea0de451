package hlomap

// internTable finds numbered things by what they are, by open addressing over integers. The things themselves are with whoever
// numbers them: a slot holds a thing's hash and its number plus one. A Go map would keep every key a second time, as a string
// where it is a list, and what is interned here is mostly new.
//
// The zero table is empty.
type internTable struct {
	slots []uint64
	used  int
}

// find returns the number of the thing with the given hash that is the one looked for, as same tells of a number.
func (t *internTable) find(hash uint64, same func(n int32) bool) (n int32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	tag := uint32(hash >> 32)
	mask := uint32(len(t.slots) - 1)
	for at := tag & mask; t.slots[at] != 0; at = (at + 1) & mask {
		if s := t.slots[at]; uint32(s>>32) == tag && same(int32(uint32(s)-1)) {
			return int32(uint32(s) - 1), true
		}
	}
	return 0, false
}

// add enters a thing that is not there yet.
func (t *internTable) add(hash uint64, n int32) {
	if t.used >= len(t.slots)/4*3 {
		t.resize(max(16, 2*len(t.slots)))
	}
	t.used++
	t.insert(hash>>32<<32 | uint64(uint32(n)+1))
}

// reserve makes room for n things.
func (t *internTable) reserve(n int) {
	size := max(16, len(t.slots))
	for size/4*3 < n {
		size *= 2
	}
	t.resize(size)
}

func (t *internTable) resize(size int) {
	old := t.slots
	t.slots = make([]uint64, size)
	for _, s := range old {
		if s != 0 {
			t.insert(s)
		}
	}
}

func (t *internTable) insert(s uint64) {
	mask := uint32(len(t.slots) - 1)
	at := uint32(s>>32) & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = s
}

// hashNumbers hashes a list of small numbers.
func hashNumbers[T ~int32](list []T) uint64 {
	h := uint64(len(list))
	for _, n := range list {
		h = mix64(h, uint64(uint32(n)))
	}
	return h
}
