package link

import "testing"

func TestMatch(t *testing.T) {
	files := []string{
		"train.py", "model/linear.py", "model/attention.py", "eval/model/attention.py",
		"a/util.py", "b/util.py", "/abs/proj/x.py", "models/flax/linen/linear.py",
	}
	tests := []struct {
		name      string
		arguments []string
		rules     []PathRule
		path      string
		want      string
	}{
		{"another machine", nil, nil, "/home/user/proj/train.py", "train.py"},
		{"the same path", nil, nil, "/abs/proj/x.py", "/abs/proj/x.py"},
		{"longest suffix", nil, nil, "/home/user/eval/model/attention.py", "eval/model/attention.py"},
		{"two files fit equally", nil, nil, "/home/user/util.py", ""},
		{"an argument decides", []string{"b/util.py"}, nil, "/home/user/util.py", "b/util.py"},
		{"a rule decides", nil, []PathRule{{"/home/user", "a"}}, "/home/user/util.py", "a/util.py"},
		{"a rule ends at a separator", nil, []PathRule{{"/home/us", "a"}}, "/home/user/util.py", ""},
		{"the longest rule wins", nil, []PathRule{{"/home", "a"}, {"/home/user", "b"}}, "/home/user/util.py", "b/util.py"},
		{"arguments before rules", []string{"b/util.py"}, []PathRule{{"/home/user", "a"}}, "/home/user/util.py", "b/util.py"},
		{"a library's file of the same name", nil, nil, "/usr/lib/python3/site-packages/haiku/attention.py", ""},
		{"a vendored library", nil, nil, "/usr/lib/python3/site-packages/flax/linen/linear.py", "models/flax/linen/linear.py"},
		{"windows separators", nil, nil, `C:\proj\train.py`, "train.py"},
		{"no such file", nil, nil, "/home/user/other.py", ""},
		{"no path", nil, nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := NewSources(files, tt.arguments, tt.rules).Match(tt.path)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Match(%q) = %q, %v; want %q", tt.path, got, ok, tt.want)
			}
		})
	}
}
