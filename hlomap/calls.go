package hlomap

// callGraph says which instructions run a computation.
type callGraph struct {
	callers [][]InstrID // by computation
}

// runs reports whether an instruction with this opcode may run a whole computation, as opposed to applying a reducer
// or a comparator to elements.
func (o Op) runs() bool {
	switch o {
	case OpFusion, OpCall, OpWhile, OpConditional, OpAsyncStart, OpCustomCall, OpScan:
		return true
	}
	return false
}

func (m *Module) calls() *callGraph {
	return m.graph.get(func() *callGraph {
		g := &callGraph{callers: make([][]InstrID, len(m.comps))}
		for i, op := range m.ops {
			if !op.runs() {
				continue
			}
			for _, c := range m.src.called(InstrID(i)) {
				if own := g.callers[c]; len(own) == 0 || own[len(own)-1] != InstrID(i) {
					g.callers[c] = append(own, InstrID(i))
				}
			}
		}
		return g
	})
}
