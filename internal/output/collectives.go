package output

import (
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/units"
)

// TableOptions choose what a table of collectives shows.
type TableOptions struct {
	Format string // "text", "csv" or "markdown"
	By     string // "", "line", "parameter", "axis", "function" or "opcode"
	Sort   string // "", or the name of a column
	Top    int    // 0 shows all
	Style  Style
}

// unknown stands in tables for what is not known; it is never 0.
const unknown = "?"

// Collectives prints the collectives of modules as tables, one for each module; as CSV all are one table, whose first
// column names the module.
func Collectives(w io.Writer, modules []Module, opts TableOptions) error {
	if opts.Format == "csv" {
		return collectivesCSV(w, modules, opts)
	}
	for i := range modules {
		m := &modules[i]
		if i > 0 {
			fmt.Fprintln(w)
		}
		t := m.table(opts)
		if opts.Format == "markdown" {
			fmt.Fprintf(w, "### %s (%s)\n\n", m.Name, m.Stage)
			if err := t.WriteMarkdown(w); err != nil {
				return err
			}
			fmt.Fprintf(w, "\n%s\n", m.total())
			m.writeNotes(w, opts.Format)
			continue
		}
		fmt.Fprintf(w, "%s  %s\n", opts.Style.bold(m.Name), opts.Style.dim(m.heading()))
		if len(t.Rows) > 0 {
			if err := t.WriteText(w, opts.Style); err != nil {
				return err
			}
		}
		fmt.Fprintln(w, m.total())
		m.writeNotes(w, opts.Format)
	}
	return nil
}

// heading says which dump a table is of.
func (m *Module) heading() string {
	parts := []string{string(m.Stage)}
	if m.Devices > 0 {
		parts = append(parts, fmt.Sprintf("%d devices", m.Devices))
	}
	for _, mesh := range m.Meshes[:min(1, len(m.Meshes))] {
		parts = append(parts, "mesh "+MeshText(mesh))
	}
	return strings.Join(append(parts, m.Path), ", ")
}

// MeshText is a mesh as data=4 model=2.
func MeshText(m hlomap.Mesh) string {
	parts := make([]string, len(m.Axes))
	for i, a := range m.Axes {
		parts[i] = fmt.Sprintf("%s=%d", a.Name, a.Size)
	}
	return strings.Join(parts, " ")
}

func collectivesCSV(w io.Writer, modules []Module, opts TableOptions) error {
	all := Table{}
	for i := range modules {
		t := modules[i].table(opts)
		if all.Columns == nil {
			all.Columns = append([]Column{{Title: "module"}}, t.Columns...)
		}
		for _, r := range t.Rows {
			all.Rows = append(all.Rows, append([]string{modules[i].Name}, r...))
		}
	}
	return all.WriteCSV(w)
}

// total is the sum over a module's exchanges. An exchange that is not understood makes the sum a lower bound.
func (m *Module) total() string {
	n, sum, open := 0, int64(0), 0
	for i := range m.Collectives {
		c := &m.Collectives[i]
		if !c.Logical {
			continue
		}
		n++
		if c.BytesPerStep == nil || sum > math.MaxInt64-*c.BytesPerStep {
			open++
			continue
		}
		sum += *c.BytesPerStep
	}
	switch {
	case n == 0 && m.CutOff:
		return "No collectives in what is left of the module: the dump was cut off."
	case n == 0 && m.Unpartitioned:
		return "No collectives yet: the partitioner, which puts them in, has not run."
	case n == 0:
		return "No collectives: this module moves nothing between devices."
	}
	line := fmt.Sprintf("%s, %s a step and device", count(n, "collective"), units.Bytes(sum))
	if open > 0 {
		line = fmt.Sprintf("%s, at least %s a step and device; the size or number of executions of %d is unknown", count(n, "collective"), units.Bytes(sum), open)
	}
	if m.CutOff {
		line += ", in what is left of the module"
	}
	if m.Unpartitioned {
		line += ", without those that the partitioner will put in"
	}
	if m.Hardware != nil {
		switch cost, open := m.costOfKnown(m.Collectives); {
		case cost == nil:
		case open > 0:
			line += fmt.Sprintf("; at least %s on %s without overlap, the time of %d is unknown", cost.Text(), cost.Hardware, open)
		default:
			line += fmt.Sprintf("; about %s on %s without overlap", cost.Text(), cost.Hardware)
		}
	}
	return line + "."
}

// row is one line of a table together with what it can be sorted by.
type row struct {
	cells []string
	keys  map[string]int64 // numbers by column; absent means unknown
	order int              // place in the module
}

func (m *Module) table(opts TableOptions) *Table {
	columns, rows := m.detail()
	if opts.By != "" {
		columns, rows = m.grouped(opts.By)
	}
	sortRows(columns, rows, opts)
	if opts.Top > 0 && len(rows) > opts.Top {
		rows = rows[:opts.Top]
	}
	t := &Table{Columns: columns}
	for _, r := range rows {
		cells := r.cells
		if opts.Format == "csv" { // numbers for programs, not for people
			cells = r.plain(columns)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// plain writes numbers out in full and leaves unknown ones empty.
func (r *row) plain(columns []Column) []string {
	out := append([]string(nil), r.cells...)
	for i, c := range columns {
		if !c.Right {
			continue
		}
		out[i] = ""
		if n, ok := r.keys[c.Title]; ok {
			out[i] = strconv.FormatInt(n, 10)
		}
	}
	return out
}

// sortRows sorts by a column, numbers in descending order with unknown ones first, since they may be the largest; without
// a column by bytes a step.
func sortRows(columns []Column, rows []row, opts TableOptions) {
	key := opts.Sort
	if key == "" {
		key = "bytes/step"
	}
	at := -1
	for i, c := range columns {
		if c.Title == key || c.Title == "axis" && key == "axes" {
			at = i
		}
	}
	if at < 0 {
		return
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := &rows[i], &rows[j]
		if !columns[at].Right {
			if a.cells[at] != b.cells[at] {
				return natural(a.cells[at], b.cells[at])
			}
			return a.order < b.order
		}
		x, knownX := a.keys[key]
		y, knownY := b.keys[key]
		switch {
		case knownX != knownY:
			return !knownX
		case x != y:
			return x > y
		}
		return a.order < b.order
	})
}

// natural compares text with numbers in it as people do: train.py:9 before train.py:10.
func natural(a, b string) bool {
	for a != "" && b != "" {
		i, j := digits(a), digits(b)
		if i > 0 && j > 0 {
			x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
			if len(x) != len(y) {
				return len(x) < len(y)
			}
			if x != y {
				return x < y
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return a[0] < b[0]
		}
		a, b = a[1:], b[1:]
	}
	return len(a) < len(b)
}

func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// detail has one row for each exchange.
func (m *Module) detail() ([]Column, []row) {
	columns := []Column{
		{Title: "line"}, {Title: "collective"}, {Title: "opcode"}, {Title: "axes"}, {Title: "dtype"}, {Title: "shape"},
		{Title: "bytes", Right: true}, {Title: "executions", Right: true}, {Title: "bytes/step", Right: true}, {Title: "parameters"},
	}
	if m.Hardware != nil {
		columns = append(columns, Column{Title: "time/step", Right: true})
	}
	if m.Measured != nil {
		columns = append(columns, Column{Title: "measured", Right: true}, Column{Title: "events", Right: true})
	}
	var rows []row
	for i := range m.Collectives {
		c := &m.Collectives[i]
		if !c.Logical {
			continue
		}
		r := row{order: i, keys: map[string]int64{}}
		r.cells = []string{
			m.lineText(c), c.Name, opcodeText(c), directionText(c), dtypeText(c), shapeText(c),
			r.number("bytes", c.BytesPerExecution, units.Bytes), r.number("executions", c.Executions, decimal),
			r.number("bytes/step", c.BytesPerStep, units.Bytes), list(parametersOf(c), 3),
		}
		if m.Hardware != nil {
			r.cells = append(r.cells, r.number("time/step", m.nanoseconds(c), Seconds))
		}
		if m.Measured != nil {
			r.measured(m.Measured(c), c)
		}
		rows = append(rows, r)
	}
	return columns, rows
}

// measured adds the mean time of one execution on one device and the number of executions that were seen. Where the profile knows
// the exchange as another, which it was combined into, that is named.
func (r *row) measured(list []hlomap.Measurement, c *hlomap.Collective) {
	mean, events := int64(0), int64(0)
	var names []string
	for _, m := range list {
		mean += m.TotalPs / int64(m.Count) / 1000
		events += int64(m.Count)
		names = append(names, MeasuredName(m, c))
	}
	if len(list) == 0 {
		r.cells = append(r.cells, unknown, unknown)
		return
	}
	text := r.number("measured", &mean, Seconds)
	if where := strings.TrimSpace(strings.Join(names, " ")); where != "" {
		text += " " + where
	}
	r.cells = append(r.cells, text, r.number("events", &events, decimal))
}

// MeasuredName says which collective was measured, where it is another than c: "in all-reduce.36 with 17 others".
func MeasuredName(m hlomap.Measurement, c *hlomap.Collective) string {
	if m.Instruction == c.Name && m.Operands == len(c.Operands) {
		return ""
	}
	text := "in " + m.Instruction
	switch others := m.Operands - len(c.Operands); {
	case others == 1:
		text += " with 1 other"
	case others > 1:
		text += " with " + decimal(int64(others)) + " others"
	}
	return text
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// number remembers a number for sorting and prints it.
func (r *row) number(column string, n *int64, print func(int64) string) string {
	if n == nil {
		return unknown
	}
	r.keys[column] = *n
	return print(*n)
}

func (m *Module) lineText(c *hlomap.Collective) string {
	s := m.SourceOf(c)
	if !s.Known() {
		return unknown
	}
	return s.text()
}

func opcodeText(c *hlomap.Collective) string {
	if c.Async {
		return c.Opcode + " (async)"
	}
	return c.Opcode
}

// directionText names the axes of an exchange, and of a permute how far it moves data along its axis.
func directionText(c *hlomap.Collective) string {
	if c.Shift != nil {
		return c.Shift.String()
	}
	return axesText(c)
}

func axesText(c *hlomap.Collective) string {
	if c.Axes == nil {
		return unknown
	}
	if len(c.Axes) == 0 {
		return "none"
	}
	return strings.Join(c.Axes, ", ")
}

// moved are the arrays that stand for a collective, those that its bytes are of: its operands, of an all-gather and where the operands
// are not known its results.
func moved(c *hlomap.Collective) []hlomap.Array {
	if c.Opcode == "all-gather" && len(c.Results) > 0 {
		return c.Results
	}
	var out []hlomap.Array
	for i := range c.Operands {
		out = append(out, c.Operands[i].Array)
	}
	if len(out) == 0 {
		out = c.Results
	}
	return out
}

func dtypeText(c *hlomap.Collective) string {
	var names []string
	for _, a := range moved(c) {
		names = appendNew(names, a.DType)
	}
	if len(names) == 0 {
		return unknown
	}
	return strings.Join(names, ", ")
}

func shapeText(c *hlomap.Collective) string {
	arrays := moved(c)
	if len(arrays) == 0 {
		return unknown
	}
	text := ShapeText(arrays[0].Shape)
	if len(arrays) > 1 {
		text += fmt.Sprintf(" and %d more", len(arrays)-1)
	}
	return text
}

// ShapeText is a shape as [96,64].
func ShapeText(shape []int64) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func parametersOf(c *hlomap.Collective) []string {
	var names []string
	for i := range c.Operands {
		for _, p := range c.Operands[i].Parameters {
			names = appendNew(names, p)
		}
	}
	return names
}

func appendNew(names []string, name string) []string {
	for _, n := range names {
		if n == name {
			return names
		}
	}
	return append(names, name)
}
