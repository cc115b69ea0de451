package hlomap

import (
	"fmt"
	"slices"
	"strconv"
)

// run is an arithmetic series of mesh positions: count of them, stride apart.
type run struct{ stride, count int }

// Devices returns the number of devices of a mesh.
func (m *Mesh) Devices() int {
	n := 1
	for _, a := range m.Axes {
		n *= a.Size
	}
	return n
}

// namesAxes reports whether the names of the axes are somebody's own rather than the partitioner's: XLA ≥ 2026 prints
// groups over meshes whose axes it numbers itself ('axis_0', 'axis_1').
func (m *Mesh) namesAxes() bool {
	if m == nil || len(m.Axes) == 0 {
		return false
	}
	for k, a := range m.Axes {
		if a.Name != "axis_"+strconv.Itoa(k) {
			return true
		}
	}
	return false
}

// positions returns the mesh position of every device, nil when positions and devices are numbered alike; ok is false for
// a list of device ids that is no permutation.
func (m *Mesh) positions() (at []int, ok bool) {
	if m.DeviceIDs == nil {
		return nil, true
	}
	at = make([]int, m.Devices())
	for k := range at {
		at[k] = -1
	}
	if len(m.DeviceIDs) != len(at) {
		return nil, false
	}
	for p, d := range m.DeviceIDs {
		if d < 0 || d >= len(at) || at[d] >= 0 {
			return nil, false
		}
		at[d] = p
	}
	return at, true
}

// AxesOfGroups returns the axes along which the devices of a group differ, in the order of the mesh: whole axes by their
// names, a part of an axis as "model:(1)2" (XLA's spelling: the part of size 2 whose more-major part has size 1). No
// axis at all, but not nil, are those of groups of one device. The answer is nil when no axes explain the groups; they
// must be the same for all groups, and the groups must cover the mesh.
func (m *Mesh) AxesOfGroups(groups [][]int) []string {
	runs, ok := m.runsOfGroups(groups)
	if !ok {
		return nil
	}
	return m.axesOfRuns(runs)
}

// runsOfGroups decomposes groups into the series that all of them share, minor first.
func (m *Mesh) runsOfGroups(groups [][]int) ([]run, bool) {
	at, ok := m.positions()
	n := m.Devices()
	if !ok || len(groups) == 0 {
		return nil, false
	}
	covered := make([]bool, n)
	total := 0
	var first []run
	var buf []int
	for k, g := range groups {
		buf = buf[:0]
		for _, d := range g {
			if d < 0 || d >= n {
				return nil, false
			}
			if at != nil {
				d = at[d]
			}
			if covered[d] {
				return nil, false
			}
			covered[d] = true
			total++
			buf = append(buf, d)
		}
		if !slices.IsSorted(buf) {
			slices.Sort(buf)
		}
		runs := runsOf(buf)
		if k == 0 {
			first = runs
		}
		if !slices.Equal(runs, first) || !aligned(buf, runs) {
			return nil, false
		}
	}
	return first, total == n
}

// runsOf decomposes an ordered list into nested arithmetic series, innermost first: 0 1 4 5 is two of stride 1 in two of
// stride 4. It returns nil for a list that is none.
func runsOf(list []int) []run {
	runs := []run{}
	for starts := list; len(starts) > 1; {
		step := starts[1] - starts[0]
		count := 2
		for count < len(starts) && starts[count]-starts[count-1] == step {
			count++
		}
		if step <= 0 || len(starts)%count != 0 {
			return nil
		}
		outer := make([]int, 0, len(starts)/count)
		for k, p := range starts {
			if k%count == 0 {
				outer = append(outer, p)
			} else if p-starts[k-1] != step {
				return nil
			}
		}
		runs = append(runs, run{step, count})
		starts = outer
	}
	return runs
}

// aligned reports whether the lowest position of a group is the zero of each series, so that no member carries over into
// the next digit.
func aligned(group []int, runs []run) bool {
	if runs == nil || len(group) == 0 {
		return false
	}
	for _, r := range runs {
		if group[0]/r.stride%r.count != 0 {
			return false
		}
	}
	return true
}

// axesOfRuns names the axes and parts of axes that series cover, in the order of the mesh.
func (m *Mesh) axesOfRuns(runs []run) []string {
	axes := make([]string, 0, len(runs))
	stride := m.Devices()
	for _, a := range m.Axes { // major first
		stride /= max(a.Size, 1)
		for k := len(runs) - 1; k >= 0; k-- {
			name, ok := a.part(stride, runs[k])
			if !ok {
				return nil
			}
			if name != "" {
				axes = append(axes, name)
			}
		}
	}
	return axes
}

// part names the part of an axis that a series covers, "" when it does not touch the axis; ok is false when it cuts
// the axis where it cannot be cut. The stride is that of the axis: the devices of the axes minor to it.
func (a MeshAxis) part(stride int, r run) (name string, ok bool) {
	lo, hi := max(r.stride, stride), min(r.stride*r.count, stride*a.Size)
	if lo >= hi {
		return "", true
	}
	if lo%stride != 0 || hi%lo != 0 || stride*a.Size%hi != 0 || lo%r.stride != 0 {
		return "", false
	}
	if hi/lo == a.Size {
		return a.Name, true
	}
	return a.Name + ":(" + strconv.Itoa(stride*a.Size/hi) + ")" + strconv.Itoa(hi/lo), true
}

// axesInOrder returns the whole axes along which a list of devices runs, major first, as a PartitionSpec lists them.
func (m *Mesh) axesInOrder(devices []int) ([]string, bool) {
	at, ok := m.positions()
	if !ok {
		return nil, false
	}
	list := make([]int, len(devices))
	for k, d := range devices {
		if d < 0 || d >= m.Devices() {
			return nil, false
		}
		list[k] = d
		if at != nil {
			list[k] = at[d]
		}
	}
	runs := runsOf(list)
	if runs == nil {
		return nil, false
	}
	var axes []string
	for k := len(runs) - 1; k >= 0; k-- {
		part := m.axesOfRuns(runs[k : k+1])
		if part == nil {
			return nil, false
		}
		for _, name := range part {
			if m.axis(name) < 0 {
				return nil, false // part of an axis: a PartitionSpec cannot say that
			}
		}
		axes = append(axes, part...)
	}
	return axes, true
}

// Shift is a collective-permute that moves data along one axis: every source to the device Steps further on. Open
// shifts (halo exchanges) have no pair that wraps around.
type Shift struct {
	Axis  string
	Steps int // in -size/2 < steps ≤ size/2
	Open  bool
}

// ShiftOfPairs returns the shift that source-target pairs make, if they make one: all along one axis by the same number
// of steps, modulo its size.
func (m *Mesh) ShiftOfPairs(pairs [][2]int) (Shift, bool) {
	at, ok := m.positions()
	n := m.Devices()
	if !ok || len(pairs) == 0 {
		return Shift{}, false
	}
	axis, steps := -1, 0
	for _, p := range pairs {
		if p[0] < 0 || p[0] >= n || p[1] < 0 || p[1] >= n {
			return Shift{}, false
		}
		from, to := p[0], p[1]
		if at != nil {
			from, to = at[from], at[to]
		}
		k, d := m.move(from, to)
		if k < 0 || axis >= 0 && (k != axis || d != steps) {
			return Shift{}, false
		}
		axis, steps = k, d
	}
	s := Shift{Axis: m.Axes[axis].Name, Steps: steps, Open: len(pairs) < n}
	if size := m.Axes[axis].Size; 2*steps > size {
		s.Steps -= size
	}
	return s, true
}

// String spells a shift for a person: "stage +1", "x -2 open".
func (s Shift) String() string {
	text := fmt.Sprintf("%s %+d", s.Axis, s.Steps)
	if s.Open {
		text += " open"
	}
	return text
}

// axesApart returns the axes along which devices that have equal labels of one list have different ones of another. Both lists are by
// device.
func (m *Mesh) axesApart(held, declared []int32) []string {
	at, ok := m.positions()
	if !ok {
		return nil
	}
	device := make([]int, m.Devices()) // by position
	for d := range device {
		if at == nil {
			device[d] = d
		} else {
			device[at[d]] = d
		}
	}
	var names []string
	for k, stride := len(m.Axes)-1, 1; k >= 0; k-- {
		for p := range device {
			if p/stride%m.Axes[k].Size+1 == m.Axes[k].Size {
				continue // the last along the axis
			}
			if d, e := device[p], device[p+stride]; declared[d] == declared[e] && held[d] != held[e] {
				names = append(names, m.Axes[k].Name)
				break
			}
		}
		stride *= m.Axes[k].Size
	}
	slices.Reverse(names)
	return names
}

// move returns the one axis on which two positions differ and by how many steps forward, modulo its size; -1 when they
// differ on none or on several.
func (m *Mesh) move(from, to int) (axis, steps int) {
	axis = -1
	for k := len(m.Axes) - 1; k >= 0; k-- {
		size := m.Axes[k].Size
		if d := (to%size - from%size + size) % size; d != 0 {
			if axis >= 0 {
				return -1, 0
			}
			axis, steps = k, d
		}
		from, to = from/size, to/size
	}
	return axis, steps
}
