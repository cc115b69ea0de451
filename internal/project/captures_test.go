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
