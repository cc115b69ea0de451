package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of "go test -json" (cmd/test2json and, for builds, cmd/go's BuildEvent).
type event struct {
	Action     string
	Package    string
	Test       string
	Output     string
	ImportPath string
	Elapsed    float64 // seconds
}

// key names a test, or a package where test is empty.
type key struct{ pkg, test string }

func (k key) String() string {
	if k.test == "" {
		return k.pkg
	}
	return k.pkg + " " + k.test
}

type summary struct {
	passed, failed, skipped int
	output                  map[key]*strings.Builder
	failedIn                map[string]bool // packages with a failed test
}

func (s *summary) ok() bool { return s.failed == 0 && s.skipped == 0 && s.passed > 0 }

// summarize copies nothing of passing tests but a line per package. Lines that are not JSON are passed through: the go
// command prints some of its own errors that way.
func summarize(r io.Reader, w io.Writer) (*summary, error) {
	s := &summary{output: map[key]*strings.Builder{}, failedIn: map[string]bool{}}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil || e.Action == "" {
				fmt.Fprint(w, string(line))
			} else {
				s.add(e, w)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read test events: %w", err)
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed", s.passed, s.failed)
	if s.skipped > 0 {
		fmt.Fprintf(w, ", %d skipped", s.skipped)
	}
	fmt.Fprintln(w)
	return s, nil
}

func (s *summary) add(e event, w io.Writer) {
	k := key{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(w, e.Output)
	case "output":
		if s.output[k] == nil {
			s.output[k] = new(strings.Builder)
		}
		s.output[k].WriteString(e.Output)
	case "pass":
		if e.Test == "" {
			fmt.Fprintf(w, "ok    %s (%.1f s)\n", e.Package, e.Elapsed)
		} else {
			s.passed++
		}
		delete(s.output, k)
	case "fail":
		s.fail(k, w)
	case "skip":
		if e.Test != "" { // a package without test files is no skipped test
			s.skipped++
			s.print("SKIP", k, w)
		}
	}
}

// fail counts a failed test, and a failed package if none of its tests failed: it did not build, or it exited.
func (s *summary) fail(k key, w io.Writer) {
	if k.test != "" {
		s.failed++
		s.failedIn[k.pkg] = true
	} else if !s.failedIn[k.pkg] {
		s.failed++
	}
	s.print("FAIL ", k, w)
}

func (s *summary) print(word string, k key, w io.Writer) {
	fmt.Fprintf(w, "%s %s\n", word, k)
	if text := s.output[k]; text != nil {
		fmt.Fprint(w, text.String())
	}
	delete(s.output, k)
}
