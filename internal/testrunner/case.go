// Package testrunner runs tests that are data: Python fixtures in which comments say what is wanted.
package testrunner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/config"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/want"
)

// Case is one fixture: a Python file, or a folder of files with the dumps of their program.
type Case struct {
	Path string
	Code string // the rule that the fixture is about: only its findings count
}

// Cases lists the fixtures below a folder that has one folder for each rule. A file named in code/NAME.py is a case of its
// own; a folder code/NAME is one case.
func Cases(root, code string) ([]Case, error) {
	entries, err := os.ReadDir(filepath.Join(root, code))
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), ".py") || strings.HasSuffix(e.Name(), ".ipynb") {
			out = append(out, Case{Path: filepath.Join(root, code, e.Name()), Code: code})
		}
	}
	return out, nil
}

// release is what fixtures are judged for unless their header says otherwise: the release they were executed on.
const release = "0.10.2"

// Check judges a case and describes every difference from what its comments want.
func (c *Case) Check(ctx context.Context) ([]string, error) {
	opts, err := c.options()
	if err != nil {
		return nil, err
	}
	w, err := project.Load(ctx, *opts)
	if err != nil {
		return nil, err
	}
	result, err := driver.Run(ctx, w.Input())
	if err != nil {
		return nil, err
	}
	var wants []want.Want
	for _, f := range w.Files {
		more, err := want.Read(f.Path, f.Text().Text)
		if err != nil {
			return nil, err
		}
		wants = append(wants, more...)
	}
	if err := c.alternatives(wants); err != nil {
		return nil, err
	}
	var problems []string
	for _, p := range result.Problems {
		problems = append(problems, fmt.Sprintf("%s: problem: %s", p.Path, p.Message))
	}
	return append(problems, want.Compare(wants, found(w, result))...), nil
}

func found(w *project.Workspace, result *driver.Result) []want.Found {
	var out []want.Found
	for _, f := range result.Findings {
		file := w.File(f.Span.Path)
		if file == nil {
			out = append(out, want.Found{File: f.Span.Path, Code: f.Code, Message: f.Message})
			continue
		}
		out = append(out, want.Found{
			File: f.Span.Path, Line: file.Text().Position(f.Span.Start).Line, Code: f.Code, Message: f.Message,
			Marked: string(file.Text().Text[f.Span.Start:max(f.Span.Start, f.Span.End)]),
		})
	}
	return out
}

// options are those of a check of the case alone, without thresholds, with the flags of its header.
func (c *Case) options() (*project.Options, error) {
	info, err := os.Stat(c.Path)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	zero := int64(0)
	opts := &project.Options{
		Dir: filepath.Dir(path), Paths: []string{path}, Isolated: true,
		Overrides: []config.Config{{
			TargetJAX: release, Select: []string{c.Code}, HLO: config.HLO{MinBytes: &zero, MinUnshardedBytes: &zero},
		}},
	}
	source := path
	if info.IsDir() {
		opts.Dir = path
		opts.HLO = []string{path}
		if logs, err := filepath.Glob(filepath.Join(path, "*.log")); err == nil {
			opts.Logs = append(opts.Logs, logs...)
		}
		if log := filepath.Join(path, "log.txt"); exists(log) {
			opts.Logs = append(opts.Logs, log)
		}
		source = filepath.Join(path, "program.py")
	}
	content, err := os.ReadFile(source)
	if errors.Is(err, fs.ErrNotExist) {
		return opts, nil
	}
	if err != nil {
		return nil, err
	}
	return opts, header(opts, flagsOf(content))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// header applies the flags of a fixture's first lines: --select CODES, --config TOML.
func header(opts *project.Options, flags []string) error {
	for i := 0; i < len(flags); i++ {
		name, value, joined := strings.Cut(flags[i], "=")
		if !joined {
			if i++; i == len(flags) {
				return fmt.Errorf("%s: the header's %s has no value", opts.Paths[0], name)
			}
			value = flags[i]
		}
		switch name {
		case "--select":
			opts.Overrides = append(opts.Overrides, config.Config{Select: strings.Split(value, ",")})
		case "--config":
			c, _, err := config.ParseInline(value)
			if err != nil {
				return err
			}
			opts.Overrides = append(opts.Overrides, *c)
		default:
			return fmt.Errorf("%s: the header has an unknown flag %s", opts.Paths[0], name)
		}
	}
	return nil
}

// wantFile is the part of a want.json that says which other lines would do: dumps of some releases point to a producer or
// to a caller of the cause.
type wantFile struct {
	Findings []struct {
		Line int   `json:"line"`
		Also []int `json:"alsoLines"`
	} `json:"findings"`
}

func (c *Case) alternatives(wants []want.Want) error {
	content, err := os.ReadFile(filepath.Join(c.Path, "want.json"))
	if err != nil {
		return nil // a file, or a folder without one
	}
	var file wantFile
	if err := json.Unmarshal(content, &file); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(c.Path, "want.json"), err)
	}
	for i := range wants {
		for _, f := range file.Findings {
			if f.Line == wants[i].Line {
				wants[i].Also = f.Also
			}
		}
	}
	return nil
}

// flagsOf reads the arguments of a header `# shardls-test: --select SHD101` in the first lines of a fixture.
func flagsOf(source []byte) []string {
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
