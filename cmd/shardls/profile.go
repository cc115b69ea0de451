package main

import (
	"fmt"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

const profileUsage = "show the times in this profile: a *.xplane.pb, a *.trace.json(.gz), or a folder that holds one (default: the configured one)"

// readProfile reads the profile that a flag or the configuration names, nil where there is none.
func readProfile(env environment, w *project.Workspace, name string) (*hlomap.Profile, error) {
	p, problems, err := w.Profile(name)
	for _, problem := range problems {
		fmt.Fprintf(env.err, "warning: %s: %s\n", displayed(env, problem.Path), problem.Message)
	}
	return p, err
}

// measuredModules turns the dumps to show into what printers take, with the times of the profile that a flag or the configuration
// names, if any.
func measuredModules(env environment, w *project.Workspace, shown []project.ShownDump, profile string) ([]output.Module, error) {
	modules := shownModules(w, shown)
	p, err := readProfile(env, w, profile)
	if err != nil {
		return nil, err
	}
	for i := range modules {
		measure(env, &modules[i], shown[i], p)
	}
	return modules, nil
}

// measure joins a profile to a module that is shown, and says on standard error where that cannot be done.
func measure(env environment, m *output.Module, shown project.ShownDump, p *hlomap.Profile) {
	if p == nil {
		return
	}
	of, reason := shown.Module.Measure(p, shown.Dump)
	if reason != "" {
		fmt.Fprintf(env.err, "note: the profile tells nothing of %s: %s\n", m.Name, reason)
		of = func(*hlomap.Collective) []hlomap.Measurement { return nil }
	}
	m.Measured = of
}
