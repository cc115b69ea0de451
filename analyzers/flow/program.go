package flow

import (
	"path"
	"strings"
	"sync"

	"github.com/shardls/shardls/pyparse"
)

// Program is every file of a workspace. It is a [Loader]: imports are resolved among its files.
type Program struct {
	Files map[string]*File // by path, with / separators
	// Find returns a file that is not in Files, nil if the workspace has none at that path. It may be nil; it is called from any
	// goroutine.
	Find  func(path string) *File
	Roots []string // folders that absolute imports start from, besides those around the importing file

	relevance  sync.Map // *pyparse.File to *relevance, found once for all files that import it
	filterOnce sync.Once
	filter     *pyparse.Prefilter // looks for the words that make a function relevant
}

// relevanceOf returns what is known of a file's functions, and finds it out when nobody has. All who ask look for the same words.
func (p *Program) relevanceOf(file *pyparse.File, find func() *relevance) *relevance {
	if v, ok := p.relevance.Load(file); ok {
		return v.(*relevance)
	}
	v, _ := p.relevance.LoadOrStore(file, find())
	return v.(*relevance)
}

// Module finds the file that an import names. An absolute import is looked for in the configured roots, then in the folder of
// the importing file and the folders around it, innermost first, as Python does for scripts and installed packages do for
// their root. Libraries that are known by name are never looked for.
func (p *Program) Module(from string, level int, name string) *File {
	if at, ok := p.modulePath(from, level, name); ok {
		return p.File(at)
	}
	return nil
}

// modulePath is the path of the file that [Program.Module] returns.
func (p *Program) modulePath(from string, level int, name string) (string, bool) {
	rel := strings.ReplaceAll(name, ".", "/")
	if level > 0 {
		dir := path.Dir(from)
		for i := 1; i < level; i++ {
			dir = path.Dir(dir)
		}
		return p.in(dir, rel, from)
	}
	if pureLibrary(name) || knownLibrary(libraryOf(name)) {
		return "", false
	}
	for _, root := range p.Roots {
		if at, ok := p.in(root, rel, from); ok {
			return at, true
		}
	}
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		if at, ok := p.in(dir, rel, from); ok {
			return at, true
		}
		if dir == "." || dir == "/" || dir == path.Dir(dir) {
			return "", false
		}
	}
}

// in finds a module below a folder.
func (p *Program) in(dir, rel, from string) (at string, ok bool) {
	for _, candidate := range [...]string{path.Join(dir, rel+".py"), path.Join(dir, rel, "__init__.py")} {
		if rel == "" {
			candidate = path.Join(dir, "__init__.py")
		}
		if candidate == from {
			continue
		}
		if p.File(candidate) != nil {
			return candidate, true
		}
	}
	return "", false
}

// File returns the file at a path, nil if the workspace has none.
func (p *Program) File(path string) *File {
	if f := p.Files[path]; f != nil || p.Find == nil {
		return f
	}
	return p.Find(path)
}

func knownLibrary(name string) bool {
	switch name {
	case "os", "sys", "typing", "functools", "dataclasses", "collections", "itertools", "re", "json", "time", "logging", "orbax", "torch", "tensorflow", "absl", "pytest", "contextlib", "pathlib", "random", "copy", "abc", "enum", "argparse", "warnings", "inspect":
		return true
	}
	return false
}
