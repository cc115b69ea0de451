package pyparse

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
	Node   NodeID // the identifier, or the dotted name of import a.b
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
