package hlomap

import (
	"slices"
	"unsafe"
)

// Replicas returns replica_count of the header, 1 when it is not there.
func (m *Module) Replicas() int { return m.headerCount("replica_count", 1) }

// partitions returns num_partitions of the header, 0 when it is not known. Of the two counts a header leaves out the one that is 1.
func (m *Module) partitions() int {
	n := m.headerCount("num_partitions", 0)
	if n == 0 && m.Replicas() > 1 {
		return 1
	}
	return n
}

func (m *Module) headerCount(key string, otherwise int) int {
	v, ok := m.src.moduleAttr(key)
	if !ok {
		return otherwise
	}
	return max(atoi(v, otherwise), otherwise)
}

// Devices returns the number of devices the module runs on: partitions times replicas of the header or, where it has
// neither, as many as the largest id in a group asks for. It is 0 when nothing tells.
func (m *Module) Devices() int {
	return m.deviceCount.get(func() int {
		p, r := m.partitions(), m.Replicas()
		if p > 0 || r > 1 {
			return max(p, 1) * r
		}
		most := 0
		seen := map[string]bool{}
		spelled := &spellings{}
		list := m.src.namers()
		for k, i := range list {
			if k%aheadInstructions == 0 {
				m.readAhead(list[k:min(k+aheadInstructions, len(list))])
			}
			groups, pairs := m.src.participants(i, spelled)
			for _, v := range [...][]byte{groups, pairs} {
				if len(v) == 0 || seen[string(v)] {
					continue
				}
				seen[string(v)] = true
				if g, ok := parseGroups(v); ok {
					most = max(most, g.devices())
				}
			}
		}
		return most
	})
}

// devices returns the number of devices that a group list speaks of, without expanding it.
func (g *groupSpec) devices() int {
	count := func(dims []int64) int {
		n := int64(1)
		for _, d := range dims {
			if d <= 0 || n > (1<<40)/d {
				return 0
			}
			n *= d
		}
		return int(n)
	}
	switch {
	case g.iota != nil:
		return count(g.iota.dims)
	case g.mesh != nil:
		var dims []int64
		for _, a := range g.mesh.axes {
			dims = append(dims, a.size)
		}
		return count(dims)
	}
	most := 0
	for _, l := range g.lists {
		for _, id := range l {
			most = max(most, id+1)
		}
	}
	return most
}

// exchange fills in who talks to whom, and returns the list that says so.
func (b *collectiveReader) exchange(c *Collective, a *collectiveAttrs, base Op) expanded {
	if base == OpCollectivePermute {
		pairs, large, ok := parsePairs(a.pairs)
		if ok && !large {
			c.SourceTargetPairs = b.pairsOfDevices(pairs, a)
		}
		c.GroupsTooLarge = large
		b.lists++
		return expanded{number: b.lists}
	}
	e := b.listed(c.ID, a, modeOf(a, base))
	c.ReplicaGroups, c.GroupsTooLarge = e.groups, e.large
	return e
}

// sameList is a list of groups by where it stands: those that were read once ([spellings]) need not be compared again, nor hashed.
type sameList struct {
	mode groupMode
	at   *byte
	size int
}

// listed returns the groups of a collective.
func (b *collectiveReader) listed(i InstrID, a *collectiveAttrs, mode groupMode) expanded {
	same := sameList{mode, unsafe.SliceData(a.groups), len(a.groups)}
	if e, known := b.same[same]; known {
		return e
	}
	e, known := b.groups[mode][string(a.groups)]
	if !known {
		e = b.expand(a, mode)
		b.lists++
		e.number, e.alone = b.lists, alone(e.groups)
		b.groups[mode][string(a.groups)] = e
		if len(e.groups) > 0 {
			b.seenGroups = append(b.seenGroups, groupList{i, e.groups})
		}
	}
	if same.size >= longValue {
		b.same[same] = e
	}
	return e
}

// alone reports whether every device is a group of its own.
func alone(groups [][]int) bool {
	return len(groups) > 0 && !slices.ContainsFunc(groups, func(g []int) bool { return len(g) > 1 })
}

// groupMode says what the ids in groups count.
type groupMode int

const (
	crossReplica             groupMode = iota // replicas of one partition
	crossPartition                            // partitions of one replica
	crossReplicaAndPartition                  // all partitions of the listed replicas
	flattenedID                               // replica · partitions + partition
)

// modeOf follows XLA's rules. For the reductions and the gather an absent use_global_device_ids is false, so a channel
// without it means replicas and all their partitions; the others have no such flag.
func modeOf(a *collectiveAttrs, base Op) groupMode {
	switch base {
	case OpAllReduce, OpAllGather, OpReduceScatter:
		switch {
		case a.global:
			return flattenedID
		case a.hasChannel:
			return crossReplicaAndPartition
		}
		return crossReplica
	}
	if a.hasChannel {
		return crossPartition
	}
	return crossReplica
}

// expand writes a group list out to device ids.
func (b *collectiveReader) expand(a *collectiveAttrs, mode groupMode) expanded {
	g := &groupSpec{empty: true}
	if a.hasGroups {
		var ok bool
		if g, ok = parseGroups(a.groups); !ok {
			return expanded{}
		}
	}
	if g.empty {
		return b.everyone(mode)
	}
	groups, large, ok := g.expand()
	if !ok || large {
		return expanded{large: large}
	}
	return b.toDevices(groups, mode)
}

// everyone is what an empty list stands for: one group of all replicas or of all partitions.
func (b *collectiveReader) everyone(mode groupMode) expanded {
	n := b.replicas
	switch {
	case mode == crossPartition:
		n = b.partitions
	case mode == flattenedID:
		n = b.devices
	case b.replicas == 1 && b.partitions == 0: // a header without counts
		n = b.devices
	}
	if n <= 0 {
		return expanded{}
	}
	if n > maxGroupIDs {
		return expanded{large: true}
	}
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return b.toDevices([][]int{all}, mode)
}

// toDevices turns groups of replicas or partitions into groups of devices, which are numbered replica · partitions +
// partition. Where the header lacks the counts the ids are those of devices.
func (b *collectiveReader) toDevices(groups [][]int, mode groupMode) expanded {
	r, p := b.replicas, b.partitions
	switch {
	case mode == flattenedID || p <= 1 && mode != crossPartition || r == 1 && mode == crossPartition:
		return expanded{groups: groups}
	}
	limit, copies := r, p
	if mode == crossPartition {
		limit, copies = p, r
	}
	total := 0
	for _, g := range groups {
		total += len(g)
		for _, id := range g {
			if id >= limit {
				return expanded{groups: groups} // the header and the groups do not fit: keep what is written
			}
		}
	}
	if total > maxGroupIDs/copies {
		return expanded{large: true}
	}
	var out [][]int
	for _, g := range groups {
		if mode == crossReplicaAndPartition {
			var all []int
			for _, id := range g {
				for k := range p {
					all = append(all, id*p+k)
				}
			}
			out = append(out, all)
			continue
		}
		for k := range copies {
			one := make([]int, len(g))
			for j, id := range g {
				if mode == crossReplica {
					one[j] = id*p + k
				} else {
					one[j] = k*p + id
				}
			}
			out = append(out, one)
		}
	}
	return expanded{groups: out}
}

// pairsOfDevices turns pairs of replicas or partitions into pairs of devices.
func (b *collectiveReader) pairsOfDevices(pairs [][2]int, a *collectiveAttrs) [][2]int {
	groups := make([][]int, len(pairs))
	for k := range pairs {
		groups[k] = pairs[k][:]
	}
	e := b.toDevices(groups, modeOf(a, OpCollectivePermute))
	if e.large {
		return pairs
	}
	out := make([][2]int, len(e.groups))
	for k, g := range e.groups {
		out[k] = [2]int{g[0], g[1]}
	}
	return out
}

// expanded is an expanded group list.
type expanded struct {
	groups [][]int
	large  bool
	number int32 // equal lists of groups have equal ones
	alone  bool
}
