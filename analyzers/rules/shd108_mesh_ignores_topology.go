package rules

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
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
		if m.Maker != "jax.sharding.Mesh" || d == nil || !d.Plain || d.OfMesh || d.Local || d.CPU || len(d.Ops) > 0 || wideAxes(m) < 2 {
			continue
		}
		if byProcess(m) {
			continue
		}
		out.report(m.At, analyzers.Finding{
			Severity: severity,
			Message: fmt.Sprintf("%s takes jax.devices() in the order of their ids; on TPU jax.make_mesh (or mesh_utils.create_device_mesh) puts neighbors along the axes %s",
				m.Label(), quotes(m.Names())),
			Fixes: makeMeshFix(p.JAX, m),
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
func makeMeshFix(target flow.Release, m *flow.Mesh) []analyzers.Fix {
	r := m.Devices.Reshaped
	if r == nil || !r.At.Valid() || !m.At.Valid() || r.At.File != m.At.File || !flow.Exists("jax.make_mesh", target) || spelling(m.At.File.Syntax, "jax.make_mesh") == "" {
		return nil
	}
	shape := shapeText(r, m.At)
	devices, ok := givenDevices(r)
	names := m.At.File.Syntax.Arguments(m.At.Node)
	if shape == "" || !ok || len(names) < 2 {
		return nil
	}
	at := flow.Ref{File: m.At.File, Node: names[1].Value}
	count := fmt.Sprint(len(m.Axes))
	if handedInWithin(at) {
		if !isKind(at, pyparse.KindIdentifier) {
			return nil
		}
		count = "len(" + at.Text() + ")"
	}
	types := "" // axes are Auto where they have no types yet
	if flow.Exists("jax.sharding.AxisType", target) {
		types = fmt.Sprintf(", axis_types=(%s.Auto,) * %s", spelt(m.At.File, "jax.sharding.AxisType"), count)
	}
	text := fmt.Sprintf("%s(%s, %s%s%s)", spelling(m.At.File.Syntax, "jax.make_mesh"), shape, at.Text(), devices, types)
	return fixOf("Make the mesh with jax.make_mesh", analyzers.Unsafe, replaced(m.At, text))
}

// shapeText is the shape that a reshape gives to devices, as source that means the same at a place; "" where it cannot be read off.
func shapeText(reshape *flow.Event, place flow.Ref) string {
	for _, a := range reshape.Pos {
		sizes, _, ok := flow.Elements(a.Value)
		if !ok {
			sizes = []flow.Value{a.Value}
		}
		for _, v := range sizes {
			if n, known := flow.Integer(v); known && n < 0 {
				return ""
			}
		}
	}
	var parts []string
	for _, a := range shapeArguments(reshape) {
		if a.Name != "" || !readableAt(flow.Ref{File: place.File, Node: a.Value}, place) || !readableAt(flow.Ref{File: place.File, Node: a.Node}, place) {
			return ""
		}
		parts = append(parts, place.File.Syntax.Text(a.Node))
	}
	switch list := strings.Join(parts, ", "); {
	case strings.Contains(list, "-1"):
		return ""
	case len(parts) == 1 && strings.HasPrefix(list, "*"):
		return "tuple(" + list[1:] + ")"
	case len(parts) == 1:
		return list
	case len(parts) > 1:
		return "(" + list + ")"
	}
	return ""
}

// shapeArguments are the arguments of a reshape of devices other than the devices.
func shapeArguments(reshape *flow.Event) []pyparse.Argument {
	args := reshape.At.File.Syntax.Arguments(reshape.At.Node)
	if len(args) > 0 && len(reshape.Pos) > 0 && reshape.Pos[0].At.Node == args[0].Value {
		if _, isDevices := reshape.Pos[0].Value.(*flow.Devices); isDevices {
			return args[1:]
		}
	}
	return args
}

// givenDevices writes the devices that a reshape takes as an argument of make_mesh where callers may choose them, "" where they are those
// of the machine; false where that cannot be told.
func givenDevices(reshape *flow.Event) (text string, ok bool) {
	s := reshape.At.File.Syntax
	given := pyparse.None
	for n := range selfAndBelow(s, reshape.At.Node) {
		at := flow.Ref{File: reshape.At.File, Node: n}
		if !handedIn(at) || slices.ContainsFunc(shapeArguments(reshape), func(a pyparse.Argument) bool { return s.Contains(a.Node, n) }) {
			continue
		}
		if given != pyparse.None || !s.Is(s.Parent(n), pyparse.KindArgumentList) {
			return "", false
		}
		given = n
	}
	if given == pyparse.None {
		return "", true
	}
	return ", devices=" + s.Text(given), true
}
