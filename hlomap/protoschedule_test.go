package hlomap

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// TestSequenceSpellings: the order of a computation is the same however its writer packs the list of ids.
func TestSequenceSpellings(t *testing.T) {
	want := []int64{3, 1 << 33, 2}
	packed := func(ids ...int64) (out []byte) {
		out = protowire.AppendTag(nil, sequenceIDs, protowire.BytesType)
		var list []byte
		for _, id := range ids {
			list = protowire.AppendVarint(list, uint64(id))
		}
		return protowire.AppendBytes(out, list)
	}
	single := func(id int64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, sequenceIDs, protowire.VarintType), uint64(id))
	}
	for name, value := range map[string][]byte{
		"packed":       packed(want...),
		"not packed":   slices.Concat(single(want[0]), single(want[1]), single(want[2])),
		"in two lists": slices.Concat(packed(want[:2]...), packed(want[2])),
		"mixed":        slices.Concat(packed(want[0]), single(want[1]), packed(), packed(want[2])),
	} {
		entry := protowire.AppendVarint(protowire.AppendTag(nil, sequenceKey, protowire.VarintType), 7)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, sequenceValue, protowire.BytesType), value)
		before := slices.Clone(entry)
		id, ids := sequence(entry)
		f := field{kind: protowire.BytesType, data: ids}
		if got := f.appendInts(nil); id != 7 || !slices.Equal(got, want) {
			t.Errorf("%s: computation %d runs %v, want 7 and %v", name, id, got, want)
		}
		if !slices.Equal(entry, before) {
			t.Errorf("%s: reading changed the message", name)
		}
	}
}
