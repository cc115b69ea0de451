package pyparse

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// astFacts is what testdata/ast_facts.py prints for one file.
type astFacts struct {
	Path, Error, Source      string
	Encoded                  bool
	Names, Calls, Attributes [][2]int
	Strings, Ints            [][3]any
}

// TestSyntaxAgreesWithCPython compares every snippet of testdata/syntax.txt with what CPython 3.13 sees in it, as recorded in
// testdata/syntax.jsonl. Snippets that this release rejects are newer syntax: they have to come out without an error.
func TestSyntaxAgreesWithCPython(t *testing.T) {
	file, err := os.Open("testdata/syntax.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	count := 0
	for decoder := json.NewDecoder(file); ; count++ {
		var facts astFacts
		if err := decoder.Decode(&facts); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		facts.Encoded = facts.Error != ""
		facts.Path = fmt.Sprintf("%q", facts.Source)
		compareWithCPython(t, facts, []byte(facts.Source))
		crlf := strings.ReplaceAll(facts.Source, "\n", "\r\n")
		compareWithCPython(t, astFacts{Path: fmt.Sprintf("%q", crlf), Encoded: true}, []byte(crlf))
	}
	if count < 400 {
		t.Errorf("%d snippets; testdata/syntax.jsonl is cut short", count)
	}
}

// compareWithCPython reports whether our tree of source has the names, calls, attributes and literals that CPython sees.
func compareWithCPython(t *testing.T, facts astFacts, source []byte) bool {
	t.Helper()
	f := Parse(facts.Path, source)
	if len(f.Problems) > 0 || f.errors > 0 {
		t.Errorf("%s: %d error nodes, problems %s", facts.Path, f.errors, problemText(f))
		return false
	}
	if facts.Encoded {
		return true
	}
	ok := true
	for _, c := range []struct {
		what string
		want [][2]int
		got  map[[2]int]bool
	}{
		{"name", facts.Names, f.nameSpans()},
		{"call", facts.Calls, f.spansOf(KindCall)},
		{"attribute", facts.Attributes, f.spansOf(KindAttribute)},
	} {
		want := map[[2]int]bool{}
		for _, s := range c.want {
			want[s] = true
		}
		ok = reportDifference(t, f, c.what+" CPython alone sees", want, c.got) && ok
		ok = reportDifference(t, f, c.what+" we alone see", c.got, want) && ok
	}
	return compareLiterals(t, f, facts) && ok
}

func compareLiterals(t *testing.T, f *File, facts astFacts) bool {
	want := map[[2]int]any{}
	for _, s := range append(facts.Strings, facts.Ints...) {
		want[[2]int{int(s[0].(float64)), int(s[1].(float64))}] = s[2]
	}
	found := 0
	for n := range f.Descendants(0) {
		start, end := f.Span(n)
		w, known := want[[2]int{start, end}]
		if !known || !f.Is(n, KindString, KindConcatenatedString, KindInteger) {
			continue
		}
		delete(want, [2]int{start, end})
		found++
		if s, isText := w.(string); isText {
			if got, ok := f.StringValue(n); (!ok || got != s) && !strings.Contains(f.Text(n), `\N`) {
				t.Errorf("%s:%d: string %q, want %q", f.Path, f.line(start), got, s)
				return false
			}
		} else if got, ok := f.Int(n); !ok || float64(got) != w.(float64) {
			t.Errorf("%s:%d: int %d, want %v", f.Path, f.line(start), got, w)
			return false
		}
	}
	for span, w := range want {
		t.Errorf("%s:%d: literal %v not found", f.Path, f.line(span[0]), w)
		return false
	}
	return true
}

func (f *File) line(offset int) int { return 1 + strings.Count(string(f.Source[:offset]), "\n") }

func (f *File) spansOf(kind Kind) map[[2]int]bool {
	spans := map[[2]int]bool{}
	for n := range f.Descendants(0) {
		start, end := f.Span(n)
		switch {
		case f.Is(n, kind):
			spans[[2]int{start, end}] = true
		case kind == KindAttribute && f.Is(n, KindDottedName) && !f.Is(f.EnclosingStatement(n), KindImportStatement, KindImportFromStatement):
			for i, part := range f.ChildList(n) { // patterns keep their dotted names flat
				if _, end := f.Span(part); i > 0 {
					spans[[2]int{start, end}] = true
				}
			}
		}
	}
	return spans
}

// nameSpans lists what CPython calls a Name: every use, and every binding made by an assignment, loop, with or walrus.
func (f *File) nameSpans() map[[2]int]bool {
	spans := map[[2]int]bool{}
	b := &scopeBuilder{f: f, table: &scopeTable{symbolOf: make([]int32, len(f.Nodes)), opened: map[NodeID]ScopeID{}, names: map[string]int32{}, byName: map[scopedName]int32{}}, imports: map[NodeID]int{}}
	b.visitAll(0, b.open(ModuleScope, 0, NoScope))
	for _, e := range b.events {
		name := e.role == roleUse
		if e.role == roleBind {
			switch e.binding {
			case BindAssignment, BindAugmented, BindAnnotation, BindWalrus, BindFor, BindWith, BindDelete, BindTypeAlias:
				name = true
			}
		}
		if name {
			start, end := f.Span(e.node)
			spans[[2]int{start, end}] = true
		}
	}
	return spans
}

func reportDifference(t *testing.T, f *File, what string, a, b map[[2]int]bool) bool {
	keys := slices.SortedFunc(maps.Keys(a), func(x, y [2]int) int { return x[0] - y[0] })
	for _, s := range keys {
		if !b[s] {
			t.Errorf("%s:%d: %s: %q", f.Path, f.line(s[0]), what, f.Source[s[0]:s[1]])
			return false
		}
	}
	return true
}

func problemText(f *File) string {
	var parts []string
	for n := range f.Descendants(0) {
		if f.Nodes[n].Flags&Missing != 0 || f.Is(n, KindError) {
			start, end := f.Span(n)
			parts = append(parts, fmt.Sprintf("line %d: %.60q", f.line(start), f.Source[start:min(end, start+60)]))
		}
	}
	return strings.Join(parts, "; ")
}
