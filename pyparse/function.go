package pyparse

// ParameterKind says how a parameter can be filled.
type ParameterKind uint8

// The kinds of parameters, in the order in which Python wants them.
const (
	PositionalOnly ParameterKind = iota
	PositionalOrKeyword
	VarPositional // *args
	KeywordOnly
	VarKeyword // **kwargs
)

// Parameter is one parameter of a function definition or lambda.
type Parameter struct {
	Kind       ParameterKind
	Node       NodeID // the whole parameter
	NameNode   NodeID // its identifier
	Name       string
	Annotation NodeID // the annotation's expression, or None
	Default    NodeID // or None
}

// Parameters returns the parameters of a function definition or lambda in source order.
func (f *File) Parameters(function NodeID) []Parameter {
	list := f.Child(function, FieldParameters)
	var parameters []Parameter
	keywordOnly := false
	if count := f.childCount(list); count > 0 {
		parameters = make([]Parameter, 0, count)
	}
	for c := range f.Children(list) {
		switch f.KindOf(c) {
		case KindPositionalSeparator:
			for i := range parameters {
				parameters[i].Kind = PositionalOnly
			}
			continue
		case KindKeywordSeparator:
			keywordOnly = true
			continue
		case KindError:
			continue
		}
		p := f.parameter(c)
		if p.Kind == PositionalOrKeyword && keywordOnly {
			p.Kind = KeywordOnly
		}
		keywordOnly = keywordOnly || p.Kind == VarPositional
		parameters = append(parameters, p)
	}
	return parameters
}

func (f *File) parameter(n NodeID) Parameter {
	p := Parameter{Kind: PositionalOrKeyword, Node: n, NameNode: n, Annotation: None, Default: f.Child(n, FieldValue)}
	switch f.KindOf(n) {
	case KindDefaultParameter, KindTypedDefaultParameter:
		p.NameNode = f.Child(n, FieldName)
	case KindTypedParameter:
		p.NameNode = f.FirstChild(n)
	}
	p.Annotation = f.FirstChild(f.Child(n, FieldType))
	switch f.KindOf(p.NameNode) {
	case KindListSplatPattern:
		p.Kind, p.NameNode = VarPositional, f.FirstChild(p.NameNode)
	case KindDictionarySplatPattern:
		p.Kind, p.NameNode = VarKeyword, f.FirstChild(p.NameNode)
	}
	p.Name = f.Text(p.NameNode)
	return p
}

// Name returns the name that a function or class definition binds, and its identifier.
func (f *File) Name(definition NodeID) (string, NodeID) {
	if f.Is(definition, KindDecoratedDefinition) {
		definition = f.Child(definition, FieldDefinition)
	}
	n := f.Child(definition, FieldName)
	return f.Text(n), n
}

// IsAsync reports whether a definition, loop, with statement or comprehension clause is asynchronous.
func (f *File) IsAsync(n NodeID) bool {
	return f.valid(n) && f.Nodes[n].Next > uint32(n)+1 && f.Nodes[n+1].Kind == KindAsync
}

// Body returns the block of a compound statement or the expression of a lambda or comprehension, or None.
func (f *File) Body(n NodeID) NodeID {
	if f.Is(n, KindDecoratedDefinition) {
		n = f.Child(n, FieldDefinition)
	}
	return f.Child(n, FieldBody)
}

// Docstring returns the string that documents a module, class or function, or None.
func (f *File) Docstring(n NodeID) NodeID {
	if !f.Is(n, KindModule) {
		n = f.Body(n)
	}
	first := f.FirstChild(n)
	if !f.Is(first, KindExpressionStatement) {
		return None
	}
	s := f.FirstChild(first)
	if f.Is(s, KindString, KindConcatenatedString) && !f.StringLiteral(s).Interpolated && !f.StringLiteral(s).Bytes {
		return s
	}
	return None
}

// Clause is one part of a comprehension: a loop, or a condition when If is set.
type Clause struct {
	Node   NodeID
	Target NodeID // of a loop
	Iter   NodeID // of a loop
	If     NodeID // condition, or None
	Async  bool
}

// Clauses returns the loops and conditions of a comprehension or generator expression in source order.
func (f *File) Clauses(comprehension NodeID) []Clause {
	var list []Clause
	for c := range f.Children(comprehension) {
		switch f.KindOf(c) {
		case KindForInClause:
			list = append(list, Clause{Node: c, Target: f.Child(c, FieldLeft), Iter: f.Child(c, FieldRight), If: None, Async: f.IsAsync(c)})
		case KindIfClause:
			list = append(list, Clause{Node: c, Target: None, Iter: None, If: f.FirstChild(c)})
		}
	}
	return list
}
