package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
)

// DidChangeWorkspaceFolders adds and removes roots.
func (s *server) DidChangeWorkspaceFolders(_ context.Context, params *protocol.DidChangeWorkspaceFoldersParams) error {
	s.update(func(next *snapshot) {
		roots := slices.Clone(next.roots)
		for _, gone := range params.Event.Removed {
			roots = slices.DeleteFunc(roots, func(r string) bool { return r == pathFromURI(gone.URI) })
		}
		for _, added := range params.Event.Added {
			if added.URI.IsFile() && !slices.Contains(roots, added.URI.FsPath()) {
				roots = append(roots, added.URI.FsPath())
			}
		}
		next.roots = roots
	})
	return nil
}
