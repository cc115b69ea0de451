package pyparse

// Marks is a set of small numbers, such as the places of the needles that a text holds.
type Marks []uint64

// NewMarks returns an empty set for the numbers below n.
func NewMarks(n int) Marks { return make(Marks, (n+63)/64) }

// Add puts a number into the set.
func (m Marks) Add(i int) { m[i/64] |= 1 << (i % 64) }

// Has reports whether a number is in the set.
func (m Marks) Has(i int) bool { return i/64 < len(m) && m[i/64]&(1<<(i%64)) != 0 }

// Meets reports whether the sets have a number in common.
func (m Marks) Meets(o Marks) bool {
	for i := range min(len(m), len(o)) {
		if m[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// AddAll puts the numbers of another set of the same size into the set. It reports whether there was a new one.
func (m Marks) AddAll(o Marks) bool {
	grown := false
	for i, word := range o {
		grown = grown || word&^m[i] != 0
		m[i] |= word
	}
	return grown
}
