package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd701() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD701", Name: "process-divergent-collective", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "only some processes reach a computation that needs all of them",
		Doc: analyzers.Documentation{
			Finds:   "A function of multihost_utils, or a computation on an array that is spread over the processes, in a branch on jax.process_index(), behind an early return on it, or under a flag that holds its outcome. Branches on process_count() are the same everywhere, and arrays made inside the branch are local.",
			Matters: "The processes that reach it wait for those that do not: a hang, or a timeout after 30 seconds with Gloo. It never shows with one process.",
			Example: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
if jax.process_index() == 0:
    print(x.mean())
`,
			Instead: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
mean = float(jax.jit(lambda v: v.mean())(x))
if jax.process_index() == 0:
    print(mean)
`,
			FixSafety: "Where the call and the test stand in one function, and nothing between them binds what the call reads, the fix moves the call in front of the test. It is unsafe: the other processes then run it too.",
			Ignore:    "Never: all processes have to take part.",
		},
		Needles: []string{"process_index"},
		Check:   checkDivergent,
	}
}

func checkDivergent(p *analyzers.Pass) {
	facts, out, names := p.Facts(), newOnce(p), newNames{}
	if !manyProcesses(facts) {
		return
	}
	for _, e := range facts.Events {
		if e.Region.Find(flow.DivergentRegion) == nil || e.Region.Find(flow.SingleRegion) != nil || e.Region.Traced() {
			continue
		}
		what := needsAll(e)
		if what == "" {
			continue
		}
		out.report(e.At, analyzers.Finding{Fixes: onEveryProcess(e, names), Message: fmt.Sprintf("%s needs every process, but only those that pass the test on process_index reach it, and the others hang; run it on all and keep the output behind the test", what)})
	}
}

// onEveryProcess moves a call in front of the test on process_index that keeps it from some processes: the statement where it is all the
// statement does, else the call, whose value gets a name.
func onEveryProcess(e *flow.Event, names newNames) []analyzers.Fix {
	const title = "Run it on every process"
	test := e.Region.Find(flow.DivergentRegion).At
	if !test.Valid() || test.File != e.At.File || !isKind(e.At, pyparse.KindCall) || !readableAt(e.At, statementOf(test)) || !runsThrough(e.At, test) {
		return nil
	}
	s, statement := e.At.File.Syntax, statementAt(e.At)
	if !statement.Valid() {
		return nil
	}
	if whole := s.FirstChild(statement.Node); e.Stmt || s.Is(whole, pyparse.KindAssignment) && s.Child(whole, pyparse.FieldRight) == e.At.Node {
		if edits := movedBefore(e.At, test); edits != nil {
			return fixOf(title, analyzers.Unsafe, edits...)
		}
		return nil
	}
	name := "result"
	if callee := (flow.Ref{File: e.At.File, Node: s.Callee(e.At.Node)}); isKind(callee, pyparse.KindAttribute) {
		name = lastName(callee.Text())
	}
	switch name {
	case "sum", "min", "max", "any", "all", "round", "abs", "pow": // builtins
		name = "result"
	}
	if edits := names.hoisted(e.At, test, name); edits != nil {
		return fixOf(title, analyzers.Unsafe, edits...)
	}
	return nil
}

// runsThrough reports whether an expression gives the same before an earlier statement of its function: between the two, nothing binds a
// name or an attribute that it reads.
func runsThrough(expr, before flow.Ref) bool {
	s := expr.File.Syntax
	if s.EnclosingFunction(expr.Node) != s.EnclosingFunction(before.Node) {
		return false
	}
	from, _ := s.Span(before.Node)
	to, _ := s.Span(expr.Node)
	for n := range selfAndBelow(s, expr.Node) {
		name := s.Is(n, pyparse.KindIdentifier) && !isLabel(s, n) && !boundInside(s, expr.Node, n)
		if !name && !s.Is(n, pyparse.KindAttribute) {
			continue
		}
		for d := range s.Descendants(max(s.EnclosingFunction(expr.Node), 0)) {
			if start, _ := s.Span(d); start >= from && start < to && s.Text(d) == s.Text(n) && s.Is(d, pyparse.KindIdentifier, pyparse.KindAttribute) && isTarget(s, d) {
				return false
			}
		}
	}
	return true
}

// manyProcesses reports whether a program is written for several processes.
func manyProcesses(facts *flow.Facts) bool {
	return len(facts.Named("jax.distributed.initialize", "jax.process_index", "jax.process_count")) > 0
}

// needsAll names a call that every process has to make; "" when it is local.
func needsAll(e *flow.Event) string {
	if strings.HasPrefix(e.Name, "jax.experimental.multihost_utils.") {
		return lastName(e.Name)
	}
	if !computes(e.Name) {
		return ""
	}
	for _, a := range operandsOf(e) {
		if globalArray(a) {
			text, _, _ := strings.Cut(e.At.Text(), "(")
			return text
		}
	}
	return ""
}

// computes reports whether an event runs a computation on its operands.
func computes(name string) bool {
	switch name {
	case "op.getitem", "jax.Array.block_until_ready", "jax.Array.addressable_data":
		return name == "op.getitem"
	}
	return strings.HasPrefix(name, "op.") || strings.HasPrefix(name, "jax.Array.") || strings.HasPrefix(name, "jax.numpy.") || strings.HasPrefix(name, "jax.lax.") || name == "call.jit"
}

// globalArray reports whether an array is known to be spread over the devices of all processes.
func globalArray(a *flow.Array) bool {
	if a == nil || a.Host || a.Static {
		return false
	}
	if a.Made != nil && strings.HasPrefix(a.Made.Name, "jax.make_array_from_") {
		return true
	}
	return a.Commit == flow.Committed && a.Sharding != nil && a.Sharding.Spec != nil && len(a.Sharding.Spec.Axes()) > 0 &&
		a.Sharding.Mesh != nil && (a.Sharding.Mesh.Devices == nil || !a.Sharding.Mesh.Devices.Local)
}
