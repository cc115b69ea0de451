package rules

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// summed is one reduction of one parameter's gradient in a low-precision type.
type summed struct {
	parameter string
	dtype     string // of the parameter itself
	reduction *hlomap.Reduction
	// target is the same parameter's reduction in the final module of a TPU or a GPU, nil where there is none.
	target *hlomap.Reduction
}

// lowSum is all low-precision sums of gradients that one line is to blame for.
type lowSum struct {
	place link.Place
	cause *hlomap.Cause // the most telling one of its sums
	sums  []summed
	// asked is set where the program itself casts finished wider gradients down for the sum: place is that of the cast then.
	asked bool
	// forward gives the operations of the forward pass, made when first asked for.
	forward func() map[hlomap.Frame][]hlomap.InstrID
}

// causes lists the operations that contract over the batch, each once, in the order of the module.
func (l *lowSum) causes() []*hlomap.Cause {
	var list []*hlomap.Cause
	seen := map[string]bool{}
	for _, s := range l.sums {
		if c := s.reduction.Cause; c != nil && !seen[c.Instruction] {
			seen[c.Instruction] = true
			list = append(list, c)
		}
	}
	return list
}

// behind lists the sums that a cause is behind.
func (l *lowSum) behind(c *hlomap.Cause) []summed {
	var list []summed
	for _, s := range l.sums {
		if s.reduction.Cause != nil && s.reduction.Cause.Instruction == c.Instruction {
			list = append(list, s)
		}
	}
	return list
}

// implicitPsum reports whether a reduction is the transpose of an implicit cast to varying in a checked shard_map: JAX wrote
// the psum, in a backward pass.
func implicitPsum(d *link.Dump, r *hlomap.Reduction) bool {
	c := d.CollectiveNamed(r.Collective)
	if c == nil {
		return false
	}
	primitive := evidence.Primitive(c.OpName)
	return writtenByUser(primitive) && evidence.Backward(c.OpName) && primitive != "reduce_scatter" || primitive == "psum_invariant" && besideCause(r)
}

// transposedGathers reports whether all sums of a line are the transposes of all_gathers that a program writes: they have the type of
// what is gathered.
func (l *lowSum) transposedGathers(d *link.Dump) bool {
	return !slices.ContainsFunc(l.sums, func(s summed) bool {
		c := d.CollectiveNamed(s.reduction.Collective)
		return c == nil || evidence.Primitive(c.OpName) != "reduce_scatter" || !evidence.Backward(c.OpName)
	})
}

// besideCause reports whether a reduction stands on the very line of the operation behind it, where no person writes a psum. In JAX
// 0.6.1 to 0.7 the names of operations in a shard_map do not tell the backward pass.
func besideCause(r *hlomap.Reduction) bool {
	if r.Cause == nil || len(r.Cause.Frames) == 0 || len(r.Frames) == 0 {
		return false
	}
	a, b := r.Cause.Frames[0], r.Frames[0]
	return a.Path == b.Path && a.Line == b.Line
}

// lowSums lists the gradients that are summed in a low-precision type, by the line of the operation that contracts over the
// batch. Only sums between several devices count, and none of values that already agree. Where the target's own final
// module is there, it has the last word on the element type.
func lowSums(pass *analyzers.DumpPass, wanted func(d *link.Dump, r *hlomap.Reduction) bool) []*lowSum {
	m := pass.Module
	if !decidesTypes(pass) {
		return nil
	}
	gradients := m.Deciding.Gradients()
	if gradients == nil {
		return nil
	}
	var found []*lowSum
	for i := range gradients.Parameters {
		p := &gradients.Parameters[i]
		target := targetReductions(m, p.Parameter)
		for k := range p.Reductions {
			r := &p.Reductions[k]
			if r.GroupSize < 2 || r.EqualValues || !r.LowPrecision() || !wanted(m.Deciding, r) {
				continue
			}
			s := summed{parameter: p.Parameter, dtype: p.DType, reduction: r}
			if len(target) > 0 {
				if s.target = anyNarrow(target); s.target == nil {
					continue // the target's compiler sums in a wider type after all
				}
			}
			found = addSum(m, found, s)
		}
	}
	forward := sync.OnceValue(func() map[hlomap.Frame][]hlomap.InstrID { return forwardOperations(m.Deciding.Module) })
	for _, l := range found {
		l.forward = forward
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i].place, found[j].place
		if a.Path != b.Path {
			return a.Path < b.Path
		}
		return a.Expression.Start < b.Expression.Start
	})
	return found
}

// decidesTypes reports whether a module tells element types, and notes why not.
func decidesTypes(p *analyzers.DumpPass) bool {
	ok, reason := p.Module.DecidesTypes()
	if !ok && p.Skip != nil {
		p.Skip(reason)
	}
	return ok
}

// targetReductions returns the reductions of a parameter's gradient in the target's final module; nil where that is the
// deciding module itself, or is not there.
func targetReductions(m *link.Module, parameter string) []hlomap.Reduction {
	if m.Target == nil || m.Target == m.Deciding || m.Target.Gradients() == nil {
		return nil
	}
	for i := range m.Target.Gradients().Parameters {
		if p := &m.Target.Gradients().Parameters[i]; p.Parameter == parameter {
			return p.Reductions
		}
	}
	return nil
}

// anyNarrow returns a reduction that the target's compiler left narrow. TPU packs pairs of float16 numbers into u32 for the way and takes
// them apart in the reducer (JAX 0.10.2).
func anyNarrow(list []hlomap.Reduction) *hlomap.Reduction {
	for i := range list {
		if list[i].LowPrecision() || list[i].OperandDType == "u32" && list[i].ReducerDType == "u32" {
			return &list[i]
		}
	}
	return nil
}

func addSum(m *link.Module, found []*lowSum, s summed) []*lowSum {
	place, asked := castBeforeSum(m, s.reduction)
	ok := asked
	if c := s.reduction.Cause; c != nil && !ok {
		place, ok = m.Locate(c.Frames, evidence.Primitive(c.OpName))
	}
	if !ok {
		if place, ok = m.Locate(s.reduction.Frames, ""); !ok {
			return found
		}
	}
	for _, l := range found {
		if l.place.Path == place.Path && l.place.Line == place.Line && l.asked == asked {
			l.sums = append(l.sums, s)
			if c := s.reduction.Cause; c != nil && c.Opcode == "dot" {
				l.cause = c // products outweigh bias sums on the same line
			}
			return found
		}
	}
	return append(found, &lowSum{place: place, cause: s.reduction.Cause, sums: []summed{s}, asked: asked})
}

// castBeforeSum finds the cast by which a program compresses a gradient for its sum: one from a wider type that stands between the
// operation that made the gradient and the reduction, and that is no transpose of a cast in the forward pass.
func castBeforeSum(m *link.Module, r *hlomap.Reduction) (link.Place, bool) {
	g := evidence.Graph{M: m.Deciding.Module}
	for i := range g.Backward(reducedValue(m.Deciding, r), elementwise) {
		if g.Op(i) == hlomap.OpDot || g.Op(i) == hlomap.OpParameter {
			break
		}
		if g.Op(i) != hlomap.OpConvert || bits(g.M.Shape(i).DType) > 16 || bits(g.M.OperandShape(i, 0).DType) <= 16 {
			continue
		}
		if name := g.M.OpName(i); evidence.Primitive(name) == "convert_element_type" && !evidence.Backward(name) {
			return m.Locate(g.M.Frames(i), "convert_element_type")
		}
		break
	}
	return link.Place{}, false
}

// parameters lists the parameters of the sums, each once, in the order of the module.
func (l *lowSum) parameters() []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range l.sums {
		if !seen[s.parameter] {
			seen[s.parameter] = true
			names = append(names, s.parameter)
		}
	}
	return names
}

// dtypes spells the element types of the sums, in JAX's words.
func (l *lowSum) dtypes() string {
	var names []string
	seen := map[string]bool{}
	for _, s := range l.sums {
		if d := s.reduction.OperandDType; !seen[d] {
			seen[d] = true
			names = append(names, longType(d))
		}
	}
	return and(names)
}

// longType spells an element type as JAX does.
func longType(dtype string) string {
	switch {
	case dtype == "bf16":
		return "bfloat16"
	case strings.HasPrefix(dtype, "f8"):
		return "float8_" + dtype[2:]
	case strings.HasPrefix(dtype, "f"):
		return "float" + dtype[1:]
	}
	return dtype
}

// counted is the reduction whose executions and bytes hold: the target's own where its final module is there.
func (s *summed) counted() *hlomap.Reduction {
	if s.target != nil {
		return s.target
	}
	return s.reduction
}

// bytes is what the sums move per step, nil when a number of executions is unknown.
func (l *lowSum) bytes() *int64 {
	total := int64(0)
	for _, s := range l.sums {
		r := s.counted()
		if r.Executions == nil || r.Bytes < 0 {
			return nil
		}
		total += r.Bytes * *r.Executions
	}
	return &total
}

// executions is how often each sum runs per step, nil when that differs or is unknown.
func (l *lowSum) executions() *int64 {
	var n *int64
	for _, s := range l.sums {
		e := s.counted().Executions
		if e == nil || n != nil && *n != *e {
			return nil
		}
		n = e
	}
	return n
}

// axes lists the mesh axes of the sums, nil when those of one are not known.
func (l *lowSum) axes() []string {
	var axes []string
	seen := map[string]bool{}
	for _, s := range l.sums {
		if s.reduction.Axes == nil {
			return nil
		}
		for _, a := range s.reduction.Axes {
			if strings.Contains(a, ":") {
				return nil // a part of an axis
			}
			if !seen[a] {
				seen[a] = true
				axes = append(axes, a)
			}
		}
	}
	return axes
}

// devices is over how many devices the gradient of a parameter is summed. One whose batch is sharded in two dimensions is summed over the
// axes of each, one after the other.
func (l *lowSum) devices() int {
	most := 0
	together := map[string]int{}
	seen := map[string]bool{}
	for _, s := range l.sums {
		key := s.parameter + " " + strings.Join(s.reduction.Axes, ",")
		most = max(most, s.reduction.GroupSize)
		if s.reduction.Axes == nil || seen[key] {
			continue
		}
		seen[key] = true
		together[s.parameter] = max(1, together[s.parameter]) * s.reduction.GroupSize
		most = max(most, together[s.parameter])
	}
	return most
}

// where spells over which devices and how often: "over axis 'data' (8 devices), 96 KiB per step, 6 times a step in a loop".
func (l *lowSum) where() string {
	devices := l.devices()
	text := overDevices(devices)
	if axes := l.axes(); len(axes) > 0 {
		text = fmt.Sprintf("%s (%d devices)", overAxes(axes), devices)
	}
	if b := l.bytes(); b != nil {
		text += ", " + byteText(*b) + " per step"
	}
	switch n := l.executions(); {
	case n != nil && *n > 1:
		text += fmt.Sprintf(" in %d executions inside a loop", *n)
	case n == nil && l.sums[0].counted().InLoop:
		text += ", inside a loop"
	}
	if s := &l.sums[0]; s.target != nil && s.target.InLoop != s.reduction.InLoop {
		text += " (moved out of the loop by the backend)"
	}
	return text
}

// maxNamed is the number of parameters that a message spells out one by one.
const maxNamed = 6

// gradients is the subject of a sentence about the sums, with its verb: "gradient of a is".
func (l *lowSum) gradients() string {
	all := l.parameters()
	return numbered(all, "gradient", "gradients") + " of " + l.names() + numbered(all, " is", " are")
}

// names spells the parameters of the sums.
func (l *lowSum) names() string { return grouped(l.parameters()) }

// grouped spells the names of parameters; where they are many, those that differ in numbers only, as layers do, are one pattern.
func grouped(all []string) string {
	if len(all) <= maxNamed {
		return some(all, maxNamed)
	}
	count := map[string]int{}
	first := map[string]string{}
	var patterns []string
	for _, name := range all {
		p := digits(name)
		if count[p]++; count[p] == 1 {
			patterns = append(patterns, p)
			first[p] = name
		}
	}
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = first[p]
		if count[p] > 1 {
			texts[i] = fmt.Sprintf("%s (%d)", p, count[p])
		}
	}
	return some(texts, 3)
}

// digits replaces every number in a name by a star.
func digits(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] < '0' || name[i] > '9' {
			b.WriteByte(name[i])
		} else if i == 0 || name[i-1] < '0' || name[i-1] > '9' {
			b.WriteByte('*')
		}
	}
	return b.String()
}

// remedy says what to write, for the operations that made the narrow values. Each of these was seen to make the sum float32;
// casts, constraints and barriers on the gradient come too late, and so does a custom_vjp where the parameter itself is narrow.
func (l *lowSum) remedy() string {
	wide := !slices.ContainsFunc(l.sums, func(s summed) bool { return bits(s.dtype) <= 16 })
	kinds := l.kinds()
	product := slices.ContainsFunc(kinds, func(kind string) bool { return kind == "dot" || kind == "convolution" })
	var ways []string
	switch {
	case product && wide:
		ways = append(ways, "make it float32 (custom_vjp with preferred_element_type=jnp.float32)")
	case product:
		ways = append(ways, "accumulate the forward product in float32 (preferred_element_type=jnp.float32), which rounds once behind the sum")
	}
	own := l.place.Frame == 0 // what lies in a library cannot be written otherwise
	if own && wide && !product && slices.Contains(kinds, "reduce") {
		ways = append(ways, "broadcast the parameter in float32 before the cast (jnp.broadcast_to(b, z.shape).astype(...))")
	}
	if own && wide && !product && slices.Contains(kinds, "scatter") {
		ways = append(ways, "look the rows up before the cast (table[ids].astype(...))")
	}
	return strings.Join(append(ways, "sum float32 gradients of each shard (vmap of grad, or shard_map with pcast and pmean)"), ", or ")
}

// kinds lists the opcodes of the operations that made the narrow values, products first.
func (l *lowSum) kinds() []string {
	var kinds []string
	for _, c := range l.causes() {
		if !slices.Contains(kinds, c.Opcode) {
			kinds = append(kinds, c.Opcode)
		}
	}
	slices.Sort(kinds) // convolution, dot, reduce, scatter
	return kinds
}

// contraction names the operations that made the low-precision values, with their verb.
func (l *lowSum) contraction() string {
	var names []string
	for _, kind := range l.kinds() {
		name := "the " + kind
		switch kind {
		case "dot":
			name = "the weight-gradient product"
		case "convolution":
			name = "the weight-gradient convolution"
		case "reduce":
			name = "the sum over the batch"
		case "scatter":
			name = "the scatter-add of the lookup"
		}
		names = append(names, name)
	}
	where := " on this line "
	if l.place.Frame > 0 { // it lies in a file that was not asked about
		where = " in what this line calls "
	}
	switch len(names) {
	case 0:
		return "the value" + where + "is"
	case 1:
		return names[0] + where + "is"
	}
	return and(names) + where + "are"
}

// finding is the report with the sums, their places in the dumps, and what the target's final module says.
func (l *lowSum) finding(m *link.Module, message string) analyzers.Finding {
	f := analyzers.Finding{
		Span:    analyzers.Span{Path: l.place.Path, Start: l.place.Expression.Start, End: l.place.Expression.End},
		Message: message, Evidence: analyzers.FromHLO, Confidence: analyzers.Certain,
		HLO: hloFacts(m, m.Deciding, l.place),
	}
	f.HLO.Axes, f.HLO.Executions, f.HLO.BytesPerStep = l.axes(), l.executions(), l.bytes()
	listed := map[string]bool{}
	for _, s := range l.sums {
		r := s.reduction
		if listed[r.Collective] {
			continue
		}
		listed[r.Collective] = true
		f.HLO.Collectives = append(f.HLO.Collectives, r.Collective)
		f.Related = append(f.Related, relatedInstruction(m.Deciding, lineOf(m.Deciding, r.Collective),
			fmt.Sprintf("%s: %s with operand %s, result %s, reducer %s", r.Collective, r.Opcode, r.OperandDType, r.ResultDType, r.ReducerDType)))
	}
	for _, s := range l.sums {
		if t := s.target; t != nil && !listed["final "+t.Collective] {
			listed["final "+t.Collective] = true
			f.Related = append(f.Related, relatedInstruction(m.Target, lineOf(m.Target, t.Collective),
				fmt.Sprintf("in the final %s module: %s of %s%s%s", strings.ToUpper(m.Target.Backend), t.Collective, t.OperandDType, timesText(t.Executions), accumulatorText(m.Target, s.reduction, t))))
		}
	}
	return f
}

// accumulatorText says that a backend which moved a sum out of its loop casts the finished wide accumulator down for it, as GPU does
// (JAX 0.10.2), "" where it does not.
func accumulatorText(target *link.Dump, inLoop, outside *hlomap.Reduction) string {
	if !inLoop.InLoop || outside.InLoop {
		return ""
	}
	g := evidence.Graph{M: target.Module}
	// GPU flattens what it sums together into one array.
	flattened := func(op hlomap.Op) bool { return elementwise(op) || op == hlomap.OpConcatenate }
	for i := range g.Backward(reducedValue(target, outside), flattened) {
		if g.Op(i) == hlomap.OpConvert && bits(g.M.Shape(i).DType) <= 16 && bits(g.M.OperandShape(i, 0).DType) > 16 {
			return "; the finished " + longType(g.M.OperandShape(i, 0).DType) + " accumulator is cast down for it"
		}
	}
	return ""
}

// reducedValue returns the operand of a reduction that belongs to its parameter, hlomap.NoInstr when it is not found.
func reducedValue(d *link.Dump, r *hlomap.Reduction) hlomap.InstrID {
	if c := d.CollectiveNamed(r.Collective); c != nil {
		return evidence.Graph{M: d.Module}.Operand(c.ID, r.Operand)
	}
	return hlomap.NoInstr
}

func timesText(n *int64) string {
	if n == nil {
		return ""
	}
	if *n == 1 {
		return ", once a step"
	}
	return fmt.Sprintf(", %d times a step", *n)
}

func lineOf(d *link.Dump, collective string) int {
	if c := d.CollectiveNamed(collective); c != nil {
		return d.LineOf(c)
	}
	return 0
}
