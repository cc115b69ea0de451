package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd102() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD102", Name: "duplicate-axis-in-spec", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"ValueError", "DuplicateSpecError"},
		Summary: "a PartitionSpec uses one mesh axis for two dimensions",
		Doc: analyzers.Documentation{
			Finds:   "The same axis name twice in one PartitionSpec that meets a mesh, also inside tuples and through constants that turn out to be equal.",
			Matters: "An axis can split one dimension only. JAX raises DuplicateSpecError (ValueError up to 0.5.2) when the spec meets the mesh; building the bare P(...) says nothing.",
			Example: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
table = NamedSharding(mesh, P("model", ("data", "model")))
`,
			Instead: `import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
table = NamedSharding(mesh, P("model", "data"))
`,
			FixSafety: "The fix drops the repeated name where it stands for the second time. It is unsafe because the first may be the wrong one.",
			Ignore:    "Never for code that runs: JAX refuses it.",
		},
		Requires: [][]string{layoutNeedles()},
		Check:    checkDuplicateAxis,
	}
}

func checkDuplicateAxis(p *analyzers.Pass) {
	out := newOnce(p)
	for _, m := range p.Facts().Meets {
		seen := map[string]bool{}
		for i, e := range m.Spec.Entries {
			for j, n := range e.Names {
				if !seen[n.Name] {
					seen[n.Name] = true
					continue
				}
				f := analyzers.Finding{Message: fmt.Sprintf("axis %s is used twice in %s: an axis can split one dimension only; write %s", quote(n.Name), m.Spec, withoutName(m.Spec, i, j))}
				if fix, ok := dropName(m.Spec, i, j); ok {
					f.Fixes = []analyzers.Fix{fix}
				}
				out.report(n.At, f)
			}
		}
	}
}

// withoutName prints the spec without name j of entry i.
func withoutName(s *flow.Spec, i, j int) string {
	c := *s
	c.Entries = append([]flow.SpecEntry(nil), s.Entries...)
	c.Entries[i].Names = append(append([]flow.AxisName(nil), s.Entries[i].Names[:j]...), s.Entries[i].Names[j+1:]...)
	return c.String()
}

// dropName rewrites the entry in which the name is repeated. Entries that a splat expands to share their place and are left alone.
func dropName(s *flow.Spec, i, j int) (analyzers.Fix, bool) {
	e := s.Entries[i]
	for k := range s.Entries {
		if k != i && s.Entries[k].At == e.At {
			return analyzers.Fix{}, false
		}
	}
	if !e.At.Valid() || !e.At.Contains(e.Names[j].At) {
		return analyzers.Fix{}, false
	}
	rest := flow.SpecEntry{Names: slices.Concat(e.Names[:j], e.Names[j+1:])}
	return analyzers.Fix{Title: fmt.Sprintf("Drop the second %s", quote(e.Names[j].Name)), Safety: analyzers.Unsafe, Edits: []analyzers.Edit{replaced(e.At, entrySource(rest, ""))}}, true
}
