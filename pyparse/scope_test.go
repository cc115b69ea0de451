package pyparse

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// TestScopes checks testdata/scopes/*.py, where a comment "# NAME@LINE …" says for each name of the line, in order, on which
// line its first binding stands; "?" means that nothing in the file binds it.
func TestScopes(t *testing.T) {
	files, err := filepath.Glob("testdata/scopes/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f := Parse(name, source)
			for _, p := range f.Problems {
				t.Errorf("problem: %+v", p)
			}
			got := resolvedByLine(f)
			expected := regexp.MustCompile(`# ((?:\w+@[\w?]+ ?)+)$`)
			for i, line := range strings.Split(string(source), "\n") {
				m := expected.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				if want := strings.TrimSpace(m[1]); want != strings.Join(got[i+1], " ") {
					t.Errorf("line %d:\n got %s\nwant %s", i+1, strings.Join(got[i+1], " "), want)
				}
			}
		})
	}
}

// resolvedByLine lists every name of every line, 1-based, with the line of its first binding.
func resolvedByLine(f *File) map[int][]string {
	line := func(n NodeID) int {
		start, _ := f.Span(n)
		return 1 + strings.Count(string(f.Source[:start]), "\n")
	}
	seen := map[NodeID]bool{}
	for _, s := range f.Scopes() {
		for _, symbol := range s.Symbols {
			for _, n := range f.References(symbol) {
				seen[n] = true
			}
		}
	}
	for n := range f.Descendants(0) {
		if f.Is(n, KindIdentifier) && f.isName(n) {
			seen[n] = true
		}
	}
	var all []int
	for n := range seen {
		all = append(all, int(n))
	}
	sort.Ints(all)
	out := map[int][]string{}
	for _, id := range all {
		n := NodeID(id)
		where := "?"
		if s := f.Resolve(n); s != nil {
			where = "none"
			if len(s.Bindings) > 0 {
				where = fmt.Sprint(line(s.Bindings[0].Node))
			}
		}
		out[line(n)] = append(out[line(n)], f.Text(n)+"@"+where)
	}
	return out
}

// isName tells identifiers that are names from attributes, keywords and parts of dotted modules.
func (f *File) isName(n NodeID) bool {
	p := f.Parent(n)
	switch f.KindOf(p) {
	case KindAttribute:
		return f.FieldOf(n) != FieldAttribute
	case KindKeywordArgument:
		return f.FieldOf(n) != FieldName
	case KindDottedName:
		return f.FirstChild(p) == n && f.Is(f.Parent(p), KindCasePattern, KindClassPattern, KindKeywordPattern)
	case KindAliasedImport, KindKeywordPattern:
		return false
	}
	return true
}
