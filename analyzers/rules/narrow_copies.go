package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/pyparse"
)

// wideValue is how to write the value that a 16-bit copy was cast from, at the place where the copy is used.
type wideValue struct {
	text  string
	edits []analyzers.Edit // what has to be written elsewhere for text to mean it
}

// maxCopyDepth bounds the assignments that a copy is followed through.
const maxCopyDepth = 6

// wideOf follows an expression to the cast that made it narrow: x.astype(T) and its other spellings, possibly laid out anew
// behind the cast, assigned to a name before, or made for a whole tree at once. It answers only where the wide value
// can be written at the place of use without computing anything twice.
func wideOf(file *pyparse.File, path string, n pyparse.NodeID) (wideValue, bool) {
	return copies{file, path}.wide(n, 0)
}

type copies struct {
	file *pyparse.File
	path string
}

func (c copies) wide(n pyparse.NodeID, depth int) (wideValue, bool) {
	n = c.file.Unwrap(n)
	if depth > maxCopyDepth || n == pyparse.None {
		return wideValue{}, false
	}
	if x := castArgument(c.file, n); x != pyparse.None {
		return wideValue{text: c.file.Text(x)}, true
	}
	switch c.file.KindOf(n) {
	case pyparse.KindAttribute:
		object := c.file.Child(n, pyparse.FieldObject)
		if name := c.file.Text(c.file.Child(n, pyparse.FieldAttribute)); name == "T" || name == "mT" {
			return c.behind(c.wide(object, depth+1))(n, object)
		}
		return c.behind(c.wideTree(object, depth+1))(n, object)
	case pyparse.KindSubscript:
		object := c.file.Child(n, pyparse.FieldValue)
		return c.behind(c.wideTree(object, depth+1))(n, object)
	case pyparse.KindCall:
		return c.relaid(n, depth)
	case pyparse.KindIdentifier:
		return c.assigned(n, depth, c.wide)
	}
	return wideValue{}, false
}

// behind appends what an expression does to its object behind the wide value of the object.
func (c copies) behind(v wideValue, ok bool) func(n, object pyparse.NodeID) (wideValue, bool) {
	return func(n, object pyparse.NodeID) (wideValue, bool) {
		_, from := c.file.Span(object)
		_, to := c.file.Span(n)
		v.text += string(c.file.Source[from:to])
		return v, ok
	}
}

// relaid is wide for a method that only lays elements out anew.
func (c copies) relaid(call pyparse.NodeID, depth int) (wideValue, bool) {
	f := c.file.Callee(call)
	if !c.file.Is(f, pyparse.KindAttribute) {
		return wideValue{}, false
	}
	switch c.file.Text(c.file.Child(f, pyparse.FieldAttribute)) {
	case "reshape", "transpose", "swapaxes", "squeeze":
		object := c.file.Child(f, pyparse.FieldObject)
		return c.behind(c.wide(object, depth+1))(call, object)
	}
	return wideValue{}, false
}

// wideTree follows a tree to the one of which it is a copy with every leaf cast: jax.tree.map(lambda w: w.astype(T), tree), or
// a function of the file that returns that.
func (c copies) wideTree(n pyparse.NodeID, depth int) (wideValue, bool) {
	n = c.file.Unwrap(n)
	if depth > maxCopyDepth {
		return wideValue{}, false
	}
	switch c.file.KindOf(n) {
	case pyparse.KindIdentifier:
		return c.assigned(n, depth, c.wideTree)
	case pyparse.KindSubscript:
		object := c.file.Child(n, pyparse.FieldValue)
		return c.behind(c.wideTree(object, depth+1))(n, object)
	case pyparse.KindCall:
		if tree := castTree(c.file, n); tree != pyparse.None {
			return wideValue{text: c.file.Text(tree)}, true
		}
	}
	return wideValue{}, false
}

// assigned follows a name to what was assigned to it. Where that can't be written again at the place of use, because a name
// in it was bound anew or it calls something, the wide value gets a name of its own in front of the assignment.
func (c copies) assigned(name pyparse.NodeID, depth int, follow func(pyparse.NodeID, int) (wideValue, bool)) (wideValue, bool) {
	statement, value := reachingAssignment(c.file, name)
	if value == pyparse.None {
		return wideValue{}, false
	}
	v, ok := follow(value, depth+1)
	if !ok {
		return v, false
	}
	if len(v.edits) == 0 && !strings.Contains(v.text, "(") && c.rewritable(value, name) {
		return v, true
	}
	start, _ := c.file.Span(statement)
	indent, ok := indentation(c.file, start)
	if !ok {
		return v, false
	}
	wide := unusedName(c.file, c.file.Text(name)+"_wide")
	insert := analyzers.Edit{Span: analyzers.Span{Path: c.path, Start: start, End: start}, NewText: wide + " = " + v.text + "\n" + indent}
	return wideValue{text: wide, edits: append(v.edits, insert)}, true
}

// rewritable reports whether an assigned expression means the same at a later use: no name in it is bound anew between.
func (c copies) rewritable(value, use pyparse.NodeID) bool {
	from, _ := c.file.Span(value)
	to, _ := c.file.Span(use)
	for n := range c.file.Descendants(value) {
		symbol := c.file.Resolve(n)
		if symbol == nil {
			continue
		}
		for _, b := range symbol.Bindings {
			if at, _ := c.file.Span(b.Node); at < to && (at > from || c.sameStatement(b, value)) && !c.file.Contains(value, b.Node) {
				return false
			}
		}
	}
	return true
}

// sameStatement reports whether a binding is the assignment of value itself.
func (c copies) sameStatement(b pyparse.Binding, value pyparse.NodeID) bool {
	return c.file.EnclosingStatement(b.Node) == c.file.EnclosingStatement(value)
}

// reachingAssignment returns the plain assignment of one name whose value a use reads, and the value; None where several
// could be, or where the name is no variable of the same function.
func reachingAssignment(file *pyparse.File, use pyparse.NodeID) (statement, value pyparse.NodeID) {
	symbol := file.Resolve(use)
	if symbol == nil {
		return pyparse.None, pyparse.None
	}
	start, _ := file.Span(use)
	var last *pyparse.Binding
	for i := range symbol.Bindings {
		b := &symbol.Bindings[i]
		if at, _ := file.Span(b.Node); at < start && file.EnclosingStatement(b.Node) != file.EnclosingStatement(use) {
			last = b
		}
	}
	if last == nil || last.Kind != pyparse.BindAssignment {
		return pyparse.None, pyparse.None
	}
	a, ok := file.Assignment(last.Source)
	if !ok || len(a.Targets) != 1 || a.Targets[0] != last.Node || a.Operator != "" {
		return pyparse.None, pyparse.None
	}
	statement = file.EnclosingStatement(last.Node)
	// The assignment is always executed before the use when the use stands in its block, or deeper.
	if !file.Contains(file.Parent(statement), use) || file.ScopeOf(use) != file.ScopeOf(last.Node) && len(symbol.Bindings) > 1 {
		return pyparse.None, pyparse.None
	}
	return statement, a.Value
}

// castArgument returns x of x.astype(T), jnp.asarray(x, T) or lax.convert_element_type(x, T), None for other expressions.
func castArgument(file *pyparse.File, n pyparse.NodeID) pyparse.NodeID {
	f := file.Callee(n)
	if f == pyparse.None {
		return pyparse.None
	}
	name, args := file.Text(f), file.Arguments(n)
	name = lastName(name)
	positional := len(args) > 0 && args[0].Kind == pyparse.Positional
	switch {
	case name == "astype" && len(args) == 1 && positional && file.Is(f, pyparse.KindAttribute):
		return file.Child(f, pyparse.FieldObject)
	case (name == "asarray" || name == "convert_element_type") && len(args) == 2 && positional && (args[1].Kind == pyparse.Positional || args[1].Name == "dtype" || args[1].Name == "new_dtype"):
		return args[0].Value
	}
	return pyparse.None
}

// castTree returns the tree of which a call returns a copy with every leaf cast, None for other calls.
func castTree(file *pyparse.File, call pyparse.NodeID) pyparse.NodeID {
	name, args := file.Text(file.Callee(call)), file.Arguments(call)
	if strings.HasSuffix(name, "tree.map") || strings.HasSuffix(name, "tree_map") {
		if len(args) == 2 && args[0].Kind == pyparse.Positional && args[1].Kind == pyparse.Positional && casts(file, args[0].Value) {
			return args[1].Value
		}
		return pyparse.None
	}
	definition := definitionOf(file, file.Callee(call))
	if definition == pyparse.None || len(args) == 0 || args[0].Kind != pyparse.Positional {
		return pyparse.None
	}
	parameters, result := file.Parameters(definition), onlyResult(file, definition)
	if len(parameters) == 0 || !file.Is(result, pyparse.KindCall) || definitionOf(file, file.Callee(result)) != pyparse.None {
		return pyparse.None
	}
	if tree := castTree(file, result); tree != pyparse.None && file.Text(tree) == parameters[0].Name {
		return args[0].Value
	}
	return pyparse.None
}

// casts reports whether an expression is a function that returns its first parameter cast to another type.
func casts(file *pyparse.File, function pyparse.NodeID) bool {
	function = file.Unwrap(function)
	result := pyparse.None
	if file.Is(function, pyparse.KindLambda) {
		result = file.Body(function)
	} else if function = definitionOf(file, function); function != pyparse.None {
		result = onlyResult(file, function)
	}
	parameters := file.Parameters(function)
	x := castArgument(file, file.Unwrap(result))
	return len(parameters) > 0 && x != pyparse.None && file.Text(x) == parameters[0].Name
}

// definitionOf returns the function of the file that a name is bound to and to nothing else, None for other expressions.
func definitionOf(file *pyparse.File, name pyparse.NodeID) pyparse.NodeID {
	if !file.Is(name, pyparse.KindIdentifier) {
		return pyparse.None
	}
	symbol := file.Resolve(name)
	if symbol == nil || len(symbol.Bindings) != 1 || symbol.Bindings[0].Kind != pyparse.BindFunction {
		return pyparse.None
	}
	definition := symbol.Bindings[0].Source
	if file.Is(file.Parent(definition), pyparse.KindDecoratedDefinition) {
		return pyparse.None // a decorator may return anything
	}
	return definition
}

// onlyResult returns what a function returns where its body is one return statement, apart from a docstring.
func onlyResult(file *pyparse.File, definition pyparse.NodeID) pyparse.NodeID {
	result := pyparse.None
	for statement := range file.Children(file.Body(definition)) {
		if file.Is(statement, pyparse.KindReturnStatement) {
			result = file.FirstChild(statement)
		} else if statement != file.Parent(file.Docstring(definition)) {
			return pyparse.None
		}
	}
	return file.Unwrap(result)
}
