package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers/flow"
)

// ambiguousTake: take of an array along one dimension is a lookup.
func ambiguousTake(e *flow.Event, target flow.Release) *conflict {
	table := operandAt(e, 0)
	axis, ok := flow.Integer(e.Value(2, "axis"))
	if table == nil || !ok {
		return nil // of the flattened array
	}
	if axis < 0 {
		axis += int64(table.Rank())
	}
	if axis < 0 || axis >= int64(table.Rank()) {
		return nil
	}
	c := ambiguousLookup(e, e.Value(1, "indices"), int(axis), target)
	if c != nil { // take itself has no out_sharding
		c.advice, c.results = "write .at[...].get(out_sharding=...)", nil
	}
	return c
}

// ambiguousUpdate: at[...].set and its relatives with an index into a sharded dimension.
func ambiguousUpdate(e *flow.Event) *conflict {
	at, ok := e.Recv.(*flow.Object)
	if !ok {
		return nil
	}
	a, _ := at.Attrs["array"].(*flow.Array)
	spec, mesh := placedSpec(a)
	if spec == nil {
		return nil
	}
	keys := []flow.Value{at.Attrs["index"]}
	if t, isTuple := keys[0].(*flow.Tuple); isTuple && !t.Open {
		keys = t.Elems
	}
	for dim, key := range keys {
		_, isInt := flow.Integer(key)
		if ids, isArray := key.(*flow.Array); !isInt && (!isArray || ids.Rank() < 0 || ids.DType == "bool") {
			if s, isSlice := key.(*flow.Slice); isSlice && s.Lo == nil && s.Hi == nil && s.Step == nil {
				continue // the whole dimension
			}
			return nil
		}
		if axis := explicitIn(spec, mesh, dim); axis != "" {
			c := &conflict{mesh: mesh, axis: axis, what: fmt.Sprintf("the update of a dimension sharded over %s", quote(axis))}
			c.results = []*flow.Spec{spec}
			return c
		}
	}
	return nil
}

// brokenWindow: a slice of jax.lax leaves of a sharded dimension what its shards don't divide.
func brokenWindow(e *flow.Event) *conflict {
	a := operandAt(e, 0)
	spec, mesh := placedSpec(a)
	if spec == nil || a.Rank() < 1 {
		return nil
	}
	axisAt, size := 2, flow.Value(flow.Int(1))
	if e.Name == "jax.lax.dynamic_slice_in_dim" {
		axisAt, size = 3, e.Value(2, "slice_size")
	}
	sizes := map[int]flow.Value{}
	if e.Name == "jax.lax.dynamic_slice" {
		list, complete, ok := flow.Elements(e.Value(2, "slice_sizes"))
		if !ok || !complete {
			return nil
		}
		for i, n := range list {
			sizes[i] = n
		}
	} else if axis, ok := alongAxis(e, axisAt)(a.Rank()); ok {
		if e.Value(axisAt, "axis") == nil {
			axis = 0
		}
		sizes[axis] = size
	}
	for dim := range a.Rank() {
		n, known := flow.Integer(sizes[dim])
		axis := explicitIn(spec, mesh, dim)
		if shards, sized := mesh.Shards(entriesOf(spec, a.Rank())[dim]); known && axis != "" && sized && n%shards != 0 {
			return &conflict{mesh: mesh, axis: axis, advice: wholeFirst, what: fmt.Sprintf("a slice of a dimension sharded over %s", quote(axis))}
		}
	}
	return nil
}

// rolledConflict: a roll cuts a sharded dimension where the shift falls, which its shards don't divide.
func rolledConflict(e *flow.Event) *conflict {
	a := operandAt(e, 0)
	spec, mesh := placedSpec(a)
	shift, ok := flow.Integer(e.Value(1, "shift"))
	if spec == nil || !ok || e.Value(2, "axis") == nil || a.Rank() < 1 {
		return nil
	}
	dim, known := alongAxis(e, 2)(a.Rank())
	if !known || dim < 0 || dim >= a.Rank() {
		return nil
	}
	axis, n := explicitIn(spec, mesh, dim), a.Dim(dim)
	shards, sized := mesh.Shards(entriesOf(spec, a.Rank())[dim])
	if axis == "" || !sized || n <= 0 || (shift%n)%shards == 0 {
		return nil
	}
	return &conflict{mesh: mesh, axis: axis, advice: wholeFirst, what: fmt.Sprintf("roll along a dimension sharded over %s", quote(axis))}
}

// ambiguousProduct: dimensions that are contracted with each other are sharded over one axis, in the products that say which those are.
func ambiguousProduct(e *flow.Event) *conflict {
	x, w := operandAt(e, 0), operandAt(e, 1)
	left, mesh := placedSpec(x)
	right, _ := placedSpec(w)
	if left == nil || right == nil || x.Rank() < 1 || w.Rank() < 1 {
		return nil
	}
	xs, ws, ok := contracted(e, x.Rank(), w.Rank())
	if !ok || len(xs) != len(ws) {
		return nil
	}
	for i := range xs {
		axis := explicitIn(left, mesh, xs[i])
		if axis == "" || explicitIn(right, mesh, ws[i]) != axis {
			continue
		}
		c := &conflict{mesh: mesh, axis: axis, what: fmt.Sprintf("the contraction of two dimensions sharded over %s", quote(axis))}
		if e.Name == "jax.numpy.vdot" {
			c.advice = reshardFirst
		} else if e.Name != "jax.lax.dot_general" || x.Rank() == len(xs)+1 && w.Rank() == len(ws)+1 {
			c.results = distinct(slices.Concat(without(entriesOf(left, x.Rank()), xs), without(entriesOf(right, w.Rank()), ws)))
		}
		return c
	}
	return nil
}

// contracted lists the dimensions of both operands that a product contracts.
func contracted(e *flow.Event, left, right int) (xs, ws []int, ok bool) {
	switch e.Name {
	case "jax.numpy.vdot":
		return []int{0}, []int{0}, left == 1 && right == 1
	case "jax.numpy.inner":
		return []int{left - 1}, []int{right - 1}, true
	case "jax.numpy.tensordot":
		axes := e.Value(2, "axes")
		if axes == nil {
			axes = flow.Int(2)
		}
		if n, isInt := flow.Integer(axes); isInt {
			for i := range int(max(0, min(n, int64(min(left, right))))) {
				xs, ws = append(xs, left-int(n)+i), append(ws, i)
			}
			return xs, ws, true
		}
		return dimensionPairs(axes, left, right)
	}
	parts, _, isTuple := flow.Elements(e.Value(2, "dimension_numbers"))
	if !isTuple || len(parts) != 2 {
		return nil, nil, false
	}
	return dimensionPairs(parts[0], left, right)
}

// dimensionPairs reads two sequences of dimensions.
func dimensionPairs(v flow.Value, left, right int) (xs, ws []int, ok bool) {
	pair, complete, isTuple := flow.Elements(v)
	if !isTuple || !complete || len(pair) != 2 {
		return nil, nil, false
	}
	read := func(v flow.Value, rank int) (dims []int, ok bool) {
		list, complete, isSeq := flow.Elements(v)
		if !isSeq {
			list, complete = []flow.Value{v}, true
		}
		for _, e := range list {
			n, isInt := flow.Integer(e)
			if !isInt {
				return nil, false
			}
			if n < 0 {
				n += int64(rank)
			}
			dims = append(dims, int(n))
		}
		return dims, complete
	}
	xs, first := read(pair[0], left)
	ws, second := read(pair[1], right)
	return xs, ws, first && second
}

// without leaves out the entries of some dimensions.
func without(entries []flow.SpecEntry, dims []int) []flow.SpecEntry {
	var out []flow.SpecEntry
	for i, e := range entries {
		if !slices.Contains(dims, i) {
			out = append(out, e)
		}
	}
	return out
}
