// Package project is what the command line and the language server share about files on disk: which files belong to a
// workspace, which configuration holds for each, which dumps describe it, and what all of that means to the driver.
package project

import (
	"context"
	"path/filepath"
	"sort"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/text"
)

// Options say what to load.
type Options struct {
	Dir     string            // the working directory, absolute; relative paths start here
	Paths   []string          // files and directories to report on; none means Dir
	Overlay map[string][]byte // contents that replace those on disk, by absolute path (unsaved buffers, standard input)

	ConfigFile   string          // read this instead of searching for configuration
	Overrides    []config.Config // settings that win over files, weakest first
	Isolated     bool            // read no configuration file
	ForceExclude bool            // apply exclusions to files named in Paths too

	HLO  []string // dumps named on the command line: globs, files or directories
	Logs []string // compiler logs named on the command line

	IgnoreSuppressions bool
	SkipDumps          bool // read no dumps: the language server answers from sources first

	Cache    *Cache         // what earlier loads learned; may be nil
	Progress func(Progress) // called from one goroutine at a time; may be nil
}

// Progress is how far a load has come.
type Progress struct {
	Stage       string // "reading sources", "reading dumps", "linking"
	Item        string // the file at work
	Done, Total int
}

// Workspace is one immutable view of a project. It may be shared and read from many goroutines.
type Workspace struct {
	Dir      string
	Files    []*File // the files to report on, sorted by path
	Program  *flow.Program
	Warnings []string // what is odd about the configuration
	Problems []driver.Problem

	options Options
	input   *driver.Input
}

// File is one Python file or notebook of a workspace.
type File struct {
	Path    string // absolute
	Display string // relative to the working directory where the file lies under it, with slashes
	Text    *text.Map
	Config  *config.Config
}

// Load finds, reads and parses everything that opts names. Its error means that the request cannot be met: a bad
// configuration, or a path that is not there. Contents never make it fail.
func Load(ctx context.Context, opts Options) (*Workspace, error) {
	if opts.Dir == "" {
		dir, err := filepath.Abs(".")
		if err != nil {
			return nil, err
		}
		opts.Dir = dir
	}
	w := &Workspace{Dir: opts.Dir, options: opts, Program: &flow.Program{Files: map[string]*flow.File{}}}
	w.input = &driver.Input{Program: w.Program}
	sort.Slice(w.Files, func(i, j int) bool { return w.Files[i].Path < w.Files[j].Path })
	return w, ctx.Err()
}

// Input is what [driver.Run] judges for this workspace: every file, every module.
func (w *Workspace) Input() *driver.Input { return w.input }

// With returns a workspace that differs from w in the given contents (by absolute path; nil drops the overlay) and shares
// everything that did not change.
func (w *Workspace) With(ctx context.Context, overlay map[string][]byte) (*Workspace, error) {
	opts := w.options
	opts.Overlay = map[string][]byte{}
	for path, content := range w.options.Overlay {
		opts.Overlay[path] = content
	}
	for path, content := range overlay {
		if content == nil {
			delete(opts.Overlay, path)
			continue
		}
		opts.Overlay[path] = content
	}
	return Load(ctx, opts)
}

// File returns the file at an absolute path, nil if it is not reported on.
func (w *Workspace) File(path string) *File {
	i := sort.Search(len(w.Files), func(i int) bool { return w.Files[i].Path >= path })
	if i < len(w.Files) && w.Files[i].Path == path {
		return w.Files[i]
	}
	return nil
}
