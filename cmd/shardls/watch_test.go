package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what should come at once.
const patience = 30 * time.Second

// said is a writer that can be waited on.
type said struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func newSaid() *said { return &said{more: make(chan struct{}, 1)} }

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

// await waits until something has been said so many times.
func (s *said) await(t *testing.T, what string, times int) {
	t.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		text := s.text.String()
		s.mu.Unlock()
		if strings.Count(text, what) >= times {
			return
		}
		select {
		case <-s.more:
		case <-late:
			t.Fatalf("%q was not said %d times:\n%s", what, times, text)
		}
	}
}

// TestWatch: files are checked again when one is written, also in a folder that had none, or that is new.
func TestWatch(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x = 1  # shardls: ignore[SHD002]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("a.py")
	out, log := newSaid(), newSaid()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		env := environment{in: strings.NewReader(""), out: out, err: log, dir: dir, getenv: func(string) string { return "" }}
		ended <- Main(ctx, []string{"check", "--watch", "--isolated", "--output-format", "concise"}, env)
	}()
	log.await(t, "Watching for changes.", 1)
	out.await(t, "a.py:1", 1)
	write("empty/b.py")
	log.await(t, "Watching for changes.", 2)
	out.await(t, "empty/b.py:1", 1)
	if err := os.Mkdir(filepath.Join(dir, "new"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("new/c.py")
	out.await(t, "new/c.py:1", 1)
	stop()
	if status := <-ended; status != statusClean {
		t.Errorf("status %d, want %d", status, statusClean)
	}
}
