package pyparse

import "slices"

// ScopeID names a scope by its position in what [File.Scopes] returns. The module's scope is 0.
type ScopeID int32

// NoScope is the ScopeID of no scope.
const NoScope ScopeID = -1

// ScopeKind says what opens a scope.
type ScopeKind uint8

// The kinds of scopes.
const (
	ModuleScope ScopeKind = iota
	ClassScope
	FunctionScope
	LambdaScope
	ComprehensionScope
	TypeParameterScope // between a generic definition and its surroundings
)

// Scope is one namespace of a file.
type Scope struct {
	ID      ScopeID
	Kind    ScopeKind
	Node    NodeID  // module, definition, lambda or comprehension
	Parent  ScopeID // NoScope for the module
	Symbols []*Symbol
}

// BindingKind says how a name is bound.
type BindingKind uint8

// The ways to bind a name.
const (
	BindAssignment BindingKind = iota
	BindAugmented              // x += 1
	BindAnnotation             // x: int, without a value
	BindWalrus
	BindParameter
	BindFunction
	BindClass
	BindImport
	BindFor // loop target, also in a comprehension
	BindWith
	BindExcept
	BindMatch // capture in a pattern
	BindDelete
	BindTypeParameter
	BindTypeAlias
)

// Binding is one place that binds a name.
type Binding struct {
	Kind   BindingKind
	Node   NodeID // the identifier; of import a.b it is that of a
	Source NodeID // what binds it: assignment, definition, parameter, import statement, loop, clause, …
	Import int    // index in File.Imports, or -1
}

// Symbol is one name in one scope.
type Symbol struct {
	Name     string
	Scope    ScopeID
	Bindings []Binding // in source order, also those made in other scopes through global and nonlocal
	Uses     []NodeID  // identifiers that read it, in source order, from whatever scope
	Declared []NodeID  // identifiers in global and nonlocal statements that mean it
}

// Scopes returns the file's namespaces; the module's comes first and is always there.
func (f *File) Scopes() []Scope { return f.scopes().scopes }

// Scope returns the scope with the given ID, which must be one of the file's.
func (f *File) Scope(id ScopeID) *Scope { return &f.scopes().scopes[id] }

// ScopeOpenedBy returns the scope that a module, definition, lambda or comprehension opens, or NoScope.
func (f *File) ScopeOpenedBy(n NodeID) ScopeID {
	if id, ok := f.scopes().opened[n]; ok {
		return id
	}
	return NoScope
}

// ScopeOf returns the scope in which n is evaluated. The decorators, defaults and annotations of a function and the first
// iterable of a comprehension belong to the scope around it; what has type parameters evaluates its annotations and bases
// where those are visible.
func (f *File) ScopeOf(n NodeID) ScopeID {
	t := f.scopes()
	for child, p := n, f.Parent(n); p != None; child, p = p, f.Parent(p) {
		id, ok := t.opened[p]
		if !ok {
			continue
		}
		if inside, typed := f.evaluatedInside(n, child, p); inside {
			return id
		} else if typed && t.scopes[id].Parent != NoScope && t.scopes[t.scopes[id].Parent].Node == p {
			return t.scopes[id].Parent
		}
	}
	return 0
}

// evaluatedInside reports whether n, which stands in or is the child of opener, is evaluated in the scope that opener opens. typed is set where it is
// not but sees opener's type parameters.
func (f *File) evaluatedInside(n, child, opener NodeID) (inside, typed bool) {
	switch f.KindOf(opener) {
	case KindFunctionDefinition, KindLambda:
		switch f.FieldOf(child) {
		case FieldBody:
			return true, false
		case FieldTypeParameters, FieldReturnType:
			return false, true
		case FieldParameters:
			for _, p := range f.Parameters(opener) {
				if f.Contains(p.Annotation, n) {
					return false, true
				}
				if f.Contains(p.NameNode, n) {
					return true, false
				}
			}
		}
		return false, false
	case KindClassDefinition:
		field := f.FieldOf(child)
		return field == FieldBody, field == FieldTypeParameters || field == FieldSuperclasses
	case KindModule:
		return true, false
	}
	for c := range f.Children(opener) {
		if f.Is(c, KindForInClause) {
			return c != child || f.Contains(f.Child(c, FieldLeft), n), false
		}
	}
	return true, false
}

// Resolve returns the symbol that an identifier binds, reads or declares, or nil when nothing in the file binds it: a builtin, a
// name from a star import, or an attribute or keyword, which are no names.
func (f *File) Resolve(identifier NodeID) *Symbol {
	t := f.scopes()
	if f.Is(identifier, KindDottedName) {
		identifier = f.FirstChild(identifier)
	}
	if !f.valid(identifier) || t.symbolOf[identifier] == 0 {
		return nil
	}
	return t.symbols[t.symbolOf[identifier]-1]
}

// Lookup finds name as code in scope would, or returns nil.
func (f *File) Lookup(scope ScopeID, name string) *Symbol {
	t := f.scopes()
	id, ok := t.names[name]
	if !ok || scope < 0 || int(scope) >= len(t.scopes) {
		return nil
	}
	if s := t.find(scope, id, t.redirect); s >= 0 {
		return t.symbols[s]
	}
	return nil
}

// References returns every identifier that means s, bindings and uses and declarations, in source order.
func (f *File) References(s *Symbol) []NodeID {
	if s == nil {
		return nil
	}
	list := make([]NodeID, 0, len(s.Bindings)+len(s.Uses)+len(s.Declared))
	for _, b := range s.Bindings {
		list = append(list, b.Node)
	}
	list = append(append(list, s.Uses...), s.Declared...)
	slices.Sort(list)
	return slices.Compact(list)
}
