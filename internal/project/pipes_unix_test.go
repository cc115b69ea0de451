//go:build unix

package project

import (
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
)

// TestPipesAreNotRead: whoever opens a pipe that nobody writes waits for ever, so those met on the way are passed over.
func TestPipesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.py")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe.py", "pipe.txt"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("pipe.py", filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}

	d := &discovery{settings: &settingsTree{dir: dir}, dir: dir, folders: new(folders)}
	if files, err := d.discover([]string{dir}); err != nil || !reflect.DeepEqual(files, []string{file}) {
		t.Errorf("discover = %v, %v, want %s alone", files, err, file)
	}
	f := &DumpFinder{Dir: dir}
	if err := f.Add("pipe*", 0); err != nil || len(f.files) != 0 {
		t.Errorf("Add = %v, %v, want no files", f.files, err)
	}
	if new(folders).there(filepath.Join(dir, "pipe.py")) {
		t.Error("an import leads to a pipe")
	}
}
