package driver

import (
	"bytes"
	"sort"
	"strings"

	"github.com/shardls/shardls/analyzers"
)

// Fixed is what [ApplyFixes] made: new contents by path and the edits that lead to them, and how many findings they remedy.
type Fixed struct {
	Contents map[string][]byte
	Edits    map[string][]analyzers.Edit
	Applied  int
}

// ApplyFixes applies the preferred fix of each finding, in the order of findings, and leaves out those that overlap one
// before them: another round finds them again. Unsafe fixes are applied only if unsafe is true. Content returns the bytes
// of a file; a fix that edits a file which it does not know is left out.
func ApplyFixes(findings []analyzers.Finding, unsafe bool, content func(path string) ([]byte, bool)) Fixed {
	chosen := map[string][]analyzers.Edit{}
	applied := 0
	for i := range findings {
		fix := preferred(findings[i].Fixes, unsafe)
		if fix == nil || overlapping(fix.Edits) || !fits(chosen, fix.Edits, content) {
			continue
		}
		applied++
		for _, e := range fix.Edits {
			if !contains(chosen[e.Span.Path], e) {
				chosen[e.Span.Path] = append(chosen[e.Span.Path], e)
			}
		}
	}
	out := Fixed{Contents: map[string][]byte{}, Edits: chosen, Applied: applied}
	for path, edits := range chosen {
		before, _ := content(path)
		if after := Edited(before, edits); !bytes.Equal(before, after) {
			out.Contents[path] = after
		}
	}
	return out
}

// preferred returns the first fix that may be applied. A finding's first fix is the one its rule prefers; an alternative
// is taken only where the first is not allowed.
func preferred(fixes []analyzers.Fix, unsafe bool) *analyzers.Fix {
	for i := range fixes {
		if len(fixes[i].Edits) > 0 && (unsafe || fixes[i].Safety == analyzers.Safe) {
			return &fixes[i]
		}
	}
	return nil
}

func fits(chosen map[string][]analyzers.Edit, edits []analyzers.Edit, content func(path string) ([]byte, bool)) bool {
	for _, e := range edits {
		text, ok := content(e.Span.Path)
		if !ok || e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(text) {
			return false
		}
		for _, c := range chosen[e.Span.Path] {
			if c == e || wholeLines(c, text) && wholeLines(e, text) {
				continue // two fixes may add the same import, or their own definitions behind the imports
			}
			if e.Span.Start < c.Span.End && c.Span.Start < e.Span.End || e.Span.Start == c.Span.Start {
				return false
			}
		}
	}
	return true
}

// wholeLines reports whether an edit puts whole lines in between two others: such edits of one place go one after the other.
func wholeLines(e analyzers.Edit, text []byte) bool {
	return e.Span.Start == e.Span.End && strings.HasSuffix(e.NewText, "\n") && (e.Span.Start == 0 || text[e.Span.Start-1] == '\n')
}

// overlapping reports whether the edits of one fix change the same text twice, which is a defect of its rule.
func overlapping(edits []analyzers.Edit) bool {
	for i, e := range edits {
		for _, f := range edits[:i] {
			if e.Span.Path == f.Span.Path && e.Span.Start < f.Span.End && f.Span.Start < e.Span.End {
				return true
			}
		}
	}
	return false
}

func contains(edits []analyzers.Edit, e analyzers.Edit) bool {
	for _, c := range edits {
		if c == e {
			return true
		}
	}
	return false
}

// Edited returns text with edits applied, which must not overlap; text is not changed.
func Edited(text []byte, edits []analyzers.Edit) []byte {
	sorted := append([]analyzers.Edit(nil), edits...)
	sort.SliceStable(sorted, func(i, j int) bool { // an insertion stands before what replaces the text behind it
		a, b := sorted[i].Span, sorted[j].Span
		return a.Start < b.Start || a.Start == b.Start && a.End < b.End
	})
	var b bytes.Buffer
	at := 0
	for _, e := range sorted {
		b.Write(text[at:e.Span.Start])
		b.WriteString(e.NewText)
		at = e.Span.End
	}
	b.Write(text[at:])
	return b.Bytes()
}
