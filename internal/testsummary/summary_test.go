package main

import (
	"strings"
	"testing"
)

func TestSummarize(t *testing.T) {
	const pass = `{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Elapsed":1.5}
`
	tests := []struct {
		name, in, want string
		ok             bool
	}{
		{"all pass", pass, "ok    p (1.5 s)\n1 passed, 0 failed\n", true},
		{"nothing ran", `{"Action":"skip","Package":"p"}` + "\n", "0 passed, 0 failed\n", false},
		{
			"a failed test counts once and shows its output",
			pass + `{"Action":"output","Package":"q","Test":"TestB","Output":"want 1\n"}
{"Action":"fail","Package":"q","Test":"TestB"}
{"Action":"fail","Package":"q"}
`,
			"ok    p (1.5 s)\nFAIL  q TestB\nwant 1\nFAIL  q\n1 passed, 1 failed\n", false,
		},
		{
			"a package that does not build is a failure",
			pass + `{"ImportPath":"q","Action":"build-output","Output":"q.go:1: broken\n"}
{"Action":"fail","Package":"q"}
`,
			"ok    p (1.5 s)\nq.go:1: broken\nFAIL  q\n1 passed, 1 failed\n", false,
		},
		{
			"a skipped test fails the run",
			pass + `{"Action":"output","Package":"q","Test":"TestB","Output":"no nvim\n"}
{"Action":"skip","Package":"q","Test":"TestB"}
`,
			"ok    p (1.5 s)\nSKIP q TestB\nno nvim\n1 passed, 0 failed, 1 skipped\n", false,
		},
		{"other lines pass through", "go: no such package\n" + pass, "go: no such package\nok    p (1.5 s)\n1 passed, 0 failed\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			s, err := summarize(strings.NewReader(tt.in), &out)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != tt.want || s.ok() != tt.ok {
				t.Errorf("ok = %v, output:\n%s\nwant %v:\n%s", s.ok(), out.String(), tt.ok, tt.want)
			}
		})
	}
}
