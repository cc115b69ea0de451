package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd702() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD702", Name: "host-fetch-of-global-array", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Raises:  []string{"RuntimeError"},
		Summary: "one process asks for the data of an array that is spread over all",
		Doc: analyzers.Documentation{
			Finds:   "np.asarray, np.array, jax.device_get or tolist of an array with a spec that names a mesh axis, in a program for several processes. Replicated results, addressable_data and process_allgather are fine.",
			Matters: "It raises RuntimeError in the first run with several processes, and works with one.",
			Example: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
print(np.asarray(x))
`,
			Instead: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
from jax.experimental import multihost_utils

print(np.asarray(multihost_utils.process_allgather(x, tiled=True)))
`,
			FixSafety: "The fix gathers the array with multihost_utils.process_allgather(..., tiled=True) first, and imports that where needed. It is unsafe: every process has to reach the call, and each then holds the whole array.",
			Ignore:    "In a file that runs with one process only.",
		},
		Needles:  processNeedles(),
		Requires: [][]string{layoutNeedles()},
		Check:    checkHostFetch,
	}
}

func checkHostFetch(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	if !manyProcesses(facts) {
		return
	}
	for _, e := range facts.Named("numpy.asarray", "numpy.array", "jax.device_get", "jax.Array.tolist") {
		if e.Region.Find(flow.SingleRegion) != nil {
			continue
		}
		value := e.Value(0)
		text := ""
		if a := e.Arg(0); a != nil {
			text = a.At.Text()
		}
		if e.Recv != nil {
			value, text = e.Recv, "the array"
			if isKind(e.Fn, pyparse.KindAttribute) {
				text = e.Fn.File.Syntax.Text(e.Fn.File.Syntax.Child(e.Fn.Node, pyparse.FieldObject))
			}
		}
		leaves, _ := flow.Leaves(value)
		for _, l := range leaves {
			a, ok := l.(*flow.Array)
			if !ok || a.Sharding == nil || a.Sharding.Spec == nil || len(a.Sharding.Spec.Axes()) == 0 || !globalArray(a) || e.Region.UnderJit() || asksWhere(e.At) {
				continue
			}
			out.report(e.At, analyzers.Finding{Fixes: gatheredFirst(e), Message: fmt.Sprintf("%s of %s raises with several processes: its data is spread as %s; use multihost_utils.process_allgather(..., tiled=True), or out_shardings P()",
				lastName(e.Name), text, a.Sharding.Spec)})
			break
		}
	}
}

// asksWhere reports whether the function around a node, or outside of any the statement of the file, asks of an array where its data
// is: it knows which arrays it can read.
func asksWhere(at flow.Ref) bool {
	s := at.File.Syntax
	around := s.EnclosingFunction(at.Node)
	if around == pyparse.None {
		around = s.EnclosingStatement(at.Node)
		for p := s.Parent(around); p != pyparse.None && s.Parent(p) != pyparse.None; p = s.Parent(p) {
			around = p
		}
	}
	for n := range s.Descendants(around) {
		if s.Is(n, pyparse.KindIdentifier) {
			switch s.Text(n) {
			case "is_fully_addressable", "is_fully_replicated":
				return true
			}
		}
	}
	return false
}

// gatheredFirst gathers the array of a fetch from all processes. Code that only some of them reach gets no such fix: the others would
// not take part.
func gatheredFirst(e *flow.Event) []analyzers.Fix {
	at := argumentAt(e, 0, "x")
	if e.Recv != nil && isKind(e.Fn, pyparse.KindAttribute) {
		at = flow.Ref{File: e.Fn.File, Node: e.Fn.File.Syntax.Child(e.Fn.Node, pyparse.FieldObject)}
	}
	if !at.Valid() || e.Region.Find(flow.DivergentRegion) != nil {
		return nil
	}
	gather, edits := spelling(at.File.Syntax, "jax.experimental.multihost_utils.process_allgather"), []analyzers.Edit(nil)
	if gather == "" || !importsModule(at.File, "jax.experimental.multihost_utils") {
		module, added := importAdded(at.File, "jax.experimental", "multihost_utils")
		if module == "" {
			return nil
		}
		gather, edits = module+".process_allgather", added
	}
	return fixOf("Gather it from all processes", analyzers.Unsafe, append(edits, replaced(at, gather+"("+at.Text()+", tiled=True)"))...)
}
