package hlomap

import "slices"

// setID names a set of small numbers in a [setTable]; 0 is the empty set.
type setID int32

// everything is the set that stands for "too many to list".
const everything setID = 1

// setTable interns sets, so that a set that flows through a thousand instructions costs one number in each.
type setTable struct {
	list   [][]int32 // sorted
	index  internTable
	unions map[uint64]setID // of large sets
	single []setID          // by member: the set of that alone, 0 before it was asked for
	all    []int32          // room for unionAll
	kept   block[int32]
	max    int // larger sets are "everything"
}

func newSetTable(max int) *setTable {
	return &setTable{
		list:   [][]int32{nil, nil},
		unions: map[uint64]setID{},
		max:    max,
	}
}

// grow makes room for n sets; it is for tables that are still empty.
func (t *setTable) grow(n int) {
	t.list = slices.Grow(t.list, n)
	t.single = make([]setID, 0, n)
	t.index.reserve(n / 2) // the others are of one member
}

// just returns the set of one member.
func (t *setTable) just(member int32) setID {
	for int(member) >= len(t.single) {
		t.single = append(t.single, 0)
	}
	if t.single[member] == 0 {
		t.single[member] = setID(len(t.list))
		t.list = append(t.list, t.kept.keep([]int32{member}))
	}
	return t.single[member]
}

// of interns a sorted list without repeats, which it copies.
func (t *setTable) of(members []int32) setID {
	switch {
	case len(members) == 0:
		return 0
	case len(members) == 1:
		return t.just(members[0])
	case len(members) > t.max:
		return everything
	}
	hash := hashNumbers(members)
	if id, ok := t.index.find(hash, func(n int32) bool { return slices.Equal(t.list[n], members) }); ok {
		return setID(id)
	}
	id := len(t.list)
	t.list = append(t.list, t.kept.keep(members))
	t.index.add(hash, int32(id))
	return setID(id)
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
	if len(t.list[a])+len(t.list[b]) <= fewMembers {
		return t.unionAll([]setID{a, b})
	}
	key := pairKey(a, b)
	if id, ok := t.unions[key]; ok {
		return id
	}
	id := t.unionAll([]setID{a, b})
	t.unions[key] = id
	return id
}

// fewMembers is how many members are put together quicker than a union is looked up.
const fewMembers = 16

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
