package hlomap

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// frameTable is the module's table of Python frames. Ids are 1-based; index 0 of each slice is unused.
type frameTable struct {
	files     []string
	functions []string
	locations []frameLocation
	frames    []stackFrame
	stacks    []atomic.Pointer[[]Frame] // by id: stacks that were asked for
}

type frameLocation struct{ file, function, line, column int }

// stackFrame is one frame; parent is the id of the next outer one, 0 for none.
type stackFrame struct{ location, parent int }

// The frame tables of HLO text, in their fixed order (XLA ≥ 2025-12-02).
const (
	fileNamesTable = iota
	functionNamesTable
	fileLocationsTable
	stackFramesTable
	numTables
)

// tableNamed returns the table that a line opens, -1 for none.
func tableNamed(line []byte) int {
	switch string(line) {
	case "FileNames":
		return fileNamesTable
	case "FunctionNames":
		return functionNamesTable
	case "FileLocations":
		return fileLocationsTable
	case "StackFrames":
		return stackFramesTable
	}
	return -1
}

// frameTable reads the tables. An entry's place tells its id: the printed numbers are consecutive.
func (s *textSource) frameTable() *frameTable {
	ft := &frameTable{files: []string{""}, functions: []string{""}, locations: make([]frameLocation, 1), frames: make([]stackFrame, 1)}
	s.eachEntry(fileNamesTable, func(e []byte) { ft.files = append(ft.files, unquote(e)) })
	s.eachEntry(functionNamesTable, func(e []byte) { ft.functions = append(ft.functions, unquote(e)) })
	s.eachEntry(fileLocationsTable, func(e []byte) {
		f := braceFields(e)
		ft.locations = append(ft.locations, frameLocation{
			file: f["file_name_id"], function: f["function_name_id"], line: f["line"], column: f["column"]})
	})
	s.eachEntry(stackFramesTable, func(e []byte) {
		f := braceFields(e)
		ft.frames = append(ft.frames, stackFrame{location: f["file_location_id"], parent: f["parent_frame_id"]})
	})
	ft.unshift()
	return ft
}

// unshift undoes the text printer's parent ids: it writes the parent plus one, so that a root frame has parent 1. Builds
// of one day (2026-01-09) wrote them raw. A 0 is written only raw, an entry that is its own parent only shifted.
func (ft *frameTable) unshift() {
	for _, f := range ft.frames[1:] {
		if f.parent == 0 {
			return
		}
	}
	for k := range ft.frames[1:] {
		ft.frames[k+1].parent--
	}
}

// eachEntry visits the numbered lines of a table, without the numbers.
func (s *textSource) eachEntry(table int, visit func(entry []byte)) {
	p := s.tables[table]
	if p == 0 {
		return
	}
	for p = nextLine(s.text, p); p < s.end; p = nextLine(s.text, p) {
		line := bytes.TrimSpace(s.text[p:lineEnd(s.text, p)])
		e := 0
		for e < len(line) && line[e] >= '0' && line[e] <= '9' {
			e++
		}
		if e == 0 {
			return
		}
		visit(bytes.TrimSpace(line[e:]))
	}
}

// braceFields reads `{a=1 b=2}`, whose fields are separated by blanks or commas.
func braceFields(e []byte) map[string]int {
	out := make(map[string]int, 8)
	for _, f := range strings.FieldsFunc(string(e), func(c rune) bool { return c == ' ' || c == ',' || c == '{' || c == '}' }) {
		if k, v, ok := strings.Cut(f, "="); ok {
			out[k] = atoi(v, 0)
		}
	}
	return out
}

// maxFrames bounds a stack: JAX keeps 100 frames at most (0.10.1), and XLA's inliner joins a few such stacks.
const maxFrames = 1000

// stack returns the frames from id outward. Ids that the table lacks and cycles end it.
func (ft *frameTable) stack(id int) []Frame {
	var out []Frame
	var seen []int
	for id > 0 && id < len(ft.frames) && len(seen) < maxFrames && !slices.Contains(seen, id) {
		seen = append(seen, id)
		f := ft.frames[id]
		if f.location <= 0 || f.location >= len(ft.locations) {
			break
		}
		loc := ft.locations[f.location]
		fr := Frame{Line: loc.line, Column: loc.column}
		if loc.file > 0 && loc.file < len(ft.files) {
			fr.Path = ft.files[loc.file]
		}
		if loc.function > 0 && loc.function < len(ft.functions) {
			fr.Function = ft.functions[loc.function]
		}
		out = append(out, fr)
		id = f.parent
	}
	return out
}

func (m *Module) frameTable() *frameTable {
	return m.tables.get(func() *frameTable {
		ft := m.src.frameTable()
		ft.stacks = make([]atomic.Pointer[[]Frame], len(ft.frames))
		return ft
	})
}

// FrameFiles returns the files in the module's table of frames, which are all that it names. It is empty for a module without that
// table, whose instructions name files each for itself (XLA before 2025-12).
func (m *Module) FrameFiles() []string { return m.frameTable().files[1:] }

// FrameStack returns the Python frames behind a frame id of this module, innermost first. Many instructions share a
// stack, so it is resolved once; the slice must not be changed.
func (m *Module) FrameStack(id int) []Frame {
	if id <= 0 {
		return nil
	}
	ft := m.frameTable()
	if id >= len(ft.stacks) {
		return nil
	}
	if known := ft.stacks[id].Load(); known != nil {
		return *known
	}
	stack := ft.stack(id)
	ft.stacks[id].Store(&stack)
	return stack
}

// Frames returns the Python frames of an instruction as the dump has them, innermost first. Where the instruction has
// a source line of its own (XLA before 2025-12) and the table's innermost frame says something else, be it of the column, the id is
// stale (jaxlib 0.8.1 after partitioning) and the line alone is returned. A combined instruction may name several lines.
func (m *Module) Frames(i InstrID) []Frame { return m.framesOf(m.src.metadata(i)) }

func (m *Module) framesOf(md Metadata) []Frame {
	stack := m.FrameStack(md.FrameID)
	if md.SourceFile == "" {
		return stack
	}
	if md.SourceLine == 0 {
		if several := splitLines(md.SourceFile); several != nil {
			return several
		}
	}
	if len(stack) > 0 && stack[0].Path == md.SourceFile && stack[0].Line == md.SourceLine && (md.Column < 0 || stack[0].Column == md.Column) {
		return stack
	}
	return []Frame{{Path: md.SourceFile, Line: md.SourceLine, Column: md.Column}}
}

// splitLines reads the "a.py:10,b.py:20" that combiners write (XLA ≥ 2026-04-14); nil for anything else.
func splitLines(s string) []Frame {
	var out []Frame
	for _, part := range strings.Split(s, ",") {
		at := strings.LastIndexByte(part, ':')
		if at <= 0 {
			return nil
		}
		line, err := strconv.Atoi(part[at+1:])
		if err != nil || line < 0 {
			return nil
		}
		out = append(out, Frame{Path: part[:at], Line: line, Column: -1})
	}
	return out
}
