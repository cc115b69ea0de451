package hlomap

import "slices"

// A fact is what an analysis knows of one value: of an array (0 and up, an index into the analysis' own table of what it
// can know) or of a tuple (negative, an index into a [tupleTable]). The fact 0 is the least one. Equal facts are equal
// numbers, so that loops are stable when their numbers are.
type fact int32

// tupleTable interns facts about tuples. A fact about an array may stand for a tuple all of whose elements have it.
type tupleTable struct {
	rows   []row
	index  internTable
	flats  []fact          // by tuple: what flat returns, plus one; 0 before it was asked for
	merges map[uint64]fact // of tuples within tuples, see mergeWithin
	steps  int             // elements that flat and merge looked at
}

// row holds the elements of a tuple of a certain width from the first to the last that has a fact other than the least: where a use
// takes one of thousands of elements, that takes no more room than the one.
type row struct {
	width, from int
	elements    []fact
}

// end is the index after the last of the elements.
func (r row) end() int { return r.from + len(r.elements) }

func newTupleTable() *tupleTable {
	return &tupleTable{rows: make([]row, 1)}
}

// of returns the fact about a tuple with the given elements, which it takes over.
func (t *tupleTable) of(elements []fact) fact { return t.intern(row{len(elements), 0, elements}) }

func (t *tupleTable) intern(r row) fact {
	for len(r.elements) > 0 && r.elements[0] == 0 {
		r.from, r.elements = r.from+1, r.elements[1:]
	}
	for len(r.elements) > 0 && r.elements[len(r.elements)-1] == 0 {
		r.elements = r.elements[:len(r.elements)-1]
	}
	if len(r.elements) == 0 {
		r.from = 0
	}
	hash := mix64(hashNumbers(r.elements), pairKey(int32(r.width), int32(r.from)))
	if n, ok := t.index.find(hash, func(n int32) bool {
		o := &t.rows[n]
		return o.width == r.width && o.from == r.from && slices.Equal(o.elements, r.elements)
	}); ok {
		return fact(-n)
	}
	n := len(t.rows)
	t.rows = append(t.rows, r)
	t.index.add(hash, int32(n))
	return fact(-n)
}

// row returns the elements of a tuple, none for an array.
func (t *tupleTable) row(f fact) row {
	if f >= 0 {
		return row{}
	}
	return t.rows[-f]
}

// at returns the element of a tuple; a fact about an array holds for all elements. Indices out of range have the least
// fact.
func (t *tupleTable) at(f fact, k int) fact {
	if f >= 0 {
		return f
	}
	if r := &t.rows[-f]; k >= r.from && k < r.end() {
		return r.elements[k-r.from]
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
		if f == 0 || path[k] < 0 || path[k] > maxTupleIndex {
			return 0
		}
		f = t.intern(row{path[k] + 1, path[k], []fact{f}})
	}
	return f
}

// maxTupleIndex bounds the elements of a tuple: a damaged file may name any index.
const maxTupleIndex = 1 << 20

// merge joins two facts element by element, with join for arrays. A table is used with one join.
func (t *tupleTable) merge(a, b fact, join func(a, b fact) fact) fact {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > 0 && b > 0:
		return join(a, b)
	}
	ra, rb := t.row(a), t.row(b)
	out := row{width: max(ra.width, rb.width), from: min(ra.from, rb.from)}
	out.elements = make([]fact, max(ra.end(), rb.end())-out.from)
	if a > 0 || b > 0 { // the array stands for every element
		out.from, out.elements = 0, make([]fact, out.width)
	}
	t.steps += len(out.elements)
	for k := range out.elements {
		out.elements[k] = t.mergeWithin(t.at(a, out.from+k), t.at(b, out.from+k), join)
	}
	return t.intern(out)
}

// mergeWithin is merge for elements. It remembers what it found for tuples: one that holds another twice, which holds a
// third twice, has a thousand elements after ten of them.
func (t *tupleTable) mergeWithin(a, b fact, join func(a, b fact) fact) fact {
	if a >= 0 && b >= 0 || a == b || a == 0 || b == 0 {
		return t.merge(a, b, join)
	}
	key := uint64(uint32(a))<<32 | uint64(uint32(b))
	if out, ok := t.merges[key]; ok {
		return out
	}
	if t.merges == nil {
		t.merges = map[uint64]fact{}
	}
	out := t.merge(a, b, join)
	t.merges[key] = out
	return out
}

// flat joins all arrays of a fact. A table is used with one join.
func (t *tupleTable) flat(f fact, join func(a, b fact) fact) fact {
	if f >= 0 {
		return f
	}
	if int(-f) >= len(t.flats) {
		t.flats = append(t.flats, make([]fact, len(t.rows)-len(t.flats))...)
	}
	if known := t.flats[-f]; known != 0 {
		return known - 1
	}
	t.steps += len(t.row(f).elements)
	var out fact
	for _, e := range t.row(f).elements {
		if e = t.flat(e, join); e == 0 || e == out {
			continue
		}
		if out == 0 {
			out = e
		} else {
			out = join(out, e)
		}
	}
	t.flats[-f] = out + 1
	return out
}

// pairKey names an unordered pair of numbers. Maps are quicker with one word for a key than with two.
func pairKey[T ~int32](a, b T) uint64 {
	return uint64(uint32(min(a, b)))<<32 | uint64(uint32(max(a, b)))
}
