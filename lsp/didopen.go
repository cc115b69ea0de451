package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/internal/text"
)

// DidOpen starts to follow a document.
func (s *server) DidOpen(_ context.Context, params *protocol.DidOpenTextDocumentParams) error {
	item := params.TextDocument
	s.openDocument(item)
	return nil
}

func (s *session) openDocument(item protocol.TextDocumentItem) {
	s.update(func(next *snapshot) {
		next.open[string(item.URI)] = &document{
			uri:      item.URI,
			path:     pathFromURI(item.URI),
			language: string(item.LanguageID),
			version:  item.Version,
			text:     text.NewMap([]byte(item.Text)),
		}
	})
}
