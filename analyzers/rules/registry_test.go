package rules

import (
	"regexp"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func TestRegistry(t *testing.T) {
	code := regexp.MustCompile(`^SHD\d{3}$`)
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	last := ""
	names := map[string]string{}
	for _, a := range All() {
		if !code.MatchString(a.Code) || a.Code <= last {
			t.Errorf("%s stands after %s", a.Code, last)
		}
		last = a.Code
		if !name.MatchString(a.Name) || names[a.Name] != "" {
			t.Errorf("%s: name %q (also that of %q)", a.Code, a.Name, names[a.Name])
		}
		names[a.Name] = a.Code
		if a.Summary == "" || strings.HasSuffix(a.Summary, ".") || a.Severity == analyzers.Off || a.Evidence == "" || a.Since == "" {
			t.Errorf("%s: summary, severity, evidence and since have to be set, the summary without a period", a.Code)
		}
		if a.Doc.Finds == "" || a.Doc.Matters == "" || a.Doc.Ignore == "" {
			t.Errorf("%s: the documentation has gaps", a.Code)
		}
	}
}

// TestExamples runs the examples of rules that judge source: the rule fires in the example and is quiet in what to write instead.
func TestExamples(t *testing.T) {
	for _, a := range All() {
		if a.Check == nil || a.CheckDump != nil && a.Evidence != analyzers.FromSource {
			continue
		}
		t.Run(a.Code, func(t *testing.T) {
			if n := len(findingsOf(a, a.Doc.Example)); n == 0 {
				t.Errorf("the example has no finding")
			}
			for _, f := range findingsOf(a, a.Doc.Instead) {
				t.Errorf("what to write instead has a finding: %s", f.Message)
			}
		})
	}
}

func findingsOf(a *analyzers.Analyzer, source string) []analyzers.Finding {
	file := pyparse.Parse("example.py", []byte(source))
	facts := flow.Interpret(file, flow.Options{})
	var found []analyzers.Finding
	a.Check(&analyzers.Pass{File: &flow.File{Syntax: file}, JAX: flow.Newest(), Facts: func() *flow.Facts { return facts }, Report: func(f analyzers.Finding) { found = append(found, f) }})
	return found
}
