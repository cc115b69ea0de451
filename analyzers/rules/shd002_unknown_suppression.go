package rules

import "github.com/shardls/shardls/analyzers"

// shd002 is reported by the driver, which reads the suppression comments.
func shd002() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code:     "SHD002",
		Name:     "unknown-code-in-suppression",
		Summary:  "a suppression comment that names no rule",
		Severity: analyzers.Warning,
		Evidence: analyzers.FromSource,
		Since:    "0.1.0",
		Doc: analyzers.Documentation{
			Finds:   "Codes in suppression comments that are neither a rule's code nor the beginning of one, and comments such as `# shardls: ignore` that name no code.",
			Matters: "The finding that the comment was written for is still reported, or comes back with the next edit.",
			Example: `import jax

x = jax.numpy.zeros(8)  # shardls: ignore[SHD099]
`,
			Instead: `import jax

x = jax.numpy.zeros(8)
`,
			FixSafety: "Unsafe where a code that differs in one character is put in its place: the comment then starts to keep " +
				"findings quiet. Removing the code is safe.",
			Ignore: "When a newer release of shardls, which knows the code, is used elsewhere.",
		},
	}
}
