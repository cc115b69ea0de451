package link

import (
	"slices"
	"strings"

	"github.com/shardls/shardls/hlomap"
)

// maxDevices bounds the meshes that are looked at device by device.
const maxDevices = 1 << 16

// ParseSharding reads a sharding attribute of a module; in one before partitioning an absent attribute ("") means replicated.
func ParseSharding(text string) (*hlomap.Sharding, bool) {
	if text == "" {
		text = "{replicated}"
	}
	return hlomap.ParseSharding(text)
}

// SpecText spells a sharding attribute for a message: as a PartitionSpec where the mesh allows, else as the dump does.
func SpecText(attribute string, mesh *hlomap.Mesh) string {
	if s, ok := ParseSharding(attribute); ok {
		if axes, ok := s.Axes(mesh); ok {
			return PartitionSpec(axes)
		}
	}
	return attribute
}

// axesOf finds the ordered axes whose mixed-radix index is the tile coordinate of every partition.
func axesOf(mesh *hlomap.Mesh, total, parts int, used []bool, coordinate func(device int) int) []int {
	position := func(device, axis int) int {
		stride := 1
		for k := len(mesh.Axes) - 1; k > axis; k-- {
			stride *= mesh.Axes[k].Size
		}
		return device / stride % mesh.Axes[axis].Size
	}
	var chosen []int
	var search func(product int) []int
	search = func(product int) []int {
		if product == parts {
			for device := range total {
				index := 0
				for _, a := range chosen {
					index = index*mesh.Axes[a].Size + position(device, a)
				}
				if index != coordinate(device) {
					return nil
				}
			}
			return append([]int(nil), chosen...)
		}
		for a, axis := range mesh.Axes {
			if used[a] || axis.Size == 1 || parts%(product*axis.Size) != 0 || slices.Contains(chosen, a) {
				continue
			}
			chosen = append(chosen, a)
			if found := search(product * axis.Size); found != nil {
				return found
			}
			chosen = chosen[:len(chosen)-1]
		}
		return nil
	}
	return search(1)
}

// PartitionSpec spells a spec as JAX prints it: P('y', None, 'x').
func PartitionSpec(spec [][]string) string {
	parts := make([]string, len(spec))
	for d, axes := range spec {
		switch len(axes) {
		case 0:
			parts[d] = "None"
		case 1:
			parts[d] = "'" + axes[0] + "'"
		default:
			parts[d] = "('" + strings.Join(axes, "', '") + "')"
		}
	}
	return "P(" + strings.Join(parts, ", ") + ")"
}

// SpecOf returns the axes of mesh that shard an array of which every partition holds the tile at coordinate(partition, d)
// of tiles[d] along each dimension d. It returns false when no whole axes do.
func SpecOf(mesh *hlomap.Mesh, tiles []int, coordinate func(partition, d int) int) ([][]string, bool) {
	if mesh == nil || len(mesh.Axes) > 8 || devices(mesh) < 1 {
		return nil, false
	}
	spec := make([][]string, len(tiles))
	used := make([]bool, len(mesh.Axes))
	for d, parts := range tiles {
		if parts == 1 {
			continue
		}
		axes := axesOf(mesh, devices(mesh), parts, used, func(partition int) int { return coordinate(partition, d) })
		if axes == nil {
			return nil, false
		}
		for _, a := range axes {
			used[a] = true
			spec[d] = append(spec[d], mesh.Axes[a].Name)
		}
	}
	return spec, true
}
