package driver

import (
	"bytes"
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
	overBaseline       = "SHD005"
	overBudget         = "SHD006"
)

// timeSlack is how much later than its dump a file may have been written before the dump counts as older: a checkout or an
// archive sets the times of files that belong together within moments of each other, in any order.
const timeSlack = time.Minute

// dumps reports dumps that could not be read and dumps that look older than the code they describe.
func (r *run) dumps() {
	for _, d := range r.in.Dumps {
		if d.Problem == "" {
			r.read = append(r.read, d.Path)
			continue
		}
		r.report(unreadableDump, analyzers.Finding{
			Span: analyzers.Span{Path: d.Path}, Message: "this dump could not be read: " + d.Problem,
		})
	}
	for i := range r.in.Modules {
		r.age(&r.in.Modules[i])
	}
}

// age compares a dump with the files that it describes and with the configured limit.
func (r *run) age(m *Module) {
	if m.ModTime.IsZero() || m.Module.Deciding == nil {
		return
	}
	dump := m.Module.Deciding.Path
	if limit := m.Settings.MaxAge; limit > 0 && !r.in.Now.IsZero() && r.in.Now.Sub(m.ModTime) > limit {
		r.report(oldDump, analyzers.Finding{
			Span: analyzers.Span{Path: dump}, Evidence: analyzers.FromHLO,
			Message: fmt.Sprintf("this dump was written %s ago, which is more than the configured hlo.max-age", SinceText(r.in.Now.Sub(m.ModTime))),
		})
	}
	for _, path := range m.Module.Paths() {
		name, ok := m.Module.Sources.Match(path)
		file := r.byPath[name]
		if !ok || file == nil || r.stale[name] != nil {
			continue
		}
		message, note, old := staleness(m, path, file)
		if !old {
			continue
		}
		r.stale[name] = &analyzers.Related{Span: analyzers.Span{Path: dump}, Message: note}
		source := file.Facts.Tree().Source
		end := bytes.IndexByte(source, '\n')
		if end < 0 {
			end = len(source)
		}
		r.report(oldDump, analyzers.Finding{
			Span: analyzers.Span{Path: name, End: end}, Message: message, Related: []analyzers.Related{*r.stale[name]},
		})
	}
}

// staleness says whether a dump is older than a file that its frames call path, for the file and for findings that rest on
// the dump. A copy of the source that was kept with the dump tells exactly; times only hint.
func staleness(m *Module, path string, file *File) (message, note string, old bool) {
	if h := m.Module.Kept(path); h != nil {
		if h.Unchanged() {
			return "", "", false
		}
		return fmt.Sprintf("this file was edited after %s was captured; what rests on edited lines is left out until there is a new capture", m.Module.Name),
			"the file was edited after this dump was captured; lines that were not edited are followed to where they are now", true
	}
	if file.ModTime.IsZero() || m.ModTime.IsZero() || file.ModTime.Sub(m.ModTime) <= timeSlack {
		return "", "", false
	}
	ago := SinceText(file.ModTime.Sub(m.ModTime))
	return fmt.Sprintf("the dump of %s was written %s before this file was last changed; make a new dump to be sure of its lines", m.Module.Name, ago),
		fmt.Sprintf("this dump was written %s before the file was last changed; its lines may have moved", ago), true
}

// report adds a finding of one of the run's own rules where it is selected.
func (r *run) report(code string, f analyzers.Finding) {
	if a := r.own(code); a != nil && r.anywhere(code) {
		r.completed(a, func(f analyzers.Finding) { r.findings = append(r.findings, f) })(f)
	}
}

func (r *run) own(code string) *analyzers.Analyzer {
	for _, a := range r.in.Analyzers {
		if a.Code == code {
			return a
		}
	}
	return nil
}

// hlo says which dumps the run rests on.
func (r *run) hlo() HLO {
	switch {
	case len(r.in.Dumps) == 0:
		return HLO{State: NoDump}
	case len(r.read) == 0:
		return HLO{State: UnreadableDumps}
	case len(r.stale) > 0:
		return HLO{State: StaleDumps, Dumps: r.read, Stale: r.stale}
	}
	return HLO{State: LinkedDumps, Dumps: r.read}
}

// SinceText spells a time that has passed, in its largest fitting unit: "3 days".
func SinceText(d time.Duration) string {
	switch {
	case d > 47*time.Hour:
		return fmt.Sprintf("%d days", int(d.Round(24*time.Hour)/(24*time.Hour)))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Round(time.Hour)/time.Hour))
	}
	if n := int(d / time.Minute); n > 1 {
		return fmt.Sprintf("%d minutes", n)
	}
	return "a minute"
}
