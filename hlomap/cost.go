package hlomap

import (
	"math"
	"slices"
	"strings"
)

// Estimate is an estimated time with everything it rests on. No number stands without its model, formula and inputs.
type Estimate struct {
	Seconds  float64
	Model    string // "ring", "ring-across-domains", "ring-bidirectional", "line", "shift", "shift-across-domains"
	Hardware string // name of the preset
	Formula  string // in the names of the inputs
	Inputs   map[string]float64
}

// Transfer is what a cost model needs to know of one execution of a collective.
type Transfer struct {
	Opcode string // "all-reduce"
	// Bytes is S: the bytes of one device, of the operands or, for all-gather, of the results.
	Bytes int64
	// Groups are the devices that exchange with each other; nil for permutes.
	Groups [][]int
	// AxisSizes are the sizes of the mesh axes that a group spans, when they are known; TPU models take each for an axis of
	// the torus.
	AxisSizes []int
	// Part says that one of the axes is a part of a mesh axis, which never closes to a ring.
	Part bool
	// Unmapped says that groups or pairs follow no axes of a mesh that is known: no torus model applies.
	Unmapped bool
	// Pairs are the sources and targets of a permute. Steps and Size say how far it moves data along an axis of how many devices, and
	// Open that no pair wraps around.
	Pairs       [][2]int
	Steps, Size int
	Open        bool
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
// unknown. The meshes, best first, give the sizes of the axes.
func TransferOf(c *Collective, meshes []Mesh) (t Transfer, ok bool) {
	if c.BytesPerExecution == nil || c.GroupsTooLarge {
		return Transfer{}, false
	}
	t = Transfer{Opcode: c.Opcode, Bytes: *c.BytesPerExecution, Groups: c.ReplicaGroups, Pairs: c.SourceTargetPairs}
	if c.SourceTargetPairs != nil {
		t.shiftOver(meshes)
		return t, len(t.Pairs) > 0
	}
	if len(c.ReplicaGroups) == 0 {
		return t, false
	}
	t.Unmapped = len(meshes) > 0
	for m := range meshes {
		sizes, part, ok := meshes[m].axisSizes(c.Axes)
		devices := 1
		for _, n := range sizes {
			devices *= n
		}
		if ok && devices == len(c.ReplicaGroups[0]) {
			t.AxisSizes, t.Part, t.Unmapped = sizes, part, false
			break
		}
	}
	return t, true
}

// shiftOver finds the shift that a permute makes over one of the meshes or, where none is known, over all devices in a row.
func (t *Transfer) shiftOver(meshes []Mesh) {
	if len(meshes) == 0 {
		meshes = []Mesh{{Axes: []MeshAxis{{Size: t.devices()}}}}
	}
	for m := range meshes {
		if s, ok := meshes[m].ShiftOfPairs(t.Pairs); ok {
			t.Steps, t.Size, t.Open = max(s.Steps, -s.Steps), meshes[m].Axes[max(meshes[m].axis(s.Axis), 0)].Size, s.Open
			return
		}
	}
	t.Unmapped = true
}

// devices is the number of devices up to the last that takes part in a permute.
func (t *Transfer) devices() int {
	last := -1
	for _, p := range t.Pairs {
		last = max(last, p[0], p[1])
	}
	return last + 1
}

// axisSizes returns how many devices of each axis a group spans, as [Mesh.AxesOfGroups] names them. Groups that take turns along an axis
// share its links; they have no answer.
func (m *Mesh) axisSizes(names []string) (sizes []int, part, ok bool) {
	for _, name := range names {
		if k := m.axis(name); k >= 0 {
			sizes = append(sizes, m.Axes[k].Size)
			continue
		}
		at := strings.LastIndex(name, ":(")
		if at < 0 {
			return nil, false, false
		}
		before, size, _ := strings.Cut(name[at+2:], ")")
		k, pre, n := m.axis(name[:at]), atoi(before, 0), atoi(size, 0)
		if k < 0 || pre*n != m.Axes[k].Size {
			return nil, false, false
		}
		sizes, part = append(sizes, n), true
	}
	return sizes, part, names != nil
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
		return h.shift(e, t, a)
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
	if t.Opcode == "all-to-all" { // every device sends its own pieces to the other domains
		e.Model = "ring-across-domains"
		e.Formula = "launch + (n-1)*hop + (n-1)/(n*m)*S/(B*efficiency) + (m-1)*farHop + (m-1)/m*S/(network*efficiency)"
		e.Seconds = a.Launch + (n-1)*a.Hop + (n-1)/(n*m)*s/(h.Link*a.Efficiency) + (m-1)*a.FarHop + (m-1)/m*s/(h.Network*a.Efficiency)
		delete(in, "rounds")
		return true
	}
	e.Seconds += r * ((m-1)*a.FarHop + (m-1)/m*(s/n)/(h.Network*a.Efficiency))
	e.Model = "ring-across-domains"
	e.Formula += " + rounds*((m-1)*farHop + (m-1)/m*(S/n)/(network*efficiency))"
	return true
}

// shift is the model of what goes from one device to another: over the network where one pair is in different domains.
func (h *Hardware) shift(e *Estimate, t Transfer, a Assumptions) bool {
	s, in := float64(t.Bytes), e.Inputs
	far := slices.ContainsFunc(t.Pairs, func(p [2]int) bool { return h.Domain > 0 && p[0]/h.Domain != p[1]/h.Domain })
	if len(t.Groups) > 0 {
		_, domains := h.spread(t.Groups)
		far = far || domains > 1
	}
	if far {
		in["network"], in["farHop"] = h.Network, a.FarHop
		e.Model, e.Formula = "shift-across-domains", "launch + farHop + S/(network*efficiency)"
		e.Seconds = a.Launch + a.FarHop + s/(h.Network*a.Efficiency)
		return h.Network > 0
	}
	in["B"], in["hop"] = h.Link, a.Hop
	e.Model, e.Formula = "shift", "launch + hop + S/(B*efficiency)"
	e.Seconds = a.Launch + a.Hop + s/(h.Link*a.Efficiency)
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
// ring passes everything one way from one end to the other. What follows no axes, and what leaves a slice, has no model.
func (h *Hardware) torus(e *Estimate, t Transfer, a Assumptions) bool {
	link := h.Link
	if h.DevicesPerChip > 1 {
		link /= float64(h.DevicesPerChip)
	}
	in := e.Inputs
	in["link"], in["hop"] = link, a.Hop
	if t.Unmapped || h.leavesSlice(t) {
		return false
	}
	s := float64(t.Bytes)
	if t.Opcode == "collective-permute" {
		far, steps := h.hops(t, a)
		in["steps"], in["far"] = float64(steps), float64(far)
		e.Model, e.Formula = "shift", "max(hop*far, S*steps/(link*efficiency))"
		e.Seconds = math.Max(a.Hop*float64(far), s*float64(steps)/(link*a.Efficiency))
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
		ring = ring && h.closes(x, t, a)
		hops += float64(x)
	}
	k := float64(max(1, min(len(sizes), h.TorusDimensions)))
	in["rounds"], in["k"], in["X"] = r, k, hops
	if ring {
		in["share"] = share(t.Opcode, 4)
		e.Model, e.Formula = "ring-bidirectional", "rounds*max(hop*X/2, share*S/(2*link*k*efficiency))"
		e.Seconds = r * math.Max(a.Hop*hops/2, in["share"]*s/(2*link*k*a.Efficiency))
		return true
	}
	n := float64(len(t.Groups[0]))
	in["n"], in["axes"], in["share"] = n, float64(len(sizes)), share(t.Opcode, 2)
	e.Model, e.Formula = "line", "rounds*max(hop*(X-axes), share*(n-1)/n*S/(link*k*efficiency))"
	e.Seconds = r * math.Max(a.Hop*(hops-float64(len(sizes))), in["share"]*(n-1)/n*s/(link*k*a.Efficiency))
	return true
}

// closes reports whether an axis of x devices is a ring of links.
func (h *Hardware) closes(x int, t Transfer, a Assumptions) bool {
	switch {
	case t.Part || x <= 2: // two chips have the one link between them
		return false
	case a.Wraps != nil:
		return *a.Wraps
	}
	return h.wraps(x)
}

// hops returns how many links the farthest pair of a shift is apart, and how many times the array one link carries one way.
// Where an axis does not close, the pairs that wrap around go back the whole way.
func (h *Hardware) hops(t Transfer, a Assumptions) (far, steps int) {
	steps = min(t.Steps, max(t.Size-t.Steps, 1))
	if t.Open || h.closes(t.Size, t, a) {
		return steps, steps
	}
	return max(steps, t.Size-steps), steps
}

// leavesSlice reports whether devices exchange that no single slice holds. Slices are taken to be filled in the order of the ids.
func (h *Hardware) leavesSlice(t Transfer) bool {
	devices := h.Slice * max(h.DevicesPerChip, 1)
	if devices == 0 {
		return false
	}
	for _, g := range t.Groups {
		for _, d := range g {
			if d/devices != g[0]/devices {
				return true
			}
		}
	}
	return slices.ContainsFunc(t.Pairs, func(p [2]int) bool { return p[0]/devices != p[1]/devices })
}

// share returns the part of an all-gather's time that an exchange takes: an all-to-all sends each piece only as far as it
// must go, a quarter of the way on average around a ring in both directions, half of it along a line.
func share(opcode string, parts float64) float64 {
	if opcode == "all-to-all" {
		return 1 / parts
	}
	return 1
}
