package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

func newRule(env environment) *cobra.Command {
	var format string
	var all bool
	cmd := &cobra.Command{
		Use:   "rule [CODE...]",
		Short: "Explain rules",
		Long: `Print what a rule finds, why it matters, an example, and what to write instead. Without a code the rules are listed; a prefix
such as SHD6 stands for a family.`,
		Example: "  shardls rule\n  shardls rule SHD601\n  shardls rule --all --output-format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("output-format", format, "text", "json"); err != nil {
				return err
			}
			chosen, err := rulesNamed(args)
			if err != nil {
				return err
			}
			switch {
			case format == "json":
				return output.RulesJSON(env.out, chosen, ruleURL)
			case len(args) == 0 && !all:
				return output.RuleList(env.out, chosen, output.Style{Colour: colour(cmd, env)})
			}
			return output.RulePages(env.out, chosen)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, a := range project.Rules() {
				codes = append(codes, a.Code+"\t"+a.Summary)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&format, "output-format", "text", "text or json")
	cmd.Flags().BoolVar(&all, "all", false, "print the page of every rule")
	return cmd
}

// rulesNamed returns the rules that codes or prefixes name, all of them without any. A rule's name works too.
func rulesNamed(codes []string) ([]*analyzers.Analyzer, error) {
	registry := project.Rules()
	if len(codes) == 0 {
		return registry, nil
	}
	var out []*analyzers.Analyzer
	names := []string{}
	for _, a := range registry {
		names = append(names, a.Code)
	}
	for _, code := range codes {
		found := false
		for _, a := range registry {
			if strings.HasPrefix(a.Code, strings.ToUpper(code)) || a.Name == code {
				out, found = append(out, a), true
			}
		}
		if !found {
			near := config.Nearest(strings.ToUpper(code), names)
			if whole := "SHD" + code; slices.Contains(names, whole) {
				near = whole // only the number was given
			}
			if near != "" {
				return nil, fmt.Errorf("no rule %q; did you mean %s?", code, near)
			}
			return nil, fmt.Errorf("no rule %q; \"shardls rule\" lists them", code)
		}
	}
	return out, nil
}
