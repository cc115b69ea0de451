package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd311() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD311", Name: "sharding-built-in-hot-loop", Severity: analyzers.Info, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a loop makes a jitted function or a sharding anew in every iteration",
		Doc: analyzers.Documentation{
			Finds:   "jax.jit of a lambda, of a partial or of a function defined in the loop, called at once in a loop; and a NamedSharding built as an argument of a function of JAX in a loop. Loops that only store what they make are left alone.",
			Matters: "A fresh function object has a cache of its own: each iteration traces and compiles again. A sharding costs microseconds, which matters only in decoding loops.",
			Example: `import jax
import jax.numpy as jnp

p = jnp.ones(4)
for t in range(3):
    p = jax.jit(lambda p: p * 2)(p)
`,
			Instead: `import jax
import jax.numpy as jnp

p = jnp.ones(4)
double = jax.jit(lambda p: p * 2)
for t in range(3):
    p = double(p)
`,
			FixSafety: "The fix makes the jitted function, or the sharding, in front of the loop, and of the loops around it where it reads nothing that they change. It is safe: the same object is used in every iteration.",
			Ignore:    "In loops that run a few times.",
		},
		Needles:  append(jitNeedles(), "NamedSharding"),
		Requires: [][]string{{"for", "while"}},
		Check:    checkHotLoop,
	}
}

func checkHotLoop(p *analyzers.Pass) {
	out, names := newOnce(p), newNames{}
	calls := map[flow.Ref]bool{} // of functions of JAX
	for _, e := range p.Facts().Events {
		if strings.HasPrefix(e.Name, "jax.") || strings.HasPrefix(e.Name, "call.") {
			calls[e.At] = true
		}
	}
	for _, e := range p.Facts().Named("jax.jit", "jax.sharding.NamedSharding") {
		if !lexicallyInLoop(e.At) {
			continue
		}
		s := e.At.File.Syntax
		if e.Name == "jax.jit" && decoratedInLoop(e.At) {
			out.report(e.At, analyzers.Finding{Severity: analyzers.Warning, Message: "jax.jit of a function that is defined in the loop traces and compiles in every iteration; define it before the loop and pass it what changes"})
			continue
		}
		if !isKind(e.At, pyparse.KindCall) {
			continue
		}
		parent := s.Parent(e.At.Node)
		if e.Name == "jax.jit" {
			called := s.Is(parent, pyparse.KindCall) && s.Callee(parent) == e.At.Node || calledInLoop(e.At)
			if arg := e.Arg(0, "fun"); arg != nil && called && freshFunction(arg) && !overCases(e.At) {
				out.report(e.At, analyzers.Finding{Severity: analyzers.Warning, Fixes: beforeLoop(e.At, "step", names), Message: "jax.jit of a new function object in a loop traces and compiles in every iteration; make the jitted function before the loop and pass it what changes"})
			}
			continue
		}
		if e.Region.UnderJit() {
			continue // the loop runs while the function is traced
		}
		if s.Is(parent, pyparse.KindKeywordArgument) {
			parent = s.Parent(parent)
		}
		if s.Is(parent, pyparse.KindArgumentList) && calls[flow.Ref{File: e.At.File, Node: s.Parent(parent)}] && !strings.HasSuffix(s.Text(s.Callee(s.Parent(parent))), "jit") && !storesResult(s, s.Parent(parent)) && !changesInLoop(e.At) && !readsBoundIn(e.At, loopAround(e.At)) {
			out.report(e.At, analyzers.Finding{Fixes: beforeLoop(e.At, "sharding", names), Message: "NamedSharding is built in every iteration; build it before the loop"})
		}
	}
}

// calledInLoop reports whether a jitted function is given a name that the loop around it does nothing with but call it, and reads nothing
// that changes in the loop: it is the same function each time.
func calledInLoop(jit flow.Ref) bool {
	s := jit.File.Syntax
	a, ok := s.Assignment(s.Parent(jit.Node))
	if !ok || len(a.Targets) != 1 || !s.Is(a.Targets[0], pyparse.KindIdentifier) || changesInLoop(jit) {
		return false
	}
	symbol := s.Resolve(a.Targets[0])
	if symbol == nil || len(symbol.Bindings) != 1 || len(symbol.Uses) == 0 {
		return false
	}
	loop := loopAround(jit)
	for _, use := range symbol.Uses {
		call := s.Parent(use)
		if !s.Is(call, pyparse.KindCall) || s.Callee(call) != use || !s.Contains(loop, use) {
			return false
		}
	}
	return true
}

// decoratedInLoop reports whether a node decorates a function that is defined in a loop, is only called there, and reads nothing that
// changes in the loop: it is the same function each time.
func decoratedInLoop(decorator flow.Ref) bool {
	s := decorator.File.Syntax
	definition := pyparse.None
	for n := s.Parent(decorator.Node); n != pyparse.None; n = s.Parent(n) {
		if s.Is(n, pyparse.KindDecoratedDefinition) {
			definition = s.Child(n, pyparse.FieldDefinition)
			break
		}
		if !s.Is(n, pyparse.KindDecorator, pyparse.KindCall, pyparse.KindArgumentList) {
			return false
		}
	}
	name := s.Child(definition, pyparse.FieldName)
	if definition == pyparse.None || !s.Is(definition, pyparse.KindFunctionDefinition) || overCases(decorator) {
		return false
	}
	symbol, loop := s.Resolve(name), loopAround(decorator)
	if symbol == nil || len(symbol.Bindings) != 1 || len(symbol.Uses) == 0 || readsBoundIn(flow.Ref{File: decorator.File, Node: definition}, loop) {
		return false
	}
	for _, use := range symbol.Uses {
		call := s.Parent(use)
		if !s.Is(call, pyparse.KindCall) || s.Callee(call) != use || !s.Contains(loop, use) {
			return false
		}
	}
	return true
}

// overCases reports whether the loop around a node goes over elements that are written out, as one over a few configurations
// does, rather than over steps.
func overCases(at flow.Ref) bool {
	s := at.File.Syntax
	loop := loopAround(at)
	return s.Is(loop, pyparse.KindForStatement) && s.Is(s.Unwrap(s.Child(loop, pyparse.FieldRight)), pyparse.KindTuple, pyparse.KindList, pyparse.KindExpressionList, pyparse.KindSet)
}

// beforeLoop makes an expression once, in front of the outermost loop that binds nothing it reads.
func beforeLoop(expr flow.Ref, name string, names newNames) []analyzers.Fix {
	outermost := pyparse.None
	for loop := loopAround(expr); loop != pyparse.None && !readsBoundIn(expr, loop); loop = loopAround(flow.Ref{File: expr.File, Node: loop}) {
		outermost = loop
	}
	if outermost == pyparse.None {
		return nil
	}
	place := flow.Ref{File: expr.File, Node: outermost}
	edits := names.hoisted(expr, place, name)
	if bindsOnce(expr) {
		edits = movedBefore(expr, place)
	}
	if edits == nil {
		return nil
	}
	return fixOf("Make it before the loop", analyzers.Safe, edits...)
}

// bindsOnce reports whether a statement does nothing but give an expression a name that nothing else binds.
func bindsOnce(expr flow.Ref) bool {
	s := expr.File.Syntax
	a, ok := s.Assignment(s.Parent(expr.Node))
	if !ok || a.Value != expr.Node || len(a.Targets) != 1 || !s.Is(a.Targets[0], pyparse.KindIdentifier) {
		return false
	}
	symbol := s.Resolve(a.Targets[0])
	return symbol != nil && len(symbol.Bindings) == 1
}

// readsBoundIn reports whether an expression reads a name, or an attribute, that a loop binds.
func readsBoundIn(expr flow.Ref, loop pyparse.NodeID) bool {
	s := expr.File.Syntax
	for n := range s.Descendants(expr.Node) {
		switch {
		case s.Is(n, pyparse.KindAttribute):
			if bindsName(s, loop, s.Text(n)) {
				return true
			}
		case !s.Is(n, pyparse.KindIdentifier) || isLabel(s, n) || boundInside(s, expr.Node, n) || n == s.Child(expr.Node, pyparse.FieldName):
		default:
			symbol := s.Resolve(n)
			if symbol == nil {
				continue
			}
			for _, b := range symbol.Bindings {
				if s.Contains(loop, b.Node) {
					return true
				}
			}
		}
	}
	return false
}

// changesInLoop reports whether an expression reads a name that the loop around it binds, so that it can't move out of it.
func changesInLoop(at flow.Ref) bool {
	s := at.File.Syntax
	loop := loopAround(at)
	for n := range s.Descendants(at.Node) {
		if s.Is(n, pyparse.KindIdentifier) && bindsName(s, loop, s.Text(n)) {
			return true
		}
	}
	return false
}

// freshFunction reports whether an expression makes a new function object each time it is evaluated.
func freshFunction(a *flow.Arg) bool {
	switch f := a.Value.(type) {
	case *flow.Partial, *flow.Transformed:
		return isKind(a.At, pyparse.KindCall)
	case *flow.Func:
		return isKind(a.At, pyparse.KindLambda) || f.At.File == a.At.File && lexicallyInLoop(f.At)
	}
	return false
}

// storesResult reports whether a call is stored in a container for later: d[k] = f(...), or l.append(f(...)).
func storesResult(s *pyparse.File, call pyparse.NodeID) bool {
	statement := s.EnclosingStatement(call)
	if strings.HasSuffix(s.Text(s.Callee(call)), ".append") {
		return true
	}
	for n := range s.Descendants(statement) {
		if a, ok := s.Assignment(n); ok && len(a.Targets) > 0 && s.Is(a.Targets[0], pyparse.KindSubscript) {
			return true
		}
	}
	return false
}
