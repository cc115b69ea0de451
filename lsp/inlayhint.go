package lsp

import (
	"context"
	"maps"
	"slices"

	"go.lsp.dev/protocol"
)

// InlayHint puts behind each line what it communicates.
func (s *server) InlayHint(ctx context.Context, params *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	hints := []protocol.InlayHint{}
	if !doc.isPython() || !on(s.at.settings.InlayHints.Collectives) {
		return hints, nil
	}
	a, err := s.analysed(ctx, doc)
	if err != nil {
		return nil, err
	}
	lines := a.traffic().lines[doc.path]
	yes := true
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if line-1 < clampInt(params.Range.Start.Line) || line-1 > clampInt(params.Range.End.Line) {
			continue
		}
		list := a.traffic().standing(doc.path, line)
		_, end, ok := doc.text.LineBounds(line - 1)
		if len(list) == 0 || !ok {
			continue
		}
		hints = append(hints, protocol.InlayHint{
			Position:    positionFromOffset(doc.text, end, s.editor.encoding),
			Label:       protocol.String(summary(list)),
			Tooltip:     s.markup(trafficText(lines[line])),
			PaddingLeft: &yes,
		})
	}
	return hints, nil
}
