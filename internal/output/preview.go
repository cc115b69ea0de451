package output

import (
	"fmt"
	"sort"
	"strings"

	"github.com/shardls/shardls/analyzers"
)

// previewLines is how many lines of a fix are shown.
const previewLines = 12

// preview shows the lines that a fix takes away and those it puts in their place.
func (p *fullPrinter) preview(f *analyzers.Fix) {
	left := previewLines
	for _, group := range byFile(f.Edits) {
		src := p.source(group[0].Span.Path)
		if src == nil || src.Text == nil {
			continue
		}
		for _, hunk := range hunks(src, group) {
			for _, line := range hunk.removed {
				p.change(&left, "-", p.style.red, line)
			}
			for _, line := range hunk.added {
				p.change(&left, "+", p.style.green, line)
			}
		}
	}
	if left < 0 {
		fmt.Fprintf(p.w, " %s   %s\n", strings.Repeat(" ", p.gutter), p.style.dim("…"))
	}
}

func (p *fullPrinter) change(left *int, sign string, paint func(string) string, line string) {
	if *left--; *left < 0 {
		return
	}
	fmt.Fprintf(p.w, " %s   %s\n", strings.Repeat(" ", p.gutter), paint(strings.TrimRight(sign+" "+expand(line), " ")))
}

// hunk is a run of whole lines that edits change.
type hunk struct {
	removed, added []string
}

// byFile groups edits by file in the order of first appearance, sorted by start within each.
func byFile(edits []analyzers.Edit) [][]analyzers.Edit {
	var groups [][]analyzers.Edit
	index := map[string]int{}
	for _, e := range edits {
		i, ok := index[e.Span.Path]
		if !ok {
			i = len(groups)
			index[e.Span.Path] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	for _, g := range groups {
		sort.SliceStable(g, func(i, j int) bool { return g[i].Span.Start < g[j].Span.Start })
	}
	return groups
}

// hunks applies the edits of one file line by line; edits on neighbouring lines share a hunk.
func hunks(src *Source, edits []analyzers.Edit) []hunk {
	m := src.Text
	var out []hunk
	for i := 0; i < len(edits); {
		first, last := m.Line(edits[i].Span.Start), m.Line(edits[i].Span.End)
		j := i + 1
		for j < len(edits) && m.Line(edits[j].Span.Start) <= last {
			last = max(last, m.Line(edits[j].Span.End))
			j++
		}
		start, _, _ := m.LineBounds(first)
		_, end, _ := m.LineBounds(last)
		var b strings.Builder
		at := start
		for _, e := range edits[i:j] {
			if e.Span.Start < at || e.Span.End > len(m.Text) {
				continue
			}
			b.Write(m.Text[at:e.Span.Start])
			b.WriteString(e.NewText)
			at = e.Span.End
		}
		if at < end {
			b.Write(m.Text[at:end])
		}
		out = append(out, trimmed(strings.Split(string(m.Text[start:end]), "\n"), strings.Split(b.String(), "\n")))
		i = j
	}
	return out
}

// trimmed drops the lines that a hunk has in common at its ends.
func trimmed(removed, added []string) hunk {
	for len(removed) > 0 && len(added) > 0 && removed[0] == added[0] {
		removed, added = removed[1:], added[1:]
	}
	for len(removed) > 0 && len(added) > 0 && removed[len(removed)-1] == added[len(added)-1] {
		removed, added = removed[:len(removed)-1], added[:len(added)-1]
	}
	return hunk{removed, added}
}
