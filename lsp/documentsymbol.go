package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/shardls/shardls/hlomap"
)

// DocumentSymbol lists the meshes, specs and manual regions of a Python file, and the computations of a compiled module
// with their collectives.
func (s *server) DocumentSymbol(ctx context.Context, params *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	symbols := protocol.DocumentSymbolSlice{}
	if doc.isHLO() && doc.hlo() != nil {
		symbols = s.hloSymbols(doc, doc.hlo())
	}
	if doc.isPython() {
		a, err := s.analysed(ctx, doc)
		if err != nil {
			return nil, err
		}
		symbols = s.pythonOutline(a, doc)
	}
	if s.editor.hierarchical {
		return symbols, nil
	}
	return flatten(symbols, doc.uri, ""), nil
}

func (s *server) pythonOutline(a *analysis, doc *document) protocol.DocumentSymbolSlice {
	symbols := protocol.DocumentSymbolSlice{}
	if a.workspace == nil {
		return symbols
	}
	for _, symbol := range a.pythonSymbols(doc.path) {
		whole, first := symbolRange(doc.text, symbol, s.editor.encoding)
		d := protocol.DocumentSymbol{Name: symbol.name, Kind: symbol.kind, Range: whole, SelectionRange: first}
		if symbol.detail != "" {
			d.Detail = &symbol.detail
		}
		symbols = append(symbols, d)
	}
	return symbols
}

func (s *server) hloSymbols(doc *document, h *hloText) protocol.DocumentSymbolSlice {
	children := map[hlomap.CompID][]protocol.DocumentSymbol{}
	for _, c := range h.collectives() {
		id := h.module.CompByName(c.Computation)
		detail := moduleSummary([]caused{{At: atOf(&c)}})
		line := rangeOfLine(doc.text, c.Line-1, s.editor.encoding)
		children[id] = append(children[id], protocol.DocumentSymbol{
			Name: c.Name, Detail: &detail, Kind: protocol.SymbolKindEvent, Range: line, SelectionRange: line,
		})
	}
	symbols := protocol.DocumentSymbolSlice{}
	for _, c := range h.comps {
		_, end, _ := doc.text.LineBounds(c.last)
		start, _, _ := doc.text.LineBounds(c.first)
		kind := protocol.SymbolKindFunction
		if c.id == h.module.Entry() {
			kind = protocol.SymbolKindModule
		}
		symbols = append(symbols, protocol.DocumentSymbol{
			Name:           h.module.CompName(c.id),
			Kind:           kind,
			Range:          rangeFromOffsets(doc.text, start, end, s.editor.encoding),
			SelectionRange: rangeOfLine(doc.text, c.first, s.editor.encoding),
			Children:       children[c.id],
		})
	}
	return symbols
}

// flatten is for editors that know no hierarchy.
func flatten(symbols []protocol.DocumentSymbol, u uri.URI, container string) protocol.SymbolInformationSlice {
	out := protocol.SymbolInformationSlice{}
	for _, d := range symbols {
		var info protocol.SymbolInformation
		info.Name, info.Kind = d.Name, d.Kind
		info.Location = protocol.Location{URI: u, Range: d.Range}
		if container != "" {
			info.ContainerName = &container
		}
		out = append(out, info)
		out = append(out, flatten(d.Children, u, d.Name)...)
	}
	return out
}
