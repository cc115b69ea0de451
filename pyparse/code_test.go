package pyparse

import "testing"

func TestCode(t *testing.T) {
	tests := []struct{ source, want string }{
		{"x = 1  # jit\ny", "x = 1       \ny"},
		{"'#' + \"a'b#\"  # c", "'#' + \"a'b#\"     "},
		{"\"\"\"a\n'b\"\"\" + c", "    \n      + c"},
		{`'''a\'''b''' + c`, `             + c`},
		{"'it\\'s # not' # is", "'it\\'s # not'     "},
		{"'open # not\nx # y", "'open # not\nx    "},
		{"'' + d # e", "'' + d    "},
		{"'''open", "       "},
		{"'\\", "'\\"},
		{`"""\`, "    "},
	}
	buffer := make([]byte, 0, 4)
	for _, tt := range tests {
		if got := string(Code(buffer, []byte(tt.source))); got != tt.want {
			t.Errorf("Code(%q) = %q, want %q", tt.source, got, tt.want)
		}
	}
}
