package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/internal/units"
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
			Label:       protocol.String(hintText(list)),
			Tooltip:     s.markup(trafficText(lines[line])),
			PaddingLeft: &yes,
		})
	}
	return hints, nil
}

// hintText says in a few words what a line communicates; editors cut longer hints. Where several modules run the line, its bytes are
// those of the module that moves most, since they do not run in the same step.
func hintText(list []caused) string {
	var kinds []string
	var sum total
	sums := map[*link.Module]*total{}
	for _, c := range list {
		if sums[c.module] == nil {
			sums[c.module] = &total{}
		}
		sums[c.module].add(c.Collective.BytesPerStep)
		kind := c.Collective.Opcode
		if axes := axesText(c.Collective); axes != "" {
			kind += "(" + axes + ")"
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	for _, s := range sums {
		sum.known, sum.unknown, sum.bytes = sum.known+s.known, sum.unknown+s.unknown, max(sum.bytes, s.bytes)
	}
	what := strings.Join(kinds, " ")
	const most = 30
	if len(what) > most {
		what = fmt.Sprintf("%d collectives", len(list))
	}
	switch {
	case sum.known == 0:
		return what
	case sum.unknown > 0:
		return what + " ≥" + units.Bytes(sum.bytes)
	default:
		return what + " " + units.Bytes(sum.bytes)
	}
}
