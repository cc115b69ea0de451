package hlomap

// hitFacts is what was worked out about a reduction that an output hits.
type hitFacts struct {
	cause    InstrID // see causeOf
	product  InstrID // plus one: the part of a merged product that cause is, see describeCause; 0 for none
	first    int32   // how many weights have it as their first reduction, see findAverages
	traced   bool    // cause is known
	gradient answer  // see isGradient
}

// hitTable holds the facts of the whole operands of all collectives.
type hitTable struct {
	start []int32 // by collective
	facts []hitFacts
}

func newHitTable(exchanges []exchangeInfo) hitTable {
	t := hitTable{start: make([]int32, len(exchanges)+1)}
	for k := range exchanges {
		t.start[k+1] = t.start[k] + exchanges[k].operands
	}
	t.facts = make([]hitFacts, t.start[len(exchanges)])
	return t
}

// factsOf returns the place for what is known of a hit.
func (t *training) factsOf(h reductionHit) *hitFacts {
	start := t.whole.start[h.collective : h.collective+2]
	if h == (reductionHit{collective: h.collective, operand: h.operand}) && h.operand < int(start[1]-start[0]) {
		return &t.whole.facts[int(start[0])+h.operand]
	}
	f := t.pieces[h]
	if f == nil {
		f = &hitFacts{}
		t.pieces[h] = f
	}
	return f
}
