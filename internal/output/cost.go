package output

import (
	"fmt"
	"io"
	"time"

	"github.com/shardls/shardls/hlomap"
)

// secondsPerStep estimates how long a collective takes in one step, and the estimate of one execution; false where its
// size, its groups or its executions are unknown, or no hardware is named.
func (m *Module) secondsPerStep(c *hlomap.Collective) (float64, hlomap.Estimate, bool) {
	if m.Hardware == nil || c.Executions == nil {
		return 0, hlomap.Estimate{}, false
	}
	var mesh *hlomap.Mesh
	if len(m.Meshes) > 0 {
		mesh = &m.Meshes[0]
	}
	t, ok := hlomap.TransferOf(c, mesh)
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
	n := int64(seconds * 1e9)
	return &n
}

// CostOf sums up the estimates of some collectives. The model, formula and inputs are those of the most expensive one. It
// is nil where one of them has no estimate.
func (m *Module) CostOf(collectives []hlomap.Collective) *Cost {
	var out *Cost
	most := 0.0
	for i := range collectives {
		if !collectives[i].Logical {
			continue
		}
		seconds, e, ok := m.secondsPerStep(&collectives[i])
		if !ok {
			return nil
		}
		if out == nil {
			out = &Cost{Hardware: e.Hardware}
		}
		out.Value += seconds
		if seconds >= most {
			most = seconds
			out.Model, out.Formula, out.Inputs, out.Of = e.Model, e.Formula, e.Inputs, collectives[i].Name
		}
	}
	return out
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
