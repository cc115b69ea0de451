package hlomap

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"path"
	"slices"
	"strings"
)

// Diff is what differs in the communication of two modules, exchange by exchange. An exchange is one operand of one
// collective, so that combining alone adds and removes nothing.
type Diff struct {
	Added, Removed []Exchange
	Changed        []ExchangeChange
	Unchanged      int
	Before, After  DiffTotals
	// Aligned says how most exchanges were paired: "by parameter", "by source line" or "by shape"; "" when none were.
	Aligned string
}

// DiffTotals sums up one module. BytesPerStep is nil when that of any collective is unknown, of a module that was cut off, and before the
// partitioner has run: what it will put in is not in the module yet.
type DiffTotals struct {
	BytesPerStep *int64
	Collectives  int
}

// Exchange is one operand of a collective.
type Exchange struct {
	Collective *Collective
	Operand    int
	Parameter  string // tree path where there is exactly one, else ""
	Role       Role

	Opcode                                  string
	OperandDType, ResultDType, ReducerDType string
	Axes                                    []string
	Shift                                   *Shift // of a permute that moves data along one axis
	GroupSize                               int
	devices                                 uint64 // identifies the groups or pairs of devices, 0 when they are unknown
	Bytes                                   int64  // of the operand or, for all-gather, of its result; -1 when unknown
	Executions                              *int64
	BytesPerStep                            *int64
	InLoop                                  bool
	Combined                                bool // the collective has other operands too
	Cause                                   *Cause
	Frames                                  []Frame // of the cause, else of the collective
}

// ExchangeChange is an exchange that both modules have, in different ways.
type ExchangeChange struct {
	Before, After Exchange
	What          []string // of "opcode", "dtype", "bytes", "axes", "executions", "placement", "combined"
	Words         []string // one for each of What: "summed in f32 instead of bf16"
}

// Compare aligns the exchanges of two modules: first by the parameter they belong to, whatever the argument that holds
// it is called; then by source line; then by shape. Names and channels of instructions never count, because they
// follow from everything else in a module. Either may be nil: then everything is added or removed.
func Compare(before, after *Attribution) *Diff {
	c := newComparison(before, after)
	if before != nil {
		c.out.Before = before.diffTotals()
	}
	if after != nil {
		c.out.After = after.diffTotals()
	}
	c.pairByProgram()
	c.pair("by source line", keysOf(c.before, scopeKey), keysOf(c.after, scopeKey))
	c.pair("by shape", keysOf(c.before, shapeKey), keysOf(c.after, shapeKey))
	c.rest()
	return c.out
}

// Counterparts returns, for the collectives of one stage of a module, those of a later stage that hold their operands: a backend
// combines, renames and splits them. Operands that nothing but their shape tells apart have none.
func Counterparts(before, after *Attribution) map[InstrID][]*Collective {
	c := newComparison(before, after)
	c.pairByProgram()
	out := map[InstrID][]*Collective{}
	for _, p := range c.pairs {
		id, counterpart := c.before[p[0]].Collective.ID, c.after[p[1]].Collective
		if !slices.Contains(out[id], counterpart) {
			out[id] = append(out[id], counterpart)
		}
	}
	return out
}

func newComparison(before, after *Attribution) *comparison {
	c := &comparison{out: &Diff{}, how: map[string]int{}, before: before.exchanges(), after: after.exchanges()}
	c.usedBefore, c.usedAfter = make([]bool, len(c.before)), make([]bool, len(c.after))
	return c
}

// pairByProgram pairs what the program tells to be the same.
func (c *comparison) pairByProgram() {
	c.pair("by parameter", parameterKeys(c.before), parameterKeys(c.after))
	c.pair("by source line", keysOf(c.before, lineKey), keysOf(c.after, lineKey))
}

// comparison pairs the exchanges of two modules.
type comparison struct {
	before, after         []Exchange
	usedBefore, usedAfter []bool
	pairs                 [][2]int // indices of paired exchanges
	how                   map[string]int
	out                   *Diff
}

// exchanges lists the operands of all logical collectives in the order of the file.
func (a *Attribution) exchanges() []Exchange {
	if a == nil {
		return nil // a module that one side does not have
	}
	var out []Exchange
	known := map[*[]int]uint64{} // lists of groups are many times the same
	for at := range a.collectives {
		c := &a.collectives[at]
		if !c.Logical {
			continue
		}
		inLoop := a.training.g.m.Times(a.training.g.m.Comp(c.ID)).InLoop
		devices := devicesOf(c, known)
		first := len(out)
		for k := range c.Operands {
			e := newExchange(c, k, inLoop)
			e.devices = devices
			out = append(out, e)
		}
		if list := out[first:]; len(list) > 1 && !addUp(c, list) {
			out = append(out[:first], wholeExchange(c, list[0]))
		}
	}
	return out
}

// addUp reports whether the exchanges of all operands are what a collective moves. Of some it has operands that say where to put things.
func addUp(c *Collective, list []Exchange) bool {
	sum, ok := sumBytes(len(list), func(k int) int64 { return list[k].Bytes })
	return !ok || c.BytesPerExecution == nil || sum == *c.BytesPerExecution
}

// wholeExchange makes the exchange of the first operand that of a whole collective.
func wholeExchange(c *Collective, e Exchange) Exchange {
	e.Bytes, e.BytesPerStep, e.Combined = *c.BytesPerExecution, c.BytesPerStep, false
	return e
}

func newExchange(c *Collective, k int, inLoop bool) Exchange {
	o := &c.Operands[k]
	e := Exchange{
		Collective: c, Operand: k, Role: o.Role, Opcode: c.Opcode, OperandDType: o.DType, ReducerDType: c.ReducerDType,
		Axes: c.Axes, Shift: c.Shift, GroupSize: groupSize(c), Bytes: o.Bytes, Executions: c.Executions, InLoop: inLoop,
		Combined: len(c.Operands) > 1, Cause: o.Cause, Frames: c.Frames,
	}
	if len(o.Parameters) == 1 {
		e.Parameter = o.Parameters[0]
	}
	if k < len(c.Results) {
		e.ResultDType = c.Results[k].DType
		if c.Opcode == "all-gather" {
			e.Bytes = c.Results[k].Bytes
		}
	}
	if o.Cause != nil && len(o.Cause.Frames) > 0 {
		e.Frames = o.Cause.Frames
	}
	if n, ok := perStep(e.Bytes, e.Executions); ok && e.Bytes >= 0 {
		e.BytesPerStep = &n
	}
	return e
}

// devicesOf identifies which devices exchange with each other, 0 when that is unknown. The order of groups and of the devices in
// a group does not count.
func devicesOf(c *Collective, known map[*[]int]uint64) uint64 {
	h := fnv.New64a()
	write := func(n int) { _, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	switch {
	case len(c.SourceTargetPairs) > 0:
		pairs := slices.Clone(c.SourceTargetPairs)
		slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
		for _, p := range pairs {
			write(p[0])
			write(p[1])
		}
		return h.Sum64()
	case len(c.ReplicaGroups) == 0:
		return 0
	}
	if id, ok := known[&c.ReplicaGroups[0]]; ok {
		return id
	}
	groups := make([][]int, len(c.ReplicaGroups))
	for k, g := range c.ReplicaGroups {
		groups[k] = slices.Sorted(slices.Values(g))
	}
	slices.SortFunc(groups, slices.Compare)
	for _, g := range groups {
		write(-1)
		for _, d := range g {
			write(d)
		}
	}
	known[&c.ReplicaGroups[0]] = h.Sum64()
	return h.Sum64()
}

func (a *Attribution) diffTotals() DiffTotals {
	t := DiffTotals{}
	m := a.training.g.m
	sum, known := int64(0), !m.BeforePartitioner() && !m.CutOff()
	for k := range a.collectives {
		c := &a.collectives[k]
		if !c.Logical {
			continue
		}
		t.Collectives++
		if c.BytesPerStep == nil || sum > math.MaxInt64-*c.BytesPerStep {
			known = false
			continue
		}
		sum += *c.BytesPerStep
	}
	if known {
		t.BytesPerStep = &sum
	}
	return t
}

// kindOf puts opcodes together that do the same for a parameter: a backend may turn an all-reduce into a reduce-scatter.
func (e *Exchange) kindOf() string {
	if e.Opcode == "reduce-scatter" || e.Opcode == "collective-permute" && e.Role == RoleGradient {
		return "all-reduce"
	}
	return e.Opcode
}

// parameterKeys names exchanges by the path of their parameter within its argument, as long as that is unique in the
// module; "" for exchanges without one.
func parameterKeys(list []Exchange) []string {
	full := map[string]string{}
	for k := range list {
		if p := list[k].Parameter; p != "" {
			short := withoutArgument(p)
			if other, ok := full[short]; ok && other != p {
				full[short] = "several"
			} else {
				full[short] = p
			}
		}
	}
	return keysOf(list, func(e *Exchange) string {
		if e.Parameter == "" {
			return ""
		}
		short := withoutArgument(e.Parameter)
		if full[short] == "several" {
			short = e.Parameter
		}
		return short + " " + string(e.Role) + " " + e.kindOf()
	})
}

// withoutArgument drops the argument's name from a tree path: ['w'] of p['w'].
func withoutArgument(name string) string {
	if rest := strings.TrimPrefix(name, container(name)); rest != "" {
		return rest
	}
	return name
}

func keysOf(list []Exchange, key func(e *Exchange) string) []string {
	out := make([]string, len(list))
	for k := range list {
		out[k] = key(&list[k])
	}
	return out
}

// lineKey names an exchange by the line that causes it.
func lineKey(e *Exchange) string {
	if len(e.Frames) == 0 {
		return ""
	}
	f := &e.Frames[0]
	return fmt.Sprintf("%s:%d %s %s", path.Base(f.Path), f.Line, e.kindOf(), e.Role)
}

// scopeKey names an exchange by the function and the primitive that cause it, for programs whose lines differ.
func scopeKey(e *Exchange) string {
	name := e.Collective.OpName
	if e.Cause != nil {
		name = e.Cause.OpName
	}
	if len(e.Frames) == 0 || name == "" {
		return ""
	}
	return fmt.Sprintf("%s %s %s %s %v", e.Frames[0].Function, name[strings.LastIndexByte(name, '/')+1:], e.kindOf(), e.Role, sortedDims(e))
}

// shapeKey names an exchange by what it sends, in any order of dimensions: backends transpose operands.
func shapeKey(e *Exchange) string {
	return fmt.Sprintf("%s %s %v", e.kindOf(), e.Role, sortedDims(e))
}

func sortedDims(e *Exchange) []int64 {
	dims := slices.Clone(e.Collective.Operands[e.Operand].Shape)
	slices.Sort(dims)
	return dims
}

// pair pairs exchanges of equal keys. Of several, those that differ in the fewest ways go together, and of those the first.
func (c *comparison) pair(how string, before, after []string) {
	byKey := map[string][]int{}
	for k, key := range after {
		if key != "" && !c.usedAfter[k] {
			byKey[key] = append(byKey[key], k)
		}
	}
	for differences := 0; differences <= maxDifferences; differences++ {
		for k, key := range before {
			if c.usedBefore[k] || key == "" {
				continue
			}
			for _, n := range byKey[key] {
				if c.usedAfter[n] {
					continue
				}
				if countDifferences(&c.before[k], &c.after[n]) > differences {
					continue
				}
				c.usedBefore[k], c.usedAfter[n] = true, true
				c.pairs = append(c.pairs, [2]int{k, n})
				c.how[how]++
				if change := changeOf(&c.before[k], &c.after[n]); len(change.What) > 0 {
					c.out.Changed = append(c.out.Changed, change)
				} else {
					c.out.Unchanged++
				}
				break
			}
		}
	}
}

// maxDifferences is the number of things in which two exchanges can differ.
const maxDifferences = 7

// rest notes what was not paired, and how most were.
func (c *comparison) rest() {
	for k := range c.before {
		if !c.usedBefore[k] {
			c.out.Removed = append(c.out.Removed, c.before[k])
		}
	}
	for k := range c.after {
		if !c.usedAfter[k] {
			c.out.Added = append(c.out.Added, c.after[k])
		}
	}
	most := 0
	for _, how := range []string{"by parameter", "by source line", "by shape"} {
		if c.how[how] > most {
			most, c.out.Aligned = c.how[how], how
		}
	}
	order := map[*Collective]int{}
	for k := range c.before {
		if _, ok := order[c.before[k].Collective]; !ok {
			order[c.before[k].Collective] = k
		}
	}
	slices.SortStableFunc(c.out.Changed, func(a, b ExchangeChange) int {
		return cmp.Or(order[a.Before.Collective]-order[b.Before.Collective], a.Before.Operand-b.Before.Operand)
	})
}
