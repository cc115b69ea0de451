package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// DidClose stops following a document. Its diagnostics are cleared by the worker that publishes them, so that none can
// arrive after the clearing.
func (s *server) DidClose(_ context.Context, params *protocol.DidCloseTextDocumentParams) error {
	key := string(params.TextDocument.URI)
	s.update(func(next *snapshot) { delete(next.open, key) })
	s.calls.supersede(key)
	return nil
}
