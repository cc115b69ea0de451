package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

func shd006() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD006", Name: "over-budget", Severity: analyzers.Error, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "communication beyond the configured budget",
		Doc: analyzers.Documentation{
			Finds: "Modules that go beyond the table `budget` of the configuration: more bytes per step over a mesh axis than `bytes-per-step` allows, gradients that are summed in 16 bits or less where " +
				"`low-precision-gradients` is false, and exchanges that the partitioner put into files of `no-implicit-collectives`. Bytes are those of one device: the operands of an exchange, of an all-gather its result. " +
				"An exchange over several axes counts for each of them. Where the number of executions is unknown, one is counted.",
			Matters: "A baseline says that nothing got worse; a budget says what is too much. Both hold in CI, where nobody looks at profiles.",
			Example: `[tool.shardls.budget]
bytes-per-step = { data = 67108864, "*" = 268435456 }
low-precision-gradients = false
no-implicit-collectives = ["layers/**"]
`,
			Ignore: "When the budget is out of date: it is a number in the configuration, and raising it is a change that someone reviews.",
		},
		CheckDump: checkBudget,
	}
}

func checkBudget(p *analyzers.DumpPass) {
	budget := p.Settings.Budget
	if budget == nil || p.Module.Deciding == nil {
		return
	}
	parts := contributions(p.Module)
	for _, limit := range budget.BytesPerStep {
		checkAxisBudget(p, limit, parts)
	}
	if budget.NoLowPrecisionGradients {
		checkNarrowBudget(p)
	}
	if budget.NoImplicit != nil {
		checkImplicit(p, parts)
	}
}

// contribution is what one operand of an exchange moves per step.
type contribution struct {
	exchange *exchange
	place    link.Place
	located  bool
	bytes    int64 // of one execution where the number of executions is unknown; -1 when not even that is known
	exact    bool
}

// contributions lists the operands of a module's exchanges, each at the operation that made it where that is known.
func contributions(m *link.Module) []contribution {
	var list []contribution
	for _, x := range exchanges(m) {
		for k := range x.Operands {
			o := &x.Operands[k]
			c := contribution{exchange: x, bytes: o.Bytes}
			if x.gathers() && k < len(x.Results) {
				c.bytes = x.Results[k].Bytes
			}
			if c.exact = c.bytes >= 0 && x.Executions != nil; c.exact {
				c.bytes *= *x.Executions
			}
			if o.Role == hlomap.RoleGradient && o.Cause != nil {
				c.place, c.located = m.Locate(o.Cause.Frames, evidence.Primitive(o.Cause.OpName))
			}
			if !c.located {
				c.place, c.located = m.Locate(x.Stack(), x.primitive)
			}
			list = append(list, c)
		}
	}
	return list
}

// checkAxisBudget adds up what moves over one axis, or over all.
func checkAxisBudget(p *analyzers.DumpPass, limit analyzers.AxisBytes, parts []contribution) {
	var over []contribution
	known := limit.Axis == "*"
	for k := range p.Module.Meshes {
		known = known || slices.ContainsFunc(p.Module.Meshes[k].Axes, func(a hlomap.MeshAxis) bool { return a.Name == limit.Axis })
	}
	unknown := 0
	for _, c := range parts {
		switch {
		case limit.Axis == "*" || c.exchange.runsOver(limit.Axis):
			over = append(over, c)
		case c.exchange.Axes == nil:
			unknown++
		}
	}
	if !known {
		skip(p, fmt.Sprintf("budget.bytes-per-step names axis '%s', which no known mesh of this module has", limit.Axis))
		return
	}
	total, exact := sum(over)
	exact = exact && unknown == 0
	if total <= limit.Bytes {
		if !exact {
			skip(p, fmt.Sprintf("not all of what moves over axis '%s' is known, so that the budget may be exceeded all the same", limit.Axis))
		}
		return
	}
	what, atLeast := overAxes([]string{limit.Axis}), ""
	if limit.Axis == "*" {
		what = "in all"
	}
	if !exact {
		atLeast = "at least "
	}
	p.Report(overBudget(p.Module, over, fmt.Sprintf("%s moves %s%s per step and device %s, the budget allows %s: %s",
		p.Module.Name, atLeast, exactBytes(total), what, exactBytes(limit.Bytes), largest(over))))
}

// exactBytes spells a number of bytes to compare: "76.3 KiB (78144 bytes)".
func exactBytes(n int64) string {
	if n < 1<<10 {
		return byteText(n)
	}
	return fmt.Sprintf("%s (%d bytes)", byteText(n), n)
}

// runsOver reports whether the groups of an exchange run along an axis, or a part of it.
func (x *exchange) runsOver(axis string) bool {
	return slices.ContainsFunc(x.Axes, func(a string) bool { return wholeAxis(a) == axis })
}

func skip(p *analyzers.DumpPass, reason string) {
	if p.Skip != nil {
		p.Skip(reason)
	}
}

func sum(parts []contribution) (total int64, exact bool) {
	exact = true
	for _, c := range parts {
		exact = exact && c.exact
		total += max(c.bytes, 0)
	}
	return total, exact
}

// lineShare is what one line of the workspace contributes, or all exchanges without one.
type lineShare struct {
	place   link.Place
	located bool
	parts   []contribution
	bytes   int64
}

// byLine adds contributions up by line, the largest first.
func byLine(parts []contribution) []*lineShare {
	type key struct {
		path string
		line int
	}
	index := map[key]*lineShare{}
	var list []*lineShare
	for _, c := range parts {
		k := key{}
		if c.located {
			k = key{c.place.Path, c.place.Line}
		}
		if index[k] == nil {
			index[k] = &lineShare{place: c.place, located: c.located}
			list = append(list, index[k])
		}
		index[k].parts = append(index[k].parts, c)
		index[k].bytes += max(c.bytes, 0)
	}
	slices.SortStableFunc(list, func(a, b *lineShare) int {
		return cmp.Or(-cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.place.Path, b.place.Path), cmp.Compare(a.place.Line, b.place.Line))
	})
	return list
}

// maxShares is the number of lines that a message about a budget names.
const maxShares = 3

// largest names the lines that contribute most.
func largest(parts []contribution) string {
	list := byLine(parts)
	var texts []string
	rest := int64(0)
	for k, s := range list {
		if k >= maxShares {
			rest += s.bytes
			continue
		}
		where := "exchanges without a line in the workspace"
		if s.located {
			where = fmt.Sprintf("%s:%d", s.place.Path[strings.LastIndexByte(s.place.Path, '/')+1:], s.place.Line)
		}
		texts = append(texts, byteText(s.bytes)+" by "+where)
	}
	if more := len(list) - maxShares; more > 0 {
		texts = append(texts, fmt.Sprintf("%s by %d more", byteText(rest), more))
	}
	return and(texts)
}

// overBudget is a finding at the line that contributes most, with a note for each of the largest.
func overBudget(m *link.Module, parts []contribution, message string) analyzers.Finding {
	list := byLine(parts)
	f := analyzers.Finding{Span: analyzers.Span{Path: m.Deciding.Path}, Message: message, HLO: hloFacts(m, m.Deciding, link.Place{})}
	if total, exact := sum(parts); exact {
		f.HLO.BytesPerStep = &total
	}
	seen := map[string]bool{}
	for k, s := range list {
		if s.located && f.Span.Path == m.Deciding.Path {
			f.Span = analyzers.Span{Path: s.place.Path, Start: s.place.Expression.Start, End: s.place.Expression.End}
			f.HLO.Stale = string(m.Age(s.place.Path, s.place.Line))
		}
		for _, c := range s.parts {
			x := c.exchange
			if seen[x.Name] {
				continue
			}
			seen[x.Name] = true
			f.HLO.Collectives = append(f.HLO.Collectives, x.Name)
			for _, a := range x.Axes {
				if !slices.Contains(f.HLO.Axes, a) {
					f.HLO.Axes = append(f.HLO.Axes, a)
				}
			}
			if k < maxShares {
				f.Related = append(f.Related, relatedInstruction(m.Deciding, m.Deciding.LineOf(x.Collective), describeExchange(x.Collective)))
			}
		}
	}
	return f
}

// checkNarrowBudget reports all gradients that are summed in a low-precision type as one finding.
func checkNarrowBudget(p *analyzers.DumpPass) {
	sums := lowSums(p, func(*link.Dump, *hlomap.Reduction) bool { return true })
	if len(sums) == 0 {
		return
	}
	slices.SortStableFunc(sums, func(a, b *lowSum) int { return -cmp.Compare(a.atLeast(), b.atLeast()) })
	all := &lowSum{place: sums[0].place}
	var texts []string
	for k, l := range sums {
		all.sums = append(all.sums, l.sums...)
		if k < maxShares {
			texts = append(texts, fmt.Sprintf("%s by %s:%d", byteText(l.atLeast()), l.place.Path[strings.LastIndexByte(l.place.Path, '/')+1:], l.place.Line))
		}
	}
	if more := len(sums) - maxShares; more > 0 {
		texts = append(texts, fmt.Sprintf("more by %d other lines", more))
	}
	n := len(all.parameters())
	gradients := fmt.Sprintf("the gradients of %d parameters are", n)
	if n == 1 {
		gradients = "the gradient of " + all.parameters()[0] + " is"
	}
	p.Report(all.finding(p.Module, fmt.Sprintf("%s summed in %s %s, the budget allows none below 32 bits: %s", gradients, all.dtypes(), all.where(), and(texts))))
}

// atLeast is what the sums move per step, counting one execution where the number is unknown.
func (l *lowSum) atLeast() int64 {
	total := int64(0)
	for _, s := range l.sums {
		r := s.counted()
		n := int64(1)
		if r.Executions != nil {
			n = *r.Executions
		}
		total += max(r.Bytes, 0) * n
	}
	return total
}

// checkImplicit reports the exchanges of the partitioner in files that may have none, line by line.
func checkImplicit(p *analyzers.DumpPass, parts []contribution) {
	var implicit []contribution
	for _, c := range parts {
		if c.located && c.exchange.Origin == "partitioner" && !c.exchange.userMade() && p.Settings.Budget.NoImplicit(c.place.Path) {
			implicit = append(implicit, c)
		}
	}
	for _, s := range byLine(implicit) {
		total, exact := sum(s.parts)
		amount := byteText(total) + " per step"
		if !exact {
			amount = "at least " + amount
		}
		var opcodes []string
		for _, c := range s.parts {
			if !slices.Contains(opcodes, c.exchange.Opcode) {
				opcodes = append(opcodes, c.exchange.Opcode)
			}
		}
		slices.Sort(opcodes)
		p.Report(overBudget(p.Module, s.parts, fmt.Sprintf("the partitioner adds %s here (%s), the budget allows no implicit exchange in this file; write it by hand, or constrain the layout so that none is needed",
			and(opcodes), amount)))
	}
}
