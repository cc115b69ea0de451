package hlomap_test

import (
	"slices"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// attributed opens a stored dump of the current release on CPU.
func attributed(t *testing.T, name, stage string) *hlomap.Attribution {
	t.Helper()
	for _, d := range hlotest.Dumps(t) {
		if d.Set == "cpu" && d.Name == name {
			m := openOne(t, stage+".txt", d.File(t, stage+".txt"))
			return hlomap.Attribute(m, []hlomap.Mesh{meshOf(t, d)})
		}
	}
	t.Fatalf("no dump %s", name)
	return nil
}

// TestDiffAutoAndManual: the same model under jit and in shard_map. 17 of 18 gradients are summed wider, one as before.
func TestDiffAutoAndManual(t *testing.T) {
	d := hlomap.Compare(attributed(t, "dp_auto_bf16", "after_spmd"), attributed(t, "dp_shard_map", "after_spmd"))
	if len(d.Added)+len(d.Removed) != 0 || d.Aligned != "by parameter" {
		t.Errorf("added %d, removed %d, aligned %s", len(d.Added), len(d.Removed), d.Aligned)
	}
	wider := 0
	for _, c := range d.Changed {
		if c.Before.Parameter != c.After.Parameter {
			t.Errorf("%s is paired with %s", c.Before.Parameter, c.After.Parameter)
		}
		if slices.Equal(c.What, []string{"dtype", "bytes"}) && c.Words[0] == "summed in f32 instead of bf16" {
			wider++
		} else {
			t.Errorf("%s: %v: %v", c.Before.Parameter, c.What, c.Words)
		}
	}
	if wider != 17 || d.Unchanged != 2 {
		t.Errorf("%d are wider and %d unchanged, want 17 and the norm and the loss", wider, d.Unchanged)
	}
	if d.Before.Collectives != 19 || d.After.BytesPerStep == nil || *d.After.BytesPerStep <= *d.Before.BytesPerStep {
		t.Errorf("totals %+v and %+v", d.Before, d.After)
	}
}

// TestDiffOfItself: nothing differs, whatever is combined.
func TestDiffOfItself(t *testing.T) {
	for _, name := range []string{"dp_scan", "tp_2d", "dp_shard_map_vma", "tied_embeddings", "remat"} {
		for _, stage := range []string{"after_spmd", "after_opt"} {
			d := hlomap.Compare(attributed(t, name, stage), attributed(t, name, stage))
			if len(d.Added)+len(d.Removed)+len(d.Changed) != 0 || d.Unchanged == 0 {
				t.Errorf("%s %s: added %d, removed %d, changed %d, unchanged %d", name, stage, len(d.Added), len(d.Removed), len(d.Changed), d.Unchanged)
			}
		}
	}
}

// TestDiffPlacement: accumulating before the reduction moves it out of the loop.
func TestDiffPlacement(t *testing.T) {
	d := hlomap.Compare(mechanismDump(t, "accumulated_micro_batches"), mechanismDump(t, "projections_of_one_input"))
	if len(d.Removed) == 0 || len(d.Added) == 0 {
		t.Errorf("different parameters were paired: %+v", d.Changed)
	}
	d = hlomap.Compare(mechanismDump(t, "accumulated_micro_batches"), mechanismDump(t, "one_product_in_bf16"))
	var moved, narrowed int
	for _, c := range d.Changed {
		if slices.Contains(c.What, "placement") && slices.Contains(c.Words, "moved out of a loop") && slices.Contains(c.What, "executions") {
			moved++
		}
		if slices.Contains(c.What, "dtype") {
			narrowed++
		}
	}
	if moved != 2 || narrowed != 1 {
		t.Errorf("%d moved, %d changed type: %+v", moved, narrowed, d.Changed)
	}
}

// TestSameProgram: the final module of every dump may be that of its partitioned module, on every backend, and not that of a program that
// sums in another type or takes other arrays.
func TestSameProgram(t *testing.T) {
	seen := 0
	for _, d := range hlotest.Dumps(t) {
		if d.Set == "big" || !d.Has("after_spmd.txt") || !d.Has("after_opt.txt") {
			continue
		}
		seen++
		stage := func(name string) *hlomap.Attribution {
			return hlomap.Attribute(openOne(t, name+".txt", d.File(t, name+".txt")), []hlomap.Mesh{meshOf(t, d)})
		}
		if !hlomap.SameProgram(stage("after_spmd"), stage("after_opt")) {
			t.Errorf("%s: the final module is taken for that of another program", d)
		}
	}
	if seen == 0 {
		t.Error("no dump has both stages")
	}
	for _, other := range []string{"dp_f32", "tied_embeddings"} {
		if hlomap.SameProgram(attributed(t, other, "after_spmd"), attributed(t, "dp_auto_bf16", "after_opt")) {
			t.Errorf("the final module of dp_auto_bf16 is taken for that of %s", other)
		}
	}
}
