package hlomap

// pairing finds for each output of a module the one argument whose new value it holds.
type pairing struct {
	candidates [][]int // by output, ascending: arguments that reach it
	outputs    [][]int // by argument: the outputs that it is a candidate of
	left       []int   // by output: how many of its candidates are not taken
	taken      []bool  // by argument
	owner      []int   // by output: its argument, -1 while it has none
	singles    []int   // the outputs that have come to have one candidate left
}

func newPairing(candidates [][]int, arguments int) *pairing {
	p := &pairing{
		candidates: candidates, outputs: grouped[int](arguments), left: make([]int, len(candidates)),
		taken: make([]bool, arguments), owner: make([]int, len(candidates)),
	}
	for o, list := range candidates {
		p.owner[o], p.left[o] = -1, len(list)
		for _, k := range list {
			p.outputs[k] = append(p.outputs[k], o)
		}
		if len(list) == 1 {
			p.singles = append(p.singles, o)
		}
	}
	return p
}

// pair gives an output to an argument that is not taken.
func (p *pairing) pair(o, k int) {
	p.owner[o], p.taken[k] = k, true
	for _, other := range p.outputs[k] {
		if p.left[other]--; p.left[other] == 1 {
			p.singles = append(p.singles, other)
		}
	}
}

// free lists the candidates of an output that are not taken, ascending.
func (p *pairing) free(o int) []int {
	out := make([]int, 0, p.left[o])
	for _, k := range p.candidates[o] {
		if !p.taken[k] {
			out = append(out, k)
		}
	}
	return out
}

// pairAll pairs outputs with arguments: first where only one is left, then with the nearest of several. The work is linear in the number
// of candidates: where a norm scales every gradient, each argument may be one of each output.
func (p *pairing) pairAll(nearest func(o int, free []int) int) {
	for o := range p.owner {
		p.pairSingles()
		if p.owner[o] < 0 && p.left[o] > 1 {
			p.pair(o, nearest(o, p.free(o)))
		}
	}
	p.pairSingles()
}

func (p *pairing) pairSingles() {
	for len(p.singles) > 0 {
		o := p.singles[0]
		p.singles = p.singles[1:]
		if p.owner[o] < 0 && p.left[o] == 1 {
			p.pair(o, p.free(o)[0])
		}
	}
}
