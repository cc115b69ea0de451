package lsp

import (
	"context"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
)

// TestTimes shows the modelled and the measured time of the collectives of a line, where the configuration names an accelerator
// and a profile.
func TestTimes(t *testing.T) {
	stored, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(stored, "profiles", "dp_auto_bf16", "dp_auto_bf16.py")
	settings := config.Config{Hardware: config.Hardware{Name: "tpu-v5p"}}
	settings.HLO.Profile = "profiles/dp_auto_bf16/xplane.pb.gz"
	w, err := project.Load(context.Background(), project.Options{
		Dir: stored, Paths: []string{program}, HLO: []string{"hlo/cpu/dp_auto_bf16"}, Isolated: true, Overrides: []config.Config{settings},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := trafficText(trafficOf(w).lines[program][66])
	for _, want := range []string{
		"about [\\d.]+ .s per step on tpu-v5p \\(.+ model: `.+`\\)",
		`measured [\d.]+ ms each time in all-reduce.36 with 18 others \(40 events on 8 devices\)`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
