package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"time"

	"golang.org/x/term"
)

// environment is what a command sees of the process it runs in.
type environment struct {
	in       io.Reader
	out, err io.Writer
	dir      string // working directory, absolute
	getenv   func(string) string
	now      func() time.Time // nil leaves the ages of dumps out
	// outTerminal and errTerminal say whether a person sees what is written there.
	outTerminal, errTerminal bool
	version                  string
	// again brings the signals after the one that ended the context.
	again <-chan os.Signal
	// large, when set, prepares the process for reading large files and ending soon after.
	large func()
	// sources, when set, prepares it for looking at many sources once and ending soon after.
	sources func()
}

// version is set by the linker; without it the version of the build information is shown.
var version string

func processEnvironment() environment {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	// Without this a reader that stops reading, such as head, would end the process with a signal.
	signal.Ignore(syscall.SIGPIPE)
	return environment{
		in: os.Stdin, out: &pipe{w: os.Stdout}, err: &pipe{w: os.Stderr}, dir: dir, getenv: os.Getenv, now: time.Now,
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())), errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		version: version, large: collectLess, sources: collectLate,
	}
}

// Sizes of memory in bytes up to which garbage waits: of check, and of commands that show dumps. A dump of 95 MB stays below.
const (
	smallHeap = 104 << 20
	largeHeap = 192 << 20
)

// collectLess is for commands that show dumps: most of what they make of a large one they keep to the end.
func collectLess() { collectLater(collection{least: largeHeap, times: 4}) }

// collectLate is for check: most of the trees and values of a file are of no use as soon as the next file is looked at.
func collectLate() { collectLater(collection{least: smallHeap, times: 2}) }

// collectLater lets garbage wait as c says. GOGC or GOMEMLIMIT, where they are set, say otherwise.
func collectLater(c collection) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	c.over()
}

// collection stands for the collection of garbage that will find it unreachable: it is due when the memory in use reaches the least
// size in bytes, and so many times what was reachable at the last one.
type collection struct {
	least, times int64
	_            *collection // a pointer keeps it from sharing its block of memory with other objects
}

// over sets when the next collection is due.
func (c *collection) over() {
	reachable := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(reachable)
	debug.SetMemoryLimit(max(c.least, c.times*int64(reachable[0].Value.Uint64())))
	runtime.SetFinalizer(&collection{least: c.least, times: c.times}, (*collection).over)
}

// pipe swallows what is written after the reader has gone: that is no error of ours.
type pipe struct {
	w      io.Writer
	closed bool
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.closed {
		return len(b), nil
	}
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.closed = true
		return len(b), nil
	}
	return n, err
}

// colours decides whether output is coloured: --color, then NO_COLOR and FORCE_COLOR, then whether it is a terminal.
func (e *environment) colours(flag string) bool {
	switch flag {
	case "always":
		return true
	case "never":
		return false
	}
	switch {
	case e.getenv("NO_COLOR") != "":
		return false
	case e.getenv("FORCE_COLOR") != "" && e.getenv("FORCE_COLOR") != "0":
		return true
	}
	return e.outTerminal && e.getenv("TERM") != "dumb"
}

// Close closes what is behind the pipe: the language server frees its reader and writer so.
func (p *pipe) Close() error {
	if c, ok := p.w.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
