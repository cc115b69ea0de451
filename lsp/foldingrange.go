package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// FoldingRanges folds the computations of a compiled module. Python has its own servers for that.
func (s *server) FoldingRanges(_ context.Context, params *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	ranges := []protocol.FoldingRange{}
	if !doc.isHLO() {
		return ranges, nil
	}
	return ranges, nil
}
