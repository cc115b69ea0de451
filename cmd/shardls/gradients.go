package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/internal/output"
)

func newGradients(env environment) *cobra.Command {
	var flags dumpFlags
	var format, profile string
	cmd := &cobra.Command{
		Use:   "gradients DUMP...",
		Short: "Show where and in which dtype the gradient of each parameter is reduced",
		Long: `Follow every parameter of a training step from its gradient to its update: where its gradient is summed over devices, in which
dtype, over which mesh axes and how many times a step, or why it is not. What is wrong comes first. DUMP is a file, a folder that XLA
dumped into, or "-" for standard input.

reduced      the gradient meets a reduction
derived      a function of the parameter is reduced further up
not-needed   all devices agree without one
not-trained  the output is the input
missing      devices differ although the output is declared replicated: a bug
sharded      each device owns its part
unknown      the dump does not tell
duplicate    values that already agree are reduced again`,
		Example: "  shardls gradients dump/\n  shardls gradients dump/ --output-format json",
		Args:    args(1, -1, "a dump"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runGradients(cmd.Context(), env, &flags, args, format, profile, output.Style{Colour: colour(cmd, env)})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&format, "output-format", "text", "text, json, csv or markdown")
	f.StringVar(&profile, "profile", "", profileUsage)
	flags.register(f)
	return cmd
}

func runGradients(ctx context.Context, env environment, flags *dumpFlags, dumps []string, format, profile string, style output.Style) error {
	if err := oneOf("output-format", format, "text", "json", "csv", "markdown"); err != nil {
		return err
	}
	w, err := flags.load(ctx, env, dumps)
	if err != nil {
		return err
	}
	shown := w.Shown()
	modules, err := measuredModules(env, w, shown, profile)
	if err != nil {
		return err
	}
	addGradients(modules, shown)
	if format == "json" {
		return output.GradientsJSON(env.out, modules)
	}
	return output.Gradients(env.out, modules, format, style)
}
