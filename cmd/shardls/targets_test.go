//go:build targets

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shardls/shardls/internal/testtools"
)

// TestTargets compiles a training step ahead of time for a TPU slice and for a host of H100s that are not there, and reads what their
// compilers made of it: the partitioner's module says the same as everywhere, and the final one is the target's own.
func TestTargets(t *testing.T) {
	for _, c := range []struct{ environment, target, platform string }{
		{"tpu", "tpu-v5e:2x4", "tpu"},
		{"gpu", "h100:8", "cuda"},
	} {
		t.Run(c.target, func(t *testing.T) {
			python := testtools.Target(t, c.environment)
			folder := filepath.Join(t.TempDir(), "capture")
			start := time.Now()
			status, _, stderr := runHere(t, "capture", "--target", c.target, "-o", folder, "--", python, "../../testdata/profiles/dp_auto_bf16/dp_auto_bf16.py")
			if status != 0 {
				t.Fatalf("exit %d: %s", status, stderr)
			}
			m := readManifest(t, folder)
			if len(m.Modules) != 1 || len(m.Problems)+len(m.Modules[0].Problems) > 0 || m.Modules[0].Devices != 8 {
				t.Fatalf("captured %+v", m)
			}
			for _, stage := range []string{"after-partitioning", "after-optimizations"} {
				if !slices.ContainsFunc(m.Modules[0].Files, func(f manifestFile) bool { return f.Stage == stage && f.Platform == c.platform }) {
					t.Errorf("there is no %s of %s among %+v", stage, c.platform, m.Modules[0].Files)
				}
			}
			t.Logf("%s: JAX %s, %.0f s with the run of the program, %.1f s of them compiling for the target", c.target, m.JAX, time.Since(start).Seconds(), m.Modules[0].Seconds)
			for _, line := range reducedIn(t, folder) {
				t.Log(line)
			}
		})
	}
}

type manifest struct {
	JAX      string
	Problems []string
	Modules  []struct {
		Devices  int
		Seconds  float64
		Problems []string
		Files    []manifestFile
	}
}

type manifestFile struct{ Stage, Platform string }

func readManifest(t *testing.T, folder string) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// reducedIn wants the gradients of all 18 parameters reduced over the data in both stages, 17 of them in bf16 just after the
// partitioner, and says in which types the target does it.
func reducedIn(t *testing.T, folder string) []string {
	t.Helper()
	status, out, stderr := runHere(t, "gradients", folder, "--isolated", "--output-format", "json")
	var doc struct {
		Modules []struct {
			Stage      string
			Parameters []struct {
				Parameter, Status string
				Reductions        []struct {
					OperandDType, ResultDType, ReducerDType string
					Axes                                    []string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || status != 0 || len(doc.Modules) != 2 {
		t.Fatalf("exit %d, %v, %d modules, %s", status, err, len(doc.Modules), stderr)
	}
	var lines []string
	for _, m := range doc.Modules {
		types := map[string]int{}
		for _, p := range m.Parameters {
			if p.Status != "reduced" || len(p.Reductions) != 1 || strings.Join(p.Reductions[0].Axes, " ") != "data" {
				t.Errorf("%s: %s is %s by %+v", m.Stage, p.Parameter, p.Status, p.Reductions)
				continue
			}
			r := p.Reductions[0]
			types[fmt.Sprintf("%s>%s(%s)", r.OperandDType, r.ResultDType, r.ReducerDType)]++
		}
		if m.Stage == "after-partitioning" && types["bf16>bf16(bf16)"] != 17 || len(m.Parameters) != 18 {
			t.Errorf("%s: %d parameters, in %v", m.Stage, len(m.Parameters), types)
		}
		lines = append(lines, fmt.Sprintf("%s: %v", m.Stage, types))
	}
	return lines
}
