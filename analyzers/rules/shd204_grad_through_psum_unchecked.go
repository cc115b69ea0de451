package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd204() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD204", Name: "grad-through-psum-unchecked", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "an unchecked mapping differentiates through a reduction in a way that scales the gradient",
		Doc: analyzers.Documentation{
			Finds: "psum or pmean inside the function that is differentiated, in pmap or in shard_map without checks, where the reduction of the gradient outside does not make up for it: psum inside with nothing or psum outside, pmean inside with nothing or psum outside. " +
				"The other pairs (nothing inside, psum inside with pmean outside, pmean on both sides) are right and are not reported; neither is a reduction under stop_gradient or in the auxiliary output.",
			Matters: "Nothing raises. Without checks the transpose of psum is psum: the gradient comes out N times too large, or only local, on N devices (reference 120: 8, 40, 72 … per device, or 960).",
			Example: `import jax
import jax.numpy as jnp
from jax import lax


def gradient(w, x):
    return jax.grad(lambda w: lax.psum(jnp.sum(x * w), "i"))(w)


g = jax.pmap(gradient, axis_name="i", in_axes=(None, 0))(jnp.float32(1.0), jnp.ones((8, 2)))
`,
			Instead: `import jax
import jax.numpy as jnp
from jax import lax


def gradient(w, x):
    return lax.psum(jax.grad(lambda w: jnp.sum(x * w))(w), "i")


g = jax.pmap(gradient, axis_name="i", in_axes=(None, 0))(jnp.float32(1.0), jnp.ones((8, 2)))
`,
			FixSafety: "The fix moves the reduction from the loss to what the gradient's call returns, so that a value that comes along is reduced as before. It is unsafe because the loss inside of the function becomes local.",
			Ignore:    "When the factor is accounted for elsewhere.",
		},
		Needles: []string{"shard_map", "pmap", "smap"},
		Check:   checkPsumInGrad,
	}
}

// gradUse is a differentiated call in an unchecked region and the reductions that its gradient meets afterwards.
type gradUse struct {
	grad  *flow.Gradient
	outer map[string]map[string]bool // axis to kinds
}

func checkPsumInGrad(p *analyzers.Pass) {
	facts := p.Facts()
	out := newOnce(p)
	for _, u := range gradUses(facts) {
		for _, r := range u.grad.Inner {
			if r.Kind != "psum" && r.Kind != "pmean" || r.Event.Region.InManual() != u.grad.Region || trivial(u.grad.Region, r.Axis) {
				continue
			}
			kinds := u.outer[r.Axis]
			if kinds["pmean"] || kinds["psum_scatter"] {
				continue
			}
			out.report(r.Event.At, psumInGrad(facts, u, r, kinds["psum"]))
		}
	}
}

// gradUses lists the gradients taken in unchecked regions with what reduces them.
func gradUses(facts *flow.Facts) []*gradUse {
	var order []*gradUse
	byCall := map[*flow.Event]*gradUse{}
	for _, e := range facts.Named("call.grad", "call.value_and_grad", "call.vjp") {
		for _, g := range gradsOf(e) {
			if g.Call == e && g.Checked == flow.No && g.Region != nil && byCall[e] == nil {
				u := &gradUse{grad: g, outer: map[string]map[string]bool{}}
				byCall[e] = u
				order = append(order, u)
			}
		}
	}
	for _, e := range facts.Named("jax.lax.psum", "jax.lax.pmean", "jax.lax.psum_scatter") {
		for _, a := range gradientsIn(e) {
			u := byCall[a.Grad.Call]
			if u == nil {
				continue
			}
			for _, axis := range axesOf(e) {
				if u.outer[axis] == nil {
					u.outer[axis] = map[string]bool{}
				}
				u.outer[axis][lastName(e.Name)] = true
			}
		}
	}
	return order
}

func gradsOf(e *flow.Event) []*flow.Gradient {
	var out []*flow.Gradient
	leaves, _ := flow.Leaves(e.Result)
	for _, l := range leaves {
		if a, ok := l.(*flow.Array); ok && a.Grad != nil {
			out = append(out, a.Grad)
		}
	}
	return out
}

func psumInGrad(facts *flow.Facts, u *gradUse, r *flow.Reduction, summedOutside bool) analyzers.Finding {
	times := "as many times"
	if n := u.grad.Region.AxisSize(r.Axis); n > 0 {
		times = fmt.Sprintf("%d times", n)
	}
	effect := "leaves the gradient local"
	switch {
	case r.Kind == "psum" && !summedOutside:
		effect = fmt.Sprintf("makes the gradient %s the local one", times)
	case summedOutside:
		effect = fmt.Sprintf("makes the gradient %s too large together with the psum outside", times)
	}
	f := analyzers.Finding{Message: fmt.Sprintf("%s over %s inside the differentiated function %s, because this mapping is not checked; reduce the gradient instead: jax.lax.%s(grad, %s)",
		r.Kind, quote(r.Axis), effect, r.Kind, quote(r.Axis))}
	if u.grad.Call.At.Valid() {
		f.Related = []analyzers.Related{{Span: spanOf(u.grad.Call.At), Message: "the gradient is taken here"}}
	}
	drop := dropped(r.Event, analyzers.Unsafe)
	if drop == nil || summedOutside && r.Kind == "pmean" {
		return f
	}
	edits, w := drop[0].Edits, writing(u.grad.Call.At.File)
	if !summedOutside {
		t, ok := u.grad.Call.Callee.(*flow.Transformed)
		at := u.grad.Call.At
		// Where the mapped function is itself the gradient, its call stands outside of the region, where no axis is bound.
		mapped := u.grad.Region.Call != nil && u.grad.Region.Call.At == at
		if mapped || !ok || t.Kind != "grad" && t.Kind != "value_and_grad" || t.Value(2, "has_aux") != nil || at.File != r.Event.At.File {
			return f
		}
		// A value that is returned along with the gradient was the reduced loss, and is again.
		edits = append(edits, inserted(at, w.name("jax.lax."+r.Kind)+"("), appended(at, ", "+axisSource(facts, at, r.Axis)+")"))
	}
	f.Fixes = w.fix("Reduce the gradient, not the loss", analyzers.Unsafe, edits...)
	return f
}
