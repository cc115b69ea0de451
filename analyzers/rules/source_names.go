package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// experimental is what the names of modules start with that have to be imported by themselves.
const experimental = "jax.experimental."

// spelling is how a file can write a library name, from the imports at its top level: "jnp.pad" where jax.numpy is imported as
// jnp. It is "" when nothing imported leads to the name.
func spelling(f *pyparse.File, name string) string {
	best := ""
	for _, imp := range f.Imports {
		if imp.Level > 0 || imp.Star() || f.ScopeOf(imp.Statement) != 0 {
			continue
		}
		target := flow.Canonical(imp.Target())
		rest, ok := strings.CutPrefix(name, target)
		if !ok || rest != "" && rest[0] != '.' {
			continue
		}
		if target == "jax" && strings.HasPrefix(name, experimental) && (imp.Module == "jax" || !strings.HasPrefix(name, imp.Module+".")) {
			continue // import jax does not load these modules
		}
		written := imp.Bound + rest
		if best == "" || len(written) < len(best) {
			best = written
		}
	}
	return best
}

// spelt is spelling, or the full name where no import leads to it and the file has to add one.
func spelt(f *flow.File, name string) string {
	if s := spelling(f.Syntax, name); s != "" {
		return s
	}
	return name
}

// keyword returns the keyword argument node around an argument's value, or the value itself when it is positional.
func keyword(at flow.Ref) flow.Ref {
	if !at.Valid() {
		return at
	}
	p := at.File.Syntax.Parent(at.Node)
	if at.File.Syntax.Is(p, pyparse.KindKeywordArgument) {
		return flow.Ref{File: at.File, Node: p}
	}
	return at
}

// argumentAdded is the edit that adds a last argument to a call.
func argumentAdded(call flow.Ref, text string) (edit struct {
	At   int
	Text string
}, ok bool) {
	if !isKind(call, pyparse.KindCall) {
		return edit, false
	}
	s := call.File.Syntax
	args := s.Arguments(call.Node)
	_, end := s.Span(call.Node)
	if len(args) == 0 {
		edit.At, edit.Text = end-1, text
		return edit, true
	}
	start, last := s.Span(args[len(args)-1].Node)
	edit.At, edit.Text = last, ", "+text
	if indent, own := indentation(s, start); own { // one argument a line
		edit.Text = "," + newline(s.Source) + indent + text
	}
	return edit, true
}

const maxMentionDepth = 4 // assignments followed from an expression

// mentions reports whether an expression, or what was assigned to its names, holds an identifier or a string for which match is
// true.
func mentions(f *pyparse.File, n pyparse.NodeID, depth int, match func(string) bool) bool {
	search := mentionSearch{file: f, match: match, seen: map[pyparse.NodeID]int{}, names: map[*pyparse.Symbol]int{}}
	return search.within(n, depth)
}

// mentionSearch looks into every expression once at most for each depth: names that are assigned a hundred times from one another
// lead to millions of ways.
type mentionSearch struct {
	file  *pyparse.File
	match func(string) bool
	seen  map[pyparse.NodeID]int  // the least depth at which an expression was looked at
	names map[*pyparse.Symbol]int // and everything that was assigned to a name
	steps int                     // sources of names looked at
}

func (m *mentionSearch) within(n pyparse.NodeID, depth int) bool {
	if least, ok := m.seen[n]; ok && least <= depth {
		return false
	}
	m.seen[n] = depth
	f := m.file
	for c := range f.Descendants(n) {
		switch f.KindOf(c) {
		case pyparse.KindIdentifier:
			if m.match(f.Text(c)) || m.assigned(n, c, depth) {
				return true
			}
		case pyparse.KindString:
			if s, ok := f.StringValue(c); ok && m.match(s) {
				return true
			}
		}
	}
	return false
}

// assigned is within, for a name in an expression, for what was assigned to a name, what a loop takes it from, and what a function of the file returns
// or holds.
func (m *mentionSearch) assigned(expression, name pyparse.NodeID, depth int) bool {
	if depth >= maxMentionDepth {
		return false
	}
	f := m.file
	if f.FieldOf(name) == pyparse.FieldAttribute {
		body := ownMember(f, name)
		return body != pyparse.None && !f.Contains(body, name) && m.within(body, depth+1)
	}
	symbol := f.Resolve(name)
	if symbol == nil {
		return false
	}
	if least, ok := m.names[symbol]; ok && least <= depth {
		return false
	}
	all := true
	for _, b := range symbol.Bindings {
		m.steps++
		switch source := bindingSource(f, b); {
		case source == pyparse.None:
		case f.Contains(source, name):
			all = all && f.Contains(expression, source)
		case m.within(source, depth+1):
			return true
		}
	}
	if all {
		m.names[symbol] = depth
	}
	return false
}

// ownMember is the body of the method or property of the class around that an attribute of self or cls names, None for others.
func ownMember(f *pyparse.File, name pyparse.NodeID) pyparse.NodeID {
	object := f.Child(f.Parent(name), pyparse.FieldObject)
	if object == pyparse.None || f.Text(object) != "self" && f.Text(object) != "cls" {
		return pyparse.None
	}
	for class := f.Parent(name); class != pyparse.None; class = f.Parent(class) {
		if !f.Is(class, pyparse.KindClassDefinition) {
			continue
		}
		for d := range f.Descendants(f.Body(class)) {
			if f.Is(d, pyparse.KindFunctionDefinition) && f.Text(f.Child(d, pyparse.FieldName)) == f.Text(name) {
				return f.Body(d)
			}
		}
		return pyparse.None
	}
	return pyparse.None
}

// bindingSource is the expression that a binding takes its value from, the body for a function; None for others.
func bindingSource(f *pyparse.File, b pyparse.Binding) pyparse.NodeID {
	switch f.KindOf(b.Source) {
	case pyparse.KindAssignment:
		return f.Child(b.Source, pyparse.FieldRight)
	case pyparse.KindForStatement, pyparse.KindForInClause:
		return f.Child(b.Source, pyparse.FieldRight)
	case pyparse.KindNamedExpression:
		return f.Child(b.Source, pyparse.FieldValue)
	case pyparse.KindFunctionDefinition:
		return f.Body(b.Source)
	}
	return pyparse.None
}

// jitNeedles are the byte strings of which a file holds one where it jits a function, under whatever name it imports jit.
func jitNeedles() []string {
	return []string{".jit", " jit(", "(jit(", "=jit(", "@jit", "(jit,", "import jit", "filter_jit"}
}

// specNeedles are the byte strings of which a file holds one where it makes a PartitionSpec. One that comes from a private module of
// JAX is none that anything is known of.
func specNeedles() []string {
	return []string{
		".PartitionSpec", "jax.sharding import PartitionSpec", "jax.sharding import *", "experimental import PartitionSpec", "pjit import PartitionSpec", "pxla import PartitionSpec",
		"jax.P(", "jax.P)", "jax.P,", "jax.P ", "jax.P\n", "jax.P\r", "jax import P\n",
	}
}

// meshNeedles are the byte strings of which a program holds one where it makes a mesh with axes that are known.
func meshNeedles() []string { return []string{"Mesh(", "(Mesh", "Mesh as ", "= Mesh", "make_mesh"} }

// layoutNeedles are the byte strings of which a program holds one where it makes a layout: a PartitionSpec, or one that Flax makes of
// logical axes.
func layoutNeedles() []string { return append(specNeedles(), "logical_to_mesh") }

// collectiveNeedles are the byte strings of which a program holds one where it names a mapped axis. Names that variables have too
// count where they are called.
func collectiveNeedles() []string {
	var needles []string
	for _, c := range collectiveAxis {
		switch c.name {
		case "axis_size", "axis_index", "pcast", "pvary":
			needles = append(needles, c.name+"(")
		default:
			needles = append(needles, c.name)
		}
	}
	return needles
}

// processNeedles are the byte strings of which a file holds one where it knows of several processes.
func processNeedles() []string {
	return []string{"process_index", "process_count", "process_local", "process_allgather", "distributed.initialize", "jax.distributed", "import distributed"}
}
