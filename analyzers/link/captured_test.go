package link

import (
	"testing"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

// capturedModule returns a module whose dump was captured from then, in a workspace where the file is now as today.
func capturedModule(then, today string) *Module {
	const path = "/now/train.py"
	program := &flow.Program{Files: map[string]*flow.File{path: {Syntax: pyparse.Parse(path, []byte(today))}}}
	return &Module{
		Sources: NewSources([]string{path}, nil, nil),
		Program: program,
		Dumps:   []*Dump{{Capture: &Capture{Sources: map[string][]byte{"/then/train.py": []byte(then)}}}},
		texts:   &texts{program: program, maps: map[string]*text.Map{}, histories: map[historyKey]*text.History{}},
	}
}

func TestLocateFollowsEdits(t *testing.T) {
	const then = "import jax\n\nx = f(1)\ny = g(2)\n"
	const today = "import jax\nz = 0\n\nx = f(1)  # a comment\ny = g(3)  # another\n"
	m := capturedModule(then, today)
	tests := []struct {
		line, now int
		age       Age
		ok        bool
	}{
		{1, 1, AgeCurrent, true},
		{3, 4, AgeMoved, true},
		{4, 5, AgeChanged, false},
	}
	for _, tt := range tests {
		p, ok := m.Locate([]hlomap.Frame{{Path: "/then/train.py", Line: tt.line, Column: 4}}, "")
		if ok != tt.ok || p.Line != tt.now || p.Age != tt.age {
			t.Errorf("line %d: %v, line %d, age %q; want %v, %d, %q", tt.line, ok, p.Line, p.Age, tt.ok, tt.now, tt.age)
		}
		if age := m.Age("/now/train.py", tt.now); age != tt.age {
			t.Errorf("line %d of today: age %q, want %q", tt.now, age, tt.age)
		}
	}
	if age := m.Age("/now/train.py", 2); age != AgeChanged {
		t.Errorf("added line: age %q", age)
	}
}

// TestLocateWithoutCapture: without a copy of the source the line is taken as it is, and its age is unknown.
func TestLocateWithoutCapture(t *testing.T) {
	m := capturedModule("", "a\nb\n")
	m.Dumps[0].Capture = nil
	p, ok := m.Locate([]hlomap.Frame{{Path: "/then/train.py", Line: 2}}, "")
	if !ok || p.Line != 2 || p.Age != AgeUnknown {
		t.Errorf("%v, line %d, age %q", ok, p.Line, p.Age)
	}
	if age := m.Age("/now/train.py", 1); age != AgeUnknown {
		t.Errorf("age %q", age)
	}
}
