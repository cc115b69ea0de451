package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/shardls/shardls/analyzers/driver"
)

// ReadBaseline reads a baseline that [WriteBaseline] wrote.
func ReadBaseline(path string) (*driver.Baseline, error) {
	content, err := readFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w; --update-baseline writes it", reason(err))
		}
		return nil, reason(err)
	}
	var b driver.Baseline
	if err := json.Unmarshal(bytes.TrimPrefix(content, []byte("\ufeff")), &b); err != nil {
		var odd *json.UnmarshalTypeError
		switch {
		case bytes.Contains(content, []byte("<<<<<<< ")):
			err = errors.New("it holds a merge conflict")
		case errors.As(err, &odd): // the library's message names types of this program
			err = fmt.Errorf("it holds a JSON %s in the wrong place", odd.Value)
		}
		return nil, fmt.Errorf("no baseline: %w; --update-baseline writes it anew", err)
	}
	if b.Version > 1 {
		return nil, fmt.Errorf("version %d is not known", b.Version)
	}
	if b.Version != 1 || b.Modules == nil {
		return nil, errors.New("no baseline: it lists no modules; --update-baseline writes it anew")
	}
	return &b, nil
}

// WriteBaseline writes the communication of a workspace as its baseline: sorted, one exchange a paragraph, for people to
// review in a diff.
func (w *Workspace) WriteBaseline(path string) error {
	content, err := json.MarshalIndent(driver.BaselineOf(w.input().Modules), "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(content, '\n'), 0o644); err != nil {
		return reason(err)
	}
	return nil
}

// SetBaseline makes checks of this workspace compare with a baseline.
func (w *Workspace) SetBaseline(b *driver.Baseline) {
	w.options.Baseline = b
	in := *w.input()
	in.Baseline = b
	w.input = func() *driver.Input { return &in }
}
