//go:build corpus

package pyparse

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorpusAgreesWithCPython parses every .py file below the directories in SHARDLS_CORPUS (a list separated by colons) and
// compares names, calls, attributes, strings and integers with those of the CPython in SHARDLS_PYTHON.
func TestCorpusAgreesWithCPython(t *testing.T) {
	python := os.Getenv("SHARDLS_PYTHON")
	if python == "" {
		python = "python3"
	}
	var paths []string
	for _, dir := range filepath.SplitList(os.Getenv("SHARDLS_CORPUS")) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".py") {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) == 0 {
		t.Fatal("SHARDLS_CORPUS names no directory with Python files")
	}
	cmd := exec.Command(python, "testdata/ast_facts.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(in, strings.Join(paths, "\n")+"\n")
		_ = in.Close()
	}()
	accepted, clean := 0, 0
	for decoder := json.NewDecoder(bufio.NewReader(out)); ; {
		var facts astFacts
		if err := decoder.Decode(&facts); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if facts.Error != "" {
			continue
		}
		accepted++
		source, err := os.ReadFile(facts.Path)
		if err != nil {
			t.Fatal(err)
		}
		if compareWithCPython(t, facts, source) {
			clean++
		}
	}
	t.Logf("%d files, CPython accepts %d, all agree in %d", len(paths), accepted, clean)
}
