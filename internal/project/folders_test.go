package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"a/b", "c.py"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"x.py", "a/y.py", "a/b/z.py", "a/notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var l folders
	for path, want := range map[string]bool{
		"x.py": true, "a/y.py": true, "a/b/z.py": true, "z.py": false, "a/b.py": false, "c.py": false, "n/x.py": false, "a/n/m/x.py": false,
		"x.py/x.py": false,
	} {
		if got := l.there(filepath.Join(dir, path)); got != want {
			t.Errorf("there(%s) = %v, want %v", path, got, want)
		}
	}

	// What is known of a folder tells of those below it without another look.
	learned := folders{listed: map[string]folder{dir: {entries: map[string]fs.FileMode{"x.py": 0}}}}
	if learned.there(filepath.Join(dir, "a", "y.py")) {
		t.Error("a folder was looked at that the one above it does not have")
	}
	closed := folders{listed: map[string]folder{dir: {closed: true}}}
	for _, path := range []string{"x.py", "a/y.py"} {
		if !closed.there(filepath.Join(dir, path)) {
			t.Errorf("%s is not found in a folder that may not be listed", path)
		}
	}
}

func TestFoldersFollowLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.py"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link.py": "x.py", "gone.py": "nothing.py"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	var l folders
	if !l.there(filepath.Join(dir, "link.py")) || l.there(filepath.Join(dir, "gone.py")) {
		t.Error("a link counts as there if, and only if, it leads to a file")
	}
}
