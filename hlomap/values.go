package hlomap

import "slices"

// A fact is what an analysis knows of one value: of an array (0 and up, an index into the analysis' own table of what it
// can know) or of a tuple (negative, an index into a [tupleTable]). The fact 0 is the least one. Equal facts are equal
// numbers, so that loops are stable when their numbers are.
type fact int32

// tupleTable interns facts about tuples. A fact about an array may stand for a tuple all of whose elements have it.
type tupleTable struct {
	list  [][]fact
	index internTable
}

func newTupleTable() *tupleTable {
	return &tupleTable{list: [][]fact{nil}}
}

// of returns the fact about a tuple with the given elements, which it takes over.
func (t *tupleTable) of(elements []fact) fact {
	hash := hashNumbers(elements)
	if n, ok := t.index.find(hash, func(n int32) bool { return slices.Equal(t.list[n], elements) }); ok {
		return fact(-n)
	}
	n := len(t.list)
	t.list = append(t.list, elements)
	t.index.add(hash, int32(n))
	return fact(-n)
}

// elements returns the elements of a tuple, nil for an array.
func (t *tupleTable) elements(f fact) []fact {
	if f >= 0 {
		return nil
	}
	return t.list[-f]
}

// at returns the element of a tuple; a fact about an array holds for all elements. Indices out of range have the least
// fact.
func (t *tupleTable) at(f fact, k int) fact {
	if f >= 0 {
		return f
	}
	if e := t.list[-f]; k >= 0 && k < len(e) {
		return e[k]
	}
	return 0
}

// atPath applies at along a path.
func (t *tupleTable) atPath(f fact, path []int) fact {
	for _, k := range path {
		f = t.at(f, k)
	}
	return f
}

// within returns the fact about a tuple of which only the element at a path has the given fact.
func (t *tupleTable) within(path []int, f fact) fact {
	for k := len(path) - 1; k >= 0; k-- {
		if f == 0 {
			return 0
		}
		if path[k] < 0 || path[k] > maxTupleIndex {
			return 0
		}
		elements := make([]fact, path[k]+1)
		elements[path[k]] = f
		f = t.of(elements)
	}
	return f
}

// maxTupleIndex bounds the elements of a tuple: a damaged file may name any index.
const maxTupleIndex = 1 << 20

// merge joins two facts element by element, with join for arrays.
func (t *tupleTable) merge(a, b fact, join func(a, b fact) fact) fact {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > 0 && b > 0:
		return join(a, b)
	}
	ea, eb := t.elements(a), t.elements(b)
	out := make([]fact, max(len(ea), len(eb)))
	for k := range out {
		out[k] = t.merge(t.at(a, k), t.at(b, k), join)
	}
	return t.of(out)
}

// flat joins all arrays of a fact.
func (t *tupleTable) flat(f fact, join func(a, b fact) fact) fact {
	if f >= 0 {
		return f
	}
	var out fact
	for _, e := range t.elements(f) {
		if e = t.flat(e, join); e == 0 || e == out {
			continue
		}
		if out == 0 {
			out = e
		} else {
			out = join(out, e)
		}
	}
	return out
}

// pairKey names an unordered pair of numbers. Maps are quicker with one word for a key than with two.
func pairKey[T ~int32](a, b T) uint64 {
	return uint64(uint32(min(a, b)))<<32 | uint64(uint32(max(a, b)))
}
