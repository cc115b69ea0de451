package flow

import (
	"slices"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

// A file is needed until the last file was run that imports it, directly or through others, or something of the package around it.
func TestLastUses(t *testing.T) {
	program := &Program{Files: map[string]*File{}}
	var outlines []Outline
	for _, f := range []struct{ path, source string }{
		{"p/__init__.py", ""},
		{"p/alone.py", ""},
		{"p/deep.py", ""},
		{"p/middle.py", "from .deep import value\n"},
		{"script.py", "import p.middle\n"},
		{"train.py", "from q.model import step\n"},
		{"q/__init__.py", ""},
		{"q/model.py", "import script\n"},
		{"unasked.py", "from p import alone\n"},
	} {
		program.Files[f.path] = &File{}
		outlines = append(outlines, Outline{Path: f.path, Imports: pyparse.ScanImports([]byte(f.source))})
	}
	last := LastUses(program.Relate(outlines, nil), func(i int) bool { return outlines[i].Path != "unasked.py" })
	// q/model.py runs last and needs script.py, and with it p/middle.py, what that imports and the package around them.
	if want := []int{7, 1, 7, 7, 7, 5, 6, 7, -1}; !slices.Equal(last, want) {
		t.Errorf("last uses %v, want %v", last, want)
	}
}
