package rules

import "github.com/shardls/shardls/analyzers"

// shd005 is reported by the driver, which is given the baseline.
func shd005() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code:     "SHD005",
		Name:     "over-baseline",
		Summary:  "communication that the baseline does not have",
		Severity: analyzers.Error,
		Evidence: analyzers.FromBoth,
		Since:    "0.1.0",
		Doc: analyzers.Documentation{
			Finds: "Collectives that `check --hlo-baseline FILE` does not find in the file, that move more bytes per step than " +
				"there, or that move another element type. What only moved to another line or another function of the same " +
				"size is not reported.",
			Matters: "A change of one line can make the partitioner gather a whole array in every step, and no test that looks " +
				"at values notices.",
			Example:   "",
			Instead:   "",
			FixSafety: "",
			Ignore:    "When the communication is wanted: `--update-baseline` writes the file anew, and its diff shows what was agreed to.",
		},
	}
}
