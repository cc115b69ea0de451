package demo

import (
	"compress/gzip"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDumpBelongsToScript checks that every line the dump names exists in the script: an edit of train.py without
// running generate.sh would leave the demo pointing at the wrong lines.
func TestDumpBelongsToScript(t *testing.T) {
	source, err := fs.ReadFile(Files(), Script)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")

	dumps, err := fs.Glob(Files(), DumpDir+"/*.txt.gz")
	if err != nil || len(dumps) != 2 {
		t.Fatalf("dumps = %q, %v; want the partitioned and the final module", dumps, err)
	}
	for _, name := range dumps {
		text := gunzip(t, name)
		if !strings.Contains(text, ScriptPath) {
			t.Errorf("%s does not name %s", name, ScriptPath)
		}
		location := regexp.MustCompile(`\{file_name_id=\d+ function_name_id=\d+ line=(\d+) end_line=(\d+) column=(\d+)`)
		places := location.FindAllStringSubmatch(text, -1)
		if len(places) == 0 {
			t.Errorf("%s has no file locations", name)
		}
		for _, place := range places {
			line, _ := strconv.Atoi(place[1])
			column, _ := strconv.Atoi(place[3])
			if line < 1 || line > len(lines) || column >= len(lines[line-1]) {
				t.Errorf("%s: line %d column %d is not in the script", name, line, column)
			}
		}
	}
}

// TestDumpShowsWhatTheDemoIsAbout: gradients are summed in bf16 over the data axis, one stays in f32.
func TestDumpShowsWhatTheDemoIsAbout(t *testing.T) {
	dumps, err := fs.Glob(Files(), DumpDir+"/*after_spmd-partitioning*")
	if err != nil || len(dumps) != 1 {
		t.Fatalf("dumps = %q, %v", dumps, err)
	}
	text := gunzip(t, dumps[0])
	for _, want := range []string{`= bf16\[128,192\]\S* all-reduce\(`, `= f32\[128\]\S* all-reduce\(`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no instruction matches %s", want)
		}
	}
}

func gunzip(t *testing.T, name string) string {
	t.Helper()
	f, err := Files().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
