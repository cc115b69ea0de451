package flow

import "slices"

func (in *interp) reshapeCall(c *Call, v, shape Value) Value {
	if d, ok := v.(*Devices); ok {
		if dims, ok := sizesOf(orUnknown(shape)); ok {
			out := d.reshape(dims)
			out.Reshaped = c.ev
			return out
		}
		out := *d
		out.Dims, out.Host = nil, true
		return &out
	}
	a, ok := asArray(orUnknown(v))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Tree = false
	out.Made, out.Grad, out.Gather = c.ev, a.Grad, a.Gather
	out.Commit = a.Commit
	out.Dims, out.RankKnown = nil, false
	if dims, ok := sizesOf(orUnknown(shape)); ok {
		out.Dims, out.RankKnown = append([]int64{}, dims...), true
		if n := a.Size(); n >= 0 {
			solveMinusOne(out.Dims, n)
		}
	}
	return out
}

func (in *interp) transposeCall(c *Call, v, axes Value) Value {
	if d, ok := v.(*Devices); ok {
		perm, _ := sizesOf(orUnknown(axes))
		return d.transposed(perm)
	}
	a, ok := asArray(orUnknown(v))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Made, out.Grad, out.Commit = c.ev, a.Grad, a.Commit
	if a.Rank() < 0 {
		return out
	}
	if axes == nil || IsNone(axes) {
		out.transpose(a, backwards(a.Rank()))
		return out
	}
	perm, ok := sizesOf(axes)
	if !ok || len(perm) != len(a.Dims) {
		out.Dims, out.RankKnown = nil, false
		return out
	}
	order := make([]int, len(perm))
	for i, p := range perm {
		if p < 0 {
			p += int64(len(perm))
		}
		order[i] = -1
		if p >= 0 && p < int64(len(a.Dims)) {
			order[i] = int(p)
		}
	}
	out.transpose(a, order)
	return out
}

func (in *interp) expandDims(c *Call) Value {
	a, ok := asArray(orUnknown(c.value(0, "a")))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Made, out.Grad, out.Commit = c.ev, a.Grad, a.Commit
	axes, ok := knownInts(orUnknown(c.value(1, "axis", "dimensions")))
	if !ok || a.Rank() < 0 {
		out.Dims, out.RankKnown = nil, false
		return out
	}
	rank := int64(a.Rank() + len(axes))
	at := map[int64]bool{}
	for _, x := range axes {
		if x < 0 {
			x += rank
		}
		at[x] = true
	}
	out.Dims = []int64{}
	next := 0
	for i := int64(0); i < rank; i++ {
		if at[i] {
			out.Dims = append(out.Dims, 1)
		} else if next < len(a.Dims) {
			out.Dims = append(out.Dims, a.Dims[next])
			next++
		}
	}
	return out
}

// shapeCall evaluates functions that rearrange arrays.
func (in *interp) shapeCall(host bool, name string, c *Call) Value {
	first := orUnknown(c.value(0))
	if d, ok := first.(*Devices); ok {
		return rearrangedDevices(name, d)
	}
	arrays := operandsOf(name, first, c)
	if len(arrays) == 0 {
		return Unknown{}
	}
	out := &Array{Host: host && allHost(arrays), Made: c.ev}
	mergeFacts(out, arrays...)
	main := arrays[0]
	if name == "where" && len(arrays) == 3 {
		main = arrays[1]
		out.DType, out.Weak = promote(arrays[1], arrays[2])
	} else {
		out.DType = main.DType
	}
	out.Commit = commitOf(arrays...)
	in.rearranged(name, out, main, arrays, c)
	return out
}

// rearrangedDevices is what functions that rearrange arrays make of an array of devices. Its shape is kept where they only change the order.
func rearrangedDevices(name string, d *Devices) *Devices {
	out := *d
	switch name {
	case "ravel":
		return d.flattened()
	case "flip", "roll", "sort":
		if name == "flip" && len(d.Dims) == 1 {
			name = reversal
		}
		out.Ops = append(append([]string(nil), d.Ops...), name)
		return &out
	case "fliplr", "flipud", "rot90", "take", "repeat", "tile", "swapaxes", "moveaxis":
		out.Ops = append(append([]string(nil), d.Ops...), name)
	}
	out.Dims = nil
	return &out
}

// operandsOf are the arrays that a function rearranges, nil where one of them is not known to be an array.
func operandsOf(name string, first Value, c *Call) []*Array {
	values := []Value{first}
	switch name {
	case "concatenate", "stack", "hstack", "vstack":
		if elems, complete, ok := Elements(first); ok && complete {
			values = elems
		} else if _, isArray := first.(*Array); !isArray {
			return nil
		}
	case "where", "clip", "select", "take", "take_along_axis", "pad":
		limit := map[string]int{"where": 3, "clip": 3, "take": 2, "take_along_axis": 2, "pad": 1, "select": 3}[name]
		values = nil
		for _, p := range c.Pos[:min(limit, len(c.Pos))] {
			if !IsNone(p.Value) {
				values = append(values, p.Value)
			}
		}
	}
	arrays := make([]*Array, len(values))
	for i, v := range values {
		a, ok := asArray(v)
		if !ok {
			return nil
		}
		arrays[i] = a
	}
	return arrays
}

// clampedSum is the sum that a clip leaves, or a where whose other branch is the same on every device, such as 1 for an empty count.
func clampedSum(name string, arrays []*Array) *Event {
	if name == "clip" {
		return arrays[0].Sum
	}
	if len(arrays) != 3 {
		return nil
	}
	a, b := arrays[1], arrays[2]
	switch {
	case a.Sum != nil && len(b.Var) == 0:
		return a.Sum
	case b.Sum != nil && len(a.Var) == 0:
		return b.Sum
	}
	return nil
}

// rearranged fills in shape and facts of a rearranged array.
func (in *interp) rearranged(name string, out, main *Array, arrays []*Array, c *Call) {
	switch name {
	case "where", "clip":
		out.Dims, out.RankKnown = broadcast(arrays...)
		out.Grad = main.Grad
		out.Sum = clampedSum(name, arrays)
	case "flip", "roll", "sort", "argsort", "cumsum", "cumprod", "fliplr", "flipud", "triu", "tril":
		out.Dims, out.RankKnown = main.Dims, main.RankKnown && !main.Tree
		if c.value(-1, "axis") == nil && (name == "cumsum" || name == "cumprod") && main.Rank() != 1 {
			out.Dims, out.RankKnown = nil, false
		}
	case "squeeze":
		out.Dims, out.RankKnown = squeezed(main, c.value(1, "axis"))
		out.Grad = main.Grad
	case "atleast_1d", "atleast_2d":
		if least := int(name[len("atleast_")] - '0'); main.Rank() >= 0 && len(arrays) == 1 {
			out.Dims, out.RankKnown = append(slices.Repeat([]int64{1}, max(0, least-main.Rank())), main.Dims...), true
		}
	case "ravel":
		if n := main.Size(); n >= 0 {
			out.Dims, out.RankKnown = []int64{n}, true
		} else {
			out.Dims, out.RankKnown = []int64{-1}, true
		}
		out.Grad = main.Grad
	case "broadcast_to":
		out.Dims, out.RankKnown = sizesOf(orUnknown(c.value(1, "shape")))
	case "pad":
		out.Dims, out.RankKnown = paddedDims(main, c.value(1, "pad_width"))
	case "concatenate":
		out.Dims, out.RankKnown = concatDims(arrays, c.value(1, "axis"))
	case "stack":
		if dims, ok := broadcast(arrays...); ok {
			axis, isInt := Integer(orDefault(c.value(1, "axis"), Int(0)))
			if isInt && axis >= 0 && axis <= int64(len(dims)) {
				out.Dims, out.RankKnown = append(append(append([]int64{}, dims[:axis]...), int64(len(arrays))), dims[axis:]...), true
			}
		}
	case "swapaxes":
		i, iok := Integer(c.value(1, "axis1"))
		j, jok := Integer(c.value(2, "axis2"))
		if n := int64(main.Rank()); n >= 0 && iok && jok {
			if i < 0 {
				i += n
			}
			if j < 0 {
				j += n
			}
			if i >= 0 && i < n && j >= 0 && j < n {
				out.Dims, out.RankKnown = append([]int64{}, main.Dims...), true
				out.Dims[i], out.Dims[j] = out.Dims[j], out.Dims[i]
			}
		}
	case "repeat":
		if n, ok := Integer(c.value(1, "repeats")); ok {
			if axis, ok := Integer(orUnknown(c.value(2, "axis"))); ok && main.Rank() > int(max(axis, -axis-1)) {
				if axis < 0 {
					axis += int64(main.Rank())
				}
				out.Dims, out.RankKnown = append([]int64{}, main.Dims...), true
				if out.Dims[axis] >= 0 {
					out.Dims[axis] *= n
				}
			}
		}
	case "take":
		if axis, ok := Integer(orUnknown(c.value(2, "axis"))); ok && len(arrays) == 2 && axis == 0 && main.Rank() > 0 && arrays[1].Rank() >= 0 {
			out.Dims, out.RankKnown = append(append([]int64{}, arrays[1].Dims...), main.Dims[1:]...), true
		}
	}
}

func paddedDims(a *Array, width Value) ([]int64, bool) {
	if a.Rank() < 0 || width == nil {
		return nil, false
	}
	pairs, complete, ok := Elements(width)
	if !ok || !complete {
		if n, isInt := Integer(width); isInt {
			out := append([]int64{}, a.Dims...)
			for i := range out {
				if out[i] >= 0 {
					out[i] += 2 * n
				}
			}
			return out, true
		}
		return nil, false
	}
	if len(pairs) != a.Rank() {
		return nil, false
	}
	out := append([]int64{}, a.Dims...)
	for i, p := range pairs {
		w, ok := sizesOf(p)
		lo, hi := int64(-1), int64(-1)
		if ok && len(w) == 2 {
			lo, hi = w[0], w[1]
		}
		if lo < 0 || hi < 0 || out[i] < 0 {
			out[i] = -1
			continue
		}
		out[i] += lo + hi
	}
	return out, true
}

func concatDims(arrays []*Array, axis Value) ([]int64, bool) {
	i, ok := Integer(orDefault(axis, Int(0)))
	n := arrays[0].Rank()
	if i < 0 {
		i += int64(n)
	}
	if !ok || n < 0 || i < 0 || i >= int64(n) {
		return nil, false
	}
	out := append([]int64{}, arrays[0].Dims...)
	for _, a := range arrays[1:] {
		if a.Rank() != n {
			return nil, false
		}
		if out[i] < 0 || a.Dims[i] < 0 {
			out[i] = -1
		} else {
			out[i] += a.Dims[i]
		}
	}
	return out, true
}
