package driver

import (
	"fmt"
	"sort"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// Baseline is the communication that a project has agreed to: what a later check compares with. It holds no lines, so that
// moving code changes nothing.
type Baseline struct {
	Version int              `json:"version"`
	Modules []BaselineModule `json:"modules"`
}

// BaselineModule is the communication of one module.
type BaselineModule struct {
	Name      string             `json:"name"`
	Exchanges []BaselineExchange `json:"exchanges"`
}

// BaselineExchange sums up the exchanges that move the same thing in the same way. BytesPerStep is nil when unknown.
type BaselineExchange struct {
	Of           string   `json:"of"` // "gradient of params['w']", or the function that it comes from
	Opcode       string   `json:"opcode"`
	Axes         []string `json:"axes"` // null when unknown
	DType        string   `json:"dtype"`
	Count        int      `json:"count"`
	BytesPerStep *int64   `json:"bytesPerStep"`
}

// key is what makes two exchanges the same one at different times: all but its size and its element type.
func (e *BaselineExchange) key() string {
	return strings.Join(append([]string{e.Of, e.Opcode}, e.Axes...), "\x00")
}

// BaselineOf sums up the communication of modules, each by the stage that decides.
func BaselineOf(modules []Module) *Baseline {
	b := &Baseline{Version: 1, Modules: []BaselineModule{}}
	for i := range modules {
		m := modules[i].Module
		if m.Deciding == nil {
			continue
		}
		out := BaselineModule{Name: m.Name, Exchanges: []BaselineExchange{}}
		for _, e := range exchangesOf(m) {
			out.Exchanges = append(out.Exchanges, e.BaselineExchange)
		}
		b.Modules = append(b.Modules, out)
	}
	sort.SliceStable(b.Modules, func(i, j int) bool { return b.Modules[i].Name < b.Modules[j].Name })
	return b
}

// exchange is a sum together with the place of its largest part.
type exchange struct {
	BaselineExchange
	frames  []hlomap.Frame
	largest int64
	names   []string
}

// exchangesOf sums up the operands of a module's collectives, sorted.
func exchangesOf(m *link.Module) []*exchange {
	index := map[string]*exchange{}
	var out []*exchange
	for i := range m.Deciding.Collectives {
		c := &m.Deciding.Collectives[i]
		if !c.Logical {
			continue
		}
		for k := range c.Operands {
			e := operandExchange(m, c, k)
			id := e.key() + "\x00" + e.DType
			if index[id] == nil {
				index[id] = e
				out = append(out, e)
				continue
			}
			index[id].add(e)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if a, b := out[i].key(), out[j].key(); a != b {
			return a < b
		}
		return out[i].DType < out[j].DType
	})
	return out
}

func operandExchange(m *link.Module, c *hlomap.Collective, k int) *exchange {
	o := &c.Operands[k]
	e := &exchange{frames: c.Frames, names: []string{c.Name}}
	e.Opcode, e.Axes, e.DType, e.Count = c.Opcode, c.Axes, o.DType, 1
	if o.Cause != nil && len(o.Cause.Frames) > 0 {
		e.frames = o.Cause.Frames
	}
	switch {
	case len(o.Parameters) == 1 && o.Role == hlomap.RoleGradient:
		e.Of = "gradient of " + o.Parameters[0]
	case len(o.Parameters) == 1:
		e.Of = o.Parameters[0]
	default:
		e.Of = functionOf(m, e.frames)
	}
	bytes := o.Bytes
	if c.Opcode == "all-gather" && k < len(c.Results) {
		bytes = c.Results[k].Bytes
	}
	if bytes >= 0 && c.Executions != nil {
		n := bytes * *c.Executions
		e.BytesPerStep, e.largest = &n, n
	}
	return e
}

// subject is what the exchange is of, as a sentence names it.
func (e *exchange) subject() string {
	if strings.HasPrefix(e.Of, "gradient of ") || strings.HasPrefix(e.Of, "function ") {
		return "the " + e.Of
	}
	return e.Of
}

// functionOf names the function that an exchange comes from, in the first frame that lies in the workspace.
func functionOf(m *link.Module, frames []hlomap.Frame) string {
	for _, f := range frames {
		if _, ok := m.Sources.Match(f.Path); ok {
			return "function " + f.Function
		}
	}
	if len(frames) > 0 {
		return "function " + frames[0].Function
	}
	return "unknown"
}

func (e *exchange) add(more *exchange) {
	e.Count += more.Count
	e.names = append(e.names, more.names...)
	if more.largest > e.largest {
		e.largest, e.frames = more.largest, more.frames
	}
	if e.BytesPerStep == nil || more.BytesPerStep == nil {
		e.BytesPerStep = nil
		return
	}
	n := *e.BytesPerStep + *more.BytesPerStep
	e.BytesPerStep = &n
}

// compare reports what communicates more, or in a narrower type, than the baseline allows.
func (r *run) compare() {
	if r.in.Baseline == nil {
		return
	}
	for i := range r.in.Modules {
		m := &r.in.Modules[i]
		if m.Module.Deciding == nil {
			continue
		}
		before := r.in.Baseline.module(m.Module.Name)
		if before == nil {
			before = &BaselineModule{}
		}
		r.compareModule(m, before)
	}
}

func (b *Baseline) module(name string) *BaselineModule {
	for i := range b.Modules {
		if b.Modules[i].Name == name {
			return &b.Modules[i]
		}
	}
	return nil
}

func (r *run) compareModule(m *Module, before *BaselineModule) {
	known := map[string][]*BaselineExchange{}
	for i := range before.Exchanges {
		e := &before.Exchanges[i]
		known[e.key()] = append(known[e.key()], e)
	}
	now := exchangesOf(m.Module)
	present := map[string]bool{}
	for _, e := range now {
		present[e.key()] = true
	}
	// What is gone from one place may have come back in another: a function was renamed, a parameter moved in its tree.
	gone := map[string]int{}
	for i := range before.Exchanges {
		if e := &before.Exchanges[i]; !present[e.key()] {
			gone[e.alike()]++
		}
	}
	for _, e := range now {
		old := known[e.key()]
		switch {
		case len(old) == 0 && gone[e.alike()] > 0:
			gone[e.alike()]--
		case len(old) == 0:
			r.grew(m, e, fmt.Sprintf("this %s of %s is not in the baseline: %s", e.Opcode, e.subject(), e.amount()))
		default:
			r.compareExchange(m, e, old)
		}
	}
}

// alike is what a renamed exchange keeps.
func (e *BaselineExchange) alike() string {
	return fmt.Sprintf("%s %v %s %s", e.Opcode, e.Axes, e.DType, e.amount())
}

func (e *BaselineExchange) amount() string {
	if e.BytesPerStep == nil {
		return "an unknown number of bytes per step"
	}
	return fmt.Sprintf("%d bytes per step", *e.BytesPerStep)
}

func (r *run) compareExchange(m *Module, e *exchange, old []*BaselineExchange) {
	for _, o := range old {
		if o.DType != e.DType {
			continue
		}
		if o.BytesPerStep != nil && e.BytesPerStep != nil && *e.BytesPerStep > *o.BytesPerStep {
			r.grew(m, e, fmt.Sprintf("this %s of %s moves %s, %d in the baseline", e.Opcode, e.subject(), e.amount(), *o.BytesPerStep))
		}
		return
	}
	r.grew(m, e, fmt.Sprintf("this %s of %s moves %s, %s in the baseline", e.Opcode, e.subject(), e.DType, old[0].DType))
}

func (r *run) grew(module *Module, e *exchange, message string) {
	m := module.Module
	f := analyzers.Finding{
		Message: message, Evidence: analyzers.FromBoth,
		Span: analyzers.Span{Path: m.Deciding.Path},
		HLO: &analyzers.HLOFacts{
			Module: m.Name, Collectives: e.names, BytesPerStep: e.BytesPerStep, Axes: e.Axes, Dump: m.Deciding.Path,
			Stage: string(m.Deciding.Stage), Backend: m.Deciding.Backend, Stale: string(link.AgeUnknown), Written: module.ModTime,
		},
	}
	if p, ok := m.Locate(e.frames, ""); ok {
		f.Span, f.HLO.Stale = analyzers.Span{Path: p.Path, Start: p.Expression.Start, End: p.Expression.End}, string(m.Age(p.Path, p.Line))
	}
	r.report(overBaseline, f)
}
