package lsp

import (
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/shardls/shardls/analyzers/driver"
)

// dumpPause is how long a person has to stop typing before dumps are joined with the new text. What sources tell is
// analysed at once.
const dumpPause = 300 * time.Millisecond

// worker turns snapshots into analyses, one at a time, always the newest; a snapshot that is replaced while it is worked on
// is given up. Only its goroutine uses it.
type worker struct {
	*session
	base   base
	loaded chan loadedDumps
	dumps  *dumpFacts // of the last pause
	latest *analysis  // of sources, as far as the worker got
	pause  *time.Timer
	warned map[string]bool // what is odd in the configuration and has been told
	told   map[string]bool // what was wrong when the workspace was last loaded
}

// analyse is the worker's goroutine.
func (s *session) analyse() {
	w := &worker{session: s, loaded: make(chan loadedDumps, 1), pause: time.NewTimer(time.Hour), warned: map[string]bool{}}
	w.pause.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.changed:
			w.run(w.analyseSources)
		case full := <-w.loaded:
			if w.base.take(full) {
				w.complainOfProfile(full.workspace)
				w.run(w.analyseDumps)
			}
		case <-w.pause.C:
			w.run(w.analyseDumps)
		}
	}
}

// run does one piece of work for the newest snapshot. Whatever happens, requests that wait get an answer.
func (w *worker) run(work func(context.Context, *snapshot)) {
	if !w.lifecycle.running() {
		return
	}
	snap := w.snapshot()
	ctx, done := w.runContext(snap)
	defer done()
	defer func() {
		if r := recover(); r != nil {
			w.log.Error("panic", zap.String("goroutine", "analyse"), zap.Any("panic", r), zap.ByteString("stack", debug.Stack()))
			w.base, w.dumps = base{}, nil // whatever was half done
			w.tell(newAnalysis(snap, nil, nil))
		}
	}()
	work(ctx, snap)
}

// tell makes an analysis the newest one and announces it.
func (w *worker) tell(a *analysis) {
	w.latest = a
	w.results.set(a)
	w.announce(a)
}

// analyseSources analyses what the sources tell, and carries over what the dumps have told of lines that are still there.
func (w *worker) analyseSources(ctx context.Context, snap *snapshot) {
	w.prepare(ctx, snap)
	if ctx.Err() != nil {
		return // a newer snapshot is waiting
	}
	if w.base.sources == nil || !on(snap.settings.Enable) {
		a := newAnalysis(snap, nil, nil)
		a.loading = w.base.loading
		w.tell(a)
		return
	}
	result, err := driver.Run(ctx, w.base.sources.Input())
	if err != nil {
		return
	}
	w.logProblems(result)
	a := newAnalysis(snap, w.base.sources, w.dumps)
	a.findings, a.loading = byPath(result.Findings), w.base.loading
	w.dumps.carry(a)
	w.tell(a)
	if w.base.hasDumps() {
		w.pause.Reset(dumpPause)
	}
}

// analyseDumps joins the dumps with the sources of the last analysis.
func (w *worker) analyseDumps(ctx context.Context, snap *snapshot) {
	before := w.latest
	if before == nil || before.at.id != snap.id || before.workspace == nil {
		return // sources come first
	}
	if !w.base.hasDumps() {
		if w.dumps != nil { // the dumps have gone, and their findings are still carried
			w.dumps = nil
			w.analyseSources(ctx, snap)
			return
		}
		a := newAnalysis(snap, before.workspace, nil)
		a.findings = before.findings
		w.tell(a)
		return
	}
	if !w.base.followDumps(ctx, snap.overlay()) {
		return
	}
	result, err := driver.Run(ctx, w.base.full.Input())
	if err != nil {
		return
	}
	w.dumps = newDumpFacts(w.base.full, result)
	a := newAnalysis(snap, before.workspace, w.dumps)
	a.findings = w.dumps.findings
	if w.differs(before, a) {
		w.refreshed = "out of date" // what the editor has asked for since its edit is out of date
	}
	w.tell(a)
}

// differs reports whether an editor that was answered from one analysis has to ask again.
func (w *worker) differs(before, after *analysis) bool {
	for _, doc := range after.at.open {
		if !doc.isPython() {
			continue
		}
		was, is := before.traffic(), after.traffic()
		if len(was.lines[doc.path]) != len(is.lines[doc.path]) || len(was.through[doc.path]) != len(is.through[doc.path]) {
			return true
		}
		if w.editor.pull && resultID(w.diagnostics(before, doc)) != resultID(w.diagnostics(after, doc)) {
			return true
		}
	}
	return false
}

func (w *worker) logProblems(result *driver.Result) {
	for _, p := range result.Problems {
		w.log.Debug("problem", zap.String("path", p.Path), zap.String("message", p.Message))
	}
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

// prepare brings the sources up to the snapshot: it loads the workspace where files may have changed, and starts the reading
// of dumps; otherwise it only puts the editor's texts over what is loaded.
func (w *worker) prepare(ctx context.Context, snap *snapshot) {
	w.follow(ctx, snap)
	if w.base.sources != nil && ctx.Err() == nil && !slices.Equal(w.base.extra(snap), w.base.key.extra) {
		w.follow(ctx, snap) // only loading has shown which documents the folders do not bring
	}
}

func (w *worker) follow(ctx context.Context, snap *snapshot) {
	b := &w.base
	key := baseKey{settings: snap.settings, roots: snap.roots, extra: b.extra(snap), disk: snap.disk, dumps: snap.dumps}
	overlay := snap.overlay()
	if b.sources == nil && b.trouble == nil || !b.key.equal(key) {
		w.load(ctx, key, overlay)
		return
	}
	changed := difference(b.overlay, overlay)
	if b.sources == nil || len(changed) == 0 {
		return
	}
	if sources, err := b.sources.With(ctx, changed); err == nil {
		b.sources, b.overlay = sources, maps.Clone(overlay)
	}
}
