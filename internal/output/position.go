// Package output prints findings and tables for people, editors and machines.
package output

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/text"
)

// Source is what a printer needs to know of a file besides its path.
type Source struct {
	Text *text.Map
	Cell func(offset int) (cell, line int, ok bool) // notebooks: the 1-based cell and line of an offset; else nil
}

// Sources finds the content of a file that findings point to; nil where there is none to show.
type Sources func(path string) *Source

// Report is the outcome of a check, with what printers need around it.
type Report struct {
	Result  *driver.Result
	Sources Sources
	Dir     string                   // the working directory; paths under it are printed relative to it
	Files   int                      // how many files were checked
	URL     func(code string) string // the page of a rule
	Rules   []*analyzers.Analyzer
	Version string
	Now     time.Time // what the ages of dumps are measured to; zero leaves them out
}

// DisplayPath is a path as printed: relative to dir, with slashes, where it lies under dir, and absolute otherwise.
func DisplayPath(dir, path string) string {
	if !filepath.IsAbs(path) {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

func (r *Report) display(path string) string { return DisplayPath(r.Dir, path) }

func (r *Report) source(path string) *Source {
	if r.Sources == nil {
		return nil
	}
	return r.Sources(path)
}

// point is a position as printed.
type point struct {
	Line, Column, Offset int
}

// point converts an offset of a file; a file whose content is unknown has only its beginning.
func (r *Report) point(path string, offset int) point {
	s := r.source(path)
	if s == nil || s.Text == nil {
		return point{Line: 1, Column: 1}
	}
	p := s.Text.Position(offset)
	return point{Line: p.Line, Column: p.Column, Offset: offset}
}

// notebook reports whether a file is a notebook, whose cells and their lines mean nothing to tools that know lines of files only.
func (r *Report) notebook(path string) bool {
	s := r.source(path)
	return s != nil && s.Cell != nil
}

// fileRange is where a span lies for tools that know lines of files only; for what lies in a notebook that is its beginning, and
// told says where in it.
func (r *Report) fileRange(span analyzers.Span) (start, end point) {
	if r.notebook(span.Path) {
		return point{Line: 1, Column: 1}, point{Line: 1, Column: 1}
	}
	return r.point(span.Path, span.Start), r.point(span.Path, max(span.Start, span.End))
}

// told is a message about a place, with the place in front of it where fileRange does not tell it.
func (r *Report) told(span analyzers.Span, message string) string {
	if !r.notebook(span.Path) {
		return message
	}
	return r.location(span.Path, span.Start) + ": " + message
}
