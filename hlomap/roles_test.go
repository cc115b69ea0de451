package hlomap_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// TestParametersOfOperands compares the parameters of every operand with the answers of the fixtures, which tell them by
// shape: none may be wrong, and at most one in a hundred unknown.
func TestParametersOfOperands(t *testing.T) {
	compared, unknown := 0, 0
	for _, d := range hlotest.Dumps(t) {
		if d.Set == "big" {
			continue
		}
		e := d.Expected(t)
		for _, name := range e.Files() {
			want := e.Modules[name]
			if name == "before_opt" {
				continue
			}
			m := openOne(t, name+".txt", d.File(t, name+".txt"))
			got := hlomap.Attribute(m, []hlomap.Mesh{meshOf(t, d)}).Collectives()
			for _, c := range got {
				for _, o := range c.Operands {
					if names := slices.Sorted(slices.Values(o.Parameters)); len(slices.Compact(names)) < len(o.Parameters) {
						t.Errorf("%s: %s: an operand of %s names a parameter twice: %v", d, name, c.Name, o.Parameters)
					}
				}
			}
			differences, n := want.ParameterDifferences(records(got))
			for _, diff := range differences {
				t.Errorf("%s: %s: %s", d, name, diff)
			}
			compared += n
			unknown += len(differences)
		}
	}
	t.Logf("%d of %d operands differ", unknown, compared)
}

// TestRolesOfUpdates: what an optimizer sums over parts of matrices, products of gradients and their norms, is neither activation nor loss.
func TestRolesOfUpdates(t *testing.T) {
	for _, stage := range []string{"after_spmd.txt", "jax-0.6.2_after_spmd.txt"} {
		path := filepath.Join(hlotest.Root(t), "testdata", "hlo_mechanisms", "orthogonalised_in_tiles", stage+".zst")
		roles := map[hlomap.Role]int{}
		for _, c := range hlomap.Attribute(openOne(t, stage, decompress(t, path)), nil).Collectives() {
			roles[c.Operands[0].Role]++
		}
		// Two norms and two Gram matrices of two matrices; the sum over the features of the hidden layer.
		if roles[hlomap.RoleOther] != 6 || roles[hlomap.RoleGradient] != 2 || roles[hlomap.RoleActivation] != 1 {
			t.Errorf("%s: roles are %v", stage, roles)
		}
	}
}

// TestLossesOfMicroBatches: the loss that a loop over micro-batches collects is averaged before it is returned.
func TestLossesOfMicroBatches(t *testing.T) {
	var roles []hlomap.Role
	for _, c := range mechanismDump(t, "scaled_micro_batches").Collectives() {
		roles = append(roles, c.Operands[0].Role)
	}
	slices.Sort(roles)
	if want := []hlomap.Role{hlomap.RoleGradient, hlomap.RoleGradient, hlomap.RoleLoss}; !slices.Equal(roles, want) {
		t.Errorf("the operands are %v, want %v", roles, want)
	}
}

// TestFirstUsersBeyondTheirComputation: a value may be used outside of the mapped function or in the next round of the loop that it is made in.
func TestFirstUsersBeyondTheirComputation(t *testing.T) {
	for _, d := range hlotest.Dumps(t) {
		if d.String() != "cpu/pipeline_ppermute" {
			continue
		}
		// The lines of the stage that receives a state, of the output whose derivative comes back, and of the error behind the sum over stages.
		want := map[string][]int{"after_spmd": {34, 50, 37}, "after_opt": {34, 37, 50}}
		for stage, want := range want {
			var lines []int
			for _, c := range hlomap.Attribute(openOne(t, stage+".txt", d.File(t, stage+".txt")), nil).Collectives() {
				line := 0
				if u := c.Operands[0].FirstUser; u != nil && len(u.Frames) > 0 {
					line = u.Frames[0].Line
				}
				lines = append(lines, line)
			}
			if !slices.Equal(lines, want) {
				t.Errorf("%s: the first users of the %d collectives stand in lines %v, want %v", stage, len(lines), lines, want)
			}
		}
		return
	}
	t.Error("the pipeline is not stored")
}

// besideAnActivation sends the sum of a bias's gradient and that of a product of the update in one array, as GPU's backend does with
// whatever is summed at the same time.
const besideAnActivation = `HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }, num_partitions=2

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main_spmd (p0: f32[3], p1: f32[4,4], x: f32[8,3], m: f32[2,4]) -> (f32[3], f32[4,4]) {
  %p0 = f32[3]{0} parameter(0), sharding={replicated}, metadata={op_name="p[\'bias\']"}
  %p1 = f32[4,4]{1,0} parameter(1), sharding={replicated}, metadata={op_name="p[\'w\']"}
  %x = f32[8,3]{1,0} parameter(2), sharding={devices=[2,1]<=[2]}, metadata={op_name="x"}
  %m = f32[2,4]{1,0} parameter(3), sharding={devices=[2,1]<=[2]}, metadata={op_name="m"}
  %zero = f32[] constant(0)
  %spread = f32[8,3]{1,0} broadcast(%p0), dimensions={1}, metadata={op_name="jit(step)/jvp()/mul" source_file="train.py" source_line=7}
  %mul = f32[8,3]{1,0} multiply(%x, %spread), metadata={op_name="jit(step)/transpose(jvp())/mul" source_file="train.py" source_line=7}
  %reduce = f32[3]{0} reduce(%mul, %zero), dimensions={0}, to_apply=%add, metadata={op_name="jit(step)/transpose(jvp())/reduce_sum" source_file="train.py" source_line=7}
  %dot = f32[4,4]{1,0} dot(%m, %m), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/dot_general" source_file="train.py" source_line=9}
  %flat = f32[16]{0} bitcast(%dot)
  %both = f32[19]{0} concatenate(%flat, %reduce), dimensions={0}
  %all-reduce = f32[19]{0} all-reduce(%both), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add
  %bias = f32[3]{0} slice(%all-reduce), slice={[16:19]}
  %gram = f32[16]{0} slice(%all-reduce), slice={[0:16]}
  %square = f32[4,4]{1,0} bitcast(%gram)
  %update = f32[4,4]{1,0} dot(%square, %p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/dot_general" source_file="train.py" source_line=10}
  %new0 = f32[3]{0} subtract(%p0, %bias)
  %new1 = f32[4,4]{1,0} subtract(%p1, %update)
  ROOT %out = (f32[3]{0}, f32[4,4]{1,0}) tuple(%new0, %new1)
}
`

// TestGradientBesideAnActivation: the pieces of an array are told apart also where some are gradients and some are not.
func TestGradientBesideAnActivation(t *testing.T) {
	a := hlomap.Attribute(openOne(t, "step.txt", []byte(besideAnActivation)), nil)
	o := a.Collectives()[0].Operands[0]
	if o.Role != hlomap.RoleGradient || len(o.Parameters) != 1 || o.Parameters[0] != "p['bias']" || o.Cause == nil || o.Cause.Instruction != "reduce" {
		t.Errorf("the operand is a %s of %v, caused by %+v", o.Role, o.Parameters, o.Cause)
	}
}

// TestUserOfARaggedExchange: a ragged all-to-all has six operands and one result, which is what it sends of the first.
func TestUserOfARaggedExchange(t *testing.T) {
	const text = `HloModule jit_f, num_partitions=2

%exchange (a: f32[8,4], b: f32[8,4], c: s32[2], d: s32[2], e: s32[2], f: s32[2]) -> f32[8,4] {
  %a = f32[8,4]{1,0} parameter(0)
  %b = f32[8,4]{1,0} parameter(1)
  %c = s32[2]{0} parameter(2)
  %d = s32[2]{0} parameter(3)
  %e = s32[2]{0} parameter(4)
  %f = s32[2]{0} parameter(5)
  ROOT %inner = f32[8,4]{1,0} ragged-all-to-all(%a, %b, %c, %d, %e, %f), channel_id=1, replica_groups={{0,1}}
}

ENTRY %main_spmd (x: f32[8,4], y: f32[8,4], o: s32[2]) -> f32[8,4] {
  %x = f32[8,4]{1,0} parameter(0)
  %y = f32[8,4]{1,0} parameter(1)
  %o = s32[2]{0} parameter(2)
  %start = ((f32[8,4]{1,0}, f32[8,4]{1,0}, s32[2]{0}, s32[2]{0}, s32[2]{0}, /*index=5*/s32[2]{0}), f32[8,4]{1,0}) async-start(%x, %y, %o, %o, %o, /*index=5*/%o), calls=%exchange
  %done = f32[8,4]{1,0} async-done(%start)
  ROOT %tanh = f32[8,4]{1,0} tanh(%done), metadata={op_name="jit(f)/tanh"}
}
`
	c := hlomap.Attribute(openOne(t, "f.txt", []byte(text)), nil).Collectives()[0]
	if u := c.Operands[0].FirstUser; u == nil || u.Instruction != "tanh" {
		t.Errorf("the result is first used by %+v, want tanh", u)
	}
	if u := c.Operands[2].FirstUser; u != nil {
		t.Errorf("the offsets are used by %+v", u)
	}
}

// TestHeldWeights: a weight that is gathered, and neither trained nor returned, is known by the trained one at its place in another tree.
func TestHeldWeights(t *testing.T) {
	const module = `HloModule jit_step, input_output_alias={ {0}: (0, {}, may-alias) }, entry_computation_layout={(f32[4,8]{1,0}, f32[2,8]{1,0}, f32[2,4]{1,0})->f32[4,8]{1,0}}, num_partitions=2

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main_spmd (p: f32[4,8], q: f32[2,8], x: f32[2,4]) -> f32[4,8] {
  %p = f32[4,8]{1,0} parameter(0), sharding={replicated}, metadata={op_name="student['mlp']['w']"}
  %q = f32[2,8]{1,0} parameter(1), sharding={devices=[2,1]<=[2]}, metadata={op_name="NAME"}
  %x = f32[2,4]{1,0} parameter(2), sharding={devices=[2,1]<=[2]}, metadata={op_name="x"}
  %all-gather = f32[4,8]{1,0} all-gather(%q), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true, metadata={op_name="jit(step)/dot_general"}
  %wanted = f32[2,8]{1,0} dot(%x, %all-gather), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/dot_general"}
  %made = f32[2,8]{1,0} dot(%x, %p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/jvp()/dot_general"}
  %error = f32[2,8]{1,0} subtract(%made, %wanted), metadata={op_name="jit(step)/jvp()/sub"}
  %partial = f32[4,8]{1,0} dot(%x, %error), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/transpose(jvp())/dot_general"}
  %all-reduce = f32[4,8]{1,0} all-reduce(%partial), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add, metadata={op_name="jit(step)/transpose(jvp())/dot_general"}
  ROOT %new = f32[4,8]{1,0} subtract(%p, %all-reduce), metadata={op_name="jit(step)/sub"}
}
`
	for name, want := range map[string]hlomap.Role{
		"teacher['mlp']['w']": hlomap.RoleParameter, "frozen_params['v']": hlomap.RoleParameter, "batch['image']": hlomap.RoleActivation,
	} {
		m := openOne(t, "module.txt", []byte(strings.Replace(module, "NAME", name, 1)))
		o := hlomap.Attribute(m, nil).Collectives()[0].Operands[0]
		if o.Role != want || (want == hlomap.RoleParameter) != slices.Equal(o.Parameters, []string{name}) {
			t.Errorf("what is gathered of %s is the %s of %v, want %s", name, o.Role, o.Parameters, want)
		}
	}
}

// TestUpdatedWeightsThatAreGathered: what a branch or a mapped function gathers last and returns is a weight, not a gradient.
func TestUpdatedWeightsThatAreGathered(t *testing.T) {
	const stage = "gpu_after_spmd.txt"
	path := filepath.Join(hlotest.Root(t), "testdata", "hlo_mechanisms", "accumulated_over_calls", stage+".zst")
	gathers := 0
	for _, c := range hlomap.Attribute(openOne(t, stage, decompress(t, path)), nil).Collectives() {
		if c.Opcode != "all-gather" || len(c.Operands[0].Parameters) == 0 {
			continue
		}
		gathers++
		if r := c.Operands[0].Role; r != hlomap.RoleParameter {
			t.Errorf("%s is taken for the %s of %v", c.Name, r, c.Operands[0].Parameters)
		}
	}
	if gathers == 0 {
		t.Error("nothing is gathered")
	}
}

// flatGradients scatters the sum of two gradients as one array, scales the part of each device, and gathers the update.
const flatGradients = `HloModule jit_step, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias), {2}: (2, {}, may-alias) }, num_partitions=2

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main_spmd (p0: f32[6], p1: f32[4], mu: f32[5], x: f32[8,6], z: f32[8,4]) -> (f32[6], f32[4], f32[5]) {
  %p0 = f32[6]{0} parameter(0), sharding={replicated}, metadata={op_name="p[\'a\']"}
  %p1 = f32[4]{0} parameter(1), sharding={replicated}, metadata={op_name="p[\'b\']"}
  %mu = f32[5]{0} parameter(2), sharding={devices=[2]<=[2]}, metadata={op_name="rates"}
  %x = f32[8,6]{1,0} parameter(3), sharding={devices=[2,1]<=[2]}, metadata={op_name="x"}
  %z = f32[8,4]{1,0} parameter(4), sharding={devices=[2,1]<=[2]}, metadata={op_name="z"}
  %zero = f32[] constant(0)
  %spread0 = f32[8,6]{1,0} broadcast(%p0), dimensions={1}, metadata={op_name="jit(step)/jvp()/mul"}
  %mul0 = f32[8,6]{1,0} multiply(%x, %spread0), metadata={op_name="jit(step)/transpose(jvp())/mul"}
  %reduce0 = f32[6]{0} reduce(%mul0, %zero), dimensions={0}, to_apply=%add, metadata={op_name="jit(step)/transpose(jvp())/reduce_sum"}
  %spread1 = f32[8,4]{1,0} broadcast(%p1), dimensions={1}, metadata={op_name="jit(step)/jvp()/mul"}
  %mul1 = f32[8,4]{1,0} multiply(%z, %spread1), metadata={op_name="jit(step)/transpose(jvp())/mul"}
  %reduce1 = f32[4]{0} reduce(%mul1, %zero), dimensions={0}, to_apply=%add, metadata={op_name="jit(step)/transpose(jvp())/reduce_sum"}
  %flat = f32[10]{0} concatenate(%reduce0, %reduce1), dimensions={0}
  %reduce-scatter = f32[5]{0} reduce-scatter(%flat), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0}, to_apply=%add
  %scaled = f32[5]{0} multiply(%mu, %reduce-scatter)
  %all-gather = f32[10]{0} all-gather(%scaled), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0}
  %update0 = f32[6]{0} slice(%all-gather), slice={[0:6]}
  %update1 = f32[4]{0} slice(%all-gather), slice={[6:10]}
  %new0 = f32[6]{0} subtract(%p0, %update0)
  %new1 = f32[4]{0} subtract(%p1, %update1)
  ROOT %out = (f32[6]{0}, f32[4]{0}, f32[5]{0}) tuple(%new0, %new1, %mu)
}
`

// TestFlatGradients: the elements of an array that is scattered and gathered again are told apart all the way, but not by the places
// that they have in each device's part: that is cut up otherwise.
func TestFlatGradients(t *testing.T) {
	elsewhere := strings.NewReplacer(
		"all-gather(%scaled)", "all-gather(%shuffled)",
		"  %all-gather =", "  %head = f32[2]{0} slice(%scaled), slice={[0:2]}\n  %tail = f32[3]{0} slice(%scaled), slice={[2:5]}\n"+
			"  %shuffled = f32[5]{0} concatenate(%tail, %head), dimensions={0}\n  %all-gather =").Replace(flatGradients)
	for text, exact := range map[string]bool{flatGradients: true, elsewhere: false} {
		got := hlomap.Attribute(openOne(t, "step.txt", []byte(text)), nil).Gradients().Parameters
		var causes []string
		for _, p := range got {
			if p.Status != hlomap.StatusReduced || len(p.Reductions) != 1 || p.Reductions[0].Cause == nil {
				t.Errorf("exact %v: %s is %s by %+v", exact, p.Parameter, p.Status, p.Reductions)
				continue
			}
			causes = append(causes, p.Reductions[0].Cause.Instruction)
		}
		if exact && !slices.Equal(causes, []string{"reduce0", "reduce1"}) || len(causes) == 0 {
			t.Errorf("exact %v: the gradients are caused by %v", exact, causes)
		}
	}
}
