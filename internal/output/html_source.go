package output

import (
	"fmt"
	"path/filepath"
	"sort"

	"github.com/shardls/shardls/internal/units"
	"github.com/shardls/shardls/report"
)

// around is how many lines are listed before and after one that something is said of.
const around = 3

// reportSources are the source lines that a report lists.
type reportSources struct {
	r       *Report
	modules []Module
	files   []*reportFile
	places  map[string]string // links by place, as tables print it
}

// reportFile is what is said of the lines of a file.
type reportFile struct {
	path  string // as printed
	n     int    // 1-based, in links
	text  *Source
	lines map[int]*reportLine
}

type reportLine struct {
	share float64
	marks []report.Text
}

func newReportSources(r *Report, modules []Module) *reportSources {
	s := &reportSources{r: r, modules: modules, places: map[string]string{}}
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		p := r.point(f.Span.Path, f.Span.Start)
		s.mark(r.display(f.Span.Path), p.Line, report.Text{Text: f.Code + " " + f.Name, Link: "#findings", Tone: toneOf(f.Severity)})
	}
	for i := range modules {
		s.markModule(i)
	}
	return s
}

// markModule says what each line makes a module exchange.
func (s *reportSources) markModule(i int) {
	m := &s.modules[i]
	type place struct {
		path string
		line int
	}
	var order []place
	sums := map[place]*group{}
	total := new(int64)
	for k := range m.Collectives {
		c := &m.Collectives[k]
		at := m.SourceOf(c)
		if !c.Logical || !at.Known() || at.Edited {
			continue
		}
		p := place{at.Path, at.Line}
		if sums[p] == nil {
			sums[p] = &group{runs: new(int64), bytes: new(int64)}
			order = append(order, p)
		}
		sums[p].add(c)
		if c.BytesPerStep != nil {
			*total += *c.BytesPerStep
		}
	}
	for _, p := range order {
		g := sums[p]
		amount := "an unknown number of bytes"
		if g.bytes != nil {
			amount = units.Bytes(*g.bytes)
		}
		text := fmt.Sprintf("%s over %s in %s: %s a step", list(g.opcodes, 3), list(g.axes, 3), list(g.dtypes, 3), amount)
		if g.count > 1 {
			text = fmt.Sprintf("%d × %s", g.count, text)
		}
		if len(s.modules) > 1 {
			text = m.Name + ": " + text
		}
		line := s.mark(p.path, p.line, report.Text{Text: text, Link: fmt.Sprintf("#module-%d", i+1)})
		if line != nil && g.bytes != nil && *total > 0 {
			line.share = max(line.share, float64(*g.bytes)/float64(*total))
		}
	}
}

// mark says something of a line; it answers nil where the line is in no file of the workspace.
func (s *reportSources) mark(path string, line int, text report.Text) *reportLine {
	f := s.file(path)
	if f == nil || line < 1 || line > f.text.Text.Lines() {
		return nil
	}
	l := f.lines[line]
	if l == nil {
		l = &reportLine{}
		f.lines[line] = l
		s.places[SourceLine{Path: path, Line: line}.text()] = "#" + f.id(line)
	}
	l.marks = append(l.marks, text)
	return l
}

// file returns what is said of a file, nil for one that is not there, or a notebook, whose lines are those of cells.
func (s *reportSources) file(path string) *reportFile {
	for _, f := range s.files {
		if f.path == path {
			return f
		}
	}
	absolute := filepath.FromSlash(path)
	if !filepath.IsAbs(absolute) {
		absolute = filepath.Join(s.r.Dir, absolute)
	}
	text := s.r.source(absolute)
	if text == nil || text.Text == nil || text.Cell != nil {
		return nil
	}
	f := &reportFile{path: path, n: len(s.files) + 1, text: text, lines: map[int]*reportLine{}}
	s.files = append(s.files, f)
	return f
}

func (f *reportFile) id(line int) string { return fmt.Sprintf("source-%d-%d", f.n, line) }

// link is where a line is listed, "" where it is not.
func (s *reportSources) link(path string, line int) string {
	return s.places[SourceLine{Path: path, Line: line}.text()]
}

func (s *reportSources) listings() []report.Block {
	sort.SliceStable(s.files, func(i, j int) bool { return natural(s.files[i].path, s.files[j].path) })
	var out []report.Block
	for _, f := range s.files {
		l, left := s.listing(f)
		if len(l.Lines) > 0 {
			out = append(out, l)
		}
		if left > 0 {
			out = append(out, report.Paragraph{Text: fmt.Sprintf("%s of %s that something is said of are not listed.", count(left, "more line"), f.path), Tone: report.Note})
		}
	}
	return out
}

// listing shows the lines that something is said of, with those around them, and counts those that it leaves out because there are too many.
func (s *reportSources) listing(f *reportFile) (l *report.Listing, left int) {
	l = &report.Listing{Path: f.path}
	for n := 1; n <= f.text.Text.Lines(); n++ {
		near := false
		for k := n - around; k <= n+around; k++ {
			near = near || f.lines[k] != nil
		}
		start, end, ok := f.text.Text.LineBounds(n - 1)
		if len(l.Lines) == reportRows && f.lines[n] != nil {
			left++
			delete(s.places, SourceLine{Path: f.path, Line: n}.text())
		}
		if !near || !ok || len(l.Lines) == reportRows {
			continue
		}
		line := report.Line{Number: n, Text: expand(string(f.text.Text.Text[start:end]))}
		if at := f.lines[n]; at != nil {
			line.ID, line.Share, line.Marks = f.id(n), at.share, at.marks
		}
		l.Lines = append(l.Lines, line)
	}
	return l, left
}
