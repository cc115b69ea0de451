package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

const programsOfRules = "../../testdata/programs"

// reviewedFixes are the programs, of one file each, whose fixed text is kept: those in which what a fix reads comes from callers, from a
// loop or comprehension, from another call, or from a fix beside it.
var reviewedFixes = []string{
	"SHD105/bad_dataclass_layout.py",
	"SHD106/bad_helper_rest_free.py",
	"SHD108/bad_expand_dims.py",
	"SHD108/bad_given_devices.py",
	"SHD221/bad_config_dim.py",
	"SHD301/bad_state_beside_key.py",
	"SHD308/bad_restored_on_host.py",
	"SHD311/bad_eval_every_epoch.py",
	"SHD311/bad_two_layouts.py",
	"SHD701/bad_match.py",
	"SHD705/bad_tree_map_gather.py",
}

// TestFixedPrograms applies the fixes of every rule to the rule's own bad programs: the outcome parses, and no fix is offered again.
func TestFixedPrograms(t *testing.T) {
	paths, err := filepath.Glob(programsOfRules + "/SHD*/bad*.py")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs under %s: %v", programsOfRules, err)
	}
	for _, path := range paths {
		for _, o := range outcomes(t, path) {
			if o.Broken {
				t.Errorf("%s no longer parses:\n%s", o.name(), o.After)
			}
			for _, f := range o.Left {
				if code, _, _ := strings.Cut(o.Case, "/"); f.Code != code || o.Alternative == 0 && len(f.Fixes) > 0 {
					t.Errorf("%s: left is %s", o.name(), described(o.After, []analyzers.Finding{f}))
				}
			}
		}
	}
}

// TestReviewedFixes keeps what fixes make of [reviewedFixes]; nothing where no edit is better than a wrong one.
func TestReviewedFixes(t *testing.T) {
	var written strings.Builder
	for _, name := range slices.Sorted(slices.Values(reviewedFixes)) {
		path := filepath.Join(programsOfRules, name)
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&written, "%s\n", name)
		for _, o := range outcomes(t, path) {
			_, body, _ := strings.Cut(udiff.Unified("before", "after", o.Before, o.After), "+++ after\n")
			written.WriteString(body + "\n")
		}
	}
	goldenFile(t, filepath.Join(fixesOfRules, "programs.diff"), written.String())
}

// TestTopologyFixOfOldReleases wants no axis types where JAX has none yet: make_mesh takes them since 0.5.3.
func TestTopologyFixOfOldReleases(t *testing.T) {
	path := programsOfRules + "/SHD108/bad_given_devices.py"
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for release, wants := range map[string]string{"0.4.30": "", "0.4.35": "make_mesh(shape, names, devices=devices)", "0.6.2": "axis_types="} {
		target, err := flow.ParseRelease(release)
		if err != nil {
			t.Fatal(err)
		}
		found := judgedFor(t, path, source, target)
		if len(found) != 1 || (len(found[0].Fixes) > 0) != (wants != "") {
			t.Fatalf("%s: %s", release, described(string(source), found))
		}
		if wants != "" && !strings.Contains(found[0].Fixes[0].Edits[0].NewText, wants) {
			t.Errorf("%s: the fix writes %s", release, found[0].Fixes[0].Edits[0].NewText)
		}
	}
}
