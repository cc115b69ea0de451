package flow

import "github.com/shardls/shardls/pyparse"

// Outline is what a file says of its part in a workspace before it is parsed.
type Outline struct {
	Imports []pyparse.ImportName
	Words   bool // it holds one of [Words]
}

// Related returns the paths of the files that import, directly or through others, a file that holds words. A file that the
// program finds but that has no outline counts as one that holds words.
func (p *Program) Related(outlines map[string]*Outline) map[string]bool {
	importers := map[string][]string{} // by imported file
	related := map[string]bool{}
	var reached []string
	reach := func(path string) {
		if !related[path] {
			related[path] = true
			reached = append(reached, path)
		}
	}
	for path, o := range outlines {
		for _, imported := range p.importedBy(path, o) {
			if target := outlines[imported]; target == nil || target.Words {
				reach(path)
			}
			importers[imported] = append(importers[imported], path)
		}
	}
	for len(reached) > 0 {
		last := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for _, importer := range importers[last] {
			reach(importer)
		}
	}
	return related
}

// importedBy lists the files of the workspace that a file imports.
func (p *Program) importedBy(path string, o *Outline) []string {
	var out []string
	seen := map[pyparse.ImportName]bool{}
	add := func(level int, module string) {
		key := pyparse.ImportName{Module: module, Level: level}
		if seen[key] || level == 0 && module == "" {
			return
		}
		seen[key] = true
		if at, ok := p.modulePath(path, level, module); ok {
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
