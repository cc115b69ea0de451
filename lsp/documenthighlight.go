package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// DocumentHighlight marks the other uses of what is under the cursor in the same document.
func (s *server) DocumentHighlight(ctx context.Context, params *protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	highlights := []protocol.DocumentHighlight{}
	if doc.isHLO() && doc.hlo() != nil {
		symbol, ranges := s.hloOccurrences(doc, params.Position)
		for _, r := range ranges {
			kind := protocol.DocumentHighlightKindRead
			if int(r.Start.Line) == symbol.line {
				kind = protocol.DocumentHighlightKindWrite
			}
			highlights = append(highlights, protocol.DocumentHighlight{Range: r, Kind: kind})
		}
		return highlights, nil
	}
	a, use, err := s.axisUnder(ctx, doc, params.Position)
	if err != nil || a == nil {
		return highlights, err
	}
	for _, u := range a.named(use.Name) {
		if u.path != doc.path {
			continue
		}
		kind := protocol.DocumentHighlightKindRead
		if u.Declares {
			kind = protocol.DocumentHighlightKindWrite
		}
		where := rangeFromOffsets(doc.text, u.Start, u.End, s.editor.encoding)
		highlights = append(highlights, protocol.DocumentHighlight{Range: where, Kind: kind})
	}
	return highlights, nil
}
