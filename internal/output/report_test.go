package output

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/rules"
	"github.com/shardls/shardls/internal/text"
)

const program = "import jax\n\n\tmesh = 日本(\n\t    \"data\",\n\t)\nx = \x1b[31m1\n"

// sample is a report with one finding of everything: several lines, tabs, wide characters, notes, fixes, HLO facts.
func sample(source string) *Report {
	start := strings.Index(source, "日本")
	end := strings.Index(source, ")") + 1
	bytesPerStep, executions := int64(3<<20), int64(12)
	f := analyzers.Finding{
		Code: "SHD601", Name: "low-precision-gradient-reduction", Severity: analyzers.Warning, Message: "100% wrong,\nsays: it",
		Span: analyzers.Span{Path: "/w/a b.py", Start: start, End: end}, Evidence: analyzers.FromBoth, Confidence: analyzers.Likely,
		Fixes: []analyzers.Fix{
			{Title: "Write it right", Safety: analyzers.Unsafe, Edits: []analyzers.Edit{
				{Span: analyzers.Span{Path: "/w/a b.py", Start: start, End: start + len("日本")}, NewText: "make_mesh"},
			}},
			{Title: "Drop it", Safety: analyzers.Safe, Edits: []analyzers.Edit{{Span: analyzers.Span{Path: "/w/a b.py", Start: start, End: end}}}},
		},
		Related: []analyzers.Related{
			{Span: analyzers.Span{Path: "/w/dump/m.txt"}, Line: 7, Message: "all-reduce.1"},
			{Span: analyzers.Span{Path: "/w/a b.py", Start: 0, End: 6}, Message: "imported here"},
		},
		HLO: &analyzers.HLOFacts{
			Module: "jit_f", Collectives: []string{"all-reduce.1"}, BytesPerStep: &bytesPerStep, Axes: []string{"data"},
			Executions: &executions, Dump: "/w/dump/m.txt", Stage: "after-partitioning",
		},
	}
	last := f
	last.Span = analyzers.Span{Path: "/w/a b.py", Start: strings.Index(source, "\x1b"), End: strings.Index(source, "\x1b") + 1}
	last.Fixes, last.Related, last.HLO, last.Severity, last.Confidence = nil, nil, nil, analyzers.Error, analyzers.Certain
	m := text.NewMap([]byte(source))
	return &Report{
		Result: &driver.Result{
			Findings: []analyzers.Finding{f, last},
			Problems: []driver.Problem{{Path: "/w/bad.py", Line: 3, Message: "invalid syntax"}},
			HLO:      driver.HLO{State: driver.LinkedDumps, Dumps: []string{"/w/dump/m.txt"}},
		},
		Dir: "/w", Files: 2, Rules: rules.All(), Version: "1.2.3",
		URL: func(code string) string { return "https://example.org/" + code },
		Sources: func(path string) *Source {
			if path != "/w/a b.py" {
				return nil
			}
			return &Source{Text: m}
		},
	}
}

func TestFull(t *testing.T) {
	var b bytes.Buffer
	r := sample(program)
	r.Now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	r.Result.Findings[0].HLO.Written, r.Result.Findings[0].HLO.Older = r.Now.Add(-72*time.Hour), true
	if err := Full(&b, r, Style{}); err != nil {
		t.Fatal(err)
	}
	want := `a b.py:3:9 warning SHD601 low-precision-gradient-reduction (likely)
  100% wrong, says: it
 3 │     mesh = 日本(
   │            ^^^^^
 4 │         "data",
   │         ^^^^^^^
 5 │     )
   │     ^
 6 │ x = ␛[31m1
   = note: dump/m.txt:7: all-reduce.1
   = note: a b.py:1:1: imported here
   = hlo: jit_f after partitioning: all-reduce.1, over data, 12 times a step, 3.0 MiB a step; dump written 3 days ago, before the last change of a b.py
   = unsafe fix: Write it right
     -     mesh = 日本(
     +     mesh = make_mesh(
   = fix: Drop it

a b.py:6:5 error SHD601 low-precision-gradient-reduction
  100% wrong, says: it
 5 │     )
 6 │ x = ␛[31m1
   │     ^

2 findings in 2 files. 1 can be fixed with --fix --unsafe-fixes. HLO: dump/m.txt.
`
	if got := b.String(); got != want {
		t.Errorf("Full:\n%s\nwant:\n%s", got, want)
	}
}

// TestNothingReachesTheTerminal wants that control characters of sources, which are anybody's, are shown and not obeyed.
func TestNothingReachesTheTerminal(t *testing.T) {
	r := sample(program)
	r.Result.Findings[0].Message = "axis '\x1b]0;title\x07' and \u202eright to left"
	for name, print := range map[string]func(*bytes.Buffer) error{
		"full":    func(b *bytes.Buffer) error { return Full(b, r, Style{}) },
		"concise": func(b *bytes.Buffer) error { return Concise(b, r, Style{}) },
	} {
		var b bytes.Buffer
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\x07\u202e") {
			t.Errorf("%s lets control characters through: %q", name, b.String())
		}
	}
}

func TestSARIFIsValid(t *testing.T) {
	var b bytes.Buffer
	if err := SARIF(&b, sample(program)); err != nil {
		t.Fatal(err)
	}
	if _, err := sarif.FromBytes(b.Bytes(), sarif.WithStrictValidation()); err != nil {
		t.Error(err)
	}
	// The library drops fields that it does not know before it validates: the standard has no others.
	strict := json.NewDecoder(bytes.NewReader(b.Bytes()))
	strict.DisallowUnknownFields()
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []json.RawMessage
	}
	if err := strict.Decode(&log); err != nil {
		t.Error(err)
	}
	for _, part := range []string{`"uri": "a%20b.py"`, `"uriBaseId": "%SRCROOT%"`, `"ruleId": "SHD601"`, `"columnKind": "unicodeCodePoints"`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("SARIF lacks %s", part)
		}
	}
}

// A name with a colon is no scheme.
func TestArtifactOfColon(t *testing.T) {
	for name, want := range map[string]string{"a b.py": "a%20b.py", "a:b.py": "./a:b.py", "c/a:b.py": "c/a:b.py"} {
		if got := (&Report{}).artifact(name); got.URI != want || got.Base != "%SRCROOT%" {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
}

// TestFingerprints wants names that stay when lines move, differ between findings, and change with what is marked.
func TestFingerprints(t *testing.T) {
	before := sample(program).fingerprints()
	if before[0] == before[1] {
		t.Error("two findings have one fingerprint")
	}
	if moved := sample("# a new line\n\n" + program).fingerprints(); moved[0] != before[0] || moved[1] != before[1] {
		t.Error("moving lines changes fingerprints")
	}
	if changed := sample(strings.Replace(program, "data", "model", 1)).fingerprints(); changed[0] == before[0] {
		t.Error("other marked text has the same fingerprint")
	}
	twice := sample(program)
	twice.Result.Findings = append(twice.Result.Findings, twice.Result.Findings[0])
	if names := twice.fingerprints(); names[0] == names[2] {
		t.Error("equal findings have one fingerprint")
	}
}

func TestGitHubEscapes(t *testing.T) {
	var b bytes.Buffer
	r := sample(program)
	r.Result.Findings = r.Result.Findings[1:]
	if err := GitHub(&b, r); err != nil {
		t.Fatal(err)
	}
	want := "::error title=shardls (SHD601),file=a b.py,line=6,endLine=6,col=5,endColumn=6::a b.py:6:5: SHD601 100%25 wrong,%0Asays: it\n"
	if b.String() != want {
		t.Errorf("GitHub = %q, want %q", b.String(), want)
	}
}

func TestDisplayPath(t *testing.T) {
	tests := []struct{ path, want string }{
		{"/w/a.py", "a.py"}, {"/w/sub/a.py", "sub/a.py"}, {"/wide/a.py", "/wide/a.py"}, {"/a.py", "/a.py"}, {"b.py", "b.py"},
		{"/w/..a.py", "..a.py"},
	}
	for _, tt := range tests {
		if got := DisplayPath("/w", tt.path); got != tt.want {
			t.Errorf("DisplayPath(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestNatural(t *testing.T) {
	sorted := []string{"?", "a.py:9", "a.py:10", "a.py:10b", "b.py:1"}
	for i := range sorted {
		for j := range sorted {
			if got := natural(sorted[i], sorted[j]); got != (i < j) {
				t.Errorf("natural(%q, %q) = %v", sorted[i], sorted[j], got)
			}
		}
	}
}
