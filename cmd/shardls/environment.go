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

	"golang.org/x/term"
)

// environment is what a command sees of the process it runs in.
type environment struct {
	in       io.Reader
	out, err io.Writer
	dir      string // working directory, absolute
	getenv   func(string) string
	// outTerminal and errTerminal say whether a person sees what is written there.
	outTerminal, errTerminal bool
	version                  string
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
		in: os.Stdin, out: &pipe{w: os.Stdout}, err: &pipe{w: os.Stderr}, dir: dir, getenv: os.Getenv,
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())), errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		version: version, large: collectLess, sources: collectLate,
	}
}

// collectLess lets the heap grow to nine times what is in use before it is collected: most of what a command makes of a large dump
// it keeps to the end. For a dump of 25 MB there is no collection at all. GOGC, where it is set, says otherwise.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// smallHeap is how many bytes of memory check takes without collecting garbage.
const smallHeap = 88 << 20

// collectLate lets garbage wait until the memory in use reaches smallHeap bytes, and from there on until the heap is twice what is
// reachable: most of the trees and values of a file are of no use as soon as the next file is looked at. GOGC or GOMEMLIMIT, where
// they are set, say otherwise.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	(&collection{}).over()
}

// collection stands for the collection of garbage that will find it unreachable.
type collection struct{ _ *collection } // a pointer keeps it from sharing its block of memory with other objects

// over sets when the next collection is due.
func (*collection) over() {
	reachable := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(reachable)
	debug.SetMemoryLimit(max(smallHeap, 2*int64(reachable[0].Value.Uint64())))
	runtime.SetFinalizer(&collection{}, (*collection).over)
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
