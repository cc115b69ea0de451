// Package driver runs rules over files and compiled modules and turns what they report into the findings that a person
// sees: selected, with the configured severity, without the suppressed ones, in one order.
//
// The command line and the language server call the same [Run] with the same immutable [Input]; a front end only renders.
package driver

import (
	"context"
	"time"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// Input is everything that one run judges. Nothing in a run changes it, so runs may share it and its parts.
type Input struct {
	Analyzers []*analyzers.Analyzer
	Needles   *Needles      // those of the analyzers; nil gathers them
	Files     []File        // the files to report on, sorted by path
	Program   *flow.Program // every file of the workspace, whether reported on or not
	Modules   []Module      // the compiled modules to judge, one for each that the program ran
	Dumps     []Dump        // the dump files that were asked for, readable or not
	Baseline  *Baseline     // the communication that was agreed to; nil compares with nothing
	Now       time.Time     // what ages are measured to; zero leaves them out
}

// File is one Python file and what holds for it.
type File struct {
	Path     string // as in the spans of findings
	Facts    *flow.File
	Settings Settings
	// Open, where Facts holds no syntax, parses the file if there is anything to judge in it, and tells what is wrong with it. It is
	// called once for a run, and Close when the run needs the tree no more.
	Open  func() (*pyparse.File, []Problem)
	Close func()
	// Interpret returns the facts of the file, the same ones at every call. Nil lets the driver interpret it.
	Interpret func() *flow.Facts
	ModTime   time.Time // zero when unknown; an unsaved buffer has none
	// Own are the marks of the file and Reach those of the files that it imports as well, see [Needles]. Where they are nil the
	// file's own text tells, and it may import anything.
	Own, Reach pyparse.Marks
}

// Module is one compiled module joined to the sources, and what holds for it.
type Module struct {
	Module   *link.Module
	Settings Settings
	ModTime  time.Time // of the dump file; zero when unknown
}

// dated adds to what is reported on a module when its dump was written.
func (m *Module) dated(report func(analyzers.Finding)) func(analyzers.Finding) {
	return func(f analyzers.Finding) {
		if f.HLO != nil {
			f.HLO.Written = m.ModTime
		}
		report(f)
	}
}

// Dump is one dump file of the run. Problem is not empty where it could not be read.
type Dump struct {
	Path    string
	Problem string
	ModTime time.Time
}

// Settings are the choices that configuration and flags make for one file.
type Settings struct {
	Rules              map[string]analyzers.Severity // the selected codes and the severity each reports at
	JAX                flow.Release
	Thresholds         analyzers.Settings
	IgnoreSuppressions bool
	MaxAge             time.Duration // age from which a dump is reported as old; 0 is no limit
}

// Result is the outcome of a run. Findings are sorted by path, start and code.
type Result struct {
	Findings   []analyzers.Finding
	Suppressed int
	Skipped    []Skipped
	Problems   []Problem
	HLO        HLO
}

// HLO says which dumps a run rests on. Dumps is nil where none was read.
type HLO struct {
	State HLOState
	Dumps []string
	// Stale says of files that were changed after a dump of theirs was written which dump that is, and how it is meant.
	Stale map[string]*analyzers.Related
}

// HLOState says what the dumps of a run are worth.
type HLOState string

// The states, as printed.
const (
	NoDump          HLOState = "none"       // none was asked for
	LinkedDumps     HLOState = "linked"     // at least one was read
	StaleDumps      HLOState = "stale"      // read, and older than the code they describe
	UnreadableDumps HLOState = "unreadable" // none of those asked for could be read
)

// Skipped is a selected rule that could not run, and why.
type Skipped struct {
	Code   string
	Reason string
}

// Problem is something that went wrong with one file without stopping the run. Line is 1-based, 0 where there is none.
type Problem struct {
	Path    string
	Line    int
	Message string
}

// Run judges in. Its error is that of ctx; everything else that goes wrong is a [Problem] of the result.
func Run(ctx context.Context, in *Input) (*Result, error) {
	r := newRun(in)
	if err := r.sources(ctx); err != nil {
		return nil, err
	}
	if err := r.modules(ctx); err != nil {
		return nil, err
	}
	r.dumps()
	r.compare()
	return r.finish(), nil
}
