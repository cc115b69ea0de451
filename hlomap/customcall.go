package hlomap

import "strings"

// Custom calls that keep the elements of their operands: placement, prefetch and the marks of the partitioner.
func keepsElements(target string) bool {
	switch target {
	case "ConcatBitcast", "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
		"xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape", "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier",
		"annotate_device_placement", "MoveToHost", "MoveToDevice", "Pin", "Unpin", "LayoutConstraint",
		"AsyncCollectiveStart", "AsyncCollectiveDone",
		"X64SplitLow", "X64SplitHigh", "X64Combine": // how TPU spells complex numbers and those of 64 bits
		return true
	}
	return false
}

// keepsEach reports whether a custom call returns a tuple of its operands, each with its elements kept: the boundary of a
// shard_map body before the partitioner (Shardy, JAX 0.7.0 and later) is one call for all arguments or results.
func (g *dataGraph) keepsEach(i InstrID) bool {
	n := len(g.m.Operands(i))
	return n > 0 && keepsElements(g.target(i)) && len(g.m.Shape(i).Elements) == n
}

// localCall reports whether a custom call is known to compute on its own device only: the libraries that XLA's backends
// lower products, sorts and factorisations to. Others may communicate (Pallas kernels with remote copies, host callbacks).
func (g *dataGraph) localCall(i InstrID) bool {
	t := g.target(i)
	if keepsElements(t) {
		return true
	}
	for _, prefix := range [...]string{"__cublas", "__cudnn", "__cub$", "__onednn", "__triton", "lapack_", "cusolver_", "hipsolver_",
		"TopK", "AllocateBuffer", "Eigh", "Qr", "cu_threefry2x32", "X64", "SliceToDynamic", "PadToStatic", "ApproxTopK", "PartialReduce"} {
		if strings.HasPrefix(t, prefix) {
			return true
		}
	}
	return false
}

// asyncOperand returns the operand that holds the exchange of a custom call which starts or ends one: TPU writes an
// overlapped all-gather as fusions around AsyncCollectiveStart and AsyncCollectiveDone and repeats the all-gather in each.
// It is -1 for all other custom calls.
func (g *dataGraph) asyncOperand(i InstrID) int {
	t := g.target(i)
	if t != "AsyncCollectiveStart" && t != "AsyncCollectiveDone" {
		return -1
	}
	for k, o := range g.m.Operands(i) {
		if o != NoInstr && g.m.Op(o).IsCollective() {
			return k
		}
	}
	return -1
}
