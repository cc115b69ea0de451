package link

import (
	"testing"

	"github.com/shardls/shardls/hlomap"
)

func TestSpec(t *testing.T) {
	xy := &hlomap.Mesh{Axes: []hlomap.MeshAxis{{Name: "x", Size: 2}, {Name: "y", Size: 4}}}
	abc := &hlomap.Mesh{Axes: []hlomap.MeshAxis{{Name: "a", Size: 2}, {Name: "b", Size: 2}, {Name: "c", Size: 2}}}
	one := &hlomap.Mesh{Axes: []hlomap.MeshAxis{{Name: "data", Size: 8}}}
	tests := []struct {
		text string
		mesh *hlomap.Mesh
		want string
	}{
		{"{replicated}", xy, "P()"},
		{"", nil, "P()"},
		{"{devices=[4,1,2]<=[2,4]T(1,0)}", xy, "P('y', None, 'x')"},
		{"{devices=[1,8,1]<=[8]}", xy, "P(None, ('x', 'y'), None)"},
		{"{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}", xy, "P('x', None, None)"},
		{"{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", xy, "P(None, 'y')"},
		{"{devices=[8,1]<=[8]}", one, "P('data', None)"},
		{"{devices=[8]0,1,2,3,4,5,6,7}", one, "P('data')"},
		{"{devices=[4,1,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}", abc, "P(('b', 'a'), None)"},
		{"{devices=[4,2]<=[8]}", xy, "{devices=[4,2]<=[8]}"},                      // half of y: no spec of whole axes
		{"{devices=[8,1]<=[8]}", nil, "{devices=[8,1]<=[8]}"},                     // no mesh known
		{"{devices=[16]<=[16]}", one, "{devices=[16]<=[16]}"},                     // another number of devices
		{"{devices=[8]<=[1099511627776]}", one, "{devices=[8]<=[1099511627776]}"}, // must not allocate
		{"{devices=[8]<=[2,4]T(0,0)}", xy, "{devices=[8]<=[2,4]T(0,0)}"},
		{"{{replicated},{replicated}}", xy, "{{replicated},{replicated}}"},
		{"{devices=[8]", one, "{devices=[8]"},
		{"{devices=[]}", one, "{devices=[]}"},
	}
	for _, tt := range tests {
		if got := SpecText(tt.text, tt.mesh); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}
