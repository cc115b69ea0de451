package rules

import (
	"fmt"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

// collectives are the functions of jax.lax that use a named axis, with the position of that argument.
var collectiveAxis = [...]struct {
	name string
	axis int
}{
	{"psum", 1}, {"pmean", 1}, {"pmax", 1}, {"pmin", 1}, {"psum_scatter", 1}, {"all_gather", 1}, {"all_to_all", 1}, {"ppermute", 1},
	{"pshuffle", 1}, {"pswapaxes", 1}, {"pbroadcast", 1}, {"ragged_all_to_all", -1}, {"axis_index", 0}, {"axis_size", 0}, {"pcast", 1}, {"pvary", 1},
}

// output is one leaf that a manual body returns, with the spec it is returned under.
type output struct {
	array *flow.Array
	spec  *flow.Spec
	run   *flow.ManualRun
}

// outputs lists the leaves that a manual body returns together with their specs, as far as both are known.
func outputs(run *flow.ManualRun) []output {
	var out []output
	var walk func(v, spec flow.Value, depth int)
	walk = func(v, spec flow.Value, depth int) {
		s, ok := spec.(*flow.Spec)
		if ok {
			leaves, _ := flow.Leaves(v)
			for _, l := range leaves {
				if a, isArray := flow.AsArray(l); isArray {
					out = append(out, output{a, s, run})
				}
			}
			return
		}
		values, complete, ok := flow.Elements(v)
		specs, all, isSeq := flow.Elements(spec)
		if d, isDict := v.(*flow.Dict); isDict {
			sd, same := spec.(*flow.Dict)
			if !same {
				return
			}
			for i, k := range d.Keys {
				if s, found := sd.Get(k); found {
					walk(d.Vals[i], s, depth+1)
				}
			}
			return
		}
		if ok && isSeq && complete && all && len(values) == len(specs) && depth < 8 {
			for i := range values {
				walk(values[i], specs[i], depth+1)
			}
		}
	}
	if run.Map.OutSpecs != nil {
		walk(run.Result, run.Map.OutSpecs, 0)
	}
	return out
}

// claimed lists the axes over which an output differs between devices although its spec says that it does not.
func (o output) claimed() []string {
	if !o.array.VarKnown || o.array.VarUpper || !o.spec.Complete() || !o.run.Map.Axes.Covers(o.spec.Axes()) {
		return nil // an axis that the mesh lacks is SHD101's
	}
	var axes []string
	for _, a := range o.array.Var {
		if yes, known := o.spec.Mentions(a); known && !yes && o.run.Map.Axes.Has(a) && !trivial(o.run.Region, a) {
			axes = append(axes, a)
		}
	}
	return axes
}

// reductionName is how the fix spells a collective: as the file does.
func reductionName(at flow.Ref, kind string) string { return spelt(at.File, "jax.lax."+kind) }

// dropped replaces a collective by its operand.
func dropped(e *flow.Event, safety analyzers.Safety) []analyzers.Fix {
	operand := e.Arg(0, "x", "operand")
	if operand == nil || !operand.At.Valid() || !e.At.Contains(operand.At) {
		return nil
	}
	return fixOf(fmt.Sprintf("Drop the %s", lastName(e.Name)), safety, replaced(e.At, operand.At.Text()))
}

// varyingCast is the source that casts an expression to vary over an axis.
func varyingCast(p *analyzers.Pass, f *flow.File, text, axis string) string {
	if p.JAX.AtLeast(0, 8, 2) {
		return fmt.Sprintf("%s(%s, %q, to=\"varying\")", spelt(f, "jax.lax.pcast"), text, axis)
	}
	return fmt.Sprintf("%s(%s, %q)", spelt(f, "jax.lax.pvary"), text, axis)
}
