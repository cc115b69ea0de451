package capture

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	deviceCountFlag = "--xla_force_host_platform_device_count"
	defaultDevices  = 8
)

// settings is what the shim is told, in the variable SHARDLS_CAPTURE.
type settings struct {
	Shim        string  `json:"shim"`    // folder of the copy of the shim that this is for; other copies stand aside
	Out         string  `json:"out"`     // where the capture goes, absolute
	Devices     int     `json:"devices"` // simulated devices; 0 with the real ones
	RealDevices bool    `json:"realDevices"`
	Raw         string  `json:"raw"` // folder of the dump that XLA_FLAGS asks for, in case the shim cannot hook in
	Target      *Target `json:"target"`
}

// environment returns the variables of the command and what the user should know about them.
func (o *Options) environment(shim, out string) (env, notes []string, err error) {
	s := settings{Shim: shim, Out: out, RealDevices: o.RealDevices, Target: o.Target}
	get, rest := split(o.Env)
	flags := strings.Fields(get["XLA_FLAGS"])
	if !o.RealDevices {
		s.Devices, flags, notes = o.devices(flags)
	}
	if i := find(flags, "--xla_dump_to"); i >= 0 {
		notes = append(notes, "XLA_FLAGS already has "+flags[i]+": modules over several devices are dumped here instead")
	} else {
		s.Raw = filepath.Join(out, rawFolder)
		flags = append(flags, "--xla_dump_to="+s.Raw, "--xla_dump_hlo_as_text", "--xla_dump_hlo_pass_re="+passes)
	}
	told, err := json.Marshal(s)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the settings: %w", err)
	}
	set := []string{
		"XLA_FLAGS=" + strings.Join(flags, " "),
		"PYTHONPATH=" + joinList(shim, get["PYTHONPATH"]),
		"SHARDLS_CAPTURE=" + string(told),
		"JAX_ENABLE_COMPILATION_CACHE=false", // a cached executable is not compiled, so leaves no dump
	}
	if !o.RealDevices {
		set = append(set, "JAX_PLATFORMS=cpu")
	}
	if o.Target != nil {
		set = append(set, o.Target.env...)
	}
	return append(without(rest, set), set...), notes, nil
}

// devices decides the number of simulated devices: the flag, else what XLA_FLAGS says, else the target's, else 8.
func (o *Options) devices(flags []string) (count int, updated, notes []string) {
	count = o.Devices
	if i := find(flags, deviceCountFlag); i >= 0 {
		_, value, _ := strings.Cut(flags[i], "=")
		given, err := strconv.Atoi(value)
		switch {
		case count == 0 && err == nil:
			return given, flags, nil
		case count != 0 && given != count:
			notes = []string{fmt.Sprintf("--devices %d replaces %s in XLA_FLAGS", count, flags[i])}
		}
		flags = append(append([]string{}, flags[:i]...), flags[i+1:]...)
	}
	if count == 0 && o.Target != nil {
		count = o.Target.Devices
	}
	if count == 0 {
		count = defaultDevices
	}
	return count, append(flags, deviceCountFlag+"="+strconv.Itoa(count)), notes
}

// find returns the index of the last occurrence of a flag, which is the one that XLA obeys, or -1.
func find(flags []string, name string) int {
	for i := len(flags) - 1; i >= 0; i-- {
		if flags[i] == name || strings.HasPrefix(flags[i], name+"=") {
			return i
		}
	}
	return -1
}

func joinList(first, rest string) string {
	if rest == "" {
		return first
	}
	return first + string(filepath.ListSeparator) + rest
}

// split returns the environment as a map and as it came.
func split(env []string) (map[string]string, []string) {
	m := make(map[string]string, len(env))
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		m[name] = value
	}
	return m, env
}

// without drops the entries of env whose variable is in set.
func without(env, set []string) []string {
	taken := map[string]bool{}
	for _, entry := range set {
		name, _, _ := strings.Cut(entry, "=")
		taken[name] = true
	}
	var kept []string
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); !taken[name] {
			kept = append(kept, entry)
		}
	}
	return kept
}
