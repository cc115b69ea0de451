package hlomap

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/shardls/shardls/internal/units"
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

// DiffTotals sums up one module. BytesPerStep is nil when that of any collective is unknown.
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
	GroupSize                               int
	Bytes                                   int64 // of the operand or, for all-gather, of its result; -1 when unknown
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
		c.out.Before = totalsOf(before.collectives)
	}
	if after != nil {
		c.out.After = totalsOf(after.collectives)
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
	for at := range a.collectives {
		c := &a.collectives[at]
		if !c.Logical {
			continue
		}
		inLoop := a.training.g.m.Times(a.training.g.m.Comp(c.ID)).InLoop
		for k := range c.Operands {
			out = append(out, newExchange(c, k, inLoop))
		}
	}
	return out
}

func newExchange(c *Collective, k int, inLoop bool) Exchange {
	o := &c.Operands[k]
	e := Exchange{
		Collective: c, Operand: k, Role: o.Role, Opcode: c.Opcode, OperandDType: o.DType, ReducerDType: c.ReducerDType,
		Axes: c.Axes, GroupSize: groupSize(c), Bytes: o.Bytes, Executions: c.Executions, InLoop: inLoop,
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
	if e.Bytes >= 0 && e.Executions != nil {
		n := e.Bytes * *e.Executions
		e.BytesPerStep = &n
	}
	return e
}

func totalsOf(collectives []Collective) DiffTotals {
	t := DiffTotals{}
	sum, known := int64(0), true
	for k := range collectives {
		c := &collectives[k]
		if !c.Logical {
			continue
		}
		t.Collectives++
		if c.BytesPerStep == nil {
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

// countDifferences returns in how many things two exchanges differ, without saying it in words.
func countDifferences(b, a *Exchange) int {
	n := 0
	for _, differs := range [maxDifferences]bool{
		b.Opcode != a.Opcode,
		b.OperandDType != a.OperandDType || b.ResultDType != a.ResultDType || b.ReducerDType != a.ReducerDType,
		b.Bytes != a.Bytes,
		!slices.Equal(b.Axes, a.Axes) || b.GroupSize != a.GroupSize,
		!equalCounts(b.Executions, a.Executions),
		b.InLoop != a.InLoop,
		b.Combined != a.Combined,
	} {
		if differs {
			n++
		}
	}
	return n
}

// changeOf says in what two exchanges differ.
func changeOf(b, a *Exchange) ExchangeChange {
	c := ExchangeChange{Before: *b, After: *a}
	note := func(what, words string) {
		c.What, c.Words = append(c.What, what), append(c.Words, words)
	}
	if b.Opcode != a.Opcode {
		note("opcode", fmt.Sprintf("%s instead of %s", a.Opcode, b.Opcode))
	}
	if b.OperandDType != a.OperandDType || b.ResultDType != a.ResultDType || b.ReducerDType != a.ReducerDType {
		verb := "sent"
		if a.ReducerDType != "" {
			verb = "summed"
		}
		note("dtype", fmt.Sprintf("%s in %s instead of %s", verb, a.dtypes(), b.dtypes()))
	}
	if b.Bytes != a.Bytes {
		now, then := bytesText(a.Bytes), bytesText(b.Bytes)
		if now == then { // they differ by less than what is printed
			now, then = fmt.Sprintf("%d B", a.Bytes), fmt.Sprintf("%d B", b.Bytes)
		}
		note("bytes", fmt.Sprintf("%s instead of %s each time", now, then))
	}
	if !slices.Equal(b.Axes, a.Axes) || b.GroupSize != a.GroupSize {
		now, then := a.over(), b.over()
		if now == then { // the same axes of meshes of other sizes
			now, then = a.overDevices(), b.overDevices()
		}
		note("axes", fmt.Sprintf("over %s instead of %s", now, then))
	}
	if !equalCounts(b.Executions, a.Executions) {
		note("executions", fmt.Sprintf("%s instead of %s", timesText(a.Executions), timesText(b.Executions)))
	}
	if b.InLoop != a.InLoop {
		words := "moved out of a loop"
		if a.InLoop {
			words = "moved into a loop"
		}
		note("placement", words)
	}
	if b.Combined != a.Combined {
		words := "no longer combined with others"
		if a.Combined {
			words = "combined with others"
		}
		note("combined", words)
	}
	return c
}

// dtypes spells the element types of an exchange: one where operand, result and reducer agree, else "bf16>f32(f32)":
// operand, result and, in parentheses, reducer.
func (e *Exchange) dtypes() string {
	if (e.ResultDType == "" || e.ResultDType == e.OperandDType) && (e.ReducerDType == "" || e.ReducerDType == e.OperandDType) {
		return e.OperandDType
	}
	s := e.OperandDType + ">" + e.ResultDType
	if e.ReducerDType != "" {
		s += "(" + e.ReducerDType + ")"
	}
	return s
}

func (e *Exchange) over() string {
	if len(e.Axes) > 0 {
		return strings.Join(e.Axes, ", ")
	}
	if e.GroupSize > 0 {
		return fmt.Sprintf("groups of %d", e.GroupSize)
	}
	return "unknown devices"
}

// overDevices is over with the number of devices that exchange with each other.
func (e *Exchange) overDevices() string {
	switch e.GroupSize {
	case 0:
		return e.over() + " (an unknown number of devices)"
	case 1:
		return e.over() + " (1 device)"
	}
	return fmt.Sprintf("%s (%d devices)", e.over(), e.GroupSize)
}

func bytesText(n int64) string {
	if n < 0 {
		return "an unknown number of bytes"
	}
	return units.Bytes(n)
}

func timesText(n *int64) string {
	switch {
	case n == nil:
		return "an unknown number of times"
	case *n == 1:
		return "once a step"
	}
	return fmt.Sprintf("%d times a step", *n)
}

func equalCounts(a, b *int64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
