package output

import (
	"io"

	"github.com/shardls/shardls/analyzers"
)

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path      string          `json:"path"`
	Positions gitlabPositions `json:"positions"`
}

type gitlabPositions struct {
	Begin gitlabPoint `json:"begin"`
	End   gitlabPoint `json:"end"`
}

type gitlabPoint struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// GitLab prints a Code Quality report.
func GitLab(w io.Writer, r *Report) error {
	names := r.fingerprints()
	issues := []gitlabIssue{}
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		start, end := r.fileRange(f.Span)
		severity := map[analyzers.Severity]string{analyzers.Error: "critical", analyzers.Warning: "major"}[f.Severity]
		if severity == "" {
			severity = "info"
		}
		issues = append(issues, gitlabIssue{
			Description: r.told(f.Span, f.Code+": "+f.Message), CheckName: f.Code, Fingerprint: names[i], Severity: severity,
			Location: gitlabLocation{Path: r.display(f.Span.Path), Positions: gitlabPositions{
				Begin: gitlabPoint{start.Line, start.Column}, End: gitlabPoint{end.Line, end.Column},
			}},
		})
	}
	return WriteJSON(w, issues)
}
