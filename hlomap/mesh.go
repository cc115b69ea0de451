package hlomap

import (
	"slices"
	"strconv"
	"strings"
)

// Meshes returns the meshes that a module itself tells of, the most trusted first: those that Shardy left in it before
// partitioning (xla.sdy.meshes, JAX ≥ 0.6), those that shardings or groups name with names of their own, and last, where
// there is none of these, the coarsest mesh whose axes explain all groups and shardings. Its Source is "inferred" and its
// axes are called "inferred0", "inferred1" and so on, because nothing in the module names them.
func (m *Module) Meshes() []Mesh {
	devices := m.Devices()
	var out []Mesh
	add := func(mesh *Mesh) {
		if mesh.Devices() != devices || !mesh.namesAxes() || slices.ContainsFunc(out, func(o Mesh) bool { return sameMesh(&o, mesh) }) {
			return
		}
		out = append(out, *mesh)
	}
	attributes, _ := m.Attr("frontend_attributes")
	for _, mesh := range parseSdyMeshes(attributes) {
		add(&mesh)
	}
	shardings := m.parameterShardings()
	for _, s := range shardings {
		if s.mesh != nil {
			add(s.mesh)
		}
	}
	for _, list := range m.collectiveList().groups {
		text, ok := m.InstrAttr(list.first, "replica_groups")
		if !ok || !strings.HasPrefix(text, "mesh[") {
			continue
		}
		if mesh, _, ok := cutMesh(text); ok {
			add(mesh)
		}
	}
	if len(out) == 0 {
		if mesh, ok := inferMesh(devices, m.collectiveList().groups, shardings); ok {
			out = append(out, mesh)
		}
	}
	return out
}

func sameMesh(a, b *Mesh) bool {
	return slices.Equal(a.Axes, b.Axes) && slices.Equal(a.DeviceIDs, b.DeviceIDs)
}

// parseSdyMeshes reads `{xla.sdy.meshes={mesh = #sdy.mesh<["data"=4, "model"=2], device_ids=[0, 2, …]>}}`.
func parseSdyMeshes(attributes string) []Mesh {
	var out []Mesh
	for k, part := range strings.Split(attributes, "#sdy.mesh<[") {
		list, rest, ok := strings.Cut(part, "]")
		if k == 0 || !ok {
			continue
		}
		mesh := Mesh{Source: "hlo"}
		total := 1
		for axis := range strings.SplitSeq(strings.ReplaceAll(list, `\`, ""), ",") {
			name, size, _ := strings.Cut(strings.TrimSpace(axis), "=")
			n, err := strconv.Atoi(size)
			if err != nil || n <= 0 || total > maxGroupIDs/n {
				mesh.Axes = nil
				break
			}
			total *= n
			mesh.Axes = append(mesh.Axes, MeshAxis{Name: strings.Trim(name, `"`), Size: n})
		}
		if ids, found := strings.CutPrefix(rest, ", device_ids=["); found {
			ids, _, _ = strings.Cut(ids, "]")
			if mesh.DeviceIDs, ok = parseInts(ids); !ok || len(mesh.DeviceIDs) != total {
				continue
			}
		}
		if len(mesh.Axes) > 0 {
			out = append(out, mesh)
		}
	}
	return out
}

// parameterShardings returns the different shardings of the arguments.
func (m *Module) parameterShardings() []*Sharding {
	var out []*Sharding
	for _, text := range m.entryArguments().shardings {
		for _, part := range splitShardings(text) {
			if s, ok := parseSharding(part); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// inferMesh finds the coarsest mesh in row-major order whose axes explain groups and shardings: their borders are where
// any of them begins or ends to repeat. There is none when those borders do not divide each other.
func inferMesh(devices int, lists []groupList, shardings []*Sharding) (Mesh, bool) {
	if devices < 2 || devices > maxGroupIDs {
		return Mesh{}, false
	}
	whole := Mesh{Axes: []MeshAxis{{Size: devices}}}
	borders := []int{1, devices}
	addRuns := func(runs []run) {
		for _, r := range runs {
			borders = append(borders, r.stride, r.stride*r.count)
		}
	}
	for _, list := range lists {
		if runs, ok := whole.runsOfGroups(list.groups); ok {
			addRuns(runs)
		}
	}
	for _, s := range shardings {
		if s.kind != shardingTiled {
			continue
		}
		for dim := range s.tiles {
			addRuns(runsOf(s.along(dim)))
		}
	}
	slices.Sort(borders)
	borders = slices.Compact(borders)
	mesh := Mesh{Source: "inferred"}
	for k := len(borders) - 1; k > 0; k-- {
		if borders[k]%borders[k-1] != 0 {
			return Mesh{}, false
		}
		mesh.Axes = append(mesh.Axes, MeshAxis{Name: "inferred" + strconv.Itoa(len(mesh.Axes)), Size: borders[k] / borders[k-1]})
	}
	return mesh, true
}
