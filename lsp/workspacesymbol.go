package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
)

// Symbols finds meshes, named specs and manual regions of the workspace whose name contains the letters of a query in
// their order, as editors expect.
func (s *server) Symbols(ctx context.Context, params *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	a, err := s.results.wait(ctx, s.at.id)
	if err != nil {
		return nil, err
	}
	found := protocol.WorkspaceSymbolSlice{}
	if a.workspace == nil {
		return found, nil
	}
	for _, f := range a.workspace.Files {
		for _, symbol := range a.pythonSymbols(f.Path) {
			if !matches(params.Query, symbol.name) {
				continue
			}
			whole, _ := symbolRange(a.text(f.Path), symbol, s.editor.encoding)
			var w protocol.WorkspaceSymbol
			w.Name, w.Kind = symbol.name, symbol.kind
			if symbol.detail != "" {
				w.ContainerName = &symbol.detail
			}
			w.Location = &protocol.Location{URI: a.uri(f.Path), Range: whole}
			found = append(found, w)
		}
	}
	return found, nil
}

// matches reports whether the letters of query occur in name in their order, in either case.
func matches(query, name string) bool {
	name = strings.ToLower(name)
	for _, r := range strings.ToLower(query) {
		i := strings.IndexRune(name, r)
		if i < 0 {
			return false
		}
		name = name[i+len(string(r)):]
	}
	return true
}
