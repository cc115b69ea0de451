package hlomap

import (
	_ "embed" // for presets.json
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/shardls/shardls/internal/distance"
)

//go:embed presets.json
var presetsJSON []byte

// Hardware is what cost models need of a machine. Rates are in bytes per second, one way.
type Hardware struct {
	Name string `json:"name"` // "h100-sxm", "tpu-v5p"
	Kind string `json:"kind"` // "gpu" or "tpu"
	// Link is the rate of one device into its scale-up domain over all its links (GPU), or of one link of the torus (TPU).
	Link float64 `json:"link"`
	// Domain is how many GPUs a scale-up domain joins; devices are taken to fill domains in the order of their ids.
	Domain int `json:"domain"`
	// Network is the rate of one device between domains or slices, 0 where there is none.
	Network float64 `json:"network"`
	// Memory is the rate of the device's own memory.
	Memory float64 `json:"memory"`
	// TorusDimensions is how many axes the torus of a TPU has. An axis closes to a ring from WrapsFrom chips on, or when its
	// length is a multiple of WrapsMultipleOf.
	TorusDimensions int `json:"torusDimensions"`
	WrapsFrom       int `json:"wrapsFrom"`
	WrapsMultipleOf int `json:"wrapsMultipleOf"`
	// Slice is how many chips the largest slice of a TPU has, all of them joined by one torus.
	Slice int `json:"slice"`
	// DevicesPerChip is how many JAX devices share the links of a chip, 0 for one.
	DevicesPerChip int `json:"devicesPerChip"`
	// XLA holds the constants of XLA's own model for exchanges between domains, nil where it has none.
	XLA *XLAConstants `json:"xla"`
	// Measured are throughputs that were measured within one domain.
	Measured []Measurements `json:"measured"`
	// Devices are the beginnings of the device kinds that JAX reports for it.
	Devices []string `json:"devices"`
}

// presets reads the embedded table once; a test reads it too, so that a build with a broken table does not pass.
var presets = sync.OnceValues(func() ([]Hardware, error) {
	var file struct {
		Hardware []Hardware `json:"hardware"`
	}
	if err := json.Unmarshal(presetsJSON, &file); err != nil {
		return nil, fmt.Errorf("presets.json: %w", err)
	}
	return file.Hardware, nil
})

// Presets returns the machines that are known, in a fixed order.
func Presets() ([]Hardware, error) {
	list, err := presets()
	return slices.Clone(list), err
}

// HardwareNamed returns the preset with the given name.
func HardwareNamed(name string) (*Hardware, error) {
	list, err := presets()
	if err != nil {
		return nil, err
	}
	var names []string
	for k := range list {
		if list[k].Name == name {
			h := list[k]
			return &h, nil
		}
		names = append(names, list[k].Name)
	}
	near := ""
	if like := hardwareLike(name, names); like != "" {
		near = fmt.Sprintf("did you mean %s? ", like)
	}
	return nil, fmt.Errorf("unknown hardware %q: %sknown are %s", name, near, strings.Join(names, ", "))
}

// hardwareLike returns the first of names that is a longer form of name, or that name, which may be a target of capture such as
// "h100:8" or "tpu-v5e:2x4", begins with; else the one that is spelled most like it, "" where none is near.
func hardwareLike(name string, names []string) string {
	chip, _, _ := strings.Cut(strings.ToLower(name), ":")
	for _, n := range names {
		if chip != "" && (strings.Contains(n, chip) || strings.HasPrefix(chip, n)) {
			return n
		}
	}
	best, least := "", len(chip)/3+1
	for _, n := range names {
		if d := distance.Between(chip, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// HardwareOf returns the preset for a device kind as JAX reports it ("TPU v5 lite", "NVIDIA H100 80GB HBM3"), nil when
// none is known. A backend alone ("gpu") does not tell the machine.
func HardwareOf(deviceKind string) *Hardware {
	list, err := presets()
	if err != nil {
		return nil
	}
	var best *Hardware
	longest := 0
	for k := range list {
		for _, d := range list[k].Devices {
			if len(d) > longest && strings.HasPrefix(deviceKind, d) {
				h := list[k]
				best, longest = &h, len(d)
			}
		}
	}
	return best
}

// wraps reports whether an axis of the torus closes to a ring.
func (h *Hardware) wraps(size int) bool {
	if h.WrapsMultipleOf > 0 {
		return size%h.WrapsMultipleOf == 0
	}
	return h.WrapsFrom > 0 && size >= h.WrapsFrom
}
