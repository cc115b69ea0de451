package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestIgnoredDirectoryThatIsNamed: what git ignores is left out of a walk, but looked at when a person names it.
func TestIgnoredDirectoryThatIsNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, ".gitignore"), "/vendor/\n")
	writeFile(t, filepath.Join(dir, "main.py"), "")
	writeFile(t, filepath.Join(dir, "vendor", "inner", "lib.py"), "")
	tests := []struct {
		path  string
		force bool
		files int
	}{
		{".", false, 1},
		{"vendor", false, 1},
		{"vendor/inner", false, 1},
		{"vendor/inner/lib.py", false, 1},
		{"vendor", true, 0},
	}
	for _, tt := range tests {
		w, err := Load(context.Background(), Options{Dir: dir, Paths: []string{tt.path}, ForceExclude: tt.force})
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Files) != tt.files {
			t.Errorf("%s (forced %v): %d files, want %d", tt.path, tt.force, len(w.Files), tt.files)
		}
	}
}
