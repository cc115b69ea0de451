package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/units"
)

// Explanation is everything known of one line.
type Explanation struct {
	Report      *Report
	Path        string // absolute
	Line        int    // 1-based
	Stale       string // "no", "moved", "changed" or "unknown"
	Modules     []ExplainedModule
	Findings    []analyzers.Finding
	Meshes      []hlomap.Mesh
	Reductions  []ExplainedParameter
	LineText    string
	HasDump     bool
	Code        bool // the line is a part of a statement
	CostSeconds *Cost
	Below       []Below
}

// Below is what one module exchanges in what a line calls, and on the other lines of its statement.
type Below struct {
	Module       string
	Collectives  int
	BytesPerStep *int64 // nil when that of any is unknown
	Lines        []BelowLine
}

// BelowLine is a line that collectives stand on, 1-based.
type BelowLine struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// Add counts a collective.
func (b *Below) Add(c *hlomap.Collective) {
	if b.Collectives == 0 {
		b.BytesPerStep = new(int64)
	}
	b.Collectives++
	b.BytesPerStep = sum(b.BytesPerStep, c.BytesPerStep)
}

// AddLine adds the line of a collective.
func (b *Below) AddLine(path string, line int) {
	if l := (BelowLine{path, line}); !slices.Contains(b.Lines, l) {
		b.Lines = append(b.Lines, l)
	}
}

// shown are the lines as they are printed.
func (b *Below) shown(r *Report) []BelowLine {
	lines := slices.Clone(b.Lines)
	for i := range lines {
		lines[i].Path = r.display(lines[i].Path)
	}
	slices.SortFunc(lines, func(x, y BelowLine) int { return cmp.Or(strings.Compare(x.Path, y.Path), x.Line-y.Line) })
	return lines
}

// text says it for people.
func (b *Below) text(r *Report) string {
	lines := b.shown(r)
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = fmt.Sprintf("%s:%d", l.Path, l.Line)
	}
	bytes := "an unknown number of bytes"
	if b.BytesPerStep != nil {
		bytes = units.Bytes(*b.BytesPerStep)
	}
	return fmt.Sprintf("What it calls or contains has %s in %s, %s a step and device: %s.", count(b.Collectives, "collective"), b.Module, bytes, list(names, 8))
}

// ExplainedModule holds the collectives of one module that the line causes. Module.Collectives are those alone.
type ExplainedModule struct {
	Module Module
	Via    []string // for each collective: "own", "cause" or "caller"
}

// ExplainedParameter is a parameter whose gradient is reduced because of the line.
type ExplainedParameter struct {
	Module    string
	Parameter string
	Sentence  string
}

// edited reports whether the dumps are about another text of the line, so that nothing is known of it.
func (e *Explanation) edited() bool { return e.Stale == "changed" && len(e.Modules) == 0 }

// bytesPerStep is the sum over the collectives of the line, nil where one is unknown or no dump was read. Of several compilations of
// one function the one that moves most counts: a step runs one of them.
func (e *Explanation) bytesPerStep() *int64 {
	if !e.HasDump || e.edited() {
		return nil
	}
	most := map[string]int64{}
	for i := range e.Modules {
		m := &e.Modules[i].Module
		bytes := new(int64)
		for j := range m.Collectives {
			if c := &m.Collectives[j]; c.Logical {
				bytes = sum(bytes, c.BytesPerStep)
			}
		}
		if bytes == nil {
			return nil
		}
		most[m.Name] = max(most[m.Name], *bytes)
	}
	total := int64(0)
	for _, n := range most {
		total += n
	}
	return &total
}

// Explain prints what is known of a line for people.
func Explain(w io.Writer, e *Explanation, style Style) error {
	fmt.Fprintf(w, "%s  %s\n", style.bold(fmt.Sprintf("%s:%d", e.Report.display(e.Path), e.Line)), expand(strings.TrimSpace(e.LineText)))
	if !e.HasDump {
		fmt.Fprintln(w, "No HLO dump was read, so that nothing is known of its communication; --hlo names one.")
	}
	n := 0
	for i := range e.Modules {
		m := &e.Modules[i]
		n += len(m.Module.Collectives)
		fmt.Fprintf(w, "\n%s  %s\n", style.bold(m.Module.Name), style.dim(m.Module.heading()))
		columns, rows := m.Module.detail()
		t := Table{Columns: append(columns[1:len(columns):len(columns)], Column{Title: "why this line"})}
		for _, r := range rows {
			t.Rows = append(t.Rows, append(r.cells[1:len(r.cells):len(r.cells)], whyText(m.Via[r.order])))
		}
		if err := t.WriteText(w, style); err != nil {
			return err
		}
		fmt.Fprintln(w, m.Module.total())
	}
	switch {
	case e.edited():
		fmt.Fprintln(w, "The line was written or edited after the dump was made; what it causes is not known.")
	case e.HasDump && n == 0 && len(e.Below) > 0:
		fmt.Fprintln(w, "No collective in the dumps that were read names this line.")
	case e.HasDump && n == 0 && !e.Code:
		fmt.Fprintln(w, "No collective in the dumps that were read names this line, which holds no code.")
	case e.HasDump && n == 0:
		fmt.Fprintln(w, "No collective in the dumps that were read names this line. One that a constraint asks for may name the line that made its value.")
	}
	for i := range e.Below {
		fmt.Fprintln(w, Printable(e.Below[i].text(e.Report)))
	}
	for _, r := range e.Reductions {
		fmt.Fprintf(w, "\n%s  %s\n", style.bold(r.Parameter), Printable(r.Sentence))
	}
	if c := e.CostSeconds; c != nil {
		fmt.Fprintf(w, "\nAbout %s a step on %s (%s).\n", c.Text(), c.Hardware, c.basis())
	}
	if e.Stale == "moved" {
		fmt.Fprintln(w, "\nThe line has moved since the dump was made.")
	}
	if old := e.Report.Result.HLO.Stale[e.Path]; old != nil && len(e.Findings) == 0 && !e.edited() { // findings say it themselves
		fmt.Fprintf(w, "Note: %s: %s.\n", Printable(e.Report.display(old.Span.Path)), old.Message)
	}
	if len(e.Findings) > 0 {
		fmt.Fprintln(w)
		report := *e.Report
		result := *e.Report.Result
		result.Findings = e.Findings
		report.Result = &result
		return Full(w, &report, style)
	}
	return nil
}

func whyText(via string) string {
	switch via {
	case "own":
		return "it is lowered here"
	case "cause":
		return "what it reduces is made here"
	case "caller":
		return "it is called from here"
	}
	return via
}

type explainDocument struct {
	Version     int               `json:"version"`
	Path        string            `json:"path"`
	Line        int               `json:"line"`
	Stale       string            `json:"stale"`
	Collectives []json.RawMessage `json:"collectives"`
	Findings    []jsonFinding     `json:"findings"`
	Meshes      []jsonMesh        `json:"meshes"`
	Cost        explainCost       `json:"cost"`
	Below       []jsonBelow       `json:"below"`
}

// jsonBelow is what one module exchanges in what the line calls and on the other lines of its statement.
type jsonBelow struct {
	Module       string      `json:"module"`
	Collectives  int         `json:"collectives"`
	BytesPerStep *int64      `json:"bytesPerStep"`
	Lines        []BelowLine `json:"lines"`
}

type jsonMesh struct {
	Axes   []jsonAxis `json:"axes"`
	Source *string    `json:"source"`
}

type jsonAxis struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

type explainCost struct {
	BytesPerStep *int64 `json:"bytesPerStep"`
	Seconds      *Cost  `json:"seconds"`
}

// ExplainJSON prints the same as a document.
func ExplainJSON(w io.Writer, e *Explanation) error {
	doc := explainDocument{
		Version: 1, Path: e.Report.display(e.Path), Line: e.Line, Stale: e.Stale,
		Findings: e.Report.jsonFindings(e.Findings), Cost: explainCost{BytesPerStep: e.bytesPerStep(), Seconds: e.CostSeconds},
	}
	if e.HasDump && !e.edited() {
		doc.Collectives, doc.Meshes = []json.RawMessage{}, []jsonMesh{}
		doc.Below = []jsonBelow{}
	}
	for _, b := range e.Below {
		doc.Below = append(doc.Below, jsonBelow{Module: b.Module, Collectives: b.Collectives, BytesPerStep: b.BytesPerStep, Lines: b.shown(e.Report)})
	}
	for i := range e.Modules {
		m := &e.Modules[i].Module
		opts := CollectivesOptions{Source: m.Source, Collective: m.SourceOf, Measured: m.Measured}
		for j := range m.Collectives {
			doc.Collectives = append(doc.Collectives, AppendCollective(nil, &m.Collectives[j], m.Name, opts))
		}
	}
	for _, mesh := range e.Meshes {
		doc.Meshes = append(doc.Meshes, meshDocument(mesh))
	}
	return WriteJSON(w, doc)
}

func meshDocument(mesh hlomap.Mesh) jsonMesh {
	j := jsonMesh{Axes: []jsonAxis{}, Source: orNull(mesh.Source)}
	for _, a := range mesh.Axes {
		j.Axes = append(j.Axes, jsonAxis(a))
	}
	return j
}
