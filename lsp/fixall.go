package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/analyzers"
)

// fixAllAction applies the first safe fix of every finding of a document, leaving out those that overlap one before
// them; nil where there is nothing to fix.
func (s *server) fixAllAction(ctx context.Context, doc *document) (protocol.CommandOrCodeAction, error) {
	a, err := s.analysed(ctx, doc)
	if err != nil {
		return nil, err
	}
	var chosen []analyzers.Edit
	for _, f := range a.findings[doc.path] {
		i := slices.IndexFunc(f.Fixes, func(fix analyzers.Fix) bool { return fix.Safety == analyzers.Safe })
		if i < 0 || !fits(chosen, f.Fixes[i].Edits, doc.path) {
			continue
		}
		chosen = append(chosen, f.Fixes[i].Edits...)
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	var edits []editData
	for _, e := range chosen {
		edits = append(edits, editData{
			URI:     string(doc.uri),
			Range:   rangeFromOffsets(doc.text, e.Span.Start, e.Span.End, s.editor.encoding),
			NewText: e.NewText,
		})
	}
	kind := fixAllKind
	return &protocol.CodeAction{Title: "Apply all safe fixes of shardls", Kind: &kind, Edit: s.workspaceEdit(edits)}, nil
}

// fits reports whether more edits can be applied along with those chosen: all in this file, none overlapping. Two
// insertions at one place overlap, since their order would be a guess.
func fits(chosen, more []analyzers.Edit, path string) bool {
	for _, m := range more {
		if m.Span.Path != path {
			return false
		}
		for _, c := range chosen {
			if m.Span.Start < c.Span.End && c.Span.Start < m.Span.End || m.Span.Start == c.Span.Start {
				return false
			}
		}
	}
	return true
}
