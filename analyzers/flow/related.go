package flow

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// Outline is what a file says of its part in a workspace before it is parsed.
type Outline struct {
	Path    string
	Imports []pyparse.ImportName
	Marks   pyparse.Marks // which of the byte strings that somebody looks for it holds
}

// Relation is the part of a file in a workspace.
type Relation struct {
	Reach   pyparse.Marks // those of the file and of the files that it imports, directly or through others
	Imports []int         // the places of the files that it imports itself and of the packages around these
}

// Relate returns the relations of files, in their order. A file that the program finds but that has no outline counts as one that
// holds everything.
func (p *Program) Relate(outlines []Outline, everything pyparse.Marks) []Relation {
	place := make(map[string]int, len(outlines))
	relations := make([]Relation, len(outlines))
	pending := make([]int, len(outlines))
	for i := range outlines {
		place[outlines[i].Path] = i
		relations[i] = Relation{Reach: slices.Clone(outlines[i].Marks)}
		pending[i] = i
	}
	importers := make([][]int, len(outlines)) // by imported file
	for i := range outlines {
		named, around := p.importedBy(&outlines[i])
		for _, path := range named {
			imported, known := place[path]
			if !known {
				relations[i].Reach.AddAll(everything)
				continue
			}
			importers[imported] = append(importers[imported], i)
			relations[i].Imports = append(relations[i].Imports, imported)
		}
		for _, path := range around {
			if imported, known := place[path]; known {
				relations[i].Imports = append(relations[i].Imports, imported)
			}
		}
	}
	for len(pending) > 0 {
		last := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, importer := range importers[last] {
			if relations[importer].Reach.AddAll(relations[last].Reach) {
				pending = append(pending, importer)
			}
		}
	}
	return relations
}

// LastUses tells of each file which is the last one, in the order of the relations, that it runs for where those that are asked about
// are run in turn: -1 for a file that runs for none.
func LastUses(relations []Relation, asked func(i int) bool) []int {
	last := make([]int, len(relations))
	for i := range last {
		last[i] = -1
	}
	var pending []int
	for i := len(relations) - 1; i >= 0; i-- {
		if !asked(i) {
			continue
		}
		for pending = append(pending, i); len(pending) > 0; {
			used := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			if last[used] < 0 {
				last[used] = i
				pending = append(pending, relations[used].Imports...)
			}
		}
	}
	return last
}

// importedBy lists the files of the workspace that a file imports, and the packages around these, which Python runs before.
func (p *Program) importedBy(o *Outline) (named, around []string) {
	seen := map[pyparse.ImportName]bool{}
	add := func(list *[]string, level int, module string) bool {
		key := pyparse.ImportName{Module: module, Level: level}
		if seen[key] || level == 0 && module == "" {
			return false
		}
		seen[key] = true
		if at, ok := p.modulePath(o.Path, level, module); ok {
			*list = append(*list, at)
		}
		return true
	}
	for _, i := range o.Imports {
		add(&named, i.Level, i.Module)
		if i.Name != "" && i.Name != "*" {
			add(&named, i.Level, join(i.Module, i.Name))
		}
	}
	for _, i := range o.Imports {
		for module := i.Module; module != ""; {
			module = parentName(module)
			if !add(&around, i.Level, module) {
				break
			}
		}
	}
	return named, around
}

// ImportsLibrary reports whether one of the imports names a library whose names mean something here: without one, and without the
// help of a file with one, a program makes no array, mesh or sharding that anything is known of. The private parts of libraries
// do not count, for their names mean nothing.
func ImportsLibrary(imports []pyparse.ImportName) bool {
	return slices.ContainsFunc(imports, func(i pyparse.ImportName) bool {
		switch libraryOf(i.Module) {
		case "jax", "flax", "optax", "equinox", "orbax":
			return i.Level == 0 && !strings.Contains(join(i.Module, i.Name), "._")
		}
		return false
	})
}
