package output

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/units"
)

// shownNotes is how many related places of a finding are shown.
const shownNotes = 5

// shownLines is how many lines of a long span are shown before the rest is left out.
const shownLines = 5

// Full prints each finding with the source it points to, its notes, and its fixes.
func Full(w io.Writer, r *Report, style Style) error {
	b := bufio.NewWriter(w)
	p := &fullPrinter{Report: r, w: b, style: style}
	for i := range r.Result.Findings {
		p.finding(&r.Result.Findings[i])
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b, r.closing(style))
	return b.Flush()
}

type fullPrinter struct {
	*Report
	w      *bufio.Writer
	style  Style
	gutter int // width of the line numbers of the finding at hand
}

func (p *fullPrinter) finding(f *analyzers.Finding) {
	s := p.style
	likely := ""
	if f.Confidence == analyzers.Likely {
		likely = s.dim(" (likely)")
	}
	fmt.Fprintf(p.w, "%s %s %s%s\n", s.bold(p.location(f.Span.Path, f.Span.Start)),
		s.severity(f.Severity, f.Severity.String()+" "+f.Code), s.dim(f.Name), likely)
	fmt.Fprintf(p.w, "  %s\n", Printable(f.Message))
	p.gutter = 1
	p.excerpt(f)
	for i := range f.Related {
		if i == shownNotes && len(f.Related) > shownNotes+1 {
			p.aside("note", fmt.Sprintf("and %d more places like these", len(f.Related)-i))
			break
		}
		p.note(&f.Related[i])
	}
	p.hlo(f)
	for i := range f.Fixes {
		p.fix(&f.Fixes[i], i == 0)
	}
}

// excerpt shows the lines of a span with one line around it, and marks the span.
func (p *fullPrinter) excerpt(f *analyzers.Finding) {
	src := p.source(f.Span.Path)
	if src == nil || src.Text == nil || len(src.Text.Text) == 0 {
		return
	}
	m := src.Text
	first, last := m.Line(f.Span.Start), m.Line(max(f.Span.Start, f.Span.End-1))
	from, to := max(first-1, 0), min(last+1, m.Lines()-1)
	p.gutter = len(fmt.Sprint(p.lineNumber(src, to)))
	for line := from; line <= to; line++ {
		start, end, ok := m.LineBounds(line)
		if !ok {
			break
		}
		if line != first && line != last && (line < first || line > last) && strings.TrimSpace(string(m.Text[start:end])) == "" {
			continue // a blank line gives no context
		}
		if line == first+shownLines-1 && last-line > 1 {
			fmt.Fprintf(p.w, " %s %s\n", strings.Repeat(" ", p.gutter), p.style.blue("⋮"))
			line = last
			start, end, _ = m.LineBounds(line)
		}
		p.sourceLine(fmt.Sprint(p.lineNumber(src, line)), expand(string(m.Text[start:end])))
		if line >= first && line <= last {
			p.marks(f.Severity, m.Text[start:end], f.Span.Start-start, f.Span.End-start)
		}
	}
}

// lineNumber is the 1-based line as printed: within its cell in a notebook.
func (p *fullPrinter) lineNumber(src *Source, line int) int {
	if src.Cell != nil {
		if start, _, ok := src.Text.LineBounds(line); ok {
			if _, n, ok := src.Cell(start); ok {
				return n
			}
		}
	}
	return line + 1
}

func (p *fullPrinter) sourceLine(number, text string) {
	pad := strings.Repeat(" ", max(0, p.gutter-len(number)))
	fmt.Fprintf(p.w, " %s%s %s", pad, p.style.blue(number), p.style.blue("│"))
	if text != "" {
		fmt.Fprintf(p.w, " %s", text)
	}
	fmt.Fprintln(p.w)
}

// marks underlines the part of a line that lies in [from, to), without its indentation.
func (p *fullPrinter) marks(severity analyzers.Severity, line []byte, from, to int) {
	from, to = max(from, 0), min(to, len(line))
	for from < to && (line[from] == ' ' || line[from] == '\t') {
		from++
	}
	from = min(from, len(line))
	lead := width(string(line[:from]), 0)
	length := 1
	if to > from {
		length = max(1, width(string(line[from:to]), lead))
	}
	fmt.Fprintf(p.w, " %s %s %s%s\n", strings.Repeat(" ", p.gutter), p.style.blue("│"),
		strings.Repeat(" ", lead), p.style.severity(severity, strings.Repeat("^", length)))
}

func (p *fullPrinter) aside(label, text string) {
	fmt.Fprintf(p.w, " %s %s %s %s\n", strings.Repeat(" ", p.gutter), p.style.blue("="), p.style.bold(label+":"), Printable(text))
}

func (p *fullPrinter) note(n *analyzers.Related) {
	at := p.display(n.Span.Path)
	switch {
	case n.Line > 0:
		at = fmt.Sprintf("%s:%d", at, n.Line)
	case n.Span.End > 0 && p.source(n.Span.Path) != nil:
		at = p.location(n.Span.Path, n.Span.Start)
	}
	if n.Span.Path == "" {
		p.aside("note", n.Message)
		return
	}
	p.aside("note", at+": "+n.Message)
}

func (p *fullPrinter) hlo(f *analyzers.Finding) {
	h := f.HLO
	if h == nil {
		return
	}
	var parts []string
	if len(h.Collectives) > 0 {
		parts = append(parts, list(h.Collectives, 4))
	}
	if len(h.Axes) > 0 {
		parts = append(parts, "over "+list(h.Axes, 4))
	}
	if h.Executions != nil {
		parts = append(parts, times(*h.Executions))
	}
	if h.BytesPerStep != nil {
		parts = append(parts, units.Bytes(*h.BytesPerStep)+" a step")
	}
	text := HLOSource(h)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	p.aside("hlo", text+p.age(f))
}

// age says how old the dump behind a finding is: "; dump written 3 days ago, before the last change of train.py". It is empty
// where that is not known.
func (p *fullPrinter) age(f *analyzers.Finding) string {
	if f.HLO.Written.IsZero() || p.Now.IsZero() {
		return ""
	}
	text := "; dump written " + driver.SinceText(p.Now.Sub(f.HLO.Written)) + " ago"
	if f.HLO.Older {
		text += ", before the last change of " + path.Base(filepath.ToSlash(f.Span.Path))
	}
	return text
}

// HLOSource names the module that a finding rests on, with its stage and backend, and says where lines have moved since:
// "jit_step after optimizations on CPU".
func HLOSource(h *analyzers.HLOFacts) string {
	text := h.Module
	if h.Stage != "" && h.Stage != "unknown" {
		text += " " + strings.ReplaceAll(h.Stage, "-", " ")
	}
	if h.Backend != "" {
		text += " on " + strings.ToUpper(h.Backend)
	}
	if h.Stale == "moved" {
		text += ", from before this line was moved"
	}
	return text
}

func times(n int64) string {
	if n == 1 {
		return "once a step"
	}
	return fmt.Sprintf("%d times a step", n)
}

func list(names []string, most int) string {
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func (p *fullPrinter) fix(f *analyzers.Fix, preview bool) {
	label := "fix"
	if f.Safety == analyzers.Unsafe {
		label = "unsafe fix"
	}
	p.aside(label, f.Title)
	if preview {
		p.preview(f)
	}
}
