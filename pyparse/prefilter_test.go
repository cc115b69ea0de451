package pyparse

import (
	"bytes"
	"strings"
	"testing"
)

func TestPrefilter(t *testing.T) {
	for _, c := range []struct {
		needles []string
		text    string
		want    bool
	}{
		{nil, "", true},
		{[]string{""}, "x", true},
		{[]string{"psum"}, "", false},
		{[]string{"psum"}, "psu", false},
		{[]string{"psum"}, "psum", true},
		{[]string{"psum", "PartitionSpec"}, "xxPartitionSpec", true},
		{[]string{"psum", "PartitionSpec"}, "xxPartitionSpe", false},
		{[]string{"SHD"}, "aSHD", true},
		{[]string{"SHD", "psum"}, "apsum", true},
		{[]string{"SHD", "psum"}, "ap sum S HD", false},
		{[]string{"aaab", "aab_"}, "aaaaaaab", true},
		{[]string{"abab"}, "abaabab", true},
		{[]string{"shard_map", "with_sharding_constraint"}, strings.Repeat("with_sharding_", 9) + "constraint", true},
	} {
		if got := NewPrefilter(c.needles).Match([]byte(c.text)); got != c.want {
			t.Errorf("%q in %q: %v", c.needles, c.text, got)
		}
	}
}

// FuzzPrefilter compares the filter with one search for each needle.
func FuzzPrefilter(f *testing.F) {
	f.Add("psum|mesh|SHD", "a mesh and psumm")
	f.Add("aaaa|aaab|baaa", "aaabaaab")
	f.Add("abcd|bcde|cdef", "abcbcdcdebcdef")
	f.Fuzz(func(t *testing.T, list, text string) {
		needles := strings.Split(list, "|")
		want := false
		for _, n := range needles {
			want = want || bytes.Contains([]byte(text), []byte(n))
		}
		if got := NewPrefilter(needles).Match([]byte(text)); got != want {
			t.Errorf("%q in %q: %v", needles, text, got)
		}
		marks := NewMarks(len(needles))
		NewPrefilter(needles).Mark([]byte(text), marks)
		for i, n := range needles {
			if marks.Has(i) != bytes.Contains([]byte(text), []byte(n)) {
				t.Errorf("%q of %q in %q: %v", n, needles, text, marks.Has(i))
			}
		}
	})
}

// BenchmarkPrefilter searches a file that holds none of the needles.
func BenchmarkPrefilter(b *testing.B) {
	p := NewPrefilter([]string{"PartitionSpec_", "shard_map_", "make_mesh_", "AbstractMesh", "_shardings", "pjit", "ppermute", "axis_index", "SHD"})
	source := program(1000)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if p.Match(source) {
			b.Fatal("match")
		}
	}
}
