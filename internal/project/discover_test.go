package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDirectoryThatCannotBeRead: one that was named is an error, one met on the way is named and costs only itself.
func TestDirectoryThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	d := &discovery{settings: &settingsTree{dir: dir}, dir: dir, seen: map[string]bool{}, folders: new(folders)}
	gone := filepath.Join(dir, "gone")
	if err := d.walk(gone); err == nil || !strings.HasPrefix(err.Error(), "gone: ") {
		t.Errorf("walk(gone) = %v, want an error that names it", err)
	}
	if err := d.below(gone, nil); err != nil {
		t.Errorf("below(gone) = %v, want none", err)
	}
	if w := d.settings.warnings; len(w) != 1 || !strings.HasPrefix(w[0].String(), "gone: ") {
		t.Errorf("warnings = %v, want one that names the directory", w)
	}
}

// TestOnlyNamedFiles: below a directory only files of the names that are looked for are taken, but a file that is named is.
func TestOnlyNamedFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"train.py", "other.py", "lib/train.py", "lib/layers.py"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := &discovery{settings: &settingsTree{dir: dir, isolated: true}, dir: dir, names: map[string]bool{"train.py": true}, folders: new(folders)}
	files, err := d.discover([]string{filepath.Join(dir, "lib"), dir, filepath.Join(dir, "other.py")})
	if err != nil {
		t.Fatal(err)
	}
	for k, path := range files {
		files[k] = relativeTo(dir, path)
	}
	if want := []string{"lib/train.py", "other.py", "train.py"}; !slices.Equal(files, want) {
		t.Errorf("found %v, want %v", files, want)
	}
}
