package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd209() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD209", Name: "spec-tree-mismatch", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"TypeError", "ValueError"},
		Summary: "the specs of shard_map do not match its arguments or results",
		Doc: analyzers.Documentation{
			Finds: "A tuple of in_specs with another length than the arguments, or of out_specs than the results; strings or a list in place of specs; a tuple of out_specs around a single result; in_specs=None; a dict in in_specs with other keys than that of a visible call. " +
				"One spec for everything is a prefix and fine, and so is a None entry, which hands an argument over unsplit.",
			Matters: "JAX raises ValueError or TypeError when the function is called. in_specs=None as a whole is worse: since 0.7.1 every argument is handed over whole, and an out_spec that names an axis silently repeats the rows (128 for 16).",
			Example: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def scale(x):
    return x * 3


f = jax.shard_map(scale, mesh=mesh, in_specs=(P("d"),), out_specs=(P("d"),))
f(jnp.arange(8.0))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def scale(x):
    return x * 3


f = jax.shard_map(scale, mesh=mesh, in_specs=(P("d"),), out_specs=P("d"))
f(jnp.arange(8.0))
`,
			FixSafety: "The fixes unwrap a one-element tuple, write P(...) around strings, a tuple for a list, the out_spec or P() for None, add P() where one spec, or one of a dict, is missing, at every place where the arrays of the call fit, " +
				"or drop one that is too many. They apply to code that raises or returns wrong rows; all but the tuple for a list are unsafe because another layout may be meant.",
			Ignore: "Never for code that runs: JAX refuses it.",
		},
		Needles: []string{"shard_map"},
		Check:   checkSpecTrees,
	}
}

func checkSpecTrees(p *analyzers.Pass) {
	out := newOnce(p)
	for _, m := range p.Facts().Manuals {
		if m.Kind != "shard_map" {
			continue
		}
		if f, ok := inSpecProblem(p, m); ok {
			out.report(m.InArg.At, f)
		}
		if m.OutArg != nil {
			if _, isString := m.OutArg.Value.(*flow.Str); isString {
				out.report(m.OutArg.At, stringSpecs(m.OutArg, "out_specs"))
			}
		}
		for _, run := range m.Calls {
			if f, ok := keyProblem(m, run); ok {
				out.reportCaused(run.Call, m.InArg.At, f)
			}
			if f, ok := outSpecProblem(m, run); ok {
				out.report(m.OutArg.At, f)
			}
		}
	}
}

func inSpecProblem(p *analyzers.Pass, m *flow.ManualCall) (analyzers.Finding, bool) {
	if m.InArg == nil {
		return analyzers.Finding{}, false
	}
	switch v := m.InArg.Value.(type) {
	case flow.None:
		outcome := "every argument is handed over whole to every device"
		if !p.JAX.AtLeast(0, 7, 1) {
			outcome = fmt.Sprintf("JAX %s refuses it", p.JAX)
		}
		f := analyzers.Finding{Message: fmt.Sprintf("in_specs=None is no replicated spec: %s; write P() for replicated arguments", outcome)}
		f.Fixes = specForNone(m)
		return f, true
	case *flow.List, *flow.Dict:
		f := analyzers.Finding{Message: "in_specs has to be a PartitionSpec or a tuple with one entry for each argument, not a list or a dict"}
		if isKind(m.InArg.At, pyparse.KindList) {
			s := m.InArg.At.File.Syntax
			f.Fixes = fixOf("Make it a tuple", analyzers.Safe, replaced(m.InArg.At, tupleText(textsOf(s, s.ChildList(m.InArg.At.Node)))))
		}
		return f, true
	case *flow.Str:
		return stringSpecs(m.InArg, "in_specs"), true
	case *flow.Tuple:
		if allStrings(v) {
			f := stringSpecs(m.InArg, "in_specs")
			if least, most, _, known := arity(m.Fn); known && len(v.Elems) > 1 && least <= len(v.Elems) && (most < 0 || len(v.Elems) <= most) {
				f.Fixes = eachWrapped(m.InArg.At)
			}
			return f, true
		}
		return countProblem(p.Facts(), m, v)
	}
	return analyzers.Finding{}, false
}

// keyProblem compares the dicts in in_specs with those of a call: JAX wants the specs to be a prefix of the arguments, with the same
// keys wherever both have a dict.
func keyProblem(m *flow.ManualCall, run *flow.ManualRun) (analyzers.Finding, bool) {
	if m.InArg == nil || run.Call == nil || run.Call.Splat || len(run.Call.Kw) > 0 {
		return analyzers.Finding{}, false
	}
	specs, ok := m.InArg.Value.(*flow.Tuple)
	if !ok || specs.Open || len(specs.Elems) != len(run.Call.Pos) {
		return analyzers.Finding{}, false
	}
	for i, spec := range specs.Elems {
		a := run.Call.Pos[i]
		missing, extra := differentKeys(spec, a.Value)
		what := fmt.Sprintf("the dict in in_specs for argument %d", i+1)
		switch {
		case len(missing) > 0:
			return analyzers.Finding{
				Message: fmt.Sprintf("%s lacks the key %s of %s; give every key a spec", what, quotes(missing), shortText(a.At.Text())),
				Fixes:   keysAdded(m.InArg.At, i, missing),
			}, true
		case len(extra) > 0:
			return analyzers.Finding{Message: fmt.Sprintf("%s has the key %s, which %s lacks; drop it", what, quotes(extra), shortText(a.At.Text()))}, true
		}
	}
	return analyzers.Finding{}, false
}

// differentKeys lists the keys that two dicts, or the first pair of dicts below them that differs, do not share; nil where one has
// keys that are not known.
func differentKeys(spec, arg flow.Value) (missing, extra []string) {
	s, ok := spec.(*flow.Dict)
	a, both := arg.(*flow.Dict)
	if !ok || !both || s.Open || a.Open {
		return nil, nil
	}
	own, known := flow.Names(s)
	other, also := flow.Names(a)
	if !known || !also {
		return nil, nil
	}
	for _, k := range other {
		if !holdsName(own, k.S) {
			missing = append(missing, k.S)
		}
	}
	for i, k := range own {
		if !holdsName(other, k.S) {
			extra = append(extra, k.S)
			continue
		}
		if value, found := a.Get(k); found && missing == nil && extra == nil {
			missing, extra = differentKeys(s.Vals[i], value)
		}
	}
	return missing, extra
}

// keysAdded gives the missing keys of the dict that stands at a position of in_specs the spec of a replicated array.
func keysAdded(specs flow.Ref, i int, missing []string) []analyzers.Fix {
	if !isKind(specs, pyparse.KindTuple) {
		return nil
	}
	s := specs.File.Syntax
	nodes := s.ChildList(specs.Node)
	if i >= len(nodes) || !s.Is(nodes[i], pyparse.KindDictionary) {
		return nil
	}
	pairs := s.ChildList(nodes[i])
	if len(pairs) == 0 || !s.Is(pairs[len(pairs)-1], pyparse.KindPair) {
		return nil
	}
	w := writing(specs.File)
	spec := w.name("jax.sharding.PartitionSpec") + "()"
	key := flow.Ref{File: specs.File, Node: s.Child(pairs[0], pyparse.FieldKey)}
	text := ""
	for _, name := range missing {
		text += ", " + literal(name, key) + ": " + spec
	}
	last := flow.Ref{File: specs.File, Node: pairs[len(pairs)-1]}
	return w.fix("Replicate "+quotes(missing), analyzers.Unsafe, appended(last, text))
}

func allStrings(t *flow.Tuple) bool {
	strings := 0
	for _, e := range t.Elems {
		switch e.(type) {
		case *flow.Str:
			strings++
		case flow.None:
		default:
			return false
		}
	}
	return strings > 0
}

// stringSpecs is the finding for names where specs belong.
func stringSpecs(a *flow.Arg, where string) analyzers.Finding {
	w := writing(a.At.File)
	spec := w.name("jax.sharding.PartitionSpec")
	f := analyzers.Finding{Message: fmt.Sprintf("%s holds strings, not PartitionSpecs; write P(...) around the names", where)}
	switch {
	case isKind(a.At, pyparse.KindTuple):
		f.Fixes = w.fix("Make it a "+spec, analyzers.Unsafe, replaced(a.At, spec+a.At.Text()))
	case isKind(a.At, pyparse.KindString):
		f.Fixes = w.fix("Make it a "+spec, analyzers.Unsafe, replaced(a.At, spec+"("+a.At.Text()+")"))
	}
	return f
}

// eachWrapped makes a spec of each name of a tuple that has one for each argument.
func eachWrapped(at flow.Ref) []analyzers.Fix {
	if !isKind(at, pyparse.KindTuple) {
		return nil
	}
	s, w := at.File.Syntax, writing(at.File)
	spec := w.name("jax.sharding.PartitionSpec")
	var specs []string
	for _, n := range s.ChildList(at.Node) {
		if text := s.Text(n); s.Is(n, pyparse.KindNone) {
			specs = append(specs, text)
		} else {
			specs = append(specs, spec+"("+text+")")
		}
	}
	return w.fix("Make each a "+spec, analyzers.Unsafe, replaced(at, tupleText(specs)))
}

// countProblem compares the number of specs with the positional parameters of the mapped function.
func countProblem(facts *flow.Facts, m *flow.ManualCall, t *flow.Tuple) (analyzers.Finding, bool) {
	least, most, name, ok := arity(m.Fn)
	if !ok || t.Open {
		return analyzers.Finding{}, false
	}
	n := len(t.Elems)
	if n >= least && (most < 0 || n <= most) {
		return analyzers.Finding{}, false
	}
	takes := least
	if n > most && most >= 0 {
		takes = most
	}
	return analyzers.Finding{
		Message: fmt.Sprintf("in_specs has %d entries, but %s takes %d arguments", n, name, takes),
		Fixes:   countFixes(facts, m, t, takes),
	}, true
}

// specForNone writes the specs that were meant by None: P() where nothing is split, the out_spec of a function of one argument otherwise.
func specForNone(m *flow.ManualCall) []analyzers.Fix {
	named, known := namedAxes(orNone(m.OutSpecs))
	if !known {
		return nil
	}
	if len(named) == 0 {
		w := writing(m.InArg.At.File)
		spec := w.name("jax.sharding.PartitionSpec") + "()"
		return w.fix("Write "+spec, analyzers.Unsafe, replaced(m.InArg.At, spec))
	}
	least, most, _, ok := arity(m.Fn)
	if _, one := m.OutSpecs.(*flow.Spec); !ok || !one || least != 1 || most != 1 || m.OutArg == nil || m.OutArg.At.File != m.InArg.At.File {
		return nil
	}
	return fixOf("Split the argument as the result is", analyzers.Unsafe, replaced(m.InArg.At, m.OutArg.At.Text()))
}

// maxCandidates is how many places for a missing spec are offered.
const maxCandidates = 3

// countFixes adds the one spec that is missing, as P(), or drops the one that is too many, wherever the arrays of a visible call then fit all
// specs.
func countFixes(facts *flow.Facts, m *flow.ManualCall, t *flow.Tuple, takes int) []analyzers.Fix {
	n := len(t.Elems)
	if !isKind(m.InArg.At, pyparse.KindTuple) || takes != n+1 && takes != n-1 {
		return nil
	}
	s := m.InArg.At.File.Syntax
	nodes := s.ChildList(m.InArg.At.Node)
	specs, ok := specsOf(t)
	arrays := handedOver(facts, m)
	if !ok || len(nodes) != n || len(arrays) != takes && !allAlike(specs) {
		return nil
	}
	w := writing(m.InArg.At.File)
	empty := specName(w, specs[0]) + "()"
	var fixes []analyzers.Fix
	seen := map[string]bool{}
	for i := range max(n, takes) {
		texts := textsOf(s, nodes)
		var left []*flow.Spec
		title := "Write a spec for argument " + fmt.Sprint(i+1)
		if takes > n {
			texts = slices.Insert(texts, i, empty)
			left = slices.Insert(slices.Clone(specs), i, &flow.Spec{Known: true})
		} else {
			title = "Drop spec " + fmt.Sprint(i+1)
			texts, left = slices.Delete(texts, i, i+1), slices.Delete(slices.Clone(specs), i, i+1)
		}
		text := tupleText(texts)
		if seen[text] || !(len(arrays) == takes && fitAll(m.Mesh, arrays, left) || len(arrays) != takes && takes < n) {
			continue
		}
		seen[text] = true
		fixes = append(fixes, w.fix(title, analyzers.Unsafe, replaced(m.InArg.At, text))...)
	}
	if len(fixes) > maxCandidates {
		return nil
	}
	return fixes
}

func textsOf(s *pyparse.File, nodes []pyparse.NodeID) []string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = s.Text(n)
	}
	return texts
}

// specsOf lists the specs of a tuple that holds nothing else.
func specsOf(t *flow.Tuple) ([]*flow.Spec, bool) {
	var specs []*flow.Spec
	for _, e := range t.Elems {
		s, ok := e.(*flow.Spec)
		if !ok || !s.Complete() {
			return nil, false
		}
		specs = append(specs, s)
	}
	return specs, len(specs) > 0
}

func allAlike(specs []*flow.Spec) bool {
	for _, s := range specs {
		if s.String() != specs[0].String() {
			return false
		}
	}
	return true
}

// handedOver lists the arrays that the one visible call of a mapped function passes, nil where not all of them are single arrays.
func handedOver(facts *flow.Facts, m *flow.ManualCall) []*flow.Array {
	var arrays []*flow.Array
	for _, e := range facts.Named("call.shard_map") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Map != m {
			continue
		}
		arrays = nil
		for _, a := range e.Pos {
			x, isArray := flow.AsArray(a.Value)
			if !isArray || x.Rank() < 0 {
				return nil
			}
			arrays = append(arrays, x)
		}
	}
	return arrays
}

// fitAll reports whether every array has the rank and the sizes that its spec needs.
func fitAll(m *flow.Mesh, arrays []*flow.Array, specs []*flow.Spec) bool {
	for i, s := range specs {
		if len(s.Entries) > arrays[i].Rank() {
			return false
		}
		for d, e := range s.Entries {
			if shards, ok := m.Shards(e); len(e.Names) > 0 && (!ok || arrays[i].Dim(d)%shards != 0) {
				return false
			}
		}
	}
	return true
}

// arity is the number of positional arguments that a function needs and takes; most is -1 for any number.
func arity(fn flow.Value) (least, most int, name string, ok bool) {
	bound := 0
	keywords := map[string]bool{}
	for {
		switch f := fn.(type) {
		case *flow.Bound:
			bound++
			fn = f.Fn
			continue
		case *flow.Partial:
			bound += len(f.Pos)
			for _, a := range f.Kw {
				keywords[a.Name] = true
			}
			fn = f.Fn
			continue
		case *flow.Transformed:
			if f.Kind != "jit" && f.Kind != "checkpoint" {
				return 0, 0, "", false
			}
			fn = f.Fn
			continue
		case *flow.Func:
			return countParams(f, bound, keywords)
		}
		return 0, 0, "", false
	}
}

func countParams(f *flow.Func, bound int, keywords map[string]bool) (least, most int, name string, ok bool) {
	name = f.Name
	if name == "" {
		name = "the lambda"
	}
	for _, p := range f.Params {
		switch {
		case p.Kind == flow.VarArgs:
			most = -1 << 30
		case p.Kind == flow.KeywordOnly || p.Kind == flow.VarKwargs || keywords[p.Name]:
		case bound > 0:
			bound--
		default:
			most++
			if p.Default == nil {
				least++
			}
		}
	}
	return least, max(most, -1), name, true
}

// outSpecProblem compares a tuple of out_specs with what the body returns.
func outSpecProblem(m *flow.ManualCall, run *flow.ManualRun) (analyzers.Finding, bool) {
	if m.OutArg == nil {
		return analyzers.Finding{}, false
	}
	switch missing, extra := differentKeys(m.OutArg.Value, run.Result); {
	case len(missing) > 0:
		return analyzers.Finding{Message: fmt.Sprintf("the dict in out_specs lacks the key %s of what the function returns; give every key a spec", quotes(missing))}, true
	case len(extra) > 0:
		return analyzers.Finding{Message: fmt.Sprintf("the dict in out_specs has the key %s, which the function does not return; drop it", quotes(extra))}, true
	}
	if l, isList := m.OutArg.Value.(*flow.List); isList && !l.Open {
		if _, other := run.Result.(*flow.Tuple); other {
			return analyzers.Finding{Message: "out_specs is a list, but the function returns a tuple; write a tuple of specs"}, true
		}
	}
	t, ok := m.OutArg.Value.(*flow.Tuple)
	if !ok || t.Open {
		return analyzers.Finding{}, false
	}
	if allStrings(t) {
		return stringSpecs(m.OutArg, "out_specs"), true
	}
	switch v := run.Result.(type) {
	case *flow.Array:
		if v.Tree || v.Rank() < 0 && v.Made == nil && v.Input != nil {
			return analyzers.Finding{}, false
		}
		f := analyzers.Finding{Message: fmt.Sprintf("out_specs is a tuple of %d, but the function returns one array; write the spec without the tuple", len(t.Elems))}
		if len(t.Elems) == 1 && isKind(m.OutArg.At, pyparse.KindTuple) {
			inner := flow.Ref{File: m.OutArg.At.File, Node: m.OutArg.At.File.Syntax.FirstChild(m.OutArg.At.Node)}
			f.Fixes = fixOf("Unwrap the tuple", analyzers.Unsafe, replaced(m.OutArg.At, inner.Text()))
		}
		return f, true
	case *flow.List:
		return analyzers.Finding{Message: fmt.Sprintf("out_specs is a tuple of %d, but the function returns a list; return a tuple", len(t.Elems))}, true
	case *flow.Instance:
		if v.Class.Tuple {
			return analyzers.Finding{Message: fmt.Sprintf("out_specs is a tuple of %d, but the function returns a %s; write the specs as a %s", len(t.Elems), v.Class.Name, v.Class.Name)}, true
		}
	case *flow.Tuple:
		if !v.Open && len(v.Elems) != len(t.Elems) {
			f := analyzers.Finding{Message: fmt.Sprintf("out_specs has %d entries, but the function returns %d values", len(t.Elems), len(v.Elems))}
			if specs, known := specsOf(t); known && allAlike(specs) && len(v.Elems) > 0 && len(v.Elems) < len(specs) && isKind(m.OutArg.At, pyparse.KindTuple) {
				s := m.OutArg.At.File.Syntax
				f.Fixes = fixOf("Drop what is too many", analyzers.Unsafe, replaced(m.OutArg.At, tupleText(textsOf(s, s.ChildList(m.OutArg.At.Node)[:len(v.Elems)]))))
			}
			return f, true
		}
	}
	return analyzers.Finding{}, false
}
