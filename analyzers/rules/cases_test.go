package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/internal/want"
	"github.com/shardls/shardls/pyparse"
)

var update = flag.Bool("update-cases", false, "rewrite the list of findings outside the rules' own folders")

const casesDir = "../../testdata/rules"

// check runs all source rules over one file and its neighbours.
func check(t *testing.T, program *flow.Program, path string) []analyzers.Finding {
	t.Helper()
	file := program.Files[path]
	var found []analyzers.Finding
	facts := flow.Interpret(file.Syntax, flow.Options{Loader: program})
	if facts.Problem != "" {
		t.Errorf("%s: %s", path, facts.Problem)
	}
	for _, a := range All() {
		if a.Check == nil {
			continue
		}
		a.Check(&analyzers.Pass{
			File: file, Program: program, JAX: flow.Newest(), Raises: a.Raises, Facts: func() *flow.Facts { return facts },
			Report: func(f analyzers.Finding) {
				f.Code = a.Code
				found = append(found, f)
			},
		})
	}
	return found
}

func programOf(t *testing.T, paths ...string) *flow.Program {
	t.Helper()
	program := &flow.Program{Files: map[string]*flow.File{}}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		program.Files[p] = &flow.File{Syntax: pyparse.Parse(p, b)}
	}
	return program
}

// TestCases runs every rule over every executed case. In the folder of a rule its findings are exactly the wanted ones;
// what rules say in the folders of others is kept in others.golden and reviewed there.
func TestCases(t *testing.T) {
	registered := map[string]bool{}
	for _, a := range All() {
		registered[a.Code] = a.Check != nil
	}
	paths, err := filepath.Glob(casesDir + "/SHD*/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases under %s: %v", casesDir, err)
	}
	var others []string
	ran := 0
	for _, path := range paths {
		code := filepath.Base(filepath.Dir(path))
		t.Run(code+"/"+filepath.Base(path), func(t *testing.T) {
			ran++
			program := programOf(t, path)
			found := check(t, program, path)
			source := program.Files[path].Syntax.Source
			if registered[code] {
				match(t, path, source, found, code)
			}
			for _, f := range found {
				if f.Code != code && !everywhere(f.Code) {
					line := text.NewMap(source).Position(f.Span.Start).Line
					others = append(others, fmt.Sprintf("%s/%s:%d %s %s", code, filepath.Base(path), line, f.Code, f.Message))
				}
			}
		})
	}
	if ran < len(paths) {
		return // -run left some out
	}
	sort.Strings(others)
	golden(t, casesDir+"/others.golden", strings.Join(others, "\n")+"\n")
}

// everywhere reports whether a rule has something to say about many cases of others: hints, and what a release replaced.
func everywhere(code string) bool {
	return code == "SHD108" || code == "SHD206" || strings.HasPrefix(code, "SHD9")
}

// TestPrograms runs every rule over longer programs, of one file or of a folder of files, each file once as the one that is
// judged. In programs whose name begins with good no rule finds anything, but for hints.
func TestPrograms(t *testing.T) {
	entries, err := filepath.Glob("../../testdata/programs/SHD*/*")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no programs under testdata/programs: %v", err)
	}
	for _, entry := range entries {
		code, name := filepath.Base(filepath.Dir(filepath.Clean(entry))), filepath.Base(entry)
		t.Run(code+"/"+name, func(t *testing.T) {
			paths := pythonFiles(t, entry)
			program := programOf(t, paths...)
			found := map[string][]analyzers.Finding{}
			seen := map[string]bool{}
			for _, path := range paths {
				for _, f := range check(t, program, path) {
					key := fmt.Sprint(f.Code, f.Span, f.Message)
					if !seen[key] {
						seen[key] = true
						found[f.Span.Path] = append(found[f.Span.Path], f)
					}
				}
			}
			for _, path := range paths {
				source := program.Files[path].Syntax.Source
				match(t, path, source, found[path], code)
				for _, f := range found[path] {
					if strings.HasPrefix(name, "good") && f.Code != code && !everywhere(f.Code) {
						t.Errorf("line %d: unexpected %s: %s", text.NewMap(source).Position(f.Span.Start).Line, f.Code, f.Message)
					}
				}
			}
		})
	}
}

// pythonFiles lists the Python files at a path or below it.
func pythonFiles(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(p string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".py") {
			paths = append(paths, filepath.Clean(p))
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no Python files at %s: %v", root, err)
	}
	return paths
}

// match compares what a file wants of one rule with what is found.
func match(t *testing.T, path string, source []byte, found []analyzers.Finding, code string) {
	t.Helper()
	wants, err := want.Read(path, source)
	if err != nil {
		t.Fatal(err)
	}
	wants = slices.DeleteFunc(wants, func(w want.Want) bool { return w.Code != code })
	lines := text.NewMap(source)
	var got []want.Found
	for _, f := range found {
		if f.Code == code {
			got = append(got, want.Found{
				File: path, Line: lines.Position(f.Span.Start).Line, Code: f.Code, Message: f.Message,
				Marked: string(source[f.Span.Start:f.Span.End]),
			})
		}
	}
	for _, problem := range want.Compare(wants, got) {
		t.Error(problem)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != got {
		t.Errorf("%s differs from what the rules say now; run with -update-cases and review.\n%s", path, difference(string(b), got))
	}
}

func difference(old, now string) string {
	var b strings.Builder
	has := func(s, line string) bool { return strings.Contains("\n"+s, "\n"+line+"\n") }
	for _, l := range strings.Split(old, "\n") {
		if !has(now, l) {
			fmt.Fprintf(&b, "-%s\n", l)
		}
	}
	for _, l := range strings.Split(now, "\n") {
		if !has(old, l) {
			fmt.Fprintf(&b, "+%s\n", l)
		}
	}
	return b.String()
}
