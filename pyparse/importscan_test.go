package pyparse

import (
	"reflect"
	"testing"
)

func TestScanImports(t *testing.T) {
	tests := []struct {
		source string
		want   []ImportName
	}{
		{"import a.b as c, d\n", []ImportName{{Module: "a.b"}, {Module: "d"}}},
		{"x = 1\n    import a; y = 2", []ImportName{{Module: "a"}}},
		{"from a.b import c as d, e  # more\n", []ImportName{{Module: "a.b", Name: "c"}, {Module: "a.b", Name: "e"}}},
		{"from ..a import *\r\n", []ImportName{{Module: "a", Name: "*", Level: 2}}},
		{"from . import a\n", []ImportName{{Name: "a", Level: 1}}},
		{"from a import (\n    b,  # one, or two\n    c as d,\n)\nimport e\n",
			[]ImportName{{Module: "a", Name: "b"}, {Module: "a", Name: "c"}, {Module: "e"}}},
		{"from a import b, \\\n    c\n", []ImportName{{Module: "a", Name: "b"}, {Module: "a", Name: "c"}}},
		{"\ufeffimport a\n", []ImportName{{Module: "a"}}},
		{"x = 1\rimport a\r\f import b", []ImportName{{Module: "a"}, {Module: "b"}}},
		{"from here to there\nimported = 1\nfrom", nil},
	}
	for _, tt := range tests {
		if got := ScanImports([]byte(tt.source)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("ScanImports(%q) = %v, want %v", tt.source, got, tt.want)
		}
	}
}

// TestScanImportsAgrees compares the scan with the imports of the parsed file.
func TestScanImportsAgrees(t *testing.T) {
	source := "import os, a.b\nfrom .c import (d,\n  e as f)\nif x:\n  from ... import g\n  import h.i as j\nfrom k import *\n"
	var want []ImportName
	for _, i := range Parse("a.py", []byte(source)).Imports {
		want = append(want, ImportName{Module: i.Module, Name: i.Name, Level: i.Level})
	}
	if got := ScanImports([]byte(source)); !reflect.DeepEqual(got, want) {
		t.Errorf("ScanImports = %v, parsed %v", got, want)
	}
}
