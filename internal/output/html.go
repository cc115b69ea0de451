package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/report"
)

const (
	// reportBars is how many amounts are compared at most.
	reportBars = 15
	// reportRows is how many rows a table of a report has at most: a browser shows no more than a few thousand well.
	reportRows = 2000
	// openRows is how many rows a table of a report may have without being folded up.
	openRows = 40
)

// HTML prints findings and modules as one page that stands alone, with the source lines that they are about.
func HTML(w io.Writer, r *Report, modules []Module) error {
	var names []string
	for i := range modules {
		names = appendNew(names, modules[i].Name)
	}
	page := &report.Page{Title: "Sharding of " + list(names, 3), Lead: []string{strings.TrimSpace("Made by shardls "+r.Version) + "."}}
	s := newReportSources(r, modules)
	listings := s.listings() // first, because links lead only to lines that are listed
	page.Sections = append(page.Sections, s.findings())
	for i := range modules {
		page.Sections = append(page.Sections, s.module(i))
	}
	if len(listings) > 0 {
		page.Sections = append(page.Sections, report.Section{ID: "source", Title: "Source", Blocks: listings})
	}
	return report.Write(w, page)
}

// findings is the section of what the rules say.
func (s *reportSources) findings() report.Section {
	r := s.r
	section := report.Section{ID: "findings", Title: "Findings"}
	found := r.Result.Findings
	section.Blocks = append(section.Blocks, report.Paragraph{Text: r.closing(Style{})})
	if len(found) == 0 {
		return section
	}
	t := &report.Table{Columns: []report.Column{{Title: "severity"}, {Title: "code"}, {Title: "line"}, {Title: "message"}}}
	for i := range found[:min(len(found), reportRows)] {
		f := &found[i]
		place := report.Text{Text: r.location(f.Span.Path, f.Span.Start), Link: s.link(r.display(f.Span.Path), r.point(f.Span.Path, f.Span.Start).Line)}
		t.Rows = append(t.Rows, []report.Text{
			{Text: f.Severity.String(), Tone: toneOf(f.Severity)}, {Text: f.Code, Link: r.URL(f.Code)}, place, {Text: Printable(f.Message)},
		})
	}
	section.Blocks = append(section.Blocks, t)
	section.Blocks = append(section.Blocks, cut(len(found), "finding")...)
	return section
}

// cut says that a table does not show all there is, and nothing where it does.
func cut(n int, noun string) []report.Block {
	if n <= reportRows {
		return nil
	}
	return []report.Block{report.Paragraph{Text: fmt.Sprintf("The first %d of %s are shown.", reportRows, count(n, noun)), Tone: report.Note}}
}

func toneOf(s analyzers.Severity) report.Tone {
	switch s {
	case analyzers.Error:
		return report.Error
	case analyzers.Warning:
		return report.Warning
	}
	return report.Note
}

// module is the section of one module.
func (s *reportSources) module(i int) report.Section {
	m := &s.modules[i]
	section := report.Section{ID: fmt.Sprintf("module-%d", i+1), Title: s.titleOf(i)}
	add := func(blocks ...report.Block) { section.Blocks = append(section.Blocks, blocks...) }
	add(report.Paragraph{Text: m.heading()}, report.Paragraph{Text: m.total()})
	if m.Widened != "" {
		add(report.Paragraph{Text: m.Widened + ".", Tone: report.Warning})
	}
	if c, _ := m.costOfKnown(m.Collectives); c != nil {
		add(report.Paragraph{Text: fmt.Sprintf("Times are estimates for %s (%s).", c.Hardware, c.basis())})
	}
	add(report.Heading("Gradients"))
	add(s.gradients(m)...)
	if len(m.Collectives) == 0 {
		return section
	}
	add(report.Heading("Communication"))
	for _, by := range [...]string{"line", "axis", "opcode", "parameter"} {
		add(s.bars(m, by))
	}
	add(s.collectives(m)...)
	return section
}

// titleOf is the name of a module, with a number where several are named so.
func (s *reportSources) titleOf(i int) string {
	earlier, all := 0, 0
	for k := range s.modules {
		if s.modules[k].Name == s.modules[i].Name {
			all++
			if k <= i {
				earlier++
			}
		}
	}
	if all == 1 {
		return s.modules[i].Name
	}
	return fmt.Sprintf("%s, %d of %d", s.modules[i].Name, earlier, all)
}

func (s *reportSources) gradients(m *Module) []report.Block {
	g := m.Gradients
	if g == nil || len(g.Parameters) == 0 {
		return []report.Block{report.Paragraph{Text: m.noGradients()}}
	}
	var out []report.Block
	for _, line := range m.gradientSummary() {
		out = append(out, report.Paragraph{Text: line})
	}
	for _, reason := range m.gradientReasons() {
		tone := report.Plain
		if reason.rank <= rankDuplicate {
			tone = report.Error
		}
		out = append(out, report.Paragraph{Strong: list(reason.names, 4), Text: Printable(reason.text), Tone: tone})
	}
	t := m.gradientTable()
	return append(append(out, plainTable("Gradients of all parameters", t)), cut(len(t.Rows), "row")...)
}

// plainTable is a table of text.
func plainTable(caption string, t *Table) *report.Table {
	out := &report.Table{Caption: caption, Fold: len(t.Rows) > openRows}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, report.Column{Title: c.Title, Right: c.Right})
	}
	for _, row := range t.Rows[:min(len(t.Rows), reportRows)] {
		cells := make([]report.Text, len(row))
		for k, cell := range row {
			cells[k].Text = Printable(cell)
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// bars compares what is moved, or where hardware is named how long that takes, by what the exchanges have in common.
func (s *reportSources) bars(m *Module, by string) *report.Bars {
	key, what := "bytes/step", "Bytes a step and device"
	if m.Hardware != nil {
		key, what = "time/step", "Estimated time a step"
	}
	columns, rows := m.grouped(by)
	sortRows(columns, rows, TableOptions{Sort: key})
	b := &report.Bars{Caption: what + " by " + by}
	if len(rows) > reportBars {
		b.Caption += fmt.Sprintf(", the largest %d of %d", reportBars, len(rows))
		rows = rows[:reportBars]
	}
	if by == "parameter" {
		b.Caption += "; what several parameters share counts for each"
	}
	at := 0
	for k, c := range columns {
		if c.Title == key {
			at = k
		}
	}
	for _, row := range rows {
		bar := report.Bar{Label: report.Text{Text: Printable(row.cells[0])}, Text: row.cells[at]}
		if by == "line" {
			bar.Label.Link = s.places[row.cells[0]]
		}
		if n, known := row.keys[key]; known {
			amount := float64(n)
			bar.Amount = &amount
		}
		b.Bars = append(b.Bars, bar)
	}
	return b
}

// collectives is the table of all exchanges, those that move most first.
func (s *reportSources) collectives(m *Module) []report.Block {
	t := m.table(TableOptions{})
	out := plainTable("All "+count(len(t.Rows), "collective"), t)
	out.Fold = true
	for k := range out.Rows {
		out.Rows[k][0].Link = s.places[out.Rows[k][0].Text]
	}
	return append([]report.Block{out}, cut(len(t.Rows), "collective")...)
}
