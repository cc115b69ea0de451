package output

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestUnifiedDiff applies each diff by the numbers in its headers, both ways.
func TestUnifiedDiff(t *testing.T) {
	numbered := func(n int, edits map[int]string) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			if text, ok := edits[i]; ok {
				b.WriteString(text)
			} else {
				fmt.Fprintf(&b, "line %d\n", i)
			}
		}
		return b.String()
	}
	tests := []struct {
		name    string
		after   map[int]string // of 60 lines
		headers string
	}{
		{"nothing", nil, ""},
		{"two near, one far", map[int]string{3: "x\n", 8: "y\n", 20: "z\n"}, "@@ -1,11 +1,11 @@ @@ -17,7 +17,7 @@"},
		{"lines added", map[int]string{3: "x\nx\n", 7: "y\ny\ny\n", 20: "z\n", 50: "", 57: "e\n"}, "@@ -1,10 +1,13 @@ @@ -17,7 +20,7 @@ @@ -47,14 +50,13 @@"},
		{"lines removed", map[int]string{10: "", 14: "", 30: "line 30\n@@ -1 +1 @@\n", 50: "z\n"}, "@@ -7,11 +7,9 @@ @@ -28,6 +26,7 @@ @@ -47,7 +46,7 @@"},
	}
	for _, tt := range tests {
		before, after := numbered(60, nil), numbered(60, tt.after)
		diff := UnifiedDiff("f.py", before, after)
		var headers []string
		for line := range strings.Lines(diff) {
			if strings.HasPrefix(line, "@@") {
				headers = append(headers, strings.TrimSpace(line))
			}
		}
		if got := strings.Join(headers, " "); got != tt.headers {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.headers)
		}
		if diff == "" {
			continue
		}
		if got := patched(t, before, diff, '-', '+'); got != after {
			t.Errorf("%s: applied it gives\n%s", tt.name, got)
		}
		if got := patched(t, after, diff, '+', '-'); got != before {
			t.Errorf("%s: taken back it gives\n%s", tt.name, got)
		}
	}
	if got, want := UnifiedDiff("f.py", "", "a\n"), "--- f.py\n+++ f.py\n@@ -0,0 +1 @@\n+a\n"; got != want {
		t.Errorf("into an empty file: %q, want %q", got, want)
	}
}

// patched applies the hunks of a diff where their headers say, from the side that one sign marks to that of the other.
func patched(t *testing.T, content, diff string, from, to byte) string {
	t.Helper()
	lines := strings.SplitAfter(content, "\n")
	var out strings.Builder
	at := 0
	_, hunks, _ := strings.Cut(diff, "\n+++ f.py\n")
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '@':
			_, start, _ := strings.Cut(line, " "+string(from))
			start = start[:strings.IndexAny(start, ", ")]
			n, err := strconv.Atoi(start)
			if err != nil {
				t.Fatal(err)
			}
			for ; at < n-1; at++ {
				out.WriteString(lines[at])
			}
		case to:
			out.WriteString(line[1:])
		default:
			if at >= len(lines) || line[1:] != lines[at] {
				t.Fatalf("line %d is not %q", at+1, line[1:])
			}
			if line[0] != from {
				out.WriteString(line[1:])
			}
			at++
		}
	}
	return out.String() + strings.Join(lines[at:], "")
}
