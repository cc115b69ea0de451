package output

import (
	"fmt"
	"path"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
)

// closing is the last line of a text run: how many findings and files, what can be fixed, and which dump was used.
func (r *Report) closing(style Style) string {
	var b strings.Builder
	n := len(r.Result.Findings)
	if n == 0 {
		b.WriteString(style.green("No findings") + " in " + count(r.Files, "file"))
	} else {
		b.WriteString(style.bold(count(n, "finding")) + " in " + count(r.Files, "file"))
	}
	if r.Result.Suppressed > 0 {
		fmt.Fprintf(&b, ", %d suppressed", r.Result.Suppressed)
	}
	b.WriteString(".")
	safe, unsafe := fixable(r.Result.Findings)
	if safe > 0 {
		fmt.Fprintf(&b, " %d can be fixed with --fix.", safe)
	}
	if unsafe > 0 {
		fmt.Fprintf(&b, " %d can be fixed with --fix --unsafe-fixes.", unsafe)
	}
	b.WriteString(" " + r.hloLine())
	return b.String()
}

func (r *Report) hloLine() string {
	switch r.Result.HLO.State {
	case "", driver.NoDump:
		if n := len(r.Result.Skipped); n > 0 {
			return fmt.Sprintf("No HLO dump was read: %s skipped.", count(n, "rule"))
		}
		return "No HLO dump was read."
	case driver.UnreadableDumps:
		return "HLO: no dump could be read."
	}
	paths := make([]string, len(r.Result.HLO.Dumps))
	for i, p := range r.Result.HLO.Dumps {
		paths[i] = Printable(r.display(p))
	}
	line := "HLO: " + dumpList(paths)
	if r.Result.HLO.State == driver.StaleDumps {
		line += " (older than the code)"
	}
	return line + "." + r.unjudged()
}

// unjudged names the rules that looked at a dump and could not judge it, by reason.
func (r *Report) unjudged() string {
	byReason := map[string][]string{}
	var reasons []string
	for _, s := range r.Result.Skipped {
		if byReason[s.Reason] == nil {
			reasons = append(reasons, s.Reason)
		}
		byReason[s.Reason] = append(byReason[s.Reason], s.Code)
	}
	var b strings.Builder
	for _, reason := range reasons {
		fmt.Fprintf(&b, "\nNot judged by %s: %s.", list(byReason[reason], 6), reason)
	}
	return b.String()
}

// dumpList names dumps; several of one folder are its own.
func dumpList(paths []string) string {
	if len(paths) < 3 {
		return list(paths, 2)
	}
	folder := path.Dir(paths[0])
	for _, p := range paths {
		if path.Dir(p) != folder {
			return list(paths, 2)
		}
	}
	return fmt.Sprintf("%s (%d files)", folder, len(paths))
}

// fixable counts the findings whose preferred fix --fix applies, and those that need --unsafe-fixes as well.
func fixable(findings []analyzers.Finding) (safe, unsafe int) {
	for i := range findings {
		if len(findings[i].Fixes) == 0 {
			continue
		}
		if findings[i].Fixes[0].Safety == analyzers.Safe {
			safe++
		} else {
			unsafe++
		}
	}
	return safe, unsafe
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
