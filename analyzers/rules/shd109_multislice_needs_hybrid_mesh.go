package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd109() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD109", Name: "multislice-needs-hybrid-mesh", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.8.1"},
		Raises:  []string{"AssertionError", "ValueError"}, // on TPU and on GPU
		Summary: "make_mesh is used for devices of several slices",
		Doc: analyzers.Documentation{
			Finds: "jax.make_mesh whose shape or devices depend on the number of slices (slice_index, num_slices, a dcn_* setting), outside of a branch that tests for one slice.",
			Matters: "make_mesh refuses devices of several slices: on TPU in every release tried, on GPU with a ValueError since 0.10.2 (older releases accepted). On one slice nothing is wrong, " +
				"so the program fails when it is scaled up. mesh_utils.create_hybrid_device_mesh puts the slow network on the axis that is meant for it.",
			Example: `import jax

num_slices = len({d.slice_index for d in jax.devices()})
mesh = jax.make_mesh((num_slices, 4), ("replica", "model"))
`,
			Instead: `import jax
from jax.experimental import mesh_utils
from jax.sharding import Mesh

num_slices = len({d.slice_index for d in jax.devices()})
mesh = Mesh(mesh_utils.create_hybrid_device_mesh((1, 4), (num_slices, 1)), ("replica", "model"))
`,
			FixSafety: "The fix makes the mesh of create_hybrid_device_mesh: sizes that count slices go to the slow network, the others to the fast one. It is offered where the shape is written out. It is unsafe: the order of the devices " +
				"changes, and the axes are Auto, which make_mesh without axis_types does not make since 0.9.0.",
			Ignore: "When the number is always 1.",
		},
		Needles: []string{"make_mesh"},
		Check:   checkMultislice,
	}
}

func checkMultislice(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 8, 1) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Named("jax.make_mesh") {
		for _, a := range []*flow.Arg{e.Arg(0, "axis_shapes", "axis_sizes"), e.Arg(-1, "devices")} {
			if a == nil || !a.At.Valid() {
				continue
			}
			name := sliceNameOf(e, a.At)
			if name == "" || underSliceTest(e.At) {
				continue
			}
			out.report(e.At, analyzers.Finding{
				Confidence: analyzers.Likely,
				Message:    fmt.Sprintf("the mesh depends on %s, and jax.make_mesh refuses devices of several slices (JAX %s); build the devices with mesh_utils.create_hybrid_device_mesh(ici_shape, dcn_shape)", name, p.JAX),
				Fixes:      hybridMesh(e),
			})
		}
	}
}

// hybridMesh makes the mesh of create_hybrid_device_mesh, where every size in the shape is of the fast network, of the slow one, or a product
// of both.
func hybridMesh(e *flow.Event) []analyzers.Fix {
	shape, names := e.Arg(0, "axis_shapes", "axis_sizes"), e.Arg(1, "axis_names")
	if shape == nil || names == nil || !names.At.Valid() || !e.At.Contains(names.At) || e.Arg(-1, "devices") != nil {
		return nil
	}
	at := writtenTuple(shape.At)
	if !at.Valid() {
		return nil
	}
	s := at.File.Syntax
	var fast, slow []string
	for _, n := range s.ChildList(at.Node) {
		f, d, ok := splitSize(s, n)
		if !ok {
			return nil
		}
		fast, slow = append(fast, f), append(slow, d)
	}
	if !slices.ContainsFunc(slow, func(n string) bool { return n != "1" }) {
		return nil // the number of slices goes by another name
	}
	w := writing(e.At.File)
	text := fmt.Sprintf("%s(%s(%s, %s), %s", w.name("jax.sharding.Mesh"), w.name("jax.experimental.mesh_utils.create_hybrid_device_mesh"), tupleText(fast), tupleText(slow), names.At.Text())
	if types := e.Arg(2, "axis_types"); types != nil {
		text += ", axis_types=" + types.At.Text()
	}
	return w.fix("Use create_hybrid_device_mesh", analyzers.Unsafe, replaced(e.At, text+")"))
}

// writtenTuple follows a name that was assigned once to the tuple or list that it stands for.
func writtenTuple(at flow.Ref) flow.Ref {
	if isKind(at, pyparse.KindIdentifier) {
		s := at.File.Syntax
		symbol := s.Resolve(at.Node)
		if symbol == nil || len(symbol.Bindings) != 1 || !s.Is(symbol.Bindings[0].Source, pyparse.KindAssignment) {
			return flow.Ref{}
		}
		at = flow.Ref{File: at.File, Node: s.Unwrap(s.Child(symbol.Bindings[0].Source, pyparse.FieldRight))}
	}
	if !isKind(at, pyparse.KindTuple, pyparse.KindList, pyparse.KindExpressionList) {
		return flow.Ref{}
	}
	return at
}

// splitSize splits the size of an axis into that inside a slice and the number of slices along it.
func splitSize(s *pyparse.File, n pyparse.NodeID) (fast, slow string, ok bool) {
	var fasts, slows []string
	for _, factor := range factors(s, n) {
		switch {
		case isSliceCount(s, factor):
			slows = append(slows, s.Text(factor))
		case directSliceName(s, factor):
			return "", "", false // mixed up in an expression
		default:
			fasts = append(fasts, s.Text(factor))
		}
	}
	return productText(fasts), productText(slows), true
}

// factors lists what a product multiplies, the expression itself where it is none.
func factors(s *pyparse.File, n pyparse.NodeID) []pyparse.NodeID {
	if s.Is(n, pyparse.KindBinaryOperator) && s.Operator(n) == "*" {
		return append(factors(s, s.Child(n, pyparse.FieldLeft)), factors(s, s.Child(n, pyparse.FieldRight))...)
	}
	return []pyparse.NodeID{n}
}

// isSliceCount reports whether an expression is the number of slices: a name or an attribute that says so.
func isSliceCount(s *pyparse.File, n pyparse.NodeID) bool {
	return s.Is(n, pyparse.KindIdentifier, pyparse.KindAttribute) && isSliceWord(lastName(s.Text(n)))
}

// directSliceName reports whether an expression itself, not what its names were assigned, speaks of slices.
func directSliceName(s *pyparse.File, n pyparse.NodeID) bool {
	return mentions(s, n, maxMentionDepth, isSliceWord)
}

func isSliceWord(name string) bool {
	return name == "num_slices" || name == "slice_index" || strings.HasPrefix(name, "dcn_")
}

func productText(factors []string) string {
	if len(factors) == 0 {
		return "1"
	}
	return strings.Join(factors, " * ")
}

func tupleText(elements []string) string {
	if len(elements) == 1 {
		return "(" + elements[0] + ",)"
	}
	return "(" + strings.Join(elements, ", ") + ")"
}

// sliceName finds a name in an expression, or in what its names were assigned, that speaks of slices. Python's own slice
// objects and functions called slice do not count.
func sliceName(f *pyparse.File, n pyparse.NodeID) string {
	found := ""
	mentions(f, n, 0, func(name string) bool {
		if isSliceWord(name) {
			found = name
		}
		return found != ""
	})
	return found
}

// sliceNameOf is sliceName for an argument of a call; where the argument speaks of a parameter, what the callers passed counts too.
func sliceNameOf(e *flow.Event, at flow.Ref) string {
	for unit := e.Unit; at.Valid(); unit = unit.Caller {
		if name := sliceName(at.File.Syntax, at.Node); name != "" {
			return name
		}
		if unit == nil || unit.Caller == nil || !usesParameter(at, 0) || underSliceTest(unit.Call) {
			return ""
		}
		at = unit.Call
	}
	return ""
}

// usesParameter reports whether an expression, or what its names were assigned, holds a parameter of a function.
func usesParameter(at flow.Ref, depth int) bool {
	f := at.File.Syntax
	for c := range f.Descendants(at.Node) {
		if depth >= maxMentionDepth || !f.Is(c, pyparse.KindIdentifier) {
			continue
		}
		symbol := f.Resolve(c)
		if symbol == nil {
			continue
		}
		for _, b := range symbol.Bindings {
			if b.Kind == pyparse.BindParameter {
				return true
			}
			if source := bindingSource(f, b); source != pyparse.None && !f.Is(b.Source, pyparse.KindFunctionDefinition) && !f.Contains(source, c) &&
				usesParameter(flow.Ref{File: at.File, Node: source}, depth+1) {
				return true
			}
		}
	}
	return false
}

// underSliceTest reports whether a test on the number of slices surrounds the call, or whether one before it left the block.
func underSliceTest(at flow.Ref) bool {
	if !at.Valid() {
		return false
	}
	f := at.File.Syntax
	for n := range f.Ancestors(at.Node) {
		if f.Is(n, pyparse.KindBlock) && leftOnSlices(f, n, at.Node) {
			return true
		}
		if f.Is(n, pyparse.KindIfStatement, pyparse.KindConditionalExpression) {
			cond := f.Child(n, pyparse.FieldCondition)
			if cond == pyparse.None {
				cond = n
			}
			if sliceName(f, cond) != "" {
				return true
			}
		}
	}
	return false
}

// leftOnSlices reports whether a statement of a block before a node tests the number of slices and returns or raises.
func leftOnSlices(f *pyparse.File, block, before pyparse.NodeID) bool {
	for c := range f.Children(block) {
		if f.Contains(c, before) {
			return false
		}
		if !f.Is(c, pyparse.KindIfStatement) || sliceName(f, f.Child(c, pyparse.FieldCondition)) == "" {
			continue
		}
		for d := range f.Descendants(f.Child(c, pyparse.FieldConsequence)) {
			if f.Is(d, pyparse.KindReturnStatement, pyparse.KindRaiseStatement) {
				return true
			}
		}
	}
	return false
}
