// Package link joins the facts of Python sources to compiled modules: frames to files, functions to modules, replica
// groups to mesh axes, and lines of a dump to the lines of today.
package link

import (
	"github.com/shardls/shardls/hlomap"
)

// Dump is one module as it was read from one file. Rank orders dumps of the same module and stage: those of a lower rank
// (named on the command line) hide those of a higher one (configured).
type Dump struct {
	Path        string
	Name        string
	Stage       hlomap.Stage
	Backend     string // "cpu", "tpu", "gpu", "" when unknown
	Rank        int
	Collectives []hlomap.Collective
	Gradients   *hlomap.Gradients
}

// Module is a compiled module joined to the sources of a workspace: all its stages, and which of them decides what.
type Module struct {
	Name    string
	Sources *Sources

	// Deciding is the stage that decides names, lines, causes and element types: the module just after the partitioner,
	// else the target's own final module, else what there is.
	Deciding *Dump
	// Target is the final module of a TPU or a GPU, nil where there is none. It overrules element types and numbers of
	// executions, because the backend may have widened, narrowed or hoisted a collective. A CPU's never does: that backend
	// widens every 16-bit collective.
	Target *Dump
	// Before is the module before the partitioner, nil where there is none.
	Before *Dump
	// Dumps are all stages, in the order in which they were given.
	Dumps []*Dump
}

// Options are what the join needs to know besides the dumps.
type Options struct {
	Sources *Sources
}

// Modules groups dumps by the module that they are stages of. The order of the result follows the order of the dumps.
func Modules(dumps []Dump, opts Options) []*Module {
	var modules []*Module
	byName := map[string]*Module{}
	for i := range dumps {
		d := &dumps[i]
		m := byName[d.Name]
		if m == nil {
			m = &Module{Name: d.Name, Sources: opts.Sources}
			byName[d.Name] = m
			modules = append(modules, m)
		}
		m.Dumps = append(m.Dumps, d)
	}
	for _, m := range modules {
		m.decide()
	}
	return modules
}

func (m *Module) decide() {
	var partitioned, final, any *Dump
	for _, d := range m.Dumps {
		switch d.Stage {
		case hlomap.AfterPartitioning:
			partitioned = d
		case hlomap.AfterOptimizations:
			final = d
			if d.Backend == "tpu" || d.Backend == "gpu" {
				m.Target = d
			}
		case hlomap.BeforeOptimizations:
			m.Before = d
		default:
			any = d
		}
	}
	for _, d := range []*Dump{partitioned, m.Target, final, any, m.Before} {
		if d != nil {
			m.Deciding = d
			return
		}
	}
}
