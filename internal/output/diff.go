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
	Modules   []jsonCompared `json:"modules"`
}

// jsonCompared names the two dumps that were compared, null where one side has none.
type jsonCompared struct {
	Before *jsonComparedSide `json:"before"`
	After  *jsonComparedSide `json:"after"`
}

type jsonComparedSide struct {
	Name    string       `json:"name"`
	Path    string       `json:"path"`
	Stage   hlomap.Stage `json:"stage"`
	Devices *int         `json:"devices"`
	Meshes  []jsonMesh   `json:"meshes"`
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
	doc := diffDocument{Version: 1, Added: []jsonExchange{}, Removed: []jsonExchange{}, Changed: []jsonChange{}, Modules: []jsonCompared{}}
	doc.Totals.Before.BytesPerStep, doc.Totals.After.BytesPerStep = new(int64), new(int64)
	for i := range diffs {
		d := &diffs[i]
		doc.Modules = append(doc.Modules, jsonCompared{Before: d.Before.compared(), After: d.After.compared()})
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

func (m *Module) compared() *jsonComparedSide {
	if m == nil {
		return nil
	}
	j := &jsonComparedSide{Name: m.Name, Path: m.Path, Stage: m.Stage}
	if m.Devices > 0 {
		j.Devices = &m.Devices
	}
	for _, mesh := range m.Meshes {
		j.Meshes = append(j.Meshes, meshDocument(mesh))
	}
	return j
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
	d.printHeadings(w, format, style)
	t := d.table(style, format)
	var err error
	switch {
	case len(t.Rows) == 0 && d.unpartitioned() && d.Diff.Unchanged == 0:
		_, err = fmt.Fprintln(w, "Nothing to compare: the partitioner, which puts in the communication, has not run.")
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
	if _, err = fmt.Fprintln(w, d.totals()); err != nil {
		return err
	}
	d.writeNotes(w, format)
	return nil
}

// unpartitioned reports whether the partitioner has run on neither side.
func (d *ModuleDiff) unpartitioned() bool {
	return (d.Before == nil || d.Before.Unpartitioned) && (d.After == nil || d.After.Unpartitioned)
}

// printHeadings says of which stages, numbers of devices and meshes the two modules are, where they differ in them.
func (d *ModuleDiff) printHeadings(w io.Writer, format string, style Style) {
	if d.Before == nil || d.After == nil {
		return
	}
	withMesh := len(d.Before.Meshes) > 0 && len(d.After.Meshes) > 0 // that one dump names none is no difference
	before, after := d.Before.setting(withMesh), d.After.setting(withMesh)
	switch {
	case before == after:
	case format == "markdown":
		fmt.Fprintf(w, "Before: %s. After: %s.\n\n", markdownText(before), markdownText(after))
	default:
		fmt.Fprintf(w, "%s\n%s\n", style.dim("before: "+before), style.dim("after:  "+after))
	}
}

// setting is what a module was compiled for: its stage, how many devices and, if asked for, its mesh.
func (m *Module) setting(withMesh bool) string {
	parts := []string{string(m.Stage)}
	if m.Devices > 0 {
		parts = append(parts, count(m.Devices, "device"))
	}
	if withMesh {
		parts = append(parts, "mesh "+MeshText(m.Meshes[0]))
	}
	if m.CutOff {
		parts = append(parts, "cut off: what is missing of it may be the same")
	}
	return strings.Join(parts, ", ")
}

// writeNotes says what the two modules cannot tell, each once.
func (d *ModuleDiff) writeNotes(w io.Writer, format string) {
	first := d.Before
	if first == nil || first.Widened == "" {
		first = d.After
	}
	if first != nil {
		first.writeNotes(w, format)
	}
}

// table has one row for each family of exchanges that agree in everything but the numbers of layers in the names of their
// parameters; its bytes are those of all of them.
func (d *ModuleDiff) table(style Style, format string) *Table {
	t := &Table{Columns: []Column{
		{Title: "", Raw: true}, {Title: "line"}, {Title: "of"}, {Title: "count", Right: true}, {Title: "opcode"}, {Title: "axes"},
		{Title: "dtype"}, {Title: "executions", Right: true}, {Title: "bytes/step", Right: true}, {Title: "what"},
	}}
	paint := func(f func(string) string, s string) string {
		if format == "markdown" {
			return s
		}
		return f(s)
	}
	var families []*exchangeFamily
	index := map[exchangeFamily]*exchangeFamily{}
	add := func(mark string, m *Module, e *hlomap.Exchange, what string) {
		f := m.familyOf(e)
		f.mark, f.what = mark, what
		known := index[f]
		if known == nil {
			known = &exchangeFamily{}
			*known = f
			known.of, known.total = m.ofText(e), new(int64)
			index[f] = known
			families = append(families, known)
		} else {
			known.of = f.of
		}
		known.count++
		known.total = sum(known.total, e.BytesPerStep)
	}
	for i := range d.Diff.Removed {
		add(paint(style.red, "-"), d.Before, &d.Diff.Removed[i], "removed")
	}
	for i := range d.Diff.Added {
		add(paint(style.green, "+"), d.After, &d.Diff.Added[i], "added")
	}
	for i := range d.Diff.Changed {
		c := &d.Diff.Changed[i]
		add("~", d.After, &c.After, strings.Join(c.Words, "; "))
	}
	for _, f := range families {
		t.Rows = append(t.Rows, []string{
			f.mark, f.line, f.of, decimal(f.count), f.opcode, f.axes, f.dtype, f.executions, optionalText(f.total, units.Bytes), f.what,
		})
	}
	return t
}

// exchangeFamily is what the exchanges of one row agree in, and how many they are.
type exchangeFamily struct {
	mark, line, of, opcode, axes, dtype, executions, bytes, what string

	count int64
	total *int64 // bytes a step of all, nil when one is unknown
}

// familyOf is the family of an exchange, with * for the numbers of layers.
func (m *Module) familyOf(e *hlomap.Exchange) exchangeFamily {
	f := exchangeFamily{
		line: unknown, of: layerNumber.ReplaceAllString(m.ofText(e), "*$1"), opcode: e.Opcode, axes: directionText(e.Collective),
		dtype: orElse(e.OperandDType, unknown), executions: optionalText(e.Executions, decimal), bytes: optionalText(e.BytesPerStep, decimal),
	}
	if s := m.source(e.Frames); s.Known() {
		f.line = s.text()
	}
	return f
}

// ofText says what is exchanged: a parameter, its gradient or, where no parameter is known, the role.
func (m *Module) ofText(e *hlomap.Exchange) string {
	switch {
	case e.Parameter == "":
		return string(e.Role)
	case e.Role == hlomap.RoleGradient:
		return "gradient of " + e.Parameter
	}
	return e.Parameter
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
	return fmt.Sprintf("%s. Bytes a step and device: %s before, %s after%s.", line,
		optionalText(b.BytesPerStep, units.Bytes), optionalText(a.BytesPerStep, units.Bytes), increaseText(b.BytesPerStep, a.BytesPerStep))
}

// increaseText says by how much bytes went up or down, "" where they did not, or where either number is unknown.
func increaseText(before, after *int64) string {
	if before == nil || after == nil || *before == *after {
		return ""
	}
	sign, change := "+", *after-*before
	if change < 0 {
		sign, change = "-", -change
	}
	text := fmt.Sprintf(" (%s%s", sign, units.Bytes(change))
	if *before > 0 {
		text += fmt.Sprintf(", %+.1f %%", 100*float64(*after-*before)/float64(*before))
	}
	return text + ")"
}
