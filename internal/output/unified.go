package output

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// UnifiedDiff is what differs between two versions of a file, in the format that patch reads; "" where nothing does.
//
// go-udiff 0.4.1 does not count the unchanged lines between two edits of one hunk, so that the hunks behind it are said to
// begin too early in the new version. Where they do follows from the lines that the hunks before them add and remove.
func UnifiedDiff(name, before, after string) string {
	lines := strings.SplitAfter(udiff.Unified(name, name, before, after), "\n")
	first, shift := true, 0
	for i, line := range lines {
		// Only a header begins with @: every other line of a hunk has one of "+- \" in front.
		h := hunkHeader.FindStringSubmatch(line)
		if h == nil {
			continue
		}
		start, err := strconv.Atoi(h[1])
		if err != nil {
			continue
		}
		if !first { // the first is right, and has a form of its own in an empty file
			lines[i] = fmt.Sprintf("@@ -%s%s +%d%s @@\n", h[1], h[2], start+shift, h[3])
		}
		first = false
		shift += hunkLength(h[3]) - hunkLength(h[2])
	}
	return strings.Join(lines, "")
}

// hunkHeader takes the start in the old version, and the lengths in both as they are written.
var hunkHeader = regexp.MustCompile(`^@@ -(\d+)((?:,\d+)?) \+\d+((?:,\d+)?) @@\n$`)

// hunkLength is the number of lines that ",N" in a header means; without it there is one.
func hunkLength(text string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(text, ","))
	if err != nil {
		return 1
	}
	return n
}
