package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/shardls/shardls/internal/testtools"
)

// releases of JAX that are captured for real: the newest, and one from before JAX moved to Shardy.
var releases = []string{"0.10.2", "0.6.2"}

// options returns what every test shares; the command runs in testdata.
func options(t *testing.T, command ...string) Options {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Command: command, Dir: dir, Out: filepath.Join(t.TempDir(), "capture"),
		Env:    append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "XLA_FLAGS=", "PYTHONPATH="),
		Stdout: io.Discard, Stderr: io.Discard,
	}
}

func run(t *testing.T, o Options) *Result {
	t.Helper()
	var out bytes.Buffer
	if o.Stderr == io.Discard {
		o.Stderr = &out
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if t.Failed() {
		t.Log(out.String())
	}
	return r
}

// step returns the only captured module that is the training step.
func step(t *testing.T, m *Manifest) Module {
	t.Helper()
	var found []Module
	for _, module := range m.Modules {
		if module.Name == "jit_step" {
			found = append(found, module)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d modules named jit_step among %d", len(found), len(m.Modules))
	}
	return found[0]
}

func TestManifestDescribesTheStep(t *testing.T) {
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			o := options(t, testtools.JAX(t, release), "train.py")
			var stdout bytes.Buffer
			o.Stdout = &stdout
			r := run(t, o)
			if r.Status != 0 || !strings.HasPrefix(stdout.String(), "scale ") || !strings.HasSuffix(stdout.String(), " 8\n") {
				t.Errorf("status %d, output %q", r.Status, stdout.String())
			}
			m, err := Read(o.Out)
			if err != nil {
				t.Fatal(err)
			}
			if m.JAX != release || len(m.Problems) != 0 {
				t.Errorf("JAX %q, problems %q", m.JAX, m.Problems)
			}
			checkStep(t, o, m)
		})
	}
}

// A spec with reduced axes is described by its dimensions and as JAX prints it, since the dimensions alone do not tell.
func TestReducedSpec(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "reduced.py")
	if r := run(t, o); r.Status != 0 {
		t.Fatalf("status %d", r.Status)
	}
	m, err := Read(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	mesh := 0
	want := &Sharding{Mesh: &mesh, Spec: []any{nil, nil}, Text: "P(None, None, reduced={'data'})"}
	if module := step(t, m); len(module.Problems) != 0 || len(module.Arguments) != 2 || !reflect.DeepEqual(module.Arguments[0].Sharding, want) {
		t.Errorf("problems %q, arguments %+v", module.Problems, module.Arguments)
	}
}

func checkStep(t *testing.T, o Options, m *Manifest) {
	t.Helper()
	module := step(t, m)
	if module.Function != "step" || module.Devices != 8 || len(module.Problems) != 0 {
		t.Errorf("function %q over %d devices, problems %q", module.Function, module.Devices, module.Problems)
	}
	axes := []Axis{{"data", 4}, {"model", 2}}
	if len(module.Meshes) != 1 || !reflect.DeepEqual(module.Meshes[0].Axes, axes) {
		t.Errorf("meshes = %+v", module.Meshes)
	}
	number := func(i int) *int { return &i }
	want := []Argument{
		{"params['layer']['w']", "float32", []int{16, 8}, &Sharding{Mesh: number(0), Spec: []any{nil, "model"}}, true, number(0)},
		{"params['scale']", "float32", []int{8}, &Sharding{Mesh: number(0), Spec: []any{}}, true, number(1)},
		{"unused", "int32", []int{}, nil, false, nil},
		{"x", "float32", []int{32, 16}, &Sharding{Mesh: number(0), Spec: []any{"data"}}, false, number(2)},
	}
	if !reflect.DeepEqual(module.Arguments, want) {
		t.Errorf("arguments = %+v", module.Arguments)
	}
	checkAnnotation(t, filepath.Join(o.Dir, "train.py"), module.Annotations)
	checkFiles(t, o.Out, module)
	checkSnapshot(t, o, m, module)
}

func checkAnnotation(t *testing.T, path string, all []Annotation) {
	t.Helper()
	for _, a := range all {
		if a.Kind == "sharding_constraint" && a.Path == path && a.Line == 9 && reflect.DeepEqual(a.Sharding.Spec, []any{"data", "model"}) {
			return
		}
	}
	t.Errorf("no constraint of line 9 among %+v", all)
}

// checkFiles: each stage once, every file is there and is HLO of the step, and nothing else is kept.
func checkFiles(t *testing.T, out string, module Module) {
	t.Helper()
	stages := map[string]int{}
	for _, f := range module.Files {
		stages[f.Stage]++
		b, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(f.Path)))
		if err != nil || !bytes.HasPrefix(b, []byte("HloModule jit_step")) {
			t.Errorf("%s: %v, begins with %.20q", f.Path, err, b)
		}
		if f.Platform != "cpu" {
			t.Errorf("%s: platform %q", f.Path, f.Platform)
		}
	}
	if !reflect.DeepEqual(stages, map[string]int{"before-optimizations": 1, "after-partitioning": 1, "after-optimizations": 1}) {
		t.Errorf("stages = %v", stages)
	}
	entries, err := os.ReadDir(filepath.Dir(filepath.Join(out, filepath.FromSlash(module.Files[0].Path))))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if stageOf(e.Name()) == "" {
			t.Errorf("%s is kept, but nobody reads it", e.Name())
		}
	}
}

func checkSnapshot(t *testing.T, o Options, m *Manifest, module Module) {
	t.Helper()
	path := filepath.Join(o.Dir, "train.py")
	if !reflect.DeepEqual(module.Sources, []string{path}) {
		t.Errorf("sources = %q", module.Sources)
	}
	if len(m.Sources) != 1 || m.Sources[0].Path != path {
		t.Fatalf("sources = %+v", m.Sources)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(o.Out, filepath.FromSlash(m.Sources[0].Snapshot)))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("snapshot differs: %v", err)
	}
}

// TestProgramThatSetsItsOwnEnvironment: what a script does before it imports JAX does not undo the capture, and its own
// flags stay.
func TestProgramThatSetsItsOwnEnvironment(t *testing.T) {
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			o := options(t, testtools.JAX(t, release), "clobber.py")
			var stderr bytes.Buffer
			o.Stderr = &stderr
			r := run(t, o)
			if r.Status != 0 {
				t.Fatalf("status %d:\n%s", r.Status, stderr.String())
			}
			checkFiles(t, o.Out, step(t, r.Manifest))
			if !strings.Contains(stderr.String(), "jax.distributed.initialize does nothing") {
				t.Errorf("nothing said of distributed.initialize: %s", stderr.String())
			}
		})
	}
}

// TestWithoutTheShim: an interpreter that ignores PYTHONPATH still leaves the dump, though without descriptions.
func TestWithoutTheShim(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "-I", "train.py")
	o.Env = append(o.Env, "JAX_PLATFORMS=cpu")
	r := run(t, o)
	module := step(t, r.Manifest)
	if module.Devices != 8 || module.Arguments != nil || r.Hooked {
		t.Errorf("module = %+v, hooked %v", module, r.Hooked)
	}
	checkFiles(t, o.Out, module)
}

func TestFailureKeepsWhatExists(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "fails.py")
	r := run(t, o)
	if r.Status != 7 {
		t.Errorf("status = %d, want 7", r.Status)
	}
	m, err := Read(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	step(t, m)
	if m.Status == nil || *m.Status != 7 {
		t.Errorf("manifest has status %v", m.Status)
	}
}

// onText calls do once, when its text has been written.
type onText struct {
	text string
	do   func()
	seen strings.Builder
}

func (w *onText) Write(p []byte) (int, error) {
	w.seen.Write(p)
	if w.do != nil && strings.Contains(w.seen.String(), w.text) {
		w.do()
		w.do = nil
	}
	return len(p), nil
}

func TestInterruptKeepsWhatExists(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "waits.py")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.Stdout = &onText{text: "waiting", do: cancel}
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Status != 130 {
		t.Errorf("interrupted %v, status %d; want true, 130", r.Interrupted, r.Status)
	}
	step(t, r.Manifest)
}

// TestTerminationKeepsWhatExists: the command gets the signal that shardls got, also where a terminal is shared.
func TestTerminationKeepsWhatExists(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "waits.py")
	o.Foreground = true
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	o.Stdout = &onText{text: "waiting", do: func() { cancel(SignalError{Signal: syscall.SIGTERM}) }}
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Status != 143 {
		t.Errorf("interrupted %v, status %d; want true, 143", r.Interrupted, r.Status)
	}
	step(t, r.Manifest)
}

// TestSecondSignal: a program that saves something at the first signal gets the second too.
func TestSecondSignal(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "saves.py")
	again := make(chan os.Signal, 1)
	o.Again = again
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	saving := &onText{text: "saving", do: func() { again <- syscall.SIGTERM }}
	o.Stdout = &onText{text: "waiting", do: func() { cancel(SignalError{Signal: syscall.SIGTERM}) }}
	o.Stderr = saving
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Status != 3 {
		t.Errorf("interrupted %v, status %d; want true, 3", r.Interrupted, r.Status)
	}
}

// TestCompilerWarnings: the partitioner's warnings are printed where they came, and kept with the module they name.
func TestCompilerWarnings(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "warns.py")
	var stderr bytes.Buffer
	o.Stderr = &stderr
	module := step(t, run(t, o).Manifest)
	const warning = "[SPMD] Involuntary full rematerialization"
	said := stderr.String()
	before, at, after := strings.Index(said, "before\n"), strings.Index(said, warning), strings.Index(said, "after\n")
	if before < 0 || at < before || after < at || strings.Count(said, warning) != 1 {
		t.Errorf("standard error:\n%s", said)
	}
	log, err := os.ReadFile(filepath.Join(o.Out, filepath.FromSlash(module.Log)))
	if err != nil || !strings.Contains(string(log), warning) {
		t.Errorf("log %q: %v, %.100q", module.Log, err, log)
	}
	kept := false
	for _, f := range module.Files {
		kept = kept || f.Stage == "before-partitioning"
	}
	if !kept {
		t.Errorf("the partitioner's input, whose instructions the warning names, is not kept: %+v", module.Files)
	}
}

// TestCompilerAborts: the last words of a compiler that takes the process down are printed.
func TestCompilerAborts(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "aborts.py")
	var stderr bytes.Buffer
	o.Stderr = &stderr
	r := run(t, o)
	if r.Status != 134 || !strings.Contains(stderr.String(), "check failed") {
		t.Errorf("status %d, want 134; standard error:\n%s", r.Status, stderr.String())
	}
}

func TestChildProcessesAreCaptured(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "parent.py")
	r := run(t, o)
	steps := 0
	for _, module := range r.Manifest.Modules {
		if module.Name == "jit_step" {
			steps++
			checkFiles(t, o.Out, module)
		}
	}
	if steps != 2 {
		t.Errorf("%d steps captured, want one of each process", steps)
	}
}

// TestNothingToCapture keeps an earlier capture.
func TestNothingToCapture(t *testing.T) {
	o := options(t, testtools.JAX(t, "0.10.2"), "single.py")
	earlier := &Manifest{Version: 1, Modules: []Module{{Name: "jit_earlier"}}}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := earlier.write(filepath.Join(o.Out, ManifestName)); err != nil {
		t.Fatal(err)
	}
	r := run(t, o)
	if !r.Earlier || !r.Hooked || r.Single == 0 || len(r.Manifest.Modules) != 0 {
		t.Errorf("result = %+v", r)
	}
	if m, err := Read(o.Out); err != nil || len(m.Modules) != 1 || m.Modules[0].Name != "jit_earlier" {
		t.Errorf("the earlier capture is gone: %+v, %v", m, err)
	}
}

// TestHiddenSitecustomize: an environment's own sitecustomize still runs.
func TestHiddenSitecustomize(t *testing.T) {
	hidden := t.TempDir()
	if err := os.WriteFile(filepath.Join(hidden, "sitecustomize.py"), []byte("print('hidden')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options(t, testtools.JAX(t, "0.10.2"), "-c", "print('program')")
	o.Env = append(o.Env, "PYTHONPATH="+hidden)
	var stdout bytes.Buffer
	o.Stdout = &stdout
	run(t, o)
	if stdout.String() != "hidden\nprogram\n" {
		t.Errorf("output = %q", stdout.String())
	}
}

// TestInsideAnotherCapture: the recorder of the capture around this one stands aside.
func TestInsideAnotherCapture(t *testing.T) {
	outer, err := writeShim()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(outer)
	o := options(t, testtools.JAX(t, "0.10.2"), "train.py")
	o.Env = append(o.Env, "PYTHONPATH="+outer, "SHARDLS_CAPTURE={}")
	var stderr bytes.Buffer
	o.Stderr = &stderr
	checkFiles(t, o.Out, step(t, run(t, o).Manifest))
	if strings.Contains(stderr.String(), "sitecustomize") {
		t.Errorf("standard error:\n%s", stderr.String())
	}
}

// TestMissingCompiler: a target whose wheel is not installed names the line that installs it, and the capture for the CPU
// is there all the same.
func TestMissingCompiler(t *testing.T) {
	for name, line := range map[string]string{
		"tpu-v5e:2x4": `python -m pip install "jax[tpu]==0.10.2"`,
		"h100:8":      `python -m pip install "jax[cuda12]==0.10.2"`,
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, testtools.JAX(t, "0.10.2"), "train.py")
			target, err := ParseTarget(name)
			if err != nil {
				t.Fatal(err)
			}
			o.Target = target
			r := run(t, o)
			checkFiles(t, o.Out, step(t, r.Manifest))
			if len(r.Manifest.Problems) != 1 || !strings.HasSuffix(r.Manifest.Problems[0], line) {
				t.Errorf("problems = %q, want one that ends in %s", r.Manifest.Problems, line)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	o := options(t, "no-such-program")
	if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("missing program: %v", err)
	}
	if _, err := os.Stat(o.Out); err == nil {
		t.Error("missing program: the folder was made")
	}
	o = options(t, "true")
	if err := os.MkdirAll(filepath.Join(o.Out, "precious"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), o); !errors.Is(err, ErrNotCapture) {
		t.Errorf("folder with other things: %v", err)
	}
}
