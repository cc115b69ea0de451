package hlomap_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
)

func groupOf(n int) [][]int {
	g := make([]int, n)
	for k := range g {
		g[k] = k
	}
	return [][]int{g}
}

// TestWorkedCosts asserts exact arithmetic: nominal rates, no latency.
func TestWorkedCosts(t *testing.T) {
	closed, open := true, false
	for _, c := range []struct {
		name     string
		hardware string
		transfer hlomap.Transfer
		wraps    *bool
		micros   float64
		model    string
	}{
		{"all-reduce of bf16[4096,4096] by 8", "h100-sxm", hlomap.Transfer{Opcode: "all-reduce", Bytes: 33554432, Groups: groupOf(8)}, nil, 130.489, "ring"},
		{"all-reduce of 1 GiB by 8", "h100-sxm", hlomap.Transfer{Opcode: "all-reduce", Bytes: 1 << 30, Groups: groupOf(8)}, nil, 4175.66, "ring"},
		{"all-gather of 1 GiB by 8", "h100-sxm", hlomap.Transfer{Opcode: "all-gather", Bytes: 1 << 30, Groups: groupOf(8)}, nil, 2087.83, "ring"},
		{"all-gather of bf16[2048,8192] around a ring of 4", "tpu-v5e", hlomap.Transfer{Opcode: "all-gather", Bytes: 33554432, Groups: groupOf(4), AxisSizes: []int{4}}, &closed, 372.83, "ring-bidirectional"},
		{"the same along a line", "tpu-v5e", hlomap.Transfer{Opcode: "all-gather", Bytes: 33554432, Groups: groupOf(4), AxisSizes: []int{4}}, &open, 559.24, "line"},
		{"and by size", "tpu-v5e", hlomap.Transfer{Opcode: "all-gather", Bytes: 33554432, Groups: groupOf(4)}, nil, 559.24, "line"},
		{"all-gather of 2·1024·4096/4 bytes over one axis", "tpu-v4", hlomap.Transfer{Opcode: "all-gather", Bytes: 2 * 1024 * 4096 / 4, Groups: groupOf(4), AxisSizes: []int{4}}, nil, 23.30, "ring-bidirectional"},
	} {
		h, err := hlomap.HardwareNamed(c.hardware)
		if err != nil {
			t.Fatal(err)
		}
		a := h.Ideal()
		a.Wraps = c.wraps
		e, ok := h.Estimate(c.transfer, a)
		if !ok || math.Abs(e.Seconds*1e6-c.micros) > 0.006 || e.Model != c.model {
			t.Errorf("%s: %.3f µs by %s (%v), want %.3f by %s", c.name, e.Seconds*1e6, e.Model, ok, c.micros, c.model)
		}
		for _, word := range strings.FieldsFunc(e.Formula, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }) {
			if _, known := e.Inputs[word]; !known && word != "max" {
				t.Errorf("%s: %q of the formula %q is no input", c.name, word, e.Formula)
			}
		}
	}
}

// TestLatencyBound: on a v5e, an array shorter than 45 kB a hop takes the time of the hops.
func TestLatencyBound(t *testing.T) {
	h, err := hlomap.HardwareNamed("tpu-v5e")
	if err != nil {
		t.Fatal(err)
	}
	a := h.Ideal()
	a.Hop = 1e-6
	at := func(bytes int64) float64 {
		e, _ := h.Estimate(hlomap.Transfer{Opcode: "collective-permute", Bytes: bytes, Steps: 1, Size: 8, Open: true}, a)
		return e.Seconds
	}
	if at(1) != 1e-6 || math.Abs(at(45000)-1e-6) > 1e-15 || at(90000) <= 1.9e-6 {
		t.Errorf("1 B: %g s, 45 kB: %g s, 90 kB: %g s", at(1), at(45000), at(90000))
	}
}

// TestWorkedByHand: what the models are built of, worked out beside them. GPUs fill hosts of eight; a v5e closes axes of 16, a v5p those of
// multiples of 4.
func TestWorkedByHand(t *testing.T) {
	const s = 1 << 30
	pair := func(from, to int) [][2]int { return [][2]int{{from, to}, {to, from}} }
	for _, c := range []struct {
		name, hardware string
		transfer       hlomap.Transfer
		seconds        float64 // nominal rates, no latency; negative where nothing is known
	}{
		{"permute within a host", "h100-sxm", hlomap.Transfer{Opcode: "collective-permute", Bytes: s, Pairs: pair(0, 7)}, s / 450e9},
		{"permute between hosts", "h100-sxm", hlomap.Transfer{Opcode: "collective-permute", Bytes: s, Pairs: pair(7, 8)}, s / 50e9},
		{"broadcast between hosts", "h100-sxm", hlomap.Transfer{Opcode: "collective-broadcast", Bytes: s, Groups: [][]int{{0, 8}}}, s / 50e9},
		{"reduce-scatter within a host", "h100-sxm", hlomap.Transfer{Opcode: "reduce-scatter", Bytes: s, Groups: groupOf(8)}, 7. / 8 * s / 450e9},
		{"all-reduce of two hosts", "h100-sxm", hlomap.Transfer{Opcode: "all-reduce", Bytes: s, Groups: groupOf(16)}, 2 * (7./8*s/450e9 + 1./2*s/8/50e9)},
		{"all-to-all of two hosts", "h100-sxm", hlomap.Transfer{Opcode: "all-to-all", Bytes: s, Groups: groupOf(16)}, 7./16*s/450e9 + 1./2*s/50e9},
		{"nothing", "h100-sxm", hlomap.Transfer{Opcode: "all-reduce", Bytes: 0, Groups: groupOf(8)}, 0},
		{"a device alone", "h100-sxm", hlomap.Transfer{Opcode: "all-reduce", Bytes: s, Groups: [][]int{{0}, {1}}}, 0},
		{"a device alone", "tpu-v5p", hlomap.Transfer{Opcode: "all-reduce", Bytes: s, Groups: [][]int{{0}, {1}}}, 0},
		{"all-reduce of a ring", "tpu-v5p", hlomap.Transfer{Opcode: "all-reduce", Bytes: s, Groups: groupOf(8), AxisSizes: []int{8}}, 2 * s / 180e9},
		{"all-to-all of a ring", "tpu-v5p", hlomap.Transfer{Opcode: "all-to-all", Bytes: s, Groups: groupOf(8), AxisSizes: []int{8}}, s / 180e9 / 4},
		{"all-gather of two rings", "tpu-v5p", hlomap.Transfer{Opcode: "all-gather", Bytes: s, Groups: groupOf(32), AxisSizes: []int{4, 8}}, s / 360e9},
		{"all-gather of a square of four", "tpu-v5p", hlomap.Transfer{Opcode: "all-gather", Bytes: s, Groups: groupOf(4), AxisSizes: []int{2, 2}}, 3. / 4 * s / 180e9},
		{"all-gather of a part of an axis", "tpu-v5p", hlomap.Transfer{Opcode: "all-gather", Bytes: s, Groups: groupOf(4), AxisSizes: []int{4}, Part: true}, 3. / 4 * s / 90e9},
		{"two steps along a ring", "tpu-v5p", hlomap.Transfer{Opcode: "collective-permute", Bytes: s, Pairs: pair(0, 2), Steps: 2, Size: 8}, 2 * s / 90e9},
		{"devices that follow no axis", "tpu-v5p", hlomap.Transfer{Opcode: "all-gather", Bytes: s, Groups: [][]int{{0, 5}}, Unmapped: true}, -1},
		{"two slices", "tpu-v5e", hlomap.Transfer{Opcode: "all-reduce", Bytes: s, Groups: [][]int{{0, 256}}}, -1},
		{"permute between slices", "tpu-v5e", hlomap.Transfer{Opcode: "collective-permute", Bytes: s, Pairs: pair(255, 256), Steps: 1, Size: 2}, -1},
		{"pieces of any size", "h100-sxm", hlomap.Transfer{Opcode: "ragged-all-to-all", Bytes: s, Groups: groupOf(8)}, -1},
	} {
		h, err := hlomap.HardwareNamed(c.hardware)
		if err != nil {
			t.Fatal(err)
		}
		e, ok := h.Estimate(c.transfer, h.Ideal())
		if ok != (c.seconds >= 0) || ok && math.Abs(e.Seconds-c.seconds) > 1e-12 {
			t.Errorf("%s on %s: %g s (%v) by %s, want %g", c.name, c.hardware, e.Seconds, ok, e.Formula, c.seconds)
		}
	}
}

// TestWrapAround: along an axis of a v5e that does not close, what wraps around goes back the whole way.
func TestWrapAround(t *testing.T) {
	h, err := hlomap.HardwareNamed("tpu-v5e")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		size  int
		open  bool
		links float64
	}{{8, true, 1}, {8, false, 7}, {16, false, 1}, {2, false, 1}} {
		e, ok := h.Estimate(hlomap.Transfer{Opcode: "collective-permute", Bytes: 1, Steps: 1, Size: c.size, Open: c.open}, h.Typical())
		if !ok || math.Abs(e.Seconds-c.links*1e-6) > 1e-12 {
			t.Errorf("one step along an axis of %d, open %v: %g s (%v), want %g links", c.size, c.open, e.Seconds, ok, c.links)
		}
	}
}

// TestTransferOf: sizes are those of the mesh whose axes a collective names.
func TestTransferOf(t *testing.T) {
	one, two := mesh("data", 8), mesh("data", 4, "model", 2)
	bytes := int64(8)
	groups := func(axes []string, groups string) *hlomap.Collective {
		return &hlomap.Collective{Opcode: "all-reduce", BytesPerExecution: &bytes, Axes: axes, ReplicaGroups: expand(t, groups)}
	}
	for _, c := range []struct {
		axes     []string
		groups   string
		meshes   []hlomap.Mesh
		want     []int
		part     bool
		unmapped bool
	}{
		{[]string{"data"}, "[2,4]<=[4,2]T(1,0)", []hlomap.Mesh{one, two}, []int{4}, false, false},
		{[]string{"data", "model"}, "[1,8]<=[8]", []hlomap.Mesh{one, two}, []int{4, 2}, false, false},
		{[]string{"data:(2)4"}, "[2,4]<=[8]", []hlomap.Mesh{one}, []int{4}, true, false},
		{[]string{"data:(1)4"}, "[2,4]<=[4,2]T(1,0)", []hlomap.Mesh{one}, nil, false, true}, // two groups take turns on the links
		{nil, "{{0,5},{1,4},{2,7},{3,6}}", []hlomap.Mesh{one}, nil, false, true},
		{nil, "[2,4]<=[8]", nil, nil, false, false},
	} {
		got, ok := hlomap.TransferOf(groups(c.axes, c.groups), c.meshes)
		if !ok || !slices.Equal(got.AxisSizes, c.want) || got.Part != c.part || got.Unmapped != c.unmapped {
			t.Errorf("%v over %v: %+v", c.groups, c.axes, got)
		}
	}
	permute := func(pairs [][2]int, meshes ...hlomap.Mesh) hlomap.Transfer {
		got, _ := hlomap.TransferOf(&hlomap.Collective{Opcode: "collective-permute", BytesPerExecution: &bytes, SourceTargetPairs: pairs}, meshes)
		return got
	}
	if got := permute([][2]int{{0, 2}, {2, 4}, {4, 6}}, one, two); got.Steps != 2 || got.Size != 8 || !got.Open {
		t.Errorf("along data of the first mesh: %+v", got)
	}
	if got := permute([][2]int{{0, 1}, {1, 0}}); got.Steps != 1 || got.Size != 2 || got.Open {
		t.Errorf("without a mesh: %+v", got)
	}
	if got := permute([][2]int{{0, 3}, {1, 2}}, two); !got.Unmapped {
		t.Errorf("along no axis: %+v", got)
	}
}

// TestGroupsAcrossDomains: the same number of devices costs more when it spreads over domains.
func TestGroupsAcrossDomains(t *testing.T) {
	h, err := hlomap.HardwareNamed("h100-sxm")
	if err != nil {
		t.Fatal(err)
	}
	near, _ := h.Estimate(hlomap.Transfer{Opcode: "all-reduce", Bytes: 1 << 28, Groups: [][]int{{0, 1}, {8, 9}}}, h.Typical())
	far, ok := h.Estimate(hlomap.Transfer{Opcode: "all-reduce", Bytes: 1 << 28, Groups: [][]int{{0, 8}, {1, 9}}}, h.Typical())
	if !ok || far.Model != "ring-across-domains" || far.Seconds < 5*near.Seconds {
		t.Errorf("near %g s, far %g s by %s", near.Seconds, far.Seconds, far.Model)
	}
}

func TestHardwareOf(t *testing.T) {
	for kind, want := range map[string]string{
		"TPU v5 lite": "tpu-v5e", "TPU v5": "tpu-v5p", "TPU v5p": "tpu-v5p", "TPU v6 lite": "tpu-v6e", "TPU v4": "tpu-v4", "TPU7x": "tpu-7x",
		"NVIDIA H100 80GB HBM3": "h100-sxm", "NVIDIA A100-SXM4-40GB": "a100-sxm", "NVIDIA H100 PCIe": "", "cpu": "", "gpu": "",
	} {
		got := ""
		if h := hlomap.HardwareOf(kind); h != nil {
			got = h.Name
		}
		if got != want {
			t.Errorf("%s is taken for %q, want %q", kind, got, want)
		}
	}
	list, err := hlomap.Presets()
	if err != nil || len(list) < 12 {
		t.Fatalf("%d presets: %v", len(list), err)
	}
	for _, h := range list {
		if h.Link <= 0 || h.Memory <= 0 || (h.Kind == "gpu") == (h.Domain == 0) || (h.Kind == "tpu") == (h.TorusDimensions == 0) {
			t.Errorf("%s is incomplete: %+v", h.Name, h)
		}
	}
	if _, err := hlomap.HardwareNamed("abacus"); err == nil || !strings.Contains(err.Error(), "h100-sxm") {
		t.Errorf("unknown hardware: %v", err)
	}
	for name, want := range map[string]string{"h100": "h100-sxm", "h100:8": "h100-sxm", "V5P": "tpu-v5p", "tpu-v5e:2x4": "tpu-v5e"} {
		if _, err := hlomap.HardwareNamed(name); err == nil || !strings.Contains(err.Error(), "did you mean "+want+"?") {
			t.Errorf("%s: %v, want a hint at %s", name, err, want)
		}
	}
}

// TestOtherModels: XLA's model between two hosts of eight H100, and its table of measurements within one.
func TestOtherModels(t *testing.T) {
	h, err := hlomap.HardwareNamed("h100-sxm")
	if err != nil {
		t.Fatal(err)
	}
	for opcode, micros := range map[string]float64{"all-gather": 5441.80, "all-reduce": 10838.59} {
		e, ok := h.EstimateByXLA(hlomap.Transfer{Opcode: opcode, Bytes: 1 << 30, Groups: groupOf(16)})
		if !ok || math.Abs(e.Seconds*1e6-micros) > 0.02 {
			t.Errorf("%s of 1 GiB by 16: %.2f µs (%v), want %.2f", opcode, e.Seconds*1e6, ok, micros)
		}
	}
	if _, ok := h.EstimateByXLA(hlomap.Transfer{Opcode: "all-gather", Bytes: 1 << 30, Groups: groupOf(8)}); ok {
		t.Error("XLA's model for hosts is applied within one")
	}
	e, ok := h.EstimateByTable(hlomap.Transfer{Opcode: "all-reduce", Bytes: 1 << 30, Groups: groupOf(8)})
	if !ok || math.Abs(e.Seconds*1e6-4720.99) > 0.01 {
		t.Errorf("all-reduce of 1 GiB by 8: %.2f µs (%v), want 4720.99", e.Seconds*1e6, ok)
	}
	between, ok := h.EstimateByTable(hlomap.Transfer{Opcode: "all-reduce", Bytes: 1 << 26, Groups: groupOf(8)})
	if rate := between.Inputs["rate"]; !ok || rate < 115.48e9 || rate > 212.67e9 {
		t.Errorf("all-reduce of 64 MiB at %g B/s (%v)", rate, ok)
	}
	for _, bad := range []hlomap.Transfer{
		{Opcode: "all-reduce", Bytes: 1 << 10, Groups: groupOf(8)},
		{Opcode: "all-reduce", Bytes: 1 << 26, Groups: groupOf(2)},
		{Opcode: "all-reduce", Bytes: 1 << 26, Groups: [][]int{{0, 8, 16, 24}}},
	} {
		if e, ok := h.EstimateByTable(bad); ok {
			t.Errorf("%+v was not measured: %+v", bad, e)
		}
	}
}
