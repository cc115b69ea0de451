package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers/flow"
)

// reshardFirst is what to do about operations that take no out_sharding, or raise whatever it says.
const reshardFirst = "jax.sharding.reshard an operand first"

// wholeFirst is the same for operations that need a dimension whole.
const wholeFirst = "jax.sharding.reshard it first, so that the dimension is whole"

// ambiguousEinsum: a label that is summed is sharded over one axis in both operands, or a label that stays over different axes.
func ambiguousEinsum(e *flow.Event) *conflict {
	equation, ok := flow.String(e.Value(0))
	if !ok || len(e.Pos) != 3 {
		return nil
	}
	a, b := operandAt(e, 1), operandAt(e, 2)
	s, mesh := placedSpec(a)
	t, _ := placedSpec(b)
	if s == nil || t == nil || a.Rank() < 0 || b.Rank() < 0 {
		return nil
	}
	labels, output, ok := flow.EinsumLabels(equation, []int{a.Rank(), b.Rank()})
	if !ok {
		return nil
	}
	left, right := labels[0], labels[1]
	var c *conflict
	entries := map[byte]flow.SpecEntry{}
	for i, entry := range entriesOf(s, a.Rank()) {
		entries[left[i]] = entry
	}
	for j, entry := range entriesOf(t, b.Rank()) {
		i := strings.IndexByte(left, right[j])
		x, y := explicitIn(s, mesh, i), explicitIn(t, mesh, j)
		kept := strings.IndexByte(output, right[j]) >= 0
		switch {
		case i >= 0 && x != "" && x == y && !kept:
			c = &conflict{mesh: mesh, axis: x, what: fmt.Sprintf("the contraction of two dimensions sharded over %s", quote(x))}
		case i >= 0 && x != "" && y != "" && x != y && kept:
			return &conflict{mesh: mesh, axis: x, advice: reshardFirst, what: fmt.Sprintf("a product over dimensions sharded over %s and %s", quote(x), quote(y))}
		}
		if i < 0 || x == "" {
			entries[right[j]] = entry
		}
	}
	if c != nil {
		result := make([]flow.SpecEntry, len(output))
		for k := range output {
			result[k] = entries[output[k]]
		}
		c.results = distinct(result)
	}
	return c
}

// ambiguousElements: an operation of each element whose operands shard one dimension over different axes.
func ambiguousElements(e *flow.Event, first int) *conflict {
	a, b := operandAt(e, first), operandAt(e, first+1)
	s, mesh := placedSpec(a)
	t, _ := placedSpec(b)
	if s == nil || t == nil || !knownShape(a) || !knownShape(b) {
		return nil
	}
	for i, j := a.Rank()-1, b.Rank()-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		x, y := explicitIn(s, mesh, i), explicitIn(t, mesh, j)
		if a.Dims[i] == b.Dims[j] && x != "" && y != "" && x != y {
			return &conflict{mesh: mesh, axis: x, advice: reshardFirst,
				what: fmt.Sprintf("an operation on dimensions sharded over %s and %s", quote(x), quote(y))}
		}
	}
	return nil
}

// brokenSlice: an index or a slice leaves of a sharded dimension what its shards don't divide. JAX 0.6.2 took an index outside of jit.
func brokenSlice(e *flow.Event, target flow.Release) *conflict {
	a := operandAt(e, 0)
	spec, mesh := placedSpec(a)
	if spec == nil || !knownShape(a) || !e.Region.UnderJit() && !target.AtLeast(0, 8, 1) {
		return nil
	}
	keys := []flow.Value{e.Value(0)}
	if t, ok := keys[0].(*flow.Tuple); ok && !t.Open {
		keys = t.Elems
	}
	for dim, key := range keys {
		left := int64(1)
		if s, ok := key.(*flow.Slice); ok && e.Region.UnderJit() {
			if left, ok = s.Length(a.Dims[min(dim, a.Rank()-1)]); !ok || s.Step != nil && !flow.IsNone(s.Step) {
				return nil
			}
		} else if _, isInt := flow.Integer(key); !isInt {
			return nil
		}
		axis := explicitIn(spec, mesh, dim)
		if axis == "" {
			continue
		}
		if shards, sized := mesh.Shards(spec.Entries[dim]); sized && left%shards != 0 {
			return &conflict{mesh: mesh, axis: axis, advice: wholeFirst,
				what: fmt.Sprintf("an index into a dimension sharded over %s", quote(axis))}
		}
	}
	return nil
}

// wholeDimension: an operation along a dimension that it needs whole on every device.
func wholeDimension(e *flow.Event, dim func(rank int) (int, bool)) *conflict {
	a := operandAt(e, 0)
	spec, mesh := placedSpec(a)
	if spec == nil || a.Rank() < 1 {
		return nil
	}
	at, ok := dim(a.Rank())
	if axis := explicitIn(spec, mesh, at); ok && axis != "" {
		return &conflict{mesh: mesh, axis: axis, advice: wholeFirst,
			what: fmt.Sprintf("%s along a dimension sharded over %s", lastName(e.Name), quote(axis))}
	}
	return nil
}

// alongAxis is the dimension that an axis argument names, by default the last one.
func alongAxis(e *flow.Event, pos int) func(int) (int, bool) {
	return func(rank int) (int, bool) {
		axis := e.Value(pos, "axis", "dimension")
		if axis == nil {
			return rank - 1, true
		}
		n, ok := flow.Integer(axis)
		if n < 0 {
			n += int64(rank)
		}
		return int(n), ok
	}
}

// sortedConflict: sorts and cumulative sums along a sharded dimension, which JAX refuses since 0.10.
func sortedConflict(e *flow.Event, target flow.Release) *conflict {
	if !target.AtLeast(0, 10, 2) {
		return nil
	}
	pos := 1
	if e.Recv != nil {
		pos = 0
	}
	cumulative := strings.HasSuffix(e.Name, "cumsum") || strings.HasSuffix(e.Name, "cumprod")
	if a := operandAt(e, 0); cumulative && a != nil && a.Rank() != 1 && e.Value(pos, "axis") == nil {
		return nil // of the flattened array
	}
	return wholeDimension(e, alongAxis(e, pos))
}

// scannedConflict: a loop over a sharded leading dimension.
func scannedConflict(e *flow.Event, xs flow.Value) *conflict {
	leaves, _ := flow.Leaves(xs)
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		if !ok {
			continue
		}
		if spec, mesh := placedSpec(a); spec != nil {
			if axis := explicitIn(spec, mesh, 0); axis != "" {
				return &conflict{mesh: mesh, axis: axis, advice: wholeFirst,
					what: fmt.Sprintf("%s over a leading dimension sharded over %s", lastName(e.Name), quote(axis))}
			}
		}
	}
	return nil
}

// elementOperator reports whether a name is that of an operator or function of each element with two operands.
func elementOperator(name string) bool {
	return slices.Contains([]string{"op.add", "op.sub", "op.mul", "op.truediv", "jax.numpy.add", "jax.numpy.subtract", "jax.numpy.multiply", "jax.numpy.divide",
		"jax.numpy.maximum", "jax.numpy.minimum", "jax.lax.add", "jax.lax.sub", "jax.lax.mul", "jax.lax.div"}, name)
}
