package testrunner

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/want"
)

// TestPrefilterLosesNothing compares what all rules find in all fixtures, and below the directories in SHARDLS_CORPUS (a list separated
// by colons), with what they find when every rule looks at every file: needles may only save time. It makes no difference either
// whether trees are kept or let go.
func TestPrefilterLosesNothing(t *testing.T) {
	fixtures := roots()
	for i, root := range append(fixtures, filepath.SplitList(os.Getenv("SHARDLS_CORPUS"))...) {
		t.Run(root, func(t *testing.T) {
			thorough := findBelow(t, root, everywhere(project.Rules()), false)
			if i < len(fixtures) && len(thorough) == 0 {
				t.Fatal("nothing was found")
			}
			for _, once := range []bool{false, true} {
				compare(t, findBelow(t, root, project.Rules(), once), thorough)
			}
		})
	}
}

// everywhere makes rules look at every file.
func everywhere(rules []*analyzers.Analyzer) []*analyzers.Analyzer {
	var thorough []*analyzers.Analyzer
	for _, a := range rules {
		all := *a
		all.Needles = []string{""}
		thorough = append(thorough, &all)
	}
	return thorough
}

func findBelow(t *testing.T, root string, rules []*analyzers.Analyzer, once bool) []want.Found {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	w, err := project.Load(t.Context(), project.Options{
		Dir: dir, Isolated: true, Analyzers: rules, Once: once, Overrides: []config.Config{{TargetJAX: release}},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := driver.Run(t.Context(), w.Input())
	if err != nil {
		t.Fatal(err)
	}
	return found(w, result)
}

// compare wants the same findings with and without needles.
func compare(t *testing.T, with, without []want.Found) {
	t.Helper()
	for _, f := range missing(with, without) {
		t.Errorf("%s:%d: the prefilter loses %s: %s", f.File, f.Line, f.Code, f.Message)
	}
	for _, f := range missing(without, with) {
		t.Errorf("%s:%d: the prefilter makes up %s: %s", f.File, f.Line, f.Code, f.Message)
	}
	if len(with) != len(without) {
		t.Errorf("%d findings with needles, %d without", len(with), len(without))
	}
}

// missing are the findings in wanted that are not in got.
func missing(got, wanted []want.Found) []want.Found {
	var out []want.Found
	for _, f := range wanted {
		if !slices.ContainsFunc(got, func(g want.Found) bool { return reflect.DeepEqual(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}
