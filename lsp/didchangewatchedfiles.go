package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
)

// DidChangeWatchedFiles looks again at what has changed on disk.
func (s *server) DidChangeWatchedFiles(_ context.Context, params *protocol.DidChangeWatchedFilesParams) error {
	var dumps, files bool
	for _, change := range params.Changes {
		switch path := change.URI.Path(); {
		case strings.HasSuffix(path, ".py"), strings.HasSuffix(path, ".pyi"), strings.HasSuffix(path, ".ipynb"), strings.HasSuffix(path, ".toml"):
			files = true
		default:
			dumps = true
		}
	}
	if !dumps && !files {
		return nil
	}
	s.update(func(next *snapshot) {
		if files {
			next.disk++
		}
		if dumps {
			next.dumps++
		}
	})
	return nil
}
