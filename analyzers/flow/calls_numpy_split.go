package flow

import "slices"

// splitCall evaluates split and array_split. The parts are listed where their number is known; else the value stands for any of them.
func (in *interp) splitCall(host bool, name string, c *Call) (Value, bool) {
	a, ok := c.value(0).(*Array)
	if !ok || a.Tree {
		return nil, false
	}
	axis, axisKnown := Integer(orDefault(c.value(2, "axis"), Int(0)))
	if axis < 0 {
		axis += int64(a.Rank())
	}
	sizes, ok := partSizes(name, a.Dim(int(axis)), orUnknown(c.value(1, "indices_or_sections")))
	if !ok || !axisKnown || len(sizes) > maxUnroll {
		return nil, false
	}
	out := &List{}
	for _, n := range sizes {
		part := a.derived()
		part.Host, part.Made, part.Grad, part.Commit = host && a.Host, c.ev, a.Grad, a.Commit
		if a.Rank() > int(axis) && axis >= 0 {
			part.Dims = slices.Clone(a.Dims)
			part.Dims[axis] = n
		}
		out.Elems = append(out.Elems, part)
	}
	return out, true
}

// partSizes lists how many elements of a dimension of size n each part of a split gets, -1 where that is not known.
func partSizes(name string, n int64, how Value) (sizes []int64, ok bool) {
	if parts, isInt := Integer(how); isInt {
		if parts <= 0 || parts > maxUnroll {
			return nil, false
		}
		for i := range parts {
			switch {
			case n < 0 || n%parts != 0 && name == "split":
				sizes = append(sizes, -1)
			case i < n%parts:
				sizes = append(sizes, n/parts+1)
			default:
				sizes = append(sizes, n/parts)
			}
		}
		return sizes, true
	}
	cuts, complete, ok := Elements(how)
	if !ok || !complete {
		return nil, false
	}
	at := int64(0)
	for _, cut := range append(slices.Clone(cuts), sizeOrUnknown(n)) {
		to, known := Integer(cut)
		if known && to < 0 {
			known = false
		}
		switch {
		case !known || at < 0:
			sizes = append(sizes, -1)
		default:
			sizes = append(sizes, max(0, to-at))
		}
		if at = to; !known {
			at = -1
		}
	}
	return sizes, true
}

// knownInts is a number or a sequence of numbers, all of which are known.
func knownInts(v Value) ([]int64, bool) {
	list, ok := sizesOf(v)
	if elems, _, isSequence := Elements(v); isSequence && slices.ContainsFunc(elems, func(e Value) bool { _, isInt := Integer(e); return !isInt }) {
		return nil, false
	}
	return list, ok
}

// squeezed is the shape without the dimensions of size 1 that squeeze takes away: those given, else all.
func squeezed(a *Array, axis Value) ([]int64, bool) {
	if a.Rank() < 0 {
		return nil, false
	}
	gone := map[int64]bool{}
	if axis != nil && !IsNone(axis) {
		axes, ok := knownInts(axis)
		if !ok {
			return nil, false
		}
		for _, x := range axes {
			if x < 0 {
				x += int64(a.Rank())
			}
			gone[x] = true
		}
	} else {
		for i, n := range a.Dims {
			if n < 0 {
				return nil, false
			}
			gone[int64(i)] = n == 1
		}
	}
	out := []int64{}
	for i, n := range a.Dims {
		if !gone[int64(i)] {
			out = append(out, n)
		}
	}
	return out, true
}
