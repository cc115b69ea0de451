package hlomap_test

import (
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
