package hlomap_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

func mesh(axes ...any) hlomap.Mesh {
	m := hlomap.Mesh{Source: "config"}
	for k := 0; k+1 < len(axes); k += 2 {
		m.Axes = append(m.Axes, hlomap.MeshAxis{Name: axes[k].(string), Size: axes[k+1].(int)})
	}
	return m
}

func TestAxesOfGroups(t *testing.T) {
	dm := mesh("data", 2, "model", 4)
	abc := mesh("a", 2, "b", 2, "c", 2)
	for _, c := range []struct {
		mesh   hlomap.Mesh
		groups string
		want   []string
	}{
		{dm, "[4,2]<=[2,4]T(1,0)", []string{"data"}},
		{dm, "[2,4]<=[8]", []string{"model"}},
		{dm, "[1,8]<=[8]", []string{"data", "model"}},
		{dm, "{{0,2},{1,3},{4,6},{5,7}}", []string{"model:(1)2"}},
		{dm, "{{0,1},{2,3},{4,5},{6,7}}", []string{"model:(2)2"}},
		{dm, "{{0,5},{1,4},{2,7},{3,6}}", nil},
		{dm, "{{0,4},{1,5},{2,6}}", nil}, // does not cover the mesh
		{dm, "{{0,4},{1,5},{2,6},{3,3}}", nil},
		{dm, "{{0,1,2},{3,4,5}}", nil},
		{dm, "{{0},{1},{2},{3},{4},{5},{6},{7}}", []string{}},
		{dm, "{{4,0},{5,1},{6,2},{7,3}}", []string{"data"}}, // order within a group is another question
		{abc, "[4,2]<=[2,2,2]T(0,2,1)", []string{"b"}},
		{abc, "[2,4]<=[2,2,2]T(1,0,2)", []string{"a", "c"}},
		{mesh("x", 4, "one", 1, "y", 2), "[4,2]<=[8]", []string{"y"}},
		{mesh("data", 8), "{{0,2,4,6},{1,3,5,7}}", []string{"data:(1)4"}},
		{mesh("data", 8), "{{0,1,4,5},{2,3,6,7}}", []string{"data:(1)2", "data:(4)2"}},
		{hlomap.Mesh{Axes: dm.Axes, DeviceIDs: []int{0, 1, 2, 3, 7, 6, 5, 4}}, "{{0,7},{1,6},{2,5},{3,4}}", []string{"data"}},
		{hlomap.Mesh{Axes: dm.Axes, DeviceIDs: []int{0, 1, 2, 3, 7, 6, 5, 5}}, "[2,4]<=[8]", nil},
	} {
		if got := c.mesh.AxesOfGroups(expand(t, c.groups)); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v over %v: %v, want %v", c.groups, c.mesh.Axes, got, c.want)
		}
	}
}

// expand reads groups the way a dump is read.
func expand(t *testing.T, groups string) [][]int {
	t.Helper()
	text := fmt.Sprintf("HloModule m, num_partitions=8\n\nENTRY e {\n  %%p = f32[8] parameter(0)\n  ROOT %%r = f32[8] all-reduce(%%p), channel_id=1, replica_groups=%s, use_global_device_ids=true, to_apply=%%e\n}\n", groups)
	m := openOne(t, "m.txt", []byte(text))
	return m.Collectives()[0].ReplicaGroups
}

func TestShiftOfPairs(t *testing.T) {
	ring := mesh("x", 4)
	for _, c := range []struct {
		mesh  hlomap.Mesh
		pairs [][2]int
		want  hlomap.Shift
		ok    bool
	}{
		{ring, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, hlomap.Shift{Axis: "x", Steps: 1}, true},
		{ring, [][2]int{{0, 3}, {1, 0}, {2, 1}, {3, 2}}, hlomap.Shift{Axis: "x", Steps: -1}, true},
		{ring, [][2]int{{0, 1}, {1, 2}, {2, 3}}, hlomap.Shift{Axis: "x", Steps: 1, Open: true}, true},
		{ring, [][2]int{{0, 1}, {1, 3}}, hlomap.Shift{}, false},
		{ring, [][2]int{{0, 0}}, hlomap.Shift{}, false},
		{mesh("a", 2, "b", 4), [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 0}, {5, 1}, {6, 2}, {7, 3}}, hlomap.Shift{Axis: "a", Steps: 1}, true},
		{mesh("a", 2, "b", 4), [][2]int{{0, 5}, {5, 0}}, hlomap.Shift{}, false},
	} {
		got, ok := c.mesh.ShiftOfPairs(c.pairs)
		if got != c.want || ok != c.ok {
			t.Errorf("%v over %v: %+v %v, want %+v %v", c.pairs, c.mesh.Axes, got, ok, c.want, c.ok)
		}
	}
}

// TestAxesOfFixtures compares the axes of every collective with the answers, which name whole axes only.
func TestAxesOfFixtures(t *testing.T) {
	for _, d := range hlotest.Dumps(t) {
		if d.Set == "big" {
			continue
		}
		e := d.Expected(t)
		for _, stage := range e.Files() {
			want := e.Modules[stage]
			m := openOne(t, stage+".txt", d.File(t, stage+".txt"))
			a := hlomap.Attribute(m, []hlomap.Mesh{meshOf(t, d)})
			byName := map[string]*hlomap.Collective{}
			for k := range a.Collectives() {
				byName[a.Collectives()[k].Name] = &a.Collectives()[k]
			}
			for _, w := range want.Collectives {
				c := byName[w.Name]
				if c == nil || c.SourceTargetPairs != nil {
					continue
				}
				if w.Axes != nil && !slices.Equal(c.Axes, w.Axes) {
					t.Errorf("%s: %s: %s is over %v, want %v", d, stage, c.Name, c.Axes, w.Axes)
				}
				if w.Axes == nil && slices.ContainsFunc(c.Axes, func(a string) bool { return e.Mesh[a] > 0 }) {
					t.Errorf("%s: %s: %s is over %v, which are not its groups", d, stage, c.Name, c.Axes)
				}
			}
		}
	}
}
