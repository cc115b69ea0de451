package main

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// below finds the collectives that stand in what a line calls, and on the other lines of the statement that it is a part of: all of a
// function for the line that begins it. Those of the line itself are not among them. Of several compilations that exchange the
// same, one counts.
func below(e *output.Explanation, w *project.Workspace, file *project.File) {
	first, last, ok := linesOf(file, e.Line)
	if e.Code = ok; !ok {
		return
	}
	path := filepath.ToSlash(e.Path)
	for i, m := range w.Modules {
		if m.Deciding == nil || slices.ContainsFunc(w.Modules[:i], m.Repeats) {
			continue
		}
		b := output.Below{Module: m.Name}
		own := m.Lines()[path][e.Line]
		for j := range m.Deciding.Collectives {
			c := &m.Deciding.Collectives[j]
			if !c.Logical || slices.ContainsFunc(own, func(a link.At) bool { return a.Collective == c }) || !passes(m, c, path, first, last) {
				continue
			}
			b.Add(c)
			for p, line := range m.Stack(c) {
				b.AddLine(p, line)
				break
			}
		}
		if b.Collectives > 0 {
			e.Below = append(e.Below, b)
		}
	}
}

func passes(m *link.Module, c *hlomap.Collective, path string, first, last int) bool {
	for p, line := range m.Stack(c) {
		if p == path && first <= line && line <= last {
			return true
		}
	}
	return false
}

// linesOf returns the 1-based lines of the statement that a line is a part of, and false for a line without code. Of a statement with a
// block they are those in front of it, of a function all.
func linesOf(file *project.File, line int) (first, last int, ok bool) {
	lines := file.Text()
	start, end, _ := lines.LineBounds(line - 1)
	code := bytes.TrimLeft(lines.Text[start:end], " \t")
	if len(code) == 0 || code[0] == '#' {
		return 0, 0, false
	}
	from, to, ok := file.Syntax().StatementAt(end - len(code))
	if !ok {
		return 0, 0, false
	}
	first, last = lines.Line(from)+1, lines.Line(max(from, to-1))+1
	if line > last { // another branch of the statement
		return line, line, true
	}
	return first, last, true
}
