package hlomap

import (
	"slices"
	"strings"
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

// TestRepeatedNames: of a field that comes again in a message the last value holds, as in every reader of protos.
func TestRepeatedNames(t *testing.T) {
	text := func(num protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), s)
	}
	number := func(num protowire.Number, n uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), n)
	}
	message := func(num protowire.Number, parts ...[]byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), slices.Concat(parts...))
	}
	long := strings.Repeat("long", 40)
	instruction := func(names ...string) []byte {
		parts := [][]byte{text(instrName, names[0]), text(instrOpcode, "constant"), number(instrID, 1)}
		for _, n := range names[1:] {
			parts = append(parts, text(instrName, n))
		}
		return message(compInstructions, parts...)
	}
	for _, names := range [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}, {long}, {long, "b"}, {"a", long}, {"a", ""}} {
		comp := [][]byte{text(compName, names[0]), instruction(names...), number(compID, 1)}
		for _, n := range names[1:] {
			comp = append(comp, text(compName, n))
		}
		module := slices.Concat(text(moduleName, "m"), message(moduleComputations, comp...), number(moduleEntryID, 1))
		mods, problems := Open("m.hlo.pb", module)
		if len(mods) != 1 || len(problems) > 0 {
			t.Fatalf("%q: %d modules, %v", names, len(mods), problems)
		}
		m, want := mods[0], names[len(names)-1]
		if m.CompName(0) != want || m.CompByName(want) != 0 || m.InstrName(0) != want || m.InstrByName(NoComp, want) != 0 {
			t.Errorf("%q: the computation is %q, its instruction %q", names, m.CompName(0), m.InstrName(0))
		}
	}
}

// TestAbsentNumbers: what a proto leaves out is 0, also the id of a computation or of an instruction. XLA numbers from 0.
func TestAbsentNumbers(t *testing.T) {
	message := func(num protowire.Number, parts ...[]byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), slices.Concat(parts...))
	}
	number := func(num protowire.Number, n uint64) []byte {
		if n == 0 {
			return nil
		}
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), n)
	}
	instruction := func(name, opcode string, id uint64, more ...[]byte) []byte {
		return message(compInstructions, message(instrName, []byte(name)), message(instrOpcode, []byte(opcode)), number(instrID, id), slices.Concat(more...))
	}
	ids := func(num protowire.Number, list ...byte) []byte { return message(num, list) }
	module := slices.Concat(message(moduleName, []byte("m")),
		message(moduleComputations, message(compName, []byte("inner")), instruction("x", "parameter", 0), instruction("y", "negate", 1, ids(instrOperandIDs, 0))),
		message(moduleComputations, message(compName, []byte("outer")), number(compID, 1), instruction("p", "parameter", 0),
			instruction("c", "call", 1, ids(instrOperandIDs, 0), ids(instrCalledIDs, 0)), number(compRootID, 1)),
		number(moduleEntryID, 1))
	mods, problems := Open("m.hlo.pb", module)
	if len(mods) != 1 || len(problems) > 0 {
		t.Fatalf("%d modules, %v", len(mods), problems)
	}
	m := mods[0]
	inner, call := m.CompByName("inner"), m.InstrByName(NoComp, "c")
	if called := m.Called(call); len(called) != 1 || called[0] != inner {
		t.Errorf("it calls %v, want %d", called, inner)
	}
	if root := m.InstrName(m.Root(inner)); root != "x" {
		t.Errorf("the root is %s", root)
	}
	if callers := m.Callers(inner); len(callers) != 1 || callers[0] != call {
		t.Errorf("callers %v", callers)
	}
}
