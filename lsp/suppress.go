package lsp

import (
	"regexp"

	"github.com/shardls/shardls/internal/text"
)

// comment finds a suppression comment at the end of a line and the place behind its last code.
var comment = regexp.MustCompile(`#\s*shardls:\s*ignore\[[A-Z0-9, ]*`)

// suppression is the edit that suppresses code on a 0-based line: one more code in the comment that is there, or a new
// comment at the end. It returns the byte offset at which newText is to be inserted.
func suppression(m *text.Map, line int, code string) (at int, newText string) {
	start, end, ok := m.LineBounds(line)
	if !ok {
		return len(m.Text), ""
	}
	if found := comment.FindIndex(m.Text[start:end]); found != nil {
		return start + found[1], ", " + code
	}
	return end, "  # shardls: ignore[" + code + "]"
}
