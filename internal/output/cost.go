package output

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shardls/shardls/hlomap"
)

// Cost is an estimate of time for a step, with what it rests on.
type Cost struct {
	Value    float64            `json:"value"`
	Model    string             `json:"model"`
	Hardware string             `json:"hardware"`
	Formula  string             `json:"formula"`
	Inputs   map[string]float64 `json:"inputs"`
	Of       string             `json:"of"`    // the collective that the formula is about; the value is the sum over all
	Terms    []CostTerm         `json:"terms"` // what is summed
}

// CostTerm is the time of one collective in a step. The formula gives the time of one execution.
type CostTerm struct {
	Of         string             `json:"of"`
	Value      float64            `json:"value"`
	Executions int64              `json:"executions"`
	Model      string             `json:"model"`
	Formula    string             `json:"formula"`
	Inputs     map[string]float64 `json:"inputs"`
}

// Text is the time in the unit that suits it.
func (c *Cost) Text() string {
	if c.Value*1e9 >= math.MaxInt64 {
		return fmt.Sprintf("%.3g s", c.Value)
	}
	return Seconds(int64(c.Value * 1e9))
}

// dearest is the term that takes longest, of several the last.
func (c *Cost) dearest() *CostTerm {
	out := &c.Terms[0]
	for i := range c.Terms {
		if c.Terms[i].Value >= out.Value {
			out = &c.Terms[i]
		}
	}
	return out
}

// explain takes model, formula and inputs from the dearest term.
func (c *Cost) explain() {
	t := c.dearest()
	c.Model, c.Formula, c.Inputs, c.Of = t.Model, t.Formula, t.Inputs, t.Of
}

// Add sums up the costs of two modules.
func (c *Cost) Add(other *Cost) {
	c.Value += other.Value
	c.Terms = append(c.Terms, other.Terms...)
	c.explain()
}

// basis says what the estimate rests on: model, formula and inputs of the dearest term, in bytes, bytes a second and seconds.
func (c *Cost) basis() string {
	t := c.dearest()
	text := t.Model + " model; "
	if len(c.Terms) > 1 {
		text += fmt.Sprintf("the dearest of %d, ", len(c.Terms))
	}
	text += t.Of
	if t.Executions != 1 {
		text += fmt.Sprintf(", %d times", t.Executions)
	}
	var inputs []string
	for _, name := range slices.Sorted(maps.Keys(t.Inputs)) {
		inputs = append(inputs, fmt.Sprintf("%s = %s", name, strconv.FormatFloat(t.Inputs[name], 'g', 6, 64)))
	}
	return fmt.Sprintf("%s: %s, with %s", text, t.Formula, strings.Join(inputs, ", "))
}

// secondsPerStep estimates how long a collective takes in one step, and the estimate of one execution; false where its
// size, its groups or its executions are unknown, or no hardware is named.
func (m *Module) secondsPerStep(c *hlomap.Collective) (float64, hlomap.Estimate, bool) {
	if m.Hardware == nil || c.Executions == nil {
		return 0, hlomap.Estimate{}, false
	}
	t, ok := hlomap.TransferOf(c, m.Meshes)
	if !ok {
		return 0, hlomap.Estimate{}, false
	}
	e, ok := m.Hardware.Estimate(t, m.Hardware.Typical())
	if !ok {
		return 0, hlomap.Estimate{}, false
	}
	return e.Seconds * float64(*c.Executions), e, true
}

// Seconds prints a duration in the unit that suits it: 12.3 µs.
func Seconds(nanoseconds int64) string {
	d := time.Duration(nanoseconds)
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", float64(d)/1e9)
}

// nanoseconds is the estimate for a step, nil where there is none.
func (m *Module) nanoseconds(c *hlomap.Collective) *int64 {
	seconds, _, ok := m.secondsPerStep(c)
	if !ok {
		return nil
	}
	if seconds*1e9 >= math.MaxInt64 {
		return nil
	}
	n := int64(seconds * 1e9)
	return &n
}

// CostOf sums up the estimates of some collectives. The model, formula and inputs are those of the most expensive one. It
// is nil where one of them has no estimate.
func (m *Module) CostOf(collectives []hlomap.Collective) *Cost {
	cost, open := m.costOfKnown(collectives)
	if open > 0 {
		return nil
	}
	return cost
}

// costOfKnown is CostOf for those collectives that have an estimate, and the number of the others.
func (m *Module) costOfKnown(collectives []hlomap.Collective) (out *Cost, open int) {
	for i := range collectives {
		c := &collectives[i]
		if !c.Logical {
			continue
		}
		seconds, e, ok := m.secondsPerStep(c)
		if !ok {
			open++
			continue
		}
		if out == nil {
			out = &Cost{Hardware: e.Hardware}
		}
		out.Value += seconds
		out.Terms = append(out.Terms, CostTerm{
			Of: c.Name, Value: seconds, Executions: *c.Executions, Model: e.Model, Formula: e.Formula, Inputs: e.Inputs,
		})
	}
	if out != nil {
		out.explain()
	}
	return out, open
}

type traceDocument struct {
	TraceEvents     []traceEvent `json:"traceEvents"`
	DisplayTimeUnit string       `json:"displayTimeUnit"`
}

type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Start    float64        `json:"ts"`            // microseconds
	Duration float64        `json:"dur,omitempty"` // microseconds
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// ChromeTrace prints the estimated communication of one step as a trace that chrome://tracing and Perfetto show: one process
// for each module, one row for each set of axes. Collectives follow each other in the order of the module; computation and
// overlap are not in it.
func ChromeTrace(w io.Writer, modules []Module) error {
	doc := traceDocument{TraceEvents: []traceEvent{}, DisplayTimeUnit: "ns"}
	for pid := range modules {
		m := &modules[pid]
		doc.TraceEvents = append(doc.TraceEvents, traceEvent{Name: "process_name", Phase: "M", Process: pid, Args: map[string]any{"name": m.Name}})
		rows, now := map[string]int{}, 0.0
		for i := range m.Collectives {
			c := &m.Collectives[i]
			seconds, e, ok := m.secondsPerStep(c)
			if !c.Logical || !ok {
				continue
			}
			axes := axesText(c)
			row, known := rows[axes]
			if !known {
				row = len(rows)
				rows[axes] = row
				doc.TraceEvents = append(doc.TraceEvents, traceEvent{
					Name: "thread_name", Phase: "M", Process: pid, Thread: row, Args: map[string]any{"name": "over " + axes},
				})
			}
			doc.TraceEvents = append(doc.TraceEvents, traceEvent{
				Name: c.Name, Category: c.Opcode, Phase: "X", Start: now, Duration: seconds * 1e6, Process: pid, Thread: row,
				Args: map[string]any{
					"line": m.lineText(c), "dtype": dtypeText(c), "executions": c.Executions, "bytesPerStep": c.BytesPerStep,
					"parameters": parametersOf(c), "model": e.Model, "formula": e.Formula, "hardware": e.Hardware,
				},
			})
			now += seconds * 1e6
		}
	}
	return WriteJSON(w, doc)
}
