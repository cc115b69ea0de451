package flow

// laxArray evaluates the functions of jax.lax that rearrange arrays.
func (in *interp) laxArray(name string, c *Call) Value {
	switch name {
	case "full":
		return in.filled(false, c, c.value(0, "shape"), c.value(2, "dtype"))
	case "full_like", "zeros_like_array":
		return in.filledLike(false, "full_like", c)
	case "reshape":
		return in.reshapeCall(c, c.value(0, "operand"), c.value(1, "new_sizes"))
	case "transpose":
		return in.transposeCall(c, c.value(0, "operand"), c.value(1, "permutation"))
	case "expand_dims":
		return in.expandDims(c)
	case "dot", "batch_matmul":
		return in.product(false, "matmul", c)
	case "concatenate":
		return in.shapeCall(false, "concatenate", c)
	case "iota", "broadcasted_iota":
		out := in.fresh(false, c)
		out.DType = dtypeFrom(orUnknown(c.value(0, "dtype")))
		out.Dims, out.RankKnown = sizesOf(orUnknown(c.value(1, "shape", "size")))
		return out
	}
	a, ok := asArray(orUnknown(c.value(0, "operand", "x")))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Tree, out.Made, out.Commit = false, c.ev, a.Commit
	for _, p := range c.Pos[min(1, len(c.Pos)):] {
		if b, ok := p.Value.(*Array); ok {
			mergeFacts(out, out, b)
		} else if elems, _, isSeq := Elements(p.Value); isSeq {
			for _, e := range elems {
				if b, ok := e.(*Array); ok {
					mergeFacts(out, out, b)
				}
			}
		} else if IsUnknown(p.Value) && name != "reduce" {
			out.VarKnown = false
		}
	}
	switch name {
	case "convert_element_type":
		out.Grad = a.Grad
		out.DType = dtypeFrom(orUnknown(c.value(1, "new_dtype")))
	case "bitcast_convert_type":
		out.DType = dtypeFrom(orUnknown(c.value(1, "new_dtype")))
	case "dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim", "rev", "sort", "cumsum", "select":
		out.Dims, out.RankKnown = a.Dims, a.RankKnown && !a.Tree
	case "dynamic_slice":
		out.Dims, out.RankKnown = sizesOf(orUnknown(c.value(2, "slice_sizes")))
	case "dynamic_slice_in_dim":
		in.slicedDim(out, a, c)
	case "top_k":
		return &Tuple{Elems: []Value{out, out}}
	case "broadcast_in_dim":
		out.Dims, out.RankKnown = sizesOf(orUnknown(c.value(1, "shape")))
	default:
		out.Dims, out.RankKnown = nil, false
	}
	return out
}

func (in *interp) slicedDim(out, a *Array, c *Call) {
	out.Dims, out.RankKnown = nil, false
	axis, ok := Integer(orDefault(c.value(3, "axis"), Int(0)))
	if !ok || a.Rank() < 0 || axis >= int64(a.Rank()) || axis < 0 {
		return
	}
	out.Dims, out.RankKnown = append([]int64{}, a.Dims...), true
	out.Dims[axis] = -1
	if n, ok := Integer(c.value(2, "slice_size")); ok {
		out.Dims[axis] = n
	}
}
