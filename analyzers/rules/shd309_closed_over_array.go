package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd309() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD309", Name: "closed-over-array", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a jitted function captures a large array instead of taking it as an argument",
		Doc: analyzers.Documentation{
			Finds:   "An array of 64 KiB or more that was made outside of a jitted function and is used inside it without being passed: a global, a variable of the enclosing function, or an argument bound by partial.",
			Matters: "The array becomes a constant of the compiled program: 2 MB of text for 512x512 floats, its sharding is ignored, and without another sharded argument the call runs on one device. With several processes it raises RuntimeError.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
params = jax.device_put(np.ones((512, 512), np.float32), rows)
forward = jax.jit(lambda x: x @ params)
forward(jnp.ones((4, 512)))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
params = jax.device_put(np.ones((512, 512), np.float32), rows)
forward = jax.jit(lambda p, x: x @ p)
forward(params, jnp.ones((4, 512)))
`,
			FixSafety: "The fix gives the function a parameter for the array and passes it in every call, where all uses of the function are calls in the file; where partial binds the array inside jit, it binds it outside. It is unsafe: the function has another signature then.",
			Ignore:    "For constants that are meant to be folded, such as small tables.",
		},
		Needles: jitNeedles(),
		Check:   checkClosedOver,
	}
}

// closedOverLimit keeps small tables out: below it a constant costs little.
const closedOverLimit = 64 << 10

func checkClosedOver(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, e := range facts.Named("call.jit") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Make == nil || e.Region.UnderJit() {
			continue
		}
		if bound, ok := t.Fn.(*flow.Partial); ok {
			for _, a := range append(append([]flow.Arg{}, bound.Pos...), bound.Kw...) {
				if holdsLargeArray(a.Value) {
					f := closedOver(a.At.Text())
					f.Fixes = partialOutside(t, bound)
					out.report(t.Make.At, f)
				}
			}
		}
	}
	passed := map[*flow.Region]map[*flow.Event]bool{}
	said := map[string]bool{} // by function and name: one finding for all uses
	for _, e := range facts.Events {
		jit := e.Region.Find(flow.JitRegion)
		if jit == nil || asksMetadata(e.Name) || mapsMetadata(e) || jit.Call == nil || jit.Parent.UnderJit() {
			continue
		}
		if passed[jit] == nil {
			passed[jit] = makersOf(jit.Call)
		}
		for _, a := range operandsOf(e) {
			if a.Made == nil || a.Made.Region.Traced() || passed[jit][a.Made] || !largeArray(a) || a.Static {
				continue
			}
			reportCaptured(out, said, e, jit, a)
		}
	}
	for _, e := range facts.Named("call.jit") {
		if !e.Region.Traced() && !e.Region.Open() {
			reportComputed(out, said, e)
		}
	}
}

// reportComputed reports the arrays from outside that the body of a jitted function reads by name and that arithmetic made, so that no call is
// known for them.
func reportComputed(out *once, said map[string]bool, call *flow.Event) {
	t, ok := call.Callee.(*flow.Transformed)
	if !ok || t.Make == nil {
		return
	}
	f, ok := t.Fn.(*flow.Func)
	if !ok {
		return
	}
	s := f.At.File.Syntax
	path, start, _ := f.At.Span()
	for n := range s.Descendants(s.Body(f.At.Node)) {
		if !s.Is(n, pyparse.KindIdentifier) || s.FieldOf(n) == pyparse.FieldAttribute || readsNoData(s, n) || freeRoot(f, n) == nil {
			continue
		}
		a, ok := f.Captured(s.Text(n)).(*flow.Array)
		key := fmt.Sprint(path, start, s.Text(n))
		if !ok || said[key] || a.Made != nil && a.Made.Region.Traced() || a.Host || a.Static || a.Tree || !largeArray(a) {
			continue
		}
		said[key] = true
		at := flow.Ref{File: f.At.File, Node: n}
		if isKind(f.At, pyparse.KindLambda) {
			at = t.Make.At
		}
		found := closedOver(s.Text(n))
		found.Fixes = capturedPassed(t, f, s.Text(n))
		out.report(at, found)
	}
}

// mapsMetadata reports whether a call of tree.map asks the leaves of its trees for their shapes or types alone.
func mapsMetadata(e *flow.Event) bool {
	if lastName(e.Name) != "tree_map" && e.Name != "jax.tree.map" {
		return false
	}
	f, ok := e.Value(0, "f").(*flow.Ext)
	return ok && asksMetadata(f.Name)
}

// readsNoData reports whether a name is read for the shape or the type of its value alone.
func readsNoData(s *pyparse.File, n pyparse.NodeID) bool {
	if withinEvalShape(s, n) {
		return true
	}
	parent := s.Parent(n)
	if !s.Is(parent, pyparse.KindAttribute) {
		return readsMetadata(s, n)
	}
	switch s.Text(s.Child(parent, pyparse.FieldAttribute)) {
	case "shape", "dtype", "ndim", "size", "sharding", "aval", "itemsize", "nbytes":
		return true
	}
	return false
}

// withinEvalShape reports whether a node stands in a lambda of which eval_shape asks no more than what it would return.
func withinEvalShape(s *pyparse.File, n pyparse.NodeID) bool {
	for ; n != pyparse.None && !s.Is(n, pyparse.KindFunctionDefinition); n = s.Parent(n) {
		if !s.Is(n, pyparse.KindLambda) || !s.Is(s.Parent(n), pyparse.KindArgumentList) {
			continue
		}
		if name, _ := s.DottedName(s.Callee(s.Parent(s.Parent(n)))); lastName(name) == "eval_shape" {
			return true
		}
	}
	return false
}

// makersOf are the calls that made the arrays which a jit gets as arguments.
func makersOf(call *flow.Event) map[*flow.Event]bool {
	out := map[*flow.Event]bool{}
	args := append(append([]flow.Arg{}, call.Pos...), call.Kw...)
	if t, ok := call.Callee.(*flow.Transformed); ok {
		if bound, ok := t.Fn.(*flow.Partial); ok { // reported on its own
			args = append(append(args, bound.Pos...), bound.Kw...)
		}
	}
	for _, a := range args {
		leaves, _ := flow.Leaves(a.Value)
		for _, l := range leaves {
			if array, ok := l.(*flow.Array); ok && array.Made != nil {
				out[array.Made] = true
			}
		}
	}
	return out
}

func operandsOf(e *flow.Event) []*flow.Array {
	var out []*flow.Array
	if a, ok := e.Recv.(*flow.Array); ok {
		out = append(out, a)
	}
	pos := e.Pos
	if len(pos) > 0 && lastName(e.Name) == "full_like" { // it asks the first one for its shape and type alone
		pos = pos[1:]
	}
	for _, arg := range pos {
		if a, ok := arg.Value.(*flow.Array); ok {
			out = append(out, a)
		}
	}
	return out
}

func largeArray(a *flow.Array) bool {
	return a.Size() >= 0 && a.Size()*itemSize(a.DType) >= closedOverLimit
}

// holdsLargeArray reports whether a value is a tree with a large array in it.
func holdsLargeArray(v flow.Value) bool {
	leaves, _ := flow.Leaves(v)
	return slices.ContainsFunc(leaves, func(l flow.Value) bool {
		a, ok := l.(*flow.Array)
		return ok && !a.Static && largeArray(a)
	})
}

func closedOver(name string) analyzers.Finding {
	return analyzers.Finding{Message: fmt.Sprintf("the jitted function captures %s, which becomes a constant of the program and loses its sharding; pass it as an argument", name)}
}

// reportCaptured reports a captured array: at the use in a function that jit decorates, at the jit of a lambda.
func reportCaptured(out *once, said map[string]bool, e *flow.Event, jit *flow.Region, a *flow.Array) {
	t, ok := jit.Call.Callee.(*flow.Transformed)
	if !ok || t.Make == nil {
		return
	}
	f, isFunc := mappedFunction(t.Fn)
	if !isFunc {
		return
	}
	name := capturedName(f, a)
	if name == "" {
		name = heldName(t, jit.Call, f, a)
	}
	if name == "" {
		return
	}
	path, start, _ := f.At.Span()
	key := fmt.Sprint(path, start, name)
	if said[key] {
		return
	}
	found := closedOver(name)
	if t.Fn == flow.Value(f) {
		found.Fixes = capturedPassed(t, f, name)
	}
	if isKind(f.At, pyparse.KindLambda) {
		out.report(t.Make.At, found)
		return
	}
	if f.At.Contains(e.At) {
		said[key] = true
		out.report(readOf(f, name, e.At), found)
	}
}

// readOf is where a finding about a captured name belongs: the operation on it, or the first read of the name where the operation uses
// another name for it.
func readOf(f *flow.Func, name string, operation flow.Ref) flow.Ref {
	s := f.At.File.Syntax
	first := pyparse.None
	for n := range s.Descendants(f.At.Node) {
		if s.Text(n) != name || !s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) || readsNoData(s, n) {
			continue
		}
		if s.Contains(s.EnclosingStatement(operation.Node), n) {
			return operation
		}
		if first == pyparse.None {
			first = n
		}
	}
	if first == pyparse.None {
		return operation
	}
	return flow.Ref{File: f.At.File, Node: first}
}

// mappedFunction is the function of the workspace that a jit runs, also behind derivatives and vmap.
func mappedFunction(fn flow.Value) (*flow.Func, bool) {
	for {
		t, ok := fn.(*flow.Transformed)
		if !ok || t.Kind != "grad" && t.Kind != "value_and_grad" && t.Kind != "vmap" && t.Kind != "checkpoint" {
			return innermost(fn)
		}
		fn = t.Fn
	}
}

// heldName is the attribute of the receiver that holds a captured array, where the receiver is no argument of the jitted function: a bound
// method keeps it, and so does a static argument. "" where none is seen.
func heldName(t *flow.Transformed, call *flow.Event, f *flow.Func, a *flow.Array) string {
	if f.Class == nil || f.Static || len(f.Params) == 0 || t.Make.Name != "jax.jit" {
		return ""
	}
	var self flow.Value
	if bound, ok := t.Fn.(*flow.Bound); ok {
		self = bound.Self
	} else if len(call.Pos) > 0 && (integersOf(t.Value(-1, "static_argnums"))[0] || stringsOf(t.Value(-1, "static_argnames"))[f.Params[0].Name]) {
		self = call.Pos[0].Value
	}
	holder, ok := self.(*flow.Instance)
	if !ok {
		return ""
	}
	s := f.At.File.Syntax
	for n := range s.Descendants(f.At.Node) {
		if s.Is(n, pyparse.KindAttribute) && s.Text(s.Child(n, pyparse.FieldObject)) == f.Params[0].Name &&
			holdsMade(holder.Attrs[s.Text(s.Child(n, pyparse.FieldAttribute))], a) {
			return s.Text(n)
		}
	}
	return ""
}

// partialOutside turns jit(partial(f, array)) into partial(jit(f), array), which passes the array with every call.
func partialOutside(t *flow.Transformed, bound *flow.Partial) []analyzers.Fix {
	jit := t.Make.At
	if !isKind(jit, pyparse.KindCall) || !isKind(bound.At, pyparse.KindCall) || t.Make.Name != "jax.jit" {
		return nil
	}
	s := jit.File.Syntax
	inner := s.Arguments(bound.At.Node)
	outer := s.Arguments(jit.Node)
	if len(outer) != 1 || outer[0].Kind != pyparse.Positional || s.Unwrap(outer[0].Value) != bound.At.Node || len(inner) < 2 || inner[0].Kind != pyparse.Positional {
		return nil // argument numbers of other options would shift
	}
	if !onlyArrays(append(append([]flow.Arg{}, bound.Pos...), bound.Kw...)) {
		return nil // what is no array was static, and would be traced
	}
	function := flow.Ref{File: jit.File, Node: inner[0].Value}
	start, end := s.Span(inner[0].Node)
	from, to := s.Span(bound.At.Node)
	text := string(s.Source[from:start]) + s.Text(s.Callee(jit.Node)) + "(" + function.Text() + ")" + string(s.Source[end:to])
	return fixOf("Bind the array outside of jit", analyzers.Unsafe, replaced(jit, text))
}

// onlyArrays reports whether all arguments are known to be arrays.
func onlyArrays(args []flow.Arg) bool {
	for _, a := range args {
		if array, ok := a.Value.(*flow.Array); !ok || array.Static {
			return false
		}
	}
	return true
}

// capturedPassed gives a jitted function a last parameter for what it captures, and passes it in every call. It needs all uses of the
// function to be calls in view that see the same name.
func capturedPassed(t *flow.Transformed, f *flow.Func, name string) []analyzers.Fix {
	s := f.At.File.Syntax
	uses, ok := callsOfJit(t, f)
	free := freeUses(s, f.At.Node, name)
	if !ok || len(uses) == 0 || len(free) == 0 || !plainParameters(f) || t.Make.At.File != f.At.File || t.Value(1, "in_shardings") != nil {
		return nil
	}
	if edits := etaReduced(t, f, name, uses); edits != nil {
		return fixOf("Pass "+name+" as an argument", analyzers.Unsafe, edits...)
	}
	parameter := name
	if lower := strings.ToLower(name); lower != name && s.Lookup(s.ScopeOpenedBy(f.At.Node), lower) == nil {
		parameter = lower
	}
	params := s.Parameters(f.At.Node)
	last := flow.Ref{File: f.At.File, Node: params[len(params)-1].Node}
	separator, byName := ", ", false
	for _, p := range params {
		byName = byName || p.Default != pyparse.None // nothing without a default may stand behind it
	}
	if byName {
		separator = ", *, "
	}
	edits := []analyzers.Edit{appended(last, separator+parameter)}
	for _, use := range free {
		if parameter != name {
			edits = append(edits, replaced(flow.Ref{File: f.At.File, Node: use}, parameter))
		}
	}
	for _, call := range uses {
		args := s.Arguments(call.Node)
		text := name
		if byName || len(args) != len(params) || args[len(args)-1].Kind == pyparse.Keyword {
			text = parameter + "=" + name
		}
		more, ok := withArgument(call, text)
		if !ok || !seenFrom(s, free[0], call.Node) {
			return nil
		}
		edits = append(edits, more...)
	}
	return fixOf("Pass "+name+" as an argument", analyzers.Unsafe, edits...)
}

// etaReduced jits the function that a lambda calls with what it captures followed by its own parameters, and passes the captured value
// in every call.
func etaReduced(t *flow.Transformed, f *flow.Func, name string, uses []flow.Ref) []analyzers.Edit {
	s := f.At.File.Syntax
	body := s.Body(f.At.Node)
	if !s.Is(f.At.Node, pyparse.KindLambda) || !s.Is(body, pyparse.KindCall) || !isKind(t.Make.At, pyparse.KindCall) || len(s.Arguments(t.Make.At.Node)) != 1 {
		return nil
	}
	args, params := s.Arguments(body), s.Parameters(f.At.Node)
	if len(args) != len(params)+1 || args[0].Kind != pyparse.Positional || s.Text(args[0].Value) != name || !movable(flow.Ref{File: f.At.File, Node: s.Callee(body)}, t.Make.At) {
		return nil
	}
	for i, p := range params {
		if a := args[i+1]; p.Default != pyparse.None || a.Kind != pyparse.Positional || s.Text(a.Value) != p.Name {
			return nil
		}
	}
	edits := []analyzers.Edit{replaced(f.At, s.Text(s.Callee(body)))}
	for _, call := range uses {
		list := s.Arguments(call.Node)
		if len(list) != len(params) || list[len(list)-1].Kind != pyparse.Positional || !seenFrom(s, args[0].Value, call.Node) {
			return nil
		}
		edits = append(edits, inserted(flow.Ref{File: call.File, Node: list[0].Node}, name+", "))
	}
	return edits
}

// plainParameters reports whether a function takes at least one parameter, and all by position.
func plainParameters(f *flow.Func) bool {
	for _, p := range f.Params {
		if p.Kind != flow.Positional {
			return false
		}
	}
	return len(f.Params) > 0 && f.Class == nil
}

// freeUses lists the identifiers in a function that read a name from outside of it.
func freeUses(s *pyparse.File, function pyparse.NodeID, name string) []pyparse.NodeID {
	var out []pyparse.NodeID
	for n := range s.Descendants(function) {
		if s.Is(n, pyparse.KindIdentifier) && s.Text(n) == name && !isLabel(s, n) && !boundInside(s, function, n) {
			out = append(out, n)
		}
	}
	return out
}

// callsOfJit lists the calls of a jitted function: of the name that a decorator or an assignment gives it, or the call around the
// jit itself. It is false where the function is used in another way, or unpacks arguments.
func callsOfJit(t *flow.Transformed, f *flow.Func) ([]flow.Ref, bool) {
	file := f.At.File
	s := file.Syntax
	name := pyparse.None
	if isKind(f.At, pyparse.KindFunctionDefinition) {
		if _, name = s.Name(f.At.Node); len(s.Decorators(f.At.Node)) != 1 || !s.Contains(s.Parent(f.At.Node), t.Make.At.Node) {
			return nil, false
		}
	} else if parent := s.Parent(t.Make.At.Node); s.Is(parent, pyparse.KindCall) && s.Callee(parent) == t.Make.At.Node {
		return []flow.Ref{{File: file, Node: parent}}, true
	} else if target := targetOf(t.Make.At); isKind(target, pyparse.KindIdentifier) {
		name = target.Node
	}
	symbol := s.Resolve(name)
	if name == pyparse.None || symbol == nil || len(symbol.Bindings) != 1 {
		return nil, false
	}
	var calls []flow.Ref
	for _, use := range symbol.Uses {
		call := s.Parent(use)
		if !s.Is(call, pyparse.KindCall) || s.Callee(call) != use {
			return nil, false
		}
		for _, a := range s.Arguments(call) {
			if a.Kind != pyparse.Positional && a.Kind != pyparse.Keyword {
				return nil, false
			}
		}
		calls = append(calls, flow.Ref{File: file, Node: call})
	}
	return calls, true
}

// capturedName finds the free variable of a function, or the attribute of one, that holds the array; "" where none is seen.
func capturedName(f *flow.Func, a *flow.Array) string {
	s := f.At.File.Syntax
	for n := range s.Descendants(f.At.Node) {
		if !s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) {
			continue
		}
		symbol := freeRoot(f, n)
		if symbol == nil {
			continue
		}
		name := s.Text(n)
		if a.Label == name || s.Is(n, pyparse.KindIdentifier) && boundTo(s, symbol, a) || holdsMade(capturedValue(f, n), a) {
			return name
		}
	}
	return ""
}

// freeRoot is the variable from outside of a function that a name or a chain of attributes starts from, nil where it is the function's
// own.
func freeRoot(f *flow.Func, n pyparse.NodeID) *pyparse.Symbol {
	s := f.At.File.Syntax
	for s.Is(n, pyparse.KindAttribute) {
		n = s.Child(n, pyparse.FieldObject)
	}
	if !s.Is(n, pyparse.KindIdentifier) {
		return nil
	}
	symbol := s.Resolve(n)
	if symbol == nil || len(symbol.Bindings) == 0 || s.Contains(f.At.Node, s.Scope(symbol.Scope).Node) {
		return nil // its own, or that of a function in it
	}
	return symbol
}

// capturedValue is the value of a free variable or of an attribute of an object that one holds, nil where it is not known.
func capturedValue(f *flow.Func, n pyparse.NodeID) flow.Value {
	s := f.At.File.Syntax
	if !s.Is(n, pyparse.KindAttribute) {
		return f.Captured(s.Text(n))
	}
	if o, ok := capturedValue(f, s.Child(n, pyparse.FieldObject)).(*flow.Instance); ok {
		return o.Attrs[s.Text(s.Child(n, pyparse.FieldAttribute))]
	}
	return nil
}

// holdsMade reports whether an array, or a tree with one, is what the same call made.
func holdsMade(v flow.Value, a *flow.Array) bool {
	if v == nil || a.Made == nil {
		return false
	}
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		if x, ok := l.(*flow.Array); ok && x.Made == a.Made {
			return true
		}
	}
	return false
}

// boundTo reports whether the symbol is bound by the statement in which the array was made.
func boundTo(s *pyparse.File, symbol *pyparse.Symbol, a *flow.Array) bool {
	if a.Made == nil || !a.Made.At.Valid() || a.Made.At.File.Syntax != s {
		return false
	}
	statement := s.EnclosingStatement(a.Made.At.Node)
	for _, b := range symbol.Bindings {
		if s.Contains(statement, b.Node) {
			return true
		}
	}
	return false
}
