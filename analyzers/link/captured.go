package link

import (
	"bytes"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

// Capture is what was written down when a dump was made, besides the dump.
type Capture struct {
	JAX     string            // release that made it, "" when unknown
	Meshes  []hlomap.Mesh     // that the function was traced with
	Log     []byte            // the partitioner's warnings about this module
	Sources map[string][]byte // the sources as they were, by the paths that frames have
	// Late says that the sources were kept when the dump was first read, not when it was made: edits since then can be
	// followed, but nothing proves that the dump was about them.
	Late bool
}

// Age says how the lines of a dump relate to those of today.
type Age string

// The ages, as printed. Unknown is that of dumps whose sources were not kept.
const (
	AgeCurrent Age = "no"
	AgeMoved   Age = "moved"
	AgeChanged Age = "changed"
	AgeUnknown Age = "unknown"
)

// captures returns what was written down about the dumps of the module, each once.
func (m *Module) captures() []*Capture {
	var all []*Capture
	seen := map[*Capture]bool{}
	for _, d := range m.Dumps {
		if d.Capture != nil && !seen[d.Capture] {
			seen[d.Capture] = true
			all = append(all, d.Capture)
		}
	}
	return all
}

// JAX returns the release that the module was compiled with, "" when nobody wrote it down.
func (m *Module) JAX() string {
	for _, c := range m.captures() {
		if c.JAX != "" {
			return c.JAX
		}
	}
	return ""
}

// History follows the lines of the file that frames call framePath, from when the dump was made to today. It returns nil
// where the file was not kept, or is not in the workspace.
func (m *Module) History(framePath string) *text.History {
	path, ok := m.Sources.Match(framePath)
	if !ok {
		return nil
	}
	for _, c := range m.captures() {
		if _, ok := c.Sources[framePath]; ok {
			return m.texts.history(historyKey{c, framePath}, path)
		}
	}
	return nil
}

// Kept is the history of a file whose source was kept when the dump was made, nil for any other.
func (m *Module) Kept(framePath string) *text.History {
	for _, c := range m.captures() {
		if _, ok := c.Sources[framePath]; ok && !c.Late {
			return m.History(framePath)
		}
	}
	return nil
}

// today returns where the 1-based line of a frame is now.
func (m *Module) today(f hlomap.Frame) (int, Age) {
	h := m.History(f.Path)
	if h == nil {
		return f.Line, AgeUnknown
	}
	line, change := h.Now(f.Line - 1)
	return line + 1, ageOf(change)
}

// LineToday returns the 1-based line at which the line of a frame is now, and whether it was edited: then it is nowhere, and the
// line is that of the dump.
func (m *Module) LineToday(f hlomap.Frame) (line int, edited bool) {
	line, age := m.today(f)
	if age == AgeChanged {
		return f.Line, true
	}
	return line, false
}

// Age says of a 1-based line of today whether the dump is about it as it is.
func (m *Module) Age(path string, line int) Age {
	for _, c := range m.captures() {
		for framePath := range c.Sources {
			if p, ok := m.Sources.Match(framePath); !ok || p != path {
				continue
			}
			if h := m.texts.history(historyKey{c, framePath}, path); h != nil {
				_, change := h.Then(line - 1)
				if age := ageOf(change); age != AgeCurrent || !c.Late {
					return age
				}
			}
		}
	}
	return AgeUnknown
}

func ageOf(change text.Change) Age {
	switch change {
	case text.Same:
		return AgeCurrent
	case text.Moved:
		return AgeMoved
	}
	return AgeChanged
}

// newHistory compares a source with a parsed file. A comment changes nothing that a program does: a line that got one, as one
// that suppresses a finding, is not edited.
func newHistory(before []byte, after *pyparse.File) *text.History {
	if bytes.Equal(before, after.Source) {
		return text.NewHistory(before, before)
	}
	return text.NewHistory(pyparse.Parse(after.Path, before).WithoutComments(), after.WithoutComments())
}

// historyKey names the old version of a file.
type historyKey struct {
	capture   *Capture
	framePath string
}

// history compares a file as it was with what the workspace has at path, once.
func (t *texts) history(key historyKey, path string) *text.History {
	file, _ := t.of(path)
	if file == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.histories[key]
	if h == nil {
		h = newHistory(key.capture.Sources[key.framePath], file.Tree())
		t.histories[key] = h
	}
	return h
}
