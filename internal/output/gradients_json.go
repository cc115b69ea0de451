package output

import (
	"io"

	"github.com/shardls/shardls/hlomap"
)

type gradientsDocument struct {
	Version int               `json:"version"`
	Modules []gradientsModule `json:"modules"`
}

type gradientsModule struct {
	Module     string              `json:"module"`
	Path       string              `json:"path"`
	Stage      hlomap.Stage        `json:"stage"`
	Parameters []gradientParameter `json:"parameters"`
	Reason     *string             `json:"reason,omitempty"`
	Totals     gradientTotals      `json:"totals"`
}

type gradientParameter struct {
	Parameter    string                 `json:"parameter"`
	DType        *string                `json:"dtype"`
	Shape        []int64                `json:"shape"`
	DeviceShape  []int64                `json:"deviceShape"`
	Sharding     *string                `json:"sharding"`
	Status       hlomap.ParameterStatus `json:"status"`
	Reason       *string                `json:"reason"`
	LowPrecision bool                   `json:"lowPrecision"`
	Duplicate    bool                   `json:"duplicate"`
	Reductions   []gradientReduction    `json:"reductions"`
}

type gradientReduction struct {
	Collective   string         `json:"collective"`
	Operand      int            `json:"operand"`
	Opcode       string         `json:"opcode"`
	OperandDType *string        `json:"operandDtype"`
	ResultDType  *string        `json:"resultDtype"`
	ReducerDType *string        `json:"reducerDtype"`
	Axes         []string       `json:"axes"`
	Executions   *int64         `json:"executions"`
	InLoop       bool           `json:"inLoop"`
	EqualValues  bool           `json:"equalValues"`
	Bytes        *int64         `json:"bytes"`
	Measured     *jsonMeasured  `json:"measured,omitempty"`
	Cause        *gradientCause `json:"cause"`
	Source       jsonSourceLine `json:"source"`
}

type gradientCause struct {
	Instruction string         `json:"instruction"`
	OpName      *string        `json:"opName"`
	Source      jsonSourceLine `json:"source"`
}

// jsonMeasured is what a profile saw of the collective that holds a reduction. Times are those of one execution on one device.
type jsonMeasured struct {
	Instructions []string `json:"instructions"`
	Operands     int      `json:"operands"`
	Events       int      `json:"events"`
	Devices      int      `json:"devices"`
	MeanSeconds  float64  `json:"meanSeconds"`
	MinSeconds   float64  `json:"minSeconds"`
	MaxSeconds   float64  `json:"maxSeconds"`
}

func measuredDocument(list []hlomap.Measurement) *jsonMeasured {
	if len(list) == 0 {
		return nil
	}
	j := &jsonMeasured{}
	var t measuredTimes
	for _, m := range list {
		j.Instructions = append(j.Instructions, m.Instruction)
		t.add(m)
	}
	j.Operands, j.Events, j.Devices = t.operands, t.events, t.devices
	j.MeanSeconds, j.MinSeconds, j.MaxSeconds = t.mean, t.least, t.most
	return j
}

// measurementsOf is what a profile saw of a collective of the module.
func (m *Module) measurementsOf(name string) []hlomap.Measurement {
	for i := range m.Collectives {
		if c := &m.Collectives[i]; c.Name == name {
			return m.Measured(c)
		}
	}
	return nil
}

// jsonSourceLine is a [SourceLine] in a document.
type jsonSourceLine struct {
	Path      *string          `json:"path"`
	Line      *int             `json:"line"`
	Column    *int             `json:"column"`
	Function  *string          `json:"function"`
	Precision hlomap.Precision `json:"precision"`
	Edited    bool             `json:"edited,omitempty"`
}

// gradientTotals counts elements of whole arrays, as a person counts the parameters of a model, and elements on one device. The two
// numbers of what is reduced tell why adding up the all-reduces of a dump gives another number than the parameters have: a
// reduction in a loop over layers stands there once and runs once a layer.
type gradientTotals struct {
	Parameters      int                       `json:"parameters"`
	Elements        *int64                    `json:"elements"`
	DeviceElements  *int64                    `json:"deviceElements"`
	ReducedElements reducedAmount             `json:"reducedElements"`
	ByStatus        map[string]gradientAmount `json:"byStatus"`
}

// reducedAmount is how many elements of gradients one device reduces: each reduction counted once, and as often as it runs in a step.
type reducedAmount struct {
	Once    *int64 `json:"once"`
	PerStep *int64 `json:"perStep"`
}

type gradientAmount struct {
	Parameters int    `json:"parameters"`
	Elements   *int64 `json:"elements"`
}

// GradientsJSON prints the coverage of modules as one document.
func GradientsJSON(w io.Writer, modules []Module) error {
	doc := gradientsDocument{Version: 1, Modules: []gradientsModule{}}
	for i := range modules {
		doc.Modules = append(doc.Modules, modules[i].gradientsDocument())
	}
	return WriteJSON(w, doc)
}

func (m *Module) gradientsDocument() gradientsModule {
	out := gradientsModule{
		Module: m.Name, Path: m.Path, Stage: m.Stage, Parameters: []gradientParameter{}, Totals: gradientTotals{ByStatus: map[string]gradientAmount{}},
	}
	if m.Gradients == nil {
		out.Reason = orNull("this dump holds no module")
		return out
	}
	out.Reason = orNull(m.Gradients.Reason)
	if m.CutOff && m.Gradients.Reason == "" {
		out.Reason = orNull(cutOffGradients)
	}
	out.Totals.Elements, out.Totals.DeviceElements = new(int64), new(int64)
	out.Totals.ReducedElements = reducedAmount{new(int64), new(int64)}
	for i := range m.Gradients.Parameters {
		p := &m.Gradients.Parameters[i]
		out.Parameters = append(out.Parameters, m.gradientParameter(p))
		out.Totals.add(p)
	}
	return out
}

func (t *gradientTotals) add(p *hlomap.ParameterGradient) {
	n := elements(p.Shape)
	t.Parameters++
	t.Elements = sum(t.Elements, n)
	t.DeviceElements = sum(t.DeviceElements, elements(p.DeviceShape))
	if p.Status == hlomap.StatusReduced {
		for i := range p.Reductions {
			t.ReducedElements.add(&p.Reductions[i])
		}
	}
	amount, ok := t.ByStatus[string(p.Status)]
	if !ok {
		amount.Elements = new(int64)
	}
	amount.Parameters++
	amount.Elements = sum(amount.Elements, n)
	t.ByStatus[string(p.Status)] = amount
}

func (a *reducedAmount) add(r *hlomap.Reduction) {
	if r.Elements < 0 {
		a.Once, a.PerStep = nil, nil
		return
	}
	a.Once = sum(a.Once, &r.Elements)
	if r.Executions == nil {
		a.PerStep = nil
		return
	}
	n := r.Elements * *r.Executions
	a.PerStep = sum(a.PerStep, &n)
}

// elements is the number of elements of an array, nil where the shape or a dimension of it is unknown.
func elements(shape []int64) *int64 {
	if shape == nil {
		return nil
	}
	n := int64(1)
	for _, d := range shape {
		if d < 0 {
			return nil
		}
		n *= d
	}
	return &n
}

func (m *Module) gradientParameter(p *hlomap.ParameterGradient) gradientParameter {
	out := gradientParameter{
		Parameter: p.Parameter, DType: orNull(p.DType), Shape: p.Shape, DeviceShape: p.DeviceShape, Sharding: orNull(p.Sharding), Status: p.Status,
		Reason: orNull(p.Reason), LowPrecision: p.LowPrecision, Duplicate: p.Duplicate, Reductions: []gradientReduction{},
	}
	if out.DeviceShape == nil && p.DType != "" {
		out.DeviceShape = []int64{} // a scalar
	}
	for i := range p.Reductions {
		r := &p.Reductions[i]
		jr := gradientReduction{
			Collective: r.Collective, Operand: r.Operand, Opcode: r.Opcode, OperandDType: orNull(r.OperandDType),
			ResultDType: orNull(r.ResultDType), ReducerDType: orNull(r.ReducerDType), Axes: r.Axes, Executions: r.Executions,
			InLoop: r.InLoop, EqualValues: r.EqualValues, Source: sourceDocument(m.source(r.Frames)),
		}
		if m.Measured != nil {
			jr.Measured = measuredDocument(m.measurementsOf(r.Collective))
		}
		if r.Bytes >= 0 {
			jr.Bytes = &r.Bytes
		}
		if r.Cause != nil {
			jr.Cause = &gradientCause{
				Instruction: r.Cause.Instruction, OpName: orNull(r.Cause.OpName),
				Source: sourceDocument(m.source(r.Cause.Frames)),
			}
		}
		out.Reductions = append(out.Reductions, jr)
	}
	return out
}

func sourceDocument(s SourceLine) jsonSourceLine {
	j := jsonSourceLine{Path: orNull(s.Path), Function: orNull(s.Function), Precision: s.Precision, Edited: s.Edited}
	if s.Line > 0 {
		j.Line = &s.Line
	}
	if s.Column > 0 {
		j.Column = &s.Column
	}
	return j
}
