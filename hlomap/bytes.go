package hlomap

import "math"

// cost fills in the bytes of one execution and of one step. Let S be the bytes of one device: the operands, for
// all-gather the results. With N devices in a group, a device sends 2(N−1)/N·S for an all-reduce, (N−1)/N·S for
// all-gather, reduce-scatter and all-to-all, and S for a permute or a broadcast.
func (b *collectiveReader) cost(c *Collective, a *collectiveAttrs, base Op) {
	s, ok := b.size(c, a, base)
	if !ok {
		return
	}
	c.BytesPerExecution = b.number(s)
	if w, ok := wireBytes(c, base, s); ok {
		c.WireBytesPerExecution = b.number(w)
	}
	if n, ok := perStep(s, c.Executions); ok {
		c.BytesPerStep = b.number(n)
	}
}

// perStep is what moves in a step of what moves in one execution, unknown where the executions are, or the number is too large.
func perStep(s int64, executions *int64) (int64, bool) {
	if executions == nil || *executions > 0 && s > math.MaxInt64 / *executions {
		return 0, false
	}
	return s * *executions, true
}

// size returns S.
func (b *collectiveReader) size(c *Collective, a *collectiveAttrs, base Op) (int64, bool) {
	switch base {
	case OpAllGather:
		return sumBytes(len(c.Results), func(k int) int64 { return c.Results[k].Bytes })
	case OpRaggedAllToAll: // how much is sent depends on the data; the smaller of the two buffers bounds it
		if len(c.Operands) < 2 {
			return 0, false
		}
		return min(c.Operands[0].Bytes, c.Operands[1].Bytes), c.Operands[0].Bytes >= 0 && c.Operands[1].Bytes >= 0
	case OpCollectivePermute:
		if len(a.sliceSizes) > 0 {
			return sliceBytes(c, a.sliceSizes)
		}
	}
	n := len(c.Operands)
	if base == OpCollectiveBroadcast { // with a dynamic root the last operand is its rank
		n = min(n, len(c.Results))
	}
	return sumBytes(n, func(k int) int64 { return c.Operands[k].Bytes })
}

// sumBytes adds the bytes of n arrays; there is no sum where there are none or one is unknown.
func sumBytes(n int, bytes func(k int) int64) (sum int64, ok bool) {
	for k := range n {
		x := bytes(k)
		if x < 0 || sum > math.MaxInt64-x {
			return 0, false
		}
		sum += x
	}
	return sum, n > 0
}

// sliceBytes is the size of the in-place permute: it moves slices of its first operand, of the sizes in
// `slice_sizes={{1,64},{1,64}}`.
func sliceBytes(c *Collective, sizes []byte) (int64, bool) {
	lists, large, ok := parseIDLists(sizes)
	if !ok || large || len(c.Operands) == 0 {
		return 0, false
	}
	bits, ok := elementBits(c.Operands[0].DType)
	if !ok {
		return 0, false
	}
	var sum int64
	for _, l := range lists {
		n := int64(1)
		for _, d := range l {
			if d > 0 && n > (1<<56)/int64(d) {
				return 0, false
			}
			n *= int64(d)
		}
		sum += n
	}
	return (sum*bits + 7) / 8, true
}

// wireBytes returns what one device sends, rounded up; the largest group counts.
func wireBytes(c *Collective, base Op, s int64) (int64, bool) {
	if base == OpCollectivePermute {
		for _, p := range c.SourceTargetPairs {
			if p[0] != p[1] {
				return s, true
			}
		}
		return 0, c.SourceTargetPairs != nil
	}
	n := int64(0)
	for _, g := range c.ReplicaGroups {
		n = max(n, int64(len(g)))
	}
	switch {
	case n == 0 || s > math.MaxInt64/2/n:
		return 0, false
	case n == 1:
		return 0, true
	case base == OpAllReduce:
		return (2*(n-1)*s + n - 1) / n, true
	case base == OpCollectiveBroadcast:
		return s, true
	}
	return ((n-1)*s + n - 1) / n, true
}
