package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// again is the gradients that one line reduces although another reduction has made devices agree on them.
type again struct {
	place      link.Place
	event      *flow.Event // what the source has there, nil where it is not known
	facts      *flow.Facts // that the event is from
	reduction  *hlomap.Reduction
	parameters []string
	names      []string // of the collectives
	related    []analyzers.Related
}

// checkReducedAgain reports the gradients that a program reduces once more over devices which agree on them since the first time.
func checkReducedAgain(p *analyzers.DumpPass) {
	for _, a := range reducedAgain(p) {
		f, ok := a.finding()
		if !ok {
			continue
		}
		f.Evidence, f.Confidence, f.HLO = analyzers.FromHLO, analyzers.Certain, hloFacts(p.Module, p.Module.Deciding, a.place)
		f.HLO.Collectives, f.HLO.Axes = a.names, a.reduction.Axes
		f.Related = append(f.Related, a.related...)
		p.Report(f)
	}
}

// reducedAgain lists them by the line of the later reduction, in the order of the module.
func reducedAgain(p *analyzers.DumpPass) []*again {
	d := p.Module.Deciding
	gradients := d.Gradients()
	if gradients == nil {
		return nil
	}
	var found []*again
	for i := range gradients.Parameters {
		g := &gradients.Parameters[i]
		for k := range g.Reductions {
			r := &g.Reductions[k]
			if !needless(d, g, r) {
				continue
			}
			c := d.CollectiveNamed(r.Collective)
			place, ok := p.Module.Locate(c.Stack(), evidence.Primitive(c.OpName))
			if !ok {
				continue
			}
			a := againAt(&found, place, r)
			if a.reduction == r {
				a.facts, a.event = reductionEvent(p, c, place)
			}
			if !slices.Contains(a.parameters, g.Parameter) {
				a.parameters = append(a.parameters, g.Parameter)
			}
			if slices.Contains(a.names, c.Name) {
				continue
			}
			a.names = append(a.names, c.Name)
			a.related = append(a.related, relatedInstruction(d, d.LineOf(c), fmt.Sprintf("%s reduces what %s has reduced", c.Name, r.First)))
		}
	}
	return found
}

// needless reports whether a program asks for a reduction of a gradient that was reduced over the same devices before, by a backward pass
// or the partitioner, of which source does not tell, or in any other way if the reduction is known for a sum. In a final module, a
// reduction of several arrays has the line of one.
func needless(d *link.Dump, g *hlomap.ParameterGradient, r *hlomap.Reduction) bool {
	if r.First == "" || r.GroupSize < 2 || !asked(d, r) {
		return false
	}
	if c := d.CollectiveNamed(r.Collective); d.Stage != hlomap.AfterPartitioning && len(c.Operands) > 1 {
		return false
	}
	first := slices.IndexFunc(g.Reductions, func(o hlomap.Reduction) bool { return o.Collective == r.First })
	return first >= 0 && (r.Scaling == hlomap.ScalingNone || !asked(d, &g.Reductions[first]))
}

// asked reports whether a program writes a reduction out, rather than a backward pass or the partitioner.
func asked(d *link.Dump, r *hlomap.Reduction) bool {
	c := d.CollectiveNamed(r.Collective)
	return c != nil && writtenByUser(evidence.Primitive(c.OpName)) && !evidence.Backward(c.OpName) && !implicitPsum(d, r)
}

// againAt returns what is known of a line, and adds an entry where there is none.
func againAt(found *[]*again, place link.Place, r *hlomap.Reduction) *again {
	for _, a := range *found {
		if a.place.Path == place.Path && a.place.Line == place.Line && slices.Equal(a.reduction.Axes, r.Axes) && a.reduction.Scaling == r.Scaling {
			return a
		}
	}
	a := &again{place: place, reduction: r}
	*found = append(*found, a)
	return a
}

// reductionEvent returns what the source has at the place of a reduction, as the files know it that its frames lead through: which of them
// runs the program is not known.
func reductionEvent(p *analyzers.DumpPass, c *hlomap.Collective, place link.Place) (*flow.Facts, *flow.Event) {
	lines := p.Module.Text(place.Path)
	if p.Facts == nil || lines == nil {
		return nil, nil
	}
	for _, frame := range c.Stack() {
		path, ok := p.Module.Sources.Match(frame.Path)
		if !ok {
			continue
		}
		facts := p.Facts(path)
		if facts == nil {
			continue
		}
		for _, e := range facts.Named("jax.lax.psum", "jax.lax.pmean", "jax.lax.psum_scatter") {
			if at, start, end := e.At.Span(); at == place.Path && lines.Position(start).Line <= place.Line && place.Line <= lines.Position(end).Line && len(gradientsIn(e)) > 0 {
				return facts, e
			}
		}
	}
	return nil, nil
}

// finding is that of the source, where it tells the same. It is none where the source tells that a mean of the loss is taken inside, so that
// another one does no harm, or that SHD205 says it.
func (a *again) finding() (f analyzers.Finding, ok bool) {
	f.Span = analyzers.Span{Path: a.place.Path, Start: a.place.Expression.Start, End: a.place.Expression.End}
	f.Message = a.message()
	if a.reduction.Scaling != hlomap.ScalingNone {
		f.Severity = analyzers.Warning // for certain it does no more than cost an exchange
	}
	if a.event == nil {
		return f, true
	}
	for _, axis := range axesOf(a.event) {
		devices := a.event.Region.AxisSize(axis)
		if r := a.reduction; devices <= 0 && len(r.Axes) == 1 && r.Axes[0] == axis {
			devices = int64(r.GroupSize)
		}
		if s, ok := doubleReductionAt(a.facts, a.event, axis, devices); ok {
			s.Span = spanOf(a.event.At)
			return s, true
		}
		if invaryingOperand(a.event, axis) || lastName(a.event.Name) == "pmean" && slices.ContainsFunc(gradientsIn(a.event), func(g *flow.Array) bool { return reducedInside(g.Grad, axis) }) {
			return analyzers.Finding{}, false
		}
	}
	f.Span = spanOf(a.event.At)
	return f, true
}

func (a *again) message() string {
	r := a.reduction
	over := fmt.Sprintf("%d devices", r.GroupSize)
	if len(r.Axes) > 0 {
		over = strings.Join(r.Axes, ", ")
	}
	outcome := fmt.Sprintf("a psum makes that %d times too large, and a pmean leaves the sum; drop it, or take the mean of the loss inside the differentiated function", r.GroupSize)
	switch r.Scaling {
	case hlomap.ScalingMean:
		outcome = fmt.Sprintf("this mean changes nothing and leaves the sum, %d times the mean unless the loss is averaged over %s itself; "+
			"take the mean of the loss inside the differentiated function instead", r.GroupSize, over)
	case hlomap.ScalingNone:
		outcome = fmt.Sprintf("this sum of %d equal values is %d times too large; drop it", r.GroupSize, r.GroupSize)
	}
	return fmt.Sprintf("the %s %s reduced over %s already, so that all devices hold the same: %s",
		gradientOf(a.parameters), numbered(a.parameters, "is", "are"), over, outcome)
}
