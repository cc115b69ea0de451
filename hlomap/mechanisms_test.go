package hlomap_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// mechanism is what testdata/hlo_mechanisms/make.py says of one program.
type mechanism struct {
	Mesh       []hlomap.MeshAxis `json:"mesh"`
	Parameters map[string]struct {
		Status       hlomap.ParameterStatus `json:"status"`
		Alone        hlomap.ParameterStatus `json:"alone"` // where the module before partitioning is not known; "" for no other
		DTypes       []string               `json:"dtypes"`
		Axes         []string               `json:"axes"`
		Each         [][]string             `json:"each"` // axes by reduction, where they are not alike
		Duplicate    bool                   `json:"duplicate"`
		Intermittent bool                   `json:"intermittent"`
		Executions   int64                  `json:"executions"`
		InLoop       bool                   `json:"in_loop"`
	} `json:"parameters"`
}

// TestMechanisms checks every way in which parameters seem not to be reduced, or to be reduced twice.
func TestMechanisms(t *testing.T) {
	compared := 0
	for _, folder := range mechanismFolders(t) {
		want := readMechanism(t, folder)
		before := beforePartitioning(t, folder)
		files, err := filepath.Glob(filepath.Join(folder, "*after_*.txt.zst"))
		if err != nil || len(files) < 2 {
			t.Fatalf("%s has the dumps %v: %v", folder, files, err)
		}
		compared += len(files)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), ".zst")
				m := openOne(t, name, decompress(t, file))
				meshes := []hlomap.Mesh{{Axes: want.Mesh, Source: "config"}}
				want.compare(t, name, hlomap.AttributeAfter(before, m, meshes).Gradients(), before == nil)
				want.compare(t, name, hlomap.Attribute(m, meshes).Gradients(), true)
			}
			if before != nil { // a proto tells how results are sharded
				const name = "after_spmd.hlo.pb"
				m := openOne(t, name, decompress(t, filepath.Join(folder, name+".zst")))
				want.compare(t, name, hlomap.Attribute(m, []hlomap.Mesh{{Axes: want.Mesh, Source: "config"}}).Gradients(), false)
			}
		})
	}
	if compared < 200 {
		t.Errorf("only %d dumps were compared", compared)
	}
}

// TestMechanismsBeforePartitioning: what a program exchanges by hand is known for the weights' in the module as JAX makes it.
func TestMechanismsBeforePartitioning(t *testing.T) {
	compared := 0
	for _, folder := range mechanismFolders(t) {
		before := beforePartitioning(t, folder)
		if before == nil {
			continue
		}
		want, found := readMechanism(t, folder), map[string]bool{}
		for _, c := range hlomap.Attribute(before, nil).Collectives() {
			for _, o := range c.Operands {
				if _, ok := want.Parameters[strings.Join(o.Parameters, " and ")]; len(o.Parameters) > 0 && (!ok || o.Role != hlomap.RoleGradient && o.Role != hlomap.RoleParameter) {
					t.Errorf("%s: %s is the %s of %v", filepath.Base(folder), c.Name, o.Role, o.Parameters)
				}
				if o.Role == hlomap.RoleGradient {
					found[strings.Join(o.Parameters, " and ")] = true
				}
			}
		}
		for name, p := range want.Parameters {
			if p.Status == hlomap.StatusReduced {
				compared++
				if !found[name] {
					t.Errorf("%s: nothing reduces the gradient of %s", filepath.Base(folder), name)
				}
			}
		}
	}
	if compared < 4 {
		t.Errorf("only %d parameters were compared", compared)
	}
}

func mechanismFolders(t *testing.T) []string {
	t.Helper()
	root := filepath.Join(hlotest.Root(t), "testdata", "hlo_mechanisms")
	files, err := filepath.Glob(filepath.Join(root, "*", "expected.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d programs under %s: %v", len(files), root, err)
	}
	for k, f := range files {
		files[k] = filepath.Dir(f)
	}
	return files
}

func readMechanism(t *testing.T, folder string) *mechanism {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := new(mechanism)
	if err := json.Unmarshal(text, want); err != nil {
		t.Fatal(err)
	}
	return want
}

// beforePartitioning opens the module of a program as JAX made it, nil where that is not stored.
func beforePartitioning(t *testing.T, folder string) *hlomap.Module {
	t.Helper()
	path := filepath.Join(folder, "before_opt.txt.zst")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return openOne(t, "before_opt.txt", decompress(t, path))
}

func decompress(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := r.DecodeAll(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compare checks the gradients of one dump; alone says that nothing else of the program was known.
func (want *mechanism) compare(t *testing.T, stage string, got *hlomap.Gradients, alone bool) {
	t.Helper()
	if len(want.Parameters) == 0 && got.Reason == "" {
		t.Errorf("%s: a program that trains nothing has no reason", stage)
	}
	seen := map[string]bool{}
	for _, g := range got.Parameters {
		seen[g.Parameter] = true
		w, ok := want.Parameters[g.Parameter]
		if !ok {
			t.Errorf("%s: %s is listed: %s, %s", stage, g.Parameter, g.Status, g.Reason)
			continue
		}
		if alone && w.Alone != "" {
			w.Status = w.Alone
		}
		if g.Status != w.Status || g.Duplicate != w.Duplicate || g.Intermittent != w.Intermittent {
			t.Errorf("%s: %s is %s (duplicate %v, intermittent %v), want %s (%v, %v): %s",
				stage, g.Parameter, g.Status, g.Duplicate, g.Intermittent, w.Status, w.Duplicate, w.Intermittent, g.Reason)
		}
		if w.Status != hlomap.StatusReduced {
			continue
		}
		var dtypes []string
		for k, r := range g.Reductions {
			dtypes = append(dtypes, r.OperandDType)
			axes := w.Axes
			if k < len(w.Each) {
				axes = w.Each[k]
			}
			if !slices.Equal(r.Axes, axes) {
				t.Errorf("%s: %s is reduced over %v, want %v", stage, g.Parameter, r.Axes, axes)
			}
			// The final modules of TPU and GPU move sums out of loops.
			if w.Executions > 0 && !strings.HasSuffix(stage, "pu_after_opt.txt") && (r.Executions == nil || *r.Executions != w.Executions || r.InLoop != w.InLoop) {
				t.Errorf("%s: %s is reduced %v times (in a loop %v), want %d (%v)", stage, g.Parameter, r.Executions, r.InLoop, w.Executions, w.InLoop)
			}
			if r.Cause == nil || len(r.Cause.Frames) == 0 || r.Cause.Frames[0].Line == 0 {
				t.Errorf("%s: %s: %s has no cause with a line: %v", stage, g.Parameter, r.Collective, r.Cause)
			}
		}
		if strings.HasSuffix(stage, "after_spmd.txt") && !slices.Equal(dtypes, w.DTypes) {
			t.Errorf("%s: %s is reduced in %v, want %v", stage, g.Parameter, dtypes, w.DTypes)
		}
		if len(dtypes) != len(w.DTypes) {
			t.Errorf("%s: %s meets %d reductions, want %d", stage, g.Parameter, len(dtypes), len(w.DTypes))
		}
	}
	for name := range want.Parameters {
		if !seen[name] {
			t.Errorf("%s: %s is not listed: %s", stage, name, got.Reason)
		}
	}
}

// mechanismDump opens the partitioned module of one program.
func mechanismDump(t *testing.T, name string) *hlomap.Attribution {
	t.Helper()
	folder := filepath.Join(hlotest.Root(t), "testdata", "hlo_mechanisms", name)
	m := openOne(t, "after_spmd.txt", decompress(t, filepath.Join(folder, "after_spmd.txt.zst")))
	return hlomap.Attribute(m, m.Meshes())
}

// TestCausesOfATiedTable: a table that is looked up in and multiplied with has two reductions, one of the product and one of what is
// scattered on top of it. Each is caused by what it sums itself, not by what the other has summed before.
func TestCausesOfATiedTable(t *testing.T) {
	for _, name := range []string{"after_spmd.txt", "after_opt.txt", "tpu_after_spmd.txt", "tpu_after_opt.txt", "gpu_after_spmd.txt", "gpu_after_opt.txt"} {
		path := filepath.Join(hlotest.Root(t), "testdata", "hlo_mechanisms", "tied_table", name+".zst")
		parameters := hlomap.Attribute(openOne(t, name, decompress(t, path)), nil).Gradients().Parameters
		k := slices.IndexFunc(parameters, func(p hlomap.ParameterGradient) bool { return p.Parameter == "p['table']" })
		if k < 0 {
			t.Fatalf("%s: no table among %d parameters", name, len(parameters))
		}
		var causes []string
		for _, r := range parameters[k].Reductions {
			causes = append(causes, r.Cause.OpName[strings.LastIndexByte(r.Cause.OpName, '/')+1:])
		}
		slices.Sort(causes)
		if !slices.Equal(causes, []string{"dot_general", "scatter-add"}) {
			t.Errorf("%s: the reductions of the table are caused by %v", name, causes)
		}
	}
}
