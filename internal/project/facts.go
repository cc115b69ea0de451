package project

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// interpretation makes the abstract interpretation of a file happen once, when it is first asked for.
func (w *Workspace) interpretation(f *File) func() *flow.Facts {
	return sync.OnceValue(func() *flow.Facts {
		return flow.Interpret(f.Syntax(), flow.Options{Release: f.JAX, Loader: w.Program})
	})
}

// sourceMeshes are the meshes that the programs behind the dumps make, as far as their sources tell. Partition i of a
// module is position i of its mesh, so that the order of devices does not matter here. Where two meshes of the same size
// have different axes nothing tells which of them a module used, and neither is returned.
func (w *Workspace) sourceMeshes(sources *link.Sources) []hlomap.Mesh {
	sizes := map[int]bool{}
	files := map[string]bool{}
	for _, d := range w.Dumps {
		for _, m := range d.Modules {
			sizes[m.Devices()] = true
			for _, c := range m.Collectives() {
				for _, f := range c.Frames {
					if file, ok := sources.Match(f.Path); ok {
						files[file] = true
					}
				}
			}
		}
	}
	bySize := map[int][]hlomap.Mesh{}
	for _, f := range w.Files {
		if !files[filepath.ToSlash(f.Path)] {
			continue
		}
		for _, m := range f.Facts().Meshes {
			for size := range sizes {
				if mesh, ok := sized(m, size); ok {
					bySize[size] = appendMesh(bySize[size], mesh)
				}
			}
		}
	}
	var out []hlomap.Mesh
	for _, meshes := range bySize {
		if len(meshes) == 1 {
			out = append(out, meshes...)
		}
	}
	return out
}

// sized turns a mesh of a program into one of a given number of devices; one axis of unknown size takes what is left.
func sized(m *flow.Mesh, devices int) (hlomap.Mesh, bool) {
	if !m.Known || m.Empty || len(m.Axes) == 0 || devices < 1 {
		return hlomap.Mesh{}, false
	}
	out := hlomap.Mesh{Source: "python"}
	product, open := int64(1), -1
	for i, a := range m.Axes {
		size := m.Size(a.Name)
		switch {
		case size > 0 && size <= int64(devices):
			product *= size
		case size > 0 || open >= 0:
			return out, false
		default:
			open = i
		}
		if product > int64(devices) {
			return out, false
		}
		out.Axes = append(out.Axes, hlomap.MeshAxis{Name: a.Name, Size: int(size)})
	}
	if open >= 0 {
		if int64(devices)%product != 0 {
			return out, false
		}
		out.Axes[open].Size = int(int64(devices) / product)
		product = int64(devices)
	}
	return out, product == int64(devices)
}

func appendMesh(meshes []hlomap.Mesh, mesh hlomap.Mesh) []hlomap.Mesh {
	for _, m := range meshes {
		if meshText(m) == meshText(mesh) {
			return meshes
		}
	}
	return append(meshes, mesh)
}

func meshText(m hlomap.Mesh) string {
	parts := make([]string, len(m.Axes))
	for i, a := range m.Axes {
		parts[i] = fmt.Sprintf("%s=%d", a.Name, a.Size)
	}
	return strings.Join(parts, ",")
}
