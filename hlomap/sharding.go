package hlomap

import (
	"slices"
	"strconv"
	"strings"
)

// shardingKind is the form of a sharding.
type shardingKind uint8

const (
	shardingUnknown shardingKind = iota
	shardingReplicated
	shardingMaximal
	shardingManual
	shardingTiled
)

// Sharding is one array's `sharding=` as XLA prints it. A tiled sharding numbers the tiles row-major over Tiles and then
// over the subgroups; devices holds the device at each place.
type Sharding struct {
	kind      shardingKind
	tiles     []int    // by array dimension: number of shards
	subgroups []int    // sizes of the trailing subgroup dimensions
	manual    []bool   // by subgroup: manual or unreduced rather than replicated
	devices   []int    // nil is the identity
	named     []string // by array dimension: the PartitionSpec entry, when the sharding names its axes itself
	mesh      *Mesh    // of a named sharding
}

// parseSharding reads the sharding of an array: "{replicated}", "{devices=[8,1]<=[8]}",
// "{devices=[2,1,4]0,1,2,… last_tile_dim_replicate}", "{mesh['x'=8], [{'x'}, {}]}".
func parseSharding(text string) (*Sharding, bool) {
	body, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	if !ok {
		return nil, false
	}
	body, ok = strings.CutSuffix(body, "}")
	if !ok || strings.HasPrefix(body, "{") {
		return nil, false // a tuple of shardings
	}
	switch word, _, _ := strings.Cut(body, " "); {
	case word == "replicated":
		return &Sharding{kind: shardingReplicated}, true
	case word == "manual":
		return &Sharding{kind: shardingManual}, true
	case word == "maximal":
		return &Sharding{kind: shardingMaximal}, true
	case strings.HasPrefix(word, "devices="):
		return parseTiles(strings.TrimPrefix(body, "devices="))
	case strings.HasPrefix(body, "mesh["):
		return parseNamedSharding(body)
	}
	return nil, false
}

// splitShardings cuts the sharding of a tuple into those of its members, and returns one part for that of an array.
func splitShardings(text string) []string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{{") {
		return []string{text}
	}
	var out []string
	depth, start := 0, 0
	for p := 1; p < len(text)-1; p++ {
		switch text[p] {
		case '{':
			if depth == 0 {
				start = p
			}
			depth++
		case '}':
			depth--
			if depth == 0 {
				out = append(out, text[start:p+1])
			}
		}
	}
	return out
}

// parseTiles reads "[8,1]<=[8] last_tile_dim_replicate" and its relatives.
func parseTiles(body string) (*Sharding, bool) {
	dims, rest, ok := cutInts(body)
	if !ok {
		return nil, false
	}
	s := &Sharding{kind: shardingTiled}
	total := 1
	for _, d := range dims {
		if d <= 0 || total > maxGroupIDs/d {
			return nil, false
		}
		total *= d
	}
	if list, ok := strings.CutPrefix(rest, "<="); ok {
		if s.devices, rest, ok = cutIota(list, total); !ok {
			return nil, false
		}
	} else {
		list, tail, _ := strings.Cut(rest, " ")
		rest = tail
		if s.devices, ok = parseInts(list); !ok {
			return nil, false
		}
	}
	if len(s.devices) != total {
		return nil, false
	}
	return s, s.setSubgroups(dims, rest)
}

// setSubgroups splits the tile dimensions into those of the array and the trailing subgroups that the rest names.
func (s *Sharding) setSubgroups(dims []int, rest string) bool {
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "last_tile_dim_replicate") {
		s.manual = []bool{false}
	} else if list, ok := strings.CutPrefix(rest, "last_tile_dims={"); ok {
		list, _, _ = strings.Cut(list, "}")
		for kind := range strings.SplitSeq(list, ",") {
			s.manual = append(s.manual, strings.TrimSpace(kind) != "replicated")
		}
	}
	n := len(dims) - len(s.manual)
	if n < 0 {
		return false
	}
	s.tiles, s.subgroups = dims[:n], dims[n:]
	return true
}

// cutInts reads "[8,1]" at the start of a text.
func cutInts(text string) (ints []int, rest string, ok bool) {
	list, ok := strings.CutPrefix(text, "[")
	if !ok {
		return nil, text, false
	}
	list, rest, ok = strings.Cut(list, "]")
	if !ok {
		return nil, text, false
	}
	ints, ok = parseInts(list)
	return ints, rest, ok
}

func parseInts(list string) ([]int, bool) {
	var out []int
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// cutIota reads "[2,4]T(1,0)" and returns the devices it stands for, which must be total.
func cutIota(text string, total int) (devices []int, rest string, ok bool) {
	s, end, ok := parseIota([]byte(text), 0)
	if !ok {
		return nil, text, false
	}
	devices, large, ok := s.ids()
	return devices, text[end:], ok && !large && len(devices) == total
}

// parseNamedSharding reads "mesh['x'=2,'y'=4], [{'x'}, {}], replicated={'y'}". Axes that no dimension uses are replicated,
// except those listed as manual or unreduced.
func parseNamedSharding(body string) (*Sharding, bool) {
	mesh, rest, ok := cutMesh(body)
	if !ok {
		return nil, false
	}
	rest = strings.TrimLeft(rest, ", ")
	list, found := strings.CutPrefix(rest, "[")
	if !found {
		switch {
		case strings.HasPrefix(rest, "replicated"), rest == "":
			return &Sharding{kind: shardingReplicated}, true
		case strings.HasPrefix(rest, "manual"):
			return &Sharding{kind: shardingManual}, true
		}
		return nil, false
	}
	list, tail, ok := strings.Cut(list, "]")
	if !ok {
		return nil, false
	}
	return shardingOver(mesh, splitBraces(list), tail)
}

// shardingOver reads the axes of a mesh that each dimension is split over, and in tail those that are manual. It fails where a dimension
// is split over a part of an axis, or over one that the mesh lacks.
func shardingOver(mesh *Mesh, dims []string, tail string) (*Sharding, bool) {
	s := &Sharding{kind: shardingTiled, mesh: mesh}
	var perm []int // mesh axes in the order in which the tiles number them
	used := map[string]bool{}
	for _, dim := range dims {
		tile, entry := 1, []string{}
		for _, name := range axisRefs(dim) {
			k := mesh.axis(name)
			if k < 0 || used[name] {
				return nil, false // a sub-axis or a name the mesh lacks
			}
			used[name] = true
			tile *= mesh.Axes[k].Size
			perm = append(perm, k)
			entry = append(entry, name)
		}
		s.tiles = append(s.tiles, tile)
		s.named = append(s.named, specEntry(entry))
	}
	return s, s.placeNamed(perm, used, tail)
}

// placeNamed fills in subgroups and devices of a named sharding.
func (s *Sharding) placeNamed(perm []int, used map[string]bool, tail string) bool {
	apart := append(axesAfter(tail, "manual="), axesAfter(tail, "unreduced=")...) // devices along them hold what is their own
	for _, name := range apart {
		if s.mesh.axis(name) < 0 {
			return false // a sub-axis
		}
	}
	sizes, total := make([]int64, len(s.mesh.Axes)), 1
	for k, a := range s.mesh.Axes {
		sizes[k] = int64(a.Size)
		total *= a.Size
		if used[a.Name] {
			continue
		}
		perm = append(perm, k)
		s.subgroups = append(s.subgroups, a.Size)
		s.manual = append(s.manual, slices.Contains(apart, a.Name))
	}
	places, large, ok := (&iotaSpec{dims: sizes, perm: perm}).ids()
	if !ok || large {
		return false
	}
	s.devices = places
	if ids := s.mesh.DeviceIDs; ids != nil {
		if len(ids) != total {
			return false
		}
		for k, p := range places {
			s.devices[k] = ids[p]
		}
	}
	return true
}

// axesAfter returns the axes that a key lists in "manual={'x'}" or, with the kind of reduction, "unreduced=max{'y'}".
func axesAfter(text, key string) []string {
	_, list, ok := strings.Cut(text, key)
	if !ok {
		return nil
	}
	_, list, _ = strings.Cut(list, "{")
	list, _, _ = strings.Cut(list, "}")
	return axisRefs(list)
}

// cutMesh reads "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0))".
func cutMesh(text string) (*Mesh, string, bool) {
	list, ok := strings.CutPrefix(text, "mesh[")
	if !ok {
		return nil, text, false
	}
	var spec meshSpec
	v := []byte(list)
	p, ok := spec.parseAxes(v, 0)
	if !ok {
		return nil, text, false
	}
	m := &Mesh{Source: "hlo"}
	total := int64(1)
	for _, a := range spec.axes {
		if a.size <= 0 || total > maxGroupIDs/a.size {
			return nil, text, false
		}
		total *= a.size
		m.Axes = append(m.Axes, MeshAxis{Name: a.name, Size: int(a.size)})
	}
	const order = ", device_ids="
	if !strings.HasPrefix(list[p:], order) {
		return m, list[p:], true
	}
	end, ok := spec.parseOrder(v, p+len(order))
	if !ok {
		return nil, text, false
	}
	m.DeviceIDs = spec.ids
	if spec.iotaIDs != nil {
		if m.DeviceIDs, _, ok = spec.iotaIDs.ids(); !ok {
			return nil, text, false
		}
	}
	return m, strings.TrimPrefix(list[end:], ")"), int64(len(m.DeviceIDs)) == total
}

// splitBraces returns the contents of the outermost braces of a list.
func splitBraces(list string) []string {
	var out []string
	for {
		_, after, ok := strings.Cut(list, "{")
		if !ok {
			return out
		}
		inner, rest, ok := strings.Cut(after, "}")
		if !ok {
			return out
		}
		out = append(out, inner)
		list = rest
	}
}

// axisRefs returns the axis references of "'x', 'y':(2)4, ?" without the quotes of whole axes.
func axisRefs(list string) []string {
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" && part != "?" {
			out = append(out, strings.ReplaceAll(strings.TrimSuffix(part, "?"), "'", ""))
		}
	}
	return out
}

// axis returns the index of the named axis, -1 when the mesh has none.
func (m *Mesh) axis(name string) int {
	for k, a := range m.Axes {
		if a.Name == name {
			return k
		}
	}
	return -1
}

// labelsOf returns the labelling of an array with this sharding: devices that hold the same tile agree. The answer is
// false when the sharding does not say.
func (s *Sharding) labelsOf(t *labelTable) (labelling, bool) {
	switch s.kind {
	case shardingReplicated:
		return allEqual, true
	case shardingTiled:
	default:
		return allDifferent, false
	}
	tile := make([]int32, t.devices)
	for d := range tile {
		tile[d] = -1
	}
	for place := range s.places() {
		d := place
		if s.devices != nil {
			d = s.devices[place]
		}
		if d >= t.devices {
			return allDifferent, false
		}
		tile[d] = int32(s.tileOf(place))
	}
	return byKey(t, func(d int) int32 { return tile[d] }), true
}

// places returns the number of places that the tiles and subgroups have.
func (s *Sharding) places() int {
	n := 1
	for _, d := range s.tiles {
		n *= d
	}
	for _, d := range s.subgroups {
		n *= d
	}
	return n
}

// tileOf numbers what is held at a place: the place without its coordinates in replicated subgroups.
func (s *Sharding) tileOf(place int) int {
	tile, scale := 0, 1
	for k := len(s.subgroups) - 1; k >= 0; k-- {
		c := place % s.subgroups[k]
		place /= s.subgroups[k]
		if s.manual[k] {
			tile += c * scale
			scale *= s.subgroups[k]
		}
	}
	return tile + place*scale
}

// Spec spells the sharding as a PartitionSpec over the axes of a mesh: "P(None, 'data')", "P()" when replicated. It
// is "" when the mesh does not explain it.
func (s *Sharding) Spec(mesh *Mesh) string {
	if s.kind == shardingReplicated {
		return "P()"
	}
	if s.kind != shardingTiled {
		return ""
	}
	entries := s.named
	if entries == nil || !s.mesh.namesAxes() {
		if mesh == nil {
			return ""
		}
		entries = make([]string, 0, len(s.tiles))
		for k := range s.tiles {
			axes, ok := mesh.axesInOrder(s.along(k))
			if !ok {
				return ""
			}
			entries = append(entries, specEntry(axes))
		}
	}
	for len(entries) > 0 && entries[len(entries)-1] == "None" {
		entries = entries[:len(entries)-1]
	}
	return "P(" + strings.Join(entries, ", ") + ")"
}

// along returns the devices that lie along one array dimension from the first place on, in order.
func (s *Sharding) along(dim int) []int {
	stride := 1
	for _, d := range s.tiles[dim+1:] {
		stride *= d
	}
	for _, d := range s.subgroups {
		stride *= d
	}
	out := make([]int, s.tiles[dim])
	for k := range out {
		out[k] = k * stride
		if s.devices != nil {
			out[k] = s.devices[k*stride]
		}
	}
	return out
}

// specEntry spells the axes of one dimension as in a PartitionSpec.
func specEntry(axes []string) string {
	switch len(axes) {
	case 0:
		return "None"
	case 1:
		return "'" + axes[0] + "'"
	}
	return "('" + strings.Join(axes, "', '") + "')"
}

func isTupleSharding(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "{{") }
