package evidence

import (
	"strconv"
	"strings"

	"github.com/shardls/shardls/hlomap"
)

// maxPartitions bounds the partitions for which an index is worked out.
const maxPartitions = 1 << 14

// AtPartitions returns the value that a scalar integer has on each of n partitions, nil where it depends on data or is computed in
// a way that is not understood. The partitioner writes positions as tables that are read at partition-id, sums and differences of them,
// and tables of positions in tables.
func (g Graph) AtPartitions(i hlomap.InstrID, n int) []int64 {
	if n < 1 || n > maxPartitions {
		return nil
	}
	return g.atPartitions(i, n, 16)
}

func (g Graph) atPartitions(i hlomap.InstrID, n, depth int) []int64 {
	i = g.Source(i, func(op hlomap.Op) bool { return op == hlomap.OpConvert })
	if i == hlomap.NoInstr || depth == 0 {
		return nil
	}
	switch g.Op(i) {
	case hlomap.OpPartitionID:
		values := make([]int64, n)
		for p := range values {
			values[p] = int64(p)
		}
		return values
	case hlomap.OpConstant:
		table := g.integers(i)
		if len(table) != 1 {
			return nil
		}
		values := make([]int64, n)
		for p := range values {
			values[p] = table[0]
		}
		return values
	case hlomap.OpDynamicSlice:
		return g.lookUp(i, n, depth)
	case hlomap.OpClamp: // the CPU's final module spells out that positions stay in bounds
		return clamped(g.atPartitions(g.Operand(i, 0), n, depth-1), g.atPartitions(g.Operand(i, 1), n, depth-1), g.atPartitions(g.Operand(i, 2), n, depth-1))
	case hlomap.OpAdd, hlomap.OpSubtract, hlomap.OpMultiply, hlomap.OpDivide, hlomap.OpRemainder:
		return combined(g.Op(i), g.atPartitions(g.Operand(i, 0), n, depth-1), g.atPartitions(g.Operand(i, 1), n, depth-1))
	}
	return nil
}

// lookUp reads one element of a constant table at an index that depends on the partition.
func (g Graph) lookUp(slice hlomap.InstrID, n, depth int) []int64 {
	table, at := g.integers(g.Source(g.Operand(slice, 0), nil)), g.atPartitions(g.Operand(slice, 1), n, depth-1)
	if table == nil || at == nil || len(g.M.Operands(slice)) != 2 || len(g.Dims(slice)) != 1 || g.Dims(slice)[0] != 1 {
		return nil
	}
	values := make([]int64, n)
	for p, k := range at {
		// XLA moves the start of a slice into bounds.
		values[p] = table[min(max(k, 0), int64(len(table)-1))]
	}
	return values
}

// integers returns the elements of a constant of at most one dimension, nil for other values.
func (g Graph) integers(i hlomap.InstrID) []int64 {
	if i == hlomap.NoInstr || g.Op(i) != hlomap.OpConstant || len(g.Dims(i)) > 1 {
		return nil
	}
	text, ok := g.M.Literal(i)
	if !ok {
		return nil
	}
	var list []int64
	for part := range strings.SplitSeq(strings.Trim(text, "{} "), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

func clamped(low, values, high []int64) []int64 {
	if low == nil || values == nil || high == nil {
		return nil
	}
	for p := range values {
		values[p] = min(max(values[p], low[p]), high[p])
	}
	return values
}

func combined(op hlomap.Op, a, b []int64) []int64 {
	if a == nil || b == nil {
		return nil
	}
	values := make([]int64, len(a))
	for p := range values {
		switch {
		case op == hlomap.OpAdd:
			values[p] = a[p] + b[p]
		case op == hlomap.OpSubtract:
			values[p] = a[p] - b[p]
		case op == hlomap.OpMultiply:
			values[p] = a[p] * b[p]
		case b[p] == 0:
			return nil
		case op == hlomap.OpDivide:
			values[p] = a[p] / b[p]
		default:
			values[p] = a[p] % b[p]
		}
	}
	return values
}
