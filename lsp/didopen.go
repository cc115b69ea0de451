package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// DidOpen starts to follow a document.
func (s *server) DidOpen(_ context.Context, params *protocol.DidOpenTextDocumentParams) error {
	item := params.TextDocument
	s.openDocument(item)
	return nil
}

func (s *session) openDocument(item protocol.TextDocumentItem) {
	s.update(func(next *snapshot) { next.open[string(item.URI)] = newDocument(item) })
}
