package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd313() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD313", Name: "mesh-context-mismatch", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError"},
		JAX:     analyzers.Releases{From: "0.6.1"},
		Summary: "shard_map gets another mesh than the context holds, or the context is changed inside jit",
		Doc: analyzers.Documentation{
			Finds:   "jax.shard_map(mesh=B) called under jax.set_mesh(A) where A and B differ in axis names or sizes, and set_mesh, use_mesh or get_mesh in code that is traced.",
			Matters: "Both raise ValueError at the call. device_put and constraints with a NamedSharding of another mesh are legal.",
			Example: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
flat = Mesh(np.array(jax.devices()), ("all",))
with jax.set_mesh(mesh):
    f = jax.shard_map(lambda x: x * 2, mesh=flat, in_specs=P("all"), out_specs=P("all"))
    f(jnp.ones(8))
`,
			Instead: `import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.set_mesh(mesh):
    f = jax.shard_map(lambda x: x * 2, in_specs=P("data"), out_specs=P("data"))
    f(jnp.ones(8))
`,
			FixSafety: "The fixes let shard_map inherit a context mesh that has all its axes, move the call behind the with block, enter the mesh of the shard_map in a block that holds nothing else, and move set_mesh from a traced function around the statements that call it. All are unsafe: another mesh may be meant.",
			Ignore:    "Never: the call raises.",
		},
		Needles: []string{"set_mesh", "use_mesh", "get_mesh"},
		Check:   checkMeshContext,
	}
}

func checkMeshContext(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 6, 1) {
		return
	}
	facts, out := p.Facts(), newOnce(p)
	for _, m := range facts.Manuals {
		if m.Kind != "shard_map" || m.Legacy || m.Mesh == nil || m.Event == nil {
			continue
		}
		for _, run := range m.Calls {
			if run.Call == nil || run.Call.Region.Open() || !differentMesh(run.Call.Context.New, m.Mesh) {
				continue
			}
			at := m.Event.At
			if a := m.Event.Arg(1, "mesh"); a != nil && a.At.Valid() {
				at = keyword(a.At)
			}
			out.reportCaused(run.Call, at, analyzers.Finding{Fixes: meshFixes(facts, m, run.Call), Message: fmt.Sprintf("shard_map gets %s with axes %s, but the context mesh is %s with axes %s; leave mesh= out, or call it outside of set_mesh",
				m.Mesh.Label(), quotes(m.Mesh.Names()), run.Call.Context.New.Label(), quotes(run.Call.Context.New.Names()))})
		}
	}
	for _, e := range facts.Named("jax.set_mesh", "jax.sharding.use_mesh", "jax.sharding.get_mesh") {
		if e.Region.Find(flow.JitRegion, flow.ManualRegion) != nil && !e.Guarded {
			out.report(e.At, analyzers.Finding{Fixes: contextAround(facts, e), Message: fmt.Sprintf("%s inside a function that jit traces raises ValueError; call it outside of jit, around the call", lastName(e.Name))})
		}
	}
}

// meshFixes are the ways out for a shard_map whose mesh is not the one in context: inherit that one where it has the same axes and more,
// call it behind the block that sets the context, or enter its own mesh there where the block holds nothing else.
func meshFixes(facts *flow.Facts, m *flow.ManualCall, call *flow.Event) []analyzers.Fix {
	var fixes []analyzers.Fix
	if a := m.Event.Arg(1, "mesh"); a != nil && containsAxes(call.Context.New, m.Mesh) {
		if edit, ok := argumentDropped(a.At); ok {
			fixes = fixOf("Inherit the mesh in context", analyzers.Unsafe, edit)
		}
	}
	with := withOf(call.Context.NewAt)
	if !with.Valid() || m.Event.At.File != with.File {
		return fixes
	}
	s := with.File.Syntax
	body := s.ChildList(s.Body(with.Node))
	first := -1
	for i, statement := range body {
		if s.Contains(statement, m.Event.At.Node) || s.Contains(statement, call.At.Node) {
			first = i
			break
		}
	}
	if first < 0 || !with.Contains(call.At) || usesContext(facts, with, body[first]) {
		return fixes
	}
	if first == 0 {
		mesh := meshText(facts, m.Mesh, with)
		set := flow.Ref{File: with.File}
		if args := s.Arguments(call.Context.NewAt.Node); len(args) == 1 {
			set.Node = args[0].Value
		}
		if mesh == "" || !isKind(set, pyparse.KindIdentifier, pyparse.KindAttribute) {
			return fixes
		}
		return append(fixes, fixOf("Enter "+mesh+" instead", analyzers.Unsafe, replaced(set, mesh))...)
	}
	moved := make([]flow.Ref, 0, len(body))
	for _, statement := range body[first:] {
		moved = append(moved, flow.Ref{File: with.File, Node: statement})
	}
	if edits := indented(moved, extraIndent(with, moved[0]), false); edits != nil {
		fixes = append(fixes, fixOf("Call it behind the block", analyzers.Unsafe, edits...)...)
	}
	return fixes
}

// containsAxes reports whether a mesh has every axis of another one, of the same size.
func containsAxes(m, other *flow.Mesh) bool {
	for _, axis := range other.Axes {
		own, ok := m.Axis(axis.Name)
		if !ok || own.Size <= 0 || own.Size != axis.Size {
			return false
		}
	}
	return len(other.Axes) > 0
}

// withOf is the with statement that has nothing but the given context manager, invalid where it has others or names it.
func withOf(manager flow.Ref) flow.Ref {
	if !manager.Valid() {
		return flow.Ref{}
	}
	s := manager.File.Syntax
	statement := flow.Ref{File: manager.File, Node: s.EnclosingStatement(manager.Node)}
	items := s.WithItems(statement.Node)
	if !isKind(statement, pyparse.KindWithStatement) || len(items) != 1 || s.Unwrap(items[0].Value) != manager.Node || items[0].Target != pyparse.None || s.IsAsync(statement.Node) {
		return flow.Ref{}
	}
	return statement
}

// usesContext reports whether the statements of a with block from one of them on resolve bare specs by the mesh in context.
func usesContext(facts *flow.Facts, with flow.Ref, first pyparse.NodeID) bool {
	s := with.File.Syntax
	from, _ := s.Span(first)
	for _, meet := range facts.Meets {
		if !meet.Bare || meet.Event == nil || !with.Contains(meet.Event.At) {
			continue
		}
		if start, _ := s.Span(meet.Event.At.Node); start >= from {
			return true
		}
	}
	return false
}

// contextAround moves a mesh context out of a function that jit traces, around the statements that call the function.
func contextAround(facts *flow.Facts, e *flow.Event) []analyzers.Fix {
	with := withOf(e.At)
	jit := e.Region.Find(flow.JitRegion)
	if !with.Valid() || !statementAt(with).Valid() || jit == nil || jit.Call == nil || jit.Call.Callee == nil || multiline(e.At) {
		return nil
	}
	s := with.File.Syntax
	body := make([]flow.Ref, 0, 4)
	for _, statement := range s.ChildList(s.Body(with.Node)) {
		body = append(body, flow.Ref{File: with.File, Node: statement})
	}
	by := extraIndent(with, body[0])
	header := analyzers.Edit{Span: spanOf(with)}
	header.Span.End = spanOf(body[0]).Start
	edits := indented(body, by, false)
	calls := callsOfSame(facts, jit.Call)
	if edits == nil || len(calls) == 0 {
		return nil
	}
	// The first statement of the body takes the place of the header.
	edits = append(edits[1:], header)
	for _, call := range calls {
		around, ok := wrapped(call, "with "+e.At.Text()+":", by)
		if !ok || !movable(e.At, call) || with.Contains(call) {
			return nil
		}
		edits = append(edits, around...)
	}
	return fixOf("Set the mesh around the calls", analyzers.Unsafe, edits...)
}

// callsOfSame lists the statements that call what a call of jit calls, outside of other traces; nil where one of them can't be wrapped.
func callsOfSame(facts *flow.Facts, call *flow.Event) []flow.Ref {
	t, ok := call.Callee.(*flow.Transformed)
	if !ok || t.Make == nil {
		return nil
	}
	var statements []flow.Ref
	seen := map[flow.Ref]bool{}
	for _, e := range facts.Named("call.jit") {
		other, ok := e.Callee.(*flow.Transformed)
		if !ok || other.Make == nil || other.Make.At != t.Make.At {
			continue
		}
		statement := statementAt(e.At)
		if !statement.Valid() || e.Region.Traced() || statement.File != call.At.File || isKind(statement, pyparse.KindFunctionDefinition, pyparse.KindClassDefinition, pyparse.KindDecoratedDefinition) {
			return nil
		}
		if !seen[statement] {
			seen[statement] = true
			statements = append(statements, statement)
		}
	}
	return statements
}

// differentMesh reports whether two meshes are known to differ in their axes.
func differentMesh(a, b *flow.Mesh) bool {
	if a == nil || b == nil || !a.Known || !b.Known || a.Abstract || b.Abstract || a.Empty || b.Empty {
		return false
	}
	if len(a.Axes) != len(b.Axes) {
		return true
	}
	for i, axis := range a.Axes {
		other := b.Axes[i]
		if axis.Name != other.Name || axis.Size > 0 && other.Size > 0 && axis.Size != other.Size {
			return true
		}
	}
	return false
}
