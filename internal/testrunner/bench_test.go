package testrunner

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/project"
)

// BenchmarkThousandLines reads, parses, interprets and judges one file of 1,000 lines with all rules: fixtures of rules, one behind
// the other.
func BenchmarkThousandLines(b *testing.B) {
	fixtures, err := filepath.Glob(filepath.Join(roots()[0], "SHD[12]*", "*.py"))
	if err != nil {
		b.Fatal(err)
	}
	var source []byte
	for _, path := range fixtures {
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		source = append(append(source, content...), '\n')
		if bytes.Count(source, []byte("\n")) >= 1000 {
			break
		}
	}
	path := filepath.Join(b.TempDir(), "program.py")
	overlay := map[string][]byte{path: source}
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		w, err := project.Load(b.Context(), project.Options{
			Dir: filepath.Dir(path), Paths: []string{path}, Isolated: true, Once: true, Overlay: overlay,
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := driver.Run(b.Context(), w.Input()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(bytes.Count(source, []byte("\n"))), "lines")
}
