package lsp

import (
	"strings"
	"sync"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/text"
)

// dumpFacts is what the dumps say about one state of the sources. It costs more than the sources alone, so that it is made
// when the person pauses; until then the lines of the last one are followed through the edits. It is immutable.
type dumpFacts struct {
	workspace *project.Workspace
	result    *driver.Result
	findings  map[string][]analyzers.Finding // those of the result by path, those from sources alone too
	traffic   func() *traffic
}

func newDumpFacts(w *project.Workspace, result *driver.Result) *dumpFacts {
	return &dumpFacts{
		workspace: w,
		result:    result,
		findings:  byPath(result.Findings),
		traffic:   sync.OnceValue(func() *traffic { return trafficOf(w) }),
	}
}

func byPath(findings []analyzers.Finding) map[string][]analyzers.Finding {
	out := map[string][]analyzers.Finding{}
	for _, f := range findings {
		out[f.Span.Path] = append(out[f.Span.Path], f)
	}
	return out
}

// modules are the compiled modules, none where no dump is read.
func (d *dumpFacts) modules() []*link.Module {
	if d == nil {
		return nil
	}
	return d.workspace.Modules
}

// move follows the places of one file from the text that the dumps were joined with to that of an analysis.
type move struct {
	before, after *text.Map
	history       *text.History
}

// moveFor returns how places of a file have moved since; ok is false where the file is gone.
func (d *dumpFacts) moveFor(a *analysis, path string) (move, bool) {
	old := d.workspace.File(path)
	now := a.text(path)
	if old == nil || now == nil {
		return move{}, false
	}
	before := old.Text()
	return move{before, now, text.NewHistory(before.Text, now.Text)}, true
}

// line returns where a 0-based line is now, and false if it has been edited.
func (m move) line(line int) (int, bool) {
	now, change := m.history.Now(line)
	return now, change != text.Changed
}

// span returns where bytes are now, and false if one of their lines has been edited.
func (m move) span(s analyzers.Span) (analyzers.Span, bool) {
	if m.history.Unchanged() {
		return s, true
	}
	first, last := m.before.Line(s.Start), m.before.Line(s.End)
	for line := first; line <= last; line++ {
		now, ok := m.line(line)
		if at, same := m.line(first); !ok || !same || now-at != line-first {
			return s, false
		}
	}
	oldStart, _, _ := m.before.LineBounds(first)
	now, _ := m.line(first)
	newStart, _, ok := m.after.LineBounds(now)
	s.Start, s.End = s.Start+newStart-oldStart, s.End+newStart-oldStart
	return s, ok && s.End <= len(m.after.Text)
}

// trafficFor is the traffic with its lines where they are in an analysis.
func (d *dumpFacts) trafficFor(a *analysis) *traffic {
	if d == nil {
		return &traffic{}
	}
	was := d.traffic()
	return &traffic{lines: d.moveLines(a, was.lines), through: d.moveLines(a, was.through)}
}

func (d *dumpFacts) moveLines(a *analysis, index map[string]map[int][]caused) map[string]map[int][]caused {
	out := make(map[string]map[int][]caused, len(index))
	for path, lines := range index {
		m, ok := d.moveFor(a, path)
		switch {
		case !ok:
			continue
		case m.history.Unchanged():
			out[path] = lines
			continue
		}
		for line, list := range lines {
			if now, ok := m.line(line - 1); ok {
				for _, c := range list {
					put(out, path, now+1, c)
				}
			}
		}
	}
	return out
}

// carry adds to the findings that an analysis has from sources those that only dumps tell, where their lines are now. The
// findings about the run itself are among them: whether a suppression is of use shows only when every rule has run.
func (d *dumpFacts) carry(a *analysis) {
	if d == nil {
		return
	}
	for path, list := range d.findings {
		m, ok := d.moveFor(a, path)
		if !ok {
			continue
		}
		for _, f := range list {
			if f.Evidence == analyzers.FromSource && !strings.HasPrefix(f.Code, "SHD00") {
				continue
			}
			if moved, ok := m.finding(f); ok && !reported(a.findings[path], moved) {
				a.findings[path] = append(a.findings[path], moved)
			}
		}
	}
}

func reported(list []analyzers.Finding, f analyzers.Finding) bool {
	for i := range list {
		if list[i].Code == f.Code && list[i].Span == f.Span {
			return true
		}
	}
	return false
}

// finding follows a finding with those of its fixes that touch nothing edited.
func (m move) finding(f analyzers.Finding) (analyzers.Finding, bool) {
	path := f.Span.Path
	span, ok := m.span(f.Span)
	if !ok {
		return f, false
	}
	f.Span = span
	var fixes []analyzers.Fix
fixes:
	for _, fix := range f.Fixes {
		edits := make([]analyzers.Edit, len(fix.Edits))
		for i, e := range fix.Edits {
			if e.Span.Path == path {
				if e.Span, ok = m.span(e.Span); !ok {
					continue fixes
				}
			}
			edits[i] = e
		}
		fix.Edits = edits
		fixes = append(fixes, fix)
	}
	f.Fixes = fixes
	return f, true
}
