package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/hlomap"
)

// References finds every use of a mesh axis in the workspace, or of a name in a compiled module.
func (s *server) References(ctx context.Context, params *protocol.ReferenceParams) ([]protocol.Location, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	locations := []protocol.Location{}
	if doc.isHLO() && doc.hlo() != nil {
		symbol, ranges := s.hloOccurrences(doc, params.Position)
		for _, r := range ranges {
			if int(r.Start.Line) != symbol.line || params.Context.IncludeDeclaration {
				locations = append(locations, protocol.Location{URI: doc.uri, Range: r})
			}
		}
		return locations, nil
	}
	a, use, err := s.axisUnder(ctx, doc, params.Position)
	if err != nil || a == nil {
		return locations, err
	}
	for _, u := range a.named(use.Name) {
		if !u.Declares || params.Context.IncludeDeclaration {
			locations = append(locations, s.axisLocation(a, u))
		}
	}
	return locations, nil
}

// hloOccurrences are the occurrences of the name at a position.
func (s *server) hloOccurrences(doc *document, at protocol.Position) (hloSymbol, []protocol.Range) {
	offset := offsetFromPosition(doc.text, at, s.editor.encoding)
	_, _, word := hloWord(doc.text, offset)
	symbol, ok := doc.hlo().resolve(doc.text.Line(offset), word)
	if !ok {
		return hloSymbol{instruction: hlomap.NoInstr}, nil
	}
	var ranges []protocol.Range
	for _, o := range doc.hlo().occurrences(doc.text, symbol) {
		ranges = append(ranges, rangeFromOffsets(doc.text, o[0], o[1], s.editor.encoding))
	}
	return symbol, ranges
}
