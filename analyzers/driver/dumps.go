package driver

import (
	"fmt"
	"time"

	"github.com/shardls/shardls/analyzers"
)

// The codes of the rules that judge the run rather than a program.
const (
	unusedSuppression  = "SHD001"
	unknownSuppression = "SHD002"
	oldDump            = "SHD003"
	unreadableDump     = "SHD004"
)

// dumps reports dumps that could not be read and dumps that look older than the code they describe.
func (r *run) dumps() {
	for _, d := range r.in.Dumps {
		if d.Problem == "" {
			continue
		}
		if a := r.own(unreadableDump); a != nil && r.anywhere(unreadableDump) {
			r.completed(a, r.keep)(analyzers.Finding{
				Span: analyzers.Span{Path: d.Path}, Message: "this dump could not be read: " + d.Problem,
			})
		}
	}
}

func (r *run) keep(f analyzers.Finding) { r.findings = append(r.findings, f) }

func (r *run) own(code string) *analyzers.Analyzer {
	for _, a := range r.in.Analyzers {
		if a.Code == code {
			return a
		}
	}
	return nil
}

func sinceText(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d/time.Hour))
	}
	return fmt.Sprintf("%d minutes", max(1, int(d/time.Minute)))
}
