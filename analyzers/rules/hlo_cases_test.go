package rules_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/rules"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/text"
)

// wanted is one finding that a case folder asks for.
type wanted struct {
	Code      string
	Line      int
	Message   string
	AlsoLines []int
}

// TestHLOCases runs every folder of testdata/hlo_cases through the driver, with the module just after partitioning alone, with
// the CPU's final module beside it, and with that alone, and matches the findings one to one.
func TestHLOCases(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/hlo_cases/SHD*/*")
	if err != nil || len(folders) < 54 {
		t.Fatalf("found %d case folders: %v", len(folders), err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(filepath.Dir(folder))+"/"+filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			variants := [][]string{{"after_spmd.txt", "before_spmd.txt"}, {"after_spmd.txt", "before_spmd.txt", "after_opt.txt"}}
			if code := filepath.Base(filepath.Dir(folder)); code < "SHD600" && ofCPU(folder) {
				// A CPU's final module tells no element types; all else it does.
				variants = append(variants, []string{"after_opt.txt"})
			}
			for _, dumps := range variants {
				match(t, strings.Join(dumps, "+"), run(t, folder, dumps), readWant(t, folder))
			}
		})
	}
}

// ofCPU reports whether a case folder holds a CPU's final module.
func ofCPU(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "after_opt.txt.gz"))
	return err == nil && !strings.HasSuffix(folder, "_on_gpu") && !strings.HasSuffix(folder, "_on_tpu")
}

// TestCPUFinalModuleDecidesNoTypes checks that no finding about element types is made from a CPU's final module alone, which
// widens every 16-bit collective.
func TestCPUFinalModuleDecidesNoTypes(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/hlo_cases/SHD60*/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("found no case folders: %v", err)
	}
	for _, folder := range slices.DeleteFunc(folders, func(folder string) bool { return !ofCPU(folder) }) {
		result := run(t, folder, []string{"after_opt.txt"})
		for _, f := range result.Findings {
			if strings.HasPrefix(f.Code, "SHD60") {
				t.Errorf("%s: %s from a CPU's final module: %s", folder, f.Code, f.Message)
			}
		}
		for _, code := range []string{"SHD601", "SHD602", "SHD603", "SHD604", "SHD605"} {
			if !slices.ContainsFunc(result.Skipped, func(s driver.Skipped) bool { return s.Code == code && strings.Contains(s.Reason, "after-partitioning") }) {
				t.Errorf("%s: %s does not say which dump would tell: %+v", folder, code, result.Skipped)
			}
		}
	}
}

// run checks a case folder with those of the named dumps that it has, all thresholds at 0, and every rule that reads dumps.
func run(t *testing.T, folder string, dumps []string) *driver.Result {
	t.Helper()
	dir := t.TempDir()
	copyFile(t, filepath.Join(folder, "program.py"), filepath.Join(dir, "program.py"))
	zero := int64(0)
	opts := project.Options{
		Dir: dir, Paths: []string{"program.py"}, Isolated: true, IgnoreSuppressions: true, Analyzers: dumpRules(),
		Overrides: []config.Config{{HLO: config.HLO{MinBytes: &zero, MinUnshardedBytes: &zero}}},
	}
	for _, name := range dumps {
		if unpack(t, filepath.Join(folder, name+".gz"), filepath.Join(dir, name)) {
			opts.HLO = append(opts.HLO, name)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "log.txt")); err == nil {
		copyFile(t, filepath.Join(folder, "log.txt"), filepath.Join(dir, "log.txt"))
		opts.Logs = []string{"log.txt"}
	}
	w, err := project.Load(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	result, err := driver.Run(context.Background(), w.Input())
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Modules) == 0 {
		t.Fatalf("no module was linked: %+v", result.Problems)
	}
	for _, p := range result.Problems {
		t.Errorf("problem: %s:%d: %s", p.Path, p.Line, p.Message)
	}
	return result
}

func dumpRules() []*analyzers.Analyzer {
	return slices.DeleteFunc(rules.All(), func(a *analyzers.Analyzer) bool { return a.CheckDump == nil })
}

func match(t *testing.T, variant string, got *driver.Result, want []wanted) {
	t.Helper()
	for _, f := range got.Findings {
		source, err := os.ReadFile(f.Span.Path)
		if err != nil {
			t.Fatal(err)
		}
		line := text.NewMap(source).Position(f.Span.Start).Line
		k := slices.IndexFunc(want, func(w wanted) bool {
			return w.Code == f.Code && (w.Line == line || slices.Contains(w.AlsoLines, line)) && regexp.MustCompile(w.Message).MatchString(f.Message)
		})
		if k < 0 {
			t.Errorf("%s: unwanted %s on line %d: %s", variant, f.Code, line, f.Message)
			continue
		}
		want = slices.Delete(slices.Clone(want), k, k+1)
		complete(t, &f)
	}
	for _, w := range want {
		t.Errorf("%s: missing %s on line %d, message %q", variant, w.Code, w.Line, w.Message)
	}
}

// complete checks what every finding from a dump must carry.
func complete(t *testing.T, f *analyzers.Finding) {
	t.Helper()
	if f.HLO == nil || f.HLO.Module == "" || f.HLO.Dump == "" || f.HLO.Stage == "" || f.HLO.Stale == "" || f.HLO.Written.IsZero() || f.Confidence == "" {
		t.Errorf("%s does not say which dump it rests on: %+v", f.Code, f.HLO)
	}
	if !slices.ContainsFunc(f.Related, func(r analyzers.Related) bool { return r.Line > 0 && r.Span.Path != "" }) {
		t.Errorf("%s points to no line of a dump", f.Code)
	}
	if f.Span.End <= f.Span.Start {
		t.Errorf("%s has an empty span", f.Code)
	}
}

func readWant(t *testing.T, folder string) []wanted {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var w struct{ Findings []wanted }
	if err := json.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	return w.Findings
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// unpack decompresses a file and reports whether it was there.
func unpack(t *testing.T, from, to string) bool {
	t.Helper()
	data, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, plain, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
