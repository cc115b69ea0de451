package lsp

import (
	"sync"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/text"
)

// hloText is an open document that holds a compiled module: the module and where its parts stand.
type hloText struct {
	module *hlomap.Module
	byLine map[int]hlomap.InstrID // by 0-based line
	comps  []hloComputation       // in the order of the text

	collectives func() []hlomap.Collective // described when first asked for
}

// hloComputation is a computation and its 0-based lines, both inclusive: from its header to its closing brace.
type hloComputation struct {
	id          hlomap.CompID
	first, last int
}

// readHLO returns a function that reads a module when first called; nil if the text holds none.
func readHLO(path string, m *text.Map) func() *hloText {
	return sync.OnceValue(func() *hloText {
		modules, _ := hlomap.Open(path, m.Text)
		if len(modules) == 0 {
			return nil
		}
		h := &hloText{module: modules[0], byLine: map[int]hlomap.InstrID{}}
		h.collectives = sync.OnceValue(h.module.Collectives)
		for c := range hlomap.CompID(h.module.NumComputations()) {
			first, end := h.module.CompRange(c)
			if first == end {
				continue
			}
			for i := first; i < end; i++ {
				h.byLine[h.module.Line(i)-1] = i
			}
			h.comps = append(h.comps, hloComputation{c, max(0, h.module.Line(first)-2), min(h.module.Line(end-1), m.Lines()-1)})
		}
		return h
	})
}

// computation is the computation that holds a 0-based line.
func (h *hloText) computation(line int) (hloComputation, bool) {
	for _, c := range h.comps {
		if c.first <= line && line <= c.last {
			return c, true
		}
	}
	return hloComputation{}, false
}

// hloWord returns the byte range of the name at an offset, without its %, and "" where there is none.
func hloWord(m *text.Map, offset int) (start, end int, word string) {
	start, end = offset, offset
	for start > 0 && isHLOName(m.Text[start-1]) {
		start--
	}
	for end < len(m.Text) && isHLOName(m.Text[end]) {
		end++
	}
	return start, end, string(m.Text[start:end])
}

func isHLOName(c byte) bool {
	return c == '_' || c == '.' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// symbol is what a name of a module means: an instruction or, where instruction is NoInstr, a computation. Names of
// instructions are looked up in the computation of the line that uses them.
type hloSymbol struct {
	name        string
	computation hlomap.CompID
	instruction hlomap.InstrID
	first, last int // the 0-based lines on which the name means this
	line        int // 0-based line of the definition
}

// resolve finds what a name on a 0-based line means.
func (h *hloText) resolve(line int, name string) (hloSymbol, bool) {
	if name == "" {
		return hloSymbol{}, false
	}
	if c, ok := h.computation(line); ok && line != c.first {
		if i := h.module.InstrByName(c.id, name); i != hlomap.NoInstr {
			return hloSymbol{name, c.id, i, c.first + 1, c.last, h.module.Line(i) - 1}, true
		}
	}
	for _, c := range h.comps {
		if h.module.CompName(c.id) == name {
			return hloSymbol{name, c.id, hlomap.NoInstr, 0, 1 << 30, c.first}, true
		}
	}
	return hloSymbol{}, false
}

// occurrences are the byte ranges of a symbol's name in its scope, the definition among them.
func (h *hloText) occurrences(m *text.Map, s hloSymbol) [][2]int {
	var found [][2]int
	for line := s.first; line <= s.last && line < m.Lines(); line++ {
		start, end, _ := m.LineBounds(line)
		for at := start; at < end; {
			if !isHLOName(m.Text[at]) {
				at++
				continue
			}
			from, to, word := hloWord(m, at)
			if word == s.name {
				found = append(found, [2]int{from, to})
			}
			at = to
		}
	}
	return found
}
