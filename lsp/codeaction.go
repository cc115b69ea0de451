package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// fixAllKind is the code action that applies every safe fix of a document.
const fixAllKind protocol.CodeActionKind = "source.fixAll.shardls"

// CodeAction offers the fixes of the findings in a range, the suppression of each, and all safe fixes of the document.
func (s *server) CodeAction(ctx context.Context, params *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	actions := []protocol.CommandOrCodeAction{}
	if !doc.isPython() {
		return actions, nil
	}
	if wants(params.Context.Only, protocol.CodeActionKindQuickFix) {
		found, err := s.diagnosticsIn(ctx, doc, params)
		if err != nil {
			return nil, err
		}
		for i := range found {
			actions = append(actions, s.fixActions(doc, &found[i])...)
		}
		for i := range found {
			actions = append(actions, s.suppressAction(doc, &found[i]))
		}
	}
	// Fixing everything is offered where it is asked for: as a light bulb on every line it would be noise.
	if len(params.Context.Only) > 0 && wants(params.Context.Only, fixAllKind) {
		action, err := s.fixAllAction(ctx, doc)
		if err != nil {
			return nil, err
		}
		if action != nil {
			actions = append(actions, action)
		}
	}
	return actions, nil
}

// wants reports whether a filter lets a kind through; a kind in the filter stands for all below it.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	if len(only) == 0 {
		return true
	}
	for _, o := range only {
		if o == kind || o == "" || strings.HasPrefix(string(kind), string(o)+".") {
			return true
		}
	}
	return false
}

// diagnosticsIn are the diagnostics that a request is about: those that it brings along, if they carry what is needed and
// describe this version of the document, or else those of the analysis.
func (s *server) diagnosticsIn(ctx context.Context, doc *document, params *protocol.CodeActionParams) ([]protocol.Diagnostic, error) {
	var brought []protocol.Diagnostic
	fresh := true
	for _, d := range params.Context.Diagnostics {
		if source, _ := d.Source.Get(); source != "shardls" {
			continue
		}
		data, ok := dataFrom(&d)
		fresh = fresh && ok && data.Version == doc.version
		brought = append(brought, d)
	}
	if len(brought) > 0 && fresh {
		return brought, nil
	}
	a, err := s.analysed(ctx, doc)
	if err != nil {
		return nil, err
	}
	var found []protocol.Diagnostic
	for _, d := range s.diagnostics(a, doc) {
		if touches(d.Range, params.Range) {
			found = append(found, d)
		}
	}
	return found, nil
}

func dataFrom(d *protocol.Diagnostic) (diagnosticData, bool) {
	var data diagnosticData
	return data, len(d.Data) > 0 && json.Unmarshal(d.Data, &data) == nil
}

// touches reports whether two ranges share a position; a cursor at the end of a range touches it.
func touches(a, b protocol.Range) bool { return !before(a.End, b.Start) && !before(b.End, a.Start) }

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// fixActions are the alternatives that a finding brings, the first of them preferred if it is safe.
func (s *server) fixActions(doc *document, d *protocol.Diagnostic) []protocol.CommandOrCodeAction {
	data, _ := dataFrom(d)
	kind, yes := protocol.CodeActionKindQuickFix, true
	var actions []protocol.CommandOrCodeAction
	for i, fix := range data.Fixes {
		edit := s.workspaceEdit(fix.Edits)
		action := &protocol.CodeAction{Title: fix.Title, Kind: &kind, Diagnostics: []protocol.Diagnostic{*d}, Edit: edit}
		if i == 0 && fix.Safe {
			action.IsPreferred = &yes
		}
		actions = append(actions, action)
	}
	return actions
}

// workspaceEdit groups edits by file, with the version that they apply to where the editor can check it.
func (s *server) workspaceEdit(edits []editData) *protocol.WorkspaceEdit {
	byURI := map[string][]protocol.TextEdit{}
	var order []string
	for _, e := range edits {
		if _, ok := byURI[e.URI]; !ok {
			order = append(order, e.URI)
		}
		byURI[e.URI] = append(byURI[e.URI], protocol.TextEdit{Range: e.Range, NewText: e.NewText})
	}
	out := &protocol.WorkspaceEdit{}
	if !s.editor.documentChanges {
		out.Changes = map[uri.URI][]protocol.TextEdit{}
		for key, list := range byURI {
			out.Changes[uri.URI(key)] = list
		}
		return out
	}
	for _, key := range order {
		change := &protocol.TextDocumentEdit{}
		change.TextDocument.URI = uri.URI(key)
		if doc := s.at.open[key]; doc != nil {
			change.TextDocument.Version = &doc.version
		}
		for _, e := range byURI[key] {
			change.Edits = append(change.Edits, &e)
		}
		out.DocumentChanges = append(out.DocumentChanges, change)
	}
	return out
}

// suppressAction writes a suppression at the end of the line on which a finding starts.
func (s *server) suppressAction(doc *document, d *protocol.Diagnostic) *protocol.CodeAction {
	code, _ := d.Code.(protocol.String)
	kind := protocol.CodeActionKindQuickFix
	at, newText := suppression(doc.text, int(d.Range.Start.Line), string(code))
	edit := editData{URI: string(doc.uri), Range: rangeFromOffsets(doc.text, at, at, s.editor.encoding), NewText: newText}
	return &protocol.CodeAction{
		Title:       "Suppress " + string(code) + " on this line",
		Kind:        &kind,
		Diagnostics: []protocol.Diagnostic{*d},
		Edit:        s.workspaceEdit([]editData{edit}),
	}
}
