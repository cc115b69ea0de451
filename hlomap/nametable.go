package hlomap

import "math/bits"

// nameTable maps the names of one computation to its instructions: open addressing over integers. The upper bits of a slot hold
// part of the name's hash, the lower ones the place of the instruction in its computation plus one.
//
// What a large table costs is not computing but waiting for memory. XLA numbers instructions of one kind one after the other,
// and uses them soon after, so that names that differ in their last byte alone share a cache line.
type nameTable struct {
	slots     []uint32
	placeBits int
	hashes    []uint32 // by place in the computation
	first     InstrID  // of the computation

	// ambiguous is set when two names have the same hash. Only then does a look-up compare names: reading them again would
	// cost more than the table itself.
	ambiguous bool
}

const (
	// lineSlots is how many slots there are in a line of the cache, pageSlots in the smallest page of memory.
	lineSlots = 64 / 4
	pageSlots = 4096 / 4
	// probeStep leads to the next line, and being odd in the end to every slot.
	probeStep = lineSlots + 1
	// leastSlots is the size of the smallest table, a power of two as all sizes are.
	leastSlots = 64
)

// reset empties the table for a computation that starts at first, and makes room for n names.
func (t *nameTable) reset(first InstrID, n int) {
	t.first, t.ambiguous, t.hashes = first, false, t.hashes[:0]
	if cap(t.hashes) < n {
		t.hashes = make([]uint32, 0, n)
	}
	t.resize(n)
}

// resize empties the slots and makes room for n names: three quarters of the slots may be in use.
func (t *nameTable) resize(n int) {
	size := max(leastSlots, 1<<bits.Len(uint(n+n/3)))
	t.placeBits = bits.TrailingZeros(uint(size))
	if cap(t.slots) >= size {
		t.slots = t.slots[:size]
		clear(t.slots)
		return
	}
	t.slots = make([]uint32, size)
	// New memory that is read before it is written costs two page faults for each page.
	for at := 0; at < size; at += pageSlots {
		t.slots[at] = 0
	}
}

// hashedName is where the search for a name begins, and the hash that tells it from others.
type hashedName struct {
	at   uint32
	hash uint32
}

// hash computes where the name text[p:p+n] belongs; n is not 0.
func (t *nameTable) hash(text []byte, p, n int) hashedName {
	stem, last := hash64(text, p, n-1), uint32(text[p+n-1])
	line := uint32(stem) & uint32(len(t.slots)-1) &^ (lineSlots - 1)
	column := (uint32(stem>>60) + last) & (lineSlots - 1) // all columns are used alike, though most names end in a digit
	return hashedName{line | column, uint32(stem>>32) + last*0x9E3779B1}
}

// slot returns what the first slot of a name holds.
func (t *nameTable) slot(name hashedName) uint32 { return t.slots[name.at] }

// find returns the place plus one of a name with the given hash that is at or behind a slot which holds s, 0 where there is
// none, and the slot where the search ended.
func (t *nameTable) find(name hashedName, s uint32) (place, at uint32) {
	mask := uint32(len(t.slots) - 1)
	for at = name.at; s != 0; s = t.slots[at] {
		if (s^name.hash)>>t.placeBits == 0 {
			if place = s & mask; t.hashes[place-1] == name.hash {
				return place, at
			}
		}
		at = (at + probeStep) & mask
	}
	return 0, at
}

// lookup returns the instruction of the current computation with the name text[p:p+n], or NoInstr.
func (r *textReader) lookup(p, n int) InstrID {
	t := &r.table
	if n == 0 {
		return NoInstr
	}
	name := t.hash(r.text, p, n)
	place, at := t.find(name, t.slot(name))
	for place != 0 {
		i := t.first + InstrID(place-1)
		if !t.ambiguous || r.sameName(i, p, n) {
			return i
		}
		place, at = t.next(name, at)
	}
	return NoInstr
}

// next goes on with a search behind a slot.
func (t *nameTable) next(name hashedName, at uint32) (place, end uint32) {
	name.at = (at + probeStep) & uint32(len(t.slots)-1)
	return t.find(name, t.slot(name))
}

// define enters instruction i, which has the name text[p:p+n]; first is what the name's first slot held since the last definition.
// It answers false where the name is taken.
func (r *textReader) define(name hashedName, first uint32, p, n int, i InstrID) bool {
	t := &r.table
	place := uint32(i-t.first) + 1
	for uint32(len(t.hashes)) < place { // what stands in place of an operand has no name
		t.hashes = append(t.hashes, 0)
	}
	t.hashes[place-1] = name.hash
	if int(place) > len(t.slots)/4*3 {
		r.grow()
		name = t.hash(r.text, p, n)
		first = t.slot(name)
	}
	other, at := t.find(name, first)
	for other != 0 {
		if r.sameName(t.first+InstrID(other-1), p, n) {
			return false
		}
		t.ambiguous = true
		other, at = t.next(name, at)
	}
	t.slots[at] = name.hash>>t.placeBits<<t.placeBits | place
	return true
}

// sameName reports whether instruction i has the name text[p:p+n].
func (r *textReader) sameName(i InstrID, p, n int) bool {
	q := int(r.m.at[i])
	t := r.text
	return q+n <= len(t) && string(t[q:q+n]) == string(t[p:p+n]) && (q+n == len(t) || !nameChar[t[q+n]])
}

// grow doubles the table.
func (r *textReader) grow() {
	t := &r.table
	old := t.slots
	mask := uint32(len(old) - 1)
	t.slots = nil
	t.resize(len(old)/4*3 + 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		place := s & mask
		p := int(r.m.at[t.first+InstrID(place-1)])
		name := t.hash(r.text, p, skipName(r.text, p)-p)
		at := name.at
		for t.slots[at] != 0 {
			at = (at + probeStep) & uint32(len(t.slots)-1)
		}
		t.slots[at] = name.hash>>t.placeBits<<t.placeBits | place
	}
}
