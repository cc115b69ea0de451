package pyparse

import "testing"

func TestWithoutComments(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"none", "x = 1\ny = 2\n", "x = 1\ny = 2\n"},
		{"behind code", "x = 1  # one\ny = 2\n", "x = 1\ny = 2\n"},
		{"at the end of the file", "x = 1 # one", "x = 1"},
		{"alone on a line", "if x:\n    # why\n    y = 2\n", "if x:\n\n    y = 2\n"},
		{"blanks at the end of a line", "x = 1  \n\ty = 2\t\r\n", "x = 1\n\ty = 2\r\n"},
		{"other line ends", "x = 1 # a\r\ny = 2 # b\r\n", "x = 1\r\ny = 2\r\n"},
		{"in strings", "x = '# no' # yes\ny = f\"{a['#']} #\"\nz = '''\n# no\n'''\n", "x = '# no'\ny = f\"{a['#']} #\"\nz = '''\n# no\n'''\n"},
		{"within brackets", "f(a,  # first\n  b)  # both\n", "f(a,\n  b)\n"},
	}
	for _, tt := range tests {
		if got := string(Parse("f.py", []byte(tt.source)).WithoutComments()); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
