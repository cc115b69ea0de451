// Package testrunner runs tests that are data: Python fixtures in which comments say what is wanted.
//
// A comment `# want CODE "regexp"` at the end of a line wants one finding of that code to start on that line, with a
// message that matches; several regexps want several findings. `# want@-1 CODE "regexp"` speaks of another line, for lines that cannot
// hold a comment, and `# want CODE @"text"` asks for the marked text too. Matching is one to one: a finding that nobody
// wants fails as much as a want without a finding.
package testrunner

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// Want is one finding that a fixture asks for.
type Want struct {
	File    string
	Line    int // 1-based
	Also    []int
	Code    string
	Message *regexp.Regexp
	Marked  string // the text that the finding marks; "" for any
}

// Found is one finding as the runner compares it.
type Found struct {
	File    string
	Line    int // 1-based
	Code    string
	Message string
	Marked  string
}

var (
	wantComment = regexp.MustCompile(`#\s*want(?:@([+-]\d+))?\s+(SHD\d+)((?:\s+@?"(?:[^"\\]|\\.)*")+)`)
	wantPattern = regexp.MustCompile(`(@?)"((?:[^"\\]|\\.)*)"`)
)

// Wants reads the comments of one fixture.
func Wants(file string, source []byte) ([]Want, error) {
	var out []Want
	for i, line := range strings.Split(string(source), "\n") {
		m := wantComment.FindStringSubmatch(line)
		if m == nil {
			if strings.Contains(line, "# want ") && strings.Contains(line, "SHD") {
				return nil, fmt.Errorf("%s:%d: a want comment that cannot be read: %s", file, i+1, strings.TrimSpace(line))
			}
			continue
		}
		at := i + 1
		if m[1] != "" {
			offset, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
			}
			at += offset
		}
		var wants []Want
		for _, p := range wantPattern.FindAllStringSubmatch(m[3], -1) {
			if p[1] == "@" {
				if len(wants) == 0 {
					wants = append(wants, Want{File: file, Line: at, Code: m[2], Message: regexp.MustCompile("")})
				}
				wants[len(wants)-1].Marked = p[2]
				continue
			}
			re, err := regexp.Compile(p[2])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
			}
			wants = append(wants, Want{File: file, Line: at, Code: m[2], Message: re})
		}
		out = append(out, wants...)
	}
	return out, nil
}

// Compare matches findings with wants one to one and describes every difference.
func Compare(wants []Want, found []Found) []string {
	var problems []string
	taken := make([]bool, len(found))
	for _, w := range wants {
		match := -1
		for _, exact := range []bool{true, false} { // the line that is named comes before lines that would do too
			for i, f := range found {
				if match < 0 && !taken[i] && w.accepts(f, exact) {
					match = i
				}
			}
		}
		if match < 0 {
			problems = append(problems, fmt.Sprintf("%s:%d: missing %s %q%s", w.File, w.Line, w.Code, w.Message, near(w, found)))
			continue
		}
		taken[match] = true
		if w.Marked != "" && w.Marked != found[match].Marked {
			problems = append(problems, fmt.Sprintf("%s:%d: %s marks %q, want %q", w.File, w.Line, w.Code, found[match].Marked, w.Marked))
		}
	}
	for i, f := range found {
		if !taken[i] {
			problems = append(problems, fmt.Sprintf("%s:%d: unexpected %s: %s", f.File, f.Line, f.Code, f.Message))
		}
	}
	sort.Strings(problems)
	return problems
}

func (w *Want) accepts(f Found, exact bool) bool {
	if f.File != w.File || f.Code != w.Code || !w.Message.MatchString(f.Message) {
		return false
	}
	if exact {
		return f.Line == w.Line
	}
	for _, line := range w.Also {
		if f.Line == line {
			return true
		}
	}
	return false
}

// near names findings of the same code on the same line whose message does not match.
func near(w Want, found []Found) string {
	for _, f := range found {
		if f.File == w.File && f.Line == w.Line && f.Code == w.Code {
			return fmt.Sprintf("; there is %q", f.Message)
		}
	}
	return ""
}

// Flags reads the arguments of a header `# shardls-test: --select SHD101` in the first lines of a fixture.
func Flags(source []byte) []string {
	for i, line := range strings.SplitN(string(source), "\n", 6) {
		if i == 5 {
			break
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "# shardls-test:"); ok {
			return strings.Fields(rest)
		}
	}
	return nil
}
