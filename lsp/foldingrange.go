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
	if !doc.isHLO() || doc.hlo() == nil {
		return ranges, nil
	}
	for _, c := range doc.hlo().comps {
		if c.last > c.first {
			ranges = append(ranges, protocol.FoldingRange{StartLine: uint32(c.first), EndLine: uint32(c.last)})
		}
	}
	return ranges, nil
}
