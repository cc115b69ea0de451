package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
)

// DidChange applies edits, in the order in which they arrive.
func (s *server) DidChange(_ context.Context, params *protocol.DidChangeTextDocumentParams) error {
	key := string(params.TextDocument.URI)
	doc := s.at.open[key]
	if doc == nil {
		return fmt.Errorf("%s is not open", key)
	}
	edited := doc.edited(params.TextDocument.Version, params.ContentChanges, s.editor.encoding)
	s.update(func(next *snapshot) { next.open[key] = edited })
	s.calls.supersede(key)
	return nil
}
