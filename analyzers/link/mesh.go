package link

import (
	"slices"
	"strconv"

	"github.com/shardls/shardls/hlomap"
)

// compute fills in what the rules need of a dump.
func (d *Dump) compute(m *Module) {
	if d.Module == nil {
		return
	}
	var before *hlomap.Module
	if m.Before != nil && m.Before != d {
		before = m.Before.Module
	}
	d.attribution = hlomap.AttributeAfter(before, d.Module, m.Meshes)
	d.Collectives = d.attribution.Collectives()
}

// meshesFor lists the meshes whose names may be used for a module, the best first: those of the dump itself, those of its
// capture, those of configuration and sources, each only if it has as many devices as the module has partitions.
func meshesFor(m *Module, opts Options) []hlomap.Mesh {
	var all []hlomap.Mesh
	for _, d := range m.Dumps {
		if d.Module != nil {
			// A mesh that is only inferred has no names to print.
			d.Meshes = slices.DeleteFunc(d.Module.Meshes(), func(mesh hlomap.Mesh) bool { return mesh.Source == "inferred" })
			all = append(all, d.Meshes...)
		}
	}
	for _, c := range m.captures() {
		all = append(all, c.Meshes...)
	}
	all = append(all, opts.Meshes...)
	partitions := m.Partitions()
	var fitting []hlomap.Mesh
	for _, mesh := range all {
		if devices(&mesh) == partitions && !known(fitting, &mesh) {
			fitting = append(fitting, mesh)
		}
	}
	return fitting
}

// Partitions returns the number of partitions the module was compiled for, 0 when no dump says.
func (m *Module) Partitions() int {
	for _, d := range m.Dumps {
		if d.Module == nil {
			continue
		}
		if text, ok := d.Module.Attr("num_partitions"); ok {
			if n, err := strconv.Atoi(text); err == nil {
				return n
			}
		}
	}
	return 0
}

// Mesh returns the mesh whose axes name the module's groups and shardings, nil when none is known.
func (m *Module) Mesh() *hlomap.Mesh {
	if len(m.Meshes) == 0 {
		return nil
	}
	return &m.Meshes[0]
}

func devices(mesh *hlomap.Mesh) int {
	n := 1
	for _, a := range mesh.Axes {
		if a.Size <= 0 || n > maxDevices/a.Size {
			return -1
		}
		n *= a.Size
	}
	return n
}

// known reports whether a mesh is listed. One of the same axes over devices in another order is another mesh.
func known(list []hlomap.Mesh, mesh *hlomap.Mesh) bool {
	return slices.ContainsFunc(list, func(m hlomap.Mesh) bool {
		return slices.Equal(m.Axes, mesh.Axes) && slices.Equal(m.DeviceIDs, mesh.DeviceIDs)
	})
}
