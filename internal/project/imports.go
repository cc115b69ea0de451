package project

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// reported are the files to report on, as the interpreter takes them. They are parsed when somebody asks.
func (w *Workspace) reported() map[string]*flow.File {
	out := make(map[string]*flow.File, len(w.Files))
	for _, f := range w.Files {
		out[f.outline.Path] = &flow.File{Open: f.Syntax}
	}
	return out
}

// relate finds the files that some rule has anything to say about, by their own text and that of the files they import, and how long
// each is needed.
func (w *Workspace) relate() {
	if len(w.Files) == 0 {
		return
	}
	outlines := make([]flow.Outline, len(w.Files))
	for i, f := range w.Files {
		outlines[i] = f.outline
	}
	relations := w.Program.Relate(outlines, w.needles.Everything())
	imported := make([]bool, len(w.Files))
	for i := range relations {
		for _, used := range relations[i].Imports {
			imported[used] = true
		}
	}
	for i := range relations {
		f := w.Files[i]
		f.reach = relations[i].Reach
		if !imported[i] && len(relations[i].Imports) > 0 {
			w.needles.AddEntry(f.outline.Marks)
		}
		f.relevant = f.relevant || w.needles.ConcernAny(f.outline.Marks, f.reach)
		w.Program.Files[f.outline.Path].Quiet = !f.relevant
	}
	w.turns = newTurns(w.Files, flow.LastUses(relations, func(i int) bool { return w.Files[i].relevant }))
}

// imports opens the files that others import and that are not reported on: meshes and functions of other modules are known
// even where only one file is asked for. Nothing is read before the interpreter follows an import. It is for any number of
// goroutines.
type imports struct {
	w       *Workspace
	folders map[string]bool // only files below these are the user's own

	mu    sync.Mutex
	known map[string]*flow.File
}

func (w *Workspace) imports() *imports {
	i := &imports{w: w, folders: map[string]bool{w.Dir: true}, known: map[string]*flow.File{}}
	for _, root := range w.roots() {
		i.folders[filepath.Clean(root)] = true
	}
	for _, c := range w.configs() {
		if c.Dir != "" {
			i.folders[filepath.Clean(c.Dir)] = true // a project is one, from whichever of its folders one looks
		}
	}
	seen := map[string]bool{}
	for _, f := range w.Files {
		if dir := filepath.Dir(f.Path); !seen[dir] {
			seen[dir] = true
			i.folders[w.importRoot(dir)] = true
		}
	}
	return i
}

// importRoot is the folder that imports of a file in dir start from: dir, or the folder above the package that dir is part of.
func (w *Workspace) importRoot(dir string) string {
	for w.shared.folders.there(filepath.Join(dir, "__init__.py")) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	return dir
}

// find returns the file at a slash-separated path, nil if there is none of the user's own.
func (i *imports) find(path string) *flow.File {
	path = filepath.FromSlash(path)
	i.mu.Lock()
	defer i.mu.Unlock()
	if f, ok := i.known[path]; ok {
		return f
	}
	if !pythonName(path) || !i.own(path) || !i.there(path) {
		return nil
	}
	f := &flow.File{Quiet: true, Open: sync.OnceValue(func() *pyparse.File { return i.w.reread(path) })}
	i.known[path] = f
	return f
}

func (i *imports) there(path string) bool {
	_, open := i.w.options.Overlay[path]
	return open || i.w.shared.folders.there(path)
}

// folder reports whether there may be a folder at a slash-separated path.
func (i *imports) folder(path string) bool {
	path = filepath.FromSlash(path)
	if !i.own(path) {
		return false
	}
	for unsaved := range i.w.options.Overlay {
		if strings.HasPrefix(unsaved, path+string(filepath.Separator)) {
			return true
		}
	}
	return i.w.shared.folders.folder(path)
}

func (i *imports) own(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if i.folders[dir] {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// roots are the directories that absolute imports start from, as configured.
func (w *Workspace) roots() []string {
	var roots []string
	seen := map[string]bool{}
	for _, c := range w.configs() {
		for _, src := range c.Src {
			if !filepath.IsAbs(src) {
				src = filepath.Join(baseDir(c, w.Dir), src)
			}
			if !seen[src] {
				seen[src] = true
				roots = append(roots, src)
			}
		}
	}
	return roots
}
