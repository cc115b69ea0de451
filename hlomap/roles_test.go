package hlomap_test

import (
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
	sums := 0
	for _, c := range mechanismDump(t, "orthogonalised_in_tiles").Collectives() {
		if strings.Contains(c.OpName, "jvp(") {
			continue
		}
		sums++
		if r := c.Operands[0].Role; r != hlomap.RoleOther {
			t.Errorf("%s of the optimizer (%s) is taken for %s", c.Name, c.OpName, r)
		}
	}
	if sums < 6 {
		t.Errorf("only %d sums of the optimizer were found", sums)
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
