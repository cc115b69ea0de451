package hlomap

import (
	"encoding/binary"
	"slices"
)

// A labelling gives every device a label: devices with equal labels provably hold equal values. It is named by its
// index in a [labelTable]; a module has few different ones, so that comparing and joining them costs next to nothing
// whatever the number of devices.
type labelling int32

// The two labellings that every table has.
const (
	allEqual     labelling = 0 // one label: every device holds the same value
	allDifferent labelling = 1 // a label for each device: nothing is known to agree
)

// labelTable interns labellings over a fixed number of devices.
type labelTable struct {
	devices int
	labels  [][]int32 // canonical: numbered in order of first appearance
	index   map[string]labelling
	joins   map[[2]labelling]labelling
	moves   map[exchange]labelling
	buf     []byte
	full    bool // there were too many different labellings: allDifferent stands for the rest
}

// maxLabels bounds the labels of a table in all.
const maxLabels = 1 << 26

// exchange is a collective as far as labels go.
type exchange struct {
	op     Op
	groups int32 // index of the groups or pairs, as interned by the caller
	in     labelling
}

func newLabelTable(devices int) *labelTable {
	t := &labelTable{
		devices: devices,
		index:   map[string]labelling{},
		joins:   map[[2]labelling]labelling{},
		moves:   map[exchange]labelling{},
	}
	own := make([]int32, devices)
	t.intern(own)
	own = make([]int32, devices)
	for d := range own {
		own[d] = int32(d)
	}
	if t.intern(own) == allEqual { // a single device
		t.labels = append(t.labels, own)
	}
	return t
}

// intern takes over a canonical labelling.
func (t *labelTable) intern(own []int32) labelling {
	t.buf = t.buf[:0]
	for _, l := range own {
		t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(l))
	}
	if id, ok := t.index[string(t.buf)]; ok {
		return id
	}
	if len(t.labels) > 2 && len(t.labels)*t.devices > maxLabels {
		t.full = true
		return allDifferent
	}
	id := labelling(len(t.labels))
	t.labels = append(t.labels, own)
	t.index[string(t.buf)] = id
	return id
}

// byKey interns the labelling in which devices agree where their keys are equal.
func byKey[K comparable](t *labelTable, key func(device int) K) labelling {
	seen := make(map[K]int32)
	own := make([]int32, t.devices)
	for d := range own {
		k := key(d)
		l, ok := seen[k]
		if !ok {
			l = int32(len(seen))
			seen[k] = l
		}
		own[d] = l
	}
	return t.intern(own)
}

// join returns the coarsest labelling that is at least as fine as both: devices agree where they agree in a and in b.
func (t *labelTable) join(a, b labelling) labelling {
	switch {
	case a == b || b == allEqual:
		return a
	case a == allEqual:
		return b
	case a == allDifferent || b == allDifferent:
		return allDifferent
	}
	key := [2]labelling{min(a, b), max(a, b)}
	if id, ok := t.joins[key]; ok {
		return id
	}
	la, lb := t.labels[a], t.labels[b]
	id := byKey(t, func(d int) [2]int32 { return [2]int32{la[d], lb[d]} })
	t.joins[key] = id
	return id
}

// finer reports whether a tells devices apart that b does not.
func (t *labelTable) finer(a, b labelling) bool { return t.join(a, b) != b }

// agreeWithin reports whether all devices of every group that has more than one agree, and whether there is such a group.
func (t *labelTable) agreeWithin(l labelling, groups [][]int) bool {
	own := t.labels[l]
	any := false
	for _, g := range groups {
		for _, d := range g[min(1, len(g)):] {
			if uint(d) >= uint(t.devices) || uint(g[0]) >= uint(t.devices) || own[d] != own[g[0]] {
				return false
			}
			any = true
		}
	}
	return any
}

// exchanged returns the labelling behind a collective over groups, given the one in front of it. A device that stands
// in no group keeps a label of its own. The answer is kept in moves.
//
// An all-reduce gives every member of a group the same value; two groups agree where they sum the same values. An
// all-gather depends on the order too, and what scatters depends on the place in the group.
func (t *labelTable) exchanged(x exchange, groups [][]int) labelling {
	scatters := x.op == OpReduceScatter || x.op == OpAllToAll || x.op == OpRaggedAllToAll
	keys := make([][2]int32, t.devices) // what the group holds, and the place in it
	for d := range keys {
		keys[d] = [2]int32{-1, int32(d)}
	}
	seen := map[string]int32{}
	for _, g := range groups {
		held := t.heldBy(x, g)
		group, ok := seen[held]
		if !ok {
			group = int32(len(seen))
			seen[held] = group
		}
		for place, d := range g {
			if d < 0 || d >= t.devices {
				continue
			}
			if !scatters {
				place = 0
			}
			keys[d] = [2]int32{group, int32(place)}
		}
	}
	id := byKey(t, func(d int) [2]int32 { return keys[d] })
	t.moves[x] = id
	return id
}

// heldBy spells what the members of a group hold in front of a collective, as far as the result depends on it.
func (t *labelTable) heldBy(x exchange, group []int) string {
	in := t.labels[x.in]
	held := make([]int32, 0, len(group))
	for _, d := range group {
		if d >= 0 && d < t.devices {
			held = append(held, in[d])
		}
	}
	switch x.op {
	case OpAllReduce, OpReduceScatter:
		slices.Sort(held)
	case OpCollectiveBroadcast:
		held = held[:min(1, len(held))]
	}
	t.buf = t.buf[:0]
	for _, l := range held {
		t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(l))
	}
	return string(t.buf)
}

// permuted returns the labelling behind a collective-permute: a target holds what its source held, every other device
// holds zeros. The answer is kept in moves.
func (t *labelTable) permuted(x exchange, pairs [][2]int) labelling {
	in := t.labels[x.in]
	held := make([]int32, t.devices)
	for d := range held {
		held[d] = -1
	}
	for _, p := range pairs {
		if s, d := p[0], p[1]; s >= 0 && s < t.devices && d >= 0 && d < t.devices {
			held[d] = in[s]
		}
	}
	id := byKey(t, func(d int) int32 { return held[d] })
	t.moves[x] = id
	return id
}
