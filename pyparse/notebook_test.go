package pyparse

import (
	"strings"
	"testing"
)

func TestNotebookCells(t *testing.T) {
	content := `{"cells": [
 {"cell_type": "markdown", "source": ["# title\n", "text"]},
 {"cell_type": "code", "metadata": {}, "source": ["import jax\n", "%matplotlib inline\n", "x = f(1)"]},
 {"cell_type": "code", "source": "y = \"é\"\ng(y)\n"},
 {"cell_type": "code", "source": []},
 {"cell_type": "code", "source": "h()"}],
 "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4}`
	n, err := ParseNotebook([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if want := "import jax\n0                 \nx = f(1)\ny = \"é\"\ng(y)\n\n\nh()"; string(n.Source) != want {
		t.Errorf("source %q, want %q", n.Source, want)
	}
	var indices []int
	for _, c := range n.Cells {
		indices = append(indices, c.Index)
	}
	if len(indices) != 4 || indices[0] != 1 || indices[3] != 4 {
		t.Errorf("indices %v", indices)
	}
	at := strings.Index(string(n.Source), "g(y)")
	if cell, inCell, ok := n.Locate(at); !ok || cell != 1 || inCell != len("y = \"é\"\n") {
		t.Errorf("g(y) is at %d of cell %d, %v", inCell, cell, ok)
	}
	if _, _, ok := n.Locate(len(n.Source) + 1); ok {
		t.Error("an offset behind the source lies in a cell")
	}
	if f := Parse("a.ipynb", n.Source); len(f.Problems) > 0 {
		t.Errorf("problems %v", f.Problems)
	}
}

func TestNotebookInOtherLanguages(t *testing.T) {
	n, err := ParseNotebook([]byte(`{"cells": [{"cell_type": "code", "source": "x <- 1"}], "metadata": {"language_info": {"name": "R"}}}`))
	if err != nil || len(n.Cells) != 0 || len(n.Source) != 0 {
		t.Errorf("%+v, %v", n, err)
	}
	n, err = ParseNotebook([]byte(`{"worksheets": [{"cells": [{"cell_type": "code", "language": "python", "input": ["x = 1"]}]}]}`))
	if err != nil || string(n.Source) != "x = 1" {
		t.Errorf("format 3: %+v, %v", n, err)
	}
	if _, err := ParseNotebook([]byte(`{"cells": [`)); err == nil {
		t.Error("no error for JSON that breaks off")
	}
	if _, err := ParseNotebook([]byte(`[]`)); err == nil || err.Error() != "notebook: it holds a JSON array in the wrong place" {
		t.Errorf("a list: %v", err)
	}
}

func TestMagicsAreBlanked(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{"%time x = 1\ny = 2", "0          \ny = 2"},
		{"!pip install a \\\n  b\ny = 2", "0               \n   \ny = 2"},
		{"if x:\n    !ls \"it's\"\n    y = 1", "if x:\n    0         \n    y = 1"},
		{"x = !ls\ny = %env HOME", "x = 0  \ny = 0        "},
		{"x = (a\n  % b)\nz", "x = (a\n  % b)\nz"},
		{"x = '''\n%no magic\n!either\n'''", "x = '''\n%no magic\n!either\n'''"},
		{"%%bash\necho 'it\nx = (", "      \n        \n     "},
		{"%%time\nx = 1", "      \nx = 1"},
		{"\n%%capture out --no-stderr\nx = 1", "\n                         \nx = 1"},
		{"f?\ng.h??  # help\n?x", "f \ng.h    # help\n0 "},
		{"a % b\nx %= 3\nx != 4", "a % b\nx %= 3\nx != 4"},
		{"s = \"%d\" % 3", "s = \"%d\" % 3"},
		{"", ""},
		{"%", "0"},
	} {
		n := JoinCells([]string{c.cell})
		if string(n.Source) != c.want {
			t.Errorf("%q becomes %q, want %q", c.cell, n.Source, c.want)
		}
	}
}

// FuzzNotebook checks that cells keep their length and that no text makes the blanking panic.
func FuzzNotebook(f *testing.F) {
	f.Add("%%time\nx = !ls \\\n y\nf??")
	f.Add("'''\n%a\n'''\n!b \"\n(\n%c)")
	f.Add(`{"cells": [{"cell_type": "code", "source": ["x"]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		n := JoinCells([]string{text, "y = 1", text})
		for i, c := range n.Cells {
			if i != 1 && c.End-c.Start != len(text) {
				t.Fatalf("cell %d has %d bytes of %d", i, c.End-c.Start, len(text))
			}
		}
		if _, err := ParseNotebook([]byte(text)); err == nil && len(text) == 0 {
			t.Fatal("nothing is a notebook")
		}
	})
}
