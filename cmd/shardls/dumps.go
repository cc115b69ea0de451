package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/spf13/pflag"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// dumpFlags are the flags of the commands that show dumps.
type dumpFlags struct {
	workspaceFlags
	sources []string
	judged  bool // rules will look at the sources and dumps, on goroutines of their own
}

func (d *dumpFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&d.sources, "src", nil, "match the dump's lines to these Python `files` or directories (default: the working directory)")
	d.registerConfig(f)
}

// load reads dumps and the sources that they name. A dump that cannot be read is an error: there is nothing to show of it.
func (d *dumpFlags) load(ctx context.Context, env environment, dumps []string) (*project.Workspace, error) {
	opts, warnings, err := d.options(env)
	if err != nil {
		return nil, err
	}
	if slices.Contains(dumps, "") {
		return nil, errEmptyPath
	}
	if dumps, opts.Overlay, err = withStandardInput(env, dumps); err != nil {
		return nil, err
	}
	opts.HLO, opts.Paths, opts.OnlyDumps, opts.MapDumps = dumps, d.sources, true, !d.judged
	debug.SetPanicOnFault(true) // a mapped file may be cut short: see project.CutShort
	// Other dumps that are configured are not what was asked for.
	opts.IgnoreConfiguredDumps = true
	if env.large != nil {
		env.large()
	}
	w, err := loadWorkspace(ctx, env, opts)
	if err != nil {
		return nil, err
	}
	for _, odd := range append(warnings, w.Warnings...) {
		fmt.Fprintf(env.err, "warning: %s\n", odd)
	}
	noteEdits(env, w)
	return w, usable(env, w, dumps)
}

// noteEdits says which files the shown lines are not all of today's.
func noteEdits(env environment, w *project.Workspace) {
	for _, m := range w.Modules {
		for _, path := range project.Edited(m) {
			fmt.Fprintf(env.err, "note: %s was edited after %s was captured: lines that moved are shown where they are now, edited ones where they were\n",
				displayed(env, path), m.Name)
		}
	}
}

// withStandardInput reads the dump that "-" stands for. Its path is one that no file has.
func withStandardInput(env environment, dumps []string) ([]string, map[string][]byte, error) {
	at := slices.Index(dumps, "-")
	if at < 0 {
		return dumps, nil, nil
	}
	content, err := io.ReadAll(env.in)
	if err != nil {
		return nil, nil, fmt.Errorf("standard input: %w", err)
	}
	path := filepath.Join(env.dir, "<stdin>")
	dumps = slices.Clone(dumps)
	dumps[at] = path
	return dumps, map[string][]byte{path: content}, nil
}

// usable reports what could not be read, and an error where a named file or everything could not.
func usable(env environment, w *project.Workspace, dumps []string) error {
	read := 0
	for _, d := range w.Dumps {
		name := displayed(env, d.Path)
		if d.Problem != "" {
			if d.Named {
				return fmt.Errorf("%s: %s", name, d.Problem)
			}
			fmt.Fprintf(env.err, "warning: %s: %s\n", name, d.Problem)
			continue
		}
		if d.Companion {
			continue
		}
		read++
		for _, p := range d.Problems {
			fmt.Fprintf(env.err, "warning: %s: %s\n", dumpPlace(name, p), p.Message)
		}
	}
	if read == 0 {
		return fmt.Errorf("%s: no HLO dump found", list(dumps))
	}
	return nil
}

func dumpPlace(name string, p hlomap.Problem) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", name, p.Line)
	}
	return name
}

func list(names []string) string {
	out := ""
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out
}

// addGradients adds the coverage of gradients to modules that are shown.
func addGradients(modules []output.Module, shown []project.ShownDump) {
	for i := range modules {
		modules[i].Gradients = shown[i].Dump.Gradients()
	}
}

// shownModules turns the dumps to show into what printers take.
func shownModules(w *project.Workspace, dumps []project.ShownDump) []output.Module {
	out := make([]output.Module, len(dumps))
	for i, d := range dumps {
		out[i] = w.OutputModule(d)
	}
	return out
}
