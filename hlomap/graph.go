package hlomap

import (
	"bytes"
	"strings"
)

// dataGraph is a module as the data-flow analyses see it: the reader's graph, with what they ask for over and over
// decoded once.
type dataGraph struct {
	m           *Module
	devices     int
	collectives []Collective
	exchanges   []exchangeInfo       // by index in collectives
	isExchange  *bitSet              // by instruction
	grows       []answer             // by instruction; see resizes
	backwards   []answer             // by instruction; see inBackward
	dims        block[int64]         // of shapes that are looked at and forgotten
	room        []int32              // see sweepRoom
	orders      map[CompID][]InstrID // where the file is out of order
}

// answer is a question about an instruction that was asked before, or was not.
type answer uint8

const (
	notAsked answer = iota
	no
	yes
)

func answerOf(b bool) answer {
	if b {
		return yes
	}
	return no
}

// exchangeInfo is what the analyses need of a collective over and over, in little room. Equal lists of groups have equal numbers.
type exchangeInfo struct {
	op       Op
	piece    bool  // it is not logical
	alone    bool  // it exchanges nothing, because every device is a group of its own
	at       int32 // index in collectives
	instr    InstrID
	groups   int32
	operands int32 // the arrays of its operands
}

func newDataGraph(m *Module, collectives []Collective) *dataGraph {
	return &dataGraph{
		m:           m,
		devices:     max(1, min(m.Devices(), maxGroupIDs)),
		collectives: collectives,
		exchanges:   m.collectiveList().exchanges,
		isExchange:  &m.collectiveList().starts,
		grows:       make([]answer, m.NumInstructions()),
		backwards:   make([]answer, m.NumInstructions()),
		orders:      map[CompID][]InstrID{},
	}
}

// sweepRoom returns a number for each instruction, all zero, for one sweep at a time.
func (g *dataGraph) sweepRoom() []int32 {
	if g.room == nil {
		g.room = make([]int32, g.m.NumInstructions())
	} else {
		clear(g.room)
	}
	return g.room
}

// exchange returns the collective that an instruction starts; ok is false where it starts none.
func (g *dataGraph) exchange(i InstrID) (x exchangeInfo, ok bool) {
	if !g.isExchange.has(int(i)) {
		return exchangeInfo{}, false
	}
	return g.exchanges[g.isExchange.rank(int(i))], true
}

// tupleIndex returns the element that a get-tuple-element takes, -1 when it is unknown.
func (g *dataGraph) tupleIndex(i InstrID) int {
	return min(g.m.TupleIndex(i), maxTupleIndex)
}

// resizes reports whether the result of an instruction has another number of elements than its first operand.
func (g *dataGraph) resizes(i InstrID) bool {
	if a := g.grows[i]; a != notAsked {
		return a == yes
	}
	g.dims.reuse()
	out := g.m.src.shape(i, &g.dims)
	in := Shape{}
	if len(g.m.Operands(i)) > 0 {
		in = g.m.operandShape(i, 0, &g.dims)
	}
	if out.IsTuple() {
		out = out.At(0)
	}
	v := in.Elements == nil && elementsOf(&out) != elementsOf(&in)
	g.grows[i] = answerOf(v)
	return v
}

// ofConstant reports whether the first operand of an instruction is a constant.
func (g *dataGraph) ofConstant(i InstrID) bool {
	ops := g.m.Operands(i)
	return len(ops) > 0 && ops[0] != NoInstr && g.m.Op(ops[0]) == OpConstant
}

// elementsOf returns the number of elements of an array, -1 when it is unknown.
func elementsOf(s *Shape) int64 {
	if s.DType == "" || s.IsTuple() {
		return -1
	}
	n := int64(1)
	for _, d := range s.Dims {
		if d < 0 || d > 0 && n > (1<<62)/d {
			return -1
		}
		n *= d
	}
	return n
}

// forward visits the instructions of a computation, operands before users.
func (g *dataGraph) forward(c CompID, visit func(i InstrID)) {
	first, end := g.m.CompRange(c)
	if g.m.InOrder() {
		for i := first; i < end; i++ {
			visit(i)
		}
		return
	}
	for _, i := range g.order(c) {
		visit(i)
	}
}

// backward visits the instructions of a computation, users before operands.
func (g *dataGraph) backward(c CompID, visit func(i InstrID)) {
	first, end := g.m.CompRange(c)
	if g.m.InOrder() {
		for i := end - 1; i >= first; i-- {
			if i%sweepInstructions == 0 {
				g.m.memory.swept(g.m.at[max(first, i-sweepInstructions)], g.m.at[i])
			}
			visit(i)
		}
		return
	}
	order := g.order(c)
	for k := len(order) - 1; k >= 0; k-- {
		visit(order[k])
	}
}

// order returns the instructions of a computation of a file that is out of order, operands before users.
func (g *dataGraph) order(c CompID) []InstrID {
	if o, ok := g.orders[c]; ok {
		return o
	}
	first, end := g.m.CompRange(c)
	out := g.topological(first, end, make([]InstrID, 0, end-first))
	g.orders[c] = out
	return out
}

// topological lists first ≤ i < end with operands before users; a cycle is cut where it is entered.
func (g *dataGraph) topological(first, end InstrID, out []InstrID) []InstrID {
	state := make([]uint8, end-first) // 1: on the stack, 2: listed
	var stack []InstrID
	for root := first; root < end; root++ {
		stack = append(stack, root)
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			if state[i-first] != 0 {
				stack = stack[:len(stack)-1]
				if state[i-first] == 1 {
					state[i-first] = 2
					out = append(out, i)
				}
				continue
			}
			state[i-first] = 1
			for _, d := range g.m.Operands(i) {
				if d >= first && d < end && state[d-first] == 0 {
					stack = append(stack, d)
				}
			}
		}
	}
	return out
}

// called returns the one computation an instruction runs, NoComp when there is none.
func (g *dataGraph) called(i InstrID) CompID {
	if c := g.m.Called(i); len(c) > 0 {
		return c[0]
	}
	return NoComp
}

// loop returns the body and the condition of a while; ok is false where the dump lacks one.
func (g *dataGraph) loop(i InstrID) (body, cond CompID, ok bool) {
	c := g.m.Called(i)
	if len(c) != 2 || c[0] == NoComp || c[1] == NoComp {
		return NoComp, NoComp, false
	}
	return c[0], c[1], true
}

// expandedScatter reports whether a loop is a scatter that the backend wrote out (CPU, up to JAX 0.4): it bears the name
// of the scatter.
func (g *dataGraph) expandedScatter(i InstrID) bool {
	name := g.m.OpName(i)
	return strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], "scatter")
}

// inBackward reports whether an instruction's name says that it belongs to a backward pass, or the names of all calls of its
// computation do: in the body of a shard_map, and in the loops of that, names begin anew (JAX 0.10).
func (g *dataGraph) inBackward(i InstrID) bool {
	if g.backwards[i] == notAsked {
		g.backwards[i] = no // while it is asked: in a damaged file computations call themselves
		g.backwards[i] = answerOf(g.namesBackward(i) || g.calledBackward(g.m.Comp(i)))
	}
	return g.backwards[i] == yes
}

func (g *dataGraph) calledBackward(c CompID) bool {
	callers := g.m.Callers(c)
	for _, i := range callers {
		if op := g.m.Op(i); op != OpCall && op != OpWhile && op != OpConditional || !g.inBackward(i) {
			return false
		}
	}
	return len(callers) > 0
}

// readNames answers inBackward for a few instructions that will be asked about.
func (g *dataGraph) readNames(list []InstrID) {
	g.m.readAhead(list)
	for _, i := range list {
		g.inBackward(i)
	}
}

func (g *dataGraph) namesBackward(i InstrID) bool {
	return bytes.Contains(g.nameText(i), []byte("transpose("))
}

// nameText is the op_name of an instruction as it is spelled. It looks at the text of the instruction only, because attribution asks for
// thousands.
func (g *dataGraph) nameText(i InstrID) []byte {
	s, ok := g.m.src.(*textSource)
	if !ok {
		return []byte(g.m.OpName(i))
	}
	line := s.text[g.m.operands[i]:s.end]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	_, name, ok := bytes.Cut(line, []byte(`op_name="`))
	if !ok {
		return []byte(g.m.OpName(i)) // attributes on the lines that follow
	}
	name, _, _ = bytes.Cut(name, []byte(`"`))
	return name
}

// target returns the target of a custom call without quotes.
func (g *dataGraph) target(i InstrID) string {
	t, _ := g.m.InstrAttr(i, "custom_call_target")
	return strings.Trim(t, `"`)
}
