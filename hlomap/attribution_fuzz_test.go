package hlomap_test

import (
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"os"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// FuzzAttribute: whatever a file holds, attribution ends without a panic, and everything it names exists.
func FuzzAttribute(f *testing.F) {
	root := filepath.Join(hlotest.Root(f), "testdata", "hlo_mechanisms")
	r, err := zstd.NewReader(nil)
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	for _, name := range []string{"scan_over_layers", "low_rank_product", "reduced_twice", "fsdp_and_tensor_parallel", "raveled_update"} {
		b, err := os.ReadFile(filepath.Join(root, name, "after_spmd.txt.zst"))
		if err != nil {
			f.Fatal(err)
		}
		text, err := r.DecodeAll(b, nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		mods, _ := hlomap.Open("fuzz.txt", data)
		for _, m := range mods {
			a := hlomap.Attribute(m, m.Meshes())
			for _, c := range a.Collectives() {
				for _, o := range c.Operands {
					if o.ParamPrecision == "exact" && len(o.Parameters) == 0 {
						t.Errorf("%s: exact, but no parameters", c.Name)
					}
				}
			}
			for _, p := range a.Gradients().Parameters {
				if p.Status == "" || p.Reason == "" {
					t.Errorf("%s: no status or no reason: %+v", p.Parameter, p)
				}
			}
			hlomap.Compare(a, a)
		}
	})
}
