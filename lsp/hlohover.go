package lsp

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// atOf describes a collective of a module that belongs to no workspace.
func atOf(c *hlomap.Collective) link.At { return link.At{Collective: c, Via: "own"} }

// hloHover explains the instruction that the name at an offset means: what it is, what it moves, and where in Python it
// comes from.
func (s *server) hloHover(doc *document, offset int) *protocol.Hover {
	h := doc.hlo()
	start, end, word := hloWord(doc.text, offset)
	symbol, ok := h.resolve(doc.text.Line(offset), word)
	if !ok {
		return nil
	}
	text := computationText(h.module, symbol.computation)
	if symbol.instruction != hlomap.NoInstr {
		text = instructionText(h, symbol.instruction)
	}
	where := rangeFromOffsets(doc.text, start, end, s.editor.encoding)
	return &protocol.Hover{Contents: s.markup(text), Range: &where}
}

func computationText(m *hlomap.Module, c hlomap.CompID) string {
	first, end := m.CompRange(c)
	what := "computation"
	if c == m.Entry() {
		what = "entry computation"
	}
	text := fmt.Sprintf("%s **%s**, %d instructions", what, m.CompName(c), end-first)
	if callers := m.Callers(c); len(callers) > 0 {
		var names []string
		for _, i := range callers {
			names = append(names, "`"+m.InstrName(i)+"` ("+m.Opcode(i)+")")
		}
		text += "\n\ncalled by " + listText(names, 4)
	}
	return text
}

func instructionText(h *hloText, i hlomap.InstrID) string {
	m := h.module
	var b strings.Builder
	fmt.Fprintf(&b, "%s **%s**", m.Opcode(i), m.InstrName(i))
	for _, c := range h.collectives() {
		if c.Name == m.InstrName(i) && c.Computation == m.CompName(m.Comp(i)) {
			if arrays := arraysText(&c); arrays != "" {
				b.WriteString(" of " + arrays)
			}
			b.WriteString(over(axesText(&c)) + "\n\n" + costText(&c))
		}
	}
	if name := m.OpName(i); name != "" {
		b.WriteString("\n\n`" + name + "`")
	}
	if frames := m.Frames(i); len(frames) > 0 {
		b.WriteString("\n")
		for _, f := range frames {
			fmt.Fprintf(&b, "\n- %s:%d", f.Path, f.Line)
			if f.Function != "" {
				b.WriteString(" in `" + f.Function + "`")
			}
		}
	}
	return b.String()
}
