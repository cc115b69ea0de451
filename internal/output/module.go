package output

import (
	"github.com/shardls/shardls/hlomap"
)

// Module is one stage of a compiled module, as tables and documents show it.
type Module struct {
	Name         string
	Path         string // of the dump
	Stage        hlomap.Stage
	Devices      int // 0 when unknown
	Instructions int
	Meshes       []hlomap.Mesh
	Collectives  []hlomap.Collective
	Gradients    *hlomap.Gradients // nil where they were not asked for

	Dir   string                              // the working directory; paths under it are printed relative to it
	Match func(path string) (string, bool)    // the workspace file that a path of the dump means; may be nil
	Via   func(*hlomap.Collective) SourceLine // may be nil; else says where a collective comes from
}

// SourceLine is where in Python something comes from. Line is 1-based, Column a 0-based byte column or -1.
type SourceLine struct {
	Path      string // as printed
	Line      int
	Column    int
	Function  string
	Precision hlomap.Precision
}

// Known reports whether there is a line at all.
func (s SourceLine) Known() bool { return s.Line > 0 }

// Source is the line a stack points to: the first frame that lies in the workspace, else the innermost.
func (m *Module) Source(frames []hlomap.Frame) SourceLine {
	for i, f := range frames {
		if file, ok := m.match(f.Path); ok {
			precision := hlomap.PrecisionExact
			if i > 0 {
				precision = hlomap.PrecisionCaller
			}
			return SourceLine{Path: DisplayPath(m.Dir, file), Line: f.Line, Column: f.Column, Function: f.Function, Precision: precision}
		}
	}
	if len(frames) == 0 {
		return SourceLine{Column: -1, Precision: hlomap.PrecisionNone}
	}
	f := frames[0]
	return SourceLine{Path: f.Path, Line: f.Line, Column: f.Column, Function: f.Function, Precision: hlomap.PrecisionExact}
}

func (m *Module) match(path string) (string, bool) {
	if m.Match == nil {
		return "", false
	}
	return m.Match(path)
}

// SourceOf is the line a collective comes from: its own frames, else those of what made its first operand.
func (m *Module) SourceOf(c *hlomap.Collective) SourceLine {
	if m.Via != nil {
		return m.Via(c)
	}
	if s := m.Source(c.Frames); s.Known() {
		return s
	}
	for i := range c.Operands {
		if cause := c.Operands[i].Cause; cause != nil {
			if s := m.Source(cause.Frames); s.Known() {
				s.Precision = hlomap.PrecisionProducer
				return s
			}
		}
	}
	return SourceLine{Column: -1, Precision: hlomap.PrecisionNone}
}
