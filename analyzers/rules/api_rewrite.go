package rules

import (
	"fmt"
	"sort"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// replacement collects the edits that put other names in place of one library name: at an import the name makes way for those that
// take its place, in the statement that it stands in.
type replacement struct {
	w       *writer
	mention flow.Mention
	names   []string // what the import statement imports instead
	edits   []analyzers.Edit
	failed  bool
}

func replacing(w *writer, m flow.Mention) *replacement { return &replacement{w: w, mention: m} }

// name spells a library name. A name of the module that the old one is imported from takes its place in the import.
func (r *replacement) name(name string) string {
	imp, ok := importAt(r.mention)
	if written := spelling(r.w.file.Syntax, name); !ok || imp.Level != 0 || written != "" && !strings.HasPrefix(written, "jax.") {
		return r.w.name(name)
	}
	module, last := name[:strings.LastIndexByte(name, '.')], lastName(name)
	if imp.Module != module {
		return r.w.name(name)
	}
	written, binds := last, last
	if name == partitionSpec {
		written, binds = last+" as P", "P"
	}
	for _, n := range r.names {
		if n == written {
			return binds
		}
	}
	if !r.w.free(binds) {
		r.failed = true
	}
	r.names = append(r.names, written)
	return binds
}

const partitionSpec = "jax.sharding.PartitionSpec"

// importAt is the import that a mention is.
func importAt(m flow.Mention) (pyparse.Import, bool) {
	if !m.Import {
		return pyparse.Import{}, false
	}
	for _, imp := range m.At.File.Syntax.Imports {
		if imp.Node == m.At.Node {
			return imp, true
		}
	}
	return pyparse.Import{}, false
}

// fix is the fix of all edits, with that of the import.
func (r *replacement) fix(title string, safety analyzers.Safety) []analyzers.Fix {
	if r.failed || len(r.edits) == 0 {
		return nil
	}
	edits := r.edits
	if imp, ok := importAt(r.mention); ok {
		file := r.w.file
		whole := flow.Ref{File: file, Node: importedName(file.Syntax, imp)}
		switch {
		case len(r.names) > 0:
			sort.Strings(r.names)
			edits = append(edits, replaced(whole, strings.Join(r.names, ", ")))
		default:
			edits = append(edits, importDropped(file, imp))
		}
	} else if imp, ok := importBehind(r.mention); ok {
		edits = append(edits, importDropped(r.w.file, imp))
	}
	return r.w.fix(title, safety, edits...)
}

// importDropped removes one imported name, and the statement with it where it is the only one.
func importDropped(f *flow.File, imp pyparse.Import) analyzers.Edit {
	if importsIn(f.Syntax, imp.Statement) == 1 {
		return lineDropped(flow.Ref{File: f, Node: imp.Statement})
	}
	return listItemDropped(flow.Ref{File: f, Node: importedName(f.Syntax, imp)})
}

// importBehind is the import of the module that an attribute is read from, where nothing else uses it.
func importBehind(m flow.Mention) (pyparse.Import, bool) {
	if !isKind(m.At, pyparse.KindAttribute) {
		return pyparse.Import{}, false
	}
	s := m.At.File.Syntax
	base := s.Child(m.At.Node, pyparse.FieldObject)
	symbol := s.Resolve(base)
	if !s.Is(base, pyparse.KindIdentifier) || symbol == nil || len(symbol.Uses) != 1 || len(symbol.Bindings) != 1 || symbol.Bindings[0].Import < 0 {
		return pyparse.Import{}, false
	}
	imp := s.Imports[symbol.Bindings[0].Import]
	return imp, imp.Level == 0 && strings.HasPrefix(imp.Target(), experimental) && s.Is(s.Parent(imp.Statement), pyparse.KindModule)
}

// listItemDropped removes one item of a list together with the comma behind it, or before it where it is the last.
func listItemDropped(at flow.Ref) analyzers.Edit {
	span, source := spanOf(at), string(at.File.Syntax.Source)
	rest := source[span.End:]
	line, _, _ := strings.Cut(rest, "\n")
	if indent, own := indentation(at.File.Syntax, span.Start); own && strings.TrimSpace(line) == "," {
		span.Start -= len(indent) // a line of its own
		span.End = nextLine(at.File.Syntax.Source, span.End)
		return analyzers.Edit{Span: span}
	}
	if trimmed := strings.TrimLeft(rest, " \t\r\n"); strings.HasPrefix(trimmed, ",") {
		span.End += len(rest) - len(trimmed) + 1
		for span.End < len(source) && source[span.End] == ' ' {
			span.End++
		}
		return analyzers.Edit{Span: span}
	}
	before := strings.TrimRight(source[:span.Start], " \t\r\n")
	if strings.HasSuffix(before, ",") {
		span.Start = len(before) - 1
	}
	return analyzers.Edit{Span: span}
}

// deviceAxis is the axis of the meshes that fixes make over a list of devices.
const deviceAxis = "devices"

// overDevices is the sharding that splits the leading dimension over a list of devices.
func (r *replacement) overDevices(devices, spec string) string {
	mesh, sharding := r.name("jax.sharding.Mesh"), r.name(namedSharding)
	return fmt.Sprintf("%s(%s(%s, (%s,)), %s)", sharding, mesh, devices, quoted(r.w.file, deviceAxis), spec)
}

// namedInstead turns PositionalSharding(devices), also reshaped to one dimension that is split and others that are whole, and replicated, into a
// NamedSharding of a mesh over the same devices.
func namedInstead(m flow.Mention) []analyzers.Fix {
	r := replacing(writing(m.At.File), m)
	for _, use := range usesOf(m) {
		call, first, ok := callOf(use)
		s := use.File.Syntax
		if !ok || first != 0 {
			return nil
		}
		args := s.Arguments(call.Node)
		if len(args) != 1 || args[0].Kind != pyparse.Positional {
			return nil
		}
		entries, whole, ok := positionalEntries(call)
		if !ok {
			return nil
		}
		for i, e := range entries {
			if e != "None" {
				entries[i] = quoted(use.File, e)
			}
		}
		spec := r.name(partitionSpec) + "(" + strings.Join(entries, ", ") + ")"
		r.edits = append(r.edits, replaced(whole, r.overDevices(s.Text(args[0].Value), spec)))
	}
	return r.fix("Use NamedSharding", analyzers.Unsafe)
}

// positionalEntries reads off what is done to a PositionalSharding: nothing, one reshape with a single dimension that is not 1, or replicate().
func positionalEntries(call flow.Ref) (entries []string, whole flow.Ref, ok bool) {
	s := call.File.Syntax
	attribute := s.Parent(call.Node)
	outer := flow.Ref{File: call.File, Node: s.Parent(attribute)}
	if !s.Is(attribute, pyparse.KindAttribute) || s.Callee(outer.Node) != attribute {
		return []string{deviceAxis}, call, staysAsItIs(call)
	}
	args := s.Arguments(outer.Node)
	switch s.Text(s.Child(attribute, pyparse.FieldAttribute)) {
	case "replicate":
		return nil, outer, len(args) == 0
	case "reshape":
		split := false
		for _, a := range args {
			if n, isInt := s.Int(a.Value); isInt && n == 1 {
				entries = append(entries, "None")
				continue
			}
			if split || a.Kind != pyparse.Positional {
				return nil, outer, false
			}
			split = true
			entries = append(entries, deviceAxis)
		}
		for len(entries) > 0 && entries[len(entries)-1] == "None" {
			entries = entries[:len(entries)-1]
		}
		return entries, outer, split
	}
	return nil, outer, false
}

// staysAsItIs reports whether a value is only handed on: where it is made, or under a name that is used for nothing else.
func staysAsItIs(call flow.Ref) bool {
	s := call.File.Syntax
	parent := s.Parent(call.Node)
	if s.Is(parent, pyparse.KindArgumentList, pyparse.KindKeywordArgument) {
		return true
	}
	left := s.Child(parent, pyparse.FieldLeft)
	if !s.Is(parent, pyparse.KindAssignment) || !s.Is(left, pyparse.KindIdentifier) || s.Resolve(left) == nil {
		return false
	}
	for _, use := range s.Resolve(left).Uses {
		if !s.Is(s.Parent(use), pyparse.KindArgumentList, pyparse.KindKeywordArgument) {
			return false
		}
	}
	return true
}

// stackedPut turns device_put_replicated(x, devices) and device_put_sharded(shards, devices) into device_put of the stacked array, split over a
// mesh of those devices.
func stackedPut(m flow.Mention) []analyzers.Fix {
	w := writing(m.At.File)
	r := replacing(w, m)
	for _, use := range usesOf(m) {
		call, first, ok := callOf(use)
		if !ok || first != 0 {
			return nil
		}
		s := use.File.Syntax
		args := s.Arguments(call.Node)
		if len(args) != 2 || args[0].Kind != pyparse.Positional || args[1].Kind != pyparse.Positional {
			return nil
		}
		x, devices := s.Text(args[0].Value), s.Text(args[1].Value)
		put, tree, stack := r.name("jax.device_put"), r.name("jax.tree.map"), r.name("jax.numpy.stack")
		stacked := fmt.Sprintf("%s(lambda a: %s([a] * len(%s)), %s)", tree, stack, devices, x)
		if strings.HasSuffix(m.Path, "device_put_sharded") {
			stacked = fmt.Sprintf("%s(lambda *a: %s(a), *%s)", tree, stack, x)
		}
		spec := fmt.Sprintf("%s(%s)", r.name(partitionSpec), quoted(use.File, deviceAxis))
		r.edits = append(r.edits, replaced(call, fmt.Sprintf("%s(%s, %s)", put, stacked, r.overDevices(devices, spec))))
	}
	return r.fix("Use device_put of the stacked array", analyzers.Unsafe)
}

// pjitReplaced turns pjit into jax.jit. Bare specs stay with pjit: jit looks for their mesh elsewhere.
func pjitReplaced(facts *flow.Facts, m flow.Mention) []analyzers.Fix {
	for _, e := range facts.Named("jax.experimental.pjit.pjit") {
		if len(e.Pos) > 1 || e.Splat || holdsSpec(e.Value(-1, "in_shardings")) || holdsSpec(e.Value(-1, "out_shardings")) {
			return nil
		}
	}
	r := replacing(writing(m.At.File), m)
	jit := r.name("jax.jit")
	for _, use := range usesOf(m) {
		r.edits = append(r.edits, replaced(use, jit))
	}
	return r.fix("Use jax.jit", analyzers.Unsafe)
}
