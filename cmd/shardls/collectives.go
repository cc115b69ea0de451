package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
)

func newCollectives(env environment) *cobra.Command {
	var flags dumpFlags
	table := output.TableOptions{}
	var hardware, profile string
	cmd := &cobra.Command{
		Use:   "collectives DUMP...",
		Short: "List every exchange between devices in a compiled module",
		Long: `List the collectives of HLO dumps: where each comes from, over which mesh axes it goes, what it moves, how often, and for which
parameters. DUMP is a file (HLO text or .hlo.pb, also compressed with gzip or zstd), a folder that XLA dumped into, or "-" for standard input.

Of a folder the module just after the partitioner is shown, because later stages combine collectives and, on CPU, widen them;
a file that is named is shown as it is. "?" stands for what the dump does not tell.

With --profile the measured time of one execution on one device stands beside each collective. A profile knows the instructions of the
final module, which combine those of earlier stages: where such a stage is shown, the measured instruction is named.`,
		Example: `  shardls collectives dump/
  shardls collectives dump/ --by axis
  shardls collectives dump/ --sort executions --top 10
  shardls collectives dump/ --hardware tpu-v5p --output-format chrome-trace > trace.json
  shardls collectives dump/module_0012.jit_step.cpu_after_optimizations.txt --profile plugins/profile/run1/host.xplane.pb
  shardls collectives dump/ --output-format json`,
		Args: args(1, -1, "a dump"),
		RunE: func(cmd *cobra.Command, args []string) error {
			table.Style = output.Style{Colour: colour(cmd, env)}
			return runCollectives(cmd.Context(), env, &flags, args, table, hardware, profile)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&table.By, "by", "", "sum by line, parameter, axis, function or opcode")
	f.StringVar(&table.Sort, "sort", "", "sort by this column: line, opcode, axes, dtype, bytes, executions, bytes/step (the default) or time/step")
	f.IntVar(&table.Top, "top", 0, "show only the first `N` rows")
	f.StringVar(&hardware, "hardware", "", "estimate times for this accelerator, such as tpu-v5p or h100-sxm (default: the configured one)")
	f.StringVar(&profile, "profile", "", profileUsage)
	f.StringVar(&table.Format, "output-format", "text", "text, json, csv, markdown or chrome-trace")
	flags.register(f)
	return cmd
}

func runCollectives(ctx context.Context, env environment, flags *dumpFlags, dumps []string, table output.TableOptions, hardware, profile string) error {
	if err := oneOf("output-format", table.Format, "text", "json", "csv", "markdown", "chrome-trace"); err != nil {
		return err
	}
	if err := oneOf("by", table.By, "", "line", "parameter", "axis", "function", "opcode"); err != nil {
		return err
	}
	if err := oneOf("sort", table.Sort, "", "line", "collective", "collectives", "opcode", "axes", "dtype", "shape", "bytes", "executions", "bytes/step", "time/step", "parameters", table.By); err != nil {
		return err
	}
	if table.Top < 0 {
		return fmt.Errorf("--top %d: want at least 0", table.Top)
	}
	w, err := flags.load(ctx, env, dumps)
	if err != nil {
		return err
	}
	machine, err := w.Hardware(hardware)
	if err != nil {
		return err
	}
	modules, err := measuredModules(env, w, w.Shown(), profile)
	if err != nil {
		return err
	}
	for i := range modules {
		modules[i].Hardware = machine
	}
	if table.Format == "chrome-trace" {
		if machine == nil {
			return fmt.Errorf("--output-format chrome-trace: times need --hardware or the setting hardware.name")
		}
		return output.ChromeTrace(env.out, modules)
	}
	if table.Format == "json" {
		return collectivesDocument(env.out, modules)
	}
	return output.Collectives(env.out, modules, table)
}

// collectivesDocument prints the document of modules. Lines are chosen module by module.
func collectivesDocument(w io.Writer, modules []output.Module) error {
	plain := make([]output.CollectivesModule, len(modules))
	for i := range modules {
		plain[i] = modules[i].CollectivesModule
	}
	moduleOf := modulesOfCollectives(modules)
	opts := output.CollectivesOptions{
		Collective: func(c *hlomap.Collective) output.SourceLine { return moduleOf(c).SourceOf(c) },
	}
	if len(modules) > 0 {
		opts.Source = modules[0].Source
	}
	if len(modules) > 0 && modules[0].Measured != nil {
		opts.Measured = func(c *hlomap.Collective) []hlomap.Measurement { return moduleOf(c).Measured(c) }
	}
	return output.WriteCollectives(w, plain, opts)
}

// modulesOfCollectives tells which module a collective belongs to.
func modulesOfCollectives(modules []output.Module) func(c *hlomap.Collective) *output.Module {
	if len(modules) == 1 {
		return func(*hlomap.Collective) *output.Module { return &modules[0] }
	}
	of := map[*hlomap.Collective]*output.Module{}
	for i := range modules {
		for j := range modules[i].Collectives {
			of[&modules[i].Collectives[j]] = &modules[i]
		}
	}
	return func(c *hlomap.Collective) *output.Module { return of[c] }
}
