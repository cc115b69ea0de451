package pyparse

// Assignment is a = b = value, a: T = value, or a += value.
type Assignment struct {
	Node       NodeID
	Targets    []NodeID // left to right; one when annotated or augmented
	Value      NodeID   // None in a bare annotation
	Annotation NodeID   // the annotation's expression, or None
	Operator   string   // "+=" and so on, "" for a plain assignment
}

// Assignment decodes an assignment or augmented assignment, and reports whether n is one. Of a chain a = b = c the outermost
// node stands for all.
func (f *File) Assignment(n NodeID) (Assignment, bool) {
	a := Assignment{Node: n, Value: None, Annotation: None}
	switch f.KindOf(n) {
	case KindAugmentedAssignment:
		a.Targets = []NodeID{f.Child(n, FieldLeft)}
		a.Operator = f.Text(f.Child(n, FieldOperator))
		a.Value = f.Child(n, FieldRight)
	case KindAssignment:
		a.Annotation = f.FirstChild(f.Child(n, FieldType))
		for ; f.Is(n, KindAssignment); n = a.Value {
			a.Targets = append(a.Targets, f.Child(n, FieldLeft))
			a.Value = f.Child(n, FieldRight)
		}
	default:
		return Assignment{}, false
	}
	return a, true
}

// TargetNames yields the identifiers that an assignment target, loop target or similar binds, through tuples, lists, stars and
// parentheses. Attributes and subscripts bind no name.
func (f *File) TargetNames(target NodeID) []NodeID {
	var names []NodeID
	var walk func(NodeID)
	walk = func(n NodeID) {
		switch f.KindOf(n) {
		case KindIdentifier:
			names = append(names, n)
		case KindPatternList, KindTuplePattern, KindListPattern, KindListSplatPattern, KindTuple, KindList, KindListSplat,
			KindParenthesizedExpression, KindExpressionList, KindAsPatternTarget:
			for c := range f.Children(n) {
				walk(c)
			}
		}
	}
	walk(target)
	return names
}

// WithItem is one context manager of a with statement.
type WithItem struct {
	Node   NodeID
	Value  NodeID
	Target NodeID // what stands behind as, or None
}

// WithItems returns the context managers of a with statement in source order.
func (f *File) WithItems(statement NodeID) []WithItem {
	var items []WithItem
	for clause := range f.Children(statement) {
		if !f.Is(clause, KindWithClause) {
			continue
		}
		for c := range f.Children(clause) {
			if f.Is(c, KindWithItem) {
				items = append(items, f.withItem(c))
			}
		}
	}
	return items
}

func (f *File) withItem(n NodeID) WithItem {
	item := WithItem{Node: n, Value: f.Child(n, FieldValue), Target: None}
	if f.Is(item.Value, KindAsPattern) {
		item.Target = f.FirstChild(f.Child(item.Value, FieldAlias))
		item.Value = f.FirstChild(item.Value)
	}
	return item
}

// Subscripts returns the indices of a subscript: one per comma-separated part.
func (f *File) Subscripts(n NodeID) []NodeID {
	var list []NodeID
	for c := range f.ChildrenIn(n, FieldSubscript) {
		list = append(list, c)
	}
	return list
}

// Operator returns the operator of a unary, binary or boolean operator or augmented assignment, "not" for a negation, and the
// first operator of a comparison.
func (f *File) Operator(n NodeID) string {
	if f.Is(n, KindNotOperator) {
		return "not"
	}
	if op := f.Child(n, FieldOperator); op != None {
		return f.Text(op)
	}
	return f.Text(f.Child(n, FieldOperators))
}
