package hlomap

import (
	"bytes"
	"slices"
)

// Collectives returns every exchange of the module in the order of the file, with what the module itself says of it:
// names, groups, element types, executions and bytes. Operands carry arrays only: attribution fills in the rest. The
// collectives are the caller's own to change, but not the lists of groups, frames and results in them.
func (m *Module) Collectives() []Collective {
	m.attributing.Lock()
	defer m.attributing.Unlock()
	out := slices.Clone(m.exchanges())
	var operands block[Operand]
	for k := range out {
		out[k].Axes, out[k].AxesExact = nil, false
		out[k].Operands = operands.keep(out[k].Operands)
		for n := range out[k].Operands {
			out[k].Operands[n] = unattributed(out[k].Operands[n].Array)
		}
	}
	return out
}

// lendCollectives returns the collectives for attribution to fill in, and what to call when that is done. The first who asks gets the
// module's own list, because copies of tens of thousands of collectives take as long as reading them.
func (m *Module) lendCollectives() (list []Collective, done func()) {
	m.attributing.Lock()
	if !m.attributed {
		m.attributed = true
		return m.exchanges(), m.attributing.Unlock
	}
	m.attributing.Unlock()
	return m.Collectives(), func() {}
}

// unattributed is an operand of which only the array is known.
func unattributed(a Array) Operand {
	return Operand{Array: a, Role: RoleUnknown, ParamPrecision: "none"}
}

// exchanges is the module's own list. What attribution fills in, axes and all of operands but their arrays, must not be read from it.
func (m *Module) exchanges() []Collective { return m.collectiveList().all }

func (m *Module) collectiveList() *collectiveList {
	return m.collectives.get(func() *collectiveList { return readCollectives(m) })
}

// collectiveList is the collectives of a module, and what many of them have alike, each once and in the order of the file: a walk over
// tens of thousands of collectives takes long for its size in memory alone.
type collectiveList struct {
	all       []Collective
	exchanges []exchangeInfo // by index in all
	starts    bitSet         // the instructions of all
	stacks    [][]Frame
	groups    []groupList
}

// groupList is a list of groups of devices, and the first collective that has it.
type groupList struct {
	first  InstrID
	groups [][]int
}

// FramePaths returns every file that the frames of collectives name, in order of first mention. It leaves out the frames of
// the calls around them.
func (m *Module) FramePaths() []string {
	return m.framePaths.get(func() []string {
		var out []string
		seen := map[string]bool{}
		for _, frames := range m.collectiveList().stacks {
			for _, f := range frames {
				if !seen[f.Path] {
					seen[f.Path] = true
					out = append(out, f.Path)
				}
			}
		}
		return out
	})
}

func readCollectives(m *Module) *collectiveList {
	b := newCollectiveReader(m)
	starts := newBitSet(len(m.ops))
	var found []InstrID
	for i, op := range m.ops {
		switch {
		case op == OpAsyncStart:
			if !m.AsyncOp(InstrID(i)).IsCollective() {
				continue
			}
		case !op.IsCollective() || b.inAsync(InstrID(i)):
			continue
		}
		found = append(found, InstrID(i))
		starts.add(i)
	}
	starts.count()
	out := make([]Collective, len(found))
	b.exchanges = make([]exchangeInfo, 0, len(found))
	for from := 0; from < len(found); from += aheadInstructions {
		to := min(from+aheadInstructions, len(found))
		b.readSome(out[from:to], found[from:to])
	}
	b.joinPieces(out)
	return &collectiveList{all: out, exchanges: b.exchanges, starts: starts, stacks: b.seenStacks, groups: b.seenGroups}
}

// collectiveReader reads the collectives of one module. Group lists, frames and reducers repeat: it keeps them,
// so that equal ones share memory.
type collectiveReader struct {
	m          *Module
	src        source
	replicas   int
	partitions int
	devices    int

	spelled *spellings
	groups  [flattenedID + 1]map[string]expanded
	same    map[sameList]expanded
	stacks  map[int][]Frame
	origins map[string]originAnswer // by primitive
	reducer []reducerFacts          // by computation
	comps   map[CompID]*compFacts   // few computations hold collectives
	numbers []int64

	exchanges []exchangeInfo
	lists     int32 // different lists of groups or pairs, as numbered in exchanges

	seenStacks [][]Frame
	seenGroups []groupList

	operands   block[Operand]
	results    block[Array]
	dims       block[int64]
	operandBuf []Operand
	leafBuf    []Array
}

// compFacts is what the collectives in one computation share.
type compFacts struct {
	name     string
	wrappers []Wrapper
	times    Times
	callers  []Frame // of the calls around it, innermost first
}

type originAnswer struct{ origin, reason string }

func newCollectiveReader(m *Module) *collectiveReader {
	b := &collectiveReader{m: m, src: m.src, replicas: m.Replicas(), partitions: m.partitions(), devices: m.Devices(),
		spelled: &spellings{}, same: map[sameList]expanded{}, stacks: map[int][]Frame{}, origins: map[string]originAnswer{},
		reducer: make([]reducerFacts, len(m.comps)), comps: map[CompID]*compFacts{}}
	for k := range b.groups {
		b.groups[k] = map[string]expanded{}
	}
	return b
}

// number returns a place for an optional number. Places are handed out from blocks: a large module has tens of thousands.
func (b *collectiveReader) number(n int64) *int64 {
	if len(b.numbers) == cap(b.numbers) {
		b.numbers = make([]int64, 0, 1024)
	}
	b.numbers = append(b.numbers, n)
	return &b.numbers[len(b.numbers)-1]
}

// comp returns the facts of a computation.
func (b *collectiveReader) comp(c CompID) *compFacts {
	f := b.comps[c]
	if f == nil {
		f = &compFacts{name: b.m.CompName(c), wrappers: b.m.wrapperChain(c), times: b.m.Times(c), callers: b.m.callerFrames(c)}
		b.comps[c] = f
	}
	return f
}

// inAsync reports whether an instruction is what an async-start runs: then the start stands for it.
func (b *collectiveReader) inAsync(i InstrID) bool {
	comp := b.m.Comp(i)
	if b.m.Root(comp) != i {
		return false
	}
	for _, caller := range b.m.Callers(comp) {
		if b.m.ops[caller] == OpAsyncStart {
			return true
		}
	}
	return false
}

// body returns the instruction that holds the attributes of a collective, and its opcode: the collective itself, or for
// `async-start … calls=` the one inside.
func (b *collectiveReader) body(i InstrID) (InstrID, Op) {
	m := b.m
	if m.ops[i] != OpAsyncStart {
		return i, m.ops[i].Base()
	}
	if m.Opcode(i) == OpAsyncStart.String() {
		for _, c := range m.Called(i) {
			if r := m.Root(c); r != NoInstr {
				return r, m.ops[r].Base()
			}
		}
	}
	return i, m.AsyncOp(i).Base()
}

// collectiveAttrs are the attributes of a collective instruction. The bytes are parts of the dump, or rendered from it.
type collectiveAttrs struct {
	channel    int64 // 0 when there is none
	hasChannel bool
	global     bool
	hasGroups  bool
	groups     []byte
	pairs      []byte
	sliceSizes []byte
	frontend   []byte
	generated  bool // the backend's configuration says that the partitioner made it
	callee     CompID
	metadata   Metadata
}

// readSome describes a few collectives. It goes through them step by step, because each step tells which text the next one needs.
func (b *collectiveReader) readSome(out []Collective, ids []InstrID) {
	m := b.m
	var room [2 * aheadInstructions]InstrID
	near := append(room[:0], ids...)
	for _, i := range ids {
		if o := m.Operands(i); len(o) == 1 {
			near = append(near, o[0])
		}
	}
	m.readAhead(near)
	near = near[:0]
	var attrs [aheadInstructions]collectiveAttrs
	for k, i := range ids {
		attrs[k] = b.attrs(i)
		if c := attrs[k].callee; c != NoComp && !b.reducer[c].known {
			near = append(near, m.Root(c))
		}
	}
	m.readAhead(near)
	for k, i := range ids {
		b.read(&out[k], i, &attrs[k])
	}
}

// attrs returns the attributes of the collective i.
func (b *collectiveReader) attrs(i InstrID) collectiveAttrs {
	inner, _ := b.body(i)
	a := b.src.collective(inner, b.spelled)
	if a.metadata.empty() && inner != i {
		a.metadata = b.m.Metadata(i)
	}
	return a
}

// read describes the collective i; c is empty.
func (b *collectiveReader) read(c *Collective, i InstrID, a *collectiveAttrs) {
	m := b.m
	inner, base := b.body(i)
	comp := b.comp(m.Comp(i))
	c.ID, c.Name, c.Opcode, c.Async, c.Line = i, m.InstrName(i), base.String(), m.ops[i] != base, m.Line(i)
	c.Computation, c.WrappedIn, c.Logical, c.Conditional = comp.name, comp.wrappers, true, comp.times.Conditional
	c.OpName, c.Frames = a.metadata.OpName, b.frames(&a.metadata)
	c.CallerFrames = goingOn(c.Frames, comp.callers)
	if a.channel > 0 {
		c.ChannelID = b.number(a.channel)
	}
	if t := comp.times; t.Known {
		c.Executions, c.ExecutionsReason = b.number(t.N), t.Reason
	}
	list := b.exchange(c, a, base)
	b.arrays(c, i, base)
	b.exchanges = append(b.exchanges, exchangeInfo{op: base, alone: list.alone, at: int32(len(b.exchanges)), instr: i, groups: list.number,
		operands: int32(len(c.Operands))})
	c.Origin, c.OriginReason = b.origin(a)
	var reducer *reducerFacts
	if a.callee != NoComp && (base == OpAllReduce || base == OpReduceScatter) {
		reducer = b.reducerOf(a.callee)
		c.ReducerDType = reducer.dtype
	}
	c.WidenedByBackend = b.widened(c, inner, reducer)
	b.cost(c, a, base)
}

// frames returns the frames of a collective; equal frame ids share one slice.
func (b *collectiveReader) frames(md *Metadata) []Frame {
	if md.SourceFile != "" {
		s := b.m.framesOf(*md)
		b.seenStacks = append(b.seenStacks, s)
		return s
	}
	if md.FrameID <= 0 {
		return nil
	}
	s, ok := b.stacks[md.FrameID]
	if !ok {
		s = b.m.FrameStack(md.FrameID)
		b.stacks[md.FrameID] = s
		b.seenStacks = append(b.seenStacks, s)
	}
	return s
}

// arrays fills in operands and results, leaf by leaf. The results of a start are those of the exchange.
func (b *collectiveReader) arrays(c *Collective, i InstrID, base Op) {
	m := b.m
	n := len(m.Operands(i))
	operands := b.operandBuf[:0]
	for k := range n {
		s := m.operandShape(i, k, &b.dims)
		b.leafBuf = s.appendLeaves(b.leafBuf[:0])
		for _, leaf := range b.leafBuf {
			operands = append(operands, unattributed(leaf))
		}
	}
	b.operandBuf = operands
	c.Operands = b.operands.keep(operands)
	s := b.src.shape(i, &b.dims)
	if c.Async && (base != OpAllReduce || sugared(&s)) {
		s = exchangeShape(s, base, n)
	}
	b.leafBuf = s.appendLeaves(b.leafBuf[:0])
	c.Results = b.results.keep(b.leafBuf)
}

// exchangeShape returns what a start hands to its done: element 1 of `(operands, results, contexts…)`. Old all-gather
// starts print the results alone.
func exchangeShape(s Shape, base Op, operands int) Shape {
	if !s.IsTuple() || len(s.Elements) < 2 {
		return s
	}
	if operands == 1 || base == OpCollectivePermute || s.Elements[1].IsTuple() || sugared(&s) {
		return s.Elements[1]
	}
	return s
}

// sugared reports whether the shape of a start is that of an async-start, with the operands in a tuple of their own. With sugar on, XLA
// prints an async-start that runs an all-reduce as `all-reduce-start` too.
func sugared(s *Shape) bool { return s.IsTuple() && len(s.Elements) > 1 && s.Elements[0].IsTuple() }

// reducerFacts is what a reducer tells of the collectives that apply it.
type reducerFacts struct {
	known    bool
	dtype    string // in which it computes, "" when it has several
	promoted bool
}

// reducerOf reads a reducer. XLA's all-reduce promotion clones the program's reducer in a wider type under a name of its own,
// and converts before and after (CPU for bf16 and f16, GPU for 16-bit integers).
func (b *collectiveReader) reducerOf(comp CompID) *reducerFacts {
	f := &b.reducer[comp]
	if f.known {
		return f
	}
	f.known, f.promoted = true, bytes.HasSuffix(b.src.compNameBytes(comp), []byte("_promoted"))
	if r := b.m.Root(comp); r != NoInstr {
		s := b.src.shape(r, &b.dims)
		b.leafBuf = s.appendLeaves(b.leafBuf[:0])
		for k, leaf := range b.leafBuf {
			if k == 0 {
				f.dtype = leaf.DType
			} else if f.dtype != leaf.DType {
				f.dtype = ""
			}
		}
	}
	return f
}

// frontendValue reads one entry of `{k="v",k2={json}}`.
func frontendValue(t []byte, key string) string {
	if len(t) < 2 {
		return ""
	}
	v, ok := findAttr(t, 1, len(t)-1, key)
	if !ok {
		return ""
	}
	return unquote(v.of(t))
}
