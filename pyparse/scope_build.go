package pyparse

import (
	"slices"
)

// scopeTable is what the scopes of one file come to. It is built on first use and does not change afterwards.
type scopeTable struct {
	scopes   []Scope
	symbols  []*Symbol
	symbolOf []int32 // index in symbols plus 1 by node; 0 where a node is no resolved name
	opened   map[NodeID]ScopeID
	names    map[string]int32
	byName   map[scopedName]int32 // index in symbols
	redirect map[scopedName]role  // what global and nonlocal statements say
}

// scopedName is a name, by its number, in one scope.
type scopedName struct {
	scope ScopeID
	name  int32
}

// event is one occurrence of a name, kept until every declaration of the file is known.
type event struct {
	node, source NodeID
	scope        ScopeID
	role         role
	binding      BindingKind
	imported     int32
}

// role says what an occurrence does.
type role uint8

const (
	roleUse role = iota
	roleBind
	roleGlobal
	roleNonlocal
)

// scopeBuilder walks a file once and collects scopes and events.
type scopeBuilder struct {
	f       *File
	table   *scopeTable
	events  []event
	imports map[NodeID]int // statement → its first index in File.Imports
}

func buildScopes(f *File) *scopeTable {
	b := &scopeBuilder{f: f, table: &scopeTable{
		symbolOf: make([]int32, len(f.Nodes)),
		opened:   map[NodeID]ScopeID{},
		names:    map[string]int32{},
		byName:   map[scopedName]int32{},
	}, imports: map[NodeID]int{}}
	for i := len(f.Imports) - 1; i >= 0; i-- {
		b.imports[f.Imports[i].Statement] = i
	}
	module := b.open(ModuleScope, 0, NoScope)
	for c := range f.Children(0) {
		b.visit(c, module)
	}
	b.settle()
	return b.table
}

func (b *scopeBuilder) open(kind ScopeKind, n NodeID, parent ScopeID) ScopeID {
	id := ScopeID(len(b.table.scopes))
	b.table.scopes = append(b.table.scopes, Scope{ID: id, Kind: kind, Node: n, Parent: parent})
	if kind != TypeParameterScope {
		b.table.opened[n] = id
	}
	return id
}

func (b *scopeBuilder) bind(n NodeID, scope ScopeID, kind BindingKind, source NodeID) {
	if b.f.Is(n, KindIdentifier) {
		b.events = append(b.events, event{node: n, source: source, scope: scope, role: roleBind, binding: kind, imported: -1})
	}
}

func (b *scopeBuilder) visitAll(n NodeID, scope ScopeID) {
	for c := range b.f.Children(n) {
		b.visit(c, scope)
	}
}

// visit records the names in n, which is evaluated in scope.
func (b *scopeBuilder) visit(n NodeID, scope ScopeID) {
	f := b.f
	switch f.KindOf(n) {
	case KindIdentifier:
		b.events = append(b.events, event{node: n, source: n, scope: scope, role: roleUse})
	case KindAttribute:
		b.visit(f.Child(n, FieldObject), scope)
	case KindKeywordArgument:
		b.visit(f.Child(n, FieldValue), scope)
	case KindNamedExpression:
		b.bind(f.Child(n, FieldName), b.outsideComprehension(scope), BindWalrus, n)
		b.visit(f.Child(n, FieldValue), scope)
	case KindFunctionDefinition, KindLambda:
		b.function(n, scope)
	case KindClassDefinition:
		b.class(n, scope)
	case KindListComprehension, KindSetComprehension, KindDictionaryComprehension, KindGeneratorExpression:
		b.comprehension(n, scope)
	case KindImportStatement, KindImportFromStatement, KindFutureImportStatement:
		b.importStatement(n, scope)
	case KindGlobalStatement:
		b.declare(n, scope, roleGlobal)
	case KindNonlocalStatement:
		b.declare(n, scope, roleNonlocal)
	case KindTypeAliasStatement:
		b.typeAlias(n, scope)
	default:
		b.visitBinding(n, scope)
	}
}

// visitBinding handles the statements and clauses that bind names next to what they evaluate, and passes through the rest.
func (b *scopeBuilder) visitBinding(n NodeID, scope ScopeID) {
	f := b.f
	switch f.KindOf(n) {
	case KindAssignment:
		kind := BindAssignment
		if f.Child(n, FieldRight) == None {
			kind = BindAnnotation
		}
		b.target(f.Child(n, FieldLeft), scope, kind, n)
		b.visit(f.Child(n, FieldType), scope)
		b.visit(f.Child(n, FieldRight), scope)
	case KindAugmentedAssignment:
		b.target(f.Child(n, FieldLeft), scope, BindAugmented, n)
		b.visit(f.Child(n, FieldRight), scope)
	case KindForStatement:
		left := f.Child(n, FieldLeft)
		b.target(left, scope, BindFor, n)
		for c := range f.Children(n) {
			if c != left {
				b.visit(c, scope)
			}
		}
	case KindAsPattern:
		kind := BindWith
		if f.Is(f.Parent(n), KindExceptClause, KindExceptGroupClause) {
			kind = BindExcept
		}
		for c := range f.Children(n) {
			if f.FieldOf(c) == FieldAlias {
				b.target(c, scope, kind, n)
			} else {
				b.visit(c, scope)
			}
		}
	case KindDeleteStatement:
		for c := range f.Children(n) {
			b.target(c, scope, BindDelete, n)
		}
	case KindCaseClause:
		for c := range f.Children(n) {
			if f.Is(c, KindCasePattern) {
				b.pattern(c, scope)
			} else {
				b.visit(c, scope)
			}
		}
	default:
		b.visitAll(n, scope)
	}
}

// target records the names that an assignment target binds; attributes and subscripts in it are evaluated.
func (b *scopeBuilder) target(n NodeID, scope ScopeID, kind BindingKind, source NodeID) {
	switch b.f.KindOf(n) {
	case KindIdentifier:
		b.bind(n, scope, kind, source)
	case KindPatternList, KindTuplePattern, KindListPattern, KindListSplatPattern, KindTuple, KindList, KindListSplat,
		KindParenthesizedExpression, KindExpressionList, KindAsPatternTarget:
		for c := range b.f.Children(n) {
			b.target(c, scope, kind, source)
		}
	default:
		b.visit(n, scope)
	}
}

// pattern records the names that a case pattern captures and the values it refers to.
func (b *scopeBuilder) pattern(n NodeID, scope ScopeID) {
	f := b.f
	switch f.KindOf(n) {
	case KindDottedName:
		first := f.FirstChild(n)
		if first != None && f.Nodes[first].Next == f.Nodes[n].Next && !f.Is(f.Parent(n), KindClassPattern) {
			b.bind(first, scope, BindMatch, n)
		} else {
			b.visit(first, scope)
		}
	case KindKeywordPattern:
		for i, c := range f.ChildList(n) {
			if i > 0 {
				b.pattern(c, scope)
			}
		}
	case KindIdentifier:
		if f.Text(n) != "_" {
			b.bind(n, scope, BindMatch, f.Parent(n))
		}
	case KindString, KindConcatenatedString:
		b.visit(n, scope)
	default:
		for c := range f.Children(n) {
			b.pattern(c, scope)
		}
	}
}

func (b *scopeBuilder) function(n NodeID, scope ScopeID) {
	f := b.f
	kind := LambdaScope
	if f.Is(n, KindFunctionDefinition) {
		kind = FunctionScope
		b.bind(f.Child(n, FieldName), scope, BindFunction, n)
	}
	parameters := f.Parameters(n)
	for _, p := range parameters {
		b.visit(p.Default, scope)
	}
	outer := b.typeParameters(f.Child(n, FieldTypeParameters), n, scope)
	inner := b.open(kind, n, outer)
	for _, p := range parameters {
		b.bind(p.NameNode, inner, BindParameter, p.Node)
		if f.Is(p.NameNode, KindTuplePattern, KindError) {
			b.target(p.NameNode, inner, BindParameter, p.Node)
		}
		b.visit(p.Annotation, outer)
	}
	b.visit(f.Child(n, FieldReturnType), outer)
	b.visit(f.Child(n, FieldBody), inner)
}

func (b *scopeBuilder) class(n NodeID, scope ScopeID) {
	f := b.f
	b.bind(f.Child(n, FieldName), scope, BindClass, n)
	outer := b.typeParameters(f.Child(n, FieldTypeParameters), n, scope)
	b.visit(f.Child(n, FieldSuperclasses), outer)
	b.visit(f.Child(n, FieldBody), b.open(ClassScope, n, outer))
}

// typeParameters opens the scope of a list of type parameters and returns it, or returns scope when there is no list.
func (b *scopeBuilder) typeParameters(list, definition NodeID, scope ScopeID) ScopeID {
	if list == None {
		return scope
	}
	inner := b.open(TypeParameterScope, definition, scope)
	for c := range b.f.Children(list) {
		n := c
		for b.f.Is(n, KindType, KindSplatType, KindConstrainedType) && b.f.FirstChild(n) != None {
			if b.f.Is(n, KindConstrainedType) {
				for i, part := range b.f.ChildList(n) {
					if i > 0 {
						b.visit(part, inner)
					}
				}
			}
			n = b.f.FirstChild(n)
		}
		b.bind(n, inner, BindTypeParameter, c)
	}
	return inner
}

func (b *scopeBuilder) typeAlias(n NodeID, scope ScopeID) {
	parts := b.f.ChildList(n)
	if len(parts) == 0 {
		return
	}
	inner, name := scope, b.f.FirstChild(parts[0])
	if generic := name; b.f.Is(generic, KindGenericType) {
		name = b.f.FirstChild(generic)
		for c := range b.f.Children(generic) {
			if b.f.Is(c, KindTypeParameter) {
				inner = b.typeParameters(c, n, scope)
			}
		}
	}
	b.bind(name, scope, BindTypeAlias, n)
	for _, p := range parts[1:] {
		b.visit(p, inner)
	}
}

func (b *scopeBuilder) comprehension(n NodeID, scope ScopeID) {
	f := b.f
	inner := b.open(ComprehensionScope, n, scope)
	first := true
	for c := range f.Children(n) {
		if !f.Is(c, KindForInClause) {
			b.visit(c, inner)
			continue
		}
		left := f.Child(c, FieldLeft)
		b.target(left, inner, BindFor, c)
		for part := range f.Children(c) {
			switch {
			case part == left:
			case first:
				b.visit(part, scope)
			default:
				b.visit(part, inner)
			}
		}
		first = false
	}
}

func (b *scopeBuilder) importStatement(n NodeID, scope ScopeID) {
	for i := b.imports[n]; i < len(b.f.Imports) && b.f.Imports[i].Statement == n; i++ {
		im := b.f.Imports[i]
		if im.Star() {
			continue
		}
		at := im.Node
		if im.Alias != None {
			at = im.Alias
		} else if b.f.Is(at, KindDottedName) {
			at = b.f.FirstChild(at)
		}
		b.events = append(b.events, event{node: at, source: n, scope: scope, role: roleBind, binding: BindImport, imported: int32(i)})
	}
}

func (b *scopeBuilder) declare(n NodeID, scope ScopeID, r role) {
	for c := range b.f.Children(n) {
		if b.f.Is(c, KindIdentifier) {
			b.events = append(b.events, event{node: c, source: n, scope: scope, role: r})
		}
	}
}

// outsideComprehension returns the scope in which a := in scope binds.
func (b *scopeBuilder) outsideComprehension(scope ScopeID) ScopeID {
	for b.table.scopes[scope].Kind == ComprehensionScope {
		scope = b.table.scopes[scope].Parent
	}
	return scope
}

// settle turns events into symbols: first what is bound where, then what each use means.
func (b *scopeBuilder) settle() {
	t := b.table
	slices.SortStableFunc(b.events, func(x, y event) int { return int(x.node - y.node) })
	names := make([]int32, len(b.events))
	redirect := map[scopedName]role{}
	t.redirect = redirect
	for i, e := range b.events {
		names[i] = t.name(b.f.Bytes(e.node))
		if e.role == roleGlobal || e.role == roleNonlocal {
			redirect[scopedName{e.scope, names[i]}] = e.role
		}
	}
	for i, e := range b.events {
		if e.role == roleBind && redirect[scopedName{e.scope, names[i]}] != roleNonlocal {
			scope := e.scope
			if redirect[scopedName{e.scope, names[i]}] == roleGlobal {
				scope = 0
			}
			t.symbol(scope, names[i], b.f, e.node)
		}
	}
	for i, e := range b.events {
		s := t.find(e.scope, names[i], redirect)
		if s < 0 && e.role != roleUse {
			s = t.symbol(0, names[i], b.f, e.node)
		}
		if s < 0 {
			continue
		}
		t.symbolOf[e.node] = s + 1
		symbol := t.symbols[s]
		switch e.role {
		case roleUse:
			symbol.Uses = append(symbol.Uses, e.node)
		case roleBind:
			symbol.Bindings = append(symbol.Bindings, Binding{Kind: e.binding, Node: e.node, Source: e.source, Import: int(e.imported)})
		default:
			symbol.Declared = append(symbol.Declared, e.node)
		}
	}
}

// name numbers the names of a file.
func (t *scopeTable) name(text []byte) int32 {
	id, ok := t.names[string(text)]
	if !ok {
		id = int32(len(t.names))
		t.names[string(text)] = id
	}
	return id
}

// symbol returns the index of the symbol called name in scope and makes it when there is none.
func (t *scopeTable) symbol(scope ScopeID, name int32, f *File, n NodeID) int32 {
	key := scopedName{scope, name}
	s, ok := t.byName[key]
	if !ok {
		s = int32(len(t.symbols))
		symbol := &Symbol{Name: f.Text(n), Scope: scope}
		t.symbols = append(t.symbols, symbol)
		t.scopes[scope].Symbols = append(t.scopes[scope].Symbols, symbol)
		t.byName[key] = s
	}
	return s
}

// find looks name up from scope by Python's rules and returns the symbol's index, or -1. redirect holds what global and nonlocal
// statements say and may be nil.
func (t *scopeTable) find(scope ScopeID, name int32, redirect map[scopedName]role) int32 {
	direct := true // class scopes are seen only from their own body, and from type parameters right inside
	for at := scope; at != NoScope; at = t.scopes[at].Parent {
		kind := t.scopes[at].Kind
		if kind == ClassScope && !direct {
			continue
		}
		key := scopedName{at, name}
		switch redirect[key] {
		case roleGlobal:
			at, key = 0, scopedName{0, name}
		case roleNonlocal:
			direct = false
			continue
		}
		if s, ok := t.byName[key]; ok {
			return s
		}
		direct = kind == TypeParameterScope && direct
	}
	return -1
}
