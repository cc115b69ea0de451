package hlomap

import "google.golang.org/protobuf/encoding/protowire"

// A proto lists the instructions of a computation in an order of its own, and apart from them in which order they run. The
// text of a scheduled module has that order only, so the reader takes it as well: what comes first is the same in both.

// The fields of HloScheduleProto, of an entry of its map, and of InstructionSequence.
const (
	scheduleSequences = 1
	sequenceKey       = 1
	sequenceValue     = 2
	sequenceIDs       = 1
)

// schedules returns the ids of the instructions of each computation that has a schedule, packed, by the computation's id.
func schedules(module []byte) map[int64][]byte {
	f := fieldsOf(module)
	for f.next() {
		if f.num != moduleSchedule || f.kind != protowire.BytesType {
			continue
		}
		out := map[int64][]byte{}
		entries := fieldsOf(f.data)
		for entries.next() {
			if entries.num == scheduleSequences && entries.kind == protowire.BytesType {
				id, ids := sequence(entries.data)
				out[id] = ids
			}
		}
		return out
	}
	return nil
}

func sequence(entry []byte) (id int64, ids []byte) {
	f := fieldsOf(entry)
	for f.next() {
		switch {
		case f.num == sequenceKey && f.kind == protowire.VarintType:
			id = int64(f.n)
		case f.num == sequenceValue && f.kind == protowire.BytesType:
			ids = sequenceOf(f.data)
		}
	}
	return id, ids
}

// sequenceOf returns the numbers of a sequence, which stand in one list as XLA writes them; other writers may split or not pack it.
func sequenceOf(b []byte) (ids []byte) {
	for f := fieldsOf(b); f.find(1 << sequenceIDs); {
		switch {
		case f.kind == protowire.VarintType:
			ids = protowire.AppendVarint(ids, f.n)
		case ids == nil:
			ids = f.data // it has no room to append to
		default:
			ids = append(ids, f.data...)
		}
	}
	return ids
}

// schedule puts the instructions of the current computation into the order in which they run. One that does not name each of
// them once is left aside.
func (r *protoReader) schedule(ids []byte, c *computation, edge int) {
	order := make([]InstrID, 0, len(r.ids))
	listed := make([]bool, len(r.ids))
	same := true
	for p := 0; p < len(ids); {
		v, next := varint(ids, p)
		if next < 0 {
			return
		}
		i := r.byID(uint32(v))
		if i == NoInstr || listed[i-c.first] {
			return
		}
		listed[i-c.first] = true
		same = same && i == c.first+InstrID(len(order))
		order = append(order, i)
		p = next
	}
	if same || len(order) != len(r.ids) {
		return
	}
	r.permute(order, c, edge)
}

// permute reorders what was kept of the current computation; order tells which instruction comes to stand where.
func (r *protoReader) permute(order []InstrID, c *computation, edge int) {
	m, first := r.m, int(c.first)
	ops, at, sizes := append([]Op(nil), m.ops[first:]...), append([]uint32(nil), m.at[first:]...), append([]uint32(nil), m.operands[first:]...)
	numbers, ids := append([]int32(nil), m.numbers[first:]...), append([]uint32(nil), r.ids...)
	edges, starts := append([]InstrID(nil), m.edges[edge:]...), append([]uint32(nil), m.edgeStart[first:]...)
	starts = append(starts, uint32(len(m.edges)))
	place := make([]InstrID, len(order))
	next := uint32(edge)
	for to, from := range order {
		k := int(from) - first
		place[k] = c.first + InstrID(to)
		m.ops[first+to], m.at[first+to], m.operands[first+to], m.numbers[first+to] = ops[k], at[k], sizes[k], numbers[k]
		r.ids[to] = ids[k]
		m.edgeStart[first+to] = next
		next += uint32(copy(m.edges[next:], edges[starts[k]-uint32(edge):starts[k+1]-uint32(edge)]))
	}
	for k, p := range m.params[c.params:] {
		if p != NoInstr {
			m.params[int(c.params)+k] = place[int(p)-first]
		}
	}
	for k := len(r.src.naming) - 1; k >= 0 && r.src.naming[k] >= c.first; k-- {
		r.src.naming[k] = place[r.src.naming[k]-c.first]
	}
	r.index(c.first)
}
