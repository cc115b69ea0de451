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
	// promote is the source of a promote_dtype that leaves the kernel as it is stored, nil where only the product can be replaced.
	promote func(name string) string
	// accumulate spells the arguments that make the layer's products float32.
	accumulate func(r *rewriting) string
}

// layers lists the layers whose arguments were seen to make the sums of their kernels' and biases' gradients float32 (JAX 0.10.2).
func layers() []layer {
	dot := func(r *rewriting) string { return "dot_general=" + r.inFloat32("dot_in_float32", "dot_general") }
	preferred := func(r *rewriting) string { return "preferred_element_type=" + r.jnp + ".float32" }
	projections := func(r *rewriting) string {
		name := r.inFloat32("dot_in_float32", "dot_general")
		return "qkv_dot_general=" + name + ", out_dot_general=" + name
	}
	return []layer{
		{name: "flax.linen.Dense", promote: keepKernel("inputs, kernel, bias", ""), accumulate: dot},
		{name: "flax.linen.DenseGeneral", accumulate: dot},
		{name: "flax.linen.Conv", accumulate: func(r *rewriting) string {
			return "conv_general_dilated=" + r.inFloat32("conv_in_float32", "conv_general_dilated")
		}},
		{name: "flax.linen.MultiHeadDotProductAttention", accumulate: projections},
		{name: "flax.nnx.Linear", promote: keepKernel("arrays", "    inputs, kernel, bias = arrays\n"), accumulate: preferred},
		{name: "flax.nnx.LinearGeneral", accumulate: preferred},
		{name: "flax.nnx.Einsum", accumulate: preferred},
		{name: "flax.nnx.Conv", accumulate: preferred},
		{name: "flax.nnx.MultiHeadAttention", accumulate: projections},
	}
}

// keepKernel is the source of a promote_dtype that takes its arrays as a layer passes them, and how it names them.
func keepKernel(parameters, names string) func(name string) string {
	return func(name string) string {
		return "def " + name + "(" + parameters + ", *, dtype):\n    # The kernel stays as it is stored, and so does the type of its gradient.\n" + names +
			"    return inputs.astype(dtype), kernel, None if bias is None else bias.astype(dtype)\n"
	}
}

// inFloat32 defines one of the products of jax.lax with float32 results.
func (r *rewriting) inFloat32(stem, product string) string {
	return r.define(stem, func(name string) string {
		return "def " + name + "(*operands, **options):\n    return " + r.jax + ".lax." + product + "(*operands, preferred_element_type=" + r.jnp + ".float32, **options)\n"
	})
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
		if !ok || place.Path != l.place.Path || place.Frame == 0 || c.Opcode != "dot" && c.Opcode != "convolution" || slices.ContainsFunc(sums, func(s summed) bool { return bits(s.dtype) <= 16 }) {
			continue
		}
		_, constructor := layerAt(file, place.Expression.Node)
		kind, ok := madeLayer(file, constructor)
		if !ok {
			continue
		}
		if kind.promote != nil && !mapped(c.OpName) {
			own.hook(constructor, func() string {
				return "promote_dtype=" + own.define("keep_kernel", kind.promote) + ", dot_general=" + own.kernelDot()
			}, sums)
		}
		wide.hook(constructor, func() string { return kind.accumulate(wide) }, sums)
	}
	var fixes []analyzers.Fix
	if edits := own.all(); len(edits) > 0 {
		fixes = append(fixes, analyzers.Fix{
			Title:  "Compute the " + gradientOf(own.parameters) + " in the type of the parameter (promote_dtype and dot_general of the layer); a bias is still summed in " + l.dtypes(),
			Safety: analyzers.Unsafe, Edits: edits,
		})
	}
	if edits := wide.all(); len(edits) > 0 {
		fixes = append(fixes, analyzers.Fix{
			Title: "Accumulate in float32 in the layer, which then returns float32: the " + gradientOf(wide.parameters) + numbered(wide.parameters, " is", " are") + " rounded to " + l.dtypes() +
				" once behind " + numbered(wide.parameters, "its", "their") + " float32 sum, and products of the backward pass become float32",
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

// layerAt finds the call of a layer in the expression that starts at a node, and the call that made the layer: nn.Dense(64)(x) itself, or
// that of self.up(x) and up(x) where one place assigns it.
func layerAt(file *pyparse.File, at pyparse.NodeID) (call, constructor pyparse.NodeID) {
	constructor = pyparse.None
	call = startingHere(file, at, func(n pyparse.NodeID) bool {
		callee := file.Callee(n)
		switch {
		case callee == pyparse.None:
			return false
		case file.Is(callee, pyparse.KindIdentifier):
			callee = onlyValue(file, callee)
		case file.Is(callee, pyparse.KindAttribute):
			callee = onlyAttribute(file, callee)
		}
		constructor = callee
		_, ok := madeLayer(file, callee)
		return ok || isEmbed(file, callee)
	})
	if call == pyparse.None {
		constructor = pyparse.None
	}
	return call, constructor
}

// isEmbed reports whether a call makes a lookup of Flax.
func isEmbed(file *pyparse.File, call pyparse.NodeID) bool {
	name := file.Text(file.Callee(call))
	return name != "" && (name == spelling(file, "flax.linen.Embed") || name == spelling(file, "flax.nnx.Embed"))
}

// castBehindLookup makes a layer that looks rows up do so in float32, and casts the rows to the type that they had. The layer must not
// be used anywhere else: as the output layer its products would become float32 too.
func castBehindLookup(m *link.Module, l *lowSum) []analyzers.Fix {
	file := l.place.Expression.File
	jnp := spelling(file, "jax.numpy")
	if l.place.Expression.Node == pyparse.None || jnp == "" || l.place.Frame == 0 {
		return nil
	}
	for _, c := range l.causes() {
		sums := l.behind(c)
		place, ok := m.Locate(c.Frames, evidence.Primitive(c.OpName))
		if !ok || place.Path != l.place.Path || c.Opcode != "scatter" || slices.ContainsFunc(sums, func(s summed) bool { return bits(s.dtype) <= 16 }) {
			continue
		}
		call, constructor := layerAt(file, place.Expression.Node)
		dtype := file.KeywordArgument(constructor, "dtype")
		if call == pyparse.None || !isEmbed(file, constructor) || dtype == pyparse.None || timesUsed(file, file.Callee(call)) > 2 {
			continue
		}
		from, to := file.Span(dtype)
		_, end := file.Span(call)
		names := make([]string, len(sums))
		for k, s := range sums {
			names[k] = s.parameter
		}
		return []analyzers.Fix{{
			Title:  "Look " + some(names, 3) + " up in float32 and cast the rows, so that the gradient is summed in float32",
			Safety: analyzers.Unsafe,
			Edits: []analyzers.Edit{
				{Span: analyzers.Span{Path: l.place.Path, Start: from, End: to}, NewText: jnp + ".float32"},
				{Span: analyzers.Span{Path: l.place.Path, Start: end, End: end}, NewText: ".astype(" + jnp + "." + longType(sums[0].reduction.OperandDType) + ")"},
			},
		}}
	}
	return nil
}

// timesUsed counts the expressions of a file with the text of a callee, 0 for a call that makes its layer on the spot.
func timesUsed(file *pyparse.File, callee pyparse.NodeID) int {
	if !file.Is(callee, pyparse.KindIdentifier, pyparse.KindAttribute) {
		return 0
	}
	count, text := 0, file.Text(callee)
	for n := range file.Descendants(0) {
		if file.KindOf(n) == file.KindOf(callee) && file.Text(n) == text {
			count++
		}
	}
	return count
}

// madeLayer reports what kind of layer a call makes.
func madeLayer(file *pyparse.File, call pyparse.NodeID) (layer, bool) {
	name := file.Text(file.Callee(call)) // "" for None
	for _, kind := range layers() {
		if name == "" || name != spelling(file, kind.name) {
			continue
		}
		args := file.Arguments(call)
		taken := slices.ContainsFunc(args, func(a pyparse.Argument) bool {
			switch a.Name {
			case "promote_dtype", "preferred_element_type":
				return true
			}
			if strings.Contains(a.Name, "dot_general") || strings.Contains(a.Name, "conv_general_dilated") {
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
