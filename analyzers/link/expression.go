package link

import (
	"bytes"

	"github.com/shardls/shardls/internal/text"
	"github.com/shardls/shardls/pyparse"
)

// Expression is the Python expression that a frame of a dump points to.
type Expression struct {
	File *pyparse.File
	Node pyparse.NodeID // pyparse.None when only the line is known

	Start, End int // byte range in the file
}

// callees lists how Python spells primitives whose name is not that of the function: the last part of the callee's name.
var callees = map[string][]string{
	"dot_general":          {"einsum", "dot", "matmul", "tensordot", "dot_general", "vdot", "inner", "outer", "multi_dot", "Dense", "DenseGeneral", "Einsum"},
	"convert_element_type": {"astype"},
	"gather":               {"take", "take_along_axis", "get", "gather"},
	"dynamic_slice":        {"dynamic_slice_in_dim", "dynamic_index_in_dim", "dynamic_slice", "scan", "roll"},
	"dynamic_update_slice": {"dynamic_update_slice_in_dim", "dynamic_update_index_in_dim", "dynamic_update_slice", "set"},
	"scatter":              {"set"},
	"scatter-add":          {"add"},
	"sharding_constraint":  {"with_sharding_constraint", "wsc"},
	"psum_invariant":       {"psum", "pmean"},
	"psum":                 {"psum", "pmean"},
	"psum2":                {"psum", "pmean"},
	"reduce_scatter":       {"psum_scatter"},
	"broadcast_in_dim":     {"repeat", "broadcast_to", "expand_dims", "ones", "zeros", "full", "tile"},
	"reduce_sum":           {"sum", "mean", "average"},
	"concatenate":          {"concatenate", "concat", "stack", "hstack", "vstack", "append", "roll"},
	"debug_print":          {"print"},
	"debug_callback":       {"callback"},
	"while":                {"scan", "fori_loop", "while_loop", "map"},
	"select_n":             {"where", "select"},
	"logistic":             {"sigmoid", "silu"},
}

// operators lists which primitives an operator of Python lowers to.
var operators = map[string][]string{
	"@": {"dot_general"},
	"+": {"add", "add_any"}, "-": {"sub", "neg"}, "*": {"mul"}, "/": {"div"}, "//": {"floor_divide", "div"}, "%": {"rem"},
	"**": {"integer_pow", "pow", "square"},
}

// expressionAt finds the expression of a frame: line is 1-based, column a 0-based byte column or -1, primitive the JAX
// primitive that was lowered there. Frames are points: XLA's tables repeat the start as the end, so the extent comes from
// the syntax tree, and where several expressions start at one point the primitive chooses among them.
func expressionAt(file *pyparse.File, lines *text.Map, line, column int, primitive string) Expression {
	start, end, ok := lines.LineBounds(line - 1)
	if !ok {
		return Expression{File: file, Node: pyparse.None}
	}
	var starting []pyparse.NodeID
	if column >= 0 && start+column < end {
		starting = startingAt(file, start+column)
	} else {
		starting = startingBetween(file, start, end)
	}
	if n := choose(file, starting, primitive, column >= 0); n != pyparse.None {
		from, to := file.Span(n)
		return Expression{file, n, from, to}
	}
	text := file.Source[start:end]
	trimmed := bytes.TrimLeft(text, " \t")
	from := start + len(text) - len(trimmed)
	return Expression{file, pyparse.None, from, from + len(bytes.TrimRight(trimmed, " \t"))}
}

// startingAt returns the expressions that start at an offset, the smallest first.
func startingAt(file *pyparse.File, offset int) []pyparse.NodeID {
	var found []pyparse.NodeID
	for n := file.NodeAt(offset); n != pyparse.None; n = file.Parent(n) {
		from, _ := file.Span(n)
		if from != offset || file.Is(n, pyparse.KindExpressionStatement, pyparse.KindBlock, pyparse.KindModule) {
			break
		}
		found = append(found, n)
	}
	return found
}

// startingBetween returns the expressions that start in a range, in the order of the source.
func startingBetween(file *pyparse.File, start, end int) []pyparse.NodeID {
	var found []pyparse.NodeID
	for i := range file.Nodes {
		if from := int(file.Nodes[i].Start); from >= start && from < end {
			found = append(found, pyparse.NodeID(i))
		}
	}
	return found
}

// choose returns the expression that the primitive was most likely lowered from. Without a point to start from it answers
// only if one expression of the line fits.
func choose(file *pyparse.File, candidates []pyparse.NodeID, primitive string, exact bool) pyparse.NodeID {
	fits := pyparse.None
	for _, n := range candidates {
		if primitive != "" && lowersTo(file, n, primitive) {
			if fits != pyparse.None && !exact {
				return pyparse.None
			}
			if fits == pyparse.None {
				fits = n
			}
		}
	}
	if fits != pyparse.None || !exact {
		return fits
	}
	for _, n := range candidates {
		if file.Is(n, pyparse.KindCall, pyparse.KindBinaryOperator, pyparse.KindSubscript, pyparse.KindUnaryOperator, pyparse.KindComparisonOperator) {
			return n
		}
	}
	if len(candidates) > 0 {
		return candidates[0]
	}
	return pyparse.None
}

func lowersTo(file *pyparse.File, n pyparse.NodeID, primitive string) bool {
	switch file.KindOf(n) {
	case pyparse.KindCall:
		name := calleeName(file, n)
		if name == primitive {
			return true
		}
		for _, c := range callees[primitive] {
			if c == name {
				return true
			}
		}
	case pyparse.KindBinaryOperator:
		for _, p := range operators[file.Operator(n)] {
			if p == primitive {
				return true
			}
		}
	case pyparse.KindUnaryOperator:
		return primitive == "neg"
	case pyparse.KindSubscript:
		return primitive == "gather" || primitive == "dynamic_slice" || primitive == "slice" || primitive == "squeeze"
	}
	return false
}

// calleeName returns the last part of the name that a call calls: "einsum" for jnp.einsum(...), "" for other callees.
func calleeName(file *pyparse.File, call pyparse.NodeID) string {
	f := file.Child(call, pyparse.FieldFunction)
	switch file.KindOf(f) {
	case pyparse.KindIdentifier:
		return file.Text(f)
	case pyparse.KindAttribute:
		return file.Text(file.Child(f, pyparse.FieldAttribute))
	}
	return ""
}

// Callee returns the last part of the name that the expression calls, "" when it is no call.
func (e Expression) Callee() string {
	if e.Node == pyparse.None || !e.File.Is(e.Node, pyparse.KindCall) {
		return ""
	}
	return calleeName(e.File, e.Node)
}

// Text is the source of the expression.
func (e Expression) Text() string {
	if e.File == nil {
		return ""
	}
	return string(e.File.Source[e.Start:e.End])
}

// Target returns the text of what the expression's value is assigned to ("h", "k, v"), "" where it is not assigned.
func (e Expression) Target() string {
	if e.Node == pyparse.None {
		return ""
	}
	for n := e.Node; n != pyparse.None; n = e.File.Parent(n) {
		p := e.File.Parent(n)
		if e.File.Is(p, pyparse.KindAssignment, pyparse.KindAugmentedAssignment) && e.File.FieldOf(n) == pyparse.FieldRight {
			return e.File.Text(e.File.Child(p, pyparse.FieldLeft))
		}
		if e.File.Is(p, pyparse.KindBlock, pyparse.KindModule, pyparse.KindLambda) {
			break
		}
	}
	return ""
}

// Argument returns the positional argument number k of the call; pyparse.None when there is none.
func (e Expression) Argument(k int) pyparse.NodeID {
	if e.Callee() == "" {
		return pyparse.None
	}
	for _, a := range e.File.Arguments(e.Node) {
		if a.Kind != pyparse.Positional {
			break
		}
		if k == 0 {
			return a.Value
		}
		k--
	}
	return pyparse.None
}
