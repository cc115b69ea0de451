package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/text"
)

func newExplain(env environment) *cobra.Command {
	var flags workspaceFlags
	var format, hardware, profile string
	cmd := &cobra.Command{
		Use:   "explain FILE:LINE",
		Short: "Tell everything known of one line",
		Long: `Tell which collectives a line of Python causes and why, what they move and how often, which gradients are reduced because of
it, and what the rules say about it. The dumps are those of --hlo and of the configuration.`,
		Example: "  shardls explain train.py:31 --hlo dump/\n  shardls explain train.py:31 --output-format json",
		Args:    args(1, 1, "one line, as FILE:LINE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("output-format", format, "text", "json"); err != nil {
				return err
			}
			e, err := explained(cmd.Context(), env, &flags, args[0], hardware, profile)
			if err != nil {
				return err
			}
			if format == "json" {
				return output.ExplainJSON(env.out, e)
			}
			return output.Explain(env.out, e, output.Style{Colour: colour(cmd, env)})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	flags.registerHLO(f)
	f.StringVar(&hardware, "hardware", "", "estimate times for this accelerator, such as tpu-v5p or h100-sxm (default: the configured one)")
	f.StringVar(&profile, "profile", "", profileUsage)
	f.StringVar(&format, "output-format", "text", "text or json")
	flags.registerConfig(f)
	return cmd
}

// fileAndLine splits FILE:LINE, also with a column behind.
func fileAndLine(argument string) (file string, line int, err error) {
	file = argument
	for range 2 {
		at := strings.LastIndexByte(file, ':')
		if at < 0 {
			break
		}
		n, err := strconv.Atoi(file[at+1:])
		if err != nil {
			break
		}
		file, line = file[:at], n
	}
	if line < 1 || file == "" {
		return "", 0, fmt.Errorf("%s: want FILE:LINE", argument)
	}
	return file, line, nil
}

func explained(ctx context.Context, env environment, flags *workspaceFlags, argument, hardware, profile string) (*output.Explanation, error) {
	name, line, err := fileAndLine(argument)
	if err != nil {
		return nil, err
	}
	opts, warnings, err := flags.options(env)
	if err != nil {
		return nil, err
	}
	opts.Paths = []string{name}
	w, err := loadWorkspace(ctx, env, opts)
	if err != nil {
		return nil, err
	}
	for _, odd := range append(warnings, w.Warnings...) {
		fmt.Fprintf(env.err, "warning: %s\n", odd)
	}
	warnOfProblems(env, w.Problems)
	if len(w.Files) != 1 {
		return nil, fmt.Errorf("%s: not a Python file", name)
	}
	result, err := driver.Run(ctx, w.Input())
	if err != nil {
		return nil, err
	}
	file := w.Files[0]
	start, end, ok := file.Text().LineBounds(line - 1)
	if !ok {
		return nil, fmt.Errorf("%s: it has only %d lines", argument, linesIn(file.Text()))
	}
	e := &output.Explanation{
		Report: findingsReport(w, result, env), Path: file.Path, Line: line, Stale: string(link.AgeUnknown),
		LineText: string(file.Text().Text[start:end]), HasDump: len(w.Modules) > 0,
	}
	for _, f := range result.Findings {
		if f.Span.Path == file.Path && f.Span.Start <= end && max(f.Span.End, f.Span.Start+1) > start {
			e.Findings = append(e.Findings, f)
		}
	}
	measurements, err := readProfile(env, w, profile)
	if err != nil {
		return nil, err
	}
	for _, m := range w.Modules {
		explainModule(env, e, w, m, measurements)
	}
	below(e, w, file)
	machine, err := w.Hardware(hardware)
	if err != nil {
		return nil, err
	}
	e.CostSeconds = costOf(e.Modules, machine)
	return e, nil
}

// linesIn counts lines as people do: the empty one behind the last newline is none.
func linesIn(t *text.Map) int {
	n := t.Lines()
	if start, end, ok := t.LineBounds(n - 1); ok && start == end && n > 1 {
		n--
	}
	return n
}

// explainModule adds what one module knows of the line.
func explainModule(env environment, e *output.Explanation, w *project.Workspace, m *link.Module, profile *hlomap.Profile) {
	path := filepath.ToSlash(e.Path)
	if age := m.Age(path, e.Line); age != link.AgeUnknown {
		e.Stale = string(age)
	}
	at := m.Lines()[path][e.Line]
	if len(at) == 0 || m.Deciding == nil {
		return
	}
	stage := project.ShownDump{Dump: m.Deciding, Module: m}
	shown := output.ExplainedModule{Module: w.OutputModule(stage)}
	measure(env, &shown.Module, stage, profile)
	shown.Module.Collectives = nil
	names := map[string]bool{}
	for _, a := range at {
		shown.Module.Collectives = append(shown.Module.Collectives, *a.Collective)
		shown.Via = append(shown.Via, a.Via)
		names[a.Collective.Name] = true
	}
	e.Modules = append(e.Modules, shown)
	e.Meshes = append(e.Meshes, m.Meshes...)
	for _, r := range reductionsOf(m, names) {
		if !slices.Contains(e.Reductions, r) { // several compilations of one function say the same
			e.Reductions = append(e.Reductions, r)
		}
	}
}

// costOf sums up what the collectives of the line cost, nil where that is unknown for one of them. Of several compilations of one
// function the dearest counts: a step runs one of them.
func costOf(modules []output.ExplainedModule, machine *hlomap.Hardware) *output.Cost {
	var names []string
	dearest := map[string]*output.Cost{}
	for i := range modules {
		modules[i].Module.Hardware = machine
	}
	for i := range modules {
		m := &modules[i].Module
		cost := m.CostOf(m.Collectives)
		if cost == nil {
			return nil
		}
		old := dearest[m.Name]
		if old == nil {
			names = append(names, m.Name)
		}
		if old == nil || cost.Value > old.Value {
			dearest[m.Name] = cost
		}
	}
	var total *output.Cost
	for _, name := range names {
		if total == nil {
			total = dearest[name]
		} else {
			total.Add(dearest[name])
		}
	}
	return total
}

// reductionsOf says which parameters' gradients some collectives reduce.
func reductionsOf(m *link.Module, names map[string]bool) []output.ExplainedParameter {
	g := m.Deciding.Gradients()
	if g == nil {
		return nil
	}
	var out []output.ExplainedParameter
	for i := range g.Parameters {
		p := &g.Parameters[i]
		for j := range p.Reductions {
			r := &p.Reductions[j]
			if !names[r.Collective] {
				continue
			}
			out = append(out, output.ExplainedParameter{Module: m.Name, Parameter: p.Parameter, Sentence: reductionSentence(r)})
			break
		}
	}
	return out
}

func reductionSentence(r *hlomap.Reduction) string {
	over := "unknown axes"
	if r.Axes != nil {
		over = strings.Join(r.Axes, ", ")
	}
	times := "an unknown number of times a step"
	if r.Executions != nil {
		times = fmt.Sprintf("%d times a step", *r.Executions)
		if *r.Executions == 1 {
			times = "once a step"
		}
	}
	dtype := r.OperandDType
	if dtype == "" {
		dtype = "an unknown dtype"
	}
	return fmt.Sprintf("its gradient is reduced by %s in %s over %s, %s", r.Collective, dtype, over, times)
}
