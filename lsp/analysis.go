package lsp

import (
	"context"
	"sync"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/internal/project"
)

// analysis is everything that is known of one snapshot. It is immutable.
type analysis struct {
	at        *snapshot
	workspace *project.Workspace             // of the sources alone; nil where there is none
	findings  map[string][]analyzers.Finding // by path
	dumps     *dumpFacts                     // nil until dumps are read; may be of earlier texts, whose lines are followed
	loading   bool                           // dumps are still being read: facts from them are missing, not absent
	lines     func() *traffic                // made when first asked for
	axisUses  func() []axisUse               // likewise
}

func newAnalysis(at *snapshot, workspace *project.Workspace, dumps *dumpFacts) *analysis {
	a := &analysis{at: at, workspace: workspace, dumps: dumps}
	a.lines = sync.OnceValue(func() *traffic { return dumps.trafficFor(a) })
	a.axisUses = sync.OnceValue(func() []axisUse { return axesOf(a) })
	return a
}

// traffic is what the compiled modules say about the lines of the workspace.
func (a *analysis) traffic() *traffic { return a.lines() }

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
	a, err := s.results.wait(ctx, s.at.id)
	if err != nil {
		return nil, err
	}
	if current := a.at.open[string(doc.uri)]; current == nil || current.version != doc.version {
		return nil, errSuperseded
	}
	return a, nil
}
