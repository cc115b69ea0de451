package pyparse

import (
	"strings"
	"testing"
)

// TestEditNotebook edits the source of notebooks by what stands in it: every edit replaces the first occurrence of a text. The rest of the file
// stays as it is, byte by byte.
func TestEditNotebook(t *testing.T) {
	head := "{\n \"cells\": [\n  {\"cell_type\": \"markdown\", \"source\": [\"x = 1\"]},\n"
	tail := "\n ],\n \"metadata\": {\"language_info\": {\"name\": \"python\"}, \"x\": 1.50},\n \"nbformat\": 4\n}\n"
	code := func(source string) string {
		return "  {\"outputs\": [{\"text\": [\"a\\n\", \"b\"]}], \"source\": " + source + ", \"cell_type\": \"code\"}"
	}
	for name, c := range map[string]struct {
		before, after string // the cells
		old, new      string // of the source
	}{
		"a list":            {code("[\n    \"import jax\\n\",\n    \"x = 1\\n\",\n    \"y = 2\"\n   ]"), code("[\n    \"import jax\\n\",\n    \"x = \\\"5\\\"\\n\",\n    \"y = 2\"\n   ]"), "1", "\"5\""},
		"one more line":     {code("[\n    \"a\\n\",\n    \"b\"\n   ]"), code("[\n    \"a\\n\",\n    \"c\\n\",\n    \"b\"\n   ]"), "b", "c\nb"},
		"a line behind":     {code("[\"a\\n\", \"b\"]"), code("[\"a\\n\", \"b\\n\", \"c\"]"), "b", "b\nc"},
		"a line that goes":  {code("[\"a\\n\", \"b\\n\", \"c\"]"), code("[\"a\\n\", \"c\"]"), "b\n", ""},
		"the last line":     {code("[\"a\\n\", \"b\"]"), code("[\"a\\n\"]"), "b", ""},
		"the only line":     {code("[\"a\"]"), code("[]"), "a", ""},
		"a string":          {code("\"a\\nb < c\""), code("\"a\\nd < c\""), "b", "d"},
		"escaped":           {code("[\"s = '\\u00e9'\"]"), code("[\"t = '\\u00e9'\"]"), "s", "t"},
		"not escaped":       {code("[\"s = 'é'\"]"), code("[\"t = 'é'\"]"), "s", "t"},
		"next to a magic":   {code("[\"%time\\n\", \"a = 1\"]"), code("[\"%time\\n\", \"b = 1\"]"), "a", "b"},
		"the second cell":   {code("[\"a\\n\", \"b\"]") + ",\n" + code("[\"%%time\\n\", \"c\"]"), code("[\"a\\n\", \"b\"]") + ",\n" + code("[\"%%time\\n\", \"d\"]"), "c", "d"},
		"no byte of others": {code("[\"a\"]") + ",\n" + code("[ ]"), code("[\"b\"]") + ",\n" + code("[ ]"), "a", "b"},
	} {
		t.Run(name, func(t *testing.T) {
			content := []byte(head + c.before + tail)
			n, err := ParseNotebook(content)
			if err != nil {
				t.Fatal(err)
			}
			at := strings.Index(string(n.Source), c.old)
			got, err := EditNotebook(content, []Replacement{{Start: at, End: at + len(c.old), Text: c.new}})
			if err != nil {
				t.Fatal(err)
			}
			if want := head + c.after + tail; string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestEditNotebookBetweenCells wants a line that is added in front of a cell at the end of the one before, where no magic of a whole cell
// is pushed down.
func TestEditNotebookBetweenCells(t *testing.T) {
	before := `{"cells": [{"cell_type": "code", "source": ["import jax"]}, {"cell_type": "code", "source": ["%%time\n", "x = 1"]}]}`
	n, err := ParseNotebook([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	at := n.Cells[1].Start
	got, err := EditNotebook([]byte(before), []Replacement{{Start: at, End: at, Text: "import numpy as np\n"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(before, `"import jax"`, `"import jax\n", "import numpy as np"`, 1); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestEditNotebookRefuses wants an error for edits that no cell can hold.
func TestEditNotebookRefuses(t *testing.T) {
	content := `{"cells": [{"cell_type": "code", "source": ["a"]}, {"cell_type": "code", "source": ["!ls\n", "b"]}]}`
	for name, e := range map[string]Replacement{
		"over two cells": {Start: 0, End: 4, Text: "c"},
		"on a command":   {Start: 2, End: 4, Text: "c"},
		"overlong":       {Start: 2, End: 40, Text: "c"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := EditNotebook([]byte(content), []Replacement{e}); err == nil {
				t.Errorf("no error, but %s", got)
			}
		})
	}
}
