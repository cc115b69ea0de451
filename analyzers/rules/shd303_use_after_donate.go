package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd303() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD303", Name: "use-after-donate", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "an array is read after it was donated",
		Doc: analyzers.Documentation{
			Finds:   "A variable or attribute that was passed to a jit as a donated argument and is read afterwards, before it is bound again: further down in the same block, in the next iteration of the loop, or under the name of an array whose buffer a replicated device_put shares. shape, dtype and the like survive, and so do NumPy arrays.",
			Matters: "The read raises RuntimeError: the array has been deleted. Donation works on CPU too, so tests see it.",
			Example: `import jax
import jax.numpy as jnp

step = jax.jit(lambda p, x: p + x, donate_argnums=0)
p = jnp.ones((4, 4))
q = step(p, 1.0)
print(p.sum())
`,
			Instead: `import jax
import jax.numpy as jnp

step = jax.jit(lambda p, x: p + x, donate_argnums=0)
p = jnp.ones((4, 4))
q = step(p, 1.0)
print(q.sum(), p.shape)
`,
			Ignore: "Never: the read raises.",
		},
		Needles: []string{"donate"},
		Check:   checkUseAfterDonate,
	}
}

func checkUseAfterDonate(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("call.jit", "call.pjit") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || !e.At.Valid() || e.Region.UnderJit() {
			continue
		}
		for _, d := range donated(t, e) {
			if !holdsDeviceArray(d.arg.Value) || !d.arg.At.Valid() || d.arg.At.File != e.At.File {
				continue
			}
			if assignable(d.arg.At) {
				if at := readAfter(e.At, d.arg.At.Text(), targetsOf(e.At)); at.Valid() {
					out.report(at, analyzers.Finding{Message: fmt.Sprintf("%s was donated to %s and is deleted; read the result of the call instead", d.arg.At.Text(), e.Fn.Text())})
				}
			}
			if original := sharedWith(d.arg.Value); original != "" {
				if at := readAfter(e.At, original, nil); at.Valid() {
					out.report(at, analyzers.Finding{Message: fmt.Sprintf("%s shares its buffer with the replicated copy that was donated to %s, so it is deleted too; copy it before, or keep a NumPy array", original, e.Fn.Text())})
				}
			}
		}
	}
}

// holdsDeviceArray reports whether a value is known to hold arrays of JAX.
func holdsDeviceArray(v flow.Value) bool {
	leaves, _ := flow.Leaves(v)
	for _, l := range leaves {
		if a, ok := l.(*flow.Array); ok && !a.Host && !a.Static && (a.Made != nil || a.Commit != flow.CommitUnknown || a.RankKnown) {
			return true
		}
	}
	return false
}

// sharedWith is the name of the device array that a replicated device_put may share its buffer with.
func sharedWith(v flow.Value) string {
	a, ok := v.(*flow.Array)
	if !ok || a.Copy == nil || a.Copy.Host || a.Copy.Label == "" || a.Sharding == nil || a.Sharding.Spec == nil || !a.Sharding.Spec.Complete() || len(a.Sharding.Spec.Axes()) > 0 {
		return ""
	}
	return a.Copy.Label
}

// readAfter finds the first read of a name or attribute behind a call, in the blocks that certainly run after it. Where the
// call stands in a loop that never binds the name again, the call itself reads it in the next iteration.
func readAfter(call flow.Ref, text string, bound map[string]bool) flow.Ref {
	s := call.File.Syntax
	if bound[text] {
		return flow.Ref{}
	}
	statement := s.EnclosingStatement(call.Node)
	for block := s.Parent(statement); block != pyparse.None; statement, block = block, s.Parent(block) {
		if s.Is(block, pyparse.KindBlock, pyparse.KindModule) {
			at, stop := readIn(s, block, statement, text)
			if at != pyparse.None {
				return flow.Ref{File: call.File, Node: at}
			}
			if stop {
				return flow.Ref{}
			}
			continue
		}
		switch s.KindOf(block) {
		case pyparse.KindForStatement, pyparse.KindWhileStatement:
			if bindsName(s, block, text) {
				return flow.Ref{}
			}
			return call
		case pyparse.KindWithStatement:
		case pyparse.KindFunctionDefinition, pyparse.KindIfStatement, pyparse.KindTryStatement, pyparse.KindLambda, pyparse.KindClassDefinition, pyparse.KindMatchStatement:
			return flow.Ref{}
		}
	}
	return flow.Ref{}
}

// readIn looks at the statements of a block behind one of them: the first read of the text, or that it is bound again.
func readIn(s *pyparse.File, block, after pyparse.NodeID, text string) (at pyparse.NodeID, stop bool) {
	_, end := s.Span(after)
	for child := range s.Children(block) {
		if start, _ := s.Span(child); start < end {
			continue
		}
		if s.Is(child, pyparse.KindFunctionDefinition, pyparse.KindClassDefinition, pyparse.KindDecoratedDefinition) {
			continue
		}
		for n := range s.Descendants(child) {
			if s.Text(n) == text && s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) && readsValue(s, n) {
				return n, true
			}
		}
		if bindsName(s, child, text) || endsBlock(s, child) {
			return pyparse.None, true
		}
	}
	return pyparse.None, false
}

func endsBlock(s *pyparse.File, n pyparse.NodeID) bool {
	return s.Is(n, pyparse.KindReturnStatement, pyparse.KindRaiseStatement, pyparse.KindBreakStatement, pyparse.KindContinueStatement)
}

// readsValue reports whether an occurrence reads the array's data: not a target, not a keyword's name, not metadata.
func readsValue(s *pyparse.File, n pyparse.NodeID) bool {
	parent := s.Parent(n)
	switch {
	case s.Is(parent, pyparse.KindAttribute) && s.Child(parent, pyparse.FieldObject) == n:
		switch s.Text(s.Child(parent, pyparse.FieldAttribute)) {
		case "shape", "dtype", "ndim", "size", "sharding", "aval", "is_deleted", "weak_type", "nbytes":
			return false
		}
	case s.Is(parent, pyparse.KindAttribute):
		return false
	case s.Is(parent, pyparse.KindKeywordArgument) && s.FirstChild(parent) == n:
		return false
	case isTarget(s, n), s.Is(parent, pyparse.KindDeleteStatement):
		return false
	}
	return true
}

// isTarget reports whether a node is bound by the assignment or the loop that it stands in.
func isTarget(s *pyparse.File, n pyparse.NodeID) bool {
	for child, p := n, s.Parent(n); p != pyparse.None; child, p = p, s.Parent(p) {
		if a, ok := s.Assignment(p); ok {
			for _, t := range a.Targets {
				if t == child {
					return true
				}
			}
			return false
		}
		if s.Is(p, pyparse.KindForStatement) {
			return s.FieldOf(child) == pyparse.FieldLeft
		}
		if s.Is(p, pyparse.KindCall, pyparse.KindSubscript, pyparse.KindAttribute, pyparse.KindBlock) {
			return false
		}
	}
	return false
}

// bindsName reports whether anything below n binds the name or attribute.
func bindsName(s *pyparse.File, n pyparse.NodeID, text string) bool {
	for d := range s.Descendants(n) {
		if s.Text(d) == text && isTarget(s, d) {
			return true
		}
	}
	return false
}
