package driver

import (
	"bytes"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// SuppressionNeedles returns byte strings of which every comment that suppresses something of ours holds one.
func SuppressionNeedles() []string { return []string{"shardls:", "SHD"} }

// needlesOf are the needles of one rule.
func needlesOf(a *analyzers.Analyzer) []string {
	if a.Needles == nil && a.Check != nil {
		return flow.Words()
	}
	return a.Needles
}

// Words returns the byte strings of which a function that nothing calls must hold at least one to be worth a call, for
// [flow.Options].
func Words(rules []*analyzers.Analyzer) []string {
	all := flow.Words()
	for _, a := range rules {
		switch {
		case a.Check == nil:
		case slices.Contains(a.Needles, ""):
			return nil
		default:
			all = append(all, a.Needles...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// everyNeedle looks for the needles of all rules at once.
func everyNeedle(rules []*analyzers.Analyzer) *pyparse.Prefilter {
	all := SuppressionNeedles() // never empty, which would match everything
	for _, a := range rules {
		for _, n := range needlesOf(a) {
			if n != "" {
				all = append(all, n)
			}
		}
	}
	slices.Sort(all)
	return pyparse.NewPrefilter(slices.Compact(all))
}

// heldNeedles tells which needles a file holds, and the files whose code it runs.
type heldNeedles struct {
	run     *run
	needles *pyparse.Prefilter
	file    *File
	facts   func() *flow.Facts
}

// concern reports whether a rule has anything to say about the file: the file holds one of the rule's needles, or uses files
// that do, of which a rule without needles of its own follows values from one to the other.
func (h *heldNeedles) concern(a *analyzers.Analyzer) bool {
	if a.Needles == nil && !h.file.Apart {
		return true
	}
	wanted := needlesOf(a)
	if h.holdsAny(h.file.Facts.Syntax, wanted) {
		return true
	}
	if h.file.Apart {
		return false
	}
	for _, used := range h.facts().Files {
		if h.holdsAny(used.Syntax, wanted) {
			return true
		}
	}
	return false
}

func (h *heldNeedles) holdsAny(file *pyparse.File, wanted []string) bool {
	if file == nil {
		return false
	}
	v, ok := h.run.held.Load(file)
	if !ok {
		v, _ = h.run.held.LoadOrStore(file, h.needles.Present(pyparse.Code(nil, file.Source)))
	}
	present := v.(map[string]bool)
	return slices.ContainsFunc(wanted, func(n string) bool { return n == "" || present[n] })
}

// Needles returns the byte strings of which a file must hold at least one for any of the rules to have something to say about it
// from its source, sorted; text in comments and triple-quoted strings does not count. It is nil when some rule looks at every
// file.
func Needles(rules []*analyzers.Analyzer) []string {
	all := SuppressionNeedles()
	for _, a := range rules {
		needles := needlesOf(a)
		if a.Check != nil && slices.Contains(needles, "") {
			return nil
		}
		all = append(all, needles...)
	}
	all = slices.DeleteFunc(all, func(n string) bool { return n == "" })
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(n string) bool { // what holds a shorter needle need not be looked for
		return slices.ContainsFunc(all, func(m string) bool { return m != n && bytes.Contains([]byte(n), []byte(m)) })
	})
}
