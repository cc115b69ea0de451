package driver

import (
	"bytes"
	"slices"

	"github.com/shardls/shardls/analyzers"
)

// suppressionNeedles are in every comment that suppresses something of ours.
var suppressionNeedles = []string{"shardls:", "SHD"}

// Needles returns the byte strings of which a file must hold at least one for any of the rules to have something to say about it
// from its source, sorted. It is nil when some rule looks at every file.
func Needles(rules []*analyzers.Analyzer) []string {
	all := slices.Clone(suppressionNeedles)
	for _, a := range rules {
		if a.Check != nil && len(a.Needles) == 0 {
			return nil
		}
		all = append(all, a.Needles...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(n string) bool { // what holds a shorter needle need not be looked for
		return slices.ContainsFunc(all, func(m string) bool { return m != n && bytes.Contains([]byte(n), []byte(m)) })
	})
}
