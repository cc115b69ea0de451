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
	Reach pyparse.Marks // those of the file and of the files that it imports, directly or through others
	Group int           // the same for all files that are tied by imports, whichever way
}

// Relate returns the relations of files, in their order. A file that the program finds but that has no outline counts as one that
// holds everything.
func (p *Program) Relate(outlines []Outline, everything pyparse.Marks) []Relation {
	place := make(map[string]int, len(outlines))
	relations := make([]Relation, len(outlines))
	pending := make([]int, len(outlines))
	for i := range outlines {
		place[outlines[i].Path] = i
		relations[i] = Relation{Reach: slices.Clone(outlines[i].Marks), Group: i}
		pending[i] = i
	}
	importers := make([][]int, len(outlines)) // by imported file
	for i := range outlines {
		for _, path := range p.importedBy(&outlines[i]) {
			imported, known := place[path]
			if !known {
				relations[i].Reach.AddAll(everything)
				continue
			}
			importers[imported] = append(importers[imported], i)
			relations[groupOf(relations, i)].Group = groupOf(relations, imported)
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
	for i := range relations {
		relations[i].Group = groupOf(relations, i)
	}
	return relations
}

// groupOf follows groups that were joined to the one that stands for them all.
func groupOf(relations []Relation, i int) int {
	for relations[i].Group != i {
		relations[i].Group = relations[relations[i].Group].Group
		i = relations[i].Group
	}
	return i
}

// importedBy lists the files of the workspace that a file imports.
func (p *Program) importedBy(o *Outline) []string {
	var out []string
	seen := map[pyparse.ImportName]bool{}
	add := func(level int, module string) {
		key := pyparse.ImportName{Module: module, Level: level}
		if seen[key] || level == 0 && module == "" {
			return
		}
		seen[key] = true
		if at, ok := p.modulePath(o.Path, level, module); ok {
			out = append(out, at)
		}
	}
	for _, i := range o.Imports {
		add(i.Level, i.Module)
		if i.Name != "" && i.Name != "*" {
			add(i.Level, join(i.Module, i.Name))
		}
	}
	return out
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
