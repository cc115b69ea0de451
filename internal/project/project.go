// Package project is what the command line and the language server share about files on disk: which files belong to a
// workspace, which configuration holds for each, which dumps describe it, and what all of that means to the driver.
package project

import (
	"context"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

// Options say what to load.
type Options struct {
	Dir     string            // the working directory, absolute; relative paths start here
	Paths   []string          // files and directories to report on; none means Dir
	Overlay map[string][]byte // contents that replace those on disk, by absolute path (unsaved buffers, standard input)

	ConfigFile   string          // read this instead of searching for configuration
	Overrides    []config.Config // settings that win over files, weakest first
	Isolated     bool            // read no configuration file
	Lenient      bool            // named files that cannot be read are left out, and so is what a broken configuration holds for, see Workspace.Broken
	ForceExclude bool            // apply exclusions to files named in Paths too

	HLO       []string // dumps named on the command line: globs, files or directories
	Logs      []string // compiler logs named on the command line
	SkipDumps bool     // read no dumps: the language server answers from sources first
	OnlyDumps bool     // read only the sources that frames of the dumps name

	IgnoreConfiguredDumps bool // take only the dumps of HLO

	IgnoreSuppressions bool
	MapDumps           bool             // map dump files into memory instead of copying them: for a process that ends soon, see mapFile
	Once               bool             // the workspace is judged once: facts about files are not kept for later questions
	Baseline           *driver.Baseline // the communication that was agreed to; nil compares with nothing

	Analyzers []*analyzers.Analyzer // the rules; nil means all of them
	Cache     *Cache                // what earlier loads learned; may be nil
	Progress  func(Progress)        // called from one goroutine at a time; may be nil
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
	Dumps    []*Dump // every dump that was asked for, readable or not
	Modules  []*link.Module
	Missing  []string // patterns for dumps that brought none, from the command line or configuration
	Warnings []config.Warning
	Broken   []error // with Lenient, what is wrong with configuration files; nothing below these is reported on
	Problems []driver.Problem

	options Options
	shared  *shared
	linked  *link.Sources
	input   func() *driver.Input

	words    []string // what makes a function that nothing calls worth a call
	needles  *driver.Needles
	comments *pyparse.Prefilter // the byte strings of comments for this program
	turns    *turns
	rules    map[*config.Resolved]map[string]analyzers.Severity
}

// shared is what does not depend on contents, so that one edit need not find it out again.
type shared struct {
	paths      []string // the files to report on
	everything []string // with OnlyDumps, the files that would be reported on without it
	settings   *settingsTree
	folders    folders
	releases   *releases
	rules      func() []*analyzers.Analyzer
	dumps      []*Dump
	missing    []string
	logs       [][]byte
	parsers    pyparse.Parsers
	buffers    sync.Pool // of *buffers
}

// File is one Python file or notebook of a workspace.
type File struct {
	Path    string               // absolute
	Display string               // relative to the working directory where the file lies under it, with slashes
	Text    func() *text.Map     // made when first asked for
	Syntax  func() *pyparse.File // the same
	Facts   func() *flow.Facts   // interprets the file at the first call
	Config  *config.Resolved
	JAX     flow.Release
	Cells   *Notebook // nil for Python files
	ModTime time.Time // zero for unsaved contents

	relevant bool // some rule has something to say about it, it holds comments for this program, or somebody has it open
	outline  flow.Outline
	reach    pyparse.Marks // those of outline and of the files that it imports
	place    int           // among the files of the workspace
	tree     *lazyTree
}

// Load finds, reads and parses everything that opts names. Its error means that the request cannot be met: a bad
// configuration, or a path that is not there. Contents never make it fail.
func Load(ctx context.Context, opts Options) (*Workspace, error) {
	if opts.Dir == "" {
		opts.Dir = "."
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	opts.Dir = dir
	rules := sync.OnceValue(Rules) // commands that show a dump ask for none
	if opts.Analyzers != nil {
		rules = func() []*analyzers.Analyzer { return opts.Analyzers }
	}
	w := &Workspace{Dir: dir, options: opts, shared: &shared{releases: &releases{isolated: opts.Isolated}, rules: rules}}
	if err := w.find(ctx); err != nil {
		return nil, err
	}
	if err := w.build(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// find finds the configuration, the sources and the dumps. Dumps that alone decide which sources matter come first, so that of a large
// tree only files with the names in them are looked at.
func (w *Workspace) find(ctx context.Context) error {
	if err := w.configure(); err != nil {
		return err
	}
	if w.options.OnlyDumps && w.options.IgnoreConfiguredDumps {
		if err := w.findDumps(ctx); err != nil {
			return err
		}
		if err := w.discover(w.dumpedNames()); err != nil {
			return err
		}
		w.keepDumped()
		return nil
	}
	if err := w.discover(nil); err != nil || w.options.SkipDumps {
		return err
	}
	if err := w.findDumps(ctx); err != nil {
		return err
	}
	if w.options.OnlyDumps {
		w.keepDumped()
	}
	return nil
}

// With returns a workspace that differs from w in the given contents (by absolute path; nil drops the overlay) and shares
// everything that did not change. A file that w does not report on stays unreported.
func (w *Workspace) With(ctx context.Context, overlay map[string][]byte) (*Workspace, error) {
	next := &Workspace{Dir: w.Dir, options: w.options, shared: w.shared}
	next.options.Overlay = map[string][]byte{}
	for path, content := range w.options.Overlay {
		next.options.Overlay[path] = content
	}
	for path, content := range overlay {
		if content == nil {
			delete(next.options.Overlay, path)
			continue
		}
		next.options.Overlay[path] = content
	}
	if err := next.build(ctx); err != nil {
		return nil, err
	}
	return next, nil
}

// Input is what [driver.Run] judges for this workspace: every file, every module.
func (w *Workspace) Input() *driver.Input { return w.input() }

// File returns the file at an absolute path, nil if it is not reported on.
func (w *Workspace) File(path string) *File {
	i := sort.Search(len(w.Files), func(i int) bool { return w.Files[i].Path >= path })
	if i < len(w.Files) && w.Files[i].Path == path {
		return w.Files[i]
	}
	return nil
}

// Config returns what holds for the working directory itself.
func (w *Workspace) Config() (*config.Resolved, error) { return w.shared.settings.forDir(w.Dir) }

// ConfigFor returns what holds for the files of a directory.
func (w *Workspace) ConfigFor(dir string) (*config.Resolved, error) {
	return w.shared.settings.forDir(dir)
}

// Analyzers are the rules that this workspace is judged by.
func (w *Workspace) Analyzers() []*analyzers.Analyzer { return w.shared.rules() }

// configure reads the configuration of the working directory. A broken one is an error even where there are no files.
func (w *Workspace) configure() error {
	opts := &w.options
	tree := &settingsTree{dir: w.Dir, isolated: opts.Isolated, lenient: opts.Lenient}
	if opts.ConfigFile != "" {
		tree.file = w.absolute(opts.ConfigFile)
	}
	for i := range opts.Overrides {
		tree.overrides = append(tree.overrides, &opts.Overrides[i])
	}
	w.shared.settings = tree
	_, err := tree.forDir(w.Dir)
	return err
}

// discover lists the files to report on, of those below directories the ones with the given base names; nil lists all of them.
func (w *Workspace) discover(names map[string]bool) error {
	opts, tree := &w.options, w.shared.settings
	paths := []string{w.Dir}
	if len(opts.Paths) > 0 {
		paths = nil
		for _, p := range opts.Paths {
			paths = append(paths, w.absolute(p))
		}
	}
	var err error
	if opts.Overlay, err = readPiped(paths, opts.Overlay); err != nil {
		return err
	}
	d := &discovery{settings: tree, forceExclude: opts.ForceExclude, overlay: opts.Overlay, dir: w.Dir, names: names, folders: &w.shared.folders}
	files, err := d.discover(paths)
	if err != nil {
		return err
	}
	w.shared.paths = files
	for _, f := range files { // every configuration is read now, so that later stages only look it up
		if _, err := tree.forDir(filepath.Dir(f)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Workspace) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(w.Dir, path)
}

func (w *Workspace) progress(p Progress) {
	if w.options.Progress != nil {
		w.options.Progress(p)
	}
}
