package hlomap

import (
	"encoding/binary"
	"slices"
)

// setID names a set of small numbers in a [setTable]; 0 is the empty set.
type setID int32

// everything is the set that stands for "too many to list".
const everything setID = 1

// setTable interns sets, so that a set that flows through a thousand instructions costs one number in each.
type setTable struct {
	list   [][]int32 // sorted
	index  map[string]setID
	unions map[uint64]setID
	single []setID // by member: the set of that alone, 0 before it was asked for
	all    []int32 // room for unionAll
	buf    []byte
	max    int // larger sets are "everything"
}

func newSetTable(max int) *setTable {
	return &setTable{
		list:   [][]int32{nil, nil},
		index:  map[string]setID{"": 0},
		unions: map[uint64]setID{},
		max:    max,
	}
}

// grow makes room for n sets; it is for tables that are still empty.
func (t *setTable) grow(n int) {
	t.list = slices.Grow(t.list, n)
	t.single = make([]setID, 0, n)
}

// just returns the set of one member.
func (t *setTable) just(member int32) setID {
	for int(member) >= len(t.single) {
		t.single = append(t.single, 0)
	}
	if t.single[member] == 0 {
		t.single[member] = setID(len(t.list))
		t.list = append(t.list, []int32{member})
	}
	return t.single[member]
}

// of interns a sorted list without repeats, which it copies.
func (t *setTable) of(members []int32) setID {
	if len(members) == 1 {
		return t.just(members[0])
	}
	if len(members) > t.max {
		return everything
	}
	t.buf = t.buf[:0]
	for _, m := range members {
		t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(m))
	}
	if id, ok := t.index[string(t.buf)]; ok {
		return id
	}
	id := setID(len(t.list))
	t.list = append(t.list, slices.Clone(members))
	t.index[string(t.buf)] = id
	return id
}

// members returns the members in ascending order; nil for everything too.
func (t *setTable) members(id setID) []int32 { return t.list[id] }

func (t *setTable) union(a, b setID) setID {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a == everything || b == everything:
		return everything
	}
	key := pairKey(a, b)
	if id, ok := t.unions[key]; ok {
		return id
	}
	id := t.unionAll([]setID{a, b})
	t.unions[key] = id
	return id
}

// unionAll joins any number of sets at once: joining them two by two would intern every set on the way.
func (t *setTable) unionAll(ids []setID) setID {
	all := t.all[:0]
	for _, id := range ids {
		if id == everything {
			return everything
		}
		all = append(all, t.list[id]...)
	}
	slices.Sort(all)
	t.all = all
	return t.of(slices.Compact(all))
}
