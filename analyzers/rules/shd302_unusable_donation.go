package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd302() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD302", Name: "unusable-donation", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a donated argument has no output that could take its buffer",
		Doc: analyzers.Documentation{
			Finds:   "A donated array, of known shape, where every output of the jit is known and none has as many elements, or the one that has is sharded into another number of pieces.",
			Matters: "JAX warns that some donated buffers were not usable at the first call; the buffer stays alive and is not reused. Another element type of the same size is accepted.",
			Example: `import jax
import jax.numpy as jnp

run = jax.jit(lambda params, batch: jnp.mean(batch @ params), donate_argnums=0)
run(jnp.ones((64, 8)), jnp.ones((4, 64)))
`,
			Instead: `import jax
import jax.numpy as jnp

run = jax.jit(lambda params, batch: jnp.mean(batch @ params))
run(jnp.ones((64, 8)), jnp.ones((4, 64)))
`,
			FixSafety: "The fix takes the argument out of donate_argnums or donate_argnames where these are written out in the call. It is safe: a donation that no output can take changes nothing. Where another call of the same jit could use it, the fix is unsafe.",
			Ignore:    "When the donation is meant to free memory for the step itself and the warning is known.",
		},
		Needles: []string{"donate"},
		Check:   checkUnusableDonation,
	}
}

func checkUnusableDonation(p *analyzers.Pass) {
	out := newOnce(p)
	calls := p.Facts().Named("call.jit", "call.pjit")
	for _, e := range calls {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Make == nil {
			continue
		}
		lost := unusableDonations(t, e)
		if len(lost) == 0 {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("the donation of %s is unusable: %s; do not donate it", lost[0].name, lost[0].why)}
		if edits := undonated(t, lost); edits != nil {
			safety := analyzers.Safe
			for _, other := range calls {
				if o, ok := other.Callee.(*flow.Transformed); ok && o.Make != nil && o.Make.At == t.Make.At && len(unusableDonations(o, other)) != len(lost) {
					safety = analyzers.Unsafe
				}
			}
			f.Fixes = fixOf("Do not donate "+lost[0].name, safety, edits...)
		}
		out.report(t.Make.At, f)
	}
}

// unusableDonations lists the arguments that a call donates for nothing.
func unusableDonations(t *flow.Transformed, e *flow.Event) []donation {
	outputs, known := outputsOf(e)
	if !known {
		return nil
	}
	var lost []donation
	for _, d := range donated(t, e) {
		if d.why = unusable(d, outputs, t, e); d.why != "" {
			lost = append(lost, d)
		}
	}
	return lost
}

// undonated are the edits that take arguments out of donate_argnums and donate_argnames; nil where one is not written out there.
func undonated(t *flow.Transformed, lost []donation) []analyzers.Edit {
	left := len(lost)
	var edits []analyzers.Edit
	for _, keyword := range [...]string{"donate_argnums", "donate_argnames"} {
		a := t.Arg(-1, keyword)
		if a == nil {
			continue
		}
		at := writtenOnce(a.At)
		kept, dropped, ok := keptDonations(at, lost)
		if !ok {
			return nil
		}
		if left -= dropped; dropped == 0 {
			continue
		}
		edit, ok := argumentDropped(a.At)
		if len(kept) > 0 {
			edit, ok = replaced(at, listOf(kept)), true
		}
		if !ok {
			return nil
		}
		edits = append(edits, edit)
	}
	if left != 0 {
		return nil
	}
	return edits
}

// keptDonations splits the entries of a literal number, string or sequence of them by whether they name an argument that is to be
// dropped.
func keptDonations(at flow.Ref, lost []donation) (kept []string, dropped int, ok bool) {
	if !at.Valid() {
		return nil, 0, false
	}
	s := at.File.Syntax
	entries := []pyparse.NodeID{s.Unwrap(at.Node)}
	if s.Is(entries[0], pyparse.KindTuple, pyparse.KindList) {
		entries = s.ChildList(entries[0])
	}
	for _, n := range entries {
		number, isNumber := s.Int(n)
		name, isName := s.StringValue(n)
		if !isNumber && !isName {
			return nil, 0, false
		}
		gone := false
		for _, d := range lost {
			gone = gone || isNumber && int(number) == d.index || isName && name == d.name
		}
		if gone {
			dropped++
		} else {
			kept = append(kept, s.Text(n))
		}
	}
	return kept, dropped, true
}

// listOf writes one entry as it is and several as a tuple.
func listOf(entries []string) string {
	if len(entries) == 1 {
		return entries[0]
	}
	return "(" + strings.Join(entries, ", ") + ")"
}

// outputsOf are the array leaves that the body of a jit returns; known is false where a shape is missing.
func outputsOf(e *flow.Event) (leaves []*flow.Array, known bool) {
	if e.Body == nil || flow.IsUnknown(e.Body) {
		return nil, false
	}
	values, complete := flow.Leaves(e.Body)
	for _, v := range values {
		if flow.IsNone(v) {
			continue
		}
		a, ok := flow.AsArray(v)
		if !ok || a.Size() < 0 {
			return nil, false
		}
		leaves = append(leaves, a)
	}
	return leaves, complete
}

// donation is an argument that a call donates.
type donation struct {
	name  string
	arg   flow.Arg
	index int
	why   string // why no output can take its buffers
}

// donated lists the donated arguments of one call. donate_argnums also holds for an argument passed by keyword, and
// donate_argnames for one passed by position.
func donated(t *flow.Transformed, e *flow.Event) []donation {
	nums, names := integersOf(t.Value(-1, "donate_argnums")), stringsOf(t.Value(-1, "donate_argnames"))
	params := parametersOf(t.Fn)
	var out []donation
	for i, a := range e.Pos {
		name := ""
		if i < len(params) {
			name = params[i]
		}
		if nums[int64(i)] || name != "" && names[name] {
			if name == "" {
				name = a.At.Text()
			}
			out = append(out, donation{name: name, arg: a, index: i})
		}
	}
	for _, a := range e.Kw {
		index := -1
		for i, n := range params {
			if n == a.Name {
				index = i
			}
		}
		if names[a.Name] || index >= 0 && nums[int64(index)] {
			out = append(out, donation{name: a.Name, arg: a, index: index})
		}
	}
	return out
}

func integersOf(v flow.Value) map[int64]bool {
	out := map[int64]bool{}
	if n, ok := flow.Integer(v); ok {
		out[n] = true
	}
	elems, _, _ := flow.Elements(v)
	for _, x := range elems {
		if n, ok := flow.Integer(x); ok {
			out[n] = true
		}
	}
	return out
}

func stringsOf(v flow.Value) map[string]bool {
	out := map[string]bool{}
	if v == nil {
		return out
	}
	names, _ := flow.Names(v)
	for _, n := range names {
		out[n.S] = true
	}
	return out
}

// parametersOf names the positional parameters of a function.
func parametersOf(fn flow.Value) []string {
	var params []*flow.Param
	switch f := fn.(type) {
	case *flow.Func:
		params = f.Params
	case *flow.Bound:
		if inner, ok := f.Fn.(*flow.Func); ok && len(inner.Params) > 0 {
			params = inner.Params[1:]
		}
	case *flow.Transformed: // shard_map, vmap, checkpoint and the like keep the names of what they map
		return parametersOf(f.Fn)
	}
	var names []string
	for _, p := range params {
		if p.Kind == flow.Positional || p.Kind == flow.PosOnly {
			names = append(names, p.Name)
		}
	}
	return names
}

// unusable says why no output can take the buffers of a donated argument; "" where one can, or a shape is unknown.
func unusable(d donation, outputs []*flow.Array, t *flow.Transformed, e *flow.Event) string {
	leaves, complete := flow.Leaves(d.arg.Value)
	if !complete || len(leaves) == 0 {
		return ""
	}
	placed, _ := flow.Leaves(e.Result)
	why := "no output has its size"
	for _, l := range leaves {
		a, ok := flow.AsArray(l)
		if !ok || a.Size() < 0 || a.Tree || a.Host && a.Rank() == 0 {
			return ""
		}
		for i, o := range outputs {
			if o.Size() != a.Size() {
				continue
			}
			if len(placed) != len(outputs) {
				return ""
			}
			if why = otherSharding(donatedSharding(t, d, a), placed[i]); why == "" {
				return ""
			}
		}
	}
	return why
}

// donatedSharding is the sharding that a donated array has in the function: that of in_shardings, else its own.
func donatedSharding(t *flow.Transformed, d donation, a *flow.Array) *flow.Sharding {
	given := t.Value(1, "in_shardings")
	if elems, complete, ok := flow.Elements(given); ok && complete && d.index >= 0 && d.index < len(elems) {
		given = elems[d.index]
	}
	switch s := given.(type) {
	case *flow.Sharding:
		return s
	case nil, flow.None:
		if a.Commit == flow.Committed {
			return a.Sharding
		}
	}
	return nil
}

// otherSharding compares the sharding of a donated array and that of an output of its size; "" where they fit or are unknown.
func otherSharding(in *flow.Sharding, output flow.Value) string {
	o, ok := output.(*flow.Array)
	if !ok || in == nil || o.Sharding == nil || o.Commit != flow.Committed {
		return ""
	}
	out := o.Sharding
	if in.Spec == nil || out.Spec == nil || in.Mesh == nil {
		return ""
	}
	if same, sure := in.Spec.Equivalent(out.Spec); same || !sure || len(in.Spec.Axes()) == len(out.Spec.Axes()) {
		return ""
	}
	return fmt.Sprintf("its sharding is %s and that of the output is %s", in.Spec, out.Spec)
}
