package pyparse

// Scopes returns the file's namespaces; the module's comes first.
func (f *File) Scopes() []Scope { return []Scope{{Node: 0, Parent: NoScope}} }

// ScopeOf returns the scope in which n is evaluated. The decorators, defaults and annotations of a function and the first
// iterable of a comprehension belong to the scope around it.
func (f *File) ScopeOf(n NodeID) ScopeID { return 0 }

// ScopeOpenedBy returns the scope that a module, definition, lambda or comprehension opens, or NoScope.
func (f *File) ScopeOpenedBy(n NodeID) ScopeID { return NoScope }

// Resolve returns the symbol that an identifier binds or reads, or nil when nothing in the file binds it: a builtin, a name from a
// star import, or an attribute or keyword, which are no names.
func (f *File) Resolve(identifier NodeID) *Symbol { return nil }

// Lookup finds name as code in scope would, or returns nil.
func (f *File) Lookup(scope ScopeID, name string) *Symbol { return nil }

// References returns every identifier that means s, bindings and uses and declarations, in source order.
func (f *File) References(s *Symbol) []NodeID { return nil }
