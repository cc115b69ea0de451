package lsp

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
)

// base is a workspace as loaded from disk, twice: the sources alone, which every edit goes through at once, and with
// dumps, which follow when there is time.
type base struct {
	key     baseKey
	sources *project.Workspace
	overlay map[string][]byte // the editor's texts that sources has taken in
	trouble error             // why there are no sources
	loading bool              // dumps are still to come
	giveUp  context.CancelFunc

	full        *project.Workspace // nil until dumps are read
	fullOverlay map[string][]byte
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

// loadedDumps is what reading the dumps gave.
type loadedDumps struct {
	key       baseKey
	workspace *project.Workspace // nil where it failed
	overlay   map[string][]byte
}

// take accepts dumps if they are those that are waited for.
func (b *base) take(l loadedDumps) bool {
	if !l.key.equal(b.key) {
		return false
	}
	b.full, b.fullOverlay, b.loading = l.workspace, l.overlay, false
	return true
}

func (b *base) hasDumps() bool { return b.full != nil && len(b.full.Dumps) > 0 }

// followDumps brings the workspace with dumps up to the editor's texts; false means that there was no time.
func (b *base) followDumps(ctx context.Context, overlay map[string][]byte) bool {
	changed := difference(b.fullOverlay, overlay)
	if len(changed) == 0 {
		return true
	}
	full, err := b.full.With(ctx, changed)
	if err != nil {
		return false
	}
	b.full, b.fullOverlay = full, overlay
	return true
}

// load reads sources and starts the reading of dumps. What the dumps told before stays in use until they are read again.
func (w *worker) load(ctx context.Context, key baseKey, overlay map[string][]byte) {
	b := &w.base
	if b.giveUp != nil {
		b.giveUp()
	}
	w.forget(b.key, key)
	if len(existing(key.roots))+len(key.extra) == 0 {
		*b = base{key: key, overlay: overlay}
		return
	}
	first := base{key: key, overlay: overlay, loading: true}
	first.sources, first.trouble = project.Load(ctx, w.loadOptions(key, overlay, true))
	if ctx.Err() != nil {
		*b = base{} // the next snapshot starts anew
		return
	}
	*b = first
	if first.trouble != nil {
		b.loading = false
		w.complainOnce(first.trouble)
		return
	}
	w.warn(first.sources.Warnings)
	w.complainOnce(first.sources.Broken...)
	dumpsCtx, giveUp := context.WithCancel(w.ctx)
	b.giveUp = giveUp
	w.spawn("dumps", func() { w.loadDumps(dumpsCtx, key, overlay, w.loaded) })
}

// warn tells the person what is odd in configuration files, each thing once. What else a walk through the folders met is only logged:
// a folder that may not be read may have nothing to do with the program.
func (w *worker) warn(warnings []config.Warning) {
	for _, odd := range warnings {
		text := odd.String()
		if w.warned[text] {
			continue
		}
		w.warned[text] = true
		w.log.Warn("configuration", zap.String("odd", text))
		if odd.File != "" {
			w.show(protocol.MessageTypeWarning, "shardls: "+text)
		}
	}
}

// complain tells the person why there are no findings.
func (s *session) complain(trouble error) {
	s.log.Warn("load the workspace", zap.Error(trouble))
	s.show(protocol.MessageTypeError, "shardls: "+trouble.Error())
}

// complainOnce tells the person what is wrong now and was not when the workspace was loaded before.
func (w *worker) complainOnce(troubles ...error) {
	told := map[string]bool{}
	for _, trouble := range troubles {
		text := trouble.Error()
		if !w.told[text] && !told[text] {
			w.complain(trouble)
		}
		told[text] = true
	}
	w.told = told
}

// complainOfProfile tells the person that the configured profile can't be read, once for each reason: times come from a model then.
func (s *session) complainOfProfile(w *project.Workspace) {
	trouble := ""
	if w != nil {
		if _, _, err := w.Profile(""); err != nil {
			trouble = err.Error()
		}
	}
	if trouble != "" && trouble != s.profile {
		s.log.Warn("read the profile", zap.String("reason", trouble))
		s.show(protocol.MessageTypeWarning, "shardls: hlo."+trouble+"; no measured times are shown")
	}
	s.profile = trouble
}

// extra lists the open documents that have to be named because walking the roots does not bring them: new ones, and those
// outside. Once named they stay named while they are open.
func (b *base) extra(snap *snapshot) []string {
	var extra []string
	for _, doc := range snap.open {
		if !doc.isPython() || b.sources == nil && snap.inRoots(doc.path) {
			continue
		}
		if b.sources == nil || b.sources.File(doc.path) == nil || slices.Contains(b.key.extra, doc.path) {
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
func (s *session) loadDumps(ctx context.Context, key baseKey, overlay map[string][]byte, loaded chan<- loadedDumps) {
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
	full := loadedDumps{key: key, overlay: overlay}
	var err error
	if full.workspace, err = project.Load(ctx, options); err != nil && ctx.Err() == nil {
		s.complain(err)
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
		Lenient:      true,
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
