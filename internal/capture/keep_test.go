package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKilledWhileReplacing: wherever a capture is killed while it takes the place of an earlier one, one of the two can be read, and
// the next capture leaves nothing but it.
func TestKilledWhileReplacing(t *testing.T) {
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	work := fmt.Sprintf("%s%s.%d.7", workPrefix, hostName(), dead.Process.Pid)
	earlier := storedCapture("old", "000.jit_f", "001.jit_g", "002.jit_h")
	next := storedCapture("new", "000.jit_f", "001.jit_k")
	inWork := next.moved(func(name string) string { return path.Join(work, name) })
	steps := []struct {
		name string
		do   func(out string) error
		want string // whose files are read then
	}{
		{"made", func(string) error { return nil }, "old"},
		{"named", func(out string) error { return inWork.replace(out, work) }, "new"},
		{"half removed", func(out string) error { return os.RemoveAll(filepath.Join(out, "000.jit_f")) }, "new"},
		{"removed", func(out string) error {
			return errors.Join(os.RemoveAll(filepath.Join(out, "001.jit_g")), os.RemoveAll(filepath.Join(out, "002.jit_h")))
		}, "new"},
		{"half in place", func(out string) error {
			return linkAll(filepath.Join(out, work, "000.jit_f"), filepath.Join(out, "000.jit_f"))
		}, "new"},
		{"in place", func(out string) error {
			return linkAll(filepath.Join(out, work, "001.jit_k"), filepath.Join(out, "001.jit_k"))
		}, "new"},
		{"named again", func(out string) error { return next.replace(out, work) }, "new"},
		{"half tidied", func(out string) error { return os.RemoveAll(filepath.Join(out, work, "000.jit_f")) }, "new"},
	}
	for killed, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			out := t.TempDir()
			store(t, out, earlier, "old")
			store(t, filepath.Join(out, work), next, "new")
			if err := os.Rename(filepath.Join(out, work, ManifestName), filepath.Join(out, work, earlierName)); err != nil {
				t.Fatal(err)
			}
			if err := earlier.write(filepath.Join(out, work, earlierName)); err != nil {
				t.Fatal(err)
			}
			for _, s := range steps[:killed+1] {
				if err := s.do(out); err != nil {
					t.Fatal(err)
				}
			}
			readable(t, out, step.want)
			recoverKilled(out)
			clearLeftovers(out, time.Now().Add(time.Hour))
			readable(t, out, step.want)
			left, err := os.ReadDir(out)
			var names []string
			for _, e := range left {
				names = append(names, e.Name())
			}
			want := map[string][]string{"old": earlier.Entries(), "new": next.Entries()}[step.want]
			if err != nil || !slices.Equal(names, want) {
				t.Errorf("left are %v, %v, want %v", names, err, want)
			}
		})
	}
}

// TestKeepLeavesOthers: a file of the user's that has the name of one of the capture's stays, and so does the earlier capture.
func TestKeepLeavesOthers(t *testing.T) {
	out := t.TempDir()
	store(t, out, storedCapture("old", "000.jit_f"), "old")
	if err := os.Mkdir(filepath.Join(out, "001.jit_g"), 0o755); err != nil {
		t.Fatal(err)
	}
	partial, err := workFolder(out)
	if err != nil {
		t.Fatal(err)
	}
	next := storedCapture("new", "000.jit_f", "001.jit_g")
	store(t, partial, next, "new")
	r := &Result{Manifest: next}
	if err := r.keep(out, partial); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "001.jit_g") {
		t.Errorf("keeping it: %v", err)
	}
	discard(out, partial)
	readable(t, out, "old")
	count(t, out, ".", 3)
}

// storedCapture is a capture with one file in each folder.
func storedCapture(content string, folders ...string) *Manifest {
	m := &Manifest{Version: ManifestVersion, Command: []string{content}}
	for _, f := range folders {
		m.Modules = append(m.Modules, Module{Name: f, Files: []File{{Path: f + "/module.txt"}}})
	}
	return m
}

func store(t *testing.T, dir string, m *Manifest, content string) {
	t.Helper()
	for _, module := range m.Modules {
		name := filepath.Join(dir, module.Files[0].Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.write(filepath.Join(dir, ManifestName)); err != nil {
		t.Fatal(err)
	}
}

// readable wants every file that the manifest in a folder names to be there, with the given content.
func readable(t *testing.T, dir, want string) {
	t.Helper()
	m, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range m.Modules {
		for _, f := range module.Files {
			if b, err := os.ReadFile(filepath.Join(dir, f.Path)); err != nil || string(b) != want {
				t.Errorf("%s holds %q, %v, want %q", f.Path, b, err, want)
			}
		}
	}
	if m.Command[0] != want || len(m.Modules) == 0 {
		t.Errorf("the capture is that of %v, with %d modules", m.Command, len(m.Modules))
	}
}
