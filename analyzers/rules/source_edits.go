package rules

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// writer spells library names for what a fix writes into one file, as the file spells them, and collects the imports of
// those that no import of the file leads to yet.
type writer struct {
	file    *flow.File
	bound   map[string]string // what the imports collected so far bind: the spelling of a dotted name
	imports []analyzers.Edit
	missing bool // a name has no import that leaves the names of the file alone
}

func writing(f *flow.File) *writer { return &writer{file: f, bound: map[string]string{}} }

// importing is how a whole module is imported: the statement, what it binds, and how a name of the module is written then.
type importing struct{ statement, binds, prefix string }

// conventions are the modules that are imported as a whole where the file imports nothing from them by name.
func conventions() map[string]importing {
	return map[string]importing{
		"jax":        {"import jax", "jax", "jax."},
		"jax.tree":   {"import jax", "jax", "jax.tree."}, // its names are those of builtins
		"jax.numpy":  {"import jax.numpy as jnp", "jnp", "jnp."},
		"jax.lax":    {"from jax import lax", "lax", "lax."},
		"jax.random": {"from jax import random", "random", "random."},
		"numpy":      {"import numpy as np", "np", "np."},
	}
}

// name spells a library name such as "jax.lax.psum".
func (w *writer) name(name string) string {
	if s := spelling(w.file.Syntax, name); s != "" {
		return s
	}
	dot := strings.LastIndexByte(name, '.')
	module, last := name[:dot], name[dot+1:]
	if written, ok := w.bound[module]; ok {
		return written + last
	}
	if written, ok := w.bound[name]; ok {
		return written
	}
	if strings.HasPrefix(module, experimental) {
		return w.imported(module, experimental[:len(experimental)-1], lastName(module)) + "." + last
	}
	whole, ok := conventions()[module]
	if !ok || whole.binds != "jax" && w.namesFrom(module) != pyparse.None {
		return w.imported(name, module, last)
	}
	if written, found := w.bound[whole.binds]; found && written == whole.binds || w.add(whole.statement, whole.binds) {
		w.bound[whole.binds] = whole.binds
		w.bound[module] = whole.prefix
		return whole.prefix + last
	}
	return name
}

// namesFrom is the last name that the first statement of the form "from module import" of the file imports, None where there is no such
// statement.
func (w *writer) namesFrom(module string) pyparse.NodeID {
	s := w.file.Syntax
	statement, end := pyparse.None, pyparse.None
	for _, imp := range s.Imports {
		if imp.Level == 0 && imp.Module == module && imp.Name != "" && !imp.Star() && s.Is(s.Parent(imp.Statement), pyparse.KindModule) {
			if statement == pyparse.None || imp.Statement == statement {
				statement, end = imp.Statement, importedName(s, imp)
			}
		}
	}
	return end
}

// imported adds "from module import name", to a statement that imports from the module already where there is one.
func (w *writer) imported(name, module, last string) string {
	if !w.free(last) {
		w.missing = true
		return name
	}
	w.bound[name] = last
	end := w.namesFrom(module)
	if end == pyparse.None {
		w.add("from "+module+" import "+last, last)
		return last
	}
	w.imports = append(w.imports, appended(flow.Ref{File: w.file, Node: end}, ", "+last))
	return last
}

// importedName is the node of an imported name with its alias.
func importedName(s *pyparse.File, imp pyparse.Import) pyparse.NodeID {
	if imp.Alias != pyparse.None {
		return s.Parent(imp.Alias)
	}
	return imp.Node
}

// free reports whether nothing in the file is called so yet.
func (w *writer) free(name string) bool {
	for _, scope := range w.file.Syntax.Scopes() {
		for _, symbol := range scope.Symbols {
			if symbol.Name == name {
				return false
			}
		}
	}
	return true
}

// add puts an import statement among those of the file.
func (w *writer) add(statement, binds string) bool {
	if !w.free(binds) {
		w.missing = true
		return false
	}
	at := importPlace(w.file.Syntax, statement)
	span := analyzers.Span{Path: w.file.Syntax.Path, Start: at, End: at}
	w.imports = append(w.imports, analyzers.Edit{Span: span, NewText: statement + newline(w.file.Syntax.Source)})
	return true
}

// importPlace is the start of the line before which an import statement belongs: in the block of imports of JAX, sorted among those of
// its own form.
func importPlace(s *pyparse.File, statement string) int {
	var block []pyparse.NodeID // the top-level imports that stand together with the first one of JAX
	last := pyparse.None
	for n := range s.Children(0) {
		if !s.Is(n, pyparse.KindImportStatement, pyparse.KindImportFromStatement) {
			continue
		}
		last = n
		if len(block) > 0 {
			_, before := s.Span(block[len(block)-1])
			start, _ := s.Span(n)
			if strings.Count(string(s.Source[before:start]), "\n") > 1 {
				if importsJAX(s, block) {
					break
				}
				block = nil
			}
		}
		block = append(block, n)
	}
	if last == pyparse.None {
		return startOfCode(s)
	}
	form, _, _ := strings.Cut(statement, " ")
	place := -1
	for _, n := range block {
		start, _ := s.Span(n)
		if own, _, _ := strings.Cut(s.Text(n), " "); own == form && s.Text(n) < statement {
			place = belowNode(s, n)
		} else if own == form && place < 0 {
			place = start
		}
	}
	switch {
	case place >= 0:
		return place
	case form == "import":
		start, _ := s.Span(block[0])
		return start
	}
	return belowNode(s, block[len(block)-1])
}

func importsJAX(s *pyparse.File, statements []pyparse.NodeID) bool {
	for _, n := range statements {
		if strings.Contains(s.Text(n), "jax") {
			return true
		}
	}
	return false
}

// startOfCode is where the first statement behind a docstring starts.
func startOfCode(s *pyparse.File) int {
	for n := range s.Children(0) {
		if start, _ := s.Span(n); !s.Is(n, pyparse.KindExpressionStatement) && !s.Is(n, pyparse.KindFutureImportStatement) {
			return start
		}
	}
	return len(s.Source)
}

// fix is a fix made of edits and the imports that they need; nil where a name cannot be imported.
func (w *writer) fix(title string, safety analyzers.Safety, edits ...analyzers.Edit) []analyzers.Fix {
	if w.missing {
		return nil
	}
	return fixOf(title, safety, append(append([]analyzers.Edit(nil), w.imports...), edits...)...)
}

// quoted is a string as Python source, in the quotes that a file uses more often.
func quoted(f *flow.File, text string) string {
	single, double := 0, 0
	for i := range f.Syntax.Nodes {
		n := pyparse.NodeID(i)
		if f.Syntax.Is(n, pyparse.KindString) {
			switch f.Syntax.Text(n)[0] {
			case '\'':
				single++
			case '"':
				double++
			}
		}
	}
	if single > double {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

// quotedAll lists strings as Python source, without brackets.
func quotedAll(f *flow.File, texts []string) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = quoted(f, t)
	}
	return strings.Join(parts, ", ")
}

// tupled writes what stands for several axes in source: one by itself, more as a tuple.
func tupled(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// axesSource writes axis names as source: one as a string, several as a tuple.
func axesSource(f *flow.File, axes []string) string {
	parts := make([]string, len(axes))
	for i, a := range axes {
		parts[i] = quoted(f, a)
	}
	return tupled(parts)
}

// soleUse follows a name that is read once in its file and was assigned once to the expression that it was assigned; other
// expressions are returned as they are. What it returns can be edited without changing anything else. It is invalid for a name that
// others read too.
func soleUse(at flow.Ref) flow.Ref {
	for range maxMentionDepth {
		if !isKind(at, pyparse.KindIdentifier) {
			return at
		}
		at = soleValue(at)
	}
	return flow.Ref{}
}

// soleValue is what a name was assigned that is assigned once and read once; invalid for other names.
func soleValue(name flow.Ref) flow.Ref {
	if !name.Valid() {
		return name
	}
	s := name.File.Syntax
	value := onlyValue(s, name.Node)
	if value == pyparse.None || len(s.Resolve(name.Node).Uses) != 1 {
		return flow.Ref{}
	}
	return flow.Ref{File: name.File, Node: value}
}

// specUses counts the places at which specs written at one node meet an array or a mesh.
func specUses(facts *flow.Facts, at flow.Ref) int {
	places := map[flow.Ref]map[string]bool{}
	for _, pl := range facts.Placements {
		if pl.Spec != nil && pl.Spec.At == at {
			if places[pl.At] == nil {
				places[pl.At] = map[string]bool{}
			}
			places[pl.At][pl.Path] = true
		}
	}
	n := 0
	for _, paths := range places {
		n += len(paths)
	}
	return n
}

// specPlace finds what to replace so that one array alone gets another spec: the spec in a sharding that is written in the argument, or
// where it is written if that is its only use. The argument's own text is what stands for a sharding that others use too, as in
// NamedSharding(rows.mesh, P()); then inside is false.
func specPlace(facts *flow.Facts, arg flow.Ref, spec *flow.Spec, shard *flow.Sharding) (at flow.Ref, inside bool) {
	if !arg.Valid() || spec == nil || !spec.At.Valid() || specUses(facts, spec.At) != 1 && !arg.Contains(spec.At) {
		return arg, false
	}
	whole := soleUse(arg)
	if !whole.Valid() {
		return arg, false
	}
	if whole.Contains(spec.At) {
		return spec.At, true
	}
	if shard == nil || !shard.At.Valid() || !whole.Contains(shard.At) {
		return arg, false
	}
	for i, a := range shard.At.File.Syntax.Arguments(shard.At.Node) {
		if a.Name != "spec" && (a.Name != "" || i != 1) {
			continue
		}
		written := flow.Ref{File: shard.At.File, Node: a.Value}
		if origin := soleUse(written); origin.Valid() && origin.Contains(spec.At) || handedIn(written) {
			return spec.At, true
		}
		return written, true
	}
	return arg, false
}

// handedIn reports whether an expression is a name that a call or a loop binds: it stands for other values as well.
func handedIn(at flow.Ref) bool {
	if !isKind(at, pyparse.KindIdentifier) {
		return false
	}
	symbol := at.File.Syntax.Resolve(at.Node)
	return symbol != nil && slices.ContainsFunc(symbol.Bindings, func(b pyparse.Binding) bool {
		return b.Kind == pyparse.BindParameter || b.Kind == pyparse.BindFor
	})
}

// handedInWithin reports whether an expression reads a name that a call or a loop binds, so that it stands for other values as well. The
// object of a method does not count: most classes have one.
func handedInWithin(at flow.Ref) bool {
	if !at.Valid() {
		return false
	}
	for n := range selfAndBelow(at.File.Syntax, at.Node) {
		if text := at.File.Syntax.Text(n); text != "self" && text != "cls" && !isLabel(at.File.Syntax, n) && handedIn(flow.Ref{File: at.File, Node: n}) {
			return true
		}
	}
	return false
}

// belowNode is the start of the line below a node.
func belowNode(s *pyparse.File, n pyparse.NodeID) int {
	_, end := s.Span(n)
	return nextLine(s.Source, end)
}
