package output

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
)

// fingerprints returns one stable name for each finding: code, path, the marked text without its layout, and a running
// number among equals. Lines that move do not change it, so that a service that compares runs knows the finding again.
func (r *Report) fingerprints() []string {
	out := make([]string, len(r.Result.Findings))
	seen := map[string]int{}
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		key := strings.Join([]string{f.Code, r.display(f.Span.Path), r.marked(f)}, "\x00")
		n := seen[key]
		seen[key]++
		sum := sha256.Sum256([]byte(fmt.Sprintf("%s\x00%d", key, n)))
		out[i] = hex.EncodeToString(sum[:16])
	}
	return out
}

// marked is the text that a finding marks, else its line, with runs of blanks made one.
func (r *Report) marked(f *analyzers.Finding) string {
	s := r.source(f.Span.Path)
	if s == nil || s.Text == nil {
		return ""
	}
	start, end := f.Span.Start, min(f.Span.End, len(s.Text.Text))
	if end <= start {
		var ok bool
		if start, end, ok = s.Text.LineBounds(s.Text.Line(f.Span.Start)); !ok {
			return ""
		}
	}
	return strings.Join(strings.Fields(string(s.Text.Text[start:end])), " ")
}
