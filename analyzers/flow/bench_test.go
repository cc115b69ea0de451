package flow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

// BenchmarkInterpret interprets all executed cases, about 5 900 lines.
func BenchmarkInterpret(b *testing.B) {
	paths, err := filepath.Glob("../../testdata/rules/SHD*/*.py")
	if err != nil || len(paths) == 0 {
		b.Fatalf("no cases: %v", err)
	}
	var files []*pyparse.File
	size := int64(0)
	for _, p := range paths {
		source, err := os.ReadFile(p)
		if err != nil {
			b.Fatal(err)
		}
		size += int64(len(source))
		files = append(files, pyparse.Parse(p, source))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			Interpret(f, Options{})
		}
	}
}
