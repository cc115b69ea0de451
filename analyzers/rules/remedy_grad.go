package rules

import (
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// gradCall is a call of what jax.grad or jax.value_and_grad returned.
type gradCall struct {
	file    *pyparse.File
	path    string
	call    pyparse.NodeID // grad(f)(p, x), or g(p, x) with g = grad(f)
	maker   pyparse.NodeID // grad(f)
	value   bool           // value_and_grad
	aux     bool
	argnums []int // the arguments that are differentiated
}

// gradCallOf finds the call that made the gradients of a sum in the frames of its cause.
func gradCallOf(m *link.Module, l *lowSum) (gradCall, bool) {
	if l.cause == nil {
		return gradCall{}, false
	}
	for k := range l.cause.Frames {
		place, ok := m.Locate(l.cause.Frames[k:k+1], "")
		if !ok {
			continue
		}
		if u, ok := gradCallAt(place.Expression.File, place.Expression.Node); ok {
			u.path = place.Path
			return u, true
		}
	}
	return gradCall{}, false
}

func gradCallAt(file *pyparse.File, at pyparse.NodeID) (gradCall, bool) {
	var u gradCall
	n := startingHere(file, at, func(n pyparse.NodeID) bool {
		maker := file.Callee(n)
		if file.Is(maker, pyparse.KindIdentifier) {
			maker = onlyValue(file, maker)
		}
		var ok bool
		u, ok = readGrad(file, n, maker)
		return ok
	})
	return u, n != pyparse.None
}

// onlyValue returns what a name is assigned, where that happens in one place.
func onlyValue(file *pyparse.File, name pyparse.NodeID) pyparse.NodeID {
	symbol := file.Resolve(name)
	if symbol == nil || len(symbol.Bindings) != 1 || symbol.Bindings[0].Kind != pyparse.BindAssignment {
		return pyparse.None
	}
	a, ok := file.Assignment(symbol.Bindings[0].Source)
	if !ok || len(a.Targets) != 1 || a.Targets[0] != symbol.Bindings[0].Node {
		return pyparse.None
	}
	return a.Value
}

// readGrad reads grad(f, argnums=(0, k), has_aux=True)(...), with the differentiated arguments passed by position.
func readGrad(file *pyparse.File, call, maker pyparse.NodeID) (gradCall, bool) {
	u := gradCall{file: file, call: call, maker: maker, argnums: []int{0}}
	name := file.Text(file.Callee(maker))
	switch lastName(name) {
	case "grad":
	case "value_and_grad":
		u.value = true
	default:
		return u, false
	}
	for k, a := range file.Arguments(maker) {
		switch {
		case k == 0 && a.Kind == pyparse.Positional:
		case a.Name == "has_aux" && file.Is(a.Value, pyparse.KindTrue, pyparse.KindFalse):
			u.aux = file.Is(a.Value, pyparse.KindTrue)
		case a.Name == "argnums":
			if u.argnums = readArgnums(file, a.Value); u.argnums == nil {
				return u, false
			}
		default:
			return u, false
		}
	}
	args := file.Arguments(call)
	for k := 0; k <= slices.Max(u.argnums); k++ {
		if k >= len(args) || args[k].Kind != pyparse.Positional {
			return u, false
		}
	}
	return u, true
}

// readArgnums reads argnums=k and argnums=(0, k), nil where a number is not written out or counts from the end.
func readArgnums(file *pyparse.File, n pyparse.NodeID) []int {
	elements := []pyparse.NodeID{n}
	if file.Is(n, pyparse.KindTuple, pyparse.KindList) {
		elements = file.ChildList(n)
	}
	var nums []int
	for _, e := range elements {
		k, ok := file.Int(e)
		if !ok || k < 0 || k > maxArgnum {
			return nil
		}
		nums = append(nums, int(k))
	}
	return nums
}

// maxArgnum bounds the positions that are looked at.
const maxArgnum = 100

// differentiated lists the arguments with respect to which the gradient is taken.
func (u *gradCall) differentiated() []pyparse.NodeID {
	args := u.file.Arguments(u.call)
	list := make([]pyparse.NodeID, len(u.argnums))
	for k, at := range u.argnums {
		list[k] = args[at].Value
	}
	return list
}

// target returns the name that the gradients are assigned to and the statement that does, None where they are not assigned to
// a name of their own.
func (u *gradCall) target() (statement, name pyparse.NodeID) {
	assignment := u.file.Parent(u.call)
	a, ok := u.file.Assignment(assignment)
	if !ok || a.Value != u.call || len(a.Targets) != 1 || a.Operator != "" {
		return pyparse.None, pyparse.None
	}
	name = u.file.Unwrap(a.Targets[0])
	if u.value || u.aux {
		parts := u.file.ChildList(name)
		if !u.file.Is(name, pyparse.KindPatternList, pyparse.KindTuplePattern, pyparse.KindTuple, pyparse.KindExpressionList) || len(parts) != 2 {
			return pyparse.None, pyparse.None
		}
		name = parts[0]
		if u.value {
			name = parts[1]
		}
	}
	if !u.file.Is(name, pyparse.KindIdentifier) {
		return pyparse.None, pyparse.None
	}
	return u.file.EnclosingStatement(u.call), name
}

// narrowed reports whether an expression is, as far as its words and those of what its names are tell, a copy of the parameters in another
// type. The gradients by a copy have its type, wherever it becomes varying.
func narrowed(f *pyparse.File, n pyparse.NodeID) bool {
	return mentions(f, n, 0, func(word string) bool {
		switch word {
		case "astype", "convert_element_type", "bfloat16", "float16", "half":
			return true
		}
		return false
	})
}

// castBeforeGrad rewrites the call that differentiates inside a checked shard_map: the parameters are cast to varying first and
// the local gradient is summed by hand. A psum stands for the psum that JAX inserted, so the scale of the gradient stays what
// it is.
func castBeforeGrad(m *link.Module, l *lowSum, release flow.Release) []analyzers.Fix {
	axes := l.axes()
	u, ok := gradCallOf(m, l)
	if len(axes) == 0 || !ok {
		return nil
	}
	jax := spelling(u.file, "jax")
	if jax == "" {
		return nil
	}
	name := axisText(axes)
	var edits []analyzers.Edit
	for _, n := range u.differentiated() {
		if narrowed(u.file, n) {
			return nil
		}
		from, to := u.file.Span(n)
		edits = append(edits, analyzers.Edit{Span: analyzers.Span{Path: u.path, Start: from, End: to}, NewText: toVarying(jax, u.file.Text(n), name, release, l.bareArray())})
	}
	start, end := u.file.Span(u.call)
	if !u.value && !u.aux {
		edits = append([]analyzers.Edit{{Span: analyzers.Span{Path: u.path, Start: start, End: start}, NewText: jax + ".lax.psum("}}, edits...)
		edits = append(edits, analyzers.Edit{Span: analyzers.Span{Path: u.path, Start: end, End: end}, NewText: ", " + name + ")"})
	} else {
		statement, target := u.target()
		if statement == pyparse.None {
			return nil
		}
		at, end := u.file.Span(statement)
		indent, ok := indentation(u.file, at)
		if !ok {
			return nil
		}
		grads := u.file.Text(target)
		edits = append(edits, analyzers.Edit{Span: analyzers.Span{Path: u.path, Start: end, End: end}, NewText: "\n" + indent + grads + " = " + jax + ".lax.psum(" + grads + ", " + name + ")"})
	}
	return []analyzers.Fix{{
		Title:  "Cast the parameters to varying before the loss and sum their gradients in their own type",
		Safety: analyzers.Unsafe, Edits: edits,
	}}
}
