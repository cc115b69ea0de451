package hlomap

import (
	"slices"
	"testing"
)

func TestShardings(t *testing.T) {
	two := &Mesh{Axes: []MeshAxis{{"data", 2}, {"model", 4}}}
	three := &Mesh{Axes: []MeshAxis{{"a", 2}, {"b", 2}, {"c", 2}}}
	for _, c := range []struct {
		text   string
		mesh   *Mesh
		spec   string
		labels []int32 // nil: the sharding does not say
	}{
		{"{replicated}", two, "P()", []int32{0, 0, 0, 0, 0, 0, 0, 0}},
		{"{devices=[8,1]<=[8]}", two, "P(('data', 'model'))", []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"{devices=[2,1,4]<=[8] last_tile_dim_replicate}", two, "P('data')", []int32{0, 0, 0, 0, 1, 1, 1, 1}},
		{"{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", two, "P(None, 'model')", []int32{0, 1, 2, 3, 0, 1, 2, 3}},
		{"{devices=[4,2]<=[2,4]T(1,0)}", two, "P('model', 'data')", []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"{devices=[8]<=[2,4]T(1,0)}", two, "P(('model', 'data'))", []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}", two, "P('data')", []int32{0, 0, 0, 0, 1, 1, 1, 1}},
		{"{devices=[2,4]<=[8] last_tile_dims={replicated}}", two, "P('data')", []int32{0, 0, 0, 0, 1, 1, 1, 1}},
		{"{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}", three, "P('a')", []int32{0, 0, 1, 1, 2, 2, 3, 3}},
		{"{devices=[4,2]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}", three, "P(('c', 'a'))", []int32{0, 1, 0, 1, 2, 3, 2, 3}},
		{"{devices=[2,4]<=[8] last_tile_dim_replicate}", &Mesh{Axes: []MeshAxis{{"x", 8}}}, "", []int32{0, 0, 0, 0, 1, 1, 1, 1}},
		{"{mesh['x'=2,'y'=4], [{'y'}, {}]}", nil, "P('y')", []int32{0, 1, 2, 3, 0, 1, 2, 3}},
		{"{mesh['x'=2,'y'=4], [{}, {'x', 'y'}]}", nil, "P(None, ('x', 'y'))", []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{'x'}]}", nil, "P('x')", []int32{0, 1, 0, 1, 0, 1, 0, 1}},
		{"{mesh['x'=2,'y'=4], [{'x'}, {?}], unreduced={'y'}}", nil, "P('x')", []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"{mesh['x'=2,'y'=4], [{}, {}], replicated={'y'}, unreduced=max{'x'}}", nil, "P()", []int32{0, 0, 0, 0, 1, 1, 1, 1}},
		{"{mesh['x'=2,'y'=4], [{}], manual={'y'}}", nil, "P()", []int32{0, 1, 2, 3, 0, 1, 2, 3}},
		{"{mesh['x'=2,'y'=4], [{}], unreduced={'y':(1)2}}", nil, "unreadable", nil},
		{"{devices=[2,4]<=[8] last_tile_dims={unreduced}}", two, "P('data')", []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"{maximal device=3}", two, "", nil},
		{"{manual}", two, "", nil},
		{"{devices=[3,1]<=[8]}", two, "unreadable", nil},
		{"{devices=[1000000,1000000]<=[1000000000000]}", two, "unreadable", nil},
		{"{{replicated}, {replicated}}", two, "unreadable", nil},
	} {
		s, ok := parseSharding(c.text)
		if !ok {
			if c.spec != "unreadable" {
				t.Errorf("%s cannot be read", c.text)
			}
			continue
		}
		if spec := s.Spec(c.mesh); spec != c.spec {
			t.Errorf("%s is %q, want %q", c.text, spec, c.spec)
		}
		table := newLabelTable(8)
		l, says := s.labelsOf(table)
		if says != (c.labels != nil) || says && !slices.Equal(table.labels[l], c.labels) {
			t.Errorf("%s: labels %v (%v), want %v", c.text, table.labels[l], says, c.labels)
		}
	}
}

func TestSplitShardings(t *testing.T) {
	got := splitShardings("{{replicated}, {devices=[8,1]<=[8]}, /*index=5*/{mesh['x'=8], [{'x'}]}}")
	want := []string{"{replicated}", "{devices=[8,1]<=[8]}", "{mesh['x'=8], [{'x'}]}"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLabels: what collectives make of labels.
func TestLabels(t *testing.T) {
	table := newLabelTable(4)
	rows := table.intern([]int32{0, 0, 1, 1})
	columns := table.intern([]int32{0, 1, 0, 1})
	byRows, byColumns := [][]int{{0, 1}, {2, 3}}, [][]int{{0, 2}, {1, 3}}
	for _, c := range []struct {
		name   string
		got    labelling
		labels []int32
	}{
		{"join", table.join(rows, columns), []int32{0, 1, 2, 3}},
		{"all-reduce of different values within rows", table.exchanged(exchange{OpAllReduce, 1, allDifferent}, byRows), []int32{0, 0, 1, 1}},
		{"all-reduce over columns of values that differ by row", table.exchanged(exchange{OpAllReduce, 2, rows}, byColumns), []int32{0, 0, 0, 0}},
		{"all-gather over columns of values that differ by row", table.exchanged(exchange{OpAllGather, 2, rows}, byColumns), []int32{0, 0, 0, 0}},
		{"reduce-scatter over columns", table.exchanged(exchange{OpReduceScatter, 2, rows}, byColumns), []int32{0, 0, 1, 1}},
		{"broadcast from the first of each column", table.exchanged(exchange{OpCollectiveBroadcast, 2, allDifferent}, byColumns), []int32{0, 1, 0, 1}},
		{"a device in no group keeps its own", table.exchanged(exchange{OpAllReduce, 3, allEqual}, [][]int{{0, 1}}), []int32{0, 0, 1, 2}},
		{"shift by one", table.permuted(exchange{OpCollectivePermute, 4, rows}, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}), []int32{0, 1, 1, 0}},
		{"shift with an open end", table.permuted(exchange{OpCollectivePermute, 5, allEqual}, [][2]int{{0, 1}, {1, 2}, {2, 3}}), []int32{0, 1, 1, 1}},
	} {
		if got := table.labels[c.got]; !slices.Equal(got, c.labels) {
			t.Errorf("%s: %v, want %v", c.name, got, c.labels)
		}
	}
	if !table.finer(columns, rows) || table.finer(allEqual, rows) || !table.finer(allDifferent, rows) {
		t.Error("finer")
	}
	if !table.agreeWithin(rows, byRows) || table.agreeWithin(rows, byColumns) || table.agreeWithin(allEqual, [][]int{{0}, {1}, {2}, {3}}) {
		t.Error("agreeWithin")
	}
}
