package hlomap

import (
	"slices"
)

// wrapperChain lists the fusions and calls around a computation, innermost first, up to a loop body or the entry. Where
// several instructions call a computation the first one counts.
func (m *Module) wrapperChain(c CompID) []Wrapper {
	var chain []Wrapper
	for range maxWrapperDepth {
		holder := m.holder(c)
		if holder == NoInstr {
			break
		}
		kind := ""
		switch m.ops[holder] {
		case OpFusion:
			kind = "fusion"
		case OpCall:
			kind = "call"
		}
		if kind != "" {
			chain = append(chain, Wrapper{Kind: kind, Computation: m.CompName(c),
				Instruction: m.InstrName(holder), In: m.CompName(m.Comp(holder))})
		}
		c = m.Comp(holder)
	}
	return chain
}

// callerFrames returns the frames of the calls around a computation, innermost first. They are looked for through loops
// and branches, whose frames are those of what stands in them. Nil where a computation has several callers.
func (m *Module) callerFrames(c CompID) []Frame {
	var out []Frame
	for range maxWrapperDepth {
		callers := m.Callers(c)
		if len(callers) != 1 {
			break
		}
		if m.ops[callers[0]] == OpCall {
			out = goingOnFrom(out, m.Frames(callers[0]))
		}
		c = m.Comp(callers[0])
	}
	return out
}

// goingOnFrom appends the frames of an outer call, unless the inner ones reach to the same end: then they are complete.
func goingOnFrom(inner, outer []Frame) []Frame {
	return slices.Concat(inner, goingOn(inner, outer))
}

// goingOn returns the frames of a call that go on where those inside end, nil where those are complete.
func goingOn(inner, outer []Frame) []Frame {
	if len(outer) == 0 || len(inner) > 0 && inner[len(inner)-1] == outer[len(outer)-1] {
		return nil
	}
	return outer
}

// maxWrapperDepth bounds the list of wrappers of one collective.
const maxWrapperDepth = 64

// holder returns the first instruction that holds a computation without repeating it.
func (m *Module) holder(c CompID) InstrID {
	for _, i := range m.Callers(c) {
		switch m.ops[i] {
		case OpFusion, OpCall, OpAsyncStart, OpCustomCall:
			return i
		}
	}
	return NoInstr
}

// joinPieces marks the parts of TPU's fused asynchronous gathers: the same gather stands in a start fusion, in the
// fusions that overlap it with products, and in a done fusion, all with one channel and one chain. The first is the exchange.
func (b *collectiveReader) joinPieces(cs []Collective) {
	if !b.anyWrapped() {
		return
	}
	type key struct {
		opcode, chain string
		channel       int64
	}
	keyOf := func(c *Collective) key {
		k := key{opcode: c.Opcode, chain: frontendValue(b.src.collective(c.ID, b.spelled).frontend, "chain_id")}
		if c.ChannelID != nil {
			k.channel = *c.ChannelID
		}
		return k
	}
	starts := map[key][]int{}
	var fused []int
	for n := range cs {
		c := &cs[n]
		if len(c.WrappedIn) == 0 {
			continue
		}
		fused = append(fused, n)
		if b.holdsCustomCall(b.m.Comp(c.ID), "AsyncCollectiveStart") {
			starts[keyOf(c)] = append(starts[keyOf(c)], n)
		}
	}
	if len(starts) == 0 {
		return
	}
	for _, n := range fused {
		if group, ok := starts[keyOf(&cs[n])]; ok {
			cs[n].Async = true
			cs[n].Logical = slices.Contains(group, n)
			b.exchanges[n].piece = !cs[n].Logical
		}
	}
}

// anyWrapped reports whether any collective stands in a fusion or a call.
func (b *collectiveReader) anyWrapped() bool {
	for _, facts := range b.comps {
		if len(facts.wrappers) > 0 {
			return true
		}
	}
	return false
}

// holdsCustomCall reports whether a computation has a custom call with the given target.
func (b *collectiveReader) holdsCustomCall(c CompID, target string) bool {
	first, end := b.m.CompRange(c)
	for i := first; i < end; i++ {
		if b.m.ops[i] == OpCustomCall {
			if v, _ := b.m.src.attr(i, "custom_call_target"); unquote([]byte(v)) == target {
				return true
			}
		}
	}
	return false
}
