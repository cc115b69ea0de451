package hlomap

import "slices"

// ring is a reduction that is written as permutes and additions: TPU's collective matmul sends partial sums around in a
// loop and adds the local product at each stop (`windowed_dot_general_body_rs*`). No reduction opcode is left.
type ring struct {
	product InstrID // what is added at each stop
}

// isRing reports whether a collective-permute carries sums: it stands in a loop, and what it sends adds a product of
// this device to what the loop carried in.
func (t *training) isRing(at int) bool {
	if r, ok := t.rings[at]; ok {
		return r != nil
	}
	t.rings[at] = nil
	x := t.g.exchanges[at]
	m := t.g.m
	if x.op != OpCollectivePermute || !m.Times(m.Comp(x.instr)).InLoop || t.destinationOf(at, 0).direct == 0 {
		return false
	}
	product, adds, carried := NoInstr, false, false
	w := newWalker(t.g, t.v)
	first := true
	w.visitAll = func(p place) {
		if first {
			first = false
			return
		}
		switch m.Op(p.instr) {
		case OpAdd:
			adds = true
		case OpCollectivePermute, OpCollectivePermuteStart:
			carried = true
		}
	}
	w.walk(place{instr: x.instr}, func(end place) bool {
		if t.causeRank(end.instr) >= 3 {
			product = end.instr
		}
		return true
	})
	if product == NoInstr || !adds || !carried {
		return false
	}
	t.rings[at] = &ring{product: product}
	return true
}

// ringGroups returns the groups that a shift joins: the devices that reach each other by following the pairs.
func ringGroups(pairs [][2]int, devices int) [][]int {
	next := make([]int, devices)
	for d := range next {
		next[d] = -1
	}
	for _, p := range pairs {
		if p[0] >= 0 && p[0] < devices {
			next[p[0]] = p[1]
		}
	}
	seen := make([]bool, devices)
	var out [][]int
	for d := range next {
		if seen[d] {
			continue
		}
		var group []int
		for at := d; at >= 0 && at < devices && !seen[at]; at = next[at] {
			seen[at] = true
			group = append(group, at)
		}
		slices.Sort(group)
		out = append(out, group)
	}
	return out
}
