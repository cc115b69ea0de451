package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd706() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD706", Name: "devices-vs-local-devices", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "global and local devices are mixed up in a program for several processes",
		Doc: analyzers.Documentation{
			Finds: "In a program for several processes: one device picked from jax.devices() by a constant index for device_put, SingleDeviceSharding or the default device, " +
				"and a mesh of jax.local_devices() where the program makes no other mesh.",
			Matters: "jax.devices()[0] belongs to process 0. device_put to it does not raise elsewhere, but the result cannot be read there. " +
				"On a mesh of local devices each process trains alone: two processes print the means 1.0 and 2.0 of what should be one batch.",
			Example: `import jax
import numpy as np

jax.distributed.initialize()
stats = jax.device_put(np.zeros(3, np.float32), jax.devices()[0])
`,
			Instead: `import jax
import numpy as np

jax.distributed.initialize()
stats = jax.device_put(np.zeros(3, np.float32), jax.local_devices()[0])
`,
			FixSafety: "The fix names the other list of devices. It is unsafe because arrays move to other devices.",
			Ignore:    "When the code runs on process 0 only, or a mesh for each process is meant.",
		},
		Needles: processNeedles(),
		Check:   checkDeviceLists,
	}
}

func checkDeviceLists(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	if !manyProcesses(facts) {
		return
	}
	for _, e := range facts.Events {
		var arg *flow.Arg
		switch e.Name {
		case "jax.device_put":
			arg = e.Arg(1, "device")
		case "jax.sharding.SingleDeviceSharding", "jax.default_device":
			arg = e.Arg(0, "device")
		case "jax.config.update":
			if name, ok := flow.String(e.Value(0)); ok && name == "jax_default_device" {
				arg = e.Arg(1, "val")
			}
		}
		if arg == nil || e.Region.Find(flow.DivergentRegion, flow.SingleRegion) != nil || !processAware(facts, e.At.File) {
			continue
		}
		if d, ok := arg.Value.(*flow.Devices); ok && d.One && !d.Local && !d.CPU && d.Base == "jax.devices()" && len(d.Ops) == 1 && d.Ops[0] != "[?]" {
			out.report(e.At, foreignDevice(arg, d))
		}
	}
	checkLocalMeshes(facts, out)
}

// processAware reports whether a file asks for processes itself, or the program starts several: a library that merely is used by
// such code may serve programs of one process as well.
func processAware(facts *flow.Facts, file *flow.File) bool {
	for _, e := range facts.Named("jax.process_index", "jax.process_count") {
		if e.At.File == file {
			return true
		}
	}
	return len(facts.Named("jax.distributed.initialize")) > 0
}

func foreignDevice(arg *flow.Arg, d *flow.Devices) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("jax.devices()%s belongs to one process, and the others can't read what is placed there; write jax.local_devices()%s", d.Ops[0], d.Ops[0])}
	if arg.At.Contains(d.At) {
		f.Fixes = otherList(d.At, "jax.local_devices")
	}
	return f
}

// checkLocalMeshes reports the meshes of local devices, unless the program has one of all devices as well.
func checkLocalMeshes(facts *flow.Facts, out *once) {
	var local []*flow.Mesh
	for _, m := range facts.Meshes {
		switch {
		case m.Abstract || m.Empty || m.Maker == "":
		case m.Devices != nil && m.Devices.Local && strings.Contains(m.Devices.Base, "jax.local_devices()"):
			local = append(local, m)
		default:
			return
		}
	}
	for _, m := range local {
		if !dividesWork(facts, m.At) && !slices.ContainsFunc(facts.Placements, func(p *flow.Placement) bool { return p.Mesh == m && dividesWork(facts, p.Event.At) }) {
			continue // each process may be meant to work alone
		}
		f := analyzers.Finding{Message: fmt.Sprintf("a mesh of jax.local_devices() spans one process only, so each process computes alone on %s; use jax.devices()", m.Label())}
		if m.At.Contains(m.Devices.At) {
			f.Fixes = otherList(m.Devices.At, "jax.devices")
		}
		out.report(m.At, f)
	}
}

// dividesWork reports whether the code around a place, its class or else its function, asks for the number of processes.
func dividesWork(facts *flow.Facts, at flow.Ref) bool {
	if !at.Valid() {
		return false
	}
	s := at.File.Syntax
	around := s.EnclosingClass(at.Node)
	if around == pyparse.None {
		around = s.EnclosingFunction(at.Node)
	}
	for _, e := range facts.Named("jax.process_count") {
		if e.At.File == at.File && (around == pyparse.None || s.Contains(around, e.At.Node)) {
			return true
		}
	}
	return false
}

// otherList is the fix that calls another function for a list of devices.
func otherList(call flow.Ref, name string) []analyzers.Fix {
	if !isKind(call, pyparse.KindCall) {
		return nil
	}
	fn := flow.Ref{File: call.File, Node: call.File.Syntax.Child(call.Node, pyparse.FieldFunction)}
	return fixOf("Use "+name+"()", analyzers.Unsafe, replaced(fn, spelt(call.File, name)))
}
