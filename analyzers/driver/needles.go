package driver

import (
	"bytes"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

// suppressionNeedles are in every comment that suppresses something of ours.
var suppressionNeedles = []string{"shardls:", "SHD"}

// needlesOf are the needles of one rule.
func needlesOf(a *analyzers.Analyzer) []string {
	if a.Needles == nil && a.Check != nil {
		return flow.Words()
	}
	return a.Needles
}

// Needles returns the byte strings of which a file must hold at least one for any of the rules to have something to say about it
// from its source, sorted. It is nil when some rule looks at every file.
func Needles(rules []*analyzers.Analyzer) []string {
	all := slices.Clone(suppressionNeedles)
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
