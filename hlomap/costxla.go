package hlomap

import "math"

// XLAConstants are those of XLA's speed-of-light model (xla/service/gpu/model/sol_gpu_cost_model.cc, 2026-08), in seconds and
// bytes per second.
type XLAConstants struct {
	Launch    float64 `json:"launch"`
	Network   float64 `json:"network"`
	Chunk     float64 `json:"chunk"` // to prepare one chunk of 4 MiB
	RoundTrip float64 `json:"roundTrip"`
}

// Measurements are the throughputs of one opcode over groups of one size: pairs of bytes and bytes per second.
type Measurements struct {
	Opcode  string       `json:"opcode"`
	Devices int          `json:"devices"`
	Points  [][2]float64 `json:"points"`
}

// xlaChunk is the size of the chunks that XLA's model takes messages apart into, in bytes.
const xlaChunk = 4 << 20

// EstimateByXLA returns what XLA's own model for its scheduler says of an exchange between domains, for comparison; ok is
// false for exchanges within one domain and for hardware that the model has no constants for.
func (h *Hardware) EstimateByXLA(t Transfer) (e Estimate, ok bool) {
	r, known := rounds(t.Opcode)
	if h.XLA == nil || !known || t.Opcode == "all-to-all" || len(t.Groups) == 0 || t.Bytes < 0 {
		return Estimate{}, false
	}
	near, domains := h.spread(t.Groups)
	if domains < 2 {
		return Estimate{}, false
	}
	n := float64(len(t.Groups[0]))
	m := float64(t.Bytes) / n
	x := h.XLA
	step := m/x.Network*1.025 + math.Ceil(m/xlaChunk)*x.Chunk + x.RoundTrip
	return Estimate{
		Seconds:  step*(n-1)/float64(near)*r + x.Launch,
		Model:    "xla-speed-of-light",
		Hardware: h.Name,
		Formula:  "(S/n/network*1.025 + ceil(S/n/4194304)*chunk + roundTrip)*(n-1)/perDomain*rounds + launch",
		Inputs: map[string]float64{"S": float64(t.Bytes), "n": n, "perDomain": float64(near), "rounds": r, "network": x.Network,
			"chunk": x.Chunk, "roundTrip": x.RoundTrip, "launch": x.Launch},
	}, true
}

// EstimateByTable returns the time by measured throughputs, between two of the measured sizes; ok is false outside of them,
// and for opcodes and group sizes that were not measured.
func (h *Hardware) EstimateByTable(t Transfer) (e Estimate, ok bool) {
	if len(t.Groups) == 0 {
		return Estimate{}, false
	}
	if _, domains := h.spread(t.Groups); domains > 1 {
		return Estimate{}, false
	}
	s := float64(t.Bytes)
	for _, m := range h.Measured {
		if m.Opcode != t.Opcode || m.Devices != len(t.Groups[0]) {
			continue
		}
		for k := 1; k < len(m.Points); k++ {
			low, high := m.Points[k-1], m.Points[k]
			if s < low[0] || s > high[0] {
				continue
			}
			part := math.Log(s/low[0]) / math.Log(high[0]/low[0])
			rate := low[1] * math.Pow(high[1]/low[1], part)
			return Estimate{Seconds: s / rate, Model: "measured", Hardware: h.Name, Formula: "S/rate",
				Inputs: map[string]float64{"S": s, "rate": rate}}, true
		}
	}
	return Estimate{}, false
}
