package pyparse

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file below testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, got)
	}
}

// TestSuppressions lists every directive of testdata/suppress/forms.py with the lines it speaks for.
func TestSuppressions(t *testing.T) {
	source, err := os.ReadFile("testdata/suppress/forms.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"\n", "\r\n"} {
		f := Parse("forms.py", []byte(strings.ReplaceAll(string(source), "\n", ending)))
		line := func(offset int) int { return 1 + strings.Count(string(f.Source[:offset]), "\n") }
		var b strings.Builder
		for _, s := range f.Suppressions {
			var codes []string
			for _, c := range s.Codes {
				codes = append(codes, c.Code)
				if !strings.EqualFold(c.Code, string(f.Source[c.Start:c.End])) {
					t.Errorf("%s: range says %q", c.Code, f.Source[c.Start:c.End])
				}
			}
			scope := fmt.Sprintf("lines %d-%d", line(s.ScopeStart), line(max(s.ScopeStart, min(s.ScopeEnd, len(f.Source))-1)))
			if s.ScopeStart == s.ScopeEnd {
				scope = "nothing"
			} else if s.Form == FileIgnore {
				scope = "file"
			}
			fmt.Fprintf(&b, "%d: %v %s: %s: %q", line(s.Start), [...]string{"ignore", "file-ignore", "noqa", "malformed"}[s.Form], strings.Join(codes, " "), scope, f.Source[s.Start:s.End])
			if s.Reason != "" {
				fmt.Fprintf(&b, " because %s", s.Reason)
			}
			b.WriteByte('\n')
		}
		golden(t, "suppress/forms.golden", b.String())
	}
}

func TestSuppressionCovers(t *testing.T) {
	f := Parse("a.py", []byte("a = 1\nb = 2  # shardls: ignore[SHD5, SHD601]\n"))
	s := &f.Suppressions[0]
	for _, c := range []struct {
		code   string
		offset int
		index  int
		ok     bool
	}{{"SHD501", 6, 0, true}, {"SHD601", 10, 1, true}, {"SHD602", 6, 0, false}, {"SHD501", 0, 0, false}} {
		if index, ok := s.Covers(c.code, c.offset); ok != c.ok || index != c.index {
			t.Errorf("%s at %d: %d, %v", c.code, c.offset, index, ok)
		}
	}
}
