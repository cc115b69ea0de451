package lsp

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// Completion offers the axes of known meshes inside the strings of a PartitionSpec and of axis_name arguments.
func (s *server) Completion(ctx context.Context, params *protocol.CompletionParams) (protocol.CompletionResult, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	if !doc.isPython() {
		return list, nil
	}
	offset := offsetFromPosition(doc.text, params.Position, s.editor.encoding)
	start, _, ok := doc.text.LineBounds(doc.text.Line(offset))
	site, inString := stringSite(doc.text.Text[start:offset])
	if !ok || !inString {
		return list, nil
	}
	a, err := s.analysed(ctx, doc)
	if err != nil || a.workspace == nil {
		return list, err
	}
	f := a.workspace.File(doc.path)
	if f == nil || !site.takesAxes(f.Syntax()) {
		return list, nil
	}
	from := start + site.content
	to := offset
	for to < len(doc.text.Text) && isNameByte(doc.text.Text[to]) {
		to++
	}
	where := rangeFromOffsets(doc.text, from, to, s.editor.encoding)
	for _, axis := range a.knownAxes() {
		list.Items = append(list.Items, protocol.CompletionItem{
			Label:    axis.name,
			Kind:     protocol.CompletionItemKindEnumMember,
			Detail:   protocol.NewOptional(axis.detail),
			TextEdit: &protocol.TextEdit{Range: where, NewText: axis.name},
		})
	}
	return list, nil
}

// site is the string that a cursor stands in, as far as the line up to the cursor tells; while someone types, the line is
// seldom a whole expression.
type site struct {
	content int    // where the string's content begins, in bytes from the start of the line
	callee  string // dotted name before the innermost open parenthesis that has a name
	keyword string // of the argument that holds the string, "" for a positional one
}

// stringSite reads a line up to the cursor, and reports whether that ends inside a string.
func stringSite(line []byte) (site, bool) {
	var quote byte
	open := -1
	var brackets []int // of open brackets outside of strings
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote, open = c, i
		case c == '#':
			return site{}, false
		case c == '(' || c == '[' || c == '{':
			brackets = append(brackets, i)
		case (c == ')' || c == ']' || c == '}') && len(brackets) > 0:
			brackets = brackets[:len(brackets)-1]
		}
	}
	if quote == 0 {
		return site{}, false
	}
	out := site{content: open + 1}
	inner := line[:open]
	for _, at := range slices.Backward(brackets) {
		if name := dottedBefore(line[:at]); name != "" && line[at] == '(' {
			out.callee = name
			inner = line[at+1 : open]
			break
		}
	}
	if i := bytes.LastIndexByte(inner, '='); i >= 0 && !bytes.ContainsAny(inner[i:], ",)") {
		out.keyword = dottedBefore(bytes.TrimRight(inner[:i], " "))
	}
	return out, true
}

func dottedBefore(b []byte) string {
	start := len(b)
	for start > 0 && (isNameByte(b[start-1]) || b[start-1] == '.') {
		start--
	}
	return string(b[start:])
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// takesAxes reports whether strings in this place name mesh axes, given what the file imports.
func (s site) takesAxes(file *pyparse.File) bool {
	switch s.keyword {
	case "axis_name", "axis_names", "spmd_axis_name":
		return true
	case "":
	default:
		return false
	}
	name := s.callee
	first, rest, dotted := strings.Cut(name, ".")
	for i := range file.Imports {
		if imported := &file.Imports[i]; imported.Bound == first {
			name = imported.Target()
			if dotted {
				name += "." + rest
			}
		}
	}
	return flow.TakesAxisNames(flow.Canonical(name))
}

// knownAxis is an axis of a mesh in the workspace.
type knownAxis struct{ name, detail string }

// knownAxes are the axes of all known meshes, each once, in the order of their names.
func (a *analysis) knownAxes() []knownAxis {
	var out []knownAxis
	seen := map[string]bool{}
	for _, u := range a.axes() {
		if u.Mesh != nil && !seen[u.Name] {
			seen[u.Name] = true
			out = append(out, knownAxis{u.Name, u.Mesh.Label() + ": " + meshText(u.Mesh)})
		}
	}
	slices.SortFunc(out, func(x, y knownAxis) int { return cmp.Compare(x.name, y.name) })
	return out
}
