package output

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/shardls/shardls/analyzers"
)

// The JSON documents follow docs/json.md: version 1, camelCase, null for what is not known.

type jsonReport struct {
	Version  int           `json:"version"`
	Summary  jsonSummary   `json:"summary"`
	Findings []jsonFinding `json:"findings"`
	Skipped  []jsonSkipped `json:"skipped"`
	Problems []jsonProblem `json:"problems"`
}

type jsonSummary struct {
	Files      int     `json:"files"`
	Findings   int     `json:"findings"`
	Suppressed int     `json:"suppressed"`
	HLO        jsonHLO `json:"hlo"`
}

type jsonHLO struct {
	State string   `json:"state"`
	Dumps []string `json:"dumps"`
}

type jsonFinding struct {
	Code       string        `json:"code"`
	Name       string        `json:"name"`
	Severity   string        `json:"severity"`
	Message    string        `json:"message"`
	Path       string        `json:"path"`
	Cell       *int          `json:"cell,omitempty"`
	Start      jsonPoint     `json:"start"`
	End        jsonPoint     `json:"end"`
	Evidence   string        `json:"evidence"`
	Confidence string        `json:"confidence"`
	URL        string        `json:"url"`
	Fixes      []jsonFix     `json:"fixes"`
	Related    []jsonRelated `json:"related"`
	HLO        *jsonHLOFacts `json:"hlo,omitempty"`
}

// jsonPoint is a position. In a notebook the line is that of the cell, which the finding names.
type jsonPoint struct {
	Line       int  `json:"line"`
	Column     int  `json:"column"`
	ByteOffset *int `json:"byteOffset"` // nil of a line in a dump
}

type jsonFix struct {
	Title  string     `json:"title"`
	Safety string     `json:"safety"`
	Edits  []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Path    string    `json:"path"`
	Start   jsonPoint `json:"start"`
	End     jsonPoint `json:"end"`
	NewText string    `json:"newText"`
}

type jsonRelated struct {
	Path    string    `json:"path"`
	Start   jsonPoint `json:"start"`
	Message string    `json:"message"`
}

type jsonHLOFacts struct {
	Module       string   `json:"module"`
	Collectives  []string `json:"collectives"`
	BytesPerStep *int64   `json:"bytesPerStep"`
	Axes         []string `json:"axes"`
	Executions   *int64   `json:"executions"`
	Dump         *string  `json:"dump"`
	Stage        *string  `json:"stage"`
	Backend      *string  `json:"backend"`
	Stale        *string  `json:"stale"`
	Written      *string  `json:"written"`
}

type jsonSkipped struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

type jsonProblem struct {
	Path    string `json:"path"`
	Line    *int   `json:"line"`
	Message string `json:"message"`
}

// JSON prints a check as one document.
func JSON(w io.Writer, r *Report) error {
	doc := jsonReport{
		Version: 1,
		Summary: jsonSummary{
			Files: r.Files, Findings: len(r.Result.Findings), Suppressed: r.Result.Suppressed,
			HLO: jsonHLO{State: string(r.Result.HLO.State)},
		},
		Findings: r.jsonFindings(r.Result.Findings),
		Skipped:  []jsonSkipped{},
		Problems: []jsonProblem{},
	}
	for _, d := range r.Result.HLO.Dumps {
		doc.Summary.HLO.Dumps = append(doc.Summary.HLO.Dumps, r.display(d))
	}
	for _, s := range r.Result.Skipped {
		doc.Skipped = append(doc.Skipped, jsonSkipped(s))
	}
	for _, p := range r.Result.Problems {
		jp := jsonProblem{Path: r.display(p.Path), Message: p.Message}
		if p.Line > 0 {
			jp.Line = &p.Line
		}
		doc.Problems = append(doc.Problems, jp)
	}
	return WriteJSON(w, doc)
}

// WriteJSON prints a document indented and without the escapes that only HTML needs.
func WriteJSON(w io.Writer, doc any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) jsonFindings(findings []analyzers.Finding) []jsonFinding {
	out := make([]jsonFinding, 0, len(findings))
	for i := range findings {
		out = append(out, r.jsonFinding(&findings[i]))
	}
	return out
}

func (r *Report) jsonFinding(f *analyzers.Finding) jsonFinding {
	j := jsonFinding{
		Code: f.Code, Name: f.Name, Severity: f.Severity.String(), Message: f.Message, Path: r.display(f.Span.Path),
		Start: r.jsonPoint(f.Span.Path, f.Span.Start), End: r.jsonPoint(f.Span.Path, max(f.Span.Start, f.Span.End)),
		Evidence: string(f.Evidence), Confidence: string(f.Confidence),
		Fixes: []jsonFix{}, Related: []jsonRelated{},
	}
	if r.URL != nil {
		j.URL = r.URL(f.Code)
	}
	if s := r.source(f.Span.Path); s != nil && s.Cell != nil {
		if cell, _, ok := s.Cell(f.Span.Start); ok {
			j.Cell = &cell
		}
	}
	for _, fix := range f.Fixes {
		jf := jsonFix{Title: fix.Title, Safety: string(fix.Safety), Edits: []jsonEdit{}}
		for _, e := range fix.Edits {
			jf.Edits = append(jf.Edits, jsonEdit{
				Path: r.display(e.Span.Path), Start: r.jsonPoint(e.Span.Path, e.Span.Start),
				End: r.jsonPoint(e.Span.Path, e.Span.End), NewText: e.NewText,
			})
		}
		j.Fixes = append(j.Fixes, jf)
	}
	for _, rel := range f.Related {
		p := r.jsonPoint(rel.Span.Path, rel.Span.Start)
		if rel.Line > 0 {
			p = jsonPoint{Line: rel.Line, Column: 1}
		}
		j.Related = append(j.Related, jsonRelated{Path: r.display(rel.Span.Path), Start: p, Message: rel.Message})
	}
	j.HLO = r.jsonHLOFacts(f.HLO)
	return j
}

func (r *Report) jsonHLOFacts(h *analyzers.HLOFacts) *jsonHLOFacts {
	if h == nil {
		return nil
	}
	j := &jsonHLOFacts{
		Module: h.Module, Collectives: h.Collectives, BytesPerStep: h.BytesPerStep, Axes: h.Axes, Executions: h.Executions,
		Stage: orNull(h.Stage), Backend: orNull(h.Backend), Stale: orNull(h.Stale),
	}
	if !h.Written.IsZero() {
		j.Written = orNull(h.Written.UTC().Format(time.RFC3339))
	}
	if j.Collectives == nil {
		j.Collectives = []string{}
	}
	if h.Dump != "" {
		j.Dump = orNull(r.display(h.Dump))
	}
	return j
}

// orNull is nil for the empty string, which never stands for "unknown" in a document.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// jsonPoint converts an offset; in a notebook the line and the offset are those within the cell.
func (r *Report) jsonPoint(path string, offset int) jsonPoint {
	p := r.point(path, offset)
	j := jsonPoint{Line: p.Line, Column: p.Column, ByteOffset: &p.Offset}
	if s := r.source(path); s != nil && s.Cell != nil {
		if _, line, ok := s.Cell(offset); ok {
			j.Line = line
		}
	}
	return j
}
