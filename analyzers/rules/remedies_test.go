package rules_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/testtools"
)

// remedy is a program of testdata/remedies and what became of it.
type remedy struct {
	name   string
	kind   string // "remedy", "useless", "quiet" or "fix"
	source []byte
	run    *execution
	fixed  *execution // with its fixes applied, nil for the other kinds
	wide   *execution // the fixed program computed in float32, nil where it is about layouts
}

// execution is one run of a program on eight simulated devices.
type execution struct {
	dir      string
	source   []byte
	values   [][]float64 // what it printed, and every array of its variable result
	findings []analyzers.Finding
	module   *link.Module
}

// TestRemedies runs the programs of testdata/remedies with JAX, judges each by the module that XLA dumps, applies the fixes, and
// runs and judges the outcome. All programs share one process before and one after.
func TestRemedies(t *testing.T) {
	python := testtools.JAX(t, "0.10.2")
	programs, err := filepath.Glob("../../testdata/remedies/*.py")
	if err != nil || len(programs) < 6 {
		t.Fatalf("found %d programs: %v", len(programs), err)
	}
	dir := t.TempDir()
	var remedies []*remedy
	var first []*execution
	for _, program := range programs {
		source, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		r := &remedy{name: strings.TrimSuffix(filepath.Base(program), ".py"), source: source}
		r.kind, _, _ = strings.Cut(r.name, "_")
		r.run = &execution{dir: filepath.Join(dir, r.name), source: source}
		remedies, first = append(remedies, r), append(first, r.run)
	}
	execute(t, python, filepath.Join(dir, "dump-before"), first)
	var second []*execution
	for _, r := range remedies {
		if r.kind == "fix" {
			second = append(second, r.prepare(t)...)
		}
	}
	execute(t, python, filepath.Join(dir, "dump-after"), second)
	for _, r := range remedies {
		t.Run(r.name, r.check)
	}
}

// prepare applies the fixes of a program's findings.
func (r *remedy) prepare(t *testing.T) []*execution {
	t.Helper()
	findings := slices.Clone(r.run.findings)
	if wanted := regexp.MustCompile(`(?m)^# apply: (.+)$`).FindSubmatch(r.source); wanted != nil {
		for k := range findings {
			findings[k].Fixes = slices.DeleteFunc(slices.Clone(findings[k].Fixes), func(f analyzers.Fix) bool { return !strings.Contains(f.Title, string(wanted[1])) })
		}
	}
	fixed := driver.ApplyFixes(findings, true, func(string) ([]byte, bool) { return r.source, true })
	content := fixed.Contents[filepath.Join(r.run.dir, "program.py")]
	if content == nil {
		t.Errorf("%s: no finding has a fix: %+v", r.name, findings)
		return nil
	}
	r.fixed = &execution{dir: filepath.Join(r.run.dir, "fixed"), source: content}
	list := []*execution{r.fixed}
	if bytes.Contains(content, []byte("bfloat16")) {
		r.wide = &execution{dir: filepath.Join(r.run.dir, "wide"), source: bytes.ReplaceAll(content, []byte("bfloat16"), []byte("float32"))}
		list = append(list, r.wide)
	}
	return list
}

func (r *remedy) check(t *testing.T) {
	switch r.kind {
	case "remedy":
		for _, f := range r.run.findings {
			if precision(f) {
				t.Errorf("%s although the remedy is in place: %s", f.Code, f.Message)
			}
		}
	case "useless":
		if !slices.ContainsFunc(r.run.findings, precision) {
			t.Error("no finding although this changes nothing")
		}
	case "fix":
		if r.fixed == nil {
			t.Fatal("nothing was fixed")
		}
		for _, f := range r.fixed.findings {
			if slices.ContainsFunc(r.run.findings, func(before analyzers.Finding) bool { return before.Code == f.Code }) {
				t.Errorf("%s after its fix was applied: %s\n%s", f.Code, f.Message, r.fixed.source)
			}
		}
		agree(t, "before and after the fix", r.fixed.values, r.run.values)
		if r.wide == nil {
			r.sendsLess(t)
			return
		}
		agree(t, "the fixed program and float32", r.fixed.values, r.wide.values)
		wideSums(t, r.fixed)
	case "quiet":
		for _, f := range r.run.findings {
			if f.Code >= "SHD400" && f.Code < "SHD600" {
				t.Errorf("%s: %s", f.Code, f.Message)
			}
		}
	default:
		t.Fatalf("unknown kind of program %q", r.kind)
	}
}

// promised matches what a message says of the bytes that one device sends with the fix.
var promised = regexp.MustCompile(`(?:which sends|would send about) ([0-9.]+) ([KM])iB`)

// sendsLess checks that one device sends fewer bytes than before the fix, and about as many as the message says where it
// says so.
func (r *remedy) sendsLess(t *testing.T) {
	t.Helper()
	before, after := r.run.sent(), r.fixed.sent()
	if after >= before {
		t.Errorf("a device sends %d bytes before the fix and %d after it\n%s", before, after, r.fixed.source)
	}
	for _, f := range r.run.findings {
		m := promised.FindStringSubmatch(f.Message)
		if m == nil {
			continue
		}
		want, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		want *= map[string]float64{"K": 1 << 10, "M": 1 << 20}[m[2]]
		if math.Abs(float64(after)-want) > 0.1*want {
			t.Errorf("a device sends %d bytes after the fix: %s", after, f.Message)
		}
	}
}

// sent is what one device sends per step.
func (e *execution) sent() int64 {
	total := int64(0)
	for i := range e.module.Deciding.Collectives {
		c := &e.module.Deciding.Collectives[i]
		if c.WireBytesPerExecution != nil && c.Executions != nil {
			total += *c.WireBytesPerExecution * *c.Executions
		}
	}
	return total
}

// wideSums checks that every gradient is summed in float32 and only once.
func wideSums(t *testing.T, e *execution) {
	t.Helper()
	sums := 0
	for _, p := range e.module.Deciding.Gradients().Parameters {
		for _, s := range p.Reductions {
			sums++
			if s.OperandDType != "f32" || s.ReducerDType != "f32" || s.EqualValues {
				t.Errorf("%s: %s of %s by %s, of equal values %v", p.Parameter, s.Opcode, s.OperandDType, s.ReducerDType, s.EqualValues)
			}
		}
	}
	if sums == 0 {
		t.Error("no gradient is summed any more")
	}
}

// tolerance is how far the values of two runs may be apart, relative to their norm: bfloat16 keeps eight bits of each number, and
// every layer rounds again.
const tolerance = 0.03

func agree(t *testing.T, what string, a, b [][]float64) {
	t.Helper()
	if len(a) != len(b) || len(a) == 0 {
		t.Errorf("%s: %d and %d results", what, len(a), len(b))
		return
	}
	for k := range a {
		if len(a[k]) != len(b[k]) {
			t.Errorf("%s: result %d has %d and %d elements", what, k, len(a[k]), len(b[k]))
			continue
		}
		apart, norm := 0.0, 0.0
		for i := range a[k] {
			apart += (a[k][i] - b[k][i]) * (a[k][i] - b[k][i])
			norm += b[k][i] * b[k][i]
		}
		if !(math.Sqrt(apart) <= tolerance*math.Sqrt(norm)) {
			t.Errorf("%s: result %d differs by %v, its norm is %v", what, k, math.Sqrt(apart), math.Sqrt(norm))
		}
	}
}

// runner runs every program of the command line as a main program of its own, and writes what it printed and the arrays in its
// variable result beside it.
const runner = `
import contextlib, io, json, runpy, sys, traceback
import jax, numpy as np
for path in sys.argv[1:]:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            names = runpy.run_path(path, run_name="__main__")
        values = [[float(x)] for x in printed.getvalue().split()]
        values += [np.asarray(leaf, np.float64).ravel().tolist() for leaf in jax.tree.leaves(names.get("result"))]
        json.dump({"values": values}, open(path + ".json", "w"))
    except Exception:
        json.dump({"error": traceback.format_exc()}, open(path + ".json", "w"))
`

// execute runs programs in one process and checks each with the module of its function step, as XLA dumped it just after
// partitioning.
func execute(t *testing.T, python, dump string, list []*execution) {
	t.Helper()
	args := []string{"-c", runner}
	for _, e := range list {
		path := filepath.Join(e.dir, "program.py")
		if err := os.MkdirAll(e.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, e.source, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command(python, args...)
	cmd.Env = append(os.Environ(), "JAX_PLATFORMS=cpu",
		"XLA_FLAGS=--xla_force_host_platform_device_count=8 --xla_dump_to="+dump+" --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=spmd-partitioning")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("JAX failed: %v\n%s", err, output)
	}
	dumps, err := filepath.Glob(filepath.Join(dump, "*jit_step*after_spmd-partitioning*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	byProgram := map[string][]string{}
	for _, d := range dumps {
		text, err := os.ReadFile(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if bytes.Contains(text, []byte(`"`+filepath.Join(e.dir, "program.py")+`"`)) {
				byProgram[e.dir] = append(byProgram[e.dir], d)
			}
		}
	}
	for _, e := range list {
		e.read(t, byProgram[e.dir])
	}
}

func (e *execution) read(t *testing.T, dumps []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(e.dir, "program.py.json"))
	if err != nil {
		t.Fatal(err)
	}
	var outcome struct {
		Values [][]float64
		Error  string
	}
	if err := json.Unmarshal(data, &outcome); err != nil || outcome.Error != "" || len(dumps) == 0 {
		t.Fatalf("%s: %v %s\n%d dumps\n%s", e.dir, err, outcome.Error, len(dumps), e.source)
	}
	e.values = outcome.Values
	zero := int64(0)
	w, err := project.Load(context.Background(), project.Options{
		Dir: e.dir, Paths: []string{"program.py"}, HLO: dumps, Isolated: true, Analyzers: dumpRules(),
		Overrides: []config.Config{{HLO: config.HLO{MinBytes: &zero}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := driver.Run(context.Background(), w.Input())
	if err != nil || len(w.Modules) == 0 {
		t.Fatalf("%d modules: %v", len(w.Modules), err)
	}
	e.findings, e.module = result.Findings, w.Modules[0]
}

func precision(f analyzers.Finding) bool { return f.Code == "SHD601" || f.Code == "SHD604" }
