package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shardls/shardls/internal/capture"
)

// TestCaptureStatus: the status of capture is that of the command, and 2 where there was none.
func TestCaptureStatus(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		status int
		stdout string
		stderr string
	}{
		{"passes output through", []string{"--", "sh", "-c", "echo out; echo err >&2"}, 0, "out\n", "err\n"},
		{"flags after the command are the command's", []string{"echo", "--devices", "x"}, 0, "--devices x\n", "did not import JAX"},
		{"exit status", []string{"--", "sh", "-c", "exit 3"}, 3, "", "ended with status 3"},
		{"signal", []string{"--", "sh", "-c", "kill -TERM $$"}, 143, "", "ended with status 143"},
		{"no such program", []string{"--", "no-such-program"}, 2, "", "no-such-program"},
		{"no command", []string{"--"}, 2, "", "want a command to run"},
		{"bad target", []string{"--target", "cray:1", "--", "true"}, 2, "", `target "cray:1"`},
		{"no devices", []string{"--devices", "0", "--", "true"}, 2, "", "--devices 0"},
		{"two kinds of devices", []string{"--devices", "2", "--real-devices", "--", "true"}, 2, "", "--real-devices"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			env := processEnvironment()
			env.in, env.out, env.err, env.dir = strings.NewReader(""), &stdout, &stderr, t.TempDir()
			args := append([]string{"capture", "-o", filepath.Join(env.dir, "c")}, tt.args...)
			if status := Main(context.Background(), args, env); status != tt.status {
				t.Errorf("status = %d, want %d", status, tt.status)
			}
			if stdout.String() != tt.stdout || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("stdout %q, stderr %q; want %q and %q", stdout.String(), stderr.String(), tt.stdout, tt.stderr)
			}
		})
	}
}

// TestNothingBecause wants a sentence for one compilation as for several.
func TestNothingBecause(t *testing.T) {
	for n, want := range map[int]string{1: "the one compilation was for one device only", 3: "all 3 compilations were for one device only"} {
		if got := nothingBecause(&capture.Result{Hooked: true, Single: n}); !strings.HasPrefix(got, want+"; ") {
			t.Errorf("of %d: %s", n, got)
		}
	}
}
