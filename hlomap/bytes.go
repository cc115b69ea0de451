package hlomap

import "math"

// cost fills in the bytes of one execution and of one step. Let S be the bytes of one device: the operands, for
// all-gather the results. With N devices in a group, a device sends 2(N−1)/N·S for an all-reduce, (N−1)/N·S for
// all-gather, reduce-scatter and all-to-all, and S for a permute or a broadcast.
func (b *collectiveReader) cost(c *Collective, a collectiveAttrs, base Op) {
	s, ok := b.size(c, a, base)
	if !ok {
		return
	}
	c.BytesPerExecution = &s
	if w, ok := wireBytes(c, base, s); ok {
		c.WireBytesPerExecution = &w
	}
	if c.Executions != nil {
		if n := *c.Executions; n == 0 || s <= math.MaxInt64/n {
			total := s * n
			c.BytesPerStep = &total
		}
	}
}

// size returns S.
func (b *collectiveReader) size(c *Collective, a collectiveAttrs, base Op) (int64, bool) {
	var arrays []Array
	switch base {
	case OpAllGather:
		arrays = c.Results
	case OpRaggedAllToAll: // how much is sent depends on the data; the smaller of the two buffers bounds it
		if len(c.Operands) < 2 {
			return 0, false
		}
		return min(c.Operands[0].Bytes, c.Operands[1].Bytes), c.Operands[0].Bytes >= 0 && c.Operands[1].Bytes >= 0
	case OpCollectiveBroadcast: // with a dynamic root the last operand is its rank
		arrays = operandArrays(c)
		arrays = arrays[:min(len(arrays), len(c.Results))]
	case OpCollectivePermute:
		if a.sliceSizes != "" {
			return sliceBytes(c, a.sliceSizes)
		}
		arrays = operandArrays(c)
	default:
		arrays = operandArrays(c)
	}
	if len(arrays) == 0 {
		return 0, false
	}
	var sum int64
	for _, x := range arrays {
		if x.Bytes < 0 || sum > math.MaxInt64-x.Bytes {
			return 0, false
		}
		sum += x.Bytes
	}
	return sum, true
}

func operandArrays(c *Collective) []Array {
	out := make([]Array, len(c.Operands))
	for k := range c.Operands {
		out[k] = c.Operands[k].Array
	}
	return out
}

// sliceBytes is the size of the in-place permute: it moves slices of its first operand, of the sizes in
// `slice_sizes={{1,64},{1,64}}`.
func sliceBytes(c *Collective, sizes string) (int64, bool) {
	lists, large, ok := parseIDLists([]byte(sizes))
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
