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
	}
	return highlights, nil
}
