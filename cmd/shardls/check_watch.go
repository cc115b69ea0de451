package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/shardls/shardls/internal/project"
)

// settleTime is how long files must be quiet before they are checked again: an editor writes a file in several steps.
const settleTime = 100 * time.Millisecond

// watch checks once and then again whenever a file changes, until it is interrupted.
func (c *checker) watch(ctx context.Context, opts project.Options) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("--watch: %w", err)
	}
	defer watcher.Close()
	for {
		c.follow(ctx, watcher, opts) // before files are read: what changes meanwhile asks for another round
		if c.env.outTerminal {
			fmt.Fprint(c.env.out, "\x1b[2J\x1b[H")
		}
		if err := c.once(ctx, opts); err != nil && !errors.Is(err, errFindings) {
			fmt.Fprintf(c.env.err, "shardls: %v\n", err)
		}
		fmt.Fprintln(c.env.err, "Watching for changes.")
		if !changes(ctx, watcher) {
			return nil
		}
	}
}

// follow watches the directories of every file and dump, and those in them, which may get files. A directory that is watched already
// stays so.
func (c *checker) follow(ctx context.Context, watcher *fsnotify.Watcher, opts project.Options) {
	opts.SkipDumps = true
	opts.Progress = nil
	dirs := map[string]bool{c.env.dir: true}
	if w, err := project.Load(ctx, opts); err == nil {
		for _, f := range w.Files {
			dirs[filepath.Dir(f.Path)] = true
		}
	}
	for _, pattern := range opts.HLO {
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(c.env.dir, pattern)
		}
		dirs[pattern] = true
		dirs[filepath.Dir(pattern)] = true
	}
	for dir := range dirs {
		_ = watcher.Add(dir) // a glob, or a directory that has gone
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				_ = watcher.Add(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// changes waits until something relevant has changed and nothing more changes; false means that the wait is over.
func changes(ctx context.Context, watcher *fsnotify.Watcher) bool {
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case event, ok := <-watcher.Events:
			if !ok {
				return false
			}
			if relevant(event.Name) || event.Has(fsnotify.Create) && isDir(event.Name) {
				settled = time.After(settleTime)
			}
		case _, ok := <-watcher.Errors:
			if !ok {
				return false
			}
		case <-settled:
			return true
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func relevant(path string) bool {
	for _, end := range []string{".py", ".pyi", ".ipynb", ".toml", ".lock", ".txt", ".pb", ".gz", ".zst", ".hlo", ".log"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}
