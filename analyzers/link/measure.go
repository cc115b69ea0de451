package link

import "github.com/shardls/shardls/hlomap"

// Measure joins a profile to one stage of the module. A profile names the instructions of the final module, which is taken from
// the dumps or, where it is not among them, from the profile itself; the collectives of other stages are looked for in it by
// parameter and by line. The measurements of a collective are none where the profile does not tell. The reason says why nothing is
// measured at all.
func (m *Module) Measure(p *hlomap.Profile, d *Dump) (of func(c *hlomap.Collective) []hlomap.Measurement, reason string) {
	final := m.final()
	var module *hlomap.Module
	if final != nil {
		module = final.Module
	}
	id, reason := p.Program(m.Name, module)
	if reason != "" {
		return nil, reason
	}
	measured := func(list []*hlomap.Collective) []hlomap.Measurement {
		var out []hlomap.Measurement
		for _, c := range list {
			if op := p.Measured(m.Name, id, c.Name); op != nil {
				out = append(out, hlomap.Measurement{MeasuredOp: op, Operands: len(c.Operands)})
			}
		}
		return out
	}
	if d == final {
		return func(c *hlomap.Collective) []hlomap.Measurement { return measured([]*hlomap.Collective{c}) }, ""
	}
	var last *hlomap.Attribution
	if final != nil {
		last = final.attribution
	} else if module := p.Final(m.Name, id); module != nil && d.attribution != nil {
		last = hlomap.Attribute(module, m.Meshes)
		if !hlomap.SameProgram(d.attribution, last) {
			return nil, hlomap.OtherCompilation(m.Name)
		}
	}
	if last == nil || d.attribution == nil {
		return nil, "it names the instructions of the final module, which is neither in it nor among the dumps"
	}
	counterparts := hlomap.Counterparts(d.attribution, last)
	return func(c *hlomap.Collective) []hlomap.Measurement { return measured(counterparts[c.ID]) }, ""
}

// final returns the final stage, the target's own where there is one.
func (m *Module) final() *Dump {
	if m.Target != nil {
		return m.Target
	}
	for _, d := range m.Dumps {
		if d.Stage == hlomap.AfterOptimizations {
			return d
		}
	}
	return nil
}
