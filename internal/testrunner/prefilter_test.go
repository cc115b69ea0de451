package testrunner

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
)

// TestPrefilterLosesNothing compares what all rules find in all fixtures with what they find when every rule looks at every
// file: needles may only save time.
func TestPrefilterLosesNothing(t *testing.T) {
	var thorough []*analyzers.Analyzer
	for _, a := range project.Rules() {
		all := *a
		all.Needles = []string{""} // in every file
		thorough = append(thorough, &all)
	}
	root, err := filepath.Abs(roots()[0])
	if err != nil {
		t.Fatal(err)
	}
	find := func(rules []*analyzers.Analyzer) []Found {
		w, err := project.Load(t.Context(), project.Options{
			Dir: root, Isolated: true, Analyzers: rules, Overrides: []config.Config{{TargetJAX: release}},
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
	with, without := find(project.Rules()), find(thorough)
	if len(with) == 0 {
		t.Fatal("nothing was found")
	}
	for _, f := range without {
		lost := true
		for _, g := range with {
			lost = lost && !reflect.DeepEqual(f, g)
		}
		if lost {
			t.Errorf("%s:%d: the prefilter loses %s: %s", f.File, f.Line, f.Code, f.Message)
		}
	}
	for _, f := range with {
		lost := true
		for _, g := range without {
			lost = lost && !reflect.DeepEqual(f, g)
		}
		if lost {
			t.Errorf("%s:%d: the prefilter makes up %s: %s", f.File, f.Line, f.Code, f.Message)
		}
	}
	if len(with) != len(without) {
		t.Errorf("%d findings with needles, %d without", len(with), len(without))
	}
}
