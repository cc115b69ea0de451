package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSourcesPythonRefuses wants a word about files in encodings that Python does not read, and the others looked at all the same;
// where a person named one of them, nothing else.
func TestSourcesPythonRefuses(t *testing.T) {
	dir := t.TempDir()
	contents := map[string]string{
		"plain.py": "import jax\n",
		"bom.py":   "\xef\xbb\xbfimport jax\n",
		"le.py":    "\xff\xfei\x00m\x00p\x00o\x00r\x00t\x00 \x00j\x00a\x00x\x00",
		"be.py":    "\xfe\xff\x00i\x00m\x00p\x00o\x00r\x00t\x00 \x00j\x00a\x00x",
		"nulls.py": "import jax\nx = '\x00'\n",
	}
	for name, content := range contents {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := load(t, Options{Dir: dir, Paths: []string{dir}})
	wanted := map[string]string{"le.py": "UTF-16", "be.py": "UTF-16", "nulls.py": "null bytes"}
	for _, p := range w.Problems {
		name := filepath.Base(p.Path)
		if wanted[name] == "" || !strings.Contains(p.Message, wanted[name]) {
			t.Errorf("%s: %s", name, p.Message)
		}
		delete(wanted, name)
	}
	if len(wanted) > 0 || len(w.Files) != 2 {
		t.Errorf("nothing is said of %v; %d files are kept", wanted, len(w.Files))
	}
	for _, name := range []string{"le.py", "be.py", "nulls.py"} {
		_, err := Load(t.Context(), Options{Dir: dir, Paths: []string{filepath.Join(dir, "plain.py"), filepath.Join(dir, name)}})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s, named: %v", name, err)
		}
	}
}
