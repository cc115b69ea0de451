package capture

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestEnvironmentKeepsTheUsersFlags(t *testing.T) {
	const count = deviceCountFlag + "="
	tests := []struct {
		name  string
		opts  Options
		flags string // of the user
		want  []string
		notes int
	}{
		{"default", Options{}, "", []string{count + "8"}, 0},
		{"other flags stay", Options{Devices: 4}, "--xla_a --xla_b=1", []string{"--xla_a", "--xla_b=1", count + "4"}, 0},
		{"the user's count", Options{}, count + "16 --xla_a", []string{count + "16", "--xla_a"}, 0},
		{"--devices over the user's count", Options{Devices: 4}, count + "16 --xla_a", []string{"--xla_a", count + "4"}, 1},
		{"the target's count", Options{Target: &Target{Devices: 32}}, "", []string{count + "32"}, 0},
		{"real devices", Options{RealDevices: true}, "--xla_a", []string{"--xla_a"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Env = []string{"HOME=/h", "XLA_FLAGS=" + tt.flags, "PYTHONPATH=/mine"}
			env, notes, err := tt.opts.environment("/shim", "/out")
			if err != nil {
				t.Fatal(err)
			}
			vars, _ := split(env)
			var flags []string
			for _, f := range strings.Fields(vars["XLA_FLAGS"]) {
				if !strings.HasPrefix(f, "--xla_dump_") {
					flags = append(flags, f)
				}
			}
			if !reflect.DeepEqual(flags, tt.want) || len(notes) != tt.notes {
				t.Errorf("flags = %q, notes = %q; want %q, %d notes", flags, notes, tt.want, tt.notes)
			}
			if vars["PYTHONPATH"] != "/shim:/mine" || vars["HOME"] != "/h" {
				t.Errorf("environment = %q", env)
			}
			if simulated := vars["JAX_PLATFORMS"] == "cpu"; simulated == tt.opts.RealDevices {
				t.Errorf("JAX_PLATFORMS = %q", vars["JAX_PLATFORMS"])
			}
			names := map[string]bool{}
			for _, entry := range env {
				name, _, _ := strings.Cut(entry, "=")
				if names[name] {
					t.Errorf("%s is set twice", name)
				}
				names[name] = true
			}
		})
	}
}

// TestUsersOwnDump: a dump that the user asked for keeps its folder.
func TestUsersOwnDump(t *testing.T) {
	o := Options{Env: []string{"XLA_FLAGS=--xla_dump_to=/mine"}}
	env, notes, err := o.environment("/shim", "/out")
	if err != nil {
		t.Fatal(err)
	}
	vars, _ := split(env)
	if strings.Count(vars["XLA_FLAGS"], "--xla_dump_to") != 1 || !strings.Contains(vars["XLA_FLAGS"], "--xla_dump_to=/mine") {
		t.Errorf("XLA_FLAGS = %q", vars["XLA_FLAGS"])
	}
	var s settings
	if err := json.Unmarshal([]byte(vars["SHARDLS_CAPTURE"]), &s); err != nil || s.Raw != "" || s.Out != "/out" {
		t.Errorf("settings = %+v, %v", s, err)
	}
	if len(notes) != 1 {
		t.Errorf("notes = %q", notes)
	}
}

func TestParseTarget(t *testing.T) {
	good := map[string]struct {
		platform, topology string
		devices            int
		variable           string
	}{
		"tpu-v5e:2x4":   {"tpu", "v5e:2x4", 8, "TPU_ACCELERATOR_TYPE=v5litepod-8"},
		"tpu-v5p:2x2x2": {"tpu", "v5p:2x2x2", 8, "TPU_ACCELERATOR_TYPE=v5p-16"},
		"tpu-v4:2x2x1":  {"tpu", "v4:2x2x1", 4, "TPU_ACCELERATOR_TYPE=v4-8"},
		"tpu-v6e:4x4":   {"tpu", "v6e:4x4", 16, "TPU_ACCELERATOR_TYPE=v6e-16"},
		"h100:16":       {"cuda", "", 16, "JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1"},
	}
	for name, want := range good {
		target, err := ParseTarget(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if target.Platform != want.platform || target.Topology != want.topology || target.Devices != want.devices {
			t.Errorf("%s: %+v", name, target)
		}
		if !strings.Contains(strings.Join(target.env, " "), want.variable) {
			t.Errorf("%s: environment %q lacks %s", name, target.env, want.variable)
		}
	}
	for _, name := range []string{"", "tpu", "tpu-v5e", "tpu-v5e:0x4", "tpu-v5e:2x4x1x1", "tpu-v5e:99999x99999", "h100", "h100:0", "h100:99999999999999999999", "a100:8"} {
		if target, err := ParseTarget(name); err == nil {
			t.Errorf("%q: %+v, want an error", name, target)
		}
	}
}
