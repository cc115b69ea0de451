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

// differing is the parameters that one line updates differently on devices that share them.
type differing struct {
	place      link.Place
	reason     string
	parameters []string
	related    []analyzers.Related
}

// checkDifferingUpdates reports the parameters of which devices that should hold the same values compute different ones.
func checkDifferingUpdates(p *analyzers.DumpPass) {
	for _, u := range differingUpdates(p) {
		f := analyzers.Finding{
			Span: analyzers.Span{Path: u.place.Path, Start: u.place.Expression.Start, End: u.place.Expression.End},
			Message: fmt.Sprintf("%s: %s; take jax.lax.pmean of the %s before the update",
				grouped(u.parameters), u.reason, numbered(u.parameters, "gradient", "gradients")),
			Evidence: analyzers.FromHLO, Confidence: analyzers.Certain, Related: u.related, HLO: hloFacts(p.Module, p.Module.Deciding, u.place),
		}
		f.Fixes = reductionsAt(p, u.place)
		p.Report(f)
	}
}

// differingUpdates lists them by the line of the update and the reason, in the order of the module.
func differingUpdates(p *analyzers.DumpPass) []*differing {
	m := p.Module
	gradients := m.Deciding.Gradients()
	if gradients == nil {
		return nil
	}
	var suspects []*hlomap.ParameterGradient
	for i := range gradients.Parameters {
		if g := &gradients.Parameters[i]; forgotten(m.Deciding, g) {
			suspects = append(suspects, g)
		}
	}
	if slices.ContainsFunc(suspects, func(g *hlomap.ParameterGradient) bool { return g.Status != hlomap.StatusMissing }) && p.Skip != nil {
		p.Skip("whether a gradient has to be reduced takes the module before partitioning too, which tells what the step returns")
	}
	var found []*differing
	for _, g := range suspects {
		made := madeBy(m.Deciding, g.Output)
		if made == hlomap.NoInstr || g.Status != hlomap.StatusMissing {
			continue
		}
		place, ok := m.Locate(m.Deciding.Module.Frames(made), evidence.Primitive(m.Deciding.Module.OpName(made)))
		if !ok {
			continue
		}
		u := updateAt(&found, place, g.Reason)
		u.parameters = append(u.parameters, g.Parameter)
		u.related = append(u.related, relatedInstruction(m.Deciding, m.Deciding.Module.Line(made),
			fmt.Sprintf("%s makes the new value of %s", m.Deciding.Module.InstrName(made), g.Parameter)))
	}
	return found
}

// updateAt returns what is known of the updates of a line, and adds an empty entry where there is none.
func updateAt(found *[]*differing, place link.Place, reason string) *differing {
	for _, u := range *found {
		if u.place.Path == place.Path && u.place.Line == place.Line && u.reason == reason {
			return u
		}
	}
	u := &differing{place: place, reason: reason}
	*found = append(*found, u)
	return u
}

// forgotten reports whether all devices share a parameter, compute different new values of it, and would also do so if every reduction that
// goes into the new value took effect.
func forgotten(d *link.Dump, g *hlomap.ParameterGradient) bool {
	if !g.Differs || !g.Renewed || g.Shape == nil || !slices.Equal(g.Shape, g.DeviceShape) {
		return false
	}
	together := 1
	seen := map[string]bool{}
	for i := range g.Reductions {
		r := &g.Reductions[i]
		axes := strings.Join(r.Axes, ",")
		if axes == "" || r.GroupSize < 1 {
			return false // over an unknown set of devices
		}
		if !seen[axes] {
			seen[axes] = true
			together *= r.GroupSize
		}
	}
	return together < d.Module.Devices()
}

// madeBy returns the operation that makes a leaf of a module's result: of one that a loop carries, the operation in its body.
func madeBy(d *link.Dump, path []int) hlomap.InstrID {
	g := evidence.Graph{M: d.Module}
	v := evidence.Value{Instr: d.Module.Root(d.Module.Entry()), Path: path}
	for range maxLoops {
		v = g.SourceOf(v, nil)
		if v.Instr == hlomap.NoInstr || g.Op(v.Instr) != hlomap.OpWhile || g.BodyRoot(v.Instr) == hlomap.NoInstr {
			break
		}
		v.Instr = g.BodyRoot(v.Instr)
	}
	return v.Instr
}

// maxLoops bounds the loops in loops that an update is looked for in.
const maxLoops = 16

// reductionsAt takes the means of the gradients of a line's updates, where the source tells where they are made.
func reductionsAt(p *analyzers.DumpPass, place link.Place) []analyzers.Fix {
	if p.Facts == nil {
		return nil
	}
	facts, lines := p.Facts(place.Path), p.Module.Text(place.Path)
	if facts == nil || lines == nil {
		return nil
	}
	for _, m := range facts.Manuals {
		for _, run := range m.Calls {
			for _, u := range unreducedUpdates(facts, m, run) {
				if path, start, _ := u.update.Event.At.Span(); m.Checked == flow.No && path == place.Path && lines.Position(start).Line == place.Line {
					return reduceGradient(facts, u.update.Grad, u.axis)
				}
			}
		}
	}
	return nil
}
