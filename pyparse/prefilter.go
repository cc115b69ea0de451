package pyparse

import "bytes"

// Prefilter tells cheaply whether a text holds at least one of a set of byte strings.
type Prefilter struct {
	needles [][]byte
}

// NewPrefilter returns a filter for needles. An empty set, or an empty needle, lets everything through.
func NewPrefilter(needles []string) *Prefilter {
	p := &Prefilter{}
	for _, n := range needles {
		p.needles = append(p.needles, []byte(n))
	}
	return p
}

// Match reports whether text holds one of the needles.
func (p *Prefilter) Match(text []byte) bool {
	for _, n := range p.needles {
		if bytes.Contains(text, n) {
			return true
		}
	}
	return len(p.needles) == 0
}
