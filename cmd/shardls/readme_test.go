package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadme checks that the commands of the first look print what README.md shows: every line of the page stands in the output, in
// that order. A "…" stands for what is left out, of a line or between lines.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "## A first look")
	page, _, _ = strings.Cut(page, "## On your own program")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../internal/demo/data")); err != nil {
		t.Fatal(err)
	}
	var printed []string
	commands := 0
	console := false
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			console, printed = line == "```console", nil
			continue
		}
		command, isCommand := strings.CutPrefix(line, "$ shardls ")
		switch {
		case !console:
		case isCommand:
			commands++
			printed = shown(t, dir, command)
		case printed != nil && strings.TrimSpace(line) != "…" && line != "":
			at := find(printed, line)
			if at < 0 {
				t.Errorf("README.md shows a line that is not printed, or not there:\n%s", line)
				continue
			}
			printed = printed[at+1:]
		}
	}
	if want := 3; commands != want {
		t.Errorf("%d commands of the first look were run, want %d", commands, want)
	}
}

// find returns the place of the first line that is the wanted one, which may leave something out with "…", and -1 if there is none.
func find(lines []string, want string) int {
	before, after, cut := strings.Cut(want, "…")
	for i, line := range lines {
		if line == want || cut && len(line) >= len(before)+len(after) && strings.HasPrefix(line, before) && strings.HasSuffix(line, after) {
			return i
		}
	}
	return -1
}
