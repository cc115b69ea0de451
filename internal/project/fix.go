package project

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/pyparse"
)

// maxFixRounds bounds how often fixes are applied to their own outcome. Fixes that undo each other would never end.
const maxFixRounds = 10

// Fixes is the outcome of [Workspace.Fix].
type Fixes struct {
	Workspace *Workspace     // the workspace with the fixes in it
	Result    *driver.Result // what is left to report
	Before    map[string][]byte
	After     map[string][]byte // the files that changed, by absolute path
	Applied   int
	FromDump  bool // fixes of findings from a dump are among them, so that the dump is of another program now
}

// Fix applies fixes until none is left that applies, without writing anything. A fix after which a file has more syntax
// errors than before is not taken. Fixes of findings from a dump are applied once: the dump describes the program as it was,
// and would ask for them again.
func (w *Workspace) Fix(ctx context.Context, unsafe bool) (*Fixes, error) {
	result, err := driver.Run(ctx, w.Input())
	if err != nil {
		return nil, err
	}
	out := &Fixes{Workspace: w, Result: result, Before: map[string][]byte{}, After: map[string][]byte{}}
	for round := range maxFixRounds {
		fixable := out.Result.Findings
		if round > 0 {
			fixable = slices.DeleteFunc(slices.Clone(fixable), func(f analyzers.Finding) bool { return f.HLO != nil })
		}
		fixed := out.Workspace.round(fixable, unsafe)
		if len(fixed.Contents) == 0 {
			break
		}
		for path, content := range fixed.Contents {
			if out.Before[path] == nil {
				if out.Before[path], err = out.Workspace.Content(path); err != nil {
					return nil, err
				}
			}
			out.After[path] = content
		}
		out.Applied += fixed.Applied
		out.FromDump = out.FromDump || slices.ContainsFunc(fixable, func(f analyzers.Finding) bool {
			return f.HLO != nil && len(f.Fixes) > 0 && (unsafe || f.Fixes[0].Safety == analyzers.Safe)
		})
		next, err := out.Workspace.With(ctx, fixed.Contents)
		if err != nil {
			return nil, err
		}
		out.Workspace = next
		if out.Result, err = driver.Run(ctx, next.Input()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// round applies one set of fixes, and returns the files as they are on disk: a notebook as its JSON. Where a file does not parse any
// more, or a notebook cannot be edited so, the fixes that touch it are left out one by one.
func (w *Workspace) round(findings []analyzers.Finding, unsafe bool) driver.Fixed {
	if fixed := driver.ApplyFixes(findings, unsafe, w.editable); w.sound(fixed) {
		return fixed
	}
	var sound []analyzers.Finding
	for i := range findings {
		one := driver.ApplyFixes(findings[i:i+1], unsafe, w.editable)
		if len(one.Contents) > 0 && w.sound(one) {
			sound = append(sound, findings[i])
		}
	}
	if fixed := driver.ApplyFixes(sound, unsafe, w.editable); w.sound(fixed) {
		return fixed
	}
	return driver.Fixed{}
}

// sound reports whether what fixes made still parses, and turns the source of notebooks into their files.
func (w *Workspace) sound(fixed driver.Fixed) bool {
	return w.parses(fixed.Contents) && w.notebooksEdited(fixed)
}

// notebooksEdited puts the edited file in place of the source of each notebook.
func (w *Workspace) notebooksEdited(fixed driver.Fixed) bool {
	for path := range fixed.Contents {
		if w.File(path).Cells == nil {
			continue
		}
		content, err := w.Content(path)
		if err != nil {
			return false
		}
		edits := make([]pyparse.Replacement, 0, len(fixed.Edits[path]))
		for _, e := range fixed.Edits[path] {
			edits = append(edits, pyparse.Replacement{Start: e.Span.Start, End: e.Span.End, Text: e.NewText})
		}
		edited, err := pyparse.EditNotebook(content, edits)
		if err != nil {
			return false
		}
		fixed.Contents[path] = edited
	}
	return true
}

// Content returns what a file holds: of a notebook its JSON.
func (w *Workspace) Content(path string) ([]byte, error) {
	content, _, err := w.content(path)
	return content, err
}

// editable returns the Python that fixes may change in a file of the workspace: of a notebook that of its cells.
func (w *Workspace) editable(path string) ([]byte, bool) {
	f := w.File(path)
	if f == nil {
		return nil, false
	}
	return f.Text().Text, true
}

// parses reports whether no file has more syntax errors than it has now.
func (w *Workspace) parses(contents map[string][]byte) bool {
	for path, content := range contents {
		if len(pyparse.Parse(path, content).Problems) > len(w.File(path).Syntax().Problems) {
			return false
		}
	}
	return true
}

// Write writes a fixed file, unless somebody has changed it since it was read.
func (f *Fixes) Write(path string) error {
	now, err := os.ReadFile(path)
	if err != nil {
		return reason(err)
	}
	if bytes.Equal(now, f.After[path]) {
		return nil // a link to it was fixed
	}
	if !bytes.Equal(now, f.Before[path]) {
		return errors.New("it was changed while it was checked, and is left alone")
	}
	return reason(replaceFile(path, f.After[path]))
}
