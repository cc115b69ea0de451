package hlomap_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// TestAttributionOfBigModule: 25 MB, an unrolled model of 185 layers. Every collective has the axes of the answers, every weight
// is reduced over data, and what is reduced over model alone is an activation.
func TestAttributionOfBigModule(t *testing.T) {
	at := slices.IndexFunc(hlotest.Dumps(t), func(d hlotest.Dump) bool { return d.Set == "big" })
	d := hlotest.Dumps(t)[at]
	var want struct {
		Collectives []struct {
			Name string   `json:"name"`
			Axes []string `json:"axes"`
		} `json:"collectives"`
	}
	if err := json.Unmarshal(d.File(t, "expected.json"), &want); err != nil {
		t.Fatal(err)
	}
	a := hlomap.Attribute(openOne(t, "after_spmd.txt", d.File(t, "after_spmd.txt")), []hlomap.Mesh{mesh("data", 4, "model", 2)})
	got := a.Collectives()
	if len(got) != len(want.Collectives) || len(got) == 0 {
		t.Fatalf("%d collectives, want %d", len(got), len(want.Collectives))
	}
	for k, w := range want.Collectives {
		c := &got[k]
		if c.Name != w.Name || !slices.Equal(c.Axes, w.Axes) {
			t.Errorf("%s is over %v, want %s over %v", c.Name, c.Axes, w.Name, w.Axes)
		}
		o := &c.Operands[0]
		switch scalar := len(o.Shape) == 0; {
		case scalar && o.Role != hlomap.RoleLoss && o.Role != hlomap.RoleOther:
			t.Errorf("%s, a scalar, is taken for %s", c.Name, o.Role)
		case !scalar && slices.Equal(c.Axes, []string{"data"}) && (o.Role != hlomap.RoleGradient || o.ParamPrecision != "exact"):
			t.Errorf("%s over data is taken for %s of %v", c.Name, o.Role, o.Parameters)
		case len(o.Shape) == 3 && slices.Equal(c.Axes, []string{"model"}) && o.Role != hlomap.RoleActivation && o.Role != hlomap.RoleGradient:
			t.Errorf("%s over model is taken for %s", c.Name, o.Role)
		}
	}
	parameters := a.Gradients().Parameters
	if len(parameters) != 2222 {
		t.Errorf("%d parameters, want 2222", len(parameters))
	}
	for _, p := range parameters {
		if p.Status != hlomap.StatusReduced || !slices.ContainsFunc(p.Reductions, func(r hlomap.Reduction) bool { return slices.Contains(r.Axes, "data") }) {
			t.Errorf("%s is %s: %s", p.Parameter, p.Status, p.Reason)
		}
	}
}
