package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/text"
)

// Diagnostic answers an editor that asks for the diagnostics of a document.
func (s *server) Diagnostic(ctx context.Context, params *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	a, err := s.analysed(ctx, doc)
	if err != nil {
		return nil, err
	}
	items := s.diagnostics(a, doc)
	id := resultID(items)
	if params.PreviousResultID != nil && *params.PreviousResultID == id {
		report := &protocol.RelatedUnchangedDocumentDiagnosticReport{}
		report.Kind, report.ResultID = "unchanged", id
		return report, nil
	}
	report := &protocol.RelatedFullDocumentDiagnosticReport{}
	report.Kind, report.ResultID, report.Items = "full", &id, items
	return report, nil
}

// resultID names a set of diagnostics by its content.
func resultID(items []protocol.Diagnostic) string {
	raw, err := protocol.Marshal(items)
	if err != nil {
		return ""
	}
	h := fnv.New64a()
	_, _ = h.Write(raw)
	return fmt.Sprintf("%x", h.Sum64())
}

// document finds the open document that a request is about.
func (s *server) document(u uri.URI) (*document, error) {
	doc := s.at.open[string(u)]
	if doc == nil {
		return nil, invalidParams("%s is not open", u)
	}
	return doc, nil
}

// diagnosticData travels with a diagnostic to the editor and comes back in a request for code actions, which can then be
// answered without looking at the document again.
type diagnosticData struct {
	Version int32     `json:"version"` // of the document that the ranges are about
	Fixes   []fixData `json:"fixes,omitempty"`
	// Evidence and Confidence say what the finding rests on, HLO from which dump.
	Evidence   string   `json:"evidence"`
	Confidence string   `json:"confidence"`
	HLO        *hloData `json:"hlo,omitempty"`
}

// hloData names a dump in the words of the JSON format of check.
type hloData struct {
	Module  string `json:"module"`
	URI     string `json:"uri"`
	Stage   string `json:"stage,omitempty"`
	Backend string `json:"backend,omitempty"`
	Stale   string `json:"stale,omitempty"`
	Written string `json:"written,omitempty"`
}

type fixData struct {
	Title string     `json:"title"`
	Safe  bool       `json:"safe"`
	Edits []editData `json:"edits"`
}

type editData struct {
	URI     string         `json:"uri"`
	Range   protocol.Range `json:"range"`
	NewText string         `json:"newText"`
}

// diagnostics are the findings of one document, never nil.
func (s *session) diagnostics(a *analysis, doc *document) []protocol.Diagnostic {
	items := []protocol.Diagnostic{}
	if a.workspace == nil {
		return items
	}
	for i := range a.findings[doc.path] {
		items = append(items, s.diagnostic(a, doc, &a.findings[doc.path][i]))
	}
	return items
}

func (s *session) diagnostic(a *analysis, doc *document, f *analyzers.Finding) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range:    rangeFromOffsets(doc.text, f.Span.Start, f.Span.End, s.editor.encoding),
		Severity: severity(f.Severity),
		Code:     protocol.String(f.Code),
		Source:   protocol.NewOptional("shardls"),
		Message:  protocol.String(f.Message),
	}
	if href, err := uri.ParseStrict(s.ruleURL(f.Code)); err == nil {
		d.CodeDescription = protocol.CodeDescription{Href: href}
	}
	for _, r := range f.Related {
		if location, ok := s.location(a, r.Span, r.Line); ok {
			message := r.Message
			if f.HLO != nil && r.Span.Path == f.HLO.Dump {
				message += " (" + dumpText(f) + ")"
			}
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: location, Message: message})
		}
	}
	if isUnnecessary(f.Code) {
		d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
	}
	if raw, err := json.Marshal(s.dataOf(a, doc, f)); err == nil {
		d.Data = raw
	}
	return d
}

// dumpText says from which dump a finding is, of when, and how sure it is.
func dumpText(f *analyzers.Finding) string {
	text := output.HLOSource(f.HLO)
	if !f.HLO.Written.IsZero() {
		text += ", dump of " + f.HLO.Written.Local().Format("2006-01-02 15:04")
	}
	if f.Confidence == analyzers.Likely {
		text += ", likely"
	}
	return text
}

// isUnnecessary reports whether what a finding underlines can simply go: an unused suppression.
func isUnnecessary(code string) bool { return code == "SHD001" }

// dataOf converts the fixes of a finding. A fix that touches a file whose text is not known is left out.
func (s *session) dataOf(a *analysis, doc *document, f *analyzers.Finding) diagnosticData {
	data := diagnosticData{Version: doc.version, Evidence: string(f.Evidence), Confidence: string(f.Confidence)}
	if h := f.HLO; h != nil {
		data.HLO = &hloData{Module: h.Module, URI: string(a.uri(h.Dump)), Stage: h.Stage, Backend: h.Backend, Stale: h.Stale}
		if !h.Written.IsZero() {
			data.HLO.Written = h.Written.UTC().Format(time.RFC3339)
		}
	}
fixes:
	for _, fix := range f.Fixes {
		out := fixData{Title: fix.Title, Safe: fix.Safety == analyzers.Safe}
		for _, edit := range fix.Edits {
			location, ok := s.location(a, edit.Span, 0)
			if !ok {
				continue fixes
			}
			out.Edits = append(out.Edits, editData{URI: string(location.URI), Range: location.Range, NewText: edit.NewText})
		}
		data.Fixes = append(data.Fixes, out)
	}
	return data
}

// location converts a span of any file of the analysis. line, 1-based, is used where the span has no bytes.
func (s *session) location(a *analysis, span analyzers.Span, line int) (protocol.Location, bool) {
	u := a.uri(span.Path)
	if line > 0 {
		at := protocol.Position{Line: uint32(line - 1)}
		return protocol.Location{URI: u, Range: protocol.Range{Start: at, End: at}}, true
	}
	m := a.text(span.Path)
	if m == nil {
		return protocol.Location{URI: u}, span.Start == 0 && span.End == 0
	}
	return protocol.Location{URI: u, Range: rangeFromOffsets(m, span.Start, span.End, s.editor.encoding)}, true
}

// uri is the URI of a path, spelled as the editor spells it where the document is open.
func (a *analysis) uri(path string) uri.URI {
	if doc := a.document(path); doc != nil {
		return doc.uri
	}
	return uri.File(path)
}

func (a *analysis) document(path string) *document {
	for _, doc := range a.at.open {
		if doc.path == path {
			return doc
		}
	}
	return nil
}

// text is the text of a file as analysed, nil if the workspace does not have it.
func (a *analysis) text(path string) *text.Map {
	if doc := a.document(path); doc != nil {
		return doc.text
	}
	if a.workspace == nil {
		return nil
	}
	if f := a.workspace.File(path); f != nil {
		return f.Text()
	}
	return nil
}

// matchFrame finds the file of the workspace that a path in a dump means.
func (a *analysis) matchFrame(path string) (string, bool) {
	for _, m := range a.dumps.modules() {
		if file, ok := m.Sources.Match(path); ok {
			return file, true
		}
	}
	return "", false
}

func severity(s analyzers.Severity) protocol.DiagnosticSeverity {
	switch s {
	case analyzers.Error:
		return protocol.DiagnosticSeverityError
	case analyzers.Warning:
		return protocol.DiagnosticSeverityWarning
	default:
		return protocol.DiagnosticSeverityInformation
	}
}
