package capture

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Target is a slice of accelerators that need not be there: XLA compiles for its topology ahead of time.
type Target struct {
	Name     string            `json:"name"`     // as the user wrote it
	Platform string            `json:"platform"` // JAX's name: "tpu" or "cuda"
	Topology string            `json:"topology"` // for TPU: v5e:2x4
	Options  map[string]string `json:"options"`  // more keyword arguments of get_topology_desc
	Flags    map[string]any    `json:"flags"`    // XLA's debug options for the compilation
	Extra    string            `json:"extra"`    // the extra of the jax package that brings the compiler
	Devices  int               `json:"-"`
	env      []string
}

var (
	tpuTarget = regexp.MustCompile(`^tpu-(v[0-9]+[a-z]*):([0-9]+(?:x[0-9]+){0,2})$`)
	gpuTarget = regexp.MustCompile(`^h100:([0-9]+)$`)
)

// maxDevices bounds a target: no slice is larger, and the simulated devices of the host are threads.
const maxDevices = 4096

// Targets lists some targets, as their names are completed and shown.
func Targets() []string { return []string{"tpu-v5e:2x4", "tpu-v5p:2x2x2", "h100:8"} }

// ParseTarget reads "tpu-v5e:2x4", "tpu-v5p:2x2x2" or "h100:8".
func ParseTarget(text string) (*Target, error) {
	if m := tpuTarget.FindStringSubmatch(text); m != nil {
		return tpu(text, m[1], m[2])
	}
	if m := gpuTarget.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > maxDevices {
			return nil, fmt.Errorf("target %q: want 1 to %d devices", text, maxDevices)
		}
		return &Target{
			Name: text, Platform: "cuda", Devices: n, Extra: "cuda12",
			Options: map[string]string{"target_config": h100, "topology": "1x1x" + strconv.Itoa(n)},
			// Autotuning would need the device.
			Flags: map[string]any{"xla_gpu_autotune_level": 0},
			// From 0.6 on, JAX registers no CUDA platform on a machine without a GPU unless told to.
			env: []string{"JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1"},
		}, nil
	}
	return nil, fmt.Errorf("target %q: want a form like tpu-v5e:2x4, tpu-v5p:2x2x2 or h100:8", text)
}

func tpu(text, kind, shape string) (*Target, error) {
	chips := 1
	for _, side := range strings.Split(shape, "x") {
		n, err := strconv.Atoi(side)
		if err != nil || n < 1 || n > maxDevices || chips*n > maxDevices {
			return nil, fmt.Errorf("target %q: want 1 to %d chips", text, maxDevices)
		}
		chips *= n
	}
	return &Target{
		Name: text, Platform: "tpu", Topology: kind + ":" + shape, Devices: chips, Extra: "tpu",
		env: []string{
			"TPU_SKIP_MDS_QUERY=1", // there is no metadata server to ask
			"TPU_ACCELERATOR_TYPE=" + acceleratorType(kind, chips),
			"TPU_WORKER_HOSTNAMES=localhost",
			"ALLOW_MULTIPLE_LIBTPU_LOAD=1",
			"TPU_STDERR_LOG_LEVEL=0",
			"TPU_MIN_LOG_LEVEL=1",
		},
	}, nil
}

// acceleratorType is the slice's name in Google Cloud, which counts cores where a chip has two that act as one device.
func acceleratorType(kind string, chips int) string {
	switch kind {
	case "v5e":
		return fmt.Sprintf("v5litepod-%d", chips)
	case "v4", "v5p":
		return fmt.Sprintf("%s-%d", kind, 2*chips)
	}
	return fmt.Sprintf("%s-%d", kind, chips)
}

// h100 describes an NVIDIA H100 SXM as xla.gpu.GpuTargetConfig text, with the figures of its data sheet.
const h100 = `
platform_name: "CUDA"
device_description_str: "NVIDIA H100 80GB HBM3"
dnn_version_info { major: 9 minor: 8 patch: 0 }
gpu_device_info {
  cuda_compute_capability { major: 9 }
  core_count: 132
  threads_per_core_limit: 2048
  threads_per_block_limit: 1024
  threads_per_warp: 32
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
  shared_memory_per_core: 233472
  shared_memory_per_block: 49152
  shared_memory_per_block_optin: 232448
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  fpus_per_core: 128
  clock_rate_ghz: 1.98
  l2_cache_size: 52428800
  memory_bandwidth: 3352320000000
  device_memory_size: 84942979072
}
`
