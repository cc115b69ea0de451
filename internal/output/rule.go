package output

import (
	"fmt"
	"io"
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
		language := "python"
		if strings.HasPrefix(body, "[tool.") { // a table of pyproject.toml
			language = "toml"
		}
		return "```" + language + "\n" + body + "\n```"
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
	if a.Evidence == analyzers.FromSource && a.CheckDump != nil {
		text = "The source alone, or an HLO dump."
	}
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

// RuleList prints one line for each rule.
func RuleList(w io.Writer, rules []*analyzers.Analyzer, style Style) error {
	width := 0
	for _, a := range rules {
		width = max(width, len(a.Name))
	}
	for _, a := range rules {
		if _, err := fmt.Fprintf(w, "%s %-7s  %-*s  %s\n", style.severity(a.Severity, a.Code), a.Severity, width, a.Name, a.Summary); err != nil {
			return err
		}
	}
	return nil
}

// RulePages prints the page of each rule.
func RulePages(w io.Writer, rules []*analyzers.Analyzer) error {
	for i, a := range rules {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := io.WriteString(w, RulePage(a)); err != nil {
			return err
		}
	}
	return nil
}

// RulePage is the whole page of a rule.
func RulePage(a *analyzers.Analyzer) string {
	return fmt.Sprintf("# %s %s\n\n%s. Severity: %s.\n\n%s", a.Code, a.Name, capital(a.Summary), a.Severity, RuleMarkdown(a))
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

type jsonRule struct {
	Code      string  `json:"code"`
	Name      string  `json:"name"`
	Summary   string  `json:"summary"`
	Severity  string  `json:"severity"`
	Evidence  string  `json:"evidence"`
	Since     string  `json:"since"`
	JAXFrom   *string `json:"jaxFrom"`
	JAXTo     *string `json:"jaxTo"`
	URL       string  `json:"url"`
	Finds     *string `json:"finds"`
	Matters   *string `json:"matters"`
	Example   *string `json:"example"`
	Instead   *string `json:"instead"`
	FixSafety *string `json:"fixSafety"`
	Ignore    *string `json:"ignore"`
}

// RulesJSON prints rules as one document.
func RulesJSON(w io.Writer, rules []*analyzers.Analyzer, url func(string) string) error {
	out := []jsonRule{}
	for _, a := range rules {
		out = append(out, jsonRule{
			Code: a.Code, Name: a.Name, Summary: a.Summary, Severity: a.Severity.String(), Evidence: string(a.Evidence),
			Since: a.Since, JAXFrom: orNull(a.JAX.From), JAXTo: orNull(a.JAX.To), URL: url(a.Code),
			Finds: orNull(a.Doc.Finds), Matters: orNull(a.Doc.Matters), Example: orNull(a.Doc.Example),
			Instead: orNull(a.Doc.Instead), FixSafety: orNull(a.Doc.FixSafety), Ignore: orNull(a.Doc.Ignore),
		})
	}
	return WriteJSON(w, struct {
		Version int        `json:"version"`
		Rules   []jsonRule `json:"rules"`
	}{1, out})
}
