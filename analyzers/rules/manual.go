package rules

import (
	"fmt"
	"iter"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

// collectives are the functions of jax.lax that use a named axis, with the position of that argument.
var collectiveAxis = [...]struct {
	name string
	axis int
}{
	{"psum", 1}, {"pmean", 1}, {"pmax", 1}, {"pmin", 1}, {"psum_scatter", 1}, {"all_gather", 1}, {"all_to_all", 1}, {"ppermute", 1},
	{"pshuffle", 1}, {"pswapaxes", 1}, {"pbroadcast", 1}, {"ragged_all_to_all", -1}, {"axis_index", 0}, {"axis_size", 0}, {"pcast", 1}, {"pvary", 1},
}

// output is one leaf that a manual body returns, with the spec it is returned under.
type output struct {
	array *flow.Array
	spec  *flow.Spec
	run   *flow.ManualRun
}

// manualOutputs are the outputs of the manual regions of a file: of each region, call after call, what [outputs] lists.
func manualOutputs(facts *flow.Facts) iter.Seq2[*flow.ManualCall, output] {
	return func(yield func(*flow.ManualCall, output) bool) {
		for _, m := range facts.Manuals {
			for _, run := range m.Calls {
				for _, o := range outputs(run) {
					if !yield(m, o) {
						return
					}
				}
			}
		}
	}
}

// outputs lists the leaves that a manual body returns together with their specs, as far as both are known.
func outputs(run *flow.ManualRun) []output {
	var out []output
	var walk func(v, spec flow.Value, depth int)
	walk = func(v, spec flow.Value, depth int) {
		s, ok := spec.(*flow.Spec)
		if ok {
			leaves, _ := flow.Leaves(v)
			for _, l := range leaves {
				if a, isArray := flow.AsArray(l); isArray {
					out = append(out, output{a, s, run})
				}
			}
			return
		}
		values, complete, ok := flow.Elements(v)
		specs, all, isSeq := flow.Elements(spec)
		if d, isDict := v.(*flow.Dict); isDict {
			sd, same := spec.(*flow.Dict)
			if !same {
				return
			}
			for i, k := range d.Keys {
				if s, found := sd.Get(k); found {
					walk(d.Vals[i], s, depth+1)
				}
			}
			return
		}
		if ok && isSeq && complete && all && len(values) == len(specs) && depth < 8 {
			for i := range values {
				walk(values[i], specs[i], depth+1)
			}
		}
	}
	if run.Map.OutSpecs != nil {
		walk(run.Result, run.Map.OutSpecs, 0)
	}
	return out
}

// claimed lists the axes over which an output differs between devices although its spec says that it does not.
func (o output) claimed() []string {
	if !o.array.VarKnown || o.array.VarUpper || !o.spec.Complete() || !o.run.Map.Axes.Covers(o.spec.Axes()) {
		return nil // an axis that the mesh lacks is SHD101's
	}
	var axes []string
	for _, a := range o.array.Var {
		if yes, known := o.spec.Mentions(a); known && !yes && o.run.Map.Axes.Has(a) && !trivial(o.run.Region, a) {
			axes = append(axes, a)
		}
	}
	return axes
}

// reducesOther reports whether the same expression, at another call of its function or in another turn of a loop, reduces something for
// which too does not hold: what is done to the expression happens to that as well.
func reducesOther(facts *flow.Facts, e *flow.Event, too func(*flow.Event) bool) bool {
	for _, o := range facts.Named(e.Name) {
		if o != e && o.At == e.At && !o.Region.Open() && !too(o) {
			return true
		}
	}
	return false
}

// dropped replaces a collective by its operand. Where nothing is left to do the line goes, or the map over a tree that only applied the
// collective.
func dropped(e *flow.Event, safety analyzers.Safety) []analyzers.Fix {
	operand := e.Arg(0, "x", "operand")
	if operand == nil || !operand.At.Valid() || !e.At.Contains(operand.At) {
		return nil
	}
	if axis := e.Arg(1, "axis_name"); axis != nil && handedInWithin(axis.At) {
		return nil // it reduces over other axes as well
	}
	return fixOf(fmt.Sprintf("Drop the %s", lastName(e.Name)), safety, leftOf(e.At, operand.At)...)
}

// leftOf leaves of an expression only a part of it: f(x) becomes x, tree.map(lambda t: f(t), x) becomes x, and the whole
// assignment x = f(x) goes.
func leftOf(whole, part flow.Ref) []analyzers.Edit {
	whole, part = mappedOver(whole, part)
	s := whole.File.Syntax
	assignment := s.Parent(whole.Node)
	if s.Is(assignment, pyparse.KindAssignment) && s.Child(assignment, pyparse.FieldRight) == whole.Node && bare(s.Text(s.Child(assignment, pyparse.FieldLeft))) == bare(part.Text()) {
		if statement := wholeStatement(whole); statement.Valid() && s.Text(statement.Node) == s.Text(assignment) {
			return []analyzers.Edit{lineDropped(statement)}
		}
		return []analyzers.Edit{replaced(flow.Ref{File: whole.File, Node: assignment}, "pass")}
	}
	edits := unwrapped(whole, part)
	if bindsLoosely(part) && !standsAlone(whole) {
		edits[0].NewText, edits[1].NewText = "(", ")"
	}
	return edits
}

// bare is the text of an expression without the parentheses around it.
func bare(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
}

// bindsLoosely reports whether an expression needs parentheses inside another one.
func bindsLoosely(at flow.Ref) bool {
	return isKind(at, pyparse.KindBinaryOperator, pyparse.KindUnaryOperator, pyparse.KindBooleanOperator, pyparse.KindNotOperator, pyparse.KindComparisonOperator,
		pyparse.KindConditionalExpression, pyparse.KindLambda, pyparse.KindAwait)
}

// standsAlone reports whether an expression is an argument, an element, a returned or an assigned value, where nothing binds tighter.
func standsAlone(at flow.Ref) bool {
	s := at.File.Syntax
	return s.Is(s.Parent(at.Node), pyparse.KindArgumentList, pyparse.KindKeywordArgument, pyparse.KindAssignment, pyparse.KindReturnStatement, pyparse.KindExpressionStatement,
		pyparse.KindTuple, pyparse.KindList, pyparse.KindExpressionList, pyparse.KindParenthesizedExpression, pyparse.KindLambda)
}

// mappedOver widens an expression that is all that a lambda does to its argument to the map that applies the lambda to one tree.
func mappedOver(whole, part flow.Ref) (flow.Ref, flow.Ref) {
	s := whole.File.Syntax
	lambda := s.Parent(whole.Node)
	if !s.Is(lambda, pyparse.KindLambda) || !isKind(part, pyparse.KindIdentifier) {
		return whole, part
	}
	params := s.Parameters(lambda)
	call := s.Parent(s.Parent(lambda))
	args := s.Arguments(call)
	if len(params) != 1 || params[0].Name != part.Text() || len(args) != 2 || args[0].Value != lambda || args[1].Kind != pyparse.Positional {
		return whole, part
	}
	if name, _ := s.DottedName(s.Callee(call)); lastName(name) != "tree_map" && !strings.HasSuffix(name, "tree.map") {
		return whole, part
	}
	return flow.Ref{File: whole.File, Node: call}, flow.Ref{File: whole.File, Node: args[1].Value}
}

// unwrapped leaves of a node only a part of it. The part itself is not edited, so that other edits may change it.
func unwrapped(whole, part flow.Ref) []analyzers.Edit {
	before, after := spanOf(whole), spanOf(whole)
	before.End, after.Start = spanOf(part).Start, spanOf(part).End
	return []analyzers.Edit{{Span: before}, {Span: after}}
}

// axisSource is the name of an axis as source: as a collective of the file spells it by names that mean the same there, or in quotes.
func axisSource(facts *flow.Facts, at flow.Ref, axis string) string {
	for _, e := range facts.Named("jax.lax.psum", "jax.lax.pmean", "jax.lax.psum_scatter", "jax.lax.all_gather", "jax.lax.pmax", "jax.lax.ppermute", "jax.lax.axis_index") {
		arg := e.Arg(1, "axis_name")
		if e.Name == "jax.lax.axis_index" {
			arg = e.Arg(0, "axis_name")
		}
		if arg == nil || !arg.At.Valid() || arg.At.File != at.File || !e.At.Contains(arg.At) || !readableAt(arg.At, at) {
			continue
		}
		if name, ok := flow.String(arg.Value); ok && name == axis && !isKind(arg.At, pyparse.KindString) {
			return arg.At.Text()
		}
	}
	return quoted(at.File, axis)
}

// varyingCast is the source that casts an expression to vary over axes.
func varyingCast(p *analyzers.Pass, w *writer, at flow.Ref, axes []string) string {
	axis := axisSource(p.Facts(), at, axes[0])
	if len(axes) > 1 {
		axis = axesSource(w.file, axes)
	}
	if p.JAX.AtLeast(0, 8, 2) {
		return fmt.Sprintf("%s(%s, %s, to=%s)", w.name("jax.lax.pcast"), at.Text(), axis, quoted(w.file, "varying"))
	}
	return fmt.Sprintf("%s(%s, %s)", w.name("jax.lax.pvary"), at.Text(), axis)
}
