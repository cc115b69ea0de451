package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd108() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD108", Name: "mesh-ignores-topology", Severity: analyzers.Info, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a mesh of several axes takes the devices in the order of their ids",
		Doc: analyzers.Documentation{
			Finds: "Mesh(...) over a plain reshape of jax.devices() with two or more axes. Files that fake host devices or ask for CPU devices are left alone. " +
				"It is a warning where the file speaks of several processes, a hint otherwise.",
			Matters: "On TPU, devices that follow each other by id are not always neighbors. jax.make_mesh and mesh_utils.create_device_mesh order them by the topology: " +
				"for 17 of 20 shapes on v4 and v5e slices they choose another order than the ids. On CPU and GPU nothing changes.",
			Example: `import jax
import numpy as np
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
`,
			Instead: `import jax
from jax.sharding import AxisType

mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
`,
			FixSafety: "The fix makes the mesh with jax.make_mesh and Auto axes, as Mesh has them. It is unsafe because arrays land on other devices than before.",
			Ignore:    "When the order of the ids is wanted, or the program never runs on TPU.",
		},
		Needles: []string{"Mesh("},
		Check:   checkTopology,
	}
}

func checkTopology(p *analyzers.Pass) {
	source := p.File.Syntax.Source
	for _, fake := range []string{"xla_force_host_platform_device_count", "jax_num_cpu_devices"} {
		if bytes.Contains(source, []byte(fake)) {
			return
		}
	}
	severity := analyzers.Info
	facts := p.Facts()
	if len(facts.Named("jax.process_count", "jax.process_index", "jax.distributed.initialize")) > 0 {
		severity = analyzers.Warning
	}
	out := newOnce(p)
	for _, m := range facts.Meshes {
		d := m.Devices
		if m.Maker != "jax.sharding.Mesh" || d == nil || !d.Plain || d.Local || d.CPU || len(d.Ops) > 0 || wideAxes(m) < 2 {
			continue
		}
		if byProcess(m) {
			continue
		}
		out.report(m.At, analyzers.Finding{
			Severity: severity,
			Message: fmt.Sprintf("%s takes jax.devices() in the order of their ids; on TPU jax.make_mesh (or mesh_utils.create_device_mesh) puts neighbors along the axes %s",
				m.Label(), quotes(m.Names())),
			Fixes: makeMeshFix(m),
		})
	}
}

// byProcess reports whether a dimension of the grid counts processes or the devices of one: then row i is meant to be the
// devices of process i, which make_mesh does not keep.
func byProcess(m *flow.Mesh) bool {
	r := m.Devices.Reshaped
	if r == nil {
		return false
	}
	for _, a := range r.Pos {
		values, _, ok := flow.Elements(a.Value)
		if !ok {
			values = []flow.Value{a.Value}
		}
		for _, v := range values {
			if o, isObject := v.(*flow.Object); isObject {
				local, _ := flow.Truth(orNone(o.Attrs["local"]))
				if strings.HasPrefix(o.Class, "process") || o.Class == "slice count" || local {
					return true
				}
			}
		}
		if a.At.Valid() && mentions(a.At.File.Syntax, a.At.Node, 0, processWord) {
			return true
		}
	}
	return false
}

func processWord(name string) bool {
	return strings.Contains(name, "process_count") || strings.Contains(name, "process_index") || strings.Contains(name, "local_device") || strings.Contains(name, "num_slices") || strings.Contains(name, "num_processes")
}

// wideAxes counts the axes that may have more than one device.
func wideAxes(m *flow.Mesh) int {
	n := 0
	for _, a := range m.Axes {
		if a.Size != 1 {
			n++
		}
	}
	return n
}

// makeMeshFix writes the mesh as a call of make_mesh where the shape can be read off a reshape.
func makeMeshFix(m *flow.Mesh) []analyzers.Fix {
	r := m.Devices.Reshaped
	if r == nil || !r.At.Valid() || !m.At.Valid() || r.At.File != m.At.File || spelling(m.At.File.Syntax, "jax.make_mesh") == "" {
		return nil
	}
	var parts []string
	for _, a := range r.Pos {
		if _, isDevices := a.Value.(*flow.Devices); isDevices {
			continue
		}
		if n, ok := flow.Integer(a.Value); ok && n < 0 || !a.At.Valid() {
			return nil
		}
		parts = append(parts, a.At.Text())
	}
	if len(parts) == 0 || strings.Contains(strings.Join(parts, ","), "-1") {
		return nil
	}
	shape := parts[0]
	if len(parts) > 1 {
		shape = "(" + strings.Join(parts, ", ") + ")"
	}
	names := m.At.File.Syntax.Arguments(m.At.Node)
	if len(names) < 2 {
		return nil
	}
	at := flow.Ref{File: m.At.File, Node: names[1].Value}
	text := fmt.Sprintf("%s(%s, %s, axis_types=(%s,) * %d)", spelling(m.At.File.Syntax, "jax.make_mesh"), shape, at.Text(), spelt(m.At.File, "jax.sharding.AxisType")+".Auto", len(m.Axes))
	return fixOf("Make the mesh with jax.make_mesh", analyzers.Unsafe, replaced(m.At, text))
}
