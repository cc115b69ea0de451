package main

import (
	"errors"
	"syscall"
	"testing"
)

// broken is a pipe whose reader has gone, or that fails otherwise.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestABrokenPipeIsNoError(t *testing.T) {
	gone := &pipe{w: broken{syscall.EPIPE}}
	for range 2 {
		if n, err := gone.Write([]byte("text")); n != 4 || err != nil {
			t.Errorf("Write = %d, %v; want what was given to be swallowed", n, err)
		}
	}
	full := &pipe{w: broken{syscall.ENOSPC}}
	if _, err := full.Write([]byte("text")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("err = %v, want that of the disk", err)
	}
}

func TestColours(t *testing.T) {
	tests := []struct {
		name, flag string
		env        map[string]string
		terminal   bool
		want       bool
	}{
		{"terminal", "auto", nil, true, true},
		{"no terminal", "auto", nil, false, false},
		{"always", "always", map[string]string{"NO_COLOR": "1"}, false, true},
		{"never", "never", map[string]string{"FORCE_COLOR": "1"}, true, false},
		{"NO_COLOR", "auto", map[string]string{"NO_COLOR": "1"}, true, false},
		{"empty NO_COLOR", "auto", map[string]string{"NO_COLOR": ""}, true, true},
		{"FORCE_COLOR", "auto", map[string]string{"FORCE_COLOR": "1"}, false, true},
		{"FORCE_COLOR=0", "auto", map[string]string{"FORCE_COLOR": "0"}, false, false},
		{"NO_COLOR before FORCE_COLOR", "auto", map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, true, false},
		{"dumb terminal", "auto", map[string]string{"TERM": "dumb"}, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := environment{getenv: func(k string) string { return tt.env[k] }, outTerminal: tt.terminal}
			if got := env.colours(tt.flag); got != tt.want {
				t.Errorf("colours = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFileAndLine(t *testing.T) {
	tests := []struct {
		argument, file string
		line           int
	}{
		{"a.py:3", "a.py", 3}, {"a.py:3:7", "a.py", 3}, {`C:\x\a.py:3`, `C:\x\a.py`, 3}, {"a.py", "", 0}, {":3", "", 0}, {"a.py:0", "", 0}, {"a.py:x", "", 0},
	}
	for _, tt := range tests {
		file, line, err := fileAndLine(tt.argument)
		if (err == nil) != (tt.line > 0) || err == nil && (file != tt.file || line != tt.line) {
			t.Errorf("fileAndLine(%q) = %q, %d, %v; want %q, %d", tt.argument, file, line, err, tt.file, tt.line)
		}
	}
}
