package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// runHere runs a command in the folder of this test.
func runHere(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	env := processEnvironment()
	var out, err bytes.Buffer
	env.out, env.err = &out, &err
	return Main(context.Background(), args, env), out.String(), err.String()
}

const (
	measuredDump = "../../testdata/hlo/cpu/dp_auto_bf16/"
	measuredRun  = "../../testdata/profiles/dp_auto_bf16/"
)

// measuredTimes is what documents say of a measured collective.
type measuredTimes struct {
	Instructions                        []string
	Operands, Events, Devices           int
	MeanSeconds, MinSeconds, MaxSeconds float64
}

// check wants the one combined all-reduce of the step: 5 steps on 8 devices, of 18 gradients and the loss.
func (m *measuredTimes) check(t *testing.T, what string) {
	t.Helper()
	if m == nil || len(m.Instructions) != 1 || m.Instructions[0] != "all-reduce.36" || m.Operands != 19 || m.Events != 40 || m.Devices != 8 ||
		m.MinSeconds > m.MeanSeconds || m.MeanSeconds > m.MaxSeconds || m.MinSeconds <= 0 {
		t.Errorf("%s: measured as %+v", what, m)
	}
}

// TestProfile joins a profile to the module just after the partitioner and to the final one; both spellings of the profile count the
// same events. The Chrome trace holds no modules, so that the final one has to be among the dumps.
func TestProfile(t *testing.T) {
	for _, c := range [][2]string{{"after_opt.txt.zst", "xplane.pb.gz"}, {"after_opt.txt.zst", "trace.json.gz"}, {"after_spmd.txt.zst", "xplane.pb.gz"}, {"", "trace.json.gz"}} {
		status, out, stderr := runHere(t, "collectives", measuredDump+c[0], "--isolated", "--profile", measuredRun+c[1], "--output-format", "json")
		if status != 0 || stderr != "" {
			t.Fatalf("%v: exit %d, %s", c, status, stderr)
		}
		var doc struct {
			Modules []struct {
				Collectives []struct{ Measured *measuredTimes }
			}
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Modules) != 1 || len(doc.Modules[0].Collectives) == 0 {
			t.Fatalf("%v: %v", c, err)
		}
		for _, collective := range doc.Modules[0].Collectives {
			collective.Measured.check(t, strings.Join(c[:], " "))
		}
	}
}

func TestProfileOfGradients(t *testing.T) {
	status, out, stderr := runHere(t, "gradients", measuredDump, "--isolated", "--profile", measuredRun+"xplane.pb.gz", "--output-format", "json")
	var doc struct {
		Modules []struct {
			Parameters []struct {
				Reductions []struct{ Measured *measuredTimes }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || status != 0 || stderr != "" || len(doc.Modules) != 1 || len(doc.Modules[0].Parameters) != 18 {
		t.Fatalf("exit %d, %v, %s", status, err, stderr)
	}
	for _, p := range doc.Modules[0].Parameters {
		for _, r := range p.Reductions {
			r.Measured.check(t, "a reduction")
		}
	}
	if _, out, _ := runHere(t, "gradients", measuredDump, "--isolated", "--profile", measuredRun+"xplane.pb.gz"); !strings.Contains(out, " a step and device, in 1 collective.\n") {
		t.Errorf("%s", out)
	}
}

// TestProfileOfALine takes the profile from the configuration.
func TestProfileOfALine(t *testing.T) {
	line := measuredRun + "dp_auto_bf16.py:66"
	settings := `hlo = { profile = "` + measuredRun + `xplane.pb.gz" }`
	status, out, stderr := runHere(t, "explain", line, "--isolated", "--config", settings, "--hlo", measuredDump, "--output-format", "json")
	var doc struct {
		Collectives []struct{ Measured *measuredTimes }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || status != 0 || stderr != "" || len(doc.Collectives) == 0 {
		t.Fatalf("exit %d, %v, %s%s", status, err, out, stderr)
	}
	for _, c := range doc.Collectives {
		c.Measured.check(t, line)
	}
	if _, out, _ := runHere(t, "explain", line, "--isolated", "--profile", measuredRun+"xplane.pb.gz", "--hlo", measuredDump); !strings.Contains(out, " in all-reduce.36 with 18 others") {
		t.Errorf("%s", out)
	}
}

func TestProfileOfAnotherProgram(t *testing.T) {
	for dump, want := range map[string]string{
		"../dp_f32/":                   "its instructions of jit_train_step are those of another compilation",
		"../dp_scan/":                  "it has no event of jit_update",
		"after_spmd.txt.zst":           "",
		"../dp_f32/after_spmd.txt.zst": "its instructions of jit_train_step are those of another compilation",
	} {
		profile := "xplane.pb.gz"
		status, out, stderr := runHere(t, "collectives", measuredDump+dump, "--isolated", "--profile", measuredRun+profile)
		if status != 0 || out == "" || !strings.Contains(stderr, want) || want == "" && stderr != "" {
			t.Errorf("%s: exit %d, %q", dump, status, stderr)
		}
	}
	status, _, stderr := runHere(t, "collectives", measuredDump+"after_spmd.txt.zst", "--isolated", "--profile", measuredRun+"trace.json.gz")
	if status != 0 || !strings.Contains(stderr, "the final module, which is neither in it nor among the dumps") {
		t.Errorf("exit %d, %q", status, stderr)
	}
}

func TestProfileProblems(t *testing.T) {
	for args, want := range map[string]string{
		"profile_test.go": "damaged XSpace",
		"nowhere.pb":      "no such file",
		"testdata":        "no *xplane.pb or *trace.json(.gz) below it",
	} {
		status, out, stderr := runHere(t, "collectives", measuredDump, "--isolated", "--profile", args)
		if status != 2 || out != "" || !strings.Contains(stderr, "profile "+args+": ") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q", args, status, out, stderr)
		}
	}
}
