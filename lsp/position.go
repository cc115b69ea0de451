package lsp

import (
	"math"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/internal/text"
)

// rangeFromOffsets converts a half-open byte range to the editor's positions.
func rangeFromOffsets(m *text.Map, start, end int, enc text.Encoding) protocol.Range {
	return protocol.Range{Start: positionFromOffset(m, start, enc), End: positionFromOffset(m, max(start, end), enc)}
}

func positionFromOffset(m *text.Map, offset int, enc text.Encoding) protocol.Position {
	line, column := m.UnitsFromOffset(offset, enc)
	return protocol.Position{Line: uint32(line), Character: uint32(column)}
}

// offsetsFromRange converts the editor's range to byte offsets with start <= end, both inside the text.
func offsetsFromRange(m *text.Map, r protocol.Range, enc text.Encoding) (start, end int) {
	start, end = offsetFromPosition(m, r.Start, enc), offsetFromPosition(m, r.End, enc)
	return start, max(start, end)
}

func offsetFromPosition(m *text.Map, p protocol.Position, enc text.Encoding) int {
	return m.OffsetFromUnits(clampInt(p.Line), clampInt(p.Character), enc)
}

// clampInt keeps a column that an editor gives as "the end of the line" from overflowing where offsets are added to it.
func clampInt(u uint32) int { return int(min(u, math.MaxInt32/2)) }

// rangeOfLine is the whole 0-based line without its indentation and line ending.
func rangeOfLine(m *text.Map, line int, enc text.Encoding) protocol.Range {
	start, end, ok := m.LineBounds(line)
	if !ok {
		return protocol.Range{}
	}
	for start < end && (m.Text[start] == ' ' || m.Text[start] == '\t') {
		start++
	}
	return rangeFromOffsets(m, start, end, enc)
}
