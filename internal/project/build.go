package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

// build reads and parses the files, interprets them, joins the dumps to them, and lays out the driver's input.
func (w *Workspace) build(ctx context.Context) error {
	w.Dumps, w.Missing = w.shared.dumps, w.shared.missing
	w.Warnings, w.Broken = w.shared.settings.warnings, w.shared.settings.broken
	if len(w.shared.paths) > 0 || !w.options.OnlyDumps { // a command that shows a dump may have no source at all to look at
		w.words = driver.Words(w.Analyzers())
		w.needles = driver.NewNeedles(w.Analyzers())
		w.comments = pyparse.NewPrefilter(driver.SuppressionNeedles())
	}
	files, problems, err := w.readFiles(ctx)
	if err != nil {
		return err
	}
	w.Files, w.Problems = files, append(problems, cutOff(w.Dumps)...)
	w.interpret()
	w.relate()
	if err := w.parse(ctx); err != nil {
		return err
	}
	if err := w.join(ctx); err != nil {
		return err
	}
	w.input = sync.OnceValue(w.driverInput) // commands that only show dumps judge nothing
	return nil
}

// readFiles reads in parallel; a file that cannot be read is a problem and is left out, unless a person asked for this very one.
func (w *Workspace) readFiles(ctx context.Context) ([]*File, []driver.Problem, error) {
	paths := w.shared.paths
	files := make([]*File, len(paths))
	failures := make([]error, len(paths))
	var mu sync.Mutex
	done := 0
	err := driver.Parallel(ctx, len(paths), func(i int) {
		files[i], failures[i] = w.readFile(paths[i])
		mu.Lock()
		defer mu.Unlock()
		done++
		w.progress(Progress{Stage: "reading sources", Item: paths[i], Done: done, Total: len(paths)})
	})
	if err != nil {
		return nil, nil, err
	}
	var problems []driver.Problem
	kept := files[:0]
	for i, f := range files {
		if failures[i] != nil {
			if w.named(paths[i]) && !w.options.Lenient {
				return nil, nil, fmt.Errorf("%s: %w", displayPath(w.Dir, paths[i]), reason(failures[i]))
			}
			problems = append(problems, driver.Problem{Path: paths[i], Message: reason(failures[i]).Error()})
			continue
		}
		kept = append(kept, f)
	}
	return kept, problems, nil
}

// parse parses the files that rules have to look at, in parallel.
func (w *Workspace) parse(ctx context.Context) error {
	if w.passing() {
		return ctx.Err() // the driver asks for one after the other
	}
	err := driver.Parallel(ctx, len(w.Files), func(i int) {
		if f := w.Files[i]; f.relevant {
			w.Program.Files[f.outline.Path].Syntax = f.Syntax()
		}
	})
	if err != nil {
		return err
	}
	for _, f := range w.Files {
		if f.relevant { // else nobody asked for its syntax
			w.Problems = append(w.Problems, f.problems()...)
		}
	}
	return nil
}

// passing reports whether files are looked at once, one after the other, so that neither their contents nor their trees are kept.
func (w *Workspace) passing() bool { return w.options.Once && len(w.Dumps) == 0 }

// problems tells what is wrong with the syntax of a file, the same thing once for a line.
func (f *File) problems() []driver.Problem {
	var out []driver.Problem
	seen := map[driver.Problem]bool{}
	for _, p := range f.Syntax().Problems {
		problem := driver.Problem{Path: f.Path, Line: f.Text().Position(p.Start).Line, Message: p.Message}
		if !seen[problem] {
			seen[problem] = true
			out = append(out, problem)
		}
	}
	return out
}

// named reports whether a person asked for this very file.
func (w *Workspace) named(path string) bool {
	for _, p := range w.options.Paths {
		if w.absolute(p) == path {
			return true
		}
	}
	return false
}

// buffers are what a worker reads one file after the other into.
type buffers struct{ content, code []byte }

func (w *Workspace) readFile(path string) (*File, error) {
	f := &File{Path: path, Display: displayPath(w.Dir, path)}
	b, ok := w.shared.buffers.Get().(*buffers)
	if !ok {
		b = new(buffers)
	}
	defer w.shared.buffers.Put(b)
	content, modTime, err := w.glance(b, path)
	if err != nil {
		return nil, err
	}
	f.ModTime = modTime
	_, open := w.options.Overlay[path]
	if filepath.Ext(path) == ".ipynb" {
		cells, err := readNotebook(content)
		if err != nil {
			return nil, err
		}
		f.Cells, content = cells, cells.Source
	} else if err := notPython(content); err != nil {
		return nil, err
	}
	b.code = pyparse.Code(b.code, content)
	f.outline = w.needles.Outline(b.code)
	f.outline.Path = filepath.ToSlash(path)
	f.relevant = open || w.comments.Match(content)
	f.tree = &lazyTree{parse: func() *pyparse.File { return w.reread(path) }}
	f.Syntax = f.tree.get
	f.Text = sync.OnceValue(func() *text.Map { return text.NewMap(w.source(path)) })
	return f, nil
}

var (
	errUTF16 = errors.New("it is encoded as UTF-16 or UTF-32, which Python does not read; save it as UTF-8")
	errNulls = errors.New("it holds null bytes, which Python refuses; save it as UTF-8")
)

// notPython tells why Python itself reads no content such as this, nil where it may.
func notPython(content []byte) error {
	switch {
	case !bytes.Contains(content, []byte{0}):
		return nil
	case bytes.HasPrefix(content, []byte("\xff\xfe")), bytes.HasPrefix(content, []byte("\xfe\xff")), bytes.HasPrefix(content, []byte("\x00\x00\xfe\xff")):
		return errUTF16
	}
	return errNulls
}

// glance returns the same as content, but the next file may be read over it where nobody keeps contents.
func (w *Workspace) glance(b *buffers, path string) ([]byte, time.Time, error) {
	if _, open := w.options.Overlay[path]; open || w.cache() != nil || filepath.Ext(path) == ".ipynb" {
		return w.content(path)
	}
	content, modTime, err := readWhole(b.content, path)
	if err == nil {
		b.content = content
	}
	return content, modTime, err
}

// content returns what a file holds and when it was written, which is zero for unsaved contents.
func (w *Workspace) content(path string) ([]byte, time.Time, error) {
	if content, open := w.options.Overlay[path]; open {
		return content, time.Time{}, nil
	}
	return w.cache().read(path)
}

// cache is where contents and trees are kept, nil where they are not.
func (w *Workspace) cache() *Cache {
	if w.passing() {
		return nil
	}
	return w.options.Cache
}

// source is the Python in a file, which is empty where the file has gone since.
func (w *Workspace) source(path string) []byte {
	content, _, _ := w.content(path)
	if filepath.Ext(path) == ".ipynb" {
		cells, err := readNotebook(content)
		if err != nil {
			return nil
		}
		return cells.Source
	}
	return content
}

// reread parses a file of which nothing was kept but what its text tells.
func (w *Workspace) reread(path string) *pyparse.File {
	return w.cache().parse(&w.shared.parsers, path, w.source(path))
}

// interpret lays out what the abstract interpreter works on; the driver runs it file by file.
func (w *Workspace) interpret() {
	imports := w.imports()
	w.Program = &flow.Program{Files: w.reported(), Find: imports.find, Folder: imports.folder}
	for _, root := range w.roots() {
		w.Program.Roots = append(w.Program.Roots, filepath.ToSlash(root))
	}
	for _, f := range w.Files {
		f.Config, _ = w.shared.settings.forDir(filepath.Dir(f.Path)) // discover has seen its error
		f.JAX = w.shared.releases.of(f.Config, filepath.Dir(f.Path))
		f.Facts = w.interpretation(f)
	}
}

// open parses a file that is looked at in passing, if there is anything to judge in it.
func (w *Workspace) open(f *File) (*pyparse.File, []driver.Problem) {
	if !f.relevant {
		return nil, nil
	}
	return f.Syntax(), f.problems()
}

// close lets trees go as soon as no file that uses them is left to judge.
func (w *Workspace) close(f *File) {
	for _, done := range w.turns.end(f) {
		if dropped := done.tree.drop(); dropped != nil {
			w.Program.Forget(dropped)
		}
	}
}

// join links the dumps to the files.
func (w *Workspace) join(ctx context.Context) error {
	if len(w.Dumps) == 0 {
		return ctx.Err()
	}
	w.progress(Progress{Stage: "linking", Total: 1})
	root, err := w.Config()
	if err != nil {
		return err
	}
	known := w.shared.everything
	if known == nil {
		known = w.shared.paths
	}
	w.linked = w.sources(known)
	w.Modules = link.Modules(linkDumps(w.Dumps, w.options.Cache, w.linked), link.Options{
		Sources: w.linked, Program: w.Program,
		Meshes: append(configuredMeshes(root), w.sourceMeshes(w.linked)...), Logs: w.shared.logs,
	})
	for _, m := range w.Modules {
		w.linked.Resolve(m.Paths())
	}
	w.progress(Progress{Stage: "linking", Done: 1, Total: 1})
	return ctx.Err()
}

// sources matches paths of dumps against files. Files that a person named are matched first.
func (w *Workspace) sources(paths []string) *link.Sources {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = filepath.ToSlash(p)
	}
	var arguments []string
	if len(w.options.Paths) > 0 {
		arguments = all
	}
	return link.NewSources(all, arguments, w.pathRules())
}

// pathRules gathers the path maps of every configuration in use, with targets made absolute.
func (w *Workspace) pathRules() []link.PathRule {
	var rules []link.PathRule
	for _, c := range w.configs() {
		for _, m := range c.HLO.PathMap {
			to := m.To
			if !filepath.IsAbs(to) {
				to = filepath.Join(baseDir(c, w.Dir), to)
			}
			rules = append(rules, link.PathRule{From: m.From, To: filepath.ToSlash(to)})
		}
	}
	return rules
}

func baseDir(c *config.Resolved, dir string) string {
	if c.Dir != "" {
		return c.Dir
	}
	return dir
}

func configuredMeshes(c *config.Resolved) []hlomap.Mesh {
	var meshes []hlomap.Mesh
	for _, m := range c.Mesh {
		mesh := hlomap.Mesh{Source: "config"}
		for _, a := range m.Axes {
			mesh.Axes = append(mesh.Axes, hlomap.MeshAxis{Name: a.Name, Size: a.Size})
		}
		meshes = append(meshes, mesh)
	}
	return meshes
}

// driverInput lays out what the driver judges.
func (w *Workspace) driverInput() *driver.Input {
	in := &driver.Input{Analyzers: w.Analyzers(), Needles: w.needles, Program: w.Program, Dumps: driverDumps(w.Dumps), Now: time.Now(), Baseline: w.options.Baseline}
	for _, f := range w.Files {
		file := driver.File{
			Path: f.Path, Facts: w.Program.Files[f.outline.Path], ModTime: f.ModTime, Interpret: f.Facts,
			Own: f.outline.Marks, Reach: f.reach, Settings: w.driverSettings(f.Config, f.Path, f.JAX),
		}
		if w.passing() {
			file.Open, file.Close = func() (*pyparse.File, []driver.Problem) { return w.open(f) }, func() { w.close(f) }
		}
		in.Files = append(in.Files, file)
	}
	root, err := w.Config()
	if err != nil {
		return in // discover has reported it
	}
	times := map[string]*Dump{}
	for _, d := range w.Dumps {
		times[d.Path] = d
	}
	for _, m := range w.Modules {
		dm := driver.Module{
			Module:   m,
			Settings: w.driverSettings(root, filepath.Join(w.Dir, "_"), w.releaseOf(m, root)),
		}
		if m.Deciding != nil && times[m.Deciding.Path] != nil {
			dm.ModTime = times[m.Deciding.Path].ModTime
		}
		dm.Settings.MaxAge = root.HLO.MaxAge
		in.Modules = append(in.Modules, dm)
	}
	return in
}

// releaseOf is the release that compiled a module, else the one that holds for the working directory.
func (w *Workspace) releaseOf(m *link.Module, root *config.Resolved) flow.Release {
	if release, ok := parseRelease(m.JAX()); ok {
		return release
	}
	return w.shared.releases.of(root, w.Dir)
}

// rulesFor are the rules of a file, the same map for all files of a configuration that makes no difference between them.
func (w *Workspace) rulesFor(c *config.Resolved, path string) map[string]analyzers.Severity {
	if len(c.PerFileIgnores) > 0 {
		return c.Rules(relativeTo(baseDir(c, w.Dir), path), w.Analyzers())
	}
	if w.rules[c] == nil {
		if w.rules == nil {
			w.rules = map[*config.Resolved]map[string]analyzers.Severity{}
		}
		w.rules[c] = c.Rules("", w.Analyzers())
	}
	return w.rules[c]
}

func (w *Workspace) driverSettings(c *config.Resolved, path string, jax flow.Release) driver.Settings {
	return driver.Settings{
		Rules: w.rulesFor(c, path),
		JAX:   jax,
		Thresholds: analyzers.Settings{
			MinBytes: *c.HLO.MinBytes, MinUnshardedBytes: *c.HLO.MinUnshardedBytes, Budget: w.budget(c), LogicalRules: logicalRules(c),
		},
		IgnoreSuppressions: w.options.IgnoreSuppressions,
	}
}

// logicalRules are the configured meanings of logical axis names.
func logicalRules(c *config.Resolved) []analyzers.LogicalRule {
	var rules []analyzers.LogicalRule
	for _, r := range c.LogicalAxisRules {
		rules = append(rules, analyzers.LogicalRule(r))
	}
	return rules
}

// budget is the configured budget, nil where nothing is limited.
func (w *Workspace) budget(c *config.Resolved) *analyzers.Budget {
	b := &analyzers.Budget{NoLowPrecisionGradients: !*c.Budget.LowPrecisionGradients}
	for _, a := range c.Budget.BytesPerStep {
		b.BytesPerStep = append(b.BytesPerStep, analyzers.AxisBytes{Axis: a.Axis, Bytes: a.Bytes})
	}
	if patterns := c.Budget.NoImplicitCollectives; len(patterns) > 0 {
		b.NoImplicit = func(path string) bool {
			relative := relativeTo(baseDir(c, w.Dir), path)
			return slices.ContainsFunc(patterns, func(pattern string) bool { return config.MatchPath(pattern, relative) })
		}
	}
	if len(b.BytesPerStep) == 0 && !b.NoLowPrecisionGradients && b.NoImplicit == nil {
		return nil
	}
	return b
}

// configs lists the configurations in use, that of the working directory first.
func (w *Workspace) configs() []*config.Resolved {
	var out []*config.Resolved
	seen := map[string]bool{}
	add := func(c *config.Resolved) {
		if !seen[c.Path] {
			seen[c.Path] = true
			out = append(out, c)
		}
	}
	if c, err := w.Config(); err == nil {
		add(c)
	}
	for _, path := range w.shared.paths {
		if c, err := w.shared.settings.forDir(filepath.Dir(path)); err == nil {
			add(c)
		}
	}
	return out
}
