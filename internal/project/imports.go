package project

import (
	"path/filepath"
	"strings"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// maxImported bounds how many files are read only because others import them.
const maxImported = 2000

// importer finds the files that the reported ones import, so that meshes and functions of other modules are known even
// where only one file is asked for.
type importer struct {
	w      *Workspace
	roots  []string
	exists map[string]bool // by path of a folder's entry
	known  map[string]*flow.File
	queue  []*pyparse.File
	loaded int
}

// imported parses what files import, directly and through others, and returns it by path. Only files below the roots or the
// folders around the importing file are looked at; what is not there is a library.
func (w *Workspace) imported() map[string]*flow.File {
	i := &importer{w: w, exists: map[string]bool{}, known: map[string]*flow.File{}}
	i.roots = w.roots()
	for _, f := range w.Files {
		if !f.relevant { // parsed when somebody asks for it
			i.known[f.Path] = &flow.File{Open: f.Syntax}
			continue
		}
		i.known[f.Path] = &flow.File{Syntax: f.Syntax()}
		i.queue = append(i.queue, f.Syntax())
	}
	for len(i.queue) > 0 && i.loaded < maxImported {
		f := i.queue[0]
		i.queue = i.queue[1:]
		for _, name := range f.Imports {
			i.follow(f, &name)
		}
	}
	return i.known
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

// follow reads the module that an import names, and for "from a import b" also a/b.
func (i *importer) follow(f *pyparse.File, name *pyparse.Import) {
	rel := filepath.FromSlash(strings.ReplaceAll(name.Module, ".", "/"))
	parts := []string{rel}
	if name.Name != "" && name.Name != "*" {
		parts = append(parts, filepath.Join(rel, name.Name))
	}
	dir := filepath.Dir(f.Path)
	if name.Level > 0 {
		for range name.Level - 1 {
			dir = filepath.Dir(dir)
		}
		for _, p := range parts {
			i.module(dir, p)
		}
		return
	}
	for _, root := range i.roots {
		for _, p := range parts {
			i.module(root, p)
		}
	}
	for { // the folders around the importing file, as far as the working directory
		for _, p := range parts {
			i.module(dir, p)
		}
		parent := filepath.Dir(dir)
		if dir == i.w.Dir || parent == dir || !strings.HasPrefix(dir, i.w.Dir) {
			return
		}
		dir = parent
	}
}

// module reads dir/rel.py or dir/rel/__init__.py where it exists.
func (i *importer) module(dir, rel string) {
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	if top != "" && !i.there(filepath.Join(dir, top)) && !i.there(filepath.Join(dir, top+".py")) {
		return
	}
	for _, path := range [...]string{filepath.Join(dir, rel+".py"), filepath.Join(dir, rel, "__init__.py")} {
		if i.known[path] != nil || !i.there(path) {
			continue
		}
		content, open := i.w.options.Overlay[path]
		if !open {
			var err error
			if content, _, err = i.w.options.Cache.read(path); err != nil {
				continue
			}
		}
		f := i.w.options.Cache.parse(path, content)
		i.known[path] = &flow.File{Syntax: f}
		i.queue = append(i.queue, f)
		i.loaded++
	}
}

func (i *importer) there(path string) bool {
	yes, known := i.exists[path]
	if !known {
		yes = i.w.options.Cache.there(path)
		if _, open := i.w.options.Overlay[path]; open {
			yes = true
		}
		i.exists[path] = yes
	}
	return yes
}
