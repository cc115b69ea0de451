package output

import (
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"

	"github.com/shardls/shardls/hlomap"
)

// Gradients prints which parameters' gradients are reduced, in which dtype and over which axes, and why others are not.
func Gradients(w io.Writer, modules []Module, format string, style Style) error {
	if format == "csv" {
		return gradientsCSV(w, modules)
	}
	for i := range modules {
		m := &modules[i]
		if i > 0 {
			fmt.Fprintln(w)
		}
		if format == "markdown" {
			fmt.Fprintf(w, "### %s (%s)\n\n", m.Name, m.Stage)
		} else {
			fmt.Fprintf(w, "%s  %s\n", style.bold(m.Name), style.dim(m.heading()))
		}
		if err := m.printGradients(w, format, style); err != nil {
			return err
		}
	}
	return nil
}

func (m *Module) printGradients(w io.Writer, format string, style Style) error {
	if m.Gradients == nil || len(m.Gradients.Parameters) == 0 {
		_, err := fmt.Fprintln(w, m.noGradients())
		return err
	}
	for _, line := range m.gradientSummary() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	t := m.gradientTable()
	var err error
	if format == "markdown" {
		err = t.WriteMarkdown(w)
	} else {
		err = t.WriteText(w, style)
	}
	if err != nil {
		return err
	}
	m.writeNotes(w, format)
	for k, r := range m.gradientReasons() {
		if k == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s  %s\n", style.bold(list(r.names, 4)), Printable(r.text))
	}
	return nil
}

// noGradients says why a module has none.
func (m *Module) noGradients() string {
	reason := "this module trains nothing"
	if m.Gradients != nil && m.Gradients.Reason != "" {
		reason = m.Gradients.Reason
	}
	return fmt.Sprintf("No gradients: %s.", strings.TrimSuffix(reason, "."))
}

// behaviour is what happens to a parameter's gradient, in words; parameters with the same behaviour share a row.
type behaviour struct {
	status, dtype, axes, times, where string
}

func (m *Module) behaviour(p *hlomap.ParameterGradient) behaviour {
	b := behaviour{status: string(p.Status)}
	if p.Duplicate {
		b.status += ", duplicate"
	}
	var dtypes, axes, where []string
	times := new(int64)
	for i := range p.Reductions {
		r := &p.Reductions[i]
		dtypes = appendNew(dtypes, orElse(r.OperandDType, unknown))
		if r.Axes == nil {
			axes = appendNew(axes, unknown)
		}
		for _, a := range r.Axes {
			axes = appendNew(axes, a)
		}
		times = sum(times, r.Executions)
		where = appendNew(where, m.reductionLine(r))
	}
	if len(p.Reductions) == 0 {
		return b
	}
	b.dtype, b.axes, b.where = strings.Join(dtypes, ", "), strings.Join(axes, ", "), list(where, 2)
	b.times = unknown
	if times != nil {
		b.times = decimal(*times)
	}
	return b
}

// reductionLine is the line that a person is sent to: that of the cause, else that of the reduction.
func (m *Module) reductionLine(r *hlomap.Reduction) string {
	if r.Cause != nil {
		if s := m.source(r.Cause.Frames); s.Known() {
			return s.text()
		}
	}
	// A combined reduction has the line of its first operand.
	if s := m.source(r.Frames); s.Known() && r.Operand == 0 {
		return s.text()
	}
	return unknown
}

// cutOffGradients is what a dump that was cut off leaves open.
const cutOffGradients = "The dump was cut off: parameters and reductions in what is missing are not among these"

// gradientSummary says it in a line or two: "17 of 18 parameters reduced in bf16 over data; 1 in f32".
func (m *Module) gradientSummary() []string {
	var order []string
	counts := map[string]int{}
	for i := range m.Gradients.Parameters {
		p := &m.Gradients.Parameters[i]
		b := m.behaviour(p)
		key := b.status
		if b.dtype != "" {
			key = fmt.Sprintf("%s in %s over %s", b.status, b.dtype, b.axes)
		}
		if counts[key] == 0 {
			order = append(order, key)
		}
		counts[key]++
	}
	sort.SliceStable(order, func(i, j int) bool { return counts[order[i]] > counts[order[j]] })
	parts := make([]string, len(order))
	for i, key := range order {
		if i == 0 {
			parts[i] = fmt.Sprintf("%d of %d parameters %s", counts[key], len(m.Gradients.Parameters), key)
			continue
		}
		parts[i] = fmt.Sprintf("%d %s", counts[key], key)
	}
	t := m.gradientsDocument().Totals
	line := count(t.Parameters, "parameter")
	if t.Elements != nil {
		line += fmt.Sprintf(", %s elements", thousands(*t.Elements))
	}
	lines := []string{strings.Join(parts, "; ") + ".", line + "."}
	if m.CutOff {
		lines = append(lines, cutOffGradients+".")
	}
	if r := t.ReducedElements; r.PerStep != nil && *r.PerStep != *r.Once {
		lines = append(lines, fmt.Sprintf("A device reduces %s elements of gradients a step; each reduction counted once, whatever its loop, they are %s.",
			thousands(*r.PerStep), thousands(*r.Once)))
	}
	if m.Measured != nil {
		lines = append(lines, m.measuredReductions())
	}
	return lines
}

// measuredReductions says how long the reductions of gradients take in a step, each instruction that was measured counted once.
func (m *Module) measuredReductions() string {
	seen := map[string]bool{}
	seconds, missing := 0.0, 0
	for i := range m.Gradients.Parameters {
		for _, r := range m.Gradients.Parameters[i].Reductions {
			list := m.measurementsOf(r.Collective)
			if len(list) == 0 || r.Executions == nil {
				missing++
				continue
			}
			for _, measured := range list {
				if !seen[measured.Instruction] {
					seen[measured.Instruction] = true
					seconds += measured.MeanSeconds() * float64(*r.Executions)
				}
			}
		}
	}
	if len(seen) == 0 {
		return "The profile has no time of their reductions."
	}
	line := fmt.Sprintf("Their reductions were measured at %s a step and device, in %s", Seconds(int64(seconds*1e9)), count(len(seen), "collective"))
	if missing > 0 {
		line += fmt.Sprintf("; of %s the profile has no time", count(missing, "reduction"))
	}
	return line + "."
}

// thousands writes a number with thin groups: 124,439,808.
func thousands(n int64) string {
	s := decimal(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// number in a path or name that counts layers: ['layers'][3], ['block_3'].
var layerNumber = regexp.MustCompile(`\d+(['"]?\])`)

// instructionName finds names of instructions, in which alone the reasons of like parameters differ.
var instructionName = regexp.MustCompile(`[\w-]+\.\d+`)

// gradientTable has one row for each family of parameters that only differ in a layer's number and behave alike; what is
// wrong comes first, then the order of the tree.
func (m *Module) gradientTable() *Table {
	type family struct {
		name     string
		shape    string
		sharding string
		n        int
		b        behaviour
		rank     int
	}
	var families []*family
	index := map[string]*family{}
	for i := range m.Gradients.Parameters {
		p := &m.Gradients.Parameters[i]
		f := family{
			name: layerNumber.ReplaceAllString(p.Parameter, "*$1"), shape: p.DType + wholeShapeText(p),
			sharding: orElse(p.Sharding, unknown), b: m.behaviour(p), rank: rankOf(p),
		}
		key := fmt.Sprint(f)
		if index[key] == nil {
			index[key] = &f
			families = append(families, &f)
		}
		index[key].n++
		if index[key].n == 1 {
			index[key].name = p.Parameter
		} else {
			index[key].name = f.name
		}
	}
	sort.SliceStable(families, func(i, j int) bool { return families[i].rank < families[j].rank })
	t := &Table{Columns: []Column{
		{Title: "parameter"}, {Title: "count", Right: true}, {Title: "array"}, {Title: "sharding"}, {Title: "gradient"},
		{Title: "dtype"}, {Title: "axes"}, {Title: "times", Right: true}, {Title: "line"},
	}}
	for _, f := range families {
		t.Rows = append(t.Rows, []string{
			f.name, decimal(int64(f.n)), f.shape, f.sharding, f.b.status, f.b.dtype, f.b.axes, f.b.times, f.b.where,
		})
	}
	return t
}

// wholeShapeText is the shape of a parameter, or of the part that one device holds where that is all that is known.
func wholeShapeText(p *hlomap.ParameterGradient) string {
	if p.Shape == nil {
		return ShapeText(p.DeviceShape) + " on each device"
	}
	return ShapeText(p.Shape)
}

// The ranks of what happens to gradients: what is wrong comes before what is right.
const (
	rankMissing = iota
	rankDuplicate
	rankUnknown
	rankRight
)

func rankOf(p *hlomap.ParameterGradient) int {
	switch {
	case p.Status == hlomap.StatusMissing:
		return rankMissing
	case p.Duplicate:
		return rankDuplicate
	case p.Status == hlomap.StatusUnknown:
		return rankUnknown
	}
	return rankRight
}

// gradientReason is why the gradients of some parameters are not simply reduced.
type gradientReason struct {
	text  string
	names []string // of the parameters
	rank  int
}

// gradientReasons says for every parameter that is not simply reduced why, each reason once, what is wrong first.
func (m *Module) gradientReasons() []*gradientReason {
	var reasons []*gradientReason
	index := map[string]*gradientReason{}
	for i := range m.Gradients.Parameters {
		p := &m.Gradients.Parameters[i]
		if p.Reason == "" || p.Status == hlomap.StatusReduced && !p.Duplicate && !p.Intermittent {
			continue
		}
		status := string(p.Status)
		if p.Duplicate {
			status += ", duplicate"
		}
		text := status + ": " + p.Reason
		key := instructionName.ReplaceAllString(text, "*")
		if index[key] == nil {
			index[key] = &gradientReason{text: text, rank: rankOf(p)}
			reasons = append(reasons, index[key])
		}
		index[key].names = append(index[key].names, p.Parameter)
	}
	sort.SliceStable(reasons, func(i, j int) bool { return reasons[i].rank < reasons[j].rank })
	return reasons
}

// gradientsCSV has one row for each parameter.
func gradientsCSV(w io.Writer, modules []Module) error {
	t := Table{Columns: []Column{
		{Title: "module"}, {Title: "parameter"}, {Title: "dtype"}, {Title: "shape"}, {Title: "sharding"}, {Title: "status"},
		{Title: "low precision"}, {Title: "duplicate"}, {Title: "reduced in"}, {Title: "axes"}, {Title: "times"}, {Title: "line"},
		{Title: "reason"},
	}}
	for i := range modules {
		m := &modules[i]
		if m.Gradients == nil {
			continue
		}
		for j := range m.Gradients.Parameters {
			p := &m.Gradients.Parameters[j]
			b := m.behaviour(p)
			t.Rows = append(t.Rows, []string{
				m.Name, p.Parameter, p.DType, wholeShapeText(p), p.Sharding, string(p.Status), fmt.Sprint(p.LowPrecision),
				fmt.Sprint(p.Duplicate), b.dtype, b.axes, strings.Trim(b.times, unknown), b.where, p.Reason,
			})
		}
	}
	return t.WriteCSV(w)
}
