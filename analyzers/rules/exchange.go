package rules

import (
	"slices"
	"sort"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// exchange is one collective of the module that decides, with what it takes to find out why it is there.
type exchange struct {
	*hlomap.Collective
	instr     hlomap.InstrID
	primitive string
	graph     evidence.Graph
	module    *link.Module
}

// why is one explanation of an exchange.
type why struct {
	frames    []hlomap.Frame // of the line to report
	place     *link.Place    // the place to report where the dump has no frame for it, else nil
	primitive string         // chooses the expression on that line
	subject   string         // the array the explanation is about, "" when it has no name
	detail    any            // what the rule needs for its message
}

// explanation is a rule that explains exchanges. The first in [explanations] that matches owns the exchange: where two
// rules see one cause, the narrower speaks.
type explanation struct {
	code  string
	match func(*exchange) *why
}

// explanations lists the rules about communication, the narrowest first.
func explanations() []explanation {
	return []explanation{
		{"SHD519", explainRaggedDot},
		{"SHD517", explainThreefry},
		{"SHD509", explainCallback},
		{"SHD505", explainSort},
		{"SHD507", explainUnpartitioned},
		{"SHD508", explainOpaque},
		{"SHD406", explainMicrobatch},
		{"SHD511", explainKeptWeights},
		{"SHD518", explainKVHeads},
		{"SHD506", explainHalo},
		{"SHD504", explainUpdate},
		{"SHD503", explainLookup},
		{"SHD402", explainLostBatch},
		{"SHD405", explainSibling},
		{"SHD515", explainContraction},
		{"SHD502", explainReshape},
		{"SHD501", explainRematerialization},
		{"SHD512", explainReduceThenSlice},
		{"SHD510", explainAccumulation},
	}
}

// cause is all exchanges that one place in the source is to blame for.
type cause struct {
	place     link.Place
	why       []*why
	exchanges []*exchange
}

// exchanges lists the collectives of the deciding module that move something: logical ones with groups of more than one
// device. Groups of one device stay in the HLO and cost nothing.
func exchanges(m *link.Module) []*exchange {
	d := m.Deciding
	if d == nil || d.Module == nil {
		return nil
	}
	g := evidence.Graph{M: d.Module}
	var list []*exchange
	for i := range d.Collectives {
		c := &d.Collectives[i]
		if !c.Logical || c.ReplicaGroups != nil && groupSize(c) == 1 {
			continue
		}
		list = append(list, &exchange{Collective: c, instr: c.ID, primitive: evidence.Primitive(c.OpName), graph: g, module: m})
	}
	return list
}

// groupSize returns the devices in the largest group of a collective, 0 when unknown.
func groupSize(c *hlomap.Collective) int {
	n := 0
	for _, g := range c.ReplicaGroups {
		n = max(n, len(g))
	}
	return n
}

// explained groups the exchanges of a module that a rule owns by the place to report. Exchanges below the threshold of
// bytes per step, of unknown size, or without a place in the workspace are left out.
func explained(p *analyzers.DumpPass, code string) []*cause {
	list := explanations()
	var causes []*cause
	for _, x := range exchanges(p.Module) {
		for _, e := range list {
			w := e.match(x)
			if w == nil {
				continue
			}
			if e.code == code {
				causes = join(causes, x, w)
			}
			break
		}
	}
	kept := causes[:0]
	for _, c := range causes {
		if b := c.bytes(); b != nil && *b >= p.Settings.MinBytes {
			kept = append(kept, c)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool {
		a, b := kept[i].place, kept[j].place
		if a.Path != b.Path {
			return a.Path < b.Path
		}
		return a.Expression.Start < b.Expression.Start
	})
	return kept
}

func join(causes []*cause, x *exchange, w *why) []*cause {
	place, ok := x.module.Locate(w.frames, w.primitive)
	if w.place != nil {
		place, ok = *w.place, true
	}
	if !ok {
		return causes
	}
	for _, c := range causes {
		if c.place.Path == place.Path && c.place.Line == place.Line {
			c.exchanges = append(c.exchanges, x)
			c.why = append(c.why, w)
			return causes
		}
	}
	return append(causes, &cause{place: place, why: []*why{w}, exchanges: []*exchange{x}})
}

// bytes is what one device sends and receives for the exchanges of a cause per step. Where the number of executions is
// not known it counts one execution; nil when not even that is known.
func (c *cause) bytes() *int64 {
	total := int64(0)
	for _, x := range c.exchanges {
		switch {
		case x.BytesPerStep != nil:
			total += *x.BytesPerStep
		case x.BytesPerExecution != nil:
			total += *x.BytesPerExecution
		default:
			return nil
		}
	}
	return &total
}

// exact reports whether the number of executions of every exchange is known.
func (c *cause) exact() bool {
	for _, x := range c.exchanges {
		if x.BytesPerStep == nil {
			return false
		}
	}
	return true
}

// axes lists the mesh axes of the exchanges, nil when those of one are not known or it runs along a part of an axis only.
func (c *cause) axes() []string {
	axes := c.parts()
	if slices.ContainsFunc(axes, func(a string) bool { return strings.Contains(a, ":") }) {
		return nil
	}
	return axes
}

// parts is axes with parts of axes as they are: "data:(1)4".
func (c *cause) parts() []string {
	var axes []string
	seen := map[string]bool{}
	for _, x := range c.exchanges {
		if x.Axes == nil || !x.AxesExact {
			return nil
		}
		for _, a := range x.Axes {
			if !seen[a] {
				seen[a] = true
				axes = append(axes, a)
			}
		}
	}
	return axes
}

// executions is how often each exchange of a cause runs per step, nil when that differs or is unknown.
func (c *cause) executions() *int64 {
	var n *int64
	for _, x := range c.exchanges {
		if x.Executions == nil || n != nil && *n != *x.Executions {
			return nil
		}
		n = x.Executions
	}
	return n
}

func (c *cause) span() analyzers.Span {
	return analyzers.Span{Path: c.place.Path, Start: c.place.Expression.Start, End: c.place.Expression.End}
}

// finding is the report on a cause with what all findings about communication have in common: the exchanges by name, what
// they cost, and where they stand in the dump.
func (c *cause) finding(message string) analyzers.Finding {
	m := c.exchanges[0].module
	f := analyzers.Finding{
		Span: c.span(), Message: message, Evidence: analyzers.FromHLO, Confidence: analyzers.Certain,
		HLO: hloFacts(m, m.Deciding, c.place),
	}
	f.HLO.Axes, f.HLO.Executions = c.parts(), c.executions()
	if c.exact() {
		f.HLO.BytesPerStep = c.bytes()
	}
	for _, x := range c.exchanges {
		f.HLO.Collectives = append(f.HLO.Collectives, x.Name)
		f.Related = append(f.Related, relatedInstruction(m.Deciding, m.Deciding.LineOf(x.Collective), describeExchange(x.Collective)))
	}
	return f
}

// hloFacts names the dump that a finding rests on. Just after partitioning the text does not tell the backend; a final module
// beside it does. At is where the finding is reported.
func hloFacts(m *link.Module, d *link.Dump, at link.Place) *analyzers.HLOFacts {
	facts := &analyzers.HLOFacts{Module: m.Name, Dump: d.Path, Stage: string(d.Stage), Backend: d.Backend, Stale: string(m.Age(at.Path, at.Line))}
	for _, other := range m.Dumps {
		if facts.Backend == "" {
			facts.Backend = other.Backend
		}
	}
	return facts
}

func relatedInstruction(d *link.Dump, line int, message string) analyzers.Related {
	return analyzers.Related{Span: analyzers.Span{Path: d.Path}, Line: line, Message: message}
}

// each calls report for every cause of a rule.
func each(p *analyzers.DumpPass, code string, describe func(c *cause) analyzers.Finding) {
	for _, c := range explained(p, code) {
		p.Report(describe(c))
	}
}
