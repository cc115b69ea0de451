package output

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/shardls/shardls/analyzers"
)

// The structs below are the part of SARIF 2.1.0 that code scanning services read.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
	Invocations []sarifInvocation `json:"invocations"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	Name             string       `json:"name"`
	ShortDescription sarifMessage `json:"shortDescription"`
	FullDescription  sarifMessage `json:"fullDescription"`
	Help             sarifHelp    `json:"help"`
	HelpURI          string       `json:"helpUri,omitempty"`
	Configuration    sarifLevel   `json:"defaultConfiguration"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Fixes        []sarifFix        `json:"fixes,omitempty"`
	Properties   sarifProperties   `json:"properties"`
}

// sarifProperties are what a finding rests on, in the words of the JSON format.
type sarifProperties struct {
	Evidence   string        `json:"evidence"`
	Confidence string        `json:"confidence"`
	HLO        *jsonHLOFacts `json:"hlo,omitempty"`
}

type sarifLocation struct {
	ID       *int          `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifMessage `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int           `json:"startLine"`
	StartColumn int           `json:"startColumn"`
	EndLine     int           `json:"endLine,omitempty"`
	EndColumn   int           `json:"endColumn,omitempty"`
	Snippet     *sarifMessage `json:"snippet,omitempty"`
}

type sarifFix struct {
	Description sarifMessage  `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion   `json:"deletedRegion"`
	Inserted *sarifMessage `json:"insertedContent,omitempty"`
}

// SARIF prints a check as a SARIF 2.1.0 log.
func SARIF(w io.Writer, r *Report) error {
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{Name: "shardls", Version: r.Version, Rules: []sarifRule{}}},
		// Columns count code points, as everywhere in the output.
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Invocations: []sarifInvocation{{Successful: true, Notifications: r.sarifProblems()}},
	}
	index := map[string]int{}
	for _, a := range r.Rules {
		index[a.Code] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, r.sarifRule(a))
	}
	names := r.fingerprints()
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		if _, ok := index[f.Code]; !ok {
			continue // a finding without a rule would make the log invalid
		}
		run.Results = append(run.Results, r.sarifResult(f, index[f.Code], names[i]))
	}
	return WriteJSON(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func (r *Report) sarifProblems() []sarifNotification {
	var out []sarifNotification
	for _, p := range r.Result.Problems {
		at := sarifLocation{Physical: sarifPhysical{Artifact: r.artifact(p.Path)}}
		if p.Line > 0 {
			at.Physical.Region = &sarifRegion{StartLine: p.Line, StartColumn: 1}
		}
		out = append(out, sarifNotification{Level: "warning", Message: sarifMessage{p.Message}, Locations: []sarifLocation{at}})
	}
	return out
}

func sarifSeverity(s analyzers.Severity) string {
	switch s {
	case analyzers.Error:
		return "error"
	case analyzers.Warning:
		return "warning"
	}
	return "note"
}

func (r *Report) sarifRule(a *analyzers.Analyzer) sarifRule {
	rule := sarifRule{
		ID: a.Code, Name: a.Name, ShortDescription: sarifMessage{a.Summary}, FullDescription: sarifMessage{orElse(a.Doc.Finds, a.Summary)},
		Help:          sarifHelp{Text: strings.TrimSpace(a.Doc.Finds + "\n\n" + a.Doc.Matters), Markdown: RuleMarkdown(a)},
		Configuration: sarifLevel{sarifSeverity(a.Severity)},
	}
	if rule.Help.Text == "" {
		rule.Help.Text = a.Summary
	}
	if r.URL != nil {
		rule.HelpURI = r.URL(a.Code)
	}
	return rule
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (r *Report) sarifResult(f *analyzers.Finding, rule int, fingerprint string) sarifResult {
	result := sarifResult{
		RuleID: f.Code, RuleIndex: rule, Level: sarifSeverity(f.Severity), Message: sarifMessage{r.told(f.Span, f.Message)},
		Locations:    []sarifLocation{{Physical: r.physical(f.Span, true)}},
		Fingerprints: map[string]string{"shardls/v1": fingerprint},
		Properties:   sarifProperties{Evidence: string(f.Evidence), Confidence: string(f.Confidence), HLO: r.jsonHLOFacts(f.HLO)},
	}
	for i, rel := range f.Related {
		at := sarifLocation{ID: &i, Message: &sarifMessage{rel.Message}, Physical: r.physical(rel.Span, false)}
		if rel.Line > 0 {
			at.Physical.Region = &sarifRegion{StartLine: rel.Line, StartColumn: 1}
		}
		if rel.Span.Path != "" {
			result.Related = append(result.Related, at)
		}
	}
	for _, fix := range f.Fixes {
		if s := r.sarifFix(&fix); s != nil {
			result.Fixes = append(result.Fixes, *s)
		}
	}
	return result
}

func (r *Report) sarifFix(fix *analyzers.Fix) *sarifFix {
	if len(fix.Edits) == 0 {
		return nil
	}
	out := &sarifFix{Description: sarifMessage{fix.Title}}
	for _, group := range byFile(fix.Edits) {
		if r.notebook(group[0].Span.Path) {
			return nil // a cell's lines are not those of the file
		}
		change := sarifChange{Artifact: r.artifact(group[0].Span.Path)}
		for _, e := range group {
			replacement := sarifReplacement{Deleted: *r.region(e.Span, false)}
			if e.NewText != "" {
				replacement.Inserted = &sarifMessage{e.NewText}
			}
			change.Replacements = append(change.Replacements, replacement)
		}
		out.Changes = append(out.Changes, change)
	}
	return out
}

func (r *Report) physical(span analyzers.Span, snippet bool) sarifPhysical {
	return sarifPhysical{Artifact: r.artifact(span.Path), Region: r.region(span, snippet)}
}

// artifact is a reference relative to the repository where the file lies in the working directory, else a file URI.
func (r *Report) artifact(path string) sarifArtifact {
	shown := r.display(path)
	if !filepath.IsAbs(filepath.FromSlash(shown)) {
		return sarifArtifact{URI: (&url.URL{Path: shown}).String(), Base: "%SRCROOT%"}
	}
	if !strings.HasPrefix(shown, "/") {
		shown = "/" + shown // a drive letter
	}
	return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: shown}).String()}
}

func (r *Report) region(span analyzers.Span, snippet bool) *sarifRegion {
	start, end := r.fileRange(span)
	region := &sarifRegion{StartLine: start.Line, StartColumn: start.Column, EndLine: end.Line, EndColumn: end.Column}
	if s := r.source(span.Path); snippet && s != nil && s.Text != nil && span.End > span.Start && span.End <= len(s.Text.Text) {
		region.Snippet = &sarifMessage{string(s.Text.Text[span.Start:span.End])}
	}
	return region
}
