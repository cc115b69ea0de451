package link

import (
	"bytes"
	"slices"
	"sort"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/hlomap"
)

// maxMeshAxes bounds the axes of one mesh. Real meshes have at most six.
const maxMeshAxes = 8

// interpreter finds the meshes that sources make. Files are interpreted when asked for, each once.
type interpreter struct {
	program *flow.Program
	found   map[string][]hlomap.Mesh
}

// meshes lists the meshes whose axis names are known in the files that a module's frames name, and in the files that make
// meshes otherwise. Sizes that the source does not tell are 0.
func (in *interpreter) meshes(paths []string) []hlomap.Mesh {
	if in.program == nil {
		return nil
	}
	var list []hlomap.Mesh
	for _, path := range paths {
		list = append(list, in.of(path)...)
	}
	if len(list) > 0 {
		return list
	}
	all := make([]string, 0, len(in.program.Files))
	for path := range in.program.Files {
		all = append(all, path)
	}
	sort.Strings(all)
	for _, path := range all {
		list = append(list, in.of(path)...)
	}
	return list
}

func (in *interpreter) of(path string) []hlomap.Mesh {
	if list, ok := in.found[path]; ok {
		return list
	}
	in.found[path] = nil
	file := in.program.Files[path]
	if file == nil || file.Syntax == nil || !bytes.Contains(bytes.ToLower(file.Syntax.Source), []byte("mesh")) {
		return nil
	}
	facts := flow.Interpret(file.Syntax, flow.Options{Loader: in.program})
	var list []hlomap.Mesh
	for _, m := range facts.Meshes {
		if !m.Known || m.Empty || len(m.Axes) == 0 || len(m.Axes) > maxMeshAxes {
			continue
		}
		mesh := hlomap.Mesh{Source: "python"}
		for _, a := range m.Axes {
			mesh.Axes = append(mesh.Axes, hlomap.MeshAxis{Name: a.Name, Size: int(max(0, min(a.Size, maxDevices)))})
		}
		list = append(list, mesh)
	}
	in.found[path] = list
	return list
}

// sized fills in the one size that a mesh leaves open from the number of devices; false when the mesh can't have so many.
func sized(mesh hlomap.Mesh, partitions int) (hlomap.Mesh, bool) {
	open, product := -1, 1
	for k, a := range mesh.Axes {
		switch {
		case a.Size > 0 && product <= maxDevices/a.Size:
			product *= a.Size
		case a.Size <= 0 && open < 0:
			open = k
		default:
			return mesh, false
		}
	}
	if open < 0 {
		return mesh, product == partitions
	}
	if partitions < 1 || partitions%product != 0 {
		return mesh, false
	}
	mesh.Axes = slices.Clone(mesh.Axes)
	mesh.Axes[open].Size = partitions / product
	return mesh, true
}

// unambiguous drops the meshes that have the sizes of another under other names: groups of devices can't tell them apart.
func unambiguous(list []hlomap.Mesh) []hlomap.Mesh {
	var kept []hlomap.Mesh
	for i := range list {
		alone := true
		for j := range list {
			alone = alone && (i == j || !sameSizes(&list[i], &list[j]) || known(list[j:j+1], &list[i]))
		}
		if alone {
			kept = append(kept, list[i])
		}
	}
	return kept
}

func sameSizes(a, b *hlomap.Mesh) bool {
	return slices.EqualFunc(a.Axes, b.Axes, func(x, y hlomap.MeshAxis) bool { return x.Size == y.Size })
}
