package hlomap

// nameTable maps the names of one computation to its instructions: open addressing over integers. A slot holds the
// upper half of the name's hash and the ordinal of the instruction plus one.
type nameTable struct {
	slots []uint64
	used  int
	full  int // the table grows when this many slots are used

	// ambiguous is set when two names with the same upper half of their hash met on one probe. Only then does a look-up
	// compare names: reading them again would cost more than the table itself.
	ambiguous bool
}

// pageSlots is how many slots there are in the smallest page of memory.
const pageSlots = 4096 / 8

// reset empties the table and makes room for n names.
func (t *nameTable) reset(n int) {
	size := 64
	for size*3/4 < n {
		size *= 2
	}
	if cap(t.slots) >= size {
		t.slots = t.slots[:size]
		clear(t.slots)
	} else {
		t.slots = make([]uint64, size)
		// New memory that is read before it is written costs two page faults for each page.
		for at := 0; at < size; at += pageSlots {
			t.slots[at] = 0
		}
	}
	t.used, t.full, t.ambiguous = 0, size*3/4, false
}

// hashedName is a name's hash together with what its first slot held when it was computed.
type hashedName struct{ hash, slot uint64 }

// hash computes where a name that is about to be defined will go. The slot is mostly not in the cache: reading it now, with
// the rest of the line still to be parsed, hides that.
func (t *nameTable) hash(text []byte, p, n int) hashedName {
	h := hash64(text, p, n)
	return hashedName{h, t.slots[h&uint64(len(t.slots)-1)]}
}

// lookup returns the instruction of the current computation with the name text[p:p+n], or NoInstr.
func (r *textReader) lookup(p, n int) InstrID {
	h := hash64(r.text, p, n)
	mask := uint64(len(r.table.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		s := r.table.slots[at]
		if s == 0 {
			return NoInstr
		}
		if s>>32 == h>>32 {
			if i := InstrID(uint32(s) - 1); !r.table.ambiguous || r.sameName(i, p, n) {
				return i
			}
		}
	}
}

// define enters an instruction with the name text[p:p+n]; it answers false where the name is taken.
func (r *textReader) define(name hashedName, p, n int, i InstrID) bool {
	h, s := name.hash, name.slot
	if r.table.used >= r.table.full {
		r.grow()
		s = r.table.slots[h&uint64(len(r.table.slots)-1)]
	}
	mask := uint64(len(r.table.slots) - 1)
	for at := h & mask; ; {
		if s == 0 {
			r.table.slots[at] = h>>32<<32 | uint64(i+1)
			r.table.used++
			return true
		}
		if s>>32 == h>>32 {
			if r.sameName(InstrID(uint32(s)-1), p, n) {
				return false
			}
			r.table.ambiguous = true
		}
		at = (at + 1) & mask
		s = r.table.slots[at]
	}
}

// sameName reports whether instruction i has the name text[p:p+n].
func (r *textReader) sameName(i InstrID, p, n int) bool {
	q := int(r.m.at[i])
	t := r.text
	return q+n <= len(t) && string(t[q:q+n]) == string(t[p:p+n]) && (q+n == len(t) || !nameChar[t[q+n]])
}

// grow doubles the table.
func (r *textReader) grow() {
	old, ambiguous := r.table.slots, r.table.ambiguous
	r.table.slots = nil
	r.table.reset(len(old) * 3 / 4 * 2)
	r.table.ambiguous = ambiguous
	mask := uint64(len(r.table.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		p := int(r.m.at[uint32(s)-1])
		at := hash64(r.text, p, skipName(r.text, p)-p) & mask
		for r.table.slots[at] != 0 {
			at = (at + 1) & mask
		}
		r.table.slots[at] = s
		r.table.used++
	}
}
