package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd303() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD303", Name: "use-after-donate", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"RuntimeError", "ValueError"},
		Summary: "an array is read after it was donated",
		Doc: analyzers.Documentation{
			Finds:   "A variable, an attribute or an element under a constant key that was passed to a jit as a donated argument and is read afterwards, before it is bound again: further down in the same block, in the next iteration of the loop, or under the name of an array whose buffer a replicated device_put shares. shape, dtype and the like survive, and so do NumPy arrays.",
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
			FixSafety: "Where one result of the call has the structure and shapes of the donated argument, the fix reads that instead, or keeps it under the donated name for the next iteration. It is unsafe: the old value may have been meant. " +
				"Where a replicated copy shares the buffer of the original, the fix copies the original first, which is safe.",
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
			if !holdsDeviceArray(d.arg.Value) || !d.arg.At.Valid() || d.arg.At.File != e.At.File || madeByReading(p.Facts(), d.arg.At) {
				continue
			}
			for i, h := range handovers(e, d) {
				if !h.arg.Valid() || !isPlace(h.arg.File.Syntax, h.arg.Node) {
					continue
				}
				if at := readAfter(h.call, h.arg.Text(), boundTargets(h.call)); at.Valid() {
					f := analyzers.Finding{Message: fmt.Sprintf("%s was donated to %s%s and is deleted; read the result of the call instead", h.arg.Text(), e.Fn.Text(), h.through)}
					if i == 0 && h.arg == d.arg.At {
						f.Fixes = readResult(e, d, at)
					}
					out.report(at, f)
				}
			}
			if unpacked(d.arg.At) {
				continue
			}
			if isKind(d.arg.At, pyparse.KindIdentifier, pyparse.KindAttribute) {
				for _, alias := range aliasesBefore(e.At, d.arg.At) {
					if at := readLater(e.At, alias); at.Valid() {
						out.report(at, analyzers.Finding{Message: fmt.Sprintf("%s holds the buffer that was donated to %s as %s, so it is deleted; keep a copy, %s.copy()", alias, e.Fn.Text(), d.arg.At.Text(), d.arg.At.Text())})
					}
				}
			}
			if original := sharedWith(d.arg.Value); original != "" {
				if at := readAfter(e.At, original, nil); at.Valid() {
					f := analyzers.Finding{Message: fmt.Sprintf("%s shares its buffer with the replicated copy that was donated to %s, so it is deleted too; copy it before, or keep a NumPy array", original, e.Fn.Text())}
					f.Fixes = copyPlaced(d.arg.Value)
					out.report(at, f)
				}
			}
		}
	}
}

// unpacked reports whether an argument came out of *args or **kwargs: one element of what is named there was donated.
func unpacked(at flow.Ref) bool {
	s := at.File.Syntax
	return s.Is(s.Parent(at.Node), pyparse.KindListSplat, pyparse.KindDictionarySplat)
}

// aliasesBefore lists the names that were given the value of a donated argument before the call, in the same function: nothing binds
// either name between there and the call.
func aliasesBefore(call, donated flow.Ref) []string {
	s := call.File.Syntax
	text := donated.Text()
	scope := s.EnclosingFunction(call.Node)
	root := scope
	if root == pyparse.None {
		root = 0
	}
	until, _ := s.Span(s.EnclosingStatement(call.Node))
	if !assigned(s, root, until, text) {
		return nil
	}
	var aliases []string
	for n := range s.Descendants(root) {
		if start, _ := s.Span(n); start >= until {
			break
		}
		if s.EnclosingFunction(n) != scope || !isTarget(s, n) {
			continue
		}
		name := s.Text(n)
		if name == text {
			aliases = nil
			continue
		}
		aliases = slices.DeleteFunc(aliases, func(a string) bool { return a == name })
		a, ok := s.Assignment(s.Parent(n))
		if ok && a.Operator == "" && len(a.Targets) == 1 && a.Value != pyparse.None && s.Text(s.Unwrap(a.Value)) == text && s.Is(n, pyparse.KindIdentifier) && !branched(s, a.Node, call.Node) {
			aliases = append(aliases, name)
		}
	}
	return aliases
}

// assigned reports whether a name is assigned the value of text somewhere below root and before a place. It seldom is, and asking is
// cheap beside following the names.
func assigned(s *pyparse.File, root pyparse.NodeID, until int, text string) bool {
	for n := range s.Descendants(root) {
		if start, _ := s.Span(n); start >= until {
			return false
		}
		if s.KindOf(n) == pyparse.KindAssignment && s.Text(s.Unwrap(s.Child(n, pyparse.FieldRight))) == text {
			return true
		}
	}
	return false
}

// branched reports whether a statement stands in a block that does not hold another node: whether it ran before is not known.
func branched(s *pyparse.File, statement, other pyparse.NodeID) bool {
	for block := s.Parent(statement); block != pyparse.None; block = s.Parent(block) {
		if s.Is(block, pyparse.KindBlock) {
			return !s.Contains(block, other)
		}
	}
	return false
}

// readLater finds the first read of a name behind a call, or in an iteration after it, where nothing binds the name again.
func readLater(call flow.Ref, name string) flow.Ref {
	s := call.File.Syntax
	statement := s.EnclosingStatement(call.Node)
	for block := s.Parent(statement); block != pyparse.None; statement, block = block, s.Parent(block) {
		switch s.KindOf(block) {
		case pyparse.KindBlock, pyparse.KindModule:
			at, stop := readIn(s, block, statement, name)
			if at != pyparse.None {
				return flow.Ref{File: call.File, Node: at}
			}
			if stop {
				return flow.Ref{}
			}
		case pyparse.KindForStatement, pyparse.KindWhileStatement:
			if bindsName(s, block, name) {
				return flow.Ref{}
			}
		case pyparse.KindFunctionDefinition, pyparse.KindIfStatement, pyparse.KindTryStatement, pyparse.KindLambda, pyparse.KindClassDefinition, pyparse.KindMatchStatement:
			return flow.Ref{}
		}
	}
	return flow.Ref{}
}

// readResult makes later reads of a donated value read the result that took its place; where the call itself reads it in the next
// iteration, the result is kept under its name.
func readResult(e *flow.Event, d donation, at flow.Ref) []analyzers.Fix {
	result := successor(e, d)
	if !result.Valid() {
		return nil
	}
	text := d.arg.At.Text()
	if at != e.At {
		var edits []analyzers.Edit
		for _, read := range readsFrom(at, text) {
			if s := read.File.Syntax; readsText(s, s.EnclosingStatement(read.Node), result.Text()) {
				return nil // the old value is compared with the new one
			}
			edits = append(edits, replaced(read, result.Text()))
		}
		return fixOf("Read "+result.Text()+" instead", analyzers.Unsafe, edits...)
	}
	s := e.At.File.Syntax
	if symbol := s.Resolve(result.Node); isKind(result, pyparse.KindIdentifier) && symbol != nil && len(symbol.Bindings) == 1 && len(symbol.Uses) == 0 {
		return fixOf("Keep the result as "+text, analyzers.Unsafe, replaced(result, text))
	}
	line, ok := lineAfter(e.At, text+" = "+result.Text())
	if !ok {
		return nil
	}
	return fixOf("Keep the result as "+text, analyzers.Unsafe, line)
}

// successor is the target of the assignment around a call that takes the value of the same structure and shapes as a donated
// argument; invalid where there is none, or more than one.
func successor(e *flow.Event, d donation) flow.Ref {
	s := e.At.File.Syntax
	a, ok := s.Assignment(s.Parent(e.At.Node))
	if !ok || len(a.Targets) != 1 || a.Operator != "" {
		return flow.Ref{}
	}
	target := flow.Ref{File: e.At.File, Node: a.Targets[0]}
	if assignable(target) {
		if sameShapes(d.arg.Value, e.Body) {
			return target
		}
		return flow.Ref{}
	}
	parts, complete, ok := flow.Elements(e.Body)
	targets := s.ChildList(target.Node)
	if !ok || !complete || len(parts) != len(targets) {
		return flow.Ref{}
	}
	var found flow.Ref
	for i, part := range parts {
		if t := (flow.Ref{File: e.At.File, Node: targets[i]}); assignable(t) && sameShapes(d.arg.Value, part) {
			if found.Valid() {
				return flow.Ref{}
			}
			found = t
		}
	}
	return found
}

// sameShapes reports whether two trees are known to have the same leaves by shape.
func sameShapes(a, b flow.Value) bool {
	left, complete := flow.Leaves(a)
	right, also := flow.Leaves(b)
	if !complete || !also || len(left) == 0 || len(left) != len(right) {
		return false
	}
	for i := range left {
		x, ok := flow.AsArray(left[i])
		y, both := flow.AsArray(right[i])
		if !ok || !both || x.Rank() < 0 || !slices.Equal(x.Dims, y.Dims) {
			return false
		}
	}
	return true
}

// readsFrom lists the reads of a name or attribute from one of them to the end of its block, as long as nothing binds it again.
func readsFrom(first flow.Ref, text string) []flow.Ref {
	s := first.File.Syntax
	statement := s.EnclosingStatement(first.Node)
	from, _ := s.Span(statement)
	reads := []flow.Ref{first}
	for child := range s.Children(s.Parent(statement)) {
		if start, _ := s.Span(child); start < from || s.Is(child, pyparse.KindFunctionDefinition, pyparse.KindClassDefinition, pyparse.KindDecoratedDefinition) {
			continue
		}
		if bindsName(s, child, text) {
			break
		}
		for n := range s.Descendants(child) {
			if n != first.Node && s.Text(n) == text && isPlace(s, n) && readsValue(s, n) {
				reads = append(reads, flow.Ref{File: first.File, Node: n})
			}
		}
	}
	return reads
}

// copyPlaced copies an array before a replicated device_put shares its buffer.
func copyPlaced(v flow.Value) []analyzers.Fix {
	a, ok := v.(*flow.Array)
	if !ok || a.Made == nil || a.Made.Name != "jax.device_put" {
		return nil
	}
	x := a.Made.Arg(0, "x")
	if x == nil || !isKind(x.At, pyparse.KindIdentifier, pyparse.KindAttribute, pyparse.KindSubscript, pyparse.KindCall) || a.Copy == nil || a.Copy.Tree {
		return nil
	}
	return fixOf("Place a copy of "+a.Copy.Label, analyzers.Safe, appended(x.At, ".copy()"))
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
	if !ok || a.Copy == nil || a.Made == nil || a.Copy.Host || a.Copy.Label == "" || a.Sharding == nil || a.Sharding.Spec == nil || !a.Sharding.Spec.Complete() || len(a.Sharding.Spec.Axes()) > 0 {
		return ""
	}
	if x := a.Made.Arg(0, "x"); x == nil || x.At.Text() != a.Copy.Label {
		return "" // what was placed is a copy of its own, as of x.copy()
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
	if strings.HasSuffix(text, "]") && bindsName(s, statement, text) {
		return flow.Ref{}
	}
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
		if at := firstRead(s, child, text); at != pyparse.None {
			return at, true
		}
		if bindsName(s, child, text) || endsBlock(s, child) {
			return pyparse.None, true
		}
	}
	return pyparse.None, false
}

// firstRead is the first read of a name, attribute or element in a statement, None where something in it binds that before.
func firstRead(s *pyparse.File, statement pyparse.NodeID, text string) pyparse.NodeID {
	bound := pyparse.None // the assignment that binds it: what it assigns is read before
	for n := range s.Descendants(statement) {
		if bound != pyparse.None && !s.Contains(bound, n) {
			break
		}
		switch {
		case s.Text(n) == text && isPlace(s, n) && readsValue(s, n):
			return n
		case bound == pyparse.None && bindsAt(s, n, text):
			bound = s.EnclosingStatement(n)
		}
	}
	return pyparse.None
}

// isPlace reports whether a node is something that holds a value: a name, an attribute, or an element under a constant key.
func isPlace(s *pyparse.File, n pyparse.NodeID) bool {
	return s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) || isElement(s, n)
}

// isElement reports whether a node is an element under one constant key, such as state["params"].
func isElement(s *pyparse.File, n pyparse.NodeID) bool {
	key := s.Child(n, pyparse.FieldSubscript)
	return s.Is(n, pyparse.KindSubscript) && s.Is(key, pyparse.KindString, pyparse.KindInteger) && len(s.ChildList(n)) == 2 &&
		s.Is(s.Child(n, pyparse.FieldValue), pyparse.KindIdentifier, pyparse.KindAttribute)
}

func endsBlock(s *pyparse.File, n pyparse.NodeID) bool {
	return s.Is(n, pyparse.KindReturnStatement, pyparse.KindRaiseStatement, pyparse.KindBreakStatement, pyparse.KindContinueStatement)
}

// readsValue reports whether an occurrence reads the array's data: not a target, not a keyword's name, not metadata.
func readsValue(s *pyparse.File, n pyparse.NodeID) bool {
	parent := s.Parent(n)
	switch {
	case s.Is(parent, pyparse.KindAttribute) && s.Child(parent, pyparse.FieldObject) == n:
		if survives(s.Text(s.Child(parent, pyparse.FieldAttribute))) {
			return false
		}
	case s.Is(parent, pyparse.KindAttribute):
		return false
	case s.Is(parent, pyparse.KindKeywordArgument) && s.FirstChild(parent) == n:
		return false
	case isTarget(s, n), s.Is(parent, pyparse.KindDeleteStatement):
		return false
	case underKey(s, n):
		return readsValue(s, parent)
	}
	return !readsMetadata(s, n)
}

// underKey reports whether a node is a dictionary of which one element is looked at.
func underKey(s *pyparse.File, n pyparse.NodeID) bool {
	parent := s.Parent(n)
	return isElement(s, parent) && s.Child(parent, pyparse.FieldValue) == n && s.Is(s.Child(parent, pyparse.FieldSubscript), pyparse.KindString)
}

// survives reports whether an attribute of an array can be read after the array was deleted.
func survives(name string) bool {
	switch name {
	case "shape", "dtype", "ndim", "size", "sharding", "aval", "is_deleted", "weak_type", "nbytes":
		return true
	}
	return false
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

// bindsName reports whether anything below n binds the name, attribute or element.
func bindsName(s *pyparse.File, n pyparse.NodeID, text string) bool {
	for d := range s.Descendants(n) {
		if bindsAt(s, d, text) {
			return true
		}
	}
	return false
}

// bindsAt reports whether a node binds a name or attribute, or an element of it by its key, or may put something else in the place
// of an element: what holds the element is bound, another of its elements is set by a key that is not known, one of its methods is
// called, or a function gets it.
func bindsAt(s *pyparse.File, n pyparse.NodeID, text string) bool {
	holder, key, isElement := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	isElement = isElement && strings.HasSuffix(text, "]")
	switch written := s.Text(n); {
	case written == text:
		return isTarget(s, n) || underKey(s, n) && isTarget(s, s.Parent(n))
	case !isElement || written != holder || !s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute):
		return false
	}
	parent := s.Parent(n)
	switch s.KindOf(parent) {
	case pyparse.KindSubscript:
		other := s.Child(parent, pyparse.FieldSubscript)
		constant := s.Is(other, pyparse.KindString, pyparse.KindInteger)
		return isTarget(s, parent) && (!constant || unquoted(s.Text(other)) == unquoted(key))
	case pyparse.KindAttribute:
		called := s.Is(s.Parent(parent), pyparse.KindCall) && s.Callee(s.Parent(parent)) == parent
		switch s.Text(s.Child(parent, pyparse.FieldAttribute)) {
		case "get", "keys", "items", "values", "copy":
			return false
		}
		return called && s.Child(parent, pyparse.FieldObject) == n
	case pyparse.KindArgumentList, pyparse.KindKeywordArgument:
		return true
	}
	return isTarget(s, n)
}

// unquoted is a key without its quotes: the same key may be written with others.
func unquoted(key string) string { return strings.Trim(key, `"'`) }
