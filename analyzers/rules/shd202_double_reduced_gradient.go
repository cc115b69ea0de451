package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd202() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD202", Name: "double-reduced-gradient", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.6.1"},
		Summary: "a gradient that shard_map has already summed is reduced again",
		Doc: analyzers.Documentation{
			Finds: "psum, pmean or psum_scatter over an axis of a gradient that was taken inside a checked shard_map (check_vma=True, the default) with respect to a value that is equal along that axis. " +
				"With a dump, in whatever way the gradient was made: a psum, pmean or psum_scatter of a gradient that the backward pass or the partitioner has reduced over the same devices, and a psum of one that the program itself has reduced. " +
				"A mean that the dump alone tells of is a warning: it is needless, but whether the loss was averaged before, as it should be, can't be seen there.",
			Matters: "Since JAX 0.6.1 a value that is equal on all devices is cast to a varying one where it meets data that differs, and the transpose of that cast is a psum: the gradient comes out already summed. " +
				"A pmean then leaves it as it is, N times the mean on N devices, and a psum makes it N times the sum. Nothing raises; the learning rate is wrong by that factor. " +
				"Up to 0.5.3, and with check_vma=False, the same source is right.",
			Example: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def grads(w, x):
    g = jax.grad(loss)(w, x)
    return jax.lax.pmean(g, "data")
`,
			Instead: `from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def grads(w, x):
    return jax.grad(lambda w: jax.lax.pmean(loss(w, x), "data"))(w)
`,
			FixSafety: "For a psum the fix drops the call. For a pmean it moves the mean into the differentiated function. Both change the numbers, from wrong to right, so they are unsafe.",
			Ignore:    "When the factor is accounted for elsewhere, for example in the learning rate.",
		},
		Needles: []string{"psum", "pmean", "psum_scatter"},
		Check:   checkDoubleReduced, CheckDump: checkReducedAgain,
	}
}

func checkDoubleReduced(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.lax.psum", "jax.lax.pmean", "jax.lax.psum_scatter") {
		for _, axis := range axesOf(e) {
			if f, ok := doubleReductionAt(p.Facts(), e, axis, e.Region.AxisSize(axis)); ok {
				out.report(e.At, f)
			}
		}
	}
}

// doubleReductionAt is the finding on a call that reduces a gradient again over an axis of so many devices, -1 where that is not known, if it
// does.
func doubleReductionAt(facts *flow.Facts, e *flow.Event, axis string, devices int64) (f analyzers.Finding, ok bool) {
	for _, a := range gradientsIn(e) {
		if !doubleReduced(e, a.Grad, axis) || trivial(e.Region, axis) {
			continue
		}
		f := doubleReduction(e, a.Grad, axis, devices)
		if reducesOther(facts, e, func(o *flow.Event) bool {
			return slices.ContainsFunc(gradientsIn(o), func(g *flow.Array) bool { return doubleReduced(o, g.Grad, axis) })
		}) {
			f.Fixes = nil
		}
		return f, true
	}
	return analyzers.Finding{}, false
}

// gradientsIn lists the gradients among the operand's leaves.
func gradientsIn(e *flow.Event) []*flow.Array {
	var out []*flow.Array
	leaves, _ := flow.Leaves(e.Value(0, "x"))
	for _, l := range leaves {
		if a, ok := l.(*flow.Array); ok && a.Grad != nil {
			out = append(out, a)
		}
	}
	return out
}

// axesOf returns the known axis names of a collective.
func axesOf(e *flow.Event) []string {
	names, _ := flow.AxisNames(e.Value(1, "axis_name"))
	return names
}

// doubleReduced decides the rule: the gradient was summed over the axis by the transpose of a cast, and is reduced again. If
// the loss had been reduced inside, a mean changes nothing (which is SHD205).
func doubleReduced(e *flow.Event, g *flow.Gradient, axis string) bool {
	m := e.Region.InManual()
	if m == nil || m.Checked != flow.Yes || g.Region != m || g.Forward || !g.Summed.Has(axis) {
		return false
	}
	return lastName(e.Name) != "pmean" || !reducedInside(g, axis)
}

func reducedInside(g *flow.Gradient, axis string) bool {
	for _, r := range g.Inner {
		if r.Axis == axis {
			return true
		}
	}
	return false
}

func doubleReduction(e *flow.Event, g *flow.Gradient, axis string, devices int64) analyzers.Finding {
	kind := lastName(e.Name)
	times := "as many times"
	if devices > 0 {
		times = fmt.Sprintf("%d times", devices)
	}
	outcome := fmt.Sprintf("%s makes it %s too large", kind, times)
	advice := "drop the " + kind
	if kind == "pmean" {
		outcome = fmt.Sprintf("pmean leaves it %s as large as the mean", times)
		advice = fmt.Sprintf("put the pmean into the differentiated function: pmean(loss, %s)", quote(axis))
	}
	f := analyzers.Finding{Message: fmt.Sprintf("the gradient is already summed over %s by the checked shard_map (JAX 0.6.1 and later), so %s; %s, or cast the parameter with pcast(..., %s, to='varying') before differentiating",
		quote(axis), outcome, advice, quote(axis))}
	if g.Call != nil && g.Call.At.Valid() {
		f.Related = []analyzers.Related{{Span: spanOf(g.Call.At), Message: "the gradient is taken here"}}
	}
	if title, edits := meanInside(e, g); edits != nil {
		f.Fixes = fixOf(title, analyzers.Unsafe, edits...)
	}
	return f
}

// meanInside are the edits that drop a second psum, or move a mean into the differentiated function.
func meanInside(e *flow.Event, g *flow.Gradient) (title string, edits []analyzers.Edit) {
	operand, axis := e.Arg(0, "x"), e.Arg(1, "axis_name")
	if operand == nil || axis == nil || !e.Fn.Valid() || !operand.At.Valid() || !e.At.Contains(operand.At) {
		return "", nil
	}
	left, kind := leftOf(e.At, operand.At), lastName(e.Name)
	if kind == "psum_scatter" || !gradientsOnly(e, g, kind == "pmean") {
		return "", nil
	}
	if kind == "psum" {
		return "Drop the psum", left
	}
	t, ok := g.Call.Callee.(*flow.Transformed)
	if !ok || t.Value(2, "has_aux") != nil || !isKind(e.Fn, pyparse.KindIdentifier, pyparse.KindAttribute) {
		return "", nil
	}
	fn := t.Arg(0, "fun", "f")
	if fn == nil || !fn.At.Valid() || fn.At.File != e.At.File || conditional(e.At, fn.At) {
		return "", nil
	}
	name := axis.At.Text()
	if !e.At.Contains(axis.At) {
		name = "" // a partial holds it
	} else if !readableAt(axis.At, fn.At) {
		names, _ := flow.AxisNames(axis.Value)
		if len(names) != 1 {
			return "", nil
		}
		name = quoted(fn.At.File, names[0])
	}
	open, shut, mean := fn.At, fn.At, "lambda *args: "+e.Fn.Text()+"("
	if name != "" {
		name = ", " + name
	}
	end := "(*args)" + name + ")"
	if isKind(fn.At, pyparse.KindLambda) {
		body := flow.Ref{File: fn.At.File, Node: fn.At.File.Syntax.Body(fn.At.Node)}
		open, shut, mean, end = body, body, e.Fn.Text()+"(", name+")"
	}
	return "Take the mean of the loss inside the differentiated function", append(left, inserted(open, mean), appended(shut, end))
}

// readableAt reports whether the names of an expression mean the same at another place.
func readableAt(expression, place flow.Ref) bool {
	s := expression.File.Syntax
	if place.File != expression.File {
		return false
	}
	for n := range s.Descendants(expression.Node) {
		if s.Is(n, pyparse.KindIdentifier) && s.FieldOf(n) != pyparse.FieldAttribute && !boundInside(s, expression.Node, n) && s.Resolve(n) != s.Lookup(s.ScopeOf(place.Node), s.Text(n)) {
			return false
		}
	}
	return true
}

// gradientsOnly reports whether a collective reduces nothing but gradients of one call; with value, the value that came along with them too.
func gradientsOnly(e *flow.Event, g *flow.Gradient, value bool) bool {
	leaves, complete := flow.Leaves(e.Value(0, "x"))
	both, _ := g.Call.Result.(*flow.Tuple)
	for _, l := range leaves {
		if a, ok := l.(*flow.Array); ok && a.Grad != nil && a.Grad.Call == g.Call {
			continue
		}
		if !value || both == nil || len(both.Elems) != 2 || l != both.Elems[0] {
			return false
		}
	}
	return complete || len(leaves) == 1
}

// conditional reports whether one expression is evaluated under a condition, or in a loop, in which another one does not stand.
func conditional(at, other flow.Ref) bool {
	s := at.File.Syntax
	for n := range s.Ancestors(at.Node) {
		if s.Is(n, pyparse.KindIfStatement, pyparse.KindConditionalExpression, pyparse.KindForStatement, pyparse.KindWhileStatement) && !s.Contains(n, other.Node) {
			return true
		}
	}
	return false
}
