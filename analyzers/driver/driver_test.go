package driver

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// finds makes a rule that reports every occurrence of a word. Its needle is the word unless others are given.
func finds(code, word string, needles ...string) *analyzers.Analyzer {
	if needles == nil {
		needles = []string{word}
	}
	return &analyzers.Analyzer{
		Code: code, Name: "finds-" + word, Severity: analyzers.Warning, Evidence: analyzers.FromSource, Needles: needles,
		Check: func(p *analyzers.Pass) {
			source := string(p.File.Tree().Source)
			for at := 0; ; {
				i := strings.Index(source[at:], word)
				if i < 0 {
					return
				}
				at += i + len(word)
				p.Report(analyzers.Finding{
					Message: word, Span: analyzers.Span{Path: p.File.Tree().Path, Start: at - len(word), End: at},
					Fixes: []analyzers.Fix{{Title: "upper", Safety: analyzers.Safe, Edits: []analyzers.Edit{{
						Span:    analyzers.Span{Path: p.File.Tree().Path, Start: at - len(word), End: at},
						NewText: strings.ToUpper(word),
					}}}},
				})
			}
		},
	}
}

func own() []*analyzers.Analyzer {
	return []*analyzers.Analyzer{
		{Code: "SHD001", Name: "unused", Severity: analyzers.Warning}, {Code: "SHD002", Name: "unknown", Severity: analyzers.Warning},
	}
}

// input judges sources by path with every rule on.
func input(sources map[string]string, rules ...*analyzers.Analyzer) *Input {
	in := &Input{Analyzers: append(own(), rules...), Program: &flow.Program{Files: map[string]*flow.File{}}}
	on := map[string]analyzers.Severity{}
	for _, a := range in.Analyzers {
		on[a.Code] = a.Severity
	}
	for path, source := range sources {
		f := &flow.File{Syntax: pyparse.Parse(path, []byte(source))}
		in.Program.Files[path] = f
		in.Files = append(in.Files, File{Path: path, Facts: f, Settings: Settings{Rules: on}, ModTime: time.Unix(0, 0)})
	}
	return in
}

func check(t *testing.T, in *Input) *Result {
	t.Helper()
	r, err := Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func lines(r *Result) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s:%d %s %s", f.Span.Path, f.Span.Start, f.Code, f.Severity))
	}
	return out
}

func TestOrderAndSeverity(t *testing.T) {
	in := input(map[string]string{"b.py": "x y x", "a.py": "y x"}, finds("SHD102", "x"), finds("SHD101", "y"))
	in.Files[0].Settings.Rules = map[string]analyzers.Severity{"SHD102": analyzers.Error}
	in.Files[1].Settings.Rules = map[string]analyzers.Severity{"SHD101": analyzers.Info, "SHD102": analyzers.Warning}
	first := lines(check(t, in))
	for range 10 { // rules run side by side; the order must not show it
		if again := lines(check(t, in)); !reflect.DeepEqual(first, again) {
			t.Fatalf("two runs differ: %v and %v", first, again)
		}
	}
	severities := map[string]string{}
	for _, l := range first {
		parts := strings.Fields(l)
		severities[strings.SplitN(parts[0], ":", 2)[0]+" "+parts[1]] = parts[2]
	}
	if got := severities[in.Files[0].Path+" SHD102"]; got != "error" {
		t.Errorf("severity = %s, want the configured error", got)
	}
	if got := severities[in.Files[0].Path+" SHD101"]; got != "" {
		t.Error("a rule that is off reports")
	}
	if got := severities[in.Files[1].Path+" SHD101"]; got != "info" {
		t.Errorf("severity = %s, want the configured info", got)
	}
}

// TestAPanicCostsOneRuleOneFile wants the other rules and files to go on, and the crash to be said once.
func TestAPanicCostsOneRuleOneFile(t *testing.T) {
	bad := finds("SHD103", "x")
	honest := bad.Check
	bad.Check = func(p *analyzers.Pass) {
		honest(p)
		if p.File.Tree().Path == "a.py" {
			panic("out of luck")
		}
	}
	r := check(t, input(map[string]string{"a.py": "x", "b.py": "x"}, bad, finds("SHD101", "x")))
	want := []string{"a.py:0 SHD101 warning", "b.py:0 SHD101 warning", "b.py:0 SHD103 warning"}
	if got := lines(r); !reflect.DeepEqual(got, want) {
		t.Errorf("findings = %v, want %v", got, want)
	}
	if len(r.Problems) != 1 || r.Problems[0].Path != "a.py" || !strings.Contains(r.Problems[0].Message, "SHD103") {
		t.Errorf("problems = %v, want one of SHD103 on a.py", r.Problems)
	}
}

// TestPrefilterChangesNothing compares runs with and without needles.
func TestPrefilterChangesNothing(t *testing.T) {
	sources := map[string]string{"a.py": "mesh = Mesh()", "b.py": "psum(x)", "c.py": "x = 1", "d.py": "'Mesh psum'"}
	with := []*analyzers.Analyzer{finds("SHD101", "Mesh", "Mesh"), finds("SHD102", "psum", "psum", "pmean"), finds("SHD103", "x")}
	var without []*analyzers.Analyzer
	for _, a := range with {
		plain := *a
		plain.Needles = []string{""} // in every text
		without = append(without, &plain)
	}
	if a, b := lines(check(t, input(sources, with...))), lines(check(t, input(sources, without...))); !reflect.DeepEqual(a, b) || len(a) == 0 {
		t.Errorf("with needles %v, without %v", a, b)
	}
}

func TestSuppressions(t *testing.T) {
	tests := []struct {
		name, source string
		suppressed   int
		want         string // codes that are left
	}{
		{"same line", "x = 1  # shardls: ignore[SHD101]", 1, ""},
		{"line above", "# shardls: ignore[SHD101]\nx = 1", 1, ""},
		{"whole file", "# shardls: file-ignore[SHD101]\n\nx = 1\nx = 2\n", 2, ""},
		{"noqa", "x = 1  # noqa: SHD101", 1, ""},
		{"prefix", "x = 1  # shardls: ignore[SHD1]", 1, ""},
		{"another line", "x = 1\ny = 2  # shardls: ignore[SHD101]", 0, "SHD101 SHD001"},
		{"another code", "x = 1  # shardls: ignore[SHD102]", 0, "SHD101 SHD001"},
		{"one of two used", "x = 1  # shardls: ignore[SHD101, SHD102]", 1, "SHD001"},
		{"unknown code", "y = 1  # shardls: ignore[SHD999]", 0, "SHD002"},
		{"unknown code, accepted", "y = 1  # shardls: ignore[SHD999]  # shardls: ignore[SHD002]", 1, ""},
		{"unused, accepted", "y = 1  # shardls: ignore[SHD101]  # shardls: ignore[SHD001]", 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := check(t, input(map[string]string{"a.py": tt.source}, finds("SHD101", "x"), finds("SHD102", "z")))
			var codes []string
			for _, f := range r.Findings {
				codes = append(codes, f.Code)
			}
			if got := strings.Join(codes, " "); got != tt.want || r.Suppressed != tt.suppressed {
				t.Errorf("findings %q, %d suppressed; want %q, %d", got, r.Suppressed, tt.want, tt.suppressed)
			}
		})
	}
}

// TestUnusedNeedsProof wants no comment to be called unused where a rule that it names could not speak.
func TestUnusedNeedsProof(t *testing.T) {
	dump := &analyzers.Analyzer{Code: "SHD601", Severity: analyzers.Warning, CheckDump: func(*analyzers.DumpPass) {}}
	in := input(map[string]string{"a.py": "x = 1  # shardls: ignore[SHD601, SHD103]"}, dump, finds("SHD103", "zz"))
	delete(in.Files[0].Settings.Rules, "SHD103")
	r := check(t, in)
	if len(r.Findings) > 0 {
		t.Errorf("findings = %v, want none", lines(r))
	}
	if !reflect.DeepEqual(r.Skipped, []Skipped{{"SHD601", "needs an HLO dump"}}) {
		t.Errorf("skipped = %v", r.Skipped)
	}
}

func TestOtherFilesAreNotReported(t *testing.T) {
	elsewhere := &analyzers.Analyzer{Code: "SHD104", Severity: analyzers.Warning, Check: func(p *analyzers.Pass) {
		p.Report(analyzers.Finding{Message: "there", Span: analyzers.Span{Path: "lib.py"}})
	}}
	in := input(map[string]string{"a.py": "x"}, elsewhere)
	in.Program.Files["lib.py"] = &flow.File{Syntax: pyparse.Parse("lib.py", []byte("y"))}
	if r := check(t, in); len(r.Findings) > 0 {
		t.Errorf("findings = %v, want none in a file that nobody asked about", lines(r))
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, input(map[string]string{"a.py": "x"}, finds("SHD101", "x"))); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want that of the context", err)
	}
}

func TestUnreadableDumps(t *testing.T) {
	in := input(map[string]string{"a.py": "x"}, &analyzers.Analyzer{Code: "SHD004", Severity: analyzers.Warning})
	in.Dumps = []Dump{{Path: "bad.txt", Problem: "holds no HLO module"}}
	r := check(t, in)
	if got := lines(r); !reflect.DeepEqual(got, []string{"bad.txt:0 SHD004 warning"}) || r.HLO.State != UnreadableDumps {
		t.Errorf("findings = %v, state %s", got, r.HLO.State)
	}
	in.Dumps = append(in.Dumps, Dump{Path: "good.txt"})
	if r := check(t, in); r.HLO.State != LinkedDumps || !reflect.DeepEqual(r.HLO.Dumps, []string{"good.txt"}) {
		t.Errorf("hlo = %v, want the readable dump", r.HLO)
	}
}

func TestApplyFixes(t *testing.T) {
	edit := func(start, end int, text string) analyzers.Edit {
		return analyzers.Edit{Span: analyzers.Span{Path: "a.py", Start: start, End: end}, NewText: text}
	}
	fix := func(safety analyzers.Safety, edits ...analyzers.Edit) analyzers.Finding {
		return analyzers.Finding{Fixes: []analyzers.Fix{{Safety: safety, Edits: edits}}}
	}
	tests := []struct {
		name     string
		findings []analyzers.Finding
		unsafe   bool
		want     string
		applied  int
	}{
		{"two apart", []analyzers.Finding{fix(analyzers.Safe, edit(0, 1, "A")), fix(analyzers.Safe, edit(4, 5, "E"))}, false, "AbcdE", 2},
		{"overlap", []analyzers.Finding{fix(analyzers.Safe, edit(0, 3, "X")), fix(analyzers.Safe, edit(2, 5, "Y"))}, false, "Xde", 1},
		{"neighbours", []analyzers.Finding{fix(analyzers.Safe, edit(0, 2, "X")), fix(analyzers.Safe, edit(2, 5, "Y"))}, false, "XY", 2},
		{"same insertion", []analyzers.Finding{fix(analyzers.Safe, edit(0, 0, "i "), edit(1, 2, "B")), fix(analyzers.Safe, edit(0, 0, "i "), edit(3, 4, "D"))}, false, "i aBcDe", 2},
		{"two insertions at one place", []analyzers.Finding{fix(analyzers.Safe, edit(0, 0, "1")), fix(analyzers.Safe, edit(0, 0, "2"))}, false, "1abcde", 1},
		{"unsafe", []analyzers.Finding{fix(analyzers.Unsafe, edit(0, 1, "A"))}, false, "", 0},
		{"unsafe allowed", []analyzers.Finding{fix(analyzers.Unsafe, edit(0, 1, "A"))}, true, "Abcde", 1},
		{"out of the file", []analyzers.Finding{fix(analyzers.Safe, edit(4, 9, "A"))}, false, "", 0},
		{"overlap within a fix", []analyzers.Finding{fix(analyzers.Safe, edit(0, 3, "X"), edit(1, 2, "Y"))}, false, "", 0},
		{"another file in the fix", []analyzers.Finding{fix(analyzers.Safe, edit(0, 1, "A"), analyzers.Edit{Span: analyzers.Span{Path: "lib.py"}})}, false, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fixed := ApplyFixes(tt.findings, tt.unsafe, func(path string) ([]byte, bool) { return []byte("abcde"), path == "a.py" })
			if got := string(fixed.Contents["a.py"]); got != tt.want || fixed.Applied != tt.applied {
				t.Errorf("ApplyFixes = %q, %d applied; want %q, %d", got, fixed.Applied, tt.want, tt.applied)
			}
		})
	}
}

func TestSinceText(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{{time.Second, "a minute"}, {90 * time.Minute, "90 minutes"}, {5 * time.Hour, "5 hours"}, {72*time.Hour - time.Second, "3 days"}}
	for _, tt := range tests {
		if got := SinceText(tt.d); got != tt.want {
			t.Errorf("SinceText(%s) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

// TestSuppressionWithoutCodes: a comment without codes does nothing, which a person has to be told; prose is left alone.
func TestSuppressionWithoutCodes(t *testing.T) {
	result := check(t, input(map[string]string{"a.py": "x = 1  # shardls: ignore\ny = 2  # shardls: a linter\nz = 3  # shardls: ignore[]\n"}))
	if n := len(result.Findings); n != 2 {
		t.Fatalf("%d findings, want 2: %v", n, result.Findings)
	}
	for _, f := range result.Findings {
		if f.Code != unknownSuppression {
			t.Errorf("%s: %s", f.Code, f.Message)
		}
	}
}
