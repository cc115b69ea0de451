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

// interpretation makes the abstract interpretation of a file when it is asked for: once, except where keeping it has no use.
func (w *Workspace) interpretation(f *File) func() *flow.Facts {
	interpret := func() *flow.Facts {
		return flow.Interpret(f.Syntax(), flow.Options{Release: f.JAX, Loader: w.Program, Words: w.words})
	}
	if w.options.Once && len(w.Dumps) == 0 {
		return interpret // the facts of a large workspace would fill the memory
	}
	return sync.OnceValue(interpret)
}

// sourceMeshes are the meshes that the programs behind the dumps make, as far as their sources tell. Partition i of a
// module is position i of its mesh, so that the order of devices does not matter here. Where two meshes of the same size
// have different axes nothing tells which of them a module used, and neither is returned.
func (w *Workspace) sourceMeshes(sources *link.Sources) []hlomap.Mesh {
	sizes := map[int]bool{}
	var programs []func() *flow.Facts
	seen := map[string]bool{}
	for _, d := range w.Dumps {
		for _, m := range d.Modules {
			sizes[m.Devices()] = true
		}
		for _, frame := range d.framePaths {
			if facts := w.programOf(sources, d.Path, frame, seen); facts != nil {
				programs = append(programs, facts)
			}
		}
	}
	bySize := map[int][]hlomap.Mesh{}
	for _, facts := range programs {
		for _, m := range facts().Meshes {
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

// programOf finds the source that a path of a dump means: in the workspace, else at that very path, else beside the dump,
// where people and tools keep a program with what it compiled to. Each is returned once.
func (w *Workspace) programOf(sources *link.Sources, dump, frame string, seen map[string]bool) func() *flow.Facts {
	if file, ok := sources.Match(frame); ok {
		f := w.File(filepath.FromSlash(file))
		if f == nil || seen[file] {
			return nil
		}
		seen[file] = true
		return f.Facts
	}
	for _, path := range [...]string{filepath.FromSlash(frame), filepath.Join(filepath.Dir(dump), filepath.Base(filepath.FromSlash(frame)))} {
		if !filepath.IsAbs(path) || filepath.Ext(path) != ".py" || !w.shared.folders.there(path) {
			continue
		}
		if seen[path] {
			return nil
		}
		seen[path] = true
		content, _, err := w.options.Cache.read(path)
		if err != nil {
			continue
		}
		return func() *flow.Facts {
			return flow.Interpret(w.options.Cache.parse(&w.shared.parsers, path, content), flow.Options{Release: newestRelease(), Loader: w.Program})
		}
	}
	return nil
}

// installed reports whether a path lies where packages are installed: no program of the user's.
func installed(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/site-packages/") || strings.Contains(path, "/dist-packages/") || strings.Contains(path, "/lib/python")
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
