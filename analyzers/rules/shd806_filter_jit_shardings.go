package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd806() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD806", Name: "filter-jit-shardings", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		Summary: "equinox.filter_jit is given a keyword of jax.jit that it refuses",
		Doc: analyzers.Documentation{
			Finds: "A call of equinox.filter_jit, also through functools.partial or as a decorator, with in_shardings, out_shardings, static_argnums, static_argnames or donate_argnums.",
			Matters: "Equinox raises ValueError: it splits the arguments into arrays and the rest before it calls jax.jit, so that positions and trees of jax.jit's own keywords mean nothing. " +
				"Layouts are stated with equinox.filter_shard, outside for placing and inside for keeping.",
			Example: `import equinox as eqx
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
forward = eqx.filter_jit(lambda model, x: jax.vmap(model)(x), in_shardings=(None, rows))
`,
			Instead: `import equinox as eqx
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
forward = eqx.filter_jit(lambda model, x: jax.vmap(model)(eqx.filter_shard(x, rows)))
`,
			FixSafety: "The fix calls equinox.filter_shard on the inputs and on the result inside the function, and drops what names static arguments. It is safe: without it the call raises. Donated arguments get no fix, because donate= chooses in another way.",
			Ignore:    "Never: the call raises.",
		},
		Needles: []string{"filter_jit"},
		Check:   checkFilterJit,
	}
}

// filterJitRefuses are the keywords of jax.jit that filter_jit refuses (equinox 0.13.8), with what replaces them.
var filterJitRefuses = [...]struct{ keyword, remedy string }{
	{"in_shardings", "place inputs with equinox.filter_shard(x, sharding) inside the function"},
	{"out_shardings", "return equinox.filter_shard(result, sharding) from the function"},
	{"static_argnums", "leave it out: whatever is not an array is static"},
	{"static_argnames", "leave it out: whatever is not an array is static"},
	{"donate_argnums", "write donate="},
}

func checkFilterJit(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("equinox.filter_jit") {
		if e.Guarded {
			continue
		}
		var at flow.Ref
		var names, remedies []string
		for _, refused := range filterJitRefuses {
			a := e.Arg(-1, refused.keyword)
			if a == nil {
				continue
			}
			if !at.Valid() {
				at = keyword(a.At)
			}
			names = append(names, refused.keyword)
			if len(remedies) == 0 || remedies[len(remedies)-1] != refused.remedy {
				remedies = append(remedies, refused.remedy)
			}
		}
		if len(names) == 0 {
			continue
		}
		if !at.Valid() {
			at = e.At
		}
		out.report(at, analyzers.Finding{
			Message: fmt.Sprintf("equinox.filter_jit raises ValueError for %s; %s", strings.Join(names, ", "), strings.Join(remedies, ", and ")),
			Fixes:   shardedInside(e),
		})
	}
}

// shardedInside moves the shardings of a filter_jit into its function: filter_shard on each input and on the result. What is static is
// dropped, because filter_jit finds that by itself; a donation has no equal.
func shardedInside(e *flow.Event) []analyzers.Fix {
	fn := filteredFunction(e)
	filter := spelling(e.At.File.Syntax, "equinox.filter_shard")
	if !fn.Valid() || fn.File != e.At.File || filter == "" || e.Arg(-1, "donate_argnums") != nil || e.Splat {
		return nil
	}
	inputs, ok := inputShardings(e, fn.File.Syntax.Parameters(fn.Node))
	if !ok {
		return nil
	}
	result := flow.Ref{}
	if a := e.Arg(-1, "out_shardings"); a != nil {
		result = a.At
	}
	w := &filterShard{fn: fn, filter: filter, inputs: inputs, result: result}
	edits := w.edits(e)
	if edits == nil {
		return nil
	}
	kept, ok := keywordsDropped(e)
	if !ok {
		return nil
	}
	return fixOf("Use equinox.filter_shard inside", analyzers.Safe, append(edits, kept...)...)
}

// filteredFunction is the definition or lambda that a filter_jit gets, also the one that it decorates.
func filteredFunction(e *flow.Event) flow.Ref {
	if fn, ok := e.Value(0, "fun").(*flow.Func); ok {
		return fn.At
	}
	s := e.At.File.Syntax
	outer := s.Parent(s.Parent(e.At.Node))
	if !s.Is(outer, pyparse.KindDecoratedDefinition) || e.Arg(0, "fun") != nil {
		return flow.Ref{}
	}
	if fn := (flow.Ref{File: e.At.File, Node: s.Child(outer, pyparse.FieldDefinition)}); isKind(fn, pyparse.KindFunctionDefinition) {
		return fn
	}
	return flow.Ref{}
}

// inputShardings are the expressions of in_shardings by parameter name; parameters without one are left out.
func inputShardings(e *flow.Event, params []pyparse.Parameter) (map[string]flow.Ref, bool) {
	inputs := map[string]flow.Ref{}
	a := e.Arg(-1, "in_shardings")
	if a == nil {
		return inputs, true
	}
	s := a.At.File.Syntax
	node := s.Unwrap(a.At.Node)
	parts := s.ChildList(node)
	each := s.Is(node, pyparse.KindTuple, pyparse.KindList)
	if !each && isKind(flow.Ref{File: a.At.File, Node: node}, pyparse.KindIdentifier) {
		if _, one := a.Value.(*flow.Sharding); !one {
			return nil, false
		}
	}
	for i, p := range params {
		at := flow.Ref{File: a.At.File, Node: node}
		if each {
			if i >= len(parts) || p.Kind > pyparse.PositionalOrKeyword {
				return nil, false
			}
			at.Node = parts[i]
		}
		if !isKind(at, pyparse.KindNone) {
			inputs[p.Name] = at
		}
	}
	return inputs, !each || len(parts) == len(params)
}

// filterShard writes equinox.filter_shard into a function.
type filterShard struct {
	fn     flow.Ref
	filter string
	inputs map[string]flow.Ref
	result flow.Ref // the sharding of what the function returns, invalid where there is none
}

// edits are those in the function, or around its name where filter_jit gets a name; nil where one can't be written.
func (w *filterShard) edits(e *flow.Event) []analyzers.Edit {
	s := w.fn.File.Syntax
	function := argumentAt(e, 0, "fun")
	switch {
	case s.Is(w.fn.Node, pyparse.KindLambda) && e.At.Contains(w.fn):
		return w.inLambda()
	case s.Is(s.Parent(w.fn.Node), pyparse.KindDecoratedDefinition) && s.Contains(s.Parent(w.fn.Node), e.At.Node):
		return w.inDefinition()
	case isKind(function, pyparse.KindIdentifier, pyparse.KindAttribute) && s.EnclosingClass(w.fn.Node) == pyparse.None:
		var names, values []string
		for _, p := range s.Parameters(w.fn.Node) {
			if p.Kind > pyparse.PositionalOrKeyword || p.Default != pyparse.None {
				return nil
			}
			names = append(names, p.Name)
			values = append(values, w.sharded(p.Name, w.inputs[p.Name]))
		}
		call := function.Text() + "(" + strings.Join(values, ", ") + ")"
		return []analyzers.Edit{replaced(function, "lambda "+strings.Join(names, ", ")+": "+w.sharded(call, w.result))}
	}
	return nil
}

// sharded is the source of a value after filter_shard, the value itself where there is no sharding.
func (w *filterShard) sharded(value string, sharding flow.Ref) string {
	if !sharding.Valid() {
		return value
	}
	return w.filter + "(" + value + ", " + sharding.Text() + ")"
}

func (w *filterShard) inLambda() []analyzers.Edit {
	s, file := w.fn.File.Syntax, w.fn.File
	body := flow.Ref{File: file, Node: s.Body(w.fn.Node)}
	edits := []analyzers.Edit{}
	if w.result.Valid() { // in front of an edit of the first name
		edits = append(edits, inserted(body, w.filter+"("))
	}
	for n := range selfAndBelow(s, body.Node) {
		if sharding := w.inputs[s.Text(n)]; sharding.Valid() && s.Is(n, pyparse.KindIdentifier) && !isLabel(s, n) && !boundInside(s, body.Node, n) {
			edits = append(edits, replaced(flow.Ref{File: file, Node: n}, w.sharded(s.Text(n), sharding)))
		}
	}
	if w.result.Valid() {
		edits = append(edits, appended(body, ", "+w.result.Text()+")"))
	}
	return edits
}

func (w *filterShard) inDefinition() []analyzers.Edit {
	s, file := w.fn.File.Syntax, w.fn.File
	edits := []analyzers.Edit{}
	first := flow.Ref{File: file, Node: s.FirstChild(s.Body(w.fn.Node))}
	if d := s.Docstring(w.fn.Node); d != pyparse.None && s.Contains(first.Node, d) {
		children := s.ChildList(s.Body(w.fn.Node))
		if len(children) < 2 {
			return nil
		}
		first.Node = children[1]
	}
	for _, p := range s.Parameters(w.fn.Node) {
		sharding := w.inputs[p.Name]
		if !sharding.Valid() {
			continue
		}
		line, ok := lineBefore(first, p.Name+" = "+w.sharded(p.Name, sharding))
		if !ok || !movable(sharding, first) {
			return nil
		}
		edits = append(edits, line)
	}
	if w.result.Valid() {
		value := onlyReturned(w.fn)
		if !value.Valid() || !movable(w.result, value) {
			return nil
		}
		edits = append(edits, inserted(value, w.filter+"("), appended(value, ", "+w.result.Text()+")"))
	}
	return edits
}

// keywordsDropped takes the refused arguments out of a filter_jit. A decorator that is left without arguments becomes the bare
// function.
func keywordsDropped(e *flow.Event) ([]analyzers.Edit, bool) {
	if !isKind(e.At, pyparse.KindCall) {
		return nil, false
	}
	s := e.At.File.Syntax
	args := s.Arguments(e.At.Node)
	var edits []analyzers.Edit
	for _, refused := range filterJitRefuses {
		a := e.Arg(-1, refused.keyword)
		if a == nil {
			continue
		}
		edit, ok := argumentDropped(a.At)
		if !ok || !e.At.Contains(a.At) {
			return nil, false
		}
		edits = append(edits, edit)
	}
	decorator := s.Is(s.Parent(e.At.Node), pyparse.KindDecorator)
	switch {
	case decorator && len(args) == len(edits):
		return []analyzers.Edit{replaced(e.At, s.Text(s.Callee(e.At.Node)))}, true
	case decorator && len(args) == len(edits)+1 && args[0].Kind == pyparse.Positional:
		return []analyzers.Edit{replaced(e.At, s.Text(args[0].Value))}, true
	}
	return edits, true
}
