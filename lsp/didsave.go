package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// DidSave notes that a file on disk has changed; editors that watch no files report changes only this way.
func (s *server) DidSave(context.Context, *protocol.DidSaveTextDocumentParams) error {
	if !s.editor.registerWatch {
		s.update(func(next *snapshot) { next.disk++ })
	}
	return nil
}
