package rules_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/rules"
	"github.com/shardls/shardls/internal/testtools"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

const (
	casesOfRules = "../../testdata/rules"
	fixesOfRules = "../../testdata/fixes"
)

// maxRounds bounds how often fixes are applied to their own outcome, as the driver's front ends do.
const maxRounds = 10

//go:embed testdata/programs.py
var runPrograms string

// outcome is one program that fixes made of a case: the first of each finding for alternative 0, the second where there is one for
// alternative 1, and so on.
type outcome struct {
	Case        string // "SHD101/bad_constant_axis.py"
	Alternative int
	Titles      []string // of the fixes applied, each with its safety
	Before      string
	After       string
	Left        []analyzers.Finding // of the rule, or new errors of others
	Broken      bool                // more syntax errors than before
}

func (o *outcome) name() string { return fmt.Sprintf("%s [%d]", o.Case, o.Alternative) }

// TestFixedCases applies the fixes of every rule to the rule's own cases. What they write is kept in testdata/fixes, a difference for
// each case and alternative; the result parses, and nothing that has a fix is left, in a bad case nothing of
// the rule at all, and no error of another rule is new; [partly] lists the exceptions.
func TestFixedCases(t *testing.T) {
	byCode := map[string][]*outcome{}
	for _, path := range casePaths(t) {
		code := filepath.Base(filepath.Dir(path))
		byCode[code] = append(byCode[code], outcomes(t, path)...)
	}
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		t.Run(code, func(t *testing.T) {
			var written strings.Builder
			for _, o := range byCode[code] {
				if o.Broken {
					t.Errorf("%s no longer parses:\n%s", o.name(), o.After)
				}
				if reason := partly[o.name()]; (len(o.Left) > 0) != (reason != "") {
					t.Errorf("%s: left are %s, listed as %q\n%s", o.name(), described(o.After, o.Left), reason, o.After)
				}
				fmt.Fprintf(&written, "%s\n", o.name())
				for _, title := range o.Titles {
					fmt.Fprintf(&written, "  %s\n", title)
				}
				_, body, _ := strings.Cut(udiff.Unified("before", "after", o.Before, o.After), "+++ after\n")
				written.WriteString(body + "\n")
			}
			goldenFile(t, filepath.Join(fixesOfRules, code+".diff"), written.String())
		})
	}
	for name := range partly {
		if code, _, _ := strings.Cut(name, "/"); !slices.ContainsFunc(byCode[code], func(o *outcome) bool { return o.name() == name }) {
			t.Errorf("no fix makes %s", name)
		}
	}
}

// TestEveryBadCaseHasItsFix wants a fix in every bad case, and its safety documented, except where [withoutFix] says why there is none.
func TestEveryBadCaseHasItsFix(t *testing.T) {
	documented := map[string]bool{}
	for _, a := range rules.All() {
		documented[a.Code] = a.Doc.FixSafety != ""
	}
	fixed, listed := map[string]bool{}, map[string]bool{}
	for _, path := range casePaths(t) {
		code := filepath.Base(filepath.Dir(path))
		if !strings.HasPrefix(filepath.Base(path), "bad") {
			continue
		}
		name := code + "/" + filepath.Base(path)
		has := len(outcomes(t, path)) > 0
		fixed[code] = fixed[code] || has
		fixed[name] = has
		if withoutFix[name] == "" && withoutFix[code] == "" && !has {
			t.Errorf("%s has no fix", name)
		}
		listed[name], listed[code] = true, true
	}
	for name, reason := range withoutFix {
		if !listed[name] || fixed[name] {
			t.Errorf("%s is listed as being without a fix (%s), but it has one or is no case", name, reason)
		}
	}
	for name, has := range fixed {
		if !strings.Contains(name, "/") && has && !documented[name] {
			t.Errorf("%s has a fix and does not say how safe it is", name)
		}
	}
}

// TestFixedProgramsRun runs what fixes make of the bad cases under JAX 0.10.2: the program ends well, and what it prints is kept in
// testdata/fixes next to the differences.
func TestFixedProgramsRun(t *testing.T) {
	python := testtools.JAX(t, "0.10.2")
	byCode := map[string][]*outcome{}
	var programs []program
	for _, path := range casePaths(t) {
		if !strings.HasPrefix(filepath.Base(path), "bad") {
			continue // the others hold what no fix is for, and say so only when they run
		}
		code := filepath.Base(filepath.Dir(path))
		for _, o := range outcomes(t, path) {
			if notRun[o.name()] == "" {
				byCode[code] = append(byCode[code], o)
				programs = append(programs, program{Name: o.name(), Source: o.After})
			}
		}
	}
	printed := runAll(t, python, programs)
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		var lines strings.Builder
		for _, o := range byCode[code] {
			r := printed[o.name()]
			if (r.Raised != "") != (raises[o.name()] != "") {
				t.Errorf("%s raises %q, listed as %q\n%s", o.name(), r.Raised, raises[o.name()], o.After)
			}
			fmt.Fprintf(&lines, "%s %s\n", o.name(), r)
		}
		goldenFile(t, filepath.Join(fixesOfRules, code+".out"), lines.String())
	}
}

func casePaths(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(casesOfRules + "/SHD*/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases under %s: %v", casesOfRules, err)
	}
	return paths
}

// outcomes applies the fixes of a case's own rule, once for every alternative that some finding has.
func outcomes(t *testing.T, path string) []*outcome {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code := filepath.Base(filepath.Dir(path))
	first := judged(t, path, before)
	var out []*outcome
	for k := range alternatives(first, code) {
		o := &outcome{Case: code + "/" + filepath.Base(path), Alternative: k, Before: string(before)}
		after, found := before, first
		for range maxRounds {
			chosen := withAlternative(found, code, k)
			fixed := driver.ApplyFixes(chosen, true, func(p string) ([]byte, bool) { return after, p == path })
			if len(fixed.Contents) == 0 {
				break
			}
			for _, f := range chosen {
				if title := string(f.Fixes[0].Safety) + ": " + f.Fixes[0].Title; !slices.Contains(o.Titles, title) {
					o.Titles = append(o.Titles, title)
				}
			}
			after = fixed.Contents[path]
			found = judged(t, path, after)
		}
		o.After = string(after)
		o.Broken = len(pyparse.Parse(path, after).Problems) > len(pyparse.Parse(path, before).Problems)
		whole := strings.HasPrefix(filepath.Base(path), "bad") // other files hold findings without fixes too
		for _, f := range found {
			if f.Code == code && (whole || len(f.Fixes) > 0) || f.Code != code && f.Severity == analyzers.Error && !slices.ContainsFunc(first, func(g analyzers.Finding) bool { return g.Code == f.Code }) {
				o.Left = append(o.Left, f)
			}
		}
		if !slices.ContainsFunc(out, func(p *outcome) bool { return p.After == o.After }) {
			out = append(out, o)
		}
	}
	return out
}

// alternatives is the largest number of fixes that a finding of a rule has.
func alternatives(found []analyzers.Finding, code string) int {
	n := 0
	for _, f := range found {
		if f.Code == code {
			n = max(n, len(f.Fixes))
		}
	}
	return n
}

// withAlternative keeps the findings of a rule that have fixes, each with one fix: the k-th, or its first where it has fewer.
func withAlternative(found []analyzers.Finding, code string, k int) []analyzers.Finding {
	var out []analyzers.Finding
	for _, f := range found {
		if f.Code != code || len(f.Fixes) == 0 {
			continue
		}
		if k >= len(f.Fixes) {
			f.Fixes = f.Fixes[:1]
		} else {
			f.Fixes = f.Fixes[k : k+1]
		}
		out = append(out, f)
	}
	return out
}

// judged is what the source rules say of one file, for the newest release of JAX.
func judged(t *testing.T, path string, source []byte) []analyzers.Finding {
	t.Helper()
	return judgedFor(t, path, source, flow.Newest())
}

// judgedFor is what the source rules say of one file for a release of JAX.
func judgedFor(t *testing.T, path string, source []byte, target flow.Release) []analyzers.Finding {
	t.Helper()
	on := map[string]analyzers.Severity{}
	for _, a := range rules.All() {
		on[a.Code] = a.Severity
	}
	file := &flow.File{Syntax: pyparse.Parse(path, source)}
	result, err := driver.Run(t.Context(), &driver.Input{
		Analyzers: rules.All(), Program: &flow.Program{Files: map[string]*flow.File{path: file}},
		Files: []driver.File{{Path: path, Facts: file, Settings: driver.Settings{Rules: on, JAX: target}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Findings
}

func described(source string, found []analyzers.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%d: %s %s", text.NewMap([]byte(source)).Position(f.Span.Start).Line, f.Code, f.Message))
	}
	return fmt.Sprintf("%q", out)
}

// program is one Python program to run, ran what came of it.
type program struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

type ran struct {
	Name    string `json:"name"`
	Printed string `json:"printed"`
	Raised  string `json:"raised"`
}

// String is one line for the golden file.
func (r ran) String() string {
	if r.Raised != "" {
		kind, _, _ := strings.Cut(r.Raised, ":")
		return "raises " + kind
	}
	return fmt.Sprintf("prints %q", r.Printed)
}

// runAll runs programs on eight simulated devices, all of them in one start of Python: JAX is imported once, and each program runs in a
// process forked from there.
func runAll(t *testing.T, python string, programs []program) map[string]ran {
	t.Helper()
	in, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", runPrograms)
	cmd.Env = append(os.Environ(), "JAX_PLATFORMS=cpu", "XLA_FLAGS=--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0")
	cmd.Stdin = bytes.NewReader(in)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("python failed: %v\n%s", err, stderr.String())
	}
	var results []ran
	if err := json.Unmarshal(output, &results); err != nil || len(results) != len(programs) {
		t.Fatalf("%d of %d programs ran: %v\n%s", len(results), len(programs), err, stderr.String())
	}
	out := map[string]ran{}
	for _, r := range results {
		out[r.Name] = r
	}
	return out
}

func goldenFile(t *testing.T, path, got string) {
	t.Helper()
	if flag.Lookup("update-cases").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	wanted, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(wanted) != got {
		t.Errorf("%s differs; run with -update-cases and review.\n%s", path, udiff.Unified("stored", "now", string(wanted), got))
	}
}
