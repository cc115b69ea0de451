package rules_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/testtools"
)

// TestRemedies runs the programs of testdata/remedies with JAX and judges each by the module that XLA dumps.
func TestRemedies(t *testing.T) {
	python := testtools.JAX(t, "0.10.2")
	programs, err := filepath.Glob("../../testdata/remedies/*.py")
	if err != nil || len(programs) < 6 {
		t.Fatalf("found %d programs: %v", len(programs), err)
	}
	for _, program := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(program), ".py"), func(t *testing.T) {
			source, err := os.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			norm, findings := execute(t, python, source)
			kind, _, _ := strings.Cut(filepath.Base(program), "_")
			switch kind {
			case "remedy":
				for _, f := range findings {
					if precision(f) {
						t.Errorf("%s although the remedy is in place: %s", f.Code, f.Message)
					}
				}
			case "useless":
				if !slices.ContainsFunc(findings, precision) {
					t.Error("no finding although this changes nothing")
				}
			case "fix":
				fixed, changed := applyFixes(t, source, findings)
				if !changed {
					t.Fatalf("no finding has a fix: %+v", findings)
				}
				again, left := execute(t, python, fixed)
				for _, f := range left {
					if slices.ContainsFunc(findings, func(before analyzers.Finding) bool { return before.Code == f.Code }) {
						t.Errorf("%s after its fix was applied: %s\n%s", f.Code, f.Message, fixed)
					}
				}
				if math.Abs(again-norm) > 0.01*math.Abs(norm) {
					t.Errorf("the update's norm was %v and is %v after the fix", norm, again)
				}
			default:
				t.Fatalf("unknown kind of program %q", kind)
			}
		})
	}
}

// execute runs a program on eight simulated devices and returns the number it prints and what the rules find in the
// module dumped after partitioning.
func execute(t *testing.T, python string, source []byte) (float64, []analyzers.Finding) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "program.py"), source, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "program.py")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "JAX_PLATFORMS=cpu",
		"XLA_FLAGS=--xla_force_host_platform_device_count=8 --xla_dump_to=dump --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=spmd-partitioning")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("the program failed: %v\n%s\n%s", err, stderr.String(), source)
	}
	norm, err := strconv.ParseFloat(strings.TrimSpace(string(output)), 64)
	if err != nil {
		t.Fatal(err)
	}
	dumps, err := filepath.Glob(filepath.Join(dir, "dump", "*jit_step*after_spmd-partitioning*.txt"))
	if err != nil || len(dumps) == 0 {
		t.Fatalf("no module was dumped after partitioning: %v", err)
	}
	zero := int64(0)
	w, err := project.Load(context.Background(), project.Options{
		Dir: dir, Paths: []string{"program.py"}, HLO: dumps, Isolated: true, Analyzers: dumpRules(),
		Overrides: []config.Config{{HLO: config.HLO{MinBytes: &zero}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := driver.Run(context.Background(), w.Input())
	if err != nil || len(w.Modules) == 0 {
		t.Fatalf("%d modules: %v", len(w.Modules), err)
	}
	return norm, result.Findings
}

func precision(f analyzers.Finding) bool { return f.Code == "SHD601" || f.Code == "SHD604" }

// applyFixes applies the first fix of the first finding that has one, then those of the others as far as they do not
// overlap or repeat it.
func applyFixes(t *testing.T, source []byte, findings []analyzers.Finding) ([]byte, bool) {
	t.Helper()
	var edits []analyzers.Edit
	seen := map[analyzers.Span]bool{}
	for _, f := range findings {
		if len(f.Fixes) == 0 {
			continue
		}
		for _, e := range f.Fixes[0].Edits {
			if !seen[e.Span] {
				seen[e.Span] = true
				edits = append(edits, e)
			}
		}
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Span.Start > edits[j].Span.Start })
	out := string(source)
	for _, e := range edits {
		out = out[:e.Span.Start] + e.NewText + out[e.Span.End:]
	}
	return []byte(out), len(edits) > 0
}
