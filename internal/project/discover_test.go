package project

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDirectoryThatCannotBeRead: one that was named is an error, one met on the way is named and costs only itself.
func TestDirectoryThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	d := &discovery{settings: &settingsTree{dir: dir}, dir: dir, seen: map[string]bool{}}
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
