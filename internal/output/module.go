package output

import (
	"fmt"
	"io"

	"github.com/shardls/shardls/hlomap"
)

// Module is one stage of a compiled module, as tables show it.
type Module struct {
	CollectivesModule
	Gradients *hlomap.Gradients // nil where they were not asked for
	Widened   string            // why element types are not those of the program, "" where they are or nothing is known
	// Unpartitioned says that the partitioner has not run yet: most of what devices will exchange is not in the module.
	Unpartitioned bool
	Hardware      *hlomap.Hardware // what times are estimated for; nil estimates none
	// Measured gives what a profile saw of a collective, nothing where it does not tell; nil where there is no profile.
	Measured func(c *hlomap.Collective) []hlomap.Measurement

	// Source chooses the line to show for a stack of frames; nil takes the innermost frame.
	Source func(frames []hlomap.Frame) SourceLine
}

// writeNotes says below a table what its columns don't.
func (m *Module) writeNotes(w io.Writer, format string) {
	if m.Widened == "" {
		return
	}
	if format == "markdown" {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "Note: %s.\n", m.Widened)
}

// Known reports whether there is a line at all.
func (s SourceLine) Known() bool { return s.Line > 0 }

// text is the place for people. A line that was edited is one of the dump, not of the file as it is.
func (s SourceLine) text() string {
	if s.Edited {
		return fmt.Sprintf("%s:%d (edited)", s.Path, s.Line)
	}
	return fmt.Sprintf("%s:%d", s.Path, s.Line)
}

func (m *Module) source(frames []hlomap.Frame) SourceLine {
	switch {
	case len(frames) == 0:
		return SourceLine{Precision: hlomap.PrecisionNone}
	case m.Source != nil:
		return m.Source(frames)
	}
	f := frames[0]
	return SourceLine{Path: f.Path, Line: f.Line, Function: f.Function, Precision: hlomap.PrecisionExact}
}

// SourceOf is the line a collective comes from: its own, else that of what made its first operand.
func (m *Module) SourceOf(c *hlomap.Collective) SourceLine {
	s := m.source(c.Stack())
	if s.Known() {
		if s.Precision == hlomap.PrecisionExact && m.combined(c) {
			s.Precision = hlomap.PrecisionCombined
		}
		return s
	}
	for i := range c.Operands {
		if cause := c.Operands[i].Cause; cause != nil {
			if s := m.source(cause.Frames); s.Known() {
				s.Precision = hlomap.PrecisionProducer
				return s
			}
		}
	}
	return SourceLine{Precision: hlomap.PrecisionNone}
}

// combined reports whether operands of a collective come from different lines: then its own line is one of several.
func (m *Module) combined(c *hlomap.Collective) bool {
	if len(c.Operands) < 2 {
		return false
	}
	first := SourceLine{}
	for i := range c.Operands {
		cause := c.Operands[i].Cause
		if cause == nil {
			continue
		}
		s := m.source(cause.Frames)
		if !s.Known() {
			continue
		}
		if first.Known() && (s.Path != first.Path || s.Line != first.Line) {
			return true
		}
		first = s
	}
	return false
}

// SourceFromFrames returns a chooser of lines: the first frame that lies in the workspace, as match finds it, else the
// innermost. It remembers its answers, and is for one goroutine. Today returns the 1-based line at which the line of a frame is now, and whether it was edited. Column turns the file, the 1-based line and XLA's
// 0-based byte column into a 1-based column in code points, 0 where that is unknown.
func SourceFromFrames(dir string, match func(string) (string, bool), today func(hlomap.Frame) (line int, edited bool), column func(path string, line, bytes int) int) func([]hlomap.Frame) SourceLine {
	type stack struct { // equal stacks mostly share memory
		first *hlomap.Frame
		depth int
	}
	known := map[stack]SourceLine{}
	choose := func(frames []hlomap.Frame) SourceLine {
		for i, f := range frames {
			file, ok := match(f.Path)
			if !ok {
				continue
			}
			line, edited := today(f)
			s := SourceLine{Path: DisplayPath(dir, file), Line: line, Edited: edited, Function: f.Function, Precision: hlomap.PrecisionExact}
			if i > 0 {
				s.Precision = hlomap.PrecisionCaller
			}
			if f.Column >= 0 && !edited {
				s.Column = column(file, s.Line, f.Column)
			}
			return s
		}
		f := frames[0]
		return SourceLine{Path: f.Path, Line: f.Line, Function: f.Function, Precision: hlomap.PrecisionExact}
	}
	return func(frames []hlomap.Frame) SourceLine {
		at := stack{&frames[0], len(frames)}
		s, ok := known[at]
		if !ok {
			s = choose(frames)
			known[at] = s
		}
		return s
	}
}
