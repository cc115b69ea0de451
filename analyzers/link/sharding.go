package link

import (
	"strconv"
	"strings"

	"github.com/shardls/shardls/hlomap"
)

// maxDevices bounds the device lists that are written out. Larger shardings keep their text and have no PartitionSpec.
const maxDevices = 1 << 16

// Sharding is how an array is laid out over the partitions of a module, read from a sharding attribute of HLO.
type Sharding struct {
	Text       string // as the dump spells it
	Replicated bool
	Maximal    bool  // the whole array on one device: callbacks ask for this
	Tiles      []int // parts per array dimension
	Devices    []int // partition at each tile, row-major over Tiles and one more dimension of replicas; nil when unknown
}

// ParseSharding reads an attribute such as {devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}. An absent attribute
// ("") means replicated in a module before partitioning. It returns false for forms that it does not know (tuples, manual).
func ParseSharding(text string) (Sharding, bool) {
	s := Sharding{Text: text}
	body, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	if text == "" || strings.HasPrefix(body, "replicated") {
		s.Replicated = true
		return s, true
	}
	if !ok || strings.HasPrefix(body, "{") {
		return s, false
	}
	if strings.HasPrefix(body, "maximal") {
		s.Maximal = true
		return s, true
	}
	rest, ok := strings.CutPrefix(body, "devices=[")
	if !ok {
		return s, false
	}
	list, rest, ok := strings.Cut(rest, "]")
	dims, valid := numbers(list)
	if !ok || !valid || len(dims) == 0 {
		return s, false
	}
	total := 1
	for _, d := range dims {
		if d <= 0 || total > maxDevices/d {
			return s, false
		}
		total *= d
	}
	if s.Devices, ok = deviceList(rest, total); !ok {
		return s, false
	}
	subgroups := 0
	if strings.Contains(rest, "last_tile_dim_replicate") {
		subgroups = 1
	} else if _, types, ok := strings.Cut(rest, "last_tile_dims={"); ok {
		types, _, _ = strings.Cut(types, "}")
		if strings.Trim(strings.ReplaceAll(types, "replicated", ""), ", ") != "" {
			return s, false // manual or unreduced parts are no PartitionSpec
		}
		subgroups = strings.Count(types, ",") + 1
	}
	if subgroups > len(dims) {
		return s, false
	}
	s.Tiles = dims[:len(dims)-subgroups]
	return s, true
}

// deviceList reads what follows the tile shape: "<=[2,4]T(1,0)", "<=[8]" or "0,1,2,3".
func deviceList(text string, total int) ([]int, bool) {
	iota, ok := strings.CutPrefix(text, "<=[")
	if !ok {
		list, _, _ := strings.Cut(text, " ")
		devices, valid := numbers(strings.TrimSuffix(list, "}"))
		return devices, valid && len(devices) == total
	}
	list, rest, ok := strings.Cut(iota, "]")
	dims, valid := numbers(list)
	if !ok || !valid {
		return nil, false
	}
	product := 1
	for _, d := range dims {
		if d <= 0 || product > maxDevices/d {
			return nil, false
		}
		product *= d
	}
	perm := make([]int, len(dims))
	for i := range perm {
		perm[i] = i
	}
	if t, ok := strings.CutPrefix(rest, "T("); ok {
		t, _, _ = strings.Cut(t, ")")
		if perm, valid = numbers(t); !valid || len(perm) != len(dims) {
			return nil, false
		}
	}
	devices, ok := transposed(dims, perm)
	return devices, ok && product == total
}

// transposed lists iota(dims) with its dimensions permuted.
func transposed(dims, perm []int) ([]int, bool) {
	strides := make([]int, len(dims))
	total := 1
	for i := len(dims) - 1; i >= 0; i-- {
		strides[i] = total
		total *= dims[i]
	}
	seen := make([]bool, len(dims))
	for _, p := range perm {
		if p < 0 || p >= len(dims) || seen[p] {
			return nil, false
		}
		seen[p] = true
	}
	devices := make([]int, total)
	at := make([]int, len(dims))
	for i := range devices {
		for k, p := range perm {
			devices[i] += at[k] * strides[p]
		}
		for k := len(perm) - 1; k >= 0; k-- {
			if at[k]++; at[k] < dims[perm[k]] {
				break
			}
			at[k] = 0
		}
	}
	return devices, true
}

func numbers(list string) ([]int, bool) {
	var out []int
	for _, part := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// Spec returns the axes of mesh that shard each dimension, major first; an empty list means that the dimension is whole.
// It returns false when no assignment of whole axes gives this sharding.
func (s Sharding) Spec(mesh *hlomap.Mesh) ([][]string, bool) {
	if s.Replicated {
		return nil, true
	}
	if mesh == nil || s.Devices == nil || len(mesh.Axes) > 8 {
		return nil, false
	}
	if devices(mesh) != len(s.Devices) {
		return nil, false
	}
	tile := s.tileOf(len(s.Devices))
	if tile == nil {
		return nil, false
	}
	return SpecOf(mesh, s.Tiles, func(partition, d int) int { return tile[partition][d] })
}

// tileOf returns for every partition the coordinates of its tile, nil when the device list is no permutation.
func (s Sharding) tileOf(total int) [][]int {
	tile := make([][]int, total)
	parts := 1
	for _, t := range s.Tiles {
		parts *= t
	}
	for i, device := range s.Devices {
		if device < 0 || device >= total || tile[device] != nil {
			return nil
		}
		rest := i / (total / parts)
		at := make([]int, len(s.Tiles))
		for d := len(s.Tiles) - 1; d >= 0; d-- {
			at[d] = rest % s.Tiles[d]
			rest /= s.Tiles[d]
		}
		tile[device] = at
	}
	return tile
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
			if used[a] || axis.Size == 1 || parts%(product*axis.Size) != 0 || contains(chosen, a) {
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

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
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

// SpecText spells the sharding for a message: as a PartitionSpec where the mesh allows, else as the dump does.
func (s Sharding) SpecText(mesh *hlomap.Mesh) string {
	if spec, ok := s.Spec(mesh); ok {
		return PartitionSpec(spec)
	}
	return s.Text
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
