package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// The commands that the server runs.
const (
	reloadDumpsCommand = "shardls.reloadDumps"
	reportCommand      = "shardls.report"
)

func commandNames() []string { return []string{reloadDumpsCommand, reportCommand} }

// ExecuteCommand runs a command.
func (s *server) ExecuteCommand(ctx context.Context, params *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	switch params.Command {
	case reloadDumpsCommand:
		s.update(func(next *snapshot) { next.dumps++ })
		return protocol.LSPAny("null"), nil
	case reportCommand:
		return s.report(ctx)
	default:
		return nil, invalidParams("no command %q", params.Command)
	}
}
