package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/hlomap"
)

// Definition goes from the use of a mesh axis to where the mesh is declared, and from a name in a compiled module to its
// instruction or computation. From an instruction's own definition it goes on to the line of Python that it comes from.
func (s *server) Definition(ctx context.Context, params *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	locations := protocol.LocationSlice{}
	if doc.isHLO() && doc.hlo() != nil {
		return s.hloDefinition(ctx, doc, params.Position)
	}
	a, use, err := s.axisUnder(ctx, doc, params.Position)
	if err != nil || a == nil {
		return locations, err
	}
	for _, u := range a.named(use.Name) {
		if u.Declares {
			locations = append(locations, s.axisLocation(a, u))
		}
	}
	return locations, nil
}

// axisUnder finds the mesh axis under the cursor; the analysis is nil where there is none.
func (s *server) axisUnder(ctx context.Context, doc *document, at protocol.Position) (*analysis, axisUse, error) {
	if !doc.isPython() {
		return nil, axisUse{}, nil
	}
	a, err := s.analysed(ctx, doc)
	if err != nil {
		return nil, axisUse{}, err
	}
	use, ok := a.axisAt(doc.path, offsetFromPosition(doc.text, at, s.editor.encoding))
	if !ok {
		return nil, axisUse{}, nil
	}
	return a, use, nil
}

func (s *server) axisLocation(a *analysis, u axisUse) protocol.Location {
	location, _ := s.location(a, analyzers.Span{Path: u.path, Start: u.Start, End: u.End}, 0)
	return location
}

func (s *server) hloDefinition(ctx context.Context, doc *document, at protocol.Position) (protocol.LocationSlice, error) {
	h, offset := doc.hlo(), offsetFromPosition(doc.text, at, s.editor.encoding)
	line := doc.text.Line(offset)
	_, _, word := hloWord(doc.text, offset)
	symbol, ok := h.resolve(line, word)
	if !ok || symbol.line == line && symbol.instruction != hlomap.NoInstr {
		return s.pythonOf(ctx, doc, h, line)
	}
	return protocol.LocationSlice{{URI: doc.uri, Range: rangeOfLine(doc.text, symbol.line, s.editor.encoding)}}, nil
}

// pythonOf is where the instruction on a 0-based line of a module comes from: its innermost frame in the workspace.
func (s *server) pythonOf(ctx context.Context, doc *document, h *hloText, line int) (protocol.LocationSlice, error) {
	i, ok := h.byLine[line]
	if !ok {
		return protocol.LocationSlice{}, nil
	}
	a, err := s.analysed(ctx, doc)
	if err != nil || a.workspace == nil {
		return protocol.LocationSlice{}, err
	}
	for _, frame := range h.module.Frames(i) {
		if path, ok := a.matchFrame(frame.Path); ok {
			if m := a.text(path); m != nil {
				return protocol.LocationSlice{{URI: a.uri(path), Range: rangeOfLine(m, frame.Line-1, s.editor.encoding)}}, nil
			}
		}
	}
	return protocol.LocationSlice{}, nil
}
