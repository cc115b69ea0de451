package hlomap

import "math/bits"

// bitSet is a set of numbers below a bound that also tells how many members come before one: an index of few things among many
// that takes a bit or two for each.
type bitSet struct {
	words  []uint64
	before []int32 // by word: members in the words before it, filled in by count
}

func newBitSet(bound int) bitSet {
	return bitSet{words: make([]uint64, (bound+63)/64)}
}

func (s *bitSet) add(n int)      { s.words[n/64] |= 1 << (n % 64) }
func (s *bitSet) has(n int) bool { return s.words[n/64]>>(n%64)&1 != 0 }

// count is called when all members are in, and before rank.
func (s *bitSet) count() {
	s.before = make([]int32, len(s.words))
	n := 0
	for k, w := range s.words {
		s.before[k] = int32(n)
		n += bits.OnesCount64(w)
	}
}

// rank returns how many members are less than n.
func (s *bitSet) rank(n int) int {
	return int(s.before[n/64]) + bits.OnesCount64(s.words[n/64]&(1<<(n%64)-1))
}
