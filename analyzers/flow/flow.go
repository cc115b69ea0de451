package flow

import (
	"fmt"

	"github.com/shardls/shardls/pyparse"
)

// File is one interpreted file. Its tree may be made only when somebody asks for it: most files of a workspace say nothing about
// sharding and are looked at only when another file imports them.
type File struct {
	Syntax *pyparse.File        // nil where Open is to be asked: use Tree
	Open   func() *pyparse.File // returns the same tree each time while somebody uses it, from any goroutine
	Quiet  bool                 // no rule has anything to say about it
}

// Tree returns the syntax of the file.
func (f *File) Tree() *pyparse.File {
	if f.Syntax == nil && f.Open != nil {
		return f.Open()
	}
	return f.Syntax
}

// Loader finds the files that a program imports.
type Loader interface {
	// Module returns the file that the import names, or nil when the workspace has none. from is the path of the importing
	// file, level the number of leading dots (0 for an absolute import) and name the dotted name, which may be empty. The
	// file is the same for every import of it, and its tree is not asked for unless the program uses what it imports.
	Module(from string, level int, name string) *File
}

// Options are the inputs of [Interpret] besides the file itself.
type Options struct {
	Release Release
	Loader  Loader   // may be nil
	Words   []string // when given, functions that nothing calls are run only if one of these words has to do with them
	Steps   int      // budget of evaluated nodes; 0 takes a default that grows with the file
}

// Interpret runs a file abstractly, from its first line to its last, then every function that nothing called. It never fails:
// what it cannot follow is unknown.
func Interpret(file *pyparse.File, opt Options) *Facts {
	if opt.Release == (Release{}) {
		opt.Release = Newest()
	}
	in := newInterp(file, opt)
	in.guardedRun()
	return in.facts
}

// guardedRun keeps a defect of the interpreter from taking the program down: what was found until then stays.
func (in *interp) guardedRun() {
	defer func() {
		if p := recover(); p != nil {
			in.facts.Truncated = true
			in.facts.Problem = fmt.Sprintf("the interpreter stopped: %v", p)
		}
	}()
	in.run()
}

// text returns the source of an identifier or operator.
func (f *File) text(n pyparse.NodeID) string { return f.Syntax.Text(n) }
