package pyparse

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Prefilter tells cheaply which of a set of byte strings a text holds, in one pass however many there are. It may be used from many
// goroutines.
type Prefilter struct {
	all   bool     // everything matches
	empty []int    // the places of empty needles in the set
	short []needle // needles too short for the table

	// The search looks at two bytes at a time (Wu and Manber). window is the length of the shortest needle in the table; only
	// that many bytes of each needle count until a candidate is found. shift says, by the last two bytes of the window, how far
	// the window may move without missing a needle; where it is 0 the needles of the bucket may stand here.
	window  int
	shift   [1 << 16]uint8
	bucket  [1 << 16]uint16 // index in buckets, where shift is 0
	buckets [][]needle
}

// needle is a byte string to look for.
type needle struct {
	text  []byte
	place int // in the set that the filter was made of
}

// minWindow is the length from which a needle goes into the table: below it the window moves too slowly.
const minWindow = 4

// NewPrefilter returns a filter for needles. An empty set, or an empty needle, lets everything through.
func NewPrefilter(needles []string) *Prefilter {
	p := &Prefilter{all: len(needles) == 0, window: 1 << 7}
	var long []needle
	for i, n := range needles {
		switch {
		case n == "":
			p.all = true
			p.empty = append(p.empty, i)
		case len(n) < minWindow:
			p.short = append(p.short, needle{[]byte(n), i})
		default:
			long = append(long, needle{[]byte(n), i})
			p.window = min(p.window, len(n))
		}
	}
	if len(long) == 0 {
		p.window = 0
		return p
	}
	for i := range p.shift {
		p.shift[i] = uint8(p.window - 1)
	}
	for _, n := range long {
		for i := 0; i+2 <= p.window; i++ {
			pair := binary.LittleEndian.Uint16(n.text[i:])
			p.shift[pair] = min(p.shift[pair], uint8(p.window-2-i))
		}
	}
	for _, n := range long {
		pair := binary.LittleEndian.Uint16(n.text[p.window-2:])
		if p.bucket[pair] == 0 {
			p.buckets = append(p.buckets, nil)
			p.bucket[pair] = uint16(len(p.buckets))
		}
		p.buckets[p.bucket[pair]-1] = append(p.buckets[p.bucket[pair]-1], n)
	}
	return p
}

// Match reports whether text holds one of the needles.
func (p *Prefilter) Match(text []byte) bool {
	if p.all || p.window > 0 && p.search(text) {
		return true
	}
	for _, n := range p.short {
		if bytes.Contains(text, n.text) {
			return true
		}
	}
	return false
}

// Offsets returns where needles stand in text, ascending; where several stand there is one offset.
func (p *Prefilter) Offsets(text []byte) []int {
	var offsets []int
	if p.window > 0 {
		p.candidates(text, func(start int, _ needle) bool {
			if n := len(offsets); n == 0 || offsets[n-1] != start {
				offsets = append(offsets, start)
			}
			return true
		})
	}
	long := len(offsets)
	for _, n := range p.short {
		for at := 0; ; at++ {
			i := bytes.Index(text[at:], n.text)
			if i < 0 {
				break
			}
			at += i
			offsets = append(offsets, at)
		}
	}
	if len(offsets) > long {
		slices.Sort(offsets)
	}
	return offsets
}

// Mark adds to found which of the needles text holds, by their places in the set that the filter was made of.
func (p *Prefilter) Mark(text []byte, found Marks) {
	for _, i := range p.empty {
		found.Add(i)
	}
	if p.window > 0 {
		p.candidates(text, func(_ int, n needle) bool {
			found.Add(n.place)
			return true
		})
	}
	for _, n := range p.short {
		if bytes.Contains(text, n.text) {
			found.Add(n.place)
		}
	}
}

func (p *Prefilter) search(text []byte) bool {
	found := false
	p.candidates(text, func(int, needle) bool {
		found = true
		return false
	})
	return found
}

// candidates calls yield for every needle of the table at every place where it stands, until yield returns false.
func (p *Prefilter) candidates(text []byte, yield func(start int, n needle) bool) {
	for at := p.window - 2; at+2 <= len(text); {
		pair := binary.LittleEndian.Uint16(text[at:])
		if s := p.shift[pair]; s > 0 {
			at += int(s)
			continue
		}
		start := at - p.window + 2
		for _, n := range p.buckets[p.bucket[pair]-1] {
			if bytes.HasPrefix(text[start:], n.text) && !yield(start, n) {
				return
			}
		}
		at++
	}
}
