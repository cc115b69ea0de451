package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
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
			Ignore: "When the donation is meant to free memory for the step itself and the warning is known.",
		},
		Needles: []string{"donate"},
		Check:   checkUnusableDonation,
	}
}

func checkUnusableDonation(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Named("call.jit", "call.pjit") {
		t, ok := e.Callee.(*flow.Transformed)
		if !ok || t.Make == nil {
			continue
		}
		outputs, known := outputsOf(e)
		if !known {
			continue
		}
		for _, d := range donated(t, e) {
			if why := unusable(d, outputs, t); why != "" {
				out.report(t.Make.At, analyzers.Finding{Message: fmt.Sprintf("the donation of %s is unusable: %s; do not donate it", d.name, why)})
			}
		}
	}
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
			out = append(out, donation{name, a, i})
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
			out = append(out, donation{a.Name, a, index})
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
func unusable(d donation, outputs []*flow.Array, t *flow.Transformed) string {
	leaves, complete := flow.Leaves(d.arg.Value)
	if !complete || len(leaves) == 0 {
		return ""
	}
	for _, l := range leaves {
		a, ok := flow.AsArray(l)
		if !ok || a.Size() < 0 || a.Tree || a.Host && a.Rank() == 0 {
			return ""
		}
		for _, o := range outputs {
			if o.Size() == a.Size() {
				return otherSharding(t, d)
			}
		}
	}
	return "no output has its size"
}

// otherSharding compares single shardings for the donated argument and for the output.
func otherSharding(t *flow.Transformed, d donation) string {
	in, ok := t.Value(1, "in_shardings").(*flow.Sharding)
	out, both := t.Value(2, "out_shardings").(*flow.Sharding)
	if !ok || !both || in.Spec == nil || out.Spec == nil || in.Mesh == nil {
		return ""
	}
	if same, sure := in.Spec.Equivalent(out.Spec); same || !sure || len(in.Spec.Axes()) == len(out.Spec.Axes()) {
		return ""
	}
	return fmt.Sprintf("its sharding is %s and that of the output is %s", in.Spec, out.Spec)
}
