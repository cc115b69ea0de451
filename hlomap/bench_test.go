package hlomap_test

import (
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// big returns the stored unrolled model: 25.7 MB of text, 141,713 instructions, 3,888 collectives.
func big(b *testing.B) []byte {
	b.Helper()
	for _, d := range hlotest.Dumps(b) {
		if d.Set == "big" {
			return d.File(b, "after_spmd.txt")
		}
	}
	b.Fatal("no big dump")
	return nil
}

func BenchmarkOpen(b *testing.B) {
	text := big(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if mods, _ := hlomap.Open("big.txt", text); len(mods) != 1 {
			b.Fatal("not one module")
		}
	}
}

func BenchmarkCollectives(b *testing.B) {
	text := big(b)
	mods, _ := hlomap.Open("big.txt", text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if len(mods[0].Collectives()) == 0 {
			b.Fatal("no collectives")
		}
	}
}
