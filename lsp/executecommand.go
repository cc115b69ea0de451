package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

const reloadDumpsCommand = "shardls.reloadDumps"

// commandNames are the commands that the server runs.
func commandNames() []string { return []string{reloadDumpsCommand} }

// ExecuteCommand runs one of commandNames.
func (s *server) ExecuteCommand(_ context.Context, params *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	switch params.Command {
	case reloadDumpsCommand:
		s.update(func(next *snapshot) { next.dumps++ })
		return protocol.LSPAny("null"), nil
	default:
		return nil, invalidParams("no command %q", params.Command)
	}
}
