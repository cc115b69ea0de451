package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// The table was measured: every name was imported, every parameter passed, under 33 releases of JAX from 0.4.13 to 0.10.2.
//
//go:embed data/api.json
var apiData []byte

// apiChange is what became of one name of JAX. Names of parameters are "function:parameter".
type apiChange struct {
	Name        string
	Kind        string // "attr", "module", "param", "config"
	Gone        string // first release without it, "" while it is there
	Before      bool   // it was gone before the first measured release
	Deprecated  string // first release that warns
	Replacement string // in words
	Same        string // the dotted name of the same thing today
	Delete      bool   // the argument can be dropped
}

var apiChanges = sync.OnceValue(func() map[string]*apiChange {
	var list []*apiChange
	if err := json.Unmarshal(apiData, &list); err != nil {
		panic(fmt.Sprintf("embedded api.json: %v", err))
	}
	byName := map[string]*apiChange{}
	for _, c := range list {
		byName[c.Name] = c
	}
	return byName
})

// reached reports whether the target release is at or behind the given one.
func reached(r flow.Release, release string) bool {
	at, err := flow.ParseRelease(release)
	return release != "" && err == nil && r.Compare(at) >= 0
}

// goneIn reports whether a release lacks the name.
func (c *apiChange) goneIn(r flow.Release) bool { return c != nil && reached(r, c.Gone) }

// deprecatedIn reports whether a release warns about the name.
func (c *apiChange) deprecatedIn(r flow.Release) bool {
	return c != nil && reached(r, c.Deprecated) && !c.goneIn(r)
}

// changeOf finds what the table says of a name as it was written, or of the module that it lies in.
func changeOf(path string) (c *apiChange, exact bool) {
	if c := apiChanges()[path]; c != nil {
		return c, true
	}
	for p := path; ; {
		i := strings.LastIndexByte(p, '.')
		if i < 0 {
			return nil, false
		}
		p = p[:i]
		if c := apiChanges()[p]; c != nil && c.Kind == "module" {
			return c, false
		}
	}
}

// confidence is likely where nothing in the workspace says which release of JAX it uses.
func confidence(r flow.Release) analyzers.Confidence {
	if r.Assumed {
		return analyzers.Likely
	}
	return analyzers.Certain
}

// renamed lists the edits that make a file use a library name that is the same thing under another dotted name: at an
// attribute the attribute itself; at an import the statement and, where the last part changes, every use of what it binds.
func renamed(m flow.Mention, to string) []analyzers.Edit {
	s := m.At.File.Syntax
	if !m.Import {
		w := writing(m.At.File)
		text := w.name(to)
		if w.missing {
			return nil
		}
		return append(w.imports, replaced(m.At, text))
	}
	for _, imp := range s.Imports {
		if imp.Node != m.At.Node {
			continue
		}
		if importsIn(s, imp.Statement) > 1 {
			return renamedAmong(m, to)
		}
		return importRenamed(m.At.File, imp, to)
	}
	return nil
}

// renamedAmong is renamed for one of several names that a statement imports.
func renamedAmong(m flow.Mention, to string) []analyzers.Edit {
	r := replacing(writing(m.At.File), m)
	text := r.name(to)
	for _, use := range usesOf(m) {
		r.edits = append(r.edits, replaced(use, text))
	}
	fixes := r.fix("", analyzers.Safe)
	if len(fixes) == 0 {
		return nil
	}
	return fixes[0].Edits
}

func importRenamed(f *flow.File, imp pyparse.Import, to string) []analyzers.Edit {
	s := f.Syntax
	dot := strings.LastIndexByte(to, '.')
	if imp.Name == "" || dot < 0 || importsIn(s, imp.Statement) != 1 {
		return nil
	}
	module, name := to[:dot], to[dot+1:]
	line := "from " + module + " import " + name
	if imp.Alias != pyparse.None {
		line += " as " + imp.Bound
	}
	edits := []analyzers.Edit{replaced(flow.Ref{File: f, Node: imp.Statement}, line)}
	if imp.Alias != pyparse.None || name == imp.Name {
		return edits
	}
	symbol := s.Lookup(s.ScopeOf(imp.Statement), imp.Bound)
	if symbol == nil || len(symbol.Bindings) != 1 || s.Lookup(s.ScopeOf(imp.Statement), name) != nil {
		return nil
	}
	for _, use := range symbol.Uses {
		edits = append(edits, replaced(flow.Ref{File: f, Node: use}, name))
	}
	return edits
}

// importsIn counts the names that one statement imports.
func importsIn(s *pyparse.File, statement pyparse.NodeID) int {
	n := 0
	for _, imp := range s.Imports {
		if imp.Statement == statement {
			n++
		}
	}
	return n
}

// keyOf is the name part of a keyword argument, given its value.
func keyOf(value flow.Ref) (flow.Ref, bool) {
	whole := keyword(value)
	if !isKind(whole, pyparse.KindKeywordArgument) {
		return flow.Ref{}, false
	}
	key := whole.File.Syntax.FirstChild(whole.Node)
	return flow.Ref{File: whole.File, Node: key}, key != pyparse.None
}

// entryRenamed renames the key of the dict that an argument came out of. Others may read the dict, so the fix is unsafe.
func entryRenamed(a flow.Arg, name string) []analyzers.Fix {
	title := "Rename to " + name
	if key, ok := keyOf(a.Entry); ok {
		return fixOf(title, analyzers.Unsafe, replaced(key, name))
	}
	s := a.Entry.File.Syntax
	pair := s.Parent(a.Entry.Node)
	if !s.Is(pair, pyparse.KindPair) {
		return nil
	}
	key := flow.Ref{File: a.Entry.File, Node: s.Child(pair, pyparse.FieldKey)}
	return fixOf(title, analyzers.Unsafe, replaced(key, literal(name, key)))
}

// argumentDropped is the edit that removes a keyword argument together with the comma before or behind it.
func argumentDropped(value flow.Ref) (analyzers.Edit, bool) {
	whole := keyword(value)
	if !isKind(whole, pyparse.KindKeywordArgument) {
		return analyzers.Edit{}, false
	}
	span := spanOf(whole)
	source := whole.File.Syntax.Source
	start := span.Start
	for start > 0 && strings.IndexByte(" \t\r\n", source[start-1]) >= 0 {
		start--
	}
	if start > 0 && source[start-1] == ',' {
		span.Start = start - 1
		return analyzers.Edit{Span: span}, true
	}
	end := span.End
	for end < len(source) && strings.IndexByte(" \t", source[end]) >= 0 {
		end++
	}
	if end < len(source) && source[end] == ',' {
		end++
		for end < len(source) && source[end] == ' ' {
			end++
		}
		span.End = end
	}
	return analyzers.Edit{Span: span}, true
}

// shortName is the length up to which a name is looked for together with the module that it comes from: alone it is in too many
// files.
const shortName = 8

// apiNeedles are the byte strings of which a file holds at least one where it mentions a name of the table.
func apiNeedles() []string {
	var needles []string
	for name, c := range apiChanges() {
		path, parameter, isParameter := strings.Cut(name, ":")
		last := lastName(path)
		switch {
		case isParameter && (parameter == "in_shardings" || parameter == "out_shardings"): // jit has them too
			needles = append(needles, last)
		case isParameter:
			for _, before := range [...]string{" ", "(", ",", "\t", "\n"} {
				needles = append(needles, before+parameter+"=", before+parameter+" =")
			}
			needles = append(needles, "\""+parameter+"\"")
		case c.Kind == "config" || len(last) > shortName && !strings.HasSuffix(c.Replacement, "."+last):
			needles = append(needles, last)
		default: // short, or the name of what replaces it
			module := lastName(strings.TrimSuffix(path, "."+last))
			needles = append(needles, module+"."+last, module+" import "+last, module+" as ")
		}
	}
	sort.Strings(needles)
	return needles
}
