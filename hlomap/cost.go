package hlomap

import "math"

// Estimate is an estimated time with everything it rests on. No number stands without its model, formula and inputs.
type Estimate struct {
	Seconds  float64
	Model    string // "ring", "ring-across-domains", "ring-bidirectional", "line", "shift"
	Hardware string // name of the preset
	Formula  string // in the names of the inputs
	Inputs   map[string]float64
}

// Transfer is what a cost model needs to know of one execution of a collective.
type Transfer struct {
	Opcode string // "all-reduce"
	// Bytes is S: the bytes of one device, of the operands or, for all-gather, of the results.
	Bytes int64
	// Groups are the devices that exchange with each other; nil for shifts.
	Groups [][]int
	// AxisSizes are the sizes of the mesh axes that a group spans, when they are known; TPU models take each for an axis of
	// the torus.
	AxisSizes []int
	// Steps and Size describe a shift: how far along an axis of how many devices.
	Steps, Size int
}

// Assumptions are what a model takes for granted.
type Assumptions struct {
	// Efficiency is the part of the nominal rate that large messages reach, 0 < e ≤ 1.
	Efficiency float64
	// Hop and FarHop are the latencies of one step within and between scale-up domains; Launch is that of the operation.
	// In seconds.
	Hop, FarHop, Launch float64
	// Wraps overrides whether the axes of a torus close to rings; nil lets the hardware decide by size.
	Wraps *bool
}

// Typical returns what is assumed without better knowledge: 85 % of the nominal rate, 1 µs a hop in the domain, 15 µs
// between domains, and 5 µs to launch on a GPU.
func (h *Hardware) Typical() Assumptions {
	a := Assumptions{Efficiency: 0.85, Hop: 1e-6}
	if h.Kind == "gpu" {
		a.FarHop, a.Launch = 15e-6, 5e-6
	}
	return a
}

// Ideal returns the assumptions of a lower bound: the nominal rate and no latency.
func (h *Hardware) Ideal() Assumptions { return Assumptions{Efficiency: 1} }

// TransferOf returns one execution of a collective for a cost model; ok is false where its bytes or its groups are
// unknown. The mesh, which may be nil, gives the sizes of the axes.
func TransferOf(c *Collective, mesh *Mesh) (Transfer, bool) {
	if c.BytesPerExecution == nil || c.GroupsTooLarge {
		return Transfer{}, false
	}
	t := Transfer{Opcode: c.Opcode, Bytes: *c.BytesPerExecution, Groups: c.ReplicaGroups}
	if mesh != nil {
		for _, name := range c.Axes {
			if k := mesh.axis(name); k >= 0 {
				t.AxisSizes = append(t.AxisSizes, mesh.Axes[k].Size)
			} else {
				t.AxisSizes = nil
				break
			}
		}
	}
	if c.SourceTargetPairs == nil {
		return t, len(c.ReplicaGroups) > 0
	}
	t.Steps, t.Size = 1, 2
	if mesh != nil {
		if s, ok := mesh.ShiftOfPairs(c.SourceTargetPairs); ok {
			t.Steps, t.Size = max(s.Steps, -s.Steps), mesh.Axes[mesh.axis(s.Axis)].Size
		}
	}
	return t, true
}

// Estimate estimates the time of one execution; ok is false where no model applies.
func (h *Hardware) Estimate(t Transfer, a Assumptions) (e Estimate, ok bool) {
	if a.Efficiency <= 0 || h.Link <= 0 || t.Bytes < 0 {
		return Estimate{}, false
	}
	e = Estimate{Hardware: h.Name, Inputs: map[string]float64{"S": float64(t.Bytes), "efficiency": a.Efficiency}}
	if t.Opcode == "ragged-all-to-all" {
		return Estimate{}, false // how much is sent is data
	}
	if h.Kind == "tpu" {
		return e, h.torus(&e, t, a)
	}
	return e, h.rings(&e, t, a)
}

// rounds returns how often a ring passes the whole array around: twice for an all-reduce (reduce-scatter, all-gather).
func rounds(opcode string) (float64, bool) {
	switch opcode {
	case "all-reduce":
		return 2, true
	case "all-gather", "reduce-scatter", "all-to-all":
		return 1, true
	}
	return 0, false
}

// rings is the usual model of latency and bandwidth for GPUs: a ring in the domain and, where a group spans several, a
// ring between them over the share of each device.
func (h *Hardware) rings(e *Estimate, t Transfer, a Assumptions) bool {
	in := e.Inputs
	in["launch"] = a.Launch
	s := float64(t.Bytes)
	if t.Opcode == "collective-permute" || t.Opcode == "collective-broadcast" {
		in["B"], in["hop"] = h.Link, a.Hop
		e.Model, e.Formula = "shift", "launch + hop + S/(B*efficiency)"
		e.Seconds = a.Launch + a.Hop + s/(h.Link*a.Efficiency)
		return true
	}
	r, ok := rounds(t.Opcode)
	if !ok || len(t.Groups) == 0 {
		return false
	}
	near, domains := h.spread(t.Groups)
	in["rounds"], in["n"] = r, float64(near)
	in["B"], in["hop"] = h.Link, a.Hop
	n := float64(near)
	e.Seconds = a.Launch + r*((n-1)*a.Hop+(n-1)/n*s/(h.Link*a.Efficiency))
	e.Model, e.Formula = "ring", "launch + rounds*((n-1)*hop + (n-1)/n*S/(B*efficiency))"
	if domains == 1 {
		return true
	}
	if h.Network <= 0 {
		return false
	}
	m := float64(domains)
	in["m"], in["network"], in["farHop"] = m, h.Network, a.FarHop
	e.Seconds += r * ((m-1)*a.FarHop + (m-1)/m*(s/n)/(h.Network*a.Efficiency))
	e.Model = "ring-across-domains"
	e.Formula += " + rounds*((m-1)*farHop + (m-1)/m*(S/n)/(network*efficiency))"
	return true
}

// spread returns how many members of a group share a domain, at most, and over how many domains a group spreads.
func (h *Hardware) spread(groups [][]int) (near, domains int) {
	near, domains = 1, 1
	if h.Domain <= 0 {
		return len(groups[0]), 1
	}
	for _, g := range groups {
		in := map[int]int{}
		for _, d := range g {
			in[d/h.Domain]++
			near = max(near, in[d/h.Domain])
		}
		domains = max(domains, len(in))
	}
	return near, domains
}

// torus is the model of the scaling book for TPUs: an array of V bytes passes along k axes of the torus in both directions
// at once, W = 2·link each; short arrays take a hop's latency for half of each axis. An axis that does not close to a
// ring passes everything one way from one end to the other.
func (h *Hardware) torus(e *Estimate, t Transfer, a Assumptions) bool {
	link := h.Link
	if h.DevicesPerChip > 1 {
		link /= float64(h.DevicesPerChip)
	}
	in := e.Inputs
	in["link"], in["hop"] = link, a.Hop
	s := float64(t.Bytes)
	if t.Opcode == "collective-permute" {
		steps := min(t.Steps, max(t.Size-t.Steps, 1))
		in["steps"] = float64(steps)
		e.Model, e.Formula = "shift", "max(hop*steps, S*steps/(link*efficiency))"
		e.Seconds = math.Max(a.Hop*float64(steps), s*float64(steps)/(link*a.Efficiency))
		return true
	}
	r, ok := rounds(t.Opcode)
	if !ok || len(t.Groups) == 0 {
		return false
	}
	sizes := t.AxisSizes
	if len(sizes) == 0 {
		sizes = []int{len(t.Groups[0])}
	}
	hops, ring := 0.0, true
	for _, x := range sizes {
		closes := h.wraps(x)
		if a.Wraps != nil {
			closes = *a.Wraps
		}
		ring = ring && (closes || x <= 2)
		hops += float64(x)
	}
	k := float64(max(1, min(len(sizes), h.TorusDimensions)))
	in["rounds"], in["k"], in["X"] = r, k, hops
	if ring && len(sizes) > 0 && hops > 2 {
		in["share"] = share(t.Opcode, 4)
		e.Model, e.Formula = "ring-bidirectional", "rounds*max(hop*X/2, share*S/(2*link*k*efficiency))"
		e.Seconds = r * math.Max(a.Hop*hops/2, in["share"]*s/(2*link*k*a.Efficiency))
		return true
	}
	n := float64(len(t.Groups[0]))
	in["n"], in["share"] = n, share(t.Opcode, 2)
	e.Model, e.Formula = "line", "rounds*max(hop*(X-k), share*(n-1)/n*S/(link*k*efficiency))"
	e.Seconds = r * math.Max(a.Hop*(hops-float64(len(sizes))), in["share"]*(n-1)/n*s/(link*k*a.Efficiency))
	return true
}

// share returns the part of an all-gather's time that an exchange takes: an all-to-all sends each piece only as far as it
// must go, a quarter of the way on average around a ring in both directions, half of it along a line.
func share(opcode string, parts float64) float64 {
	if opcode == "all-to-all" {
		return 1 / parts
	}
	return 1
}
