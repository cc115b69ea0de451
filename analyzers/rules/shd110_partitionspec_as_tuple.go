package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd110() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD110", Name: "partitionspec-as-tuple", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.6.1"},
		Summary: "a PartitionSpec is treated as the tuple that it is no longer",
		Doc: analyzers.Documentation{
			Finds: "isinstance(spec, tuple), a comparison of a PartitionSpec with a tuple or list, and a comparison of two specs that differ only in trailing None.",
			Matters: "Nothing raises; the test is just always false. isinstance(spec, tuple) is False since 0.6.1, spec == (\"data\", None) since 0.10.0, and P(\"data\") == P(\"data\", None) in every release although both mean the same layout. " +
				"len, indexing, iteration, slicing and + keep working.",
			Example: `from jax.sharding import PartitionSpec as P

spec = P("data", None)
print(spec == ("data", None))
`,
			Instead: `from jax.sharding import PartitionSpec as P

spec = P("data", None)
print(tuple(spec) == ("data", None))
`,
			FixSafety: "The fix compares tuple(spec), which works in every release, tests for PartitionSpec, or writes two specs with the same trailing None where nothing else reads the one that changes. It is unsafe because the branch behind the test starts to run.",
			Ignore:    "When the file only runs on releases before 0.6.1.",
		},
		Needles: append(specNeedles(), ".spec"),
		Check:   checkSpecAsTuple,
	}
}

func checkSpecAsTuple(p *analyzers.Pass) {
	out := newOnce(p)
	facts := p.Facts()
	for _, e := range facts.Named("op.compare") {
		op, _ := flow.String(e.Recv)
		if op != "==" && op != "!=" || len(e.Pos) != 2 {
			continue
		}
		if f, ok := comparedSpecs(p, e); ok {
			out.report(e.At, f)
		}
	}
	if !p.JAX.AtLeast(0, 6, 1) {
		return
	}
	others := map[flow.Ref]bool{} // tests that something else than a spec reaches too
	for _, e := range facts.Named("op.isinstance") {
		if _, isSpec := e.Value(0).(*flow.Spec); !isSpec {
			others[e.At] = true
		}
	}
	for _, e := range facts.Named("op.isinstance") {
		if others[e.At] || !namesTuple(e.Value(1)) || !meansSpec(e) {
			continue
		}
		class := e.Arg(1).At
		f := analyzers.Finding{Message: fmt.Sprintf("isinstance(%s, tuple) is False for a PartitionSpec since JAX 0.6.1; test for PartitionSpec", shortText(e.Pos[0].At.Text()))}
		f.Fixes = testForSpec(class)
		out.report(e.At, f)
	}
}

// meansSpec reports whether a test is about specs alone: the test of a walk over any tree, or for a namedtuple, comes out the
// same for a spec as for any other leaf.
func meansSpec(e *flow.Event) bool {
	f := e.At.File.Syntax
	for n := range f.Ancestors(e.At.Node) {
		if !f.Is(n, pyparse.KindBooleanOperator, pyparse.KindParenthesizedExpression, pyparse.KindNotOperator) {
			break
		}
		if strings.Contains(f.Text(n), "_fields") {
			return false
		}
	}
	name := strings.ToLower(e.Pos[0].At.Text())
	for _, word := range []string{"spec", "sharding", "partition"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func namesTuple(v flow.Value) bool {
	if e, ok := v.(*flow.Ext); ok {
		return e.Name == "builtins.tuple"
	}
	t, ok := v.(*flow.Tuple)
	if !ok {
		return false
	}
	found := false
	for _, x := range t.Elems {
		e, ok := x.(*flow.Ext)
		if !ok || e.Name == "jax.sharding.PartitionSpec" {
			return false
		}
		found = found || e.Name == "builtins.tuple"
	}
	return found
}

func comparedSpecs(p *analyzers.Pass, e *flow.Event) (analyzers.Finding, bool) {
	for i := range e.Pos {
		spec, isSpec := e.Pos[i].Value.(*flow.Spec)
		if !isSpec {
			continue
		}
		switch o := e.Pos[1-i].Value.(type) {
		case *flow.Tuple, *flow.List:
			if !p.JAX.AtLeast(0, 10, 0) {
				return analyzers.Finding{}, false
			}
			at := e.Pos[i].At
			return analyzers.Finding{
				Message: fmt.Sprintf("a PartitionSpec never equals a tuple since JAX 0.10.0; compare tuple(%s)", shortText(at.Text())),
				Fixes:   fixOf("Compare as tuples", analyzers.Unsafe, replaced(at, "tuple("+at.Text()+")")),
			}, true
		case *flow.Spec:
			same, known := spec.Equivalent(o)
			if known && same && spec.String() != o.String() {
				return analyzers.Finding{
					Message: fmt.Sprintf("%s and %s mean the same layout but are not equal: trailing None counts in a comparison; compare shardings with is_equivalent_to, or write both alike", spec, o),
					Fixes:   writtenAlike(e, spec, o, i),
				}, true
			}
		}
	}
	return analyzers.Finding{}, false
}

// writtenAlike gives one of two compared specs the trailing None entries of the other. It changes one that is written in the comparison or
// that nothing else reads.
func writtenAlike(e *flow.Event, spec, other *flow.Spec, i int) []analyzers.Fix {
	for _, side := range [2]struct {
		at       flow.Ref
		own, its *flow.Spec
	}{{e.Pos[i].At, spec, other}, {e.Pos[1-i].At, other, spec}} {
		written := soleUse(side.at)
		missing := len(side.its.Entries) - len(side.own.Entries)
		if !written.Valid() || written != side.own.At || missing == 0 {
			continue
		}
		if missing < 0 {
			w := writing(written.File)
			entries, ok := entryTexts(w, side.own, side.own.Entries[:len(side.its.Entries)])
			if !ok {
				return nil
			}
			return w.fix("Write both alike", analyzers.Unsafe, replaced(written, specName(w, side.own)+"("+strings.Join(entries, ", ")+")"))
		}
		if edits, ok := withArgument(written, strings.TrimSuffix(strings.Repeat("None, ", missing), ", ")); ok {
			return fixOf("Write both alike", analyzers.Unsafe, edits...)
		}
	}
	return nil
}

// testForSpec tests for PartitionSpec instead of tuple, or for it too where other classes are listed.
func testForSpec(class flow.Ref) []analyzers.Fix {
	w := writing(class.File)
	name := w.name(partitionSpec)
	if class.Text() == "tuple" {
		return w.fix("Test for "+name, analyzers.Unsafe, replaced(class, name))
	}
	if nodes := class.File.Syntax.ChildList(class.Node); isKind(class, pyparse.KindTuple) && len(nodes) > 0 {
		return w.fix("Test for "+name+" too", analyzers.Unsafe, appended(flow.Ref{File: class.File, Node: nodes[len(nodes)-1]}, ", "+name))
	}
	return nil
}
