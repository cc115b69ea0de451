package rules

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// layer is a kind of layer of a library that lets the program replace its product (Flax 0.12).
type layer struct {
	name string // canonical
	// promote is the source of a promote_dtype that leaves the kernel as it is stored.
	promote func(name string) string
	// accumulate spells the argument that makes the layer's product float32.
	accumulate func(r *rewriting) string
}

func layers() []layer {
	return []layer{
		{
			name: "flax.linen.Dense",
			promote: func(name string) string {
				return "def " + name + "(inputs, kernel, bias, *, dtype):\n    # The kernel stays as it is stored, and so does the type of its gradient.\n" +
					"    return inputs.astype(dtype), kernel, None if bias is None else bias.astype(dtype)\n"
			},
			accumulate: func(r *rewriting) string {
				name := r.define("dot_in_float32", func(name string) string {
					return "def " + name + "(*operands, **options):\n    return " + r.jax + ".lax.dot_general(*operands, preferred_element_type=" + r.jnp + ".float32, **options)\n"
				})
				return "dot_general=" + name
			},
		},
		{
			name: "flax.nnx.Linear",
			promote: func(name string) string {
				return "def " + name + "(arrays, *, dtype):\n    # The kernel stays as it is stored, and so does the type of its gradient.\n" +
					"    inputs, kernel, bias = arrays\n    return inputs.astype(dtype), kernel, None if bias is None else bias.astype(dtype)\n"
			},
			accumulate: func(r *rewriting) string { return "preferred_element_type=" + r.jnp + ".float32" },
		},
	}
}

// inLayers gives the layers of a line a product of its own: one whose kernel gradient has the kernel's type, or one that accumulates in
// float32. The narrow product of a layer stands in the library's code, so that there is nothing to rewrite there.
func inLayers(m *link.Module, l *lowSum, release flow.Release) []analyzers.Fix {
	file := l.place.Expression.File
	if l.place.Expression.Node == pyparse.None || explicitAxes(m, l, release) {
		return nil
	}
	own, wide := newLayerRewriting(l), newLayerRewriting(l)
	if own.jax == "" || own.jnp == "" {
		return nil
	}
	for _, c := range l.causes() {
		sums := l.behind(c)
		place, ok := m.Locate(c.Frames, evidence.Primitive(c.OpName))
		if !ok || place.Path != l.place.Path || place.Frame == 0 || c.Opcode != "dot" || slices.ContainsFunc(sums, func(s summed) bool { return bits(s.dtype) <= 16 }) {
			continue
		}
		constructor, kind := layerAt(file, place.Expression.Node)
		if constructor == pyparse.None {
			continue
		}
		if !mapped(c.OpName) {
			own.hook(constructor, func() string {
				return "promote_dtype=" + own.define("keep_kernel", kind.promote) + ", dot_general=" + own.kernelDot()
			}, sums)
		}
		wide.hook(constructor, func() string { return kind.accumulate(wide) }, sums)
	}
	var fixes []analyzers.Fix
	if edits := own.all(); len(edits) > 0 {
		fixes = append(fixes, analyzers.Fix{
			Title:  "Compute the gradient of " + some(own.parameters, 3) + " in the type of the parameter (promote_dtype and dot_general of the layer); a bias is still summed in " + l.dtypes(),
			Safety: analyzers.Unsafe, Edits: edits,
		})
	}
	if edits := wide.all(); len(edits) > 0 {
		fixes = append(fixes, analyzers.Fix{
			Title: "Accumulate in float32 in the layer, which then returns float32: the gradient of " + some(wide.parameters, 3) + " is rounded to " + l.dtypes() +
				" once behind its float32 sum, and products of the backward pass become float32",
			Safety: analyzers.Unsafe, Edits: edits,
		})
	}
	return fixes
}

func newLayerRewriting(l *lowSum) *rewriting {
	file := l.place.Expression.File
	return &rewriting{file: file, path: l.place.Path, jax: spelling(file, "jax"), jnp: spelling(file, "jax.numpy"), become: map[pyparse.NodeID]func() string{}}
}

// hook adds arguments to the call that makes a layer.
func (r *rewriting) hook(constructor pyparse.NodeID, arguments func() string, sums []summed) {
	for _, s := range sums {
		if !slices.Contains(r.parameters, s.parameter) {
			r.parameters = append(r.parameters, s.parameter)
		}
	}
	if r.become[constructor] != nil {
		return
	}
	text := arguments()
	args := r.file.Arguments(constructor)
	start, end := r.file.Span(constructor)
	_, last := r.file.Span(args[len(args)-1].Node)
	r.become[constructor] = func() string {
		return string(r.file.Source[start:last]) + ", " + text + string(r.file.Source[last:end])
	}
}

// kernelDot defines the product of a dense layer, which contracts the last dimension of its input with the first one of its kernel.
func (r *rewriting) kernelDot() string {
	product := r.define("linear_wide_grad", func(name string) string {
		s := linearGradient(r.jnp)
		return customProduct(r.jax, name, &s)
	})
	return r.define("dense_dot", func(name string) string {
		return "def " + name + "(inputs, kernel, dimension_numbers, **options):\n    # A dense layer contracts the last dimension of its input with the first one of its kernel.\n" +
			"    return " + product + "(inputs, kernel)\n"
	})
}

// layerAt finds the call that made the layer which the expression that starts at a node calls: nn.Dense(64)(x) itself, or that of
// self.up(x) and up(x) where one place assigns it. It is pyparse.None where the layer is of another kind, or is given a product already.
func layerAt(file *pyparse.File, at pyparse.NodeID) (pyparse.NodeID, layer) {
	var kind layer
	constructor := pyparse.None
	startingHere(file, at, func(n pyparse.NodeID) bool {
		callee := file.Callee(n)
		switch {
		case callee == pyparse.None:
			return false
		case file.Is(callee, pyparse.KindIdentifier):
			callee = onlyValue(file, callee)
		case file.Is(callee, pyparse.KindAttribute):
			callee = onlyAttribute(file, callee)
		}
		k, ok := madeLayer(file, callee)
		if ok {
			constructor, kind = callee, k
		}
		return ok
	})
	return constructor, kind
}

// madeLayer reports what kind of layer a call makes.
func madeLayer(file *pyparse.File, call pyparse.NodeID) (layer, bool) {
	name := file.Text(file.Callee(call))
	for _, kind := range layers() {
		if name == "" || name != spelling(file, kind.name) {
			continue
		}
		args := file.Arguments(call)
		taken := slices.ContainsFunc(args, func(a pyparse.Argument) bool {
			switch a.Name {
			case "dot_general", "dot_general_cls", "promote_dtype", "preferred_element_type":
				return true
			}
			return a.Kind != pyparse.Positional && a.Kind != pyparse.Keyword
		})
		return kind, len(args) > 0 && !taken
	}
	return layer{}, false
}

// onlyAttribute returns what self.name is assigned in the class around it, where that happens in one place.
func onlyAttribute(file *pyparse.File, attribute pyparse.NodeID) pyparse.NodeID {
	class, text := file.EnclosingClass(attribute), file.Text(attribute)
	if class == pyparse.None || !strings.HasPrefix(text, "self.") {
		return pyparse.None
	}
	value, count := pyparse.None, 0
	for n := range file.Descendants(class) {
		if a, ok := file.Assignment(n); ok {
			for _, target := range a.Targets {
				if file.Text(target) == text {
					value = a.Value
					count++
				}
			}
		}
	}
	if count != 1 {
		return pyparse.None
	}
	return file.Unwrap(value)
}
