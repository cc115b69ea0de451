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
	measuredDump = "../../testdata/hlo/cpu/dp_auto_bf16/after_opt.txt.zst"
	measuredRun  = "../../testdata/profiles/dp_auto_bf16/"
)

// TestProfile joins a profile to the final module of the same program; both spellings of the profile count the same events.
func TestProfile(t *testing.T) {
	for _, name := range []string{"xplane.pb.gz", "trace.json.gz"} {
		status, out, stderr := runHere(t, "collectives", measuredDump, "--isolated", "--profile", measuredRun+name, "--output-format", "json")
		if status != 0 || stderr != "" {
			t.Fatalf("%s: exit %d, %s", name, status, stderr)
		}
		var doc struct {
			Modules []struct {
				Collectives []struct {
					Name     string
					Measured *struct {
						Events, Devices                     int
						MeanSeconds, MinSeconds, MaxSeconds float64
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(err)
		}
		c := doc.Modules[0].Collectives[0]
		if m := c.Measured; m == nil || m.Events != 40 || m.Devices != 8 || m.MinSeconds > m.MeanSeconds || m.MeanSeconds > m.MaxSeconds {
			t.Errorf("%s: %s measured as %+v", name, c.Name, c.Measured)
		}
	}
}

func TestProfileOfAnotherStage(t *testing.T) {
	status, _, stderr := runHere(t, "collectives", strings.Replace(measuredDump, "after_opt", "after_spmd", 1), "--isolated", "--profile", measuredRun+"xplane.pb.gz")
	if status != 0 || !strings.Contains(stderr, "a profile names the instructions of the final module") {
		t.Errorf("exit %d, %q", status, stderr)
	}
}

func TestProfileProblems(t *testing.T) {
	for args, want := range map[string]string{
		"profile_test.go": "damaged XSpace",
		"nowhere.pb":      "no such file",
		"testdata":        "no *xplane.pb below it",
	} {
		status, out, stderr := runHere(t, "collectives", measuredDump, "--isolated", "--profile", args)
		if status != 2 || out != "" || !strings.Contains(stderr, "--profile "+args) || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q", args, status, out, stderr)
		}
	}
}
