package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd806() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD806", Name: "filter-jit-shardings", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "equinox.filter_jit is given a keyword of jax.jit that it refuses",
		Doc: analyzers.Documentation{
			Finds: "A call of equinox.filter_jit, also through functools.partial or as a decorator, with in_shardings, out_shardings, static_argnums, static_argnames or donate_argnums.",
			Matters: "Equinox raises ValueError: it splits the arguments into arrays and the rest before it calls jax.jit, so that positions and trees of jax.jit's own keywords mean nothing. " +
				"Layouts are stated with equinox.filter_shard, outside for placing and inside for keeping.",
			Example: `import equinox as eqx
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
forward = eqx.filter_jit(lambda model, x: jax.vmap(model)(x), in_shardings=(None, rows))
`,
			Instead: `import equinox as eqx
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
forward = eqx.filter_jit(lambda model, x: jax.vmap(model)(eqx.filter_shard(x, rows)))
`,
			Ignore: "Never: the call raises.",
		},
		Needles: []string{"filter_jit"},
		Check:   checkFilterJit,
	}
}

// filterJitRefuses are the keywords of jax.jit that filter_jit refuses (equinox 0.13.8), with what replaces them.
var filterJitRefuses = [...]struct{ keyword, remedy string }{
	{"in_shardings", "place inputs with equinox.filter_shard(x, sharding) inside the function"},
	{"out_shardings", "return equinox.filter_shard(result, sharding) from the function"},
	{"static_argnums", "leave it out: whatever is not an array is static"},
	{"static_argnames", "leave it out: whatever is not an array is static"},
	{"donate_argnums", "write donate="},
}

func checkFilterJit(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("equinox.filter_jit") {
		if e.Guarded {
			continue
		}
		var at flow.Ref
		var names, remedies []string
		for _, refused := range filterJitRefuses {
			a := e.Arg(-1, refused.keyword)
			if a == nil {
				continue
			}
			if !at.Valid() {
				at = keyword(a.At)
			}
			names = append(names, refused.keyword)
			if len(remedies) == 0 || remedies[len(remedies)-1] != refused.remedy {
				remedies = append(remedies, refused.remedy)
			}
		}
		if len(names) == 0 {
			continue
		}
		if !at.Valid() {
			at = e.At
		}
		out.report(at, analyzers.Finding{Message: fmt.Sprintf("equinox.filter_jit raises ValueError for %s; %s", strings.Join(names, ", "), strings.Join(remedies, ", and "))})
	}
}
