package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers/flow"
)

// conflict is an operation on Explicit axes whose output sharding JAX refuses to choose.
type conflict struct {
	mesh *flow.Mesh
	axis string
	what string // "the contraction", "the lookup", "the reshape"

	advice string // what to write where out_sharding does not help

	results []*flow.Spec // output specs that JAX takes, the one that moves the least first; nil when none is known
}

// conflictOf decides whether an operation needs out_sharding. It is nil where an operand's sharding is unknown.
//
// The conditions were measured by running 55 operations on JAX 0.6.2 and 0.10.2.
func conflictOf(e *flow.Event, target flow.Release) *conflict {
	if e.Value(-1, "out_sharding") != nil {
		return nil
	}
	switch e.Name {
	case "op.matmul", "jax.numpy.matmul", "jax.numpy.dot", "jax.lax.dot":
		return ambiguousContraction(e)
	case "jax.lax.dot_general", "jax.numpy.tensordot", "jax.numpy.inner", "jax.numpy.vdot":
		return ambiguousProduct(e)
	case "jax.numpy.einsum":
		return ambiguousEinsum(e)
	case "op.getitem":
		if c := brokenSlice(e, target); c != nil {
			return c
		}
		return ambiguousLookup(e, e.Value(0), 0, target)
	case "jax.numpy.take":
		return ambiguousTake(e, target)
	case "jax.lax.dynamic_slice", "jax.lax.dynamic_slice_in_dim", "jax.lax.dynamic_index_in_dim", "jax.lax.index_in_dim":
		return brokenWindow(e)
	case "jax.numpy.roll":
		return rolledConflict(e)
	case "jax.numpy.where":
		return ambiguousElements(e, 1)
	case "jax.numpy.sort", "jax.numpy.argsort", "jax.numpy.cumsum", "jax.numpy.cumprod", "jax.Array.sort", "jax.Array.argsort", "jax.Array.cumsum", "jax.Array.cumprod":
		return sortedConflict(e, target)
	case "jax.lax.top_k":
		if !target.AtLeast(0, 10, 2) {
			return nil
		}
		return wholeDimension(e, func(rank int) (int, bool) { return rank - 1, true })
	case "jax.lax.scan":
		return scannedConflict(e, e.Value(2, "xs"))
	case "jax.lax.map":
		return scannedConflict(e, e.Value(1, "xs"))
	case "jax.Array.reshape", "jax.numpy.reshape":
		return ambiguousReshape(e, target)
	}
	if update, ok := strings.CutPrefix(e.Name, "jax.Array.at."); ok && update != "get" && target.AtLeast(0, 10, 2) {
		return ambiguousUpdate(e)
	}
	if elementOperator(e.Name) {
		return ambiguousElements(e, 0)
	}
	return nil
}

// operandAt returns the array at a position, the receiver of a method counting as the first.
func operandAt(e *flow.Event, i int) *flow.Array {
	if e.Recv != nil {
		if i--; i < 0 {
			a, _ := e.Recv.(*flow.Array)
			return a
		}
	}
	a, _ := e.Value(i).(*flow.Array)
	return a
}

// placedSpec returns the spec of an array that lies on a mesh with Explicit axes.
func placedSpec(a *flow.Array) (*flow.Spec, *flow.Mesh) {
	if a == nil || a.Tree || a.Sharding == nil || a.Sharding.Spec == nil || a.Sharding.Mesh == nil || !a.Sharding.Spec.Complete() {
		return nil, nil
	}
	return a.Sharding.Spec, a.Sharding.Mesh
}

// explicitIn returns an Explicit axis of more than one device that shards dimension i, "" when there is none.
func explicitIn(spec *flow.Spec, mesh *flow.Mesh, i int) string {
	if i < 0 || i >= len(spec.Entries) {
		return ""
	}
	for _, n := range spec.Entries[i].Names {
		if a, ok := mesh.Axis(n.Name); ok && a.Type == flow.Explicit && a.Size != 1 {
			return n.Name
		}
	}
	return ""
}

// ambiguousContraction: both contracted dimensions are sharded, on one axis. If only one is, JAX gathers it.
func ambiguousContraction(e *flow.Event) *conflict {
	x, w := operandAt(e, 0), operandAt(e, 1)
	left, mesh := placedSpec(x)
	right, _ := placedSpec(w)
	if left == nil || right == nil || x.Rank() < 1 || w.Rank() < 1 {
		return nil
	}
	axis := explicitIn(left, mesh, x.Rank()-1)
	if axis == "" || explicitIn(right, mesh, max(w.Rank()-2, 0)) != axis {
		return nil
	}
	c := &conflict{mesh: mesh, axis: axis, what: fmt.Sprintf("the contraction of two dimensions sharded over %s", quote(axis))}
	if w.Rank() <= 2 {
		a, b := entriesOf(left, x.Rank()), entriesOf(right, w.Rank())
		c.results = distinct(append(a[:len(a)-1:len(a)-1], b[min(1, len(b)):]...))
	}
	return c
}

// entriesOf are the entries of a spec, filled up to a rank.
func entriesOf(spec *flow.Spec, rank int) []flow.SpecEntry {
	entries := make([]flow.SpecEntry, rank)
	copy(entries, spec.Entries)
	return entries
}

// distinct is the spec with the given entries, nil where one axis stands in two of them.
func distinct(entries []flow.SpecEntry) []*flow.Spec {
	if flow.RepeatsAxis(entries) {
		return nil
	}
	return []*flow.Spec{{Known: true, Entries: entries}}
}

// ambiguousLookup: an index array into a table whose looked-up dimension, or the index, is sharded. Before 0.10 any sharded table was
// refused.
func ambiguousLookup(e *flow.Event, of flow.Value, dim int, target flow.Release) *conflict {
	table := operandAt(e, 0)
	spec, mesh := placedSpec(table)
	index, ok := of.(*flow.Array)
	if spec == nil || !ok || index.Rank() < 1 || index.DType == "bool" {
		return nil
	}
	axis := explicitIn(spec, mesh, dim)
	if ids, m := placedSpec(index); axis == "" && ids != nil {
		for i := range ids.Entries {
			if axis == "" {
				axis = explicitIn(ids, m, i)
			}
		}
	}
	if axis == "" && !target.AtLeast(0, 10, 0) {
		for i := range spec.Entries {
			if axis == "" {
				axis = explicitIn(spec, mesh, i)
			}
		}
	}
	if axis == "" {
		return nil
	}
	c := &conflict{mesh: mesh, axis: axis, what: fmt.Sprintf("the lookup with an index or a table sharded over %s", quote(axis))}
	rows := make([]flow.SpecEntry, index.Rank())
	if ids, _ := placedSpec(index); ids != nil {
		rows = entriesOf(ids, index.Rank())
	}
	if rest := entriesOf(spec, table.Rank()); dim < len(rest) {
		c.results = distinct(slices.Concat(rest[:dim], rows, rest[dim+1:]))
	}
	return c
}

// ambiguousReshape: a sharded dimension is merged behind another one, or split so that the leading factor is no multiple of its
// shards.
func ambiguousReshape(e *flow.Event, target flow.Release) *conflict {
	a := operandAt(e, 0)
	out, ok := e.Result.(*flow.Array)
	spec, mesh := placedSpec(a)
	if spec == nil || !ok || !knownShape(a) || !knownShape(out) {
		return nil
	}
	for _, g := range reshapeGroups(a.Dims, out.Dims) {
		for k, i := range g.in {
			axis := explicitIn(spec, mesh, i)
			if axis == "" || len(g.in) == 1 && len(g.out) == 1 {
				continue
			}
			shards, sized := mesh.Shards(spec.Entries[i])
			merged := k > 0 && a.Dims[i] > 1 && !leadingOnes(a.Dims, g.in[:k])
			if both := explicitIn(spec, mesh, g.in[0]); merged && both != "" && target.AtLeast(0, 10, 0) {
				merged = false // both sharded: the result takes both axes
			}
			split := k == 0 && len(g.in) == 1 && sized && firstFactor(out.Dims, g.out)%shards != 0
			if merged || split {
				return &conflict{mesh: mesh, axis: axis, what: fmt.Sprintf("the reshape of a dimension sharded over %s", quote(axis)),
					results: reshapedSpecs(a, out, spec, mesh, g)}
			}
		}
	}
	return nil
}

// reshapedSpecs are the output specs of a reshape that is refused for one group of dimensions: that group whole on every device, and
// sharded in its first dimension where that divides. Dimensions outside the group keep their axes.
func reshapedSpecs(a, out *flow.Array, spec *flow.Spec, mesh *flow.Mesh, refused reshapeGroup) []*flow.Spec {
	from, to := entriesOf(spec, a.Rank()), make([]flow.SpecEntry, out.Rank())
	for _, g := range reshapeGroups(a.Dims, out.Dims) {
		if g.in[0] == refused.in[0] {
			continue
		}
		for _, i := range g.in[1:] {
			if len(from[i].Names) > 0 {
				return nil
			}
		}
		to[g.out[0]] = from[g.in[0]]
	}
	specs := distinct(to)
	for _, i := range refused.in {
		if shards, ok := mesh.Shards(from[i]); len(from[i].Names) > 0 && ok && out.Dims[refused.out[0]]%shards == 0 {
			other := append([]flow.SpecEntry(nil), to...)
			other[refused.out[0]] = from[i]
			return append(specs, distinct(other)...)
		}
	}
	return specs
}

func knownShape(a *flow.Array) bool {
	if a.Rank() < 0 {
		return false
	}
	for _, d := range a.Dims {
		if d <= 0 {
			return false
		}
	}
	return true
}

func leadingOnes(dims []int64, at []int) bool {
	for _, i := range at {
		if dims[i] != 1 {
			return false
		}
	}
	return true
}

// firstFactor is the size of the first of some dimensions that is more than one row: those before it take no part in a split.
func firstFactor(dims []int64, at []int) int64 {
	for _, i := range at {
		if dims[i] != 1 {
			return dims[i]
		}
	}
	return 1
}

// reshapeGroup is a run of input dimensions that becomes a run of output dimensions of the same product.
type reshapeGroup struct{ in, out []int }

// reshapeGroups cuts a reshape between known positive shapes into its smallest parts.
func reshapeGroups(in, out []int64) []reshapeGroup {
	var groups []reshapeGroup
	i, j := 0, 0
	for i < len(in) && j < len(out) {
		g := reshapeGroup{in: []int{i}, out: []int{j}}
		a, b := in[i], out[j]
		i, j = i+1, j+1
		for a != b {
			switch {
			case a < b && i < len(in):
				a *= in[i]
				g.in = append(g.in, i)
				i++
			case a > b && j < len(out):
				b *= out[j]
				g.out = append(g.out, j)
				j++
			default:
				return nil
			}
		}
		groups = append(groups, g)
	}
	return groups
}
