package project

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/shardls/shardls/hlomap"
)

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCaptureOfDump(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "sources", "x-train.py"), "then\n")
	writeFile(t, filepath.Join(dir, "000.jit_f", "compiler.log"), "warning\n")
	writeFile(t, filepath.Join(dir, "manifest.json"), `{"version": 1, "jax": "0.6.2",
		"sources": [{"path": "/w/train.py", "snapshot": "sources/x-train.py"}, {"path": "/w/gone.py", "snapshot": "sources/gone.py"}],
		"modules": [{"name": "jit_f", "files": [{"path": "tpu/000.jit_f/a.txt"}], "log": "000.jit_f/compiler.log",
			"meshes": [{"axes": [{"name": "data", "size": 4}], "deviceIds": [3, 2, 1, 0]}], "sources": ["/w/train.py", "/w/gone.py"]}]}`)
	c := newCaptures()
	got := c.of(filepath.Join(dir, "tpu", "000.jit_f", "a.txt"))
	if got == nil {
		t.Fatal("the dump is part of no capture")
	}
	if want := []hlomap.Mesh{{Axes: []hlomap.MeshAxis{{Name: "data", Size: 4}}, Source: "python"}}; !reflect.DeepEqual(got.Meshes, want) {
		t.Errorf("meshes = %+v, want %+v", got.Meshes, want)
	}
	if want := map[string][]byte{"/w/train.py": []byte("then\n")}; !reflect.DeepEqual(got.Sources, want) {
		t.Errorf("sources = %q, want %q", got.Sources, want)
	}
	if got.JAX != "0.6.2" || string(got.Log) != "warning\n" {
		t.Errorf("JAX %q, log %q", got.JAX, got.Log)
	}
	if other := c.of(filepath.Join(dir, "tpu", "000.jit_f", "other.txt")); other != nil {
		t.Errorf("a dump that the manifest does not name: %+v", other)
	}
}

// TestForeignManifest: manifests of other programs, and those that lead out of their folder, are nobody's.
func TestForeignManifest(t *testing.T) {
	for _, content := range []string{"", "{}", `{"version": 1, "modules": [{"files": [{"path": "../a.txt"}]}]}`} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "manifest.json"), content)
		if got := newCaptures().of(filepath.Join(dir, "a.txt")); got != nil {
			t.Errorf("%s: %+v", content, got)
		}
	}
}

// TestUnsettledCapture: of a folder in which one capture replaces another, what the manifest names is read, also from the hidden folder
// where it is until all is in its place, and nothing else that captures made.
func TestUnsettledCapture(t *testing.T) {
	dir := t.TempDir()
	const module = "HloModule jit_f, num_partitions=2\n\nENTRY %main_spmd () -> f32[] {\n  ROOT %c = f32[] constant(0)\n}\n"
	for _, name := range []string{
		".shardls-host.1.2/tpu-v5e-2x4/000.jit_f/new.txt", "000.jit_f/old.txt", ".shardls-host.7.8/000.jit_f/newer.txt", "mine/own.txt",
	} {
		writeFile(t, filepath.Join(dir, "capture", filepath.FromSlash(name)), module)
	}
	writeFile(t, filepath.Join(dir, "capture", "manifest.json"), `{"version": 1, "jax": "0.10.2",
		"modules": [{"name": "jit_f", "files": [{"path": ".shardls-host.1.2/tpu-v5e-2x4/000.jit_f/new.txt"}]}]}`)
	f := &DumpFinder{Dir: dir}
	if err := f.Add("capture", rankCommandLine); err != nil {
		t.Fatal(err)
	}
	dumps, err := f.Read(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range dumps {
		got = append(got, filepath.Base(d.Path))
		if captured := d.Capture != nil; captured != (filepath.Base(d.Path) == "new.txt") {
			t.Errorf("%s is of a capture: %v", d.Path, captured)
		}
	}
	if want := []string{"new.txt", "own.txt"}; !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}
