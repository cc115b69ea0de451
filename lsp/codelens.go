package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// CodeLens puts above each function what the compiled program communicates because of it and of what it calls.
func (s *server) CodeLens(ctx context.Context, params *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	lenses := []protocol.CodeLens{}
	if !doc.isPython() || !on(s.at.settings.CodeLens.Enable) {
		return lenses, nil
	}
	a, err := s.analysed(ctx, doc)
	if err != nil {
		return nil, err
	}
	for _, f := range a.functions(doc.path) {
		first, last := doc.text.Line(f.start)+1, doc.text.Line(f.end)+1
		list := a.traffic().below(doc.path, first, last)
		if len(list) == 0 {
			continue
		}
		lenses = append(lenses, protocol.CodeLens{
			Range:   rangeFromOffsets(doc.text, f.name, f.nameEnd, s.editor.encoding),
			Command: protocol.Command{Title: summary(list)},
		})
	}
	return lenses, nil
}
