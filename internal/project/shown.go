package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/internal/output"
)

// dumpedNames returns the base names of all files that the dumps name: paths of dumps mean files of the same base name. It is nil where a
// dump may name others, see [hlomap.Module.FrameFiles].
func (w *Workspace) dumpedNames() map[string]bool {
	names := map[string]bool{}
	for _, d := range w.shared.dumps {
		for _, m := range d.Modules {
			files := m.FrameFiles()
			if len(files) == 0 {
				return nil
			}
			for _, path := range slices.Concat(files, d.framePaths) {
				names[path[strings.LastIndexAny(path, `/\`)+1:]] = true
			}
		}
	}
	return names
}

// keepDumped narrows the files to those that frames of the dumps name: nothing else needs to be read to show dumps.
func (w *Workspace) keepDumped() {
	sources := w.sources(w.shared.paths)
	wanted := map[string]bool{}
	for _, d := range w.shared.dumps {
		for _, frame := range d.framePaths {
			if file, ok := sources.Match(frame); ok {
				wanted[file] = true
			}
		}
	}
	var kept []string
	for _, path := range w.shared.paths {
		if wanted[filepath.ToSlash(path)] {
			kept = append(kept, path)
		}
	}
	w.shared.paths, w.shared.everything = kept, w.shared.paths
}

// ShownDump is a dump that a command shows, and the module that it is a stage of.
type ShownDump struct {
	Dump   *link.Dump
	Module *link.Module
}

// Shown chooses the dumps that a listing shows: the files that a person named, and of a folder the stage of each module
// that decides, with the target's own final module where there is one.
func (w *Workspace) Shown() []ShownDump {
	named, companion := map[string]bool{}, map[string]bool{}
	for _, d := range w.Dumps {
		named[d.Path] = named[d.Path] || d.Named
		companion[d.Path] = d.Companion
	}
	grouped := func(m *link.Module) bool { // some stage was found in a folder, so that the best one is chosen
		for _, d := range m.Dumps {
			if !named[d.Path] && !companion[d.Path] {
				return true
			}
		}
		return false
	}
	var out []ShownDump
	for _, m := range w.Modules {
		for _, d := range m.Dumps {
			if named[d.Path] || grouped(m) && !companion[d.Path] && (d == m.Deciding || d == m.Target) {
				out = append(out, ShownDump{Dump: d, Module: m})
			}
		}
	}
	return out
}

// Deciding returns for each module the dump that decides.
func (w *Workspace) Deciding() []ShownDump {
	var out []ShownDump
	for _, m := range w.Modules {
		if m.Deciding != nil {
			out = append(out, ShownDump{Dump: m.Deciding, Module: m})
		}
	}
	return out
}

// OutputModule turns a dump into what printers take.
func (w *Workspace) OutputModule(s ShownDump) output.Module {
	d := s.Dump
	m := output.Module{
		CollectivesModule: output.CollectivesModule{
			Name: d.Name, Path: output.DisplayPath(w.Dir, d.Path), Stage: d.Stage, Meshes: s.Module.Meshes,
			Collectives: d.Collectives,
		},
		Widened: s.Module.Widened(d),
		Source:  output.SourceFromFrames(w.Dir, w.linked.Match, s.Module.LineToday, w.column),
	}
	if d.Module != nil {
		m.Devices, m.Instructions = s.Module.Partitions(), d.Module.NumInstructions()
		m.CutOff, m.Leave = d.Module.CutOff(), d.Module.Leave
		m.Unpartitioned = d.Module.BeforePartitioner()
	}
	return m
}

// Edited returns the files of the workspace that were edited since a module was captured.
func Edited(m *link.Module) []string {
	var out []string
	for _, path := range m.Paths() {
		if h := m.Kept(path); h != nil && !h.Unchanged() {
			file, _ := m.Sources.Match(path)
			out = append(out, file)
		}
	}
	return out
}

// column turns a 0-based byte column of a line into a 1-based one in code points, 0 where the file is not known.
func (w *Workspace) column(path string, line, bytes int) int {
	f := w.File(filepath.FromSlash(path))
	if f == nil {
		return 0
	}
	start, end, ok := f.Text().LineBounds(line - 1)
	if !ok || start+bytes > end {
		return 0 // the file has changed since
	}
	return f.Text().Position(start + bytes).Column
}
