package rules

import "github.com/shardls/shardls/analyzers"

// shd001 is reported by the driver, which alone knows what every comment kept quiet.
func shd001() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code:     "SHD001",
		Name:     "unused-suppression",
		Summary:  "a suppression comment that keeps nothing quiet",
		Severity: analyzers.Warning,
		Evidence: analyzers.FromSource,
		Since:    "0.1.0",
		Doc: analyzers.Documentation{
			Finds: "Comments that suppress a rule which has nothing to report there. A comment counts as unused only if every " +
				"rule it names ran: a rule that is switched off, or that needs an HLO dump when none was read, proves nothing.",
			Matters: "A comment that outlives its finding hides the next one on that line.",
			Example: `from jax.sharding import PartitionSpec as P

spec = P("data")  # shardls: ignore[SHD001, SHD002] left over
other = P("data", None)  # shardls: ignore[SHD002]
`,
			Instead: `from jax.sharding import PartitionSpec as P

spec = P("data")
`,
			FixSafety: "Safe: the fix removes the unused codes, and the whole comment when no code is left.",
			Ignore:    "Where code is generated and the comments come with it.",
		},
	}
}
