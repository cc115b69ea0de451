package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/units"
)

// ModuleDiff is what differs between two modules. Before or After is nil where the module is only on one side.
type ModuleDiff struct {
	Name          string
	Before, After *Module
	Diff          *hlomap.Diff
}

type diffDocument struct {
	Version   int            `json:"version"`
	Added     []jsonExchange `json:"added"`
	Removed   []jsonExchange `json:"removed"`
	Changed   []jsonChange   `json:"changed"`
	Unchanged int            `json:"unchanged"`
	Totals    jsonDiffTotals `json:"totals"`
	Aligned   *string        `json:"aligned"`
}

type jsonDiffTotals struct {
	Before jsonDiffTotal `json:"before"`
	After  jsonDiffTotal `json:"after"`
}

type jsonDiffTotal struct {
	BytesPerStep *int64 `json:"bytesPerStep"`
	Collectives  int    `json:"collectives"`
}

type jsonExchange struct {
	Module       string         `json:"module"`
	Collective   string         `json:"collective"`
	Operand      int            `json:"operand"`
	Opcode       string         `json:"opcode"`
	Parameter    *string        `json:"parameter"`
	Role         hlomap.Role    `json:"role"`
	OperandDType *string        `json:"operandDtype"`
	ResultDType  *string        `json:"resultDtype"`
	ReducerDType *string        `json:"reducerDtype"`
	Axes         []string       `json:"axes"`
	GroupSize    *int           `json:"groupSize"`
	Bytes        *int64         `json:"bytes"`
	Executions   *int64         `json:"executions"`
	BytesPerStep *int64         `json:"bytesPerStep"`
	InLoop       bool           `json:"inLoop"`
	Combined     bool           `json:"combined"`
	Source       jsonSourceLine `json:"source"`
}

type jsonChange struct {
	Before jsonExchange `json:"before"`
	After  jsonExchange `json:"after"`
	What   []string     `json:"what"`
	Words  []string     `json:"words"`
}

// DiffJSON prints the differences of all modules as one document.
func DiffJSON(w io.Writer, diffs []ModuleDiff) error {
	doc := diffDocument{Version: 1, Added: []jsonExchange{}, Removed: []jsonExchange{}, Changed: []jsonChange{}}
	doc.Totals.Before.BytesPerStep, doc.Totals.After.BytesPerStep = new(int64), new(int64)
	for i := range diffs {
		d := &diffs[i]
		for j := range d.Diff.Added {
			doc.Added = append(doc.Added, d.After.exchange(&d.Diff.Added[j]))
		}
		for j := range d.Diff.Removed {
			doc.Removed = append(doc.Removed, d.Before.exchange(&d.Diff.Removed[j]))
		}
		for j := range d.Diff.Changed {
			c := &d.Diff.Changed[j]
			doc.Changed = append(doc.Changed, jsonChange{
				Before: d.Before.exchange(&c.Before), After: d.After.exchange(&c.After), What: c.What, Words: c.Words,
			})
		}
		doc.Unchanged += d.Diff.Unchanged
		if d.Before != nil {
			doc.Totals.Before.add(d.Diff.Before)
		}
		if d.After != nil {
			doc.Totals.After.add(d.Diff.After)
		}
		if doc.Aligned == nil {
			doc.Aligned = orNull(d.Diff.Aligned)
		}
	}
	return WriteJSON(w, doc)
}

func (t *jsonDiffTotal) add(more hlomap.DiffTotals) {
	t.Collectives += more.Collectives
	t.BytesPerStep = sum(t.BytesPerStep, more.BytesPerStep)
}

func (m *Module) exchange(e *hlomap.Exchange) jsonExchange {
	j := jsonExchange{
		Module: m.Name, Collective: e.Collective.Name, Operand: e.Operand, Opcode: e.Opcode, Parameter: orNull(e.Parameter),
		Role: e.Role, OperandDType: orNull(e.OperandDType), ResultDType: orNull(e.ResultDType), ReducerDType: orNull(e.ReducerDType),
		Axes: e.Axes, Executions: e.Executions, BytesPerStep: e.BytesPerStep, InLoop: e.InLoop, Combined: e.Combined,
		Source: sourceDocument(m.source(e.Frames)),
	}
	if j.Role == "" {
		j.Role = hlomap.RoleUnknown
	}
	if e.GroupSize > 0 {
		j.GroupSize = &e.GroupSize
	}
	if e.Bytes >= 0 {
		j.Bytes = &e.Bytes
	}
	return j
}

// Diff prints the differences for people, as text or Markdown.
func Diff(w io.Writer, diffs []ModuleDiff, format string, style Style) error {
	for i := range diffs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := diffs[i].print(w, format, style); err != nil {
			return err
		}
	}
	return nil
}

func (d *ModuleDiff) print(w io.Writer, format string, style Style) error {
	title := d.Name
	switch {
	case d.Before == nil:
		title += "  only in the second"
	case d.After == nil:
		title += "  only in the first"
	case d.Before.Name != d.After.Name:
		title = d.Before.Name + " and " + d.After.Name
	}
	if format == "markdown" {
		fmt.Fprintf(w, "### %s\n\n", title)
	} else {
		fmt.Fprintln(w, style.bold(title))
	}
	t := d.table(style, format)
	var err error
	switch {
	case len(t.Rows) == 0:
		_, err = fmt.Fprintln(w, "The same communication.")
	case format == "markdown":
		err = t.WriteMarkdown(w)
	default:
		err = t.WriteText(w, style)
	}
	if err != nil {
		return err
	}
	if format == "markdown" {
		fmt.Fprintln(w)
	}
	_, err = fmt.Fprintln(w, d.totals())
	return err
}

func (d *ModuleDiff) table(style Style, format string) *Table {
	t := &Table{Columns: []Column{
		{Title: "", Raw: true}, {Title: "line"}, {Title: "of"}, {Title: "opcode"}, {Title: "axes"}, {Title: "dtype"},
		{Title: "executions", Right: true}, {Title: "bytes/step", Right: true}, {Title: "what"},
	}}
	paint := func(f func(string) string, s string) string {
		if format == "markdown" {
			return s
		}
		return f(s)
	}
	for i := range d.Diff.Removed {
		t.Rows = append(t.Rows, append([]string{paint(style.red, "-")}, d.Before.exchangeRow(&d.Diff.Removed[i], "removed")...))
	}
	for i := range d.Diff.Added {
		t.Rows = append(t.Rows, append([]string{paint(style.green, "+")}, d.After.exchangeRow(&d.Diff.Added[i], "added")...))
	}
	for i := range d.Diff.Changed {
		c := &d.Diff.Changed[i]
		t.Rows = append(t.Rows, append([]string{"~"}, d.After.exchangeRow(&c.After, strings.Join(c.Words, "; "))...))
	}
	return t
}

func (m *Module) exchangeRow(e *hlomap.Exchange, what string) []string {
	line := unknown
	if s := m.source(e.Frames); s.Known() {
		line = fmt.Sprintf("%s:%d", s.Path, s.Line)
	}
	of := e.Parameter
	if of == "" {
		of = string(e.Role)
	} else if e.Role == hlomap.RoleGradient {
		of = "gradient of " + of
	}
	axes := unknown
	if e.Axes != nil {
		axes = strings.Join(e.Axes, ", ")
	}
	return []string{
		line, of, e.Opcode, axes, orElse(e.OperandDType, unknown), optionalText(e.Executions, decimal), optionalText(e.BytesPerStep, units.Bytes), what,
	}
}

func optionalText(n *int64, print func(int64) string) string {
	if n == nil {
		return unknown
	}
	return print(*n)
}

func (d *ModuleDiff) totals() string {
	b, a := d.Diff.Before, d.Diff.After
	if d.Before == nil {
		b.BytesPerStep = new(int64)
	}
	if d.After == nil {
		a.BytesPerStep = new(int64)
	}
	line := fmt.Sprintf("%d added, %d removed, %d changed, %d unchanged", len(d.Diff.Added), len(d.Diff.Removed), len(d.Diff.Changed), d.Diff.Unchanged)
	if d.Diff.Aligned != "" {
		line += ", aligned " + d.Diff.Aligned
	}
	return fmt.Sprintf("%s. Bytes a step and device: %s before, %s after.", line, optionalText(b.BytesPerStep, units.Bytes), optionalText(a.BytesPerStep, units.Bytes))
}
