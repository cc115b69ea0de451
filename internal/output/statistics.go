package output

import (
	"fmt"
	"io"
	"sort"

	"github.com/shardls/shardls/analyzers"
)

// Tally is how often one rule was found.
type tally struct {
	Code     string `json:"code"`
	Name     string `json:"name"`
	Severity string `json:"severity"`
	Count    int    `json:"count"`
	Fixable  int    `json:"fixable"`

	severity analyzers.Severity
}

// tallies counts findings by rule, the most frequent first.
func (r *Report) tallies() []tally {
	byCode := map[string]*tally{}
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		t := byCode[f.Code]
		if t == nil {
			t = &tally{Code: f.Code, Name: f.Name}
			byCode[f.Code] = t
		}
		t.Count++
		t.severity = max(t.severity, f.Severity)
		t.Severity = t.severity.String()
		if len(f.Fixes) > 0 {
			t.Fixable++
		}
	}
	out := []tally{}
	for _, t := range byCode {
		out = append(out, *t)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Count != out[j].Count {
			return out[i].Count > out[j].Count
		}
		return out[i].Code < out[j].Code
	})
	return out
}

// Statistics prints how often each rule was found.
func Statistics(w io.Writer, r *Report, style Style) error {
	for _, t := range r.tallies() {
		mark := " "
		if t.Fixable > 0 {
			mark = "*"
		}
		if _, err := fmt.Fprintf(w, "%6d  %s %s %s\n", t.Count, style.severity(t.severity, t.Code), mark, t.Name); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, r.closing(style))
	return err
}

// StatisticsJSON prints the same as a document.
func StatisticsJSON(w io.Writer, r *Report) error {
	return WriteJSON(w, struct {
		Version    int     `json:"version"`
		Statistics []tally `json:"statistics"`
	}{1, r.tallies()})
}
