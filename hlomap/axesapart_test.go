package hlomap

import (
	"slices"
	"testing"
)

func TestAxesApart(t *testing.T) {
	same := []int32{0, 0, 0, 0, 0, 0, 0, 0}
	for _, c := range []struct {
		name           string
		ids            []int
		held, declared []int32
		want           []string
	}{
		{"all differ", nil, []int32{0, 1, 2, 3, 4, 5, 6, 7}, same, []string{"data", "model"}},
		{"over the inner axis", nil, []int32{0, 1, 0, 1, 0, 1, 0, 1}, same, []string{"model"}},
		{"over the outer axis", nil, []int32{0, 0, 1, 1, 2, 2, 3, 3}, same, []string{"data"}},
		{"as declared", nil, []int32{0, 1, 0, 1, 0, 1, 0, 1}, []int32{0, 1, 0, 1, 0, 1, 0, 1}, nil},
		{"more than declared", nil, []int32{0, 1, 2, 3, 0, 1, 2, 3}, []int32{0, 1, 0, 1, 0, 1, 0, 1}, []string{"data"}},
		{"devices in another order", []int{0, 4, 1, 5, 2, 6, 3, 7}, []int32{0, 0, 0, 0, 1, 1, 1, 1}, same, []string{"model"}},
	} {
		m := Mesh{Axes: []MeshAxis{{Name: "data", Size: 4}, {Name: "model", Size: 2}}, DeviceIDs: c.ids}
		if got := m.axesApart(c.held, c.declared); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
