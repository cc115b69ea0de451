package rules

import (
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

// TestFixes applies every fix that a rule offers in its own cases: the result is Python without new syntax errors, and the finding is
// gone.
func TestFixes(t *testing.T) {
	paths, err := filepath.Glob(casesDir + "/SHD*/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases under %s: %v", casesDir, err)
	}
	for _, path := range paths {
		code := filepath.Base(filepath.Dir(path))
		t.Run(code+"/"+filepath.Base(path), func(t *testing.T) {
			program := programOf(t, path)
			file := program.Files[path].Syntax
			for _, f := range check(t, program, path) {
				if f.Code != code {
					continue
				}
				for _, fix := range f.Fixes {
					tryFix(t, file, f, fix)
				}
			}
		})
	}
}

func tryFix(t *testing.T, file *pyparse.File, f analyzers.Finding, fix analyzers.Fix) {
	t.Helper()
	after := applied(t, string(file.Source), fix)
	fixed := pyparse.Parse(file.Path, []byte(after))
	line := text.NewMap(file.Source).Position(f.Span.Start).Line
	if len(fixed.Problems) > len(file.Problems) {
		t.Errorf("line %d: %q leaves syntax errors:\n%s", line, fix.Title, after)
		return
	}
	program := &flow.Program{Files: map[string]*flow.File{file.Path: {Syntax: fixed}}}
	for _, g := range check(t, program, file.Path) {
		if g.Code == f.Code && g.Message == f.Message && text.NewMap(fixed.Source).Position(g.Span.Start).Line == line {
			t.Errorf("line %d: %q leaves the finding %s: %s\n%s", line, fix.Title, g.Code, g.Message, after)
		}
	}
}

// applied is the source after the edits of a fix, which may not overlap.
func applied(t *testing.T, source string, fix analyzers.Fix) string {
	t.Helper()
	edits := append([]analyzers.Edit(nil), fix.Edits...)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Span.Start < edits[j].Span.Start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Span.Start < at {
			t.Errorf("the edits of %q overlap", fix.Title)
			return source
		}
		b.WriteString(source[at:e.Span.Start])
		b.WriteString(e.NewText)
		at = e.Span.End
	}
	return b.String() + source[at:]
}
