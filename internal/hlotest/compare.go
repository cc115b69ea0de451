package hlotest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Record is a collective as the JSON document of `shardls collectives` has it.
type Record struct {
	Name              string         `json:"name"`
	Opcode            string         `json:"opcode"`
	Async             bool           `json:"async"`
	Computation       string         `json:"computation"`
	ChannelID         *int64         `json:"channelId"`
	ReplicaGroups     [][]int        `json:"replicaGroups"`
	SourceTargetPairs [][2]int       `json:"sourceTargetPairs"`
	Executions        *int64         `json:"executions"`
	OpName            *string        `json:"opName"`
	Frames            []RecordFrame  `json:"frames"`
	Operands          []RecordArray  `json:"operands"`
	Results           []RecordArray  `json:"results"`
	ReducerDType      *string        `json:"reducerDtype"`
	Logical           *bool          `json:"logical"` // absent means true
	WrappedIn         []RecordAround `json:"wrappedIn"`
	BytesPerExecution *int64         `json:"bytesPerExecution"`
	BytesPerStep      *int64         `json:"bytesPerStep"`
}

// RecordFrame is a frame in the document.
type RecordFrame struct {
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Function string `json:"function"`
}

// RecordArray is an operand or a result in the document.
type RecordArray struct {
	DType      string   `json:"dtype"`
	Shape      []int64  `json:"shape"`
	Bytes      int64    `json:"bytes"`
	Parameters []string `json:"parameters"`
}

// RecordAround is an entry of wrappedIn.
type RecordAround struct {
	Kind        string `json:"kind"`
	Computation string `json:"computation"`
}

// place is what tells the collectives of a module apart.
type place struct{ computation, name string }

// place returns where the document lists a collective: an asynchronous one that stands in a computation of its own is
// listed as its start.
func (c *Collective) place() place {
	if len(c.WrappedIn) > 0 && c.WrappedIn[0].Kind == "async" {
		return place{c.WrappedIn[0].In, c.WrappedIn[0].Instruction}
	}
	return place{c.Computation, c.Name}
}

// Differences compares every collective of a module with the answers.
func (m *Module) Differences(got []Record) []string {
	var out []string
	byPlace := map[place]*Record{}
	for k := range got {
		p := place{got[k].Computation, got[k].Name}
		if byPlace[p] != nil {
			out = append(out, fmt.Sprintf("%s in %s is listed twice", p.name, p.computation))
		}
		byPlace[p] = &got[k]
	}
	for k := range m.Collectives {
		want := &m.Collectives[k]
		p := want.place()
		r := byPlace[p]
		if r == nil {
			out = append(out, fmt.Sprintf("%s in %s is missing", p.name, p.computation))
			continue
		}
		delete(byPlace, p)
		for _, d := range want.differences(r) {
			out = append(out, p.name+": "+d)
		}
	}
	for p := range byPlace {
		out = append(out, fmt.Sprintf("%s in %s is no collective", p.name, p.computation))
	}
	slices.Sort(out)
	return out
}

func (c *Collective) differences(r *Record) []string {
	var out []string
	check := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			out = append(out, fmt.Sprintf("%s is %v, want %v", what, show(got), show(want)))
		}
	}
	check("opcode", r.Opcode, c.base())
	check("channel", r.ChannelID, c.Channel)
	permute := c.base() == "collective-permute"
	check("replica groups are null", r.ReplicaGroups == nil, permute)
	check("pairs are null", r.SourceTargetPairs == nil, !permute)
	if permute {
		check("pairs", r.SourceTargetPairs, c.Pairs)
	} else if len(c.Groups) > 0 {
		check("replica groups", r.ReplicaGroups, c.Groups)
	}
	check("executions", r.Executions, c.Executions)
	check("op_name", orEmpty(r.OpName), c.OpName)
	check("operands", arrays(plain(r.Operands)), arrays(c.Operands))
	results := c.Results
	if strings.HasSuffix(c.Opcode, "-start") {
		results = c.DoneResults
	}
	check("results", arrays(plain(r.Results)), arrays(results))
	out = append(out, c.frameDifferences(r)...)
	if c.Base == "" {
		return out // answers for CPU say no more
	}
	check("asynchronous", r.Async, *c.Async)
	check("logical", r.Logical == nil || *r.Logical, *c.Logical)
	check("reducer", orEmpty(r.ReducerDType), orEmpty(c.ReducerDType))
	var around []RecordAround
	for _, w := range c.WrappedIn {
		if w.Kind != "async" {
			around = append(around, RecordAround{w.Kind, w.Computation})
		}
	}
	if len(around) > 0 || len(r.WrappedIn) > 0 {
		check("wrapped in", r.WrappedIn, around)
	}
	return out
}

// frameDifferences compares frames. Before XLA of 2025-12 the text has one line and no frames; the proto of the same
// dump may know more.
func (c *Collective) frameDifferences(r *Record) []string {
	var want []RecordFrame
	for _, f := range c.Frames {
		want = append(want, RecordFrame{f.File, f.Line, f.Function})
	}
	if c.SourceFile == "" || len(r.Frames) > 1 {
		if !slices.Equal(r.Frames, want) {
			return []string{fmt.Sprintf("frames are %v, want %v", r.Frames, want)}
		}
		return nil
	}
	if len(r.Frames) != 1 || r.Frames[0].Path != c.SourceFile || r.Frames[0].Line != c.SourceLine {
		return []string{fmt.Sprintf("frames are %v, want %s:%d", r.Frames, c.SourceFile, c.SourceLine)}
	}
	return nil
}

// ParameterDifferences compares the parameters of operands wherever the answers name one.
func (m *Module) ParameterDifferences(got []Record) (out []string, compared int) {
	byPlace := map[place]*Record{}
	for k := range got {
		byPlace[place{got[k].Computation, got[k].Name}] = &got[k]
	}
	for k := range m.Collectives {
		want := &m.Collectives[k]
		r := byPlace[want.place()]
		if r == nil || len(r.Operands) != len(want.Operands) {
			continue // Differences reports it
		}
		for n, o := range want.Operands {
			if o.Param == nil {
				continue
			}
			compared++
			if p := r.Operands[n].Parameters; len(p) != 1 || p[0] != *o.Param {
				out = append(out, fmt.Sprintf("%s: operand %d is of %v, want %s", r.Name, n, p, *o.Param))
			}
		}
	}
	return out, compared
}

func (c *Collective) base() string {
	if c.Base != "" {
		return c.Base
	}
	return strings.TrimSuffix(c.Opcode, "-start")
}

func plain(list []RecordArray) []Array {
	out := make([]Array, len(list))
	for k, a := range list {
		out[k] = Array{DType: a.DType, Shape: a.Shape, Bytes: a.Bytes}
	}
	return out
}

// arrays renders arrays without parameters, so that they can be compared and read.
func arrays(list []Array) string {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, "%s%v=%d ", a.DType, a.Shape, a.Bytes)
	}
	return b.String()
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func show(v any) any {
	if n, ok := v.(*int64); ok && n != nil {
		return *n
	}
	return v
}
