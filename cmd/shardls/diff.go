package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

func newDiff(env environment) *cobra.Command {
	var flags dumpFlags
	var format string
	var budget int64
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare the communication of two compiled programs",
		Long: `Compare two dumps exchange by exchange: what is added, removed, summed in another dtype, done more often or over other axes.
Exchanges are aligned by the parameter they belong to, then by source line, then by shape. Those that agree in everything but the
numbers of layers share a row, whose bytes are those of all of them. A and B are files or folders, and
one of them may be "-" for standard input. Modules are compared by name, and where each side has only one, those are.
Of a function that was compiled more often on one side, the modules whose parameters agree are compared, else the last.

With --max-increase the status is 1 if the second communicates more than that many bytes a step above the first.`,
		Example: "  shardls diff before/ after/\n  shardls diff jit.txt shard_map.txt --output-format markdown\n  shardls diff main/ branch/ --max-increase 0",
		Args:    args(2, 2, "two dumps, A and B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("output-format", format, "text", "json", "markdown"); err != nil {
				return err
			}
			diffs, err := compared(cmd.Context(), env, &flags, args)
			if err != nil {
				return err
			}
			if format == "json" {
				err = output.DiffJSON(env.out, diffs)
			} else {
				err = output.Diff(env.out, diffs, format, output.Style{Colour: colour(cmd, env)})
			}
			if err != nil || !cmd.Flags().Changed("max-increase") {
				return err
			}
			return withinBudget(diffs, budget)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&format, "output-format", "text", "text, json or markdown")
	f.Int64Var(&budget, "max-increase", 0, "exit with status 1 if B moves more than this many `bytes` a step above A")
	flags.register(f)
	return cmd
}

// withinBudget fails where the increase is over the budget, and where it is unknown: what is not known cannot be promised.
func withinBudget(diffs []output.ModuleDiff, budget int64) error {
	increase := int64(0)
	for _, d := range diffs {
		before, after := d.Diff.Before.BytesPerStep, d.Diff.After.BytesPerStep
		if d.Before != nil && before == nil || d.After != nil && after == nil {
			return errFindings
		}
		if after != nil {
			increase += *after
		}
		if before != nil {
			increase -= *before
		}
	}
	if increase > budget {
		return errFindings
	}
	return nil
}

func compared(ctx context.Context, env environment, flags *dumpFlags, args []string) ([]output.ModuleDiff, error) {
	if args[0] == "-" && args[1] == "-" {
		return nil, errors.New("standard input can be read only once: name a file for one of the two")
	}
	var sides [2]*project.Workspace
	for i, dump := range args {
		w, err := flags.load(ctx, env, []string{dump})
		if err != nil {
			return nil, err
		}
		sides[i] = w
	}
	before, after := deciding(sides[0]), deciding(sides[1])
	noteCompilations(env, args, before, after)
	var diffs []output.ModuleDiff
	for _, pair := range pairs(before, after) {
		d := output.ModuleDiff{}
		var a, b *hlomap.Attribution
		if pair[0] != nil {
			m := sides[0].OutputModule(*pair[0])
			d.Name, d.Before, a = m.Name, &m, pair[0].Dump.Attribution()
		}
		if pair[1] != nil {
			m := sides[1].OutputModule(*pair[1])
			d.Name, d.After, b = m.Name, &m, pair[1].Dump.Attribution()
		}
		warnOfStages(env, &d)
		d.Diff = hlomap.Compare(a, b)
		diffs = append(diffs, d)
	}
	return diffs, nil
}

// warnOfStages says what two stages of a program differ in, whatever the program does.
func warnOfStages(env environment, d *output.ModuleDiff) {
	if d.Before == nil || d.After == nil || d.Before.Stage == d.After.Stage {
		return
	}
	why := "later stages combine and widen collectives"
	if d.Before.Unpartitioned || d.After.Unpartitioned {
		why = "the partitioner, which puts collectives in, has run for one of them alone"
	}
	fmt.Fprintf(env.err, "warning: %s is compared %s with %s: %s\n", d.Name, d.Before.Stage, d.After.Stage, why)
}

// deciding are the modules of one side, each by the stage that decides.
func deciding(w *project.Workspace) []project.ShownDump {
	var out []project.ShownDump
	for _, d := range w.Deciding() {
		if d.Dump.Attribution() != nil {
			out = append(out, d)
		}
	}
	return out
}

// pairs matches modules by name; the only module of each side are a pair whatever their names are. A function that was
// compiled several times has as many modules of one name, see [paired].
func pairs(before, after []project.ShownDump) [][2]*project.ShownDump {
	if len(before) == 1 && len(after) == 1 {
		return [][2]*project.ShownDump{{&before[0], &after[0]}}
	}
	names, ofBefore := byName(before)
	more, ofAfter := byName(after)
	for _, name := range more {
		if ofBefore[name] == nil {
			names = append(names, name)
		}
	}
	var out [][2]*project.ShownDump
	for _, name := range names {
		out = append(out, paired(ofBefore[name], ofAfter[name])...)
	}
	return out
}

// byName groups modules by their names, which it returns in the order in which they come.
func byName(modules []project.ShownDump) (names []string, groups map[string][]*project.ShownDump) {
	groups = map[string][]*project.ShownDump{}
	for i := range modules {
		name := modules[i].Dump.Name
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], &modules[i])
	}
	return names, groups
}

// paired matches the modules of one name: those whose parameters have the same shapes, and of the rest the last with the last,
// because the last compilation is the one that later calls use. What is left over where both sides have the name
// is another compilation of the same function, no communication that was added or removed; it is in no pair.
func paired(before, after []*project.ShownDump) [][2]*project.ShownDump {
	partner := map[*project.ShownDump]*project.ShownDump{} // both ways
	match := func(agree func(b, a *project.ShownDump) bool) {
		for _, b := range slices.Backward(before) {
			for _, a := range slices.Backward(after) {
				if partner[b] == nil && partner[a] == nil && agree(b, a) {
					partner[b], partner[a] = a, b
				}
			}
		}
	}
	match(func(b, a *project.ShownDump) bool { return slices.Equal(parameterShapes(b), parameterShapes(a)) })
	match(func(_, _ *project.ShownDump) bool { return true })
	var out [][2]*project.ShownDump
	for _, b := range before {
		if partner[b] != nil || len(after) == 0 {
			out = append(out, [2]*project.ShownDump{b, partner[b]})
		}
	}
	if len(before) == 0 {
		for _, a := range after {
			out = append(out, [2]*project.ShownDump{nil, a})
		}
	}
	return out
}

// parameterShapes are the shapes of what a module takes.
func parameterShapes(d *project.ShownDump) []string {
	if d.Dump.Module == nil {
		return nil
	}
	return d.Dump.Module.ParameterShapes()
}

// noteCompilations says which functions were compiled more often on one side than on the other.
func noteCompilations(env environment, args []string, before, after []project.ShownDump) {
	if len(before) == 1 && len(after) == 1 {
		return
	}
	names, ofBefore := byName(before)
	_, ofAfter := byName(after)
	for _, name := range names {
		b, a := len(ofBefore[name]), len(ofAfter[name])
		if a == 0 || a == b {
			continue
		}
		fmt.Fprintf(env.err, "note: %s was compiled %s in %s and %s in %s; compared are those whose parameters agree, else the last\n",
			name, times(b), args[0], times(a), args[1])
	}
}

// times is a count of events in words.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
