package hlomap_test

import (
	"slices"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// TestMeshesOfFixtures: before partitioning modules name the mesh of the program; afterwards its factors can be inferred,
// as far as anything is exchanged along them, and are marked so.
func TestMeshesOfFixtures(t *testing.T) {
	inferred := 0
	for _, d := range hlotest.Dumps(t) {
		if d.Set == "big" {
			continue
		}
		program := meshOf(t, d)
		if d.Set == "cpu" {
			m := openOne(t, "before_opt.txt", d.File(t, "before_opt.txt"))
			meshes := m.Meshes()
			if len(meshes) != 1 || meshes[0].Source != "hlo" || !slices.Equal(meshes[0].Axes, program.Axes) {
				t.Errorf("%s: before_opt: %+v, want %v", d, meshes, program.Axes)
			}
		}
		m := openOne(t, "after_spmd.txt", d.File(t, "after_spmd.txt"))
		for _, mesh := range m.Meshes() {
			if mesh.Source != "inferred" {
				t.Errorf("%s: after_spmd: %+v", d, mesh)
				continue
			}
			inferred++
			if len(program.Axes) > 1 && d.Name != "missing_constraint" && !sameSizes(mesh.Axes, program.Axes) {
				t.Errorf("%s: inferred %v, want the sizes of %v", d, mesh.Axes, program.Axes)
			}
		}
	}
	if inferred == 0 {
		t.Error("no mesh was inferred")
	}
}

func sameSizes(a, b []hlomap.MeshAxis) bool {
	return slices.EqualFunc(a, b, func(x, y hlomap.MeshAxis) bool { return x.Size == y.Size })
}

func TestMeshNames(t *testing.T) {
	text := `HloModule m, num_partitions=8

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %r = f32[] add(%a, %b)
}

ENTRY %e (p: f32[8,4]) -> f32[8,4] {
  %p = f32[8,4]{1,0} parameter(0), sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
  ROOT %r = f32[8,4]{1,0} all-reduce(%p), channel_id=1, replica_groups=mesh['axis_0'=4,'axis_1'=2] {'axis_0'}, use_global_device_ids=true, to_apply=%add
}
`
	m := openOne(t, "m.txt", []byte(text))
	meshes := m.Meshes()
	want := []hlomap.MeshAxis{{Name: "data", Size: 4}, {Name: "model", Size: 2}}
	if len(meshes) != 1 || !slices.Equal(meshes[0].Axes, want) {
		t.Fatalf("meshes %+v, want %v", meshes, want)
	}
	c := hlomap.Attribute(m, meshes).Collectives()[0]
	if !slices.Equal(c.Axes, []string{"data"}) || !c.AxesExact {
		t.Errorf("axes %v exact %v", c.Axes, c.AxesExact)
	}
}
