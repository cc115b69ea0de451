package hlomap_test

import (
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// BenchmarkAttribute measures attribution of a module of 25 MB beyond reading it.
func BenchmarkAttribute(b *testing.B) {
	name, data := bigDump(b)
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			hlomap.Open(name, data)
		}
	})
	mods, _ := hlomap.Open(name, data)
	mesh := []hlomap.Mesh{{Axes: []hlomap.MeshAxis{{Name: "data", Size: 4}, {Name: "model", Size: 2}}}}
	b.Run("collectives", func(b *testing.B) {
		for b.Loop() {
			mods[0].Collectives()
		}
	})
	b.Run("attribute", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			hlomap.Attribute(mods[0], mesh)
		}
	})
	b.Run("gradients", func(b *testing.B) {
		for b.Loop() {
			hlomap.Attribute(mods[0], mesh).Gradients()
		}
	})
}

func bigDump(b testing.TB) (string, []byte) {
	for _, d := range hlotest.Dumps(b) {
		if d.Set == "big" {
			return "after_spmd.txt", d.File(b, "after_spmd.txt")
		}
	}
	b.Fatal("no big dump")
	return "", nil
}
