package pyparse

import "iter"

// ArgumentKind says how an argument is passed.
type ArgumentKind uint8

// The ways to pass an argument.
const (
	Positional    ArgumentKind = iota
	Keyword                    // name=value
	Star                       // *value
	DoubleStar                 // **value
	GeneratorOnly              // the bare generator of f(x for x in y); Value is the generator expression
)

// Argument is one argument of a call, of a class definition's bases, or of a decorator.
type Argument struct {
	Kind  ArgumentKind
	Node  NodeID // the whole argument, with its name or stars
	Value NodeID
	Name  string // of a keyword argument
	Key   NodeID // identifier of a keyword argument, else None
}

// Callee returns the expression that a call calls, or None when n is no call.
func (f *File) Callee(n NodeID) NodeID {
	if !f.Is(n, KindCall) {
		return None
	}
	return f.Child(n, FieldFunction)
}

// Arguments returns the arguments of a call, or the bases and keywords of a class definition, in source order.
func (f *File) Arguments(n NodeID) []Argument {
	var arguments []Argument
	for a := range f.EachArgument(n) {
		arguments = append(arguments, a)
	}
	return arguments
}

// EachArgument yields what [File.Arguments] returns.
func (f *File) EachArgument(n NodeID) iter.Seq[Argument] {
	return func(yield func(Argument) bool) {
		list := f.argumentList(n)
		if f.KindOf(list) == KindGeneratorExpression {
			yield(Argument{Kind: GeneratorOnly, Node: list, Value: list, Key: None})
			return
		}
		for c := range f.Children(list) {
			if f.KindOf(c) != KindError && !yield(f.argument(c)) {
				return
			}
		}
	}
}

// ArgumentCount returns how many arguments of each sort stand in a call: by position, stars included, and by keyword.
func (f *File) ArgumentCount(n NodeID) (positional, keyword int) {
	list := f.argumentList(n)
	if f.KindOf(list) == KindGeneratorExpression {
		return 1, 0
	}
	for c := range f.Children(list) {
		switch f.KindOf(c) {
		case KindError:
		case KindKeywordArgument, KindDictionarySplat:
			keyword++
		default:
			positional++
		}
	}
	return positional, keyword
}

// argumentList returns the node that holds the arguments of a call or the bases of a class, or None.
func (f *File) argumentList(n NodeID) NodeID {
	switch f.KindOf(n) {
	case KindCall:
		return f.Child(n, FieldArguments)
	case KindClassDefinition:
		return f.Child(n, FieldSuperclasses)
	}
	return None
}

func (f *File) argument(c NodeID) Argument {
	a := Argument{Node: c, Value: c, Key: None}
	switch f.KindOf(c) {
	case KindKeywordArgument:
		a.Kind, a.Key, a.Value = Keyword, f.Child(c, FieldName), f.Child(c, FieldValue)
		a.Name = f.Text(a.Key)
	case KindListSplat:
		a.Kind, a.Value = Star, f.FirstChild(c)
	case KindParenthesizedListSplat:
		a.Kind, a.Value = Star, f.FirstChild(f.splatIn(c))
	case KindDictionarySplat:
		a.Kind, a.Value = DoubleStar, f.FirstChild(c)
	}
	return a
}

// splatIn finds the list splat inside any number of parentheses.
func (f *File) splatIn(n NodeID) NodeID {
	for n != None && !f.Is(n, KindListSplat) {
		n = f.FirstChild(n)
	}
	return n
}

// KeywordArgument returns the value of the keyword argument name of a call, or None.
func (f *File) KeywordArgument(call NodeID, name string) NodeID {
	for _, a := range f.Arguments(call) {
		if a.Kind == Keyword && a.Name == name {
			return a.Value
		}
	}
	return None
}

// Decorators returns the expressions behind the @ of a function or class definition, outermost first.
func (f *File) Decorators(definition NodeID) []NodeID {
	outer := definition
	if !f.Is(outer, KindDecoratedDefinition) {
		outer = f.Parent(definition)
	}
	if !f.Is(outer, KindDecoratedDefinition) {
		return nil
	}
	var list []NodeID
	for c := range f.Children(outer) {
		if f.Is(c, KindDecorator) {
			list = append(list, f.FirstChild(c))
		}
	}
	return list
}
