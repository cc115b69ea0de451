package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// nameOf spells a module of JAX as a file does: "jnp" for jax.numpy, "" when the file does not import it.
func nameOf(file *pyparse.File, module string) string {
	for _, i := range file.Imports {
		if i.Level == 0 && i.Target() == module && i.Bound != "" {
			return i.Bound
		}
	}
	if parent, last := module[:max(0, strings.LastIndexByte(module, '.'))], module[strings.LastIndexByte(module, '.')+1:]; parent != "" {
		if bound := nameOf(file, parent); bound != "" {
			return bound + "." + last
		}
	}
	return ""
}

func jnpName(file *pyparse.File) string { return nameOf(file, "jax.numpy") }

// linearInFloat32 rewrites h @ w.astype(T) to a custom_vjp function whose weight gradient leaves its product in the
// weight's own type. Other spellings get no edit: once the weight is a 16-bit copy elsewhere, a custom_vjp can't widen it.
func linearInFloat32(l *lowSum) []analyzers.Fix {
	e := l.place.Expression
	if e.Node == pyparse.None || !e.File.Is(e.Node, pyparse.KindBinaryOperator) || e.File.Operator(e.Node) != "@" || len(l.parameters()) != 1 {
		return nil
	}
	left, right := e.File.Child(e.Node, pyparse.FieldLeft), e.File.Child(e.Node, pyparse.FieldRight)
	weight := castReceiver(e.File, e.File.Unwrap(right))
	jax, jnp := nameOf(e.File, "jax"), jnpName(e.File)
	if weight == pyparse.None || jax == "" || jnp == "" {
		return nil
	}
	name := unusedName(e.File, "linear_wide_grad")
	at := topLevelStart(e.File, e.Node)
	definition := fmt.Sprintf(`@%[2]s.custom_vjp
def %[1]s(h, w):
    return h @ w.astype(h.dtype)


def %[1]s_fwd(h, w):
    return %[1]s(h, w), (h, w)


def %[1]s_bwd(saved, g):
    h, w = saved
    rows, grads = h.reshape(-1, h.shape[-1]), g.reshape(-1, g.shape[-1])
    dw = %[3]s.dot(rows.T, grads, preferred_element_type=w.dtype)
    return g @ w.astype(g.dtype).T, dw


%[1]s.defvjp(%[1]s_fwd, %[1]s_bwd)


`, name, jax, jnp)
	return []analyzers.Fix{{
		Title:  "Compute this weight's gradient in the weight's own type (custom_vjp)",
		Safety: analyzers.Unsafe,
		Edits: []analyzers.Edit{
			{Span: analyzers.Span{Path: l.place.Path, Start: at, End: at}, NewText: definition},
			{Span: analyzers.Span{Path: l.place.Path, Start: e.Start, End: e.End}, NewText: name + "(" + e.File.Text(left) + ", " + e.File.Text(weight) + ")"},
		},
	}}
}

// castReceiver returns x of x.astype(T), pyparse.None for other expressions.
func castReceiver(file *pyparse.File, n pyparse.NodeID) pyparse.NodeID {
	f := file.Callee(n)
	if !file.Is(f, pyparse.KindAttribute) || file.Text(file.Child(f, pyparse.FieldAttribute)) != "astype" {
		return pyparse.None
	}
	return file.Child(f, pyparse.FieldObject)
}

// unusedName returns base, or base with a number, so that the file does not mention it yet.
func unusedName(file *pyparse.File, base string) string {
	name := base
	for k := 2; strings.Contains(string(file.Source), name); k++ {
		name = fmt.Sprintf("%s_%d", base, k)
	}
	return name
}

// topLevelStart returns the offset of the statement of the module that holds a node.
func topLevelStart(file *pyparse.File, n pyparse.NodeID) int {
	for p := file.Parent(n); p > 0; p = file.Parent(p) {
		n = p
	}
	start, _ := file.Span(n)
	return start
}

// castBeforeGrad rewrites grad(f)(p, ...) inside a checked shard_map: p is cast to varying first and the local gradient is
// summed by hand. A psum stands for the psum that JAX inserted, so the scale of the gradient stays what it is.
func castBeforeGrad(m *link.Module, l *lowSum, release flow.Release) []analyzers.Fix {
	axes := l.axes()
	if len(axes) == 0 || l.cause == nil {
		return nil
	}
	for k := range l.cause.Frames {
		place, ok := m.Locate(l.cause.Frames[k:k+1], "")
		if !ok {
			continue
		}
		file := place.Expression.File
		call := gradCall(file, place.Expression.Node)
		jax := nameOf(file, "jax")
		if call == pyparse.None || jax == "" {
			continue
		}
		first := file.Arguments(call)[0]
		start, end := file.Span(call)
		from, to := file.Span(first.Value)
		name := axisText(axes)
		return []analyzers.Fix{{
			Title:  "Cast the parameters to varying before the loss and sum their gradients in their own type",
			Safety: analyzers.Unsafe,
			Edits: []analyzers.Edit{
				{Span: analyzers.Span{Path: place.Path, Start: start, End: start}, NewText: jax + ".lax.psum("},
				{Span: analyzers.Span{Path: place.Path, Start: from, End: to}, NewText: toVarying(jax, file.Text(first.Value), name, release, l.bareArray())},
				{Span: analyzers.Span{Path: place.Path, Start: end, End: end}, NewText: ", " + name + ")"},
			},
		}}
	}
	return nil
}

// bareArray reports whether the parameters are one array rather than leaves of a tree.
func (l *lowSum) bareArray() bool {
	names := l.parameters()
	return len(names) == 1 && !strings.ContainsAny(names[0], "[.")
}

// toVarying spells the cast of a value to varying: pcast from JAX 0.8.2 on, pvary before.
func toVarying(jax, value, axes string, release flow.Release, bare bool) string {
	cast := func(x string) string {
		if release.Major == 0 && (release.Minor < 8 || release.Minor == 8 && release.Patch < 2) && release.Minor > 0 {
			return jax + ".lax.pvary(" + x + ", " + axes + ")"
		}
		return jax + ".lax.pcast(" + x + ", " + axes + `, to="varying")`
	}
	if bare {
		return cast(value)
	}
	return jax + ".tree.map(lambda leaf: " + cast("leaf") + ", " + value + ")"
}

func axisText(axes []string) string {
	if len(axes) == 1 {
		return `"` + axes[0] + `"`
	}
	return `("` + strings.Join(axes, `", "`) + `")`
}

// gradCall returns the call grad(f)(...) that a node is or starts, pyparse.None when there is none: grad without argnums,
// whose first argument is positional.
func gradCall(file *pyparse.File, n pyparse.NodeID) pyparse.NodeID {
	if n == pyparse.None {
		return n
	}
	start, _ := file.Span(n)
	for ; n != pyparse.None; n = file.Parent(n) {
		if from, _ := file.Span(n); from != start {
			return pyparse.None
		}
		inner := file.Callee(n)
		if !file.Is(inner, pyparse.KindCall) || len(file.Arguments(inner)) != 1 {
			continue
		}
		name := file.Text(file.Callee(inner))
		args := file.Arguments(n)
		if (name == "grad" || strings.HasSuffix(name, ".grad")) && len(args) > 0 && args[0].Kind == pyparse.Positional {
			return n
		}
	}
	return pyparse.None
}
