package lsp

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

// symbol is a mesh, a named spec or a manual region of a Python file. Offsets are bytes.
type symbol struct {
	name, detail string
	kind         protocol.SymbolKind
	start, end   int
}

// pythonSymbols are the symbols of one file in the order of the source. Facts of imported files are left to these files.
func (a *analysis) pythonSymbols(path string) []symbol {
	f := a.workspace.File(path)
	if f == nil {
		return nil
	}
	facts := f.Facts()
	var out []symbol
	seen := map[int]bool{}
	add := func(at flow.Ref, s symbol) {
		if !at.Valid() {
			return
		}
		where, start, end := at.Span()
		if where != path || seen[start] {
			return
		}
		seen[start] = true
		s.start, s.end = start, end
		out = append(out, s)
	}
	for _, m := range facts.Meshes {
		add(m.At, symbol{name: cmpOr(m.Name, "mesh"), detail: meshText(m), kind: protocol.SymbolKindObject})
	}
	for _, m := range facts.Manuals {
		add(m.Event.At, symbol{name: m.Kind + regionName(m), detail: regionText(m), kind: protocol.SymbolKindNamespace})
	}
	for _, e := range facts.Named("jax.sharding.PartitionSpec") {
		spec, ok := e.Result.(*flow.Spec)
		if target := assignedTo(e.At); ok && target != "" {
			add(e.At, symbol{name: target, detail: spec.String(), kind: protocol.SymbolKindConstant})
		}
	}
	slices.SortFunc(out, func(x, y symbol) int { return x.start - y.start })
	return out
}

func cmpOr(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// assignedTo is the text of what an expression is assigned to as a whole, "" where it is not.
func assignedTo(at flow.Ref) string {
	file := at.File.Syntax
	parent := file.Parent(at.Node)
	if !file.Is(parent, pyparse.KindAssignment) || file.FieldOf(at.Node) != pyparse.FieldRight {
		return ""
	}
	return file.Text(file.Child(parent, pyparse.FieldLeft))
}

func regionName(m *flow.ManualCall) string {
	if f, ok := m.Fn.(*flow.Func); ok && f.Name != "" {
		return " " + f.Name
	}
	return ""
}

func regionText(m *flow.ManualCall) string {
	switch {
	case m.AxesAll && m.Mesh != nil && m.Mesh.Known:
		return "manual over " + strings.Join(m.Mesh.Names(), ", ")
	case len(m.Axes) > 0:
		return "manual over " + strings.Join(m.Axes, ", ")
	default:
		return ""
	}
}

// symbolRange is the range of a symbol, and of its first line for editors that select.
func symbolRange(m *text.Map, s symbol, enc text.Encoding) (whole, first protocol.Range) {
	_, lineEnd, _ := m.LineBounds(m.Line(s.start))
	return rangeFromOffsets(m, s.start, s.end, enc), rangeFromOffsets(m, s.start, min(s.end, lineEnd), enc)
}
