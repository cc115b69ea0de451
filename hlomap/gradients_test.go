package hlomap_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// truth is what the fixtures say of each parameter, from how the programs were written.
type truth struct {
	Parameters []struct {
		OpName   string `json:"op_name"`
		Role     string `json:"role"`
		Gradient *struct {
			Reductions []truthReduction `json:"reductions"`
			Ring       *truthReduction  `json:"ring"`
		} `json:"gradient"`
	} `json:"parameters"`
}

type truthReduction struct {
	Axes  []string `json:"axes"`
	DType string   `json:"dtype"`
	Op    string   `json:"op"`
}

// TestGradientsOfFixtures compares the reductions of every parameter's gradient with what follows from the program: in
// the partitioned module axes, element types and opcodes, in final modules (which widen, combine and hoist) axes.
func TestGradientsOfFixtures(t *testing.T) {
	for _, d := range hlotest.Dumps(t) {
		if d.Set == "big" {
			continue
		}
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			e := d.Expected(t)
			var want truth
			if err := json.Unmarshal(e.Truth, &want); err != nil {
				t.Fatal(err)
			}
			for _, stage := range []string{"after_spmd", "after_opt", "as_text"} {
				m := openOne(t, stage+".txt", d.File(t, stage+".txt"))
				a := hlomap.Attribute(m, []hlomap.Mesh{meshOf(t, d)})
				compareGradients(t, stage, a.Gradients(), &want)
			}
		})
	}
}

// TestGradientsInLoopsOfMappedFunctions: in the body of a shard_map that is differentiated from outside, and in the loops of it, names
// do not tell the passes apart.
func TestGradientsInLoopsOfMappedFunctions(t *testing.T) {
	compared := 0
	for _, d := range hlotest.Dumps(t) {
		if d.Name != "pipeline_ppermute" {
			continue
		}
		compared++
		for _, stage := range []string{"after_spmd", "after_opt"} {
			got := hlomap.Attribute(openOne(t, stage+".txt", d.File(t, stage+".txt")), nil).Gradients()
			if len(got.Parameters) != 2 {
				t.Errorf("%s: %s: %d parameters are listed, want 2 (%s)", d, stage, len(got.Parameters), got.Reason)
			}
		}
	}
	if compared == 0 {
		t.Error("the pipeline is not stored")
	}
}

// TestAnswersOfProtos: a proto and the text of the same dump give the same answers, in the same order.
func TestAnswersOfProtos(t *testing.T) {
	compared := 0
	for _, d := range hlotest.Dumps(t) {
		if !d.Has("after_opt.hlo.pb") {
			continue
		}
		compared++
		mesh := []hlomap.Mesh{meshOf(t, d)}
		modules := [2]*hlomap.Module{openOne(t, "after_opt.txt", d.File(t, "after_opt.txt")), openOne(t, "after_opt.hlo.pb", d.File(t, "after_opt.hlo.pb"))}
		stacks, columns := len(modules[0].FrameFiles()) > 0, false
		for i := range hlomap.InstrID(modules[0].NumInstructions()) {
			columns = columns || modules[0].Metadata(i).Column >= 0
		}
		var answers [2]string
		for k, m := range modules {
			a := hlomap.Attribute(m, mesh)
			collectives := slices.Clone(a.Collectives())
			for n := range collectives {
				collectives[n].Line = 0 // a proto has no lines
			}
			answers[k] = comparable(t, collectives, stacks, columns) + comparable(t, a.Gradients().Parameters, stacks, columns)
		}
		if text, proto := answers[0], answers[1]; text != proto {
			at := 0
			for at < min(len(text), len(proto)) && text[at] == proto[at] {
				at++
			}
			at = max(0, at-200)
			t.Errorf("%s: text and proto differ:\n…%.400s\n…%.400s", d, text[at:], proto[at:])
		}
	}
	if compared == 0 {
		t.Error("no protos are stored")
	}
}

// comparable renders answers, with the innermost line of each stack alone, or no more than its column, where the text has nothing else:
// before jaxlib 0.8.2 stacks are in the proto, and before 0.8 columns too.
func comparable(t *testing.T, answers any, stacks, columns bool) string {
	t.Helper()
	b, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	if stacks {
		return string(b)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	if b, err = json.Marshal(innermost(tree, columns)); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// innermost leaves of each list of frames the file, the line and, where asked, the column of the first.
func innermost(tree any, columns bool) any {
	switch v := tree.(type) {
	case map[string]any:
		for key, value := range v {
			if frames, ok := value.([]any); ok && key == "Frames" && len(frames) > 0 {
				first, _ := frames[0].(map[string]any)
				place := []any{first["Path"], first["Line"]}
				if columns {
					place = append(place, first["Column"])
				}
				value = place
			}
			v[key] = innermost(value, columns)
		}
	case []any:
		for k := range v {
			v[k] = innermost(v[k], columns)
		}
	}
	return tree
}

// meshOf returns the mesh of a program, whose axes have an order in the file that a map does not keep.
func meshOf(t *testing.T, d hlotest.Dump) hlomap.Mesh {
	t.Helper()
	var raw struct {
		Mesh json.RawMessage `json:"mesh"`
	}
	if err := json.Unmarshal(d.File(t, "expected.json"), &raw); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(raw.Mesh)))
	mesh := hlomap.Mesh{Source: "config"}
	name := ""
	for {
		tok, err := dec.Token()
		if err != nil {
			return mesh
		}
		switch x := tok.(type) {
		case string:
			name = x
		case float64:
			mesh.Axes = append(mesh.Axes, hlomap.MeshAxis{Name: name, Size: int(x)})
		}
	}
}

func compareGradients(t *testing.T, stage string, got *hlomap.Gradients, want *truth) {
	t.Helper()
	byName := map[string]*hlomap.ParameterGradient{}
	for k := range got.Parameters {
		byName[got.Parameters[k].Parameter] = &got.Parameters[k]
	}
	trains := slices.ContainsFunc(got.Parameters, func(p hlomap.ParameterGradient) bool { return true })
	for _, p := range want.Parameters {
		g := byName[p.OpName]
		if p.Role != "param" || p.Gradient == nil {
			if g != nil {
				t.Errorf("%s: %s (%s) is listed as a parameter: %s", stage, p.OpName, p.Role, g.Status)
			}
			continue
		}
		if g == nil {
			if trains || len(p.Gradient.Reductions) > 0 {
				t.Errorf("%s: %s is not listed (%s)", stage, p.OpName, got.Reason)
			}
			continue
		}
		reductions := p.Gradient.Reductions
		if p.Gradient.Ring != nil {
			reductions = append(slices.Clone(reductions), *p.Gradient.Ring)
		}
		compareReductions(t, stage, g, reductions)
	}
}

// compareReductions checks that exactly the stated reductions are found, each any number of times.
func compareReductions(t *testing.T, stage string, g *hlomap.ParameterGradient, want []truthReduction) {
	t.Helper()
	key := func(op string, axes []string, dtype string) string {
		if stage != "after_spmd" {
			return strings.Join(axes, "+")
		}
		return fmt.Sprintf("%s over %s in %s", op, strings.Join(axes, "+"), dtype)
	}
	found, stated := map[string]bool{}, map[string]bool{}
	for _, r := range g.Reductions {
		found[key(r.Opcode, r.Axes, r.OperandDType)] = true
		if r.Cause == nil || len(r.Cause.Frames) == 0 {
			t.Errorf("%s: %s: %s has no cause with a line: %+v", stage, g.Parameter, r.Collective, r.Cause)
		}
	}
	for _, r := range want {
		stated[key(r.Op, r.Axes, r.DType)] = true
	}
	for k := range stated {
		if !found[k] {
			t.Errorf("%s: %s (%s): no %s, only %v", stage, g.Parameter, g.Status, k, found)
		}
	}
	for k := range found {
		if !stated[k] {
			t.Errorf("%s: %s (%s): unexpected %s", stage, g.Parameter, g.Status, k)
		}
	}
	if len(want) > 0 && g.Status != hlomap.StatusReduced {
		t.Errorf("%s: %s is %s: %s", stage, g.Parameter, g.Status, g.Reason)
	}
	if len(want) == 0 && g.Status != hlomap.StatusSharded && g.Status != hlomap.StatusNotTrained {
		t.Errorf("%s: %s is %s: %s", stage, g.Parameter, g.Status, g.Reason)
	}
}

// TestCausesOfMergedProducts: GPU's backend computes queries, keys and values in one product; the gradient of each weight still
// has the line that it has just after partitioning.
func TestCausesOfMergedProducts(t *testing.T) {
	compared := 0
	for _, d := range hlotest.Dumps(t) {
		if d.Set != "gpu" {
			continue
		}
		mesh := []hlomap.Mesh{meshOf(t, d)}
		early := causeLines(hlomap.Attribute(openOne(t, "after_spmd.txt", d.File(t, "after_spmd.txt")), mesh))
		final := causeLines(hlomap.Attribute(openOne(t, "after_opt.txt", d.File(t, "after_opt.txt")), mesh))
		for name, want := range early {
			if got := final[name]; len(got) > 0 {
				compared++
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s is reduced because of lines %v, %v just after partitioning", d, name, got, want)
				}
			}
		}
	}
	if compared < 80 {
		t.Errorf("only %d parameters were compared", compared)
	}
}

// causeLines lists by parameter the lines of the operations behind its reductions, sorted, each once.
func causeLines(a *hlomap.Attribution) map[string][]int {
	lines := map[string][]int{}
	for _, p := range a.Gradients().Parameters {
		for _, r := range p.Reductions {
			if r.Cause != nil && len(r.Cause.Frames) > 0 && !slices.Contains(lines[p.Parameter], r.Cause.Frames[0].Line) {
				lines[p.Parameter] = append(lines[p.Parameter], r.Cause.Frames[0].Line)
			}
		}
		slices.Sort(lines[p.Parameter])
	}
	return lines
}

// Where a shard_map is differentiated from outside, its body is called with a name of the backward pass and names its own operations anew
// (JAX 0.10.2): the result is still known for the gradient of the argument, in the type of the copy by which it was taken.
func TestGradientOfDifferentiatedShardMap(t *testing.T) {
	for _, dtype := range []string{"f32", "bf16"} {
		text := strings.ReplaceAll(`HloModule jit_f, num_partitions=8

sum { a = T[] parameter(0)
  b = T[] parameter(1)
  ROOT c = T[] add(a, b) }

forward { p = f32[16,16] parameter(0)
  c = T[16,16] convert(p)
  x = T[8,16] parameter(1)
  ROOT d = T[8,16] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="dot_general"} }

backward { d = T[8,16] parameter(0)
  x = T[8,16] parameter(1)
  g = T[16,16] dot(x, d), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="dot_general"}
  ROOT r = T[16,16] all-reduce(g), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, use_global_device_ids=true, to_apply=sum, metadata={op_name="psum_invariant"} }

ENTRY e { w = f32[16,16] parameter(0), sharding={replicated}, metadata={op_name="w"}
  x = T[8,16] parameter(1), sharding={devices=[8,1]<=[8]}, metadata={op_name="x"}
  d = T[8,16] call(w, x), to_apply=forward, metadata={op_name="jit(f)/jvp()/shard_map"}
  ROOT g = T[16,16] call(d, x), to_apply=backward, metadata={op_name="jit(f)/transpose(jvp())/shard_map"} }
`, "T[", dtype+"[")
		g := hlomap.Attribute(openOne(t, "after_spmd.txt", []byte(text)), nil).Gradients()
		if len(g.Parameters) != 1 || g.Parameters[0].Status != hlomap.StatusReduced || g.Parameters[0].LowPrecision != (dtype == "bf16") {
			t.Errorf("%s: %+v", dtype, g)
		}
	}
}

// Where out_shardings are left open, a parameter may come in whole and its new value go out in tiles, beside slots that were in tiles
// before (JAX 0.10.2: the second compilation of a step). The output is the parameter's although the slot has its shape, reaches it and
// gives it its buffer.
func TestGradientOfParameterThatComesBackInTiles(t *testing.T) {
	const head = `HloModule jit_step, num_partitions=4, input_output_alias={ {0}: (1, {}, may-alias), {2}: (3, {}, may-alias) }

sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }

ENTRY e { w = f32[8] parameter(0), sharding={replicated}, metadata={op_name="params['w']"}
  m = f32[4] parameter(1), sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}, metadata={op_name="opt['w']"}
  x = f32[16,4] parameter(2), sharding={devices=[2,2]<=[4]}, metadata={op_name="x"}
  v = f32[4] parameter(3), sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}, metadata={op_name="params['v']"}
  table = s32[4] constant({0, 4, 0, 4})
  id = u32[] partition-id()
  one = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={1}
  at = s32[] reshape(one)
  tile = f32[4] dynamic-slice(w, at), dynamic_slice_sizes={4}
  both = f32[4] multiply(tile, v), metadata={op_name="jit(step)/jvp()/mul"}
  y = f32[16] dot(x, both), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/jvp()/dot_general"}
  d = f32[4] dot(y, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/transpose(jvp())/dot_general"}
  g = f32[4] all-reduce(d), channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=sum, metadata={op_name="jit(step)/transpose(jvp())/dot_general"}
  h = f32[4] dot(y, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/transpose(jvp())/dot_general.1"}
  gv = f32[4] all-reduce(h), channel_id=2, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=sum, metadata={op_name="jit(step)/transpose(jvp())/dot_general.1"}
  new_v = f32[4] subtract(v, gv)
`
	for _, c := range []struct{ name, results, want string }{
		{"the slot is updated from its old value alone", `
  new_m = f32[4] add(m, g)
  new_w = f32[4] subtract(tile, new_m)
  ROOT r = (f32[4], f32[4], f32[4]) tuple(new_w, new_m, new_v) }`, "params['w'] reduced g, params['v'] reduced gv"},
		{"weights decay into the slot, and slots come first", `
  decayed = f32[4] add(g, tile)
  new_m = f32[4] add(m, decayed)
  new_w = f32[4] subtract(tile, new_m)
  ROOT r = (f32[4], f32[4], f32[4]) tuple(new_m, new_w, new_v) }`, "params['w'] reduced g, params['v'] reduced gv"},
		{"no result is left for the parameter", `
  decayed = f32[4] add(g, tile)
  new_m = f32[4] add(m, decayed)
  ROOT r = (f32[4], s32[4], f32[4]) tuple(new_m, table, new_v) }`, "params['w'] unknown, params['v'] reduced gv"},
	} {
		a := hlomap.Attribute(openOne(t, "after_spmd.txt", []byte(head+c.results+"\n")), nil)
		var got []string
		for _, p := range a.Gradients().Parameters {
			line := p.Parameter + " " + string(p.Status)
			for _, r := range p.Reductions {
				line += " " + r.Collective
			}
			got = append(got, line)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
		for _, col := range a.Collectives() {
			if o := col.Operands[0]; col.Name == "g" && strings.Contains(c.want, "reduced g,") && !slices.Equal(o.Parameters, []string{"params['w']"}) {
				t.Errorf("%s: %s is for %v", c.name, col.Name, o.Parameters)
			}
		}
	}
}
