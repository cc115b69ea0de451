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
	Find func(path string) *File
	// Folder reports whether there may be a folder at a path, for files that Find returns. It may be nil, and is called from any
	// goroutine.
	Folder func(path string) bool
	Roots  []string // folders that absolute imports start from, besides those around the importing file

	resolved   sync.Map  // *pyparse.File to []imported
	imports    sync.Map  // importQuery to *importAnswer
	starts     sync.Map  // startQuery to the folders that hold what it asks for
	modules    sync.Map  // moduleQuery to the path of the module, "" for none
	relevance  sync.Map  // *pyparse.File to *relevance, found once for all files that import it
	memory     sync.Pool // of *batches that nobody uses any more
	folderOnce sync.Once
	folders    map[string]bool // around Files
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

// Forget drops what is known of a tree that nobody will ask about again.
func (p *Program) Forget(file *pyparse.File) {
	p.relevance.Delete(file)
	p.resolved.Delete(file)
}

// Module finds the file that an import names. An absolute import is looked for in the configured roots, then in the folder of
// the importing file and the folders around it, innermost first, as Python does for scripts and installed packages do for
// their root. Libraries that are known by name are never looked for.
func (p *Program) Module(from string, level int, name string) *File {
	if level == 0 && notLookedFor(name) {
		return nil
	}
	query := importQuery{folder: from[:strings.LastIndexByte(from, '/')+1], level: level, name: name}
	if known, asked := p.imports.Load(query); asked {
		if answer := known.(*importAnswer); answer.path != from {
			return answer.file
		}
	} else if at, _ := p.modulePath(query.folder, level, name); at != from {
		answer := &importAnswer{path: at}
		if at != "" {
			answer.file = p.File(at)
		}
		query.name = strings.Clone(name) // not to keep the source that it is a part of
		p.imports.Store(query, answer)
		return answer.file
	}
	if at, ok := p.modulePath(from, level, name); ok { // no file imports itself
		return p.File(at)
	}
	return nil
}

// importQuery asks what an import in the files of a folder names.
type importQuery struct {
	folder string // with the slash at its end
	level  int
	name   string
}

// importAnswer is what one names: the file is nil and the path empty where the workspace has none.
type importAnswer struct {
	path string
	file *File
}

func notLookedFor(name string) bool { return pureLibrary(name) || knownLibrary(libraryOf(name)) }

// modulePath is the path of the file that [Program.Module] returns; from is the path of the importing file, or that of its folder.
func (p *Program) modulePath(from string, level int, name string) (string, bool) {
	rel := strings.ReplaceAll(name, ".", "/")
	if level > 0 {
		dir := path.Dir(from)
		for i := 1; i < level; i++ {
			dir = path.Dir(dir)
		}
		return p.in(dir, rel, from)
	}
	if notLookedFor(name) {
		return "", false
	}
	first, _, _ := strings.Cut(rel, "/")
	for _, dir := range p.startsOf(path.Dir(from), first) {
		if at, ok := p.in(dir, rel, from); ok {
			return at, true
		}
	}
	return "", false
}

// startQuery asks where absolute imports of a name, in the files of a folder, may start from.
type startQuery struct{ folder, first string }

// startsOf are the folders, in the order in which they are looked at, that hold a module or a package of a name. Most names that
// files import are in none of them.
func (p *Program) startsOf(folder, first string) []string {
	if known, asked := p.starts.Load(startQuery{folder, first}); asked {
		return known.([]string)
	}
	var found []string
	for _, root := range p.Roots {
		if p.holds(root, first) {
			found = append(found, root)
		}
	}
	for dir := folder; ; dir = path.Dir(dir) {
		if p.holds(dir, first) {
			found = append(found, dir)
		}
		if dir == "." || dir == "/" || dir == path.Dir(dir) {
			break
		}
	}
	p.starts.Store(startQuery{folder, strings.Clone(first)}, found)
	return found
}

// holds reports whether a folder may hold a module or a package of a name.
func (p *Program) holds(dir, name string) bool {
	p.folderOnce.Do(func() {
		p.folders = map[string]bool{}
		for file := range p.Files {
			for dir := path.Dir(file); !p.folders[dir]; dir = path.Dir(dir) {
				p.folders[dir] = true
			}
		}
	})
	at := path.Join(dir, name)
	return p.folders[at] || p.Folder != nil && p.Folder(at) || p.File(at+".py") != nil
}

// moduleQuery asks for a module below a folder.
type moduleQuery struct{ dir, rel string }

// in finds a module below a folder. Many files ask for the same ones, most of which are not there.
func (p *Program) in(dir, rel, from string) (at string, ok bool) {
	query := moduleQuery{dir, rel}
	if known, asked := p.modules.Load(query); asked && known != from {
		return known.(string), known != ""
	}
	found := ""
	for _, candidate := range candidates(dir, rel) {
		if p.File(candidate) == nil {
			continue
		}
		if found == "" {
			found = candidate
		}
		if candidate != from {
			at = candidate
			break
		}
	}
	query.rel = strings.Clone(rel)
	p.modules.Store(query, found)
	return at, at != ""
}

// candidates are the paths at which a module below a folder may be, in the order in which Python looks.
func candidates(dir, rel string) []string {
	if rel == "" {
		return []string{path.Join(dir, "__init__.py")}
	}
	return []string{path.Join(dir, rel+".py"), path.Join(dir, rel, "__init__.py")}
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
