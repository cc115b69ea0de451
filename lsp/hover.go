package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/units"
)

// Hover explains what stands under the cursor and what its line communicates.
func (s *server) Hover(ctx context.Context, params *protocol.HoverParams) (*protocol.Hover, error) {
	doc, err := s.document(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if doc.isHLO() && doc.hlo() != nil {
		return s.hloHover(doc, offsetFromPosition(doc.text, params.Position, s.editor.encoding)), nil
	}
	if !doc.isPython() {
		return nil, nil
	}
	a, err := s.analysed(ctx, doc)
	if err != nil {
		return nil, err
	}
	offset := offsetFromPosition(doc.text, params.Position, s.editor.encoding)
	line := doc.text.Line(offset)
	var sections []string
	where := rangeOfLine(doc.text, line, s.editor.encoding)
	if a.workspace != nil {
		if t, ok := a.thingAt(doc.path, offset); ok {
			sections = append(sections, t.text)
			where = rangeFromOffsets(doc.text, t.start, t.end, s.editor.encoding)
		}
	}
	if list := a.traffic().lines[doc.path][line+1]; len(list) > 0 {
		sections = append(sections, trafficText(list))
	}
	if a.loading && s.reading.Load() {
		sections = append(sections, "An HLO dump is still loading.")
	}
	if len(sections) == 0 {
		return nil, nil
	}
	return &protocol.Hover{Contents: s.markup(strings.Join(sections, "\n\n---\n\n")), Range: &where}, nil
}

// markup is text for the editor: Markdown, or without its marks where the editor can't show them.
func (s *session) markup(text string) *protocol.MarkupContent {
	if s.editor.markdown {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: plain.Replace(text)}
}

var plain = strings.NewReplacer("**", "", "`", "", "\n---\n", "\n")

// trafficText describes the collectives of a line in Markdown.
func trafficText(list []caused) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", summary(list))
	const most = 12
	for i, c := range list {
		if i == most {
			fmt.Fprintf(&b, "\n- and %d more", len(list)-most)
			break
		}
		b.WriteString("\n- ")
		b.WriteString(collectiveText(c))
	}
	return b.String()
}

// collectiveText describes one collective: what moves, over which axes, how often, for which parameters, at what cost.
func collectiveText(c caused) string {
	col := c.Collective
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`%s in `%s`", col.Name, over(axesText(col)), c.module.Name)
	switch c.Via {
	case "cause":
		b.WriteString(", caused here")
	case "caller":
		b.WriteString(", called from here")
	}
	if arrays := arraysText(col); arrays != "" {
		b.WriteString(": " + arrays)
	}
	b.WriteString("\n  - " + costText(col))
	for _, text := range c.times.of(col) {
		b.WriteString("\n  - " + text)
	}
	if parameters := parametersOf(col); len(parameters) > 0 {
		b.WriteString("\n  - for " + listText(parameters, 4))
	}
	if col.ReducerDType != "" {
		b.WriteString("\n  - summed in " + col.ReducerDType)
		if col.WidenedByBackend {
			b.WriteString(", widened by the backend")
		}
	}
	return b.String()
}

// costText is what one device's share of a collective costs.
func costText(c *hlomap.Collective) string {
	per := "unknown bytes"
	if c.BytesPerExecution != nil {
		per = units.Bytes(*c.BytesPerExecution)
	}
	times := "an unknown number of executions"
	if c.Executions != nil {
		times = fmt.Sprintf("%d %s", *c.Executions, plural("execution", int(min(*c.Executions, 2))))
	}
	text := per + " × " + times
	if c.BytesPerStep != nil {
		text += " = " + units.Bytes(*c.BytesPerStep) + " per step"
	}
	if c.WireBytesPerExecution != nil {
		text += ", each device sends " + units.Bytes(*c.WireBytesPerExecution) + " each time"
	}
	return text
}

func arraysText(c *hlomap.Collective) string {
	var arrays []string
	for _, o := range c.Operands {
		arrays = append(arrays, "`"+arrayText(o.Array)+"`")
	}
	if len(arrays) == 0 {
		for _, r := range c.Results {
			arrays = append(arrays, "`"+arrayText(r)+"`")
		}
	}
	return listText(arrays, 4)
}

func arrayText(a hlomap.Array) string {
	dims := make([]string, len(a.Shape))
	for i, d := range a.Shape {
		dims[i] = fmt.Sprint(d)
	}
	return a.DType + "[" + strings.Join(dims, ",") + "]"
}

// parametersOf are the tree paths that the operands belong to, each once.
func parametersOf(c *hlomap.Collective) []string {
	var out []string
	seen := map[string]bool{}
	for _, o := range c.Operands {
		for _, p := range o.Parameters {
			if !seen[p] {
				seen[p] = true
				out = append(out, "`"+p+"`")
			}
		}
	}
	return out
}

// listText joins items and counts those beyond the first most.
func listText(items []string, most int) string {
	if len(items) <= most {
		return strings.Join(items, ", ")
	}
	return strings.Join(items[:most], ", ") + fmt.Sprintf(" and %d more", len(items)-most)
}
