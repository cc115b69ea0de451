package hlomap_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// TestOpenMappedGivesMemoryBack: what is given back of a large file is parts of it that begin with whole pages of any system, more than
// the file in all because several analyses go through it, and what is read does not depend on it.
func TestOpenMappedGivesMemoryBack(t *testing.T) {
	at := slices.IndexFunc(hlotest.Dumps(t), func(d hlotest.Dump) bool { return d.Set == "big" })
	text := hlotest.Dumps(t)[at].File(t, "after_spmd.txt")
	const page = 64 << 10
	start := uintptr(unsafe.Pointer(unsafe.SliceData(text)))
	total, largest := 0, 0
	release := func(part []byte) {
		offset := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - start
		if offset%page != 0 || offset+uintptr(len(part)) > uintptr(len(text)) {
			t.Errorf("%d bytes at offset %d of %d", len(part), offset, len(text))
		}
		total, largest = total+len(part), max(largest, len(part))
	}
	modules, _ := hlomap.OpenMapped("after_spmd.txt", text, release)
	if len(modules) != 1 {
		t.Fatalf("%d modules", len(modules))
	}
	meshes := []hlomap.Mesh{mesh("data", 4, "model", 2)}
	got := hlomap.Attribute(modules[0], meshes).Collectives()
	if total < len(text) {
		t.Errorf("%d bytes of %d were given back", total, len(text))
	}
	modules[0].Leave()
	if largest < len(text)-page {
		t.Errorf("%d bytes of %d were given back at the end", largest, len(text))
	}
	want := hlomap.Attribute(openOne(t, "after_spmd.txt", text), meshes).Collectives()
	if len(got) != len(want) {
		t.Fatalf("%d collectives, want %d", len(got), len(want))
	}
	for k := range want {
		if got[k].Name != want[k].Name || got[k].OpName != want[k].OpName || !slices.Equal(got[k].Axes, want[k].Axes) {
			t.Errorf("%s is not %s", got[k].Name, want[k].Name)
		}
	}
}
