package main

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/shardls/shardls/internal/project"
)

// quietTime is how long work may take before its progress is shown, and how often it is shown after.
const quietTime = 200 * time.Millisecond

// progress shows how far long work has come, on one line of a terminal.
type progress struct {
	env   environment
	mu    sync.Mutex
	last  time.Time
	shown bool
}

func newProgress(env environment) *progress { return &progress{env: env, last: time.Now()} }

func (p *progress) report(at project.Progress) {
	if !p.env.errTerminal {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) < quietTime {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.env.err, "\r\x1b[K%s %d/%d %s", at.Stage, at.Done, at.Total, filepath.Base(at.Item))
}

// clear removes the line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.env.err, "\r\x1b[K")
		p.shown = false
	}
}
