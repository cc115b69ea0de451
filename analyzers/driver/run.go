package driver

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// run is the state of one call of [Run].
type run struct {
	in     *Input
	byPath map[string]*File
	trees  []*pyparse.File // of the files, as far as they are needed to the end

	mu       sync.Mutex // guards what follows while rules run
	findings []analyzers.Finding
	problems []Problem
	unjudged []Skipped // by rules that looked at a module
	crashed  map[crash]bool

	stale map[string]*analyzers.Related // files that were changed after their dump was written
	read  []string                      // dumps that were read
	about map[string]bool               // files that a dump describes; filled in when first asked for
}

// crash identifies a rule that panicked on one file or module.
type crash struct{ code, path string }

func newRun(in *Input) *run {
	r := &run{
		in: in, byPath: make(map[string]*File, len(in.Files)), trees: make([]*pyparse.File, len(in.Files)), crashed: map[crash]bool{}, stale: map[string]*analyzers.Related{},
	}
	for i := range in.Files {
		r.byPath[in.Files[i].Path] = &in.Files[i]
	}
	return r
}

// sources runs the rules that need only source, file by file.
func (r *run) sources(ctx context.Context) error {
	needles := r.in.Needles
	if needles == nil {
		needles = NewNeedles(r.in.Analyzers)
	}
	return Parallel(ctx, len(r.in.Files), func(i int) {
		f := &r.in.Files[i]
		syntax := r.open(i)
		if f.Close != nil {
			defer f.Close()
		}
		if syntax == nil {
			return // no rule has anything to say about it
		}
		own, reach := f.Own, f.Reach
		if own == nil {
			own, reach = needles.Outline(pyparse.Code(nil, syntax.Source)).Marks, needles.Everything()
		}
		facts, release := r.interpretation(f, syntax)
		defer release()
		for _, a := range r.in.Analyzers {
			if _, on := f.Settings.Rules[a.Code]; !on || a.Check == nil || !needles.Concern(a, own, reach) || ctx.Err() != nil {
				continue
			}
			r.guard(a.Code, f.Path, func(report func(analyzers.Finding)) {
				a.Check(&analyzers.Pass{
					File: &flow.File{Syntax: syntax}, Program: r.in.Program, JAX: f.Settings.JAX, Settings: f.Settings.Thresholds,
					Raises: a.Raises, Report: r.completed(a, report), Facts: facts,
				})
			})
		}
	})
}

// open returns the syntax of a file, nil where there is nothing to judge in it. It is kept as long as there may be questions about it.
func (r *run) open(i int) *pyparse.File {
	f := &r.in.Files[i]
	if f.Facts.Syntax != nil || f.Open == nil {
		r.trees[i] = f.Facts.Syntax
		return f.Facts.Syntax
	}
	syntax, problems := f.Open()
	if syntax != nil && len(syntax.Suppressions) > 0 {
		r.trees[i] = syntax
	}
	if len(problems) > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.problems = append(r.problems, problems...)
	}
	return syntax
}

// interpretation returns the function that interprets a file when it is first called, and the one that lets go of the facts of a file
// that is looked at once.
func (r *run) interpretation(f *File, syntax *pyparse.File) (get func() *flow.Facts, release func()) {
	var facts *flow.Facts
	get = sync.OnceValue(func() *flow.Facts {
		facts = r.interpret(f, syntax)
		if facts.Problem != "" {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.problems = append(r.problems, Problem{Path: f.Path, Message: facts.Problem})
		}
		return facts
	})
	release = func() {
		if facts != nil && f.Close != nil && r.in.Program != nil {
			r.in.Program.Release(facts)
		}
	}
	return get, release
}

// interpret returns the facts of a file, from whoever has them already.
func (r *run) interpret(f *File, syntax *pyparse.File) *flow.Facts {
	if f.Interpret != nil {
		return f.Interpret()
	}
	opt := flow.Options{Release: f.Settings.JAX, Words: Words(r.in.Analyzers)}
	if r.in.Program != nil {
		opt.Loader = r.in.Program
	}
	return flow.Interpret(syntax, opt)
}

// factsOf returns the facts of a file of the run, nil for others and for files that are not worth interpreting.
func (r *run) factsOf(path string) *flow.Facts {
	f := r.byPath[path]
	if f == nil || f.Facts.Syntax == nil {
		return nil
	}
	return r.interpret(f, f.Facts.Syntax)
}

// modules runs the rules that need a dump, module by module.
func (r *run) modules(ctx context.Context) error {
	return Parallel(ctx, len(r.in.Modules), func(i int) {
		m := &r.in.Modules[i]
		for _, a := range r.in.Analyzers {
			if a.CheckDump == nil || !r.anywhere(a.Code) || ctx.Err() != nil {
				continue
			}
			r.guard(a.Code, m.Module.Name, func(report func(analyzers.Finding)) {
				a.CheckDump(&analyzers.DumpPass{
					Module: m.Module, Program: r.in.Program, JAX: m.Settings.JAX, Settings: m.Settings.Thresholds,
					Report: r.completed(a, m.dated(report)), Facts: r.factsOf,
					Skip: func(reason string) {
						r.mu.Lock()
						defer r.mu.Unlock()
						r.unjudged = append(r.unjudged, Skipped{Code: a.Code, Reason: m.Module.Name + ": " + reason})
					},
				})
			})
		}
	})
}

// anywhere reports whether a rule is selected for at least one file, or for modules where there are no files.
func (r *run) anywhere(code string) bool {
	for i := range r.in.Files {
		if _, on := r.in.Files[i].Settings.Rules[code]; on {
			return true
		}
	}
	return false
}

// completed fills in what every finding of a rule has in common.
func (r *run) completed(a *analyzers.Analyzer, report func(analyzers.Finding)) func(analyzers.Finding) {
	return func(f analyzers.Finding) {
		f.Code, f.Name = a.Code, a.Name
		if f.Severity == analyzers.Off {
			f.Severity = a.Severity
		}
		if f.Evidence == "" {
			f.Evidence = a.Evidence
		}
		if f.Confidence == "" {
			f.Confidence = analyzers.Certain
		}
		report(f)
	}
}

// guard runs one rule and keeps what it reports. A rule that panics loses all it said about the file: half an answer of
// broken code is not to be trusted.
func (r *run) guard(code, path string, check func(report func(analyzers.Finding))) {
	var found []analyzers.Finding
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if p := recover(); p != nil {
			if c := (crash{code, path}); !r.crashed[c] {
				r.crashed[c] = true
				r.problems = append(r.problems, Problem{
					Path: path, Message: fmt.Sprintf("rule %s stopped on this file: %v", code, p),
				})
			}
			return
		}
		r.findings = append(r.findings, found...)
	}()
	check(func(f analyzers.Finding) { found = append(found, f) })
}

// finish applies severities and suppressions and sorts.
func (r *run) finish() *Result {
	result := &Result{Problems: r.problems, Skipped: r.skipped(), HLO: r.hlo()}
	kept := r.findings[:0:0]
	for _, f := range r.findings {
		file := r.byPath[f.Span.Path]
		if file == nil {
			if r.inProgram(f.Span.Path) {
				continue // a file that nobody asked about
			}
			kept = append(kept, f)
			continue
		}
		configured, on := file.Settings.Rules[f.Code]
		if !on {
			continue
		}
		f.Severity = r.severity(f, configured)
		if old := r.stale[f.Span.Path]; old != nil && f.HLO != nil {
			f.Related = append(f.Related[:len(f.Related):len(f.Related)], *old)
			f.HLO.Older = true
		}
		kept = append(kept, f)
	}
	result.Findings, result.Suppressed = r.suppress(r.preferDumps(kept))
	sortFindings(result.Findings)
	result.Findings = unique(result.Findings)
	sort.SliceStable(result.Problems, func(i, j int) bool {
		a, b := result.Problems[i], result.Problems[j]
		switch {
		case a.Path != b.Path:
			return a.Path < b.Path
		case a.Line != b.Line:
			return a.Line < b.Line
		}
		return a.Message < b.Message
	})
	return result
}

// preferDumps drops what a rule says from the source alone of a line of which it also knows the dump's facts.
func (r *run) preferDumps(findings []analyzers.Finding) []analyzers.Finding {
	type place struct {
		code, path string
		line       int
	}
	at := func(f *analyzers.Finding) place {
		line := 0
		if file := r.byPath[f.Span.Path]; file != nil && file.Facts.Syntax != nil {
			source := file.Facts.Syntax.Source
			line = bytes.LastIndexByte(source[:min(f.Span.Start, len(source))], '\n')
		}
		return place{f.Code, f.Span.Path, line}
	}
	fromDump := map[place]bool{}
	for i := range findings {
		if findings[i].HLO != nil {
			fromDump[at(&findings[i])] = true
		}
	}
	if len(fromDump) == 0 {
		return findings
	}
	return slices.DeleteFunc(findings, func(f analyzers.Finding) bool { return f.HLO == nil && fromDump[at(&f)] })
}

func (r *run) inProgram(path string) bool {
	return r.in.Program != nil && r.in.Program.File(path) != nil
}

// severity is the configured one where configuration changes it; else what the rule said, which may be milder than its
// usual severity.
func (r *run) severity(f analyzers.Finding, configured analyzers.Severity) analyzers.Severity {
	for _, a := range r.in.Analyzers {
		if a.Code == f.Code && configured != a.Severity {
			return configured
		}
	}
	return f.Severity
}

// skipped lists the selected rules that found nothing to judge.
func (r *run) skipped() []Skipped {
	var out []Skipped
	for _, a := range r.in.Analyzers {
		if a.Check == nil && a.CheckDump != nil && len(r.in.Modules) == 0 && r.anywhere(a.Code) && (a.Code != overBudget || r.budgeted()) {
			out = append(out, Skipped{Code: a.Code, Reason: "needs an HLO dump"})
		}
	}
	out = append(out, r.unjudged...)
	sort.Slice(out, func(i, j int) bool {
		return out[i].Code < out[j].Code || out[i].Code == out[j].Code && out[i].Reason < out[j].Reason
	})
	return slices.Compact(out)
}

// budgeted reports whether a file has a budget that a dump would be held against.
func (r *run) budgeted() bool {
	return slices.ContainsFunc(r.in.Files, func(f File) bool { return f.Settings.Thresholds.Budget != nil })
}

func sortFindings(fs []analyzers.Finding) {
	sort.SliceStable(fs, func(i, j int) bool {
		a, b := &fs[i], &fs[j]
		switch {
		case a.Span.Path != b.Span.Path:
			return a.Span.Path < b.Span.Path
		case a.Span.Start != b.Span.Start:
			return a.Span.Start < b.Span.Start
		case a.Code != b.Code:
			return a.Code < b.Code
		case a.Span.End != b.Span.End:
			return a.Span.End < b.Span.End
		case a.Message != b.Message:
			return a.Message < b.Message
		}
		// Several files that import this one may say the same of it, in any order. A fix has to hold for all of them.
		return len(a.Fixes) < len(b.Fixes)
	})
}

// unique drops findings that say the same of the same place, as two dumps of one module do.
func unique(fs []analyzers.Finding) []analyzers.Finding {
	out := fs[:0]
	for i := range fs {
		if n := len(out); n > 0 && out[n-1].Code == fs[i].Code && out[n-1].Span == fs[i].Span && out[n-1].Message == fs[i].Message {
			continue
		}
		out = append(out, fs[i])
	}
	return out
}

// Parallel calls work for 0 to n-1 on as many goroutines as there are processors.
func Parallel(ctx context.Context, n int, work func(i int)) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}
