package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd703() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD703", Name: "process-local-data-shape", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "the local data of a process is as large as the global batch, or differs where the sharding says it is the same",
		Doc: analyzers.Documentation{
			Finds: "make_array_from_process_local_data without global_shape, of data made from a size that is called global, that the program divides among the processes elsewhere, or that counts all devices; " +
				"and with a sharding that replicates, of data made from jax.process_index().",
			Matters: "Nothing raises. With the whole batch in each of two processes the array has 32 rows instead of 16. " +
				"Data that differs under a replicated sharding leaves replicas with different values (0.0 and 1.0) that JAX takes for equal.",
			Example: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
GLOBAL_BATCH = 16
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((GLOBAL_BATCH, 3), np.float32))
`,
			Instead: `import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
GLOBAL_BATCH = 16
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((GLOBAL_BATCH // jax.process_count(), 3), np.float32))
`,
			FixSafety: "The fix divides the size by jax.process_count(). It is unsafe because each process then loads other rows.",
			Ignore:    "When the name says global and the size is meant for each process.",
		},
		Needles:  []string{"make_array_from_process_local_data"},
		Requires: [][]string{layoutNeedles()},
		Check:    checkLocalData,
	}
}

func checkLocalData(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	if !manyProcesses(facts) {
		return
	}
	for _, e := range facts.Named("jax.make_array_from_process_local_data") {
		sharding, ok := e.Value(0, "sharding").(*flow.Sharding)
		data := e.Arg(1, "local_data")
		if !ok || data == nil || e.Splat || e.Region.Find(flow.SingleRegion) != nil || sharding.Spec == nil || !sharding.Spec.Complete() {
			continue
		}
		from := originsOf(data.At, e.Unit)
		if len(sharding.Spec.Axes()) == 0 {
			if calledIn(from, facts.Named("jax.process_index", "jax.host_id")) {
				out.report(e.At, analyzers.Finding{Message: "the local data depends on jax.process_index(), but the sharding " + sharding.Spec.String() +
					" says that all processes hold the same array: replicas end up with different values; shard the dimension that differs"})
			}
			continue
		}
		if given(e.Value(2, "global_shape")) || len(sharding.Spec.Entries[0].Names) == 0 {
			continue
		}
		local, ok := data.Value.(*flow.Array)
		if !ok || dividesByProcess(facts, from) {
			continue
		}
		if name := globalSize(facts, from, local); name.Valid() {
			out.report(e.At, wholeBatch(name, data.At))
		} else if count := deviceCount(facts, from, local); count.Valid() {
			out.report(e.At, everyDevice(count))
		}
	}
}

// dividesByProcess reports whether a value is made in a way that may depend on the process by more than the seed of what is drawn.
func dividesByProcess(facts *flow.Facts, from []flow.Ref) bool {
	for _, e := range facts.Named("jax.process_count", "jax.process_index", "jax.host_count", "jax.host_id", "jax.local_device_count", "jax.local_devices") {
		if !seeds(e.At) && slices.ContainsFunc(from, func(n flow.Ref) bool { return n.Contains(e.At) }) {
			return true
		}
	}
	return false
}

// seeds reports whether an expression stands in a call that seeds a generator of random numbers.
func seeds(at flow.Ref) bool {
	s := at.File.Syntax
	for n := s.Parent(at.Node); n != pyparse.None && n != s.EnclosingStatement(at.Node); n = s.Parent(n) {
		if !s.Is(n, pyparse.KindCall) {
			continue
		}
		name, _ := s.DottedName(s.Callee(n))
		switch lastName(name) {
		case "default_rng", "RandomState", "SeedSequence", "seed", "PRNGKey", "fold_in", "key":
			return true
		}
	}
	return false
}

// dividedSizes are the names and attributes that the program divides by the number of processes.
type dividedSizes struct {
	symbols    map[*pyparse.Symbol]bool
	attributes map[string]bool
}

func dividedSizesOf(facts *flow.Facts) dividedSizes {
	d := dividedSizes{map[*pyparse.Symbol]bool{}, map[string]bool{}}
	for _, e := range facts.Named("jax.process_count", "jax.host_count") {
		s := e.At.File.Syntax
		d.add(s, e.At.Node)
		if a, ok := s.Assignment(s.Parent(e.At.Node)); ok && a.Value == e.At.Node && len(a.Targets) == 1 {
			if symbol := s.Resolve(a.Targets[0]); symbol != nil && len(symbol.Bindings) == 1 {
				for _, use := range symbol.Uses {
					d.add(s, use)
				}
			}
		}
	}
	return d
}

// add notes what is divided by a node.
func (d dividedSizes) add(s *pyparse.File, divisor pyparse.NodeID) {
	division := s.Parent(divisor)
	if !s.Is(division, pyparse.KindBinaryOperator) || s.Operator(division) != "//" || s.Child(division, pyparse.FieldRight) != divisor {
		return
	}
	switch size := s.Child(division, pyparse.FieldLeft); {
	case s.Is(size, pyparse.KindAttribute):
		d.attributes[s.Text(s.Child(size, pyparse.FieldAttribute))] = true
	case s.Is(size, pyparse.KindIdentifier) && s.Resolve(size) != nil:
		d.symbols[s.Resolve(size)] = true
	}
}

// has reports whether a name is such a size.
func (d dividedSizes) has(name flow.Ref) bool {
	s := name.File.Syntax
	if s.FieldOf(name.Node) == pyparse.FieldAttribute {
		return d.attributes[name.Text()]
	}
	symbol := s.Resolve(name.Node)
	return symbol != nil && d.symbols[symbol]
}

// deviceCount is the call that counts the devices of all processes for the rows of local data; invalid where none does.
func deviceCount(facts *flow.Facts, from []flow.Ref, local *flow.Array) flow.Ref {
	if local.Rank() < 1 || local.Dim(0) >= 0 || slices.Contains(local.Dims[1:], -1) {
		return flow.Ref{} // the number may belong to another dimension
	}
	var found flow.Ref
	for _, e := range facts.Named("jax.device_count") {
		if !slices.ContainsFunc(from, func(n flow.Ref) bool { return n.Contains(e.At) }) {
			continue
		}
		s := e.At.File.Syntax
		parent := s.Parent(e.At.Node)
		switch {
		case s.Is(parent, pyparse.KindBinaryOperator) && s.Operator(parent) == "*", s.Is(parent, pyparse.KindTuple, pyparse.KindAssignment, pyparse.KindArgumentList):
			found = e.At
		default:
			return flow.Ref{}
		}
	}
	return found
}

func everyDevice(count flow.Ref) analyzers.Finding {
	size := count
	s := count.File.Syntax
	for parent := s.Parent(size.Node); s.Is(parent, pyparse.KindBinaryOperator); parent = s.Parent(parent) {
		size.Node = parent
	}
	text := size.Text()
	if a, ok := s.Assignment(s.Parent(size.Node)); ok && len(a.Targets) == 1 && s.Is(a.Targets[0], pyparse.KindIdentifier, pyparse.KindAttribute) {
		text = s.Text(a.Targets[0]) + " = " + text
	}
	callee := flow.Ref{File: count.File, Node: s.Callee(count.Node)}
	return analyzers.Finding{
		Message:    fmt.Sprintf("each process passes as many rows as all processes have devices for (%s), and the array gets that many for every process; count jax.local_device_count()", text),
		Confidence: analyzers.Likely,
		Fixes:      fixOf("Count the devices of this process", analyzers.Unsafe, replaced(callee, spelt(count.File, "jax.local_device_count"))),
	}
}

// globalSize finds the name of a global size that local data is made from without having been divided.
func globalSize(facts *flow.Facts, from []flow.Ref, local *flow.Array) flow.Ref {
	var found flow.Ref
	divided := dividedSizesOf(facts)
	for _, at := range from {
		s := at.File.Syntax
		for n := range s.Descendants(at.Node) {
			switch s.KindOf(n) {
			case pyparse.KindBinaryOperator:
				if op := s.Operator(n); (op == "/" || op == "//" || op == "%") && local.Dim(0) < 0 {
					return flow.Ref{}
				}
			case pyparse.KindSlice:
				if local.Dim(0) < 0 {
					return flow.Ref{}
				}
			case pyparse.KindString:
				if ref := (flow.Ref{File: at.File, Node: n}); !found.Valid() && isSizeKey(ref) {
					found = ref
				}
			case pyparse.KindIdentifier:
				name := strings.ToLower(s.Text(n))
				if processWord(name) && !seeds(flow.Ref{File: at.File, Node: n}) || strings.Contains(name, "local_batch") || strings.Contains(name, "per_process") || strings.Contains(name, "per_host") {
					return flow.Ref{}
				}
				ref := flow.Ref{File: at.File, Node: n}
				if !found.Valid() && (strings.Contains(name, "global") && isSize(ref, local) || divided.has(ref)) {
					found = ref
				}
			}
		}
	}
	return found
}

// isSizeKey reports whether a string is the key of a global size in a table: config["global_batch_size"].
func isSizeKey(key flow.Ref) bool {
	s := key.File.Syntax
	text, ok := s.StringValue(key.Node)
	return ok && s.Is(s.Parent(key.Node), pyparse.KindSubscript) && strings.Contains(strings.ToLower(text), "global") && isSizeWord(text)
}

// isSize reports whether a name stands for the number of rows of the local data: a number equal to it, or one that is unknown and
// called a size.
func isSize(name flow.Ref, local *flow.Array) bool {
	s := name.File.Syntax
	parent := s.Parent(name.Node)
	if s.Is(parent, pyparse.KindCall) && s.Callee(parent) == name.Node {
		return false
	}
	if symbol := s.Resolve(name.Node); symbol != nil && s.FieldOf(name.Node) != pyparse.FieldAttribute {
		for _, b := range symbol.Bindings {
			if b.Kind == pyparse.BindImport || b.Kind == pyparse.BindFunction || b.Kind == pyparse.BindClass {
				return false
			}
			if v, ok := s.Int(s.Child(b.Source, pyparse.FieldRight)); b.Kind == pyparse.BindAssignment && ok {
				return local.Dim(0) < 0 || local.Dim(0) == v
			}
		}
	}
	return isSizeWord(name.Text())
}

func isSizeWord(text string) bool {
	text = strings.ToLower(text)
	for _, word := range [...]string{"batch", "size", "bs", "rows", "num", "examples", "samples"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func wholeBatch(name, data flow.Ref) analyzers.Finding {
	f := analyzers.Finding{
		Message: fmt.Sprintf("each process passes %s rows, and the array gets that many for every process; pass %s // jax.process_count() rows, or global_shape where that is meant",
			name.Text(), name.Text()),
		Confidence: analyzers.Likely,
	}
	s := name.File.Syntax
	if !data.Contains(name) {
		f.Related = []analyzers.Related{{Span: spanOf(name), Message: "the size comes from here"}}
		return f
	}
	whole := name
	if s.FieldOf(name.Node) == pyparse.FieldAttribute {
		whole.Node = s.Parent(name.Node)
	}
	divided := whole.Text() + " // " + spelt(name.File, "jax.process_count") + "()"
	if !s.Is(s.Parent(whole.Node), pyparse.KindArgumentList, pyparse.KindTuple, pyparse.KindKeywordArgument) {
		divided = "(" + divided + ")"
	}
	f.Fixes = fixOf("Divide among the processes", analyzers.Unsafe, replaced(whole, divided))
	return f
}
