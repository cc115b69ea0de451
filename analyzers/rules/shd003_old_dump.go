package rules

import "github.com/shardls/shardls/analyzers"

// shd003 is reported by the driver, which is told the times of files.
func shd003() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code:     "SHD003",
		Name:     "old-dump",
		Summary:  "an HLO dump that is older than the code it describes",
		Severity: analyzers.Info,
		Evidence: analyzers.FromBoth,
		Since:    "0.1.0",
		Doc: analyzers.Documentation{
			Finds: "Files that were changed after the dump that describes them was written, and dumps older than " +
				"`hlo.max-age`. The other findings are still reported: file times are no proof, a checkout sets them anew.",
			Matters: "Lines of a dump are those of the code at the time. After an edit they may point to the wrong place, and " +
				"what was repaired is still reported.",
			Example:   "",
			Instead:   "",
			FixSafety: "",
			Ignore:    "Where dumps are kept beside the code in version control, so that file times mean nothing.",
		},
	}
}
