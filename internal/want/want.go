// Package want reads what fixtures want of the rules and compares it with what they find.
//
// A comment `# want CODE "regexp"` at the end of a line wants one finding of that code to start on that line, with a
// message that matches; several regexps, or several comments, want several findings. `# want@-1 CODE "regexp"` speaks of another line, for lines that cannot
// hold a comment, and `# want CODE @"text"` asks for the marked text too. Matching is one to one: a finding that nobody
// wants fails as much as a want without a finding.
package want

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
	wantSecond  = regexp.MustCompile(wantComment.String() + `\s+SHD\d`) // of one comment a single rule is read
	wantStart   = regexp.MustCompile(`#\s*want(?:@[+-]\d+)?\s+SHD`)
	wantPattern = regexp.MustCompile(`(@?)"((?:[^"\\]|\\.)*)"`)
)

// Read reads the comments of one fixture. A comment that names a rule but cannot be read is an error, which names file and line.
func Read(file string, source []byte) ([]Want, error) {
	var out []Want
	for i, line := range strings.Split(string(source), "\n") {
		comments := wantComment.FindAllStringSubmatch(line, -1)
		if len(comments) < len(wantStart.FindAllString(line, -1)) || wantSecond.MatchString(line) {
			return nil, fmt.Errorf("%s:%d: a want comment that cannot be read: %s", file, i+1, strings.TrimSpace(line))
		}
		for _, m := range comments {
			wants, err := parse(file, i+1, m)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
			}
			out = append(out, wants...)
		}
	}
	return out, nil
}

// parse makes wants of the parts of one comment: the offset of the line, the code and the patterns.
func parse(file string, line int, comment []string) ([]Want, error) {
	if comment[1] != "" {
		offset, err := strconv.Atoi(comment[1])
		if err != nil {
			return nil, err
		}
		line += offset
	}
	var wants []Want
	for _, p := range wantPattern.FindAllStringSubmatch(comment[3], -1) {
		if p[1] == "@" {
			if len(wants) == 0 {
				wants = append(wants, Want{File: file, Line: line, Code: comment[2], Message: regexp.MustCompile("")})
			}
			wants[len(wants)-1].Marked = p[2]
			continue
		}
		re, err := regexp.Compile(p[2])
		if err != nil {
			return nil, err
		}
		wants = append(wants, Want{File: file, Line: line, Code: comment[2], Message: re})
	}
	return wants, nil
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
