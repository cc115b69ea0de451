package flow

import "strings"

// product evaluates matmul, dot and their relatives.
func (in *interp) product(host bool, name string, c *Call) Value {
	a, aok := asArray(orUnknown(c.value(0, "a")))
	b, bok := asArray(orUnknown(c.value(1, "b")))
	if !aok || !bok {
		return Unknown{}
	}
	out := &Array{Host: host && a.Host && b.Host, Made: c.ev}
	mergeFacts(out, a, b)
	out.DType, _ = promote(a, b)
	if d := c.value(-1, "preferred_element_type"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	switch name {
	case "matmul", "dot":
		out.Dims, out.RankKnown = matmulDims(a, b)
		out.Sharding = productSharding(a, b)
		if name == "dot" && (a.Rank() > 2 || b.Rank() > 2) {
			out.Dims, out.RankKnown, out.Sharding = nil, false, nil
		}
	case "vdot":
		out.Dims, out.RankKnown = []int64{}, true
	case "outer":
		if a.Rank() == 1 && b.Rank() == 1 {
			out.Dims, out.RankKnown = []int64{a.Dims[0], b.Dims[0]}, true
		}
	}
	out.Commit = commitOf(a, b)
	return in.placedOut(out, c)
}

// placedOut applies an out_sharding argument to the result of an operation.
func (in *interp) placedOut(out *Array, c *Call) Value {
	v := c.value(-1, "out_sharding")
	if v == nil || IsNone(v) {
		return out
	}
	in.placeSharding(PlaceReshard, out, v, MeetOut, c.ev, c.At)
	if s, ok := in.shardingOf(v, MeetOut, c.ev); ok {
		out.Sharding = s
	}
	return out
}

// einsum reads the subscripts to find the shape of the result.
func (in *interp) einsum(host bool, c *Call) Value {
	var arrays []*Array
	for _, p := range c.Pos[min(1, len(c.Pos)):] {
		a, ok := asArray(p.Value)
		if !ok {
			return Unknown{}
		}
		arrays = append(arrays, a)
	}
	if len(arrays) == 0 {
		return Unknown{}
	}
	out := &Array{Host: host && allHost(arrays), Made: c.ev}
	mergeFacts(out, arrays...)
	out.DType = arrays[0].DType
	if len(arrays) > 1 {
		out.DType, _ = promote(arrays[0], arrays[1])
	}
	if d := c.value(-1, "preferred_element_type"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	if s, ok := String(c.value(0)); ok {
		out.Dims, out.RankKnown = einsumDims(strings.ReplaceAll(s, " ", ""), arrays)
	}
	out.Commit = commitOf(arrays...)
	return in.placedOut(out, c)
}

func einsumDims(spec string, arrays []*Array) ([]int64, bool) {
	left, right, found := strings.Cut(spec, "->")
	inputs := strings.Split(left, ",")
	if !found || strings.Contains(spec, ".") || len(inputs) != len(arrays) {
		return nil, false
	}
	sizes := map[rune]int64{}
	for i, letters := range inputs {
		for j, r := range letters {
			if old, ok := sizes[r]; !ok || old < 0 {
				sizes[r] = -1
				if arrays[i].Rank() == len(letters) {
					sizes[r] = arrays[i].Dims[j]
				}
			}
		}
	}
	out := []int64{}
	for _, r := range right {
		d, ok := sizes[r]
		if !ok {
			return nil, false
		}
		out = append(out, d)
	}
	return out, true
}
