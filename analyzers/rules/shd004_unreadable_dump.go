package rules

import "github.com/shardls/shardls/analyzers"

// shd004 is reported by the driver, which is told what came of reading each dump.
func shd004() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code:     "SHD004",
		Name:     "unreadable-dump",
		Summary:  "an HLO dump that could not be read",
		Severity: analyzers.Warning,
		Evidence: analyzers.FromHLO,
		Since:    "0.1.0",
		Doc: analyzers.Documentation{
			Finds: "Dump files in which no HLO module was found: another kind of file, a file cut off by a full disk, or " +
				"one that is still being written.",
			Matters:   "Without its dump a program is judged from source alone, and a clean result says less than it seems to.",
			Example:   "",
			Instead:   "",
			FixSafety: "",
			Ignore:    "When a glob over dumps is meant to match other files as well; a narrower glob is better.",
		},
	}
}
