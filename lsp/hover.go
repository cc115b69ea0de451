package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// Hover explains what stands under the cursor.
func (s *server) Hover(ctx context.Context, params *protocol.HoverParams) (*protocol.Hover, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if !doc.isPython() {
		return nil, nil
	}
	if _, err := s.analysed(ctx, doc); err != nil {
		return nil, err
	}
	return nil, nil
}
