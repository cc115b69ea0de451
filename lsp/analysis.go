package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
)

// analysis is everything that is known of one snapshot. It is immutable.
type analysis struct {
	at        *snapshot
	workspace *project.Workspace
	findings  map[string][]analyzers.Finding // by path
	loading   bool                           // dumps are still being read: facts from them are missing, not absent
	trouble   error                          // why there is no workspace: a configuration that can't be read
	lines     func() *traffic                // made when first asked for
	axisUses  func() []axisUse               // likewise
}

// traffic is what the compiled modules say about the lines of the workspace.
func (a *analysis) traffic() *traffic {
	if a.lines == nil {
		return &traffic{}
	}
	return a.lines()
}

// results hold the newest analysis and let requests wait for one.
type results struct {
	mu     sync.Mutex
	newest *analysis
	next   chan struct{} // closed when newest is replaced
}

func newResults() results { return results{next: make(chan struct{})} }

func (r *results) set(a *analysis) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = a
	close(r.next)
	r.next = make(chan struct{})
}

// wait returns the first analysis of snapshot id or a later one.
func (r *results) wait(ctx context.Context, id int64) (*analysis, error) {
	for {
		r.mu.Lock()
		newest, next := r.newest, r.next
		r.mu.Unlock()
		if newest != nil && newest.at.id >= id {
			return newest, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-next:
		}
	}
}

// analysed returns an analysis that describes exactly the version of doc that this request is about. The analysis may be
// of a later snapshot, in which something else has changed.
func (s *server) analysed(ctx context.Context, doc *document) (*analysis, error) {
	a, err := s.latest.wait(ctx, s.at.id)
	if err != nil {
		return nil, err
	}
	if current := a.at.open[string(doc.uri)]; current == nil || current.version != doc.version {
		return nil, errSuperseded
	}
	return a, nil
}

// base is a workspace loaded from disk and what it was loaded for.
type base struct {
	workspace *project.Workspace
	key       baseKey
	overlay   map[string][]byte // the editor's texts that it has taken in
	loading   bool              // dumps are still to come
	trouble   error
	giveUp    context.CancelFunc // ends the reading of dumps
}

// baseKey says when a workspace has to be loaded again rather than edited.
type baseKey struct {
	settings settings
	roots    []string
	extra    []string // open documents that the roots do not bring
	disk     int64
	dumps    int64
}

func (k baseKey) equal(other baseKey) bool { return reflect.DeepEqual(k, other) }

// analyse is the goroutine that turns snapshots into analyses, one at a time, always the newest; a snapshot that is
// replaced while it is worked on is given up.
func (s *session) analyse() {
	var b base
	loaded := make(chan base, 1)
	for {
		select {
		case <-s.ctx.Done():
			return
		case full := <-loaded:
			if full.key.equal(b.key) {
				full.giveUp = b.giveUp
				b = full
			}
		case <-s.changed:
		}
		snap := s.snapshot()
		if !s.lifecycle.running() {
			continue
		}
		s.analyseSnapshot(snap, &b, loaded)
	}
}

// analyseSnapshot makes one analysis and has it published. Whatever happens, requests that wait for it get an answer.
func (s *session) analyseSnapshot(snap *snapshot, b *base, loaded chan<- base) {
	ctx, done := s.runContext(snap)
	defer done()
	a := &analysis{at: snap}
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("panic", zap.String("goroutine", "analyse"), zap.Any("panic", r), zap.ByteString("stack", debug.Stack()))
			a = &analysis{at: snap, trouble: fmt.Errorf("internal error: %v", r)}
			*b = base{} // whatever was half done
		} else if ctx.Err() != nil {
			return // a newer snapshot is waiting
		}
		s.latest.set(a)
		s.announce(a)
	}()
	s.prepare(ctx, snap, b, loaded)
	if b.workspace != nil && !slices.Equal(b.extra(snap), b.key.extra) {
		s.prepare(ctx, snap, b, loaded) // only loading has shown which documents the folders do not bring
	}
	a.loading, a.trouble = b.loading, b.trouble
	if b.workspace == nil || !on(snap.settings.Enable) {
		return
	}
	result, err := driver.Run(ctx, b.workspace.Input())
	if err != nil {
		return
	}
	a.workspace = b.workspace
	a.lines = sync.OnceValue(func() *traffic { return trafficOf(modulesOf(a.workspace)) })
	a.axisUses = sync.OnceValue(func() []axisUse { return axesOf(a) })
	a.findings = map[string][]analyzers.Finding{}
	for _, f := range result.Findings {
		a.findings[f.Span.Path] = append(a.findings[f.Span.Path], f)
	}
	for _, p := range result.Problems {
		s.log.Debug("problem", zap.String("path", p.Path), zap.String("message", p.Message))
	}
}

func modulesOf(w *project.Workspace) []*link.Module {
	var modules []*link.Module
	for _, m := range w.Input().Modules {
		modules = append(modules, m.Module)
	}
	return modules
}

// runContext ends when snap is no longer the newest snapshot.
func (s *session) runContext(snap *snapshot) (context.Context, func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current.id != snap.id {
		cancel()
	}
	s.cancelRun = cancel
	return ctx, cancel
}

// prepare brings b up to the snapshot: it loads the workspace where files may have changed, first without dumps, and
// starts the reading of dumps; otherwise it only puts the editor's texts over what is loaded.
func (s *session) prepare(ctx context.Context, snap *snapshot, b *base, loaded chan<- base) {
	key := baseKey{settings: snap.settings, roots: snap.roots, extra: b.extra(snap), disk: snap.disk, dumps: snap.dumps}
	overlay := snap.overlay()
	if b.workspace == nil && b.trouble == nil || !b.key.equal(key) {
		s.load(ctx, key, overlay, b, loaded)
		return
	}
	changed := difference(b.overlay, overlay)
	if b.workspace == nil || len(changed) == 0 {
		return
	}
	if workspace, err := b.workspace.With(ctx, changed); err == nil {
		b.workspace, b.overlay = workspace, overlay
	}
}

// load reads sources and starts the reading of dumps.
func (s *session) load(ctx context.Context, key baseKey, overlay map[string][]byte, b *base, loaded chan<- base) {
	if b.giveUp != nil {
		b.giveUp()
	}
	s.forget(b.key, key)
	if len(existing(key.roots))+len(key.extra) == 0 {
		*b = base{key: key, overlay: overlay}
		return
	}
	first := base{key: key, overlay: overlay, loading: true}
	first.workspace, first.trouble = project.Load(ctx, s.loadOptions(key, overlay, true))
	if ctx.Err() != nil {
		*b = base{} // the next snapshot starts anew
		return
	}
	*b = first
	if first.trouble != nil {
		b.loading = false
		s.complain(first.trouble)
		return
	}
	dumpsCtx, giveUp := context.WithCancel(s.ctx)
	b.giveUp = giveUp
	s.spawn("dumps", func() { s.loadDumps(dumpsCtx, key, overlay, loaded) })
}

// complain tells the person why there are no findings, once for each reason.
func (s *session) complain(trouble error) {
	s.log.Warn("load the workspace", zap.Error(trouble))
	s.show(protocol.MessageTypeError, "shardls: "+trouble.Error())
}

// extra lists the open documents that have to be named because walking the roots does not bring them: new ones, and those
// outside. Once named they stay named while they are open.
func (b *base) extra(snap *snapshot) []string {
	var extra []string
	for _, doc := range snap.open {
		if !doc.isPython() || b.workspace == nil && snap.inRoots(doc.path) {
			continue
		}
		if b.workspace == nil || b.workspace.File(doc.path) == nil || slices.Contains(b.key.extra, doc.path) {
			extra = append(extra, doc.path)
		}
	}
	slices.Sort(extra)
	return extra
}

// forget drops from the cache what the new key says may have changed on disk.
func (s *session) forget(old, key baseKey) {
	if old.disk != key.disk {
		s.cache.ForgetFiles()
	}
	if old.dumps != key.dumps {
		s.cache.ForgetDumps()
	}
}

// loadDumps reads everything, dumps too, and hands the outcome to the goroutine that analyses.
func (s *session) loadDumps(ctx context.Context, key baseKey, overlay map[string][]byte, loaded chan<- base) {
	var report *progress
	defer func() {
		s.reading.Store(false)
		report.end()
	}()
	options := s.loadOptions(key, overlay, false)
	options.Progress = func(at project.Progress) {
		if at.Stage != "reading dumps" {
			return
		}
		if report == nil {
			s.reading.Store(true)
			report = s.beginProgress("Reading HLO dumps")
		}
		report.report(at)
	}
	full := base{key: key, overlay: overlay}
	full.workspace, full.trouble = project.Load(ctx, options)
	if full.trouble != nil && ctx.Err() == nil {
		s.complain(full.trouble)
		options.SkipDumps = true // what the sources say still holds
		full.workspace, _ = project.Load(ctx, options)
	}
	select {
	case loaded <- full:
	case <-ctx.Done():
	}
}

func (s *session) loadOptions(key baseKey, overlay map[string][]byte, skipDumps bool) project.Options {
	roots := existing(key.roots)
	options := project.Options{
		Paths:        slices.Concat(roots, key.extra),
		Overlay:      overlay,
		ConfigFile:   key.settings.configFile(),
		Overrides:    []config.Config{key.settings.override()},
		ForceExclude: true,
		SkipDumps:    skipDumps,
		Analyzers:    s.options.analyzers,
		Cache:        &s.cache,
	}
	if len(roots) > 0 {
		options.Dir = roots[0]
	} else {
		options.Dir = filepath.Dir(key.extra[0])
	}
	return options
}

// existing are the folders that are there: one of several may have been deleted.
func existing(roots []string) []string {
	var out []string
	for _, root := range roots {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			out = append(out, root)
		}
	}
	return out
}

func (s *snapshot) inRoots(path string) bool {
	for _, root := range s.roots {
		if rest, err := filepath.Rel(root, path); err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
			return filepath.IsAbs(path)
		}
	}
	return false
}

// overlay is the text of the open Python documents by path.
func (s *snapshot) overlay() map[string][]byte {
	out := map[string][]byte{}
	for _, doc := range s.open {
		if doc.isPython() {
			out[doc.path] = doc.text.Text
		}
	}
	return out
}

// difference is what turns the overlay old into the overlay now: nil for a text that is gone.
func difference(old, now map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for path, content := range now {
		if before, ok := old[path]; !ok || string(before) != string(content) {
			out[path] = content
		}
	}
	for path := range old {
		if _, ok := now[path]; !ok {
			out[path] = nil
		}
	}
	return out
}
