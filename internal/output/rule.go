package output

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
)

// RuleMarkdown is the page of a rule below its title.
func RuleMarkdown(a *analyzers.Analyzer) string {
	var b strings.Builder
	section := func(title, body string) {
		if body = strings.TrimSpace(body); body != "" {
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", title, body)
		}
	}
	code := func(body string) string {
		if body = strings.TrimSpace(body); body == "" {
			return ""
		}
		return "```python\n" + body + "\n```"
	}
	section("What it finds", a.Doc.Finds)
	section("Why it matters", a.Doc.Matters)
	section("Example", code(a.Doc.Example))
	section("Instead", code(a.Doc.Instead))
	section("Fix safety", a.Doc.FixSafety)
	section("Evidence", RuleEvidence(a))
	section("When to ignore it", a.Doc.Ignore)
	section("Since", a.Since)
	return strings.TrimSpace(b.String()) + "\n"
}

// RuleEvidence says what a rule rests on and for which JAX releases it holds.
func RuleEvidence(a *analyzers.Analyzer) string {
	text := map[analyzers.Evidence]string{
		analyzers.FromSource: "The source alone.",
		analyzers.FromHLO:    "An HLO dump.",
		analyzers.FromBoth:   "The source and an HLO dump.",
	}[a.Evidence]
	switch {
	case a.JAX.From != "" && a.JAX.To != "":
		text += fmt.Sprintf(" JAX %s to %s.", a.JAX.From, a.JAX.To)
	case a.JAX.From != "":
		text += fmt.Sprintf(" JAX %s and later.", a.JAX.From)
	case a.JAX.To != "":
		text += fmt.Sprintf(" JAX up to %s.", a.JAX.To)
	}
	return text
}
