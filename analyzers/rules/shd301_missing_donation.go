package rules

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd301() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD301", Name: "missing-donation", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a training state is passed to jit and replaced by its result without being donated",
		Doc: analyzers.Documentation{
			Finds:   "A call of a jitted function in a loop that rebinds one of its own arguments, where the jit donates nothing. PRNG keys and states known to be smaller than a kilobyte are left alone, and so are values that are also kept under another name or passed by another call of the same jit that does not replace them, arguments whose buffer no output can take (SHD302), and test files.",
			Matters: "Without donation the old and the new state both live during the step: for Adam that is three times the parameters more. memory_analysis().alias_size_in_bytes is 0.",
			Example: `import jax
import jax.numpy as jnp

step = jax.jit(lambda w, x: w - 0.1 * x.mean())
w = jnp.ones((64, 64))
for _ in range(3):
    w = step(w, jnp.ones(8))
`,
			Instead: `import jax
import jax.numpy as jnp

step = jax.jit(lambda w, x: w - 0.1 * x.mean(), donate_argnums=0)
w = jnp.ones((64, 64))
for _ in range(3):
    w = step(w, jnp.ones(8))
`,
			FixSafety: "The fix adds donate_argnums. It is unsafe: another reader of the old value, in another file, would find it deleted.",
			Ignore:    "When the old value is still needed, or the state is small.",
		},
		Needles: jitNeedles(),
		Check:   checkDonation,
	}
}

func checkDonation(p *analyzers.Pass) {
	if _, base := path.Split(p.File.Syntax.Path); testFile(base) {
		return // steps of tests are small, and tests keep old states to compare with
	}
	out := newOnce(p)
	calls := p.Facts().Named("call.jit", "call.pjit")
	for _, e := range calls {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Make == nil || donates(t) || e.Region.UnderJit() || !lexicallyInLoop(e.At) {
			continue
		}
		kept := keptByCalls(calls, t)
		keepUnusable(calls, t, kept)
		positions, names := rebound(e, kept)
		if len(positions) == 0 {
			continue
		}
		text := "donate_argnums=" + tupleOf(positions)
		f := analyzers.Finding{Message: fmt.Sprintf("%s is replaced by the result of this jit in a loop, but its old buffer is not donated and both live; write %s", strings.Join(names, ", "), text)}
		f.Fixes = donationFix(p.JAX, t, text)
		out.report(t.Make.At, f)
	}
}

// donationFix adds the donation to the jit.
func donationFix(target flow.Release, t *flow.Transformed, text string) []analyzers.Fix {
	if edits := jitArgument(target, t, text); edits != nil {
		return fixOf("Donate the old value", analyzers.Unsafe, edits...)
	}
	return nil
}

// jitArgument are the edits that give an argument to a call of jit, to a partial of it, or to a bare decorator.
func jitArgument(target flow.Release, t *flow.Transformed, text string) []analyzers.Edit {
	if t.Make.Name != "jax.jit" {
		return nil
	}
	at := t.Make.At
	if isKind(at, pyparse.KindCall) {
		edits, _ := withArgument(at, text)
		return edits
	}
	if !isKind(at, pyparse.KindIdentifier, pyparse.KindAttribute) || !isKind(flow.Ref{File: at.File, Node: at.File.Syntax.Parent(at.Node)}, pyparse.KindDecorator) {
		return nil
	}
	if partial := spelling(at.File.Syntax, "functools.partial"); partial != "" {
		return []analyzers.Edit{replaced(at, partial+"("+at.Text()+", "+text+")")}
	}
	if target.AtLeast(0, 8, 1) { // older releases want the function in the same call
		return []analyzers.Edit{replaced(at, at.Text()+"("+text+")")}
	}
	return nil
}

// donates reports whether a jit was given anything to donate, or arguments that are not known.
func donates(t *flow.Transformed) bool {
	return t.Value(-1, "donate_argnums") != nil || t.Value(-1, "donate_argnames") != nil
}

// rebound lists the positional arguments that the statement around a call rebinds, with their source. Scalars and keys do
// not count, nor does a name that is kept under another one, nor what another call of the same jit keeps.
func rebound(e *flow.Event, kept map[int]bool) (positions []int, names []string) {
	targets := targetsOf(e.At)
	t, _ := e.Callee.(*flow.Transformed)
	shared := t != nil && t.Make.At.File != e.At.File // the jit is there for others as well
	for i, a := range e.Pos {
		text := a.At.Text()
		if kept[i] || text == "" || shared && handedOn(a.At) || !targets[text] || !assignable(a.At) || smallState(a.Value) || namesKey(text, targets) || keptElsewhere(a.At) || !carried(e.At, a.At) {
			continue
		}
		positions, names = append(positions, i), append(names, text)
	}
	return positions, names
}

// keptByCalls are the positional arguments that some call of a jit passes without replacing the value, such as one that only
// compiles or compares: donation would delete what the caller still holds.
func keptByCalls(calls []*flow.Event, t *flow.Transformed) map[int]bool {
	kept := map[int]bool{}
	for _, e := range calls {
		other, ok := e.Callee.(*flow.Transformed)
		if !ok || other.Make == nil || other.Make.At != t.Make.At || lastName(e.Fn.Text()) == "lower" {
			continue
		}
		targets := targetsOf(e.At)
		for i, a := range e.Pos {
			if assignable(a.At) && !targets[a.At.Text()] {
				kept[i] = true
			}
		}
	}
	return kept
}

// keepUnusable adds to kept the positional arguments whose donation no output of some call of a jit could take: what SHD302 would report.
func keepUnusable(calls []*flow.Event, t *flow.Transformed, kept map[int]bool) {
	for _, e := range calls {
		other, ok := e.Callee.(*flow.Transformed)
		if !ok || other.Make == nil || other.Make.At != t.Make.At {
			continue
		}
		outputs, known := outputsOf(e)
		for i, a := range e.Pos {
			if known && unusable(donation{arg: a, index: i}, outputs, other, e) != "" {
				kept[i] = true
			}
		}
	}
}

// targetsOf are the targets that the assignment around a call binds, by their source; the call has to be the whole value.
func targetsOf(call flow.Ref) map[string]bool {
	out := map[string]bool{}
	s := call.File.Syntax
	statement := s.EnclosingStatement(call.Node)
	for n := range s.Descendants(statement) {
		a, ok := s.Assignment(n)
		if !ok || s.Unwrap(a.Value) != call.Node {
			continue
		}
		for _, target := range a.Targets {
			collectTargets(s, target, out)
		}
	}
	if a, ok := s.Assignment(statement); ok && s.Unwrap(a.Value) == call.Node {
		for _, target := range a.Targets {
			collectTargets(s, target, out)
		}
	}
	return out
}

func collectTargets(s *pyparse.File, n pyparse.NodeID, out map[string]bool) {
	if s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute, pyparse.KindSubscript) {
		out[s.Text(n)] = true
		return
	}
	for c := range s.Children(n) {
		collectTargets(s, c, out)
	}
}

// smallState reports whether a value is known to hold nothing but keys and less than a kilobyte.
func smallState(v flow.Value) bool {
	leaves, complete := flow.Leaves(v)
	bytes := int64(0)
	for _, l := range leaves {
		a, ok := flow.AsArray(l)
		if !ok || !a.Key && a.Size() < 0 {
			return false
		}
		if !a.Key {
			bytes += a.Size() * itemSize(a.DType)
		}
	}
	return complete && len(leaves) > 0 && bytes < 1<<10
}

// namesKey reports whether a name says that it holds a PRNG key, where its value is not known: key, rng, dropout_key. One that is replaced
// together with values holds the keys of attention.
func namesKey(text string, targets map[string]bool) bool {
	words := strings.Split(strings.Trim(strings.ToLower(lastName(text)), "_0123456789"), "_")
	switch words[len(words)-1] {
	case "rng", "rngs", "prng", "prngkey", "rngkey":
		return true
	case "key":
		for other := range targets {
			if lower := strings.ToLower(other); strings.Contains(lower, "value") || strings.Contains(lower, "query") {
				return false
			}
		}
		return true
	}
	return words[0] == "rng" || words[0] == "prng"
}

// carried reports whether the value of a name comes from the previous iteration of the loop around a call, rather than from
// this one: nothing else in the loop binds the name, or the object whose attribute it is, to something new.
func carried(call, at flow.Ref) bool {
	s := at.File.Syntax
	loop := loopAround(call)
	text := s.Text(at.Node)
	owner, _, isAttribute := strings.Cut(text, ".")
	statement := s.EnclosingStatement(call.Node)
	for n := range s.Descendants(loop) {
		name := s.Text(n)
		if name != text && !(isAttribute && name == owner) || !s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) || !isTarget(s, n) || s.Contains(statement, n) {
			continue
		}
		a, ok := s.Assignment(s.EnclosingStatement(n))
		if !ok {
			for c := range s.Descendants(s.EnclosingStatement(n)) {
				if a, ok = s.Assignment(c); ok {
					break
				}
			}
		}
		if !ok || !readsText(s, a.Value, name) {
			return false
		}
	}
	return true
}

// readsText reports whether an expression reads a name or an attribute.
func readsText(s *pyparse.File, n pyparse.NodeID, text string) bool {
	if n == pyparse.None {
		return false
	}
	if s.Text(n) == text {
		return true
	}
	for d := range s.Descendants(n) {
		if s.Text(d) == text {
			return true
		}
	}
	return false
}

// keptElsewhere reports whether another name holds the same value: best = state, or state = initial, or history.append(state), or a
// part of it that is read after the call: before = state.params.
func keptElsewhere(at flow.Ref) bool {
	s := at.File.Syntax
	text := s.Text(at.Node)
	scope := s.EnclosingFunction(at.Node)
	root := scope
	if root == pyparse.None {
		root = 0
	}
	for n := range s.Descendants(root) {
		if s.Text(n) == text && s.EnclosingFunction(n) == scope && collected(s, n) {
			return true
		}
		a, ok := s.Assignment(n)
		if !ok || s.EnclosingFunction(n) != scope || a.Value == pyparse.None || len(a.Targets) == 0 {
			continue
		}
		value := s.Unwrap(a.Value)
		if s.Text(value) == text || s.Text(a.Targets[0]) == text && s.Is(value, pyparse.KindIdentifier, pyparse.KindAttribute) {
			return true
		}
		if partOf(s, value, text) && outlives(s, at.Node, n, s.Text(a.Targets[0])) {
			return true
		}
	}
	return false
}

// partOf reports whether an expression is an attribute or an element of what a text names, at any depth, that holds its data.
func partOf(s *pyparse.File, n pyparse.NodeID, text string) bool {
	if s.Is(n, pyparse.KindAttribute) && survives(lastName(s.Text(n))) {
		return false
	}
	for {
		switch s.KindOf(n) {
		case pyparse.KindAttribute:
			n = s.Child(n, pyparse.FieldObject)
		case pyparse.KindSubscript:
			n = s.Child(n, pyparse.FieldValue)
		default:
			return false
		}
		if s.Text(n) == text {
			return true
		}
	}
}

// outlives reports whether a name that an assignment gives a part of a state is read after a call that replaces the state: what was taken
// before the call anywhere behind it, what was taken behind it in the loop in the next iteration, before it is taken anew.
func outlives(s *pyparse.File, state, assignment pyparse.NodeID, name string) bool {
	loop := loopOf(s, state)
	_, from := s.Span(s.EnclosingStatement(state))
	until := len(s.Source)
	if start, _ := s.Span(assignment); start >= from {
		if loop == pyparse.None || !s.Contains(loop, assignment) {
			return false // it is a part of the last state, which nothing replaces
		}
		until = start
	}
	scope := s.EnclosingFunction(state)
	for n := range s.Descendants(max(scope, 0)) {
		if start, _ := s.Span(n); start >= from && start < until && s.Text(n) == name && s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) && readsValue(s, n) {
			return true
		}
	}
	return false
}

// collected reports whether an occurrence of a name puts its value into a container: an argument of append and its like, or an element of
// what an assignment binds.
func collected(s *pyparse.File, n pyparse.NodeID) bool {
	parent := s.Parent(n)
	if s.Is(parent, pyparse.KindArgumentList) {
		callee := s.Callee(s.Parent(parent))
		if !s.Is(callee, pyparse.KindAttribute) {
			return false
		}
		switch s.Text(s.Child(callee, pyparse.FieldAttribute)) {
		case "append", "appendleft", "insert", "setdefault", "put", "put_nowait":
			return true
		}
		return false
	}
	for s.Is(parent, pyparse.KindList, pyparse.KindTuple, pyparse.KindPair, pyparse.KindDictionary) {
		n, parent = parent, s.Parent(parent)
	}
	a, ok := s.Assignment(parent)
	return ok && a.Value == n && s.Is(n, pyparse.KindList, pyparse.KindTuple, pyparse.KindDictionary)
}

// handedOn reports whether another function of the file hands an attribute to a method of some object, which may pass it to the
// same jit.
func handedOn(at flow.Ref) bool {
	s := at.File.Syntax
	if !s.Is(at.Node, pyparse.KindAttribute) {
		return false
	}
	text, scope := s.Text(at.Node), s.EnclosingFunction(at.Node)
	for n := range s.Descendants(0) {
		if s.Is(n, pyparse.KindAttribute) && s.Is(s.Parent(n), pyparse.KindArgumentList) && s.Text(n) == text && s.EnclosingFunction(n) != scope &&
			s.Is(s.Callee(s.Parent(s.Parent(n))), pyparse.KindAttribute) {
			return true
		}
	}
	return false
}

// loopAround finds the innermost for or while loop of its own function in whose body a node stands, None where there is none.
func loopAround(at flow.Ref) pyparse.NodeID { return loopOf(at.File.Syntax, at.Node) }

func loopOf(s *pyparse.File, at pyparse.NodeID) pyparse.NodeID {
	for child, n := at, s.Parent(at); n != pyparse.None; child, n = n, s.Parent(n) {
		switch s.KindOf(n) {
		case pyparse.KindForStatement, pyparse.KindWhileStatement:
			if s.FieldOf(child) == pyparse.FieldBody {
				return n
			}
		case pyparse.KindLambda:
			if !runsAtOnce(s, n) {
				return pyparse.None
			}
		case pyparse.KindFunctionDefinition, pyparse.KindClassDefinition:
			return pyparse.None
		}
	}
	return pyparse.None
}

// runsAtOnce reports whether a lambda is handed to a function that calls it before it returns: that maps it over a tree.
func runsAtOnce(s *pyparse.File, lambda pyparse.NodeID) bool {
	call := s.Parent(s.Parent(lambda))
	if !s.Is(s.Parent(lambda), pyparse.KindArgumentList) || !s.Is(call, pyparse.KindCall) {
		return false
	}
	switch name, _ := s.DottedName(s.Callee(call)); lastName(name) {
	case "tree_map", "tree_map_with_path", "map_with_path":
		return true
	default:
		return strings.HasSuffix(name, "tree.map")
	}
}

// lexicallyInLoop reports whether a node stands in the body of a loop of its own function.
func lexicallyInLoop(at flow.Ref) bool { return loopAround(at) != pyparse.None }

// tupleOf writes positions as an argument: 0, or (0, 1).
func tupleOf(positions []int) string {
	parts := make([]string, len(positions))
	for i, p := range positions {
		parts[i] = strconv.Itoa(p)
	}
	return listOf(parts)
}
