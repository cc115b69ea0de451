package hlomap

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Collectives returns every exchange of the module in the order of the file, with what the module itself says of it:
// names, groups, element types, executions and bytes. Operands carry arrays only: attribution fills in the rest.
func (m *Module) Collectives() []Collective {
	b := &collectiveReader{m: m, groups: map[string]expanded{}, dtypes: map[CompID]string{}, devices: m.Devices(), replicas: m.Replicas()}
	b.partitions = m.partitions()
	b.chains = m.wrapperChains()
	var out []Collective
	for i, op := range m.ops {
		switch {
		case op == OpAsyncStart:
			if base := m.AsyncOp(InstrID(i)); base.IsCollective() {
				out = append(out, b.read(InstrID(i), base))
			}
		case op.IsCollective() && !b.inAsync(InstrID(i)):
			out = append(out, b.read(InstrID(i), op.Base()))
		}
	}
	b.joinPieces(out)
	return out
}

// Replicas returns replica_count of the header, 1 when it is not there.
func (m *Module) Replicas() int { return m.headerCount("replica_count", 1) }

// partitions returns num_partitions of the header, 0 when it is not there.
func (m *Module) partitions() int { return m.headerCount("num_partitions", 0) }

func (m *Module) headerCount(key string, otherwise int) int {
	v, ok := m.src.moduleAttr(key)
	if !ok {
		return otherwise
	}
	return max(atoi(v, otherwise), otherwise)
}

// Devices returns the number of devices the module runs on: partitions times replicas of the header or, where it has
// neither, as many as the largest id in a group asks for. It is 0 when nothing tells.
func (m *Module) Devices() int {
	return m.deviceCount.get(func() int {
		p, r := m.partitions(), m.Replicas()
		if p > 0 || r > 1 {
			return max(p, 1) * r
		}
		most := 0
		seen := map[string]bool{}
		for i, op := range m.ops {
			if !op.IsCollective() && op != OpAsyncStart {
				continue
			}
			for _, key := range [...]string{"replica_groups", "source_target_pairs"} {
				v, ok := m.src.attr(InstrID(i), key)
				if !ok || seen[v] {
					continue
				}
				seen[v] = true
				if g, ok := parseGroups([]byte(v)); ok {
					most = max(most, g.devices())
				}
			}
		}
		return most
	})
}

// devices returns the number of devices that a group list speaks of, without expanding it.
func (g *groupSpec) devices() int {
	count := func(dims []int64) int {
		n := int64(1)
		for _, d := range dims {
			if d <= 0 || n > (1<<40)/d {
				return 0
			}
			n *= d
		}
		return int(n)
	}
	switch {
	case g.iota != nil:
		return count(g.iota.dims)
	case g.mesh != nil:
		var dims []int64
		for _, a := range g.mesh.axes {
			dims = append(dims, a.size)
		}
		return count(dims)
	}
	most := 0
	for _, l := range g.lists {
		for _, id := range l {
			most = max(most, id+1)
		}
	}
	return most
}

// collectiveReader reads the collectives of one module. Group lists and reducers repeat: it keeps them.
type collectiveReader struct {
	m          *Module
	groups     map[string]expanded
	dtypes     map[CompID]string
	chains     [][]Wrapper // by computation
	devices    int
	replicas   int
	partitions int
}

// expanded is an expanded group list.
type expanded struct {
	groups [][]int
	large  bool
}

// inAsync reports whether an instruction is what an async-start runs: then the start stands for it.
func (b *collectiveReader) inAsync(i InstrID) bool {
	for _, caller := range b.m.Callers(b.m.comp[i]) {
		if b.m.ops[caller] == OpAsyncStart {
			return b.m.Root(b.m.comp[i]) == i
		}
	}
	return false
}

// body returns the instruction that holds the attributes of a collective: the collective itself, or for `async-start …
// calls=` the one inside.
func (b *collectiveReader) body(i InstrID) InstrID {
	if b.m.ops[i] != OpAsyncStart || b.m.Opcode(i) != OpAsyncStart.String() {
		return i
	}
	if called := b.m.Called(i); len(called) > 0 && b.m.Root(called[0]) != NoInstr {
		return b.m.Root(called[0])
	}
	return i
}

// read describes one collective.
func (b *collectiveReader) read(i InstrID, base Op) Collective {
	m := b.m
	inner := b.body(i)
	a := b.attributes(inner)
	c := Collective{
		ID: i, Name: m.InstrName(i), Opcode: base.String(), Async: m.ops[i] != base, Computation: m.CompName(m.comp[i]),
		WrappedIn: b.chains[m.comp[i]], Logical: true, Line: 0,
		ChannelID: a.channel,
	}
	md := m.Metadata(inner)
	if md.OpName == "" && md.FrameID == 0 && md.SourceFile == "" && inner != i {
		md = m.Metadata(i)
	}
	c.OpName, c.Frames = md.OpName, m.framesOf(md)
	b.exchange(&c, a, base)
	b.arrays(&c, i, base)
	b.countRuns(&c, i)
	c.Origin, c.OriginReason = originOf(m, a, md.OpName)
	for _, r := range m.Called(inner) {
		if base == OpAllReduce || base == OpReduceScatter {
			c.ReducerDType = b.reducer(r)
			c.WidenedByBackend = strings.HasSuffix(m.CompName(r), "_promoted")
		}
		break
	}
	b.cost(&c, a, base)
	return c
}

// collectiveAttrs are the attributes of a collective instruction.
type collectiveAttrs struct {
	channel    *int64
	hasChannel bool
	global     bool
	groups     string
	hasGroups  bool
	pairs      string
	sliceSizes string
	frontend   string
	config     string
	chain      string
}

func (b *collectiveReader) attributes(i InstrID) collectiveAttrs {
	var a collectiveAttrs
	b.m.src.eachAttr(i, func(key, value []byte) {
		switch string(key) {
		case "channel_id":
			a.hasChannel = true
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				a.channel, a.hasChannel = &n, n > 0
				if n <= 0 {
					a.channel = nil
				}
			}
		case "use_global_device_ids":
			a.global = string(value) == "true"
		case "replica_groups":
			a.groups, a.hasGroups = string(value), true
		case "source_target_pairs":
			a.pairs = string(value)
		case "slice_sizes":
			a.sliceSizes = string(value)
		case "frontend_attributes":
			a.frontend = string(value)
		case "backend_config":
			if bytes.Contains(value, []byte("is_spmd_generated")) {
				a.config = string(value)
			}
		}
	})
	a.chain = frontendValue(a.frontend, "chain_id")
	return a
}

// frontendValue reads one entry of `{k="v",k2={json}}`.
func frontendValue(attrs, key string) string {
	t := []byte(attrs)
	if len(t) < 2 {
		return ""
	}
	v, ok := findAttr(t, 1, len(t)-1, key)
	if !ok {
		return ""
	}
	return unquote(v.of(t))
}

// exchange fills in who talks to whom.
func (b *collectiveReader) exchange(c *Collective, a collectiveAttrs, base Op) {
	if base == OpCollectivePermute {
		pairs, large, ok := parsePairs([]byte(a.pairs))
		if ok && !large {
			c.SourceTargetPairs = b.pairsOfDevices(pairs, a)
		}
		c.GroupsTooLarge = large
		return
	}
	mode := modeOf(a, base)
	key := strconv.Itoa(int(mode)) + a.groups
	e, known := b.groups[key]
	if !known {
		e = b.expand(a, mode)
		b.groups[key] = e
	}
	c.ReplicaGroups, c.GroupsTooLarge = e.groups, e.large
}

// groupMode says what the ids in groups count.
type groupMode int

const (
	crossReplica             groupMode = iota // replicas of one partition
	crossPartition                            // partitions of one replica
	crossReplicaAndPartition                  // all partitions of the listed replicas
	flattenedID                               // replica · partitions + partition
)

// modeOf follows XLA's rules. For the reductions and the gather an absent use_global_device_ids is false, so a channel
// without it means replicas and all their partitions; the others have no such flag.
func modeOf(a collectiveAttrs, base Op) groupMode {
	switch base {
	case OpAllReduce, OpAllGather, OpReduceScatter:
		switch {
		case a.global:
			return flattenedID
		case a.hasChannel:
			return crossReplicaAndPartition
		}
		return crossReplica
	}
	if a.hasChannel {
		return crossPartition
	}
	return crossReplica
}

// expand writes a group list out to device ids.
func (b *collectiveReader) expand(a collectiveAttrs, mode groupMode) expanded {
	g := &groupSpec{empty: true}
	if a.hasGroups {
		var ok bool
		if g, ok = parseGroups([]byte(a.groups)); !ok {
			return expanded{}
		}
	}
	if g.empty {
		return b.everyone(mode)
	}
	groups, large, ok := g.expand()
	if !ok || large {
		return expanded{large: large}
	}
	return b.toDevices(groups, mode)
}

// everyone is what an empty list stands for: one group of all replicas or of all partitions.
func (b *collectiveReader) everyone(mode groupMode) expanded {
	n := b.replicas
	switch {
	case mode == crossPartition:
		n = b.partitions
	case mode == flattenedID:
		n = b.devices
	case b.replicas == 1 && b.partitions == 0: // a header without counts
		n = b.devices
	}
	if n <= 0 {
		return expanded{}
	}
	if n > maxGroupIDs {
		return expanded{large: true}
	}
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return b.toDevices([][]int{all}, mode)
}

// toDevices turns groups of replicas or partitions into groups of devices, which are numbered replica · partitions +
// partition. Where the header lacks the counts the ids are those of devices.
func (b *collectiveReader) toDevices(groups [][]int, mode groupMode) expanded {
	r, p := b.replicas, b.partitions
	switch {
	case mode == flattenedID || p <= 1 && mode != crossPartition || r == 1 && mode == crossPartition:
		return expanded{groups: groups}
	}
	limit, copies := r, p
	if mode == crossPartition {
		limit, copies = p, r
	}
	total := 0
	for _, g := range groups {
		total += len(g)
		for _, id := range g {
			if id >= limit {
				return expanded{groups: groups} // the header and the groups do not fit: keep what is written
			}
		}
	}
	if total > maxGroupIDs/copies {
		return expanded{large: true}
	}
	var out [][]int
	for _, g := range groups {
		if mode == crossReplicaAndPartition {
			var all []int
			for _, id := range g {
				for k := range p {
					all = append(all, id*p+k)
				}
			}
			out = append(out, all)
			continue
		}
		for k := range copies {
			one := make([]int, len(g))
			for j, id := range g {
				if mode == crossReplica {
					one[j] = id*p + k
				} else {
					one[j] = k*p + id
				}
			}
			out = append(out, one)
		}
	}
	return expanded{groups: out}
}

// pairsOfDevices turns pairs of replicas or partitions into pairs of devices.
func (b *collectiveReader) pairsOfDevices(pairs [][2]int, a collectiveAttrs) [][2]int {
	groups := make([][]int, len(pairs))
	for k := range pairs {
		groups[k] = pairs[k][:]
	}
	e := b.toDevices(groups, modeOf(a, OpCollectivePermute))
	if e.large {
		return pairs
	}
	out := make([][2]int, len(e.groups))
	for k, g := range e.groups {
		out[k] = [2]int{g[0], g[1]}
	}
	return out
}

// arrays fills in operands and results, leaf by leaf. The results of a start are those of the exchange.
func (b *collectiveReader) arrays(c *Collective, i InstrID, base Op) {
	m := b.m
	n := len(m.Operands(i))
	c.Operands = make([]Operand, 0, n)
	for k := range n {
		s := m.OperandShape(i, k)
		for _, leaf := range s.Leaves() {
			c.Operands = append(c.Operands, Operand{Array: leaf, Role: RoleUnknown, ParamPrecision: "none"})
		}
	}
	s := m.Shape(i)
	if c.Async && base != OpAllReduce || m.ops[i] == OpAsyncStart {
		s = exchangeShape(s, n)
	}
	c.Results = s.Leaves()
}

// exchangeShape returns what a start hands to its done: element 1 of `(operands, results, contexts…)`. Old all-gather
// starts print the results alone.
func exchangeShape(s Shape, operands int) Shape {
	if !s.IsTuple() || len(s.Elements) < 2 {
		return s
	}
	if operands == 1 || s.Elements[1].IsTuple() {
		return s.Elements[1]
	}
	return s
}

// countRuns fills in the executions.
func (b *collectiveReader) countRuns(c *Collective, i InstrID) {
	t := b.m.Times(b.m.comp[i])
	c.Conditional = t.Conditional
	if t.Known {
		n := t.N
		c.Executions, c.ExecutionsReason = &n, t.Reason
	}
}

// reducer returns the element type in which a reducer computes, "" when it has several.
func (b *collectiveReader) reducer(comp CompID) string {
	if d, ok := b.dtypes[comp]; ok {
		return d
	}
	d := ""
	if r := b.m.Root(comp); r != NoInstr {
		s := b.m.Shape(r)
		for k, leaf := range s.Leaves() {
			if k == 0 {
				d = leaf.DType
			} else if d != leaf.DType {
				d = ""
			}
		}
	}
	b.dtypes[comp] = d
	return d
}

// wrapperChains lists for every computation the fusions and calls around it, innermost first, up to a loop body or the
// entry. Where several instructions call a computation the first one counts.
func (m *Module) wrapperChains() [][]Wrapper {
	chains := make([][]Wrapper, len(m.comps))
	for c := range m.comps {
		at := CompID(c)
		for steps := 0; steps < maxWrapperDepth; steps++ {
			holder := m.holder(at)
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
				chains[c] = append(chains[c], Wrapper{Kind: kind, Computation: m.CompName(at),
					Instruction: m.InstrName(holder), In: m.CompName(m.comp[holder])})
			}
			at = m.comp[holder]
		}
	}
	return chains
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
	type key struct{ opcode, channel, chain string }
	keyOf := func(c *Collective) key {
		k := key{opcode: c.Opcode, chain: frontendValue(b.attributes(c.ID).frontend, "chain_id")}
		if c.ChannelID != nil {
			k.channel = strconv.FormatInt(*c.ChannelID, 10)
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
		if b.holdsCustomCall(b.m.comp[c.ID], "AsyncCollectiveStart") {
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
		}
	}
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
