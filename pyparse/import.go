package pyparse

import "strings"

// Import is one name that an import statement binds.
type Import struct {
	Statement NodeID // the import statement
	Node      NodeID // the imported name, without its alias
	Alias     NodeID // the identifier behind as, or None
	Module    string // "a.b" of import a.b and of from a.b import c; "" of from . import c
	Name      string // "c" of from a.b import c, "*" of a star import, "" of import a.b
	Bound     string // the name that the statement binds: the alias, c, or the a of import a.b; "" for a star import
	Level     int    // number of leading dots
}

// Star reports whether the statement binds every public name of the module.
func (i Import) Star() bool { return i.Name == "*" }

// Target is the dotted path that Bound stands for when Level is 0: "a.b" for import a.b as x, "a" for import a.b, "a.b.c" for
// from a.b import c.
func (i Import) Target() string {
	switch {
	case i.Name == "" && i.Alias == None:
		first, _, _ := strings.Cut(i.Module, ".")
		return first
	case i.Name == "":
		return i.Module
	case i.Module == "":
		return i.Name
	}
	return i.Module + "." + i.Name
}

// importsOf returns the bindings that the import statement n makes.
func (f *File) importsOf(n NodeID) []Import {
	base := Import{Statement: n, Alias: None}
	from := true
	switch f.KindOf(n) {
	case KindImportStatement:
		from = false
	case KindFutureImportStatement:
		base.Module = "__future__"
	case KindImportFromStatement:
		base.Module, base.Level = f.moduleName(f.Child(n, FieldModuleName))
	default:
		return nil
	}
	var list []Import
	for c := range f.Children(n) {
		b := base
		switch {
		case f.Is(c, KindWildcardImport):
			b.Node, b.Name = c, "*"
			list = append(list, b)
			continue
		case f.FieldOf(c) != FieldName:
			continue
		}
		b.Node = c
		if f.Is(c, KindAliasedImport) {
			b.Node, b.Alias = f.Child(c, FieldName), f.Child(c, FieldAlias)
		}
		name := f.dotted(b.Node)
		if from {
			b.Name, b.Bound = name, name
		} else {
			b.Module = name
			b.Bound, _, _ = strings.Cut(name, ".")
		}
		if b.Alias != None {
			b.Bound = f.Text(b.Alias)
		}
		list = append(list, b)
	}
	return list
}

func (f *File) moduleName(n NodeID) (module string, level int) {
	if !f.Is(n, KindRelativeImport) {
		return f.dotted(n), 0
	}
	for c := range f.Children(n) {
		if f.Is(c, KindImportPrefix) {
			level = strings.Count(f.Text(c), ".")
		} else {
			module = f.dotted(c)
		}
	}
	return module, level
}

// dotted joins the identifiers of a dotted name, whatever stands between them.
func (f *File) dotted(n NodeID) string {
	if f.Is(n, KindIdentifier) {
		return f.Text(n)
	}
	var parts []string
	for c := range f.Children(n) {
		parts = append(parts, f.Text(c))
	}
	return strings.Join(parts, ".")
}

// DottedName returns the parts of a chain of attributes that starts at a name, such as jax.sharding.Mesh, and false for any
// other expression.
func (f *File) DottedName(n NodeID) (string, bool) {
	switch n = f.Unwrap(n); f.KindOf(n) {
	case KindIdentifier:
		return f.Text(n), true
	case KindDottedName:
		return f.dotted(n), true
	case KindAttribute:
		object, ok := f.DottedName(f.Child(n, FieldObject))
		return object + "." + f.Text(f.Child(n, FieldAttribute)), ok
	}
	return "", false
}
