package rules

import (
	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

// logicalRule is one entry of a list of logical axis rules of Flax: a logical name and what it stands for.
type logicalRule struct {
	name *flow.Str
	axes flow.Value
}

// logicalRules reads a list of logical axis rules; ok is false unless every entry is known.
func logicalRules(v flow.Value) (rules []logicalRule, ok bool) {
	entries, complete, ok := flow.Elements(v)
	if !ok || !complete {
		return nil, false
	}
	for _, entry := range entries {
		pair, complete, ok := flow.Elements(entry)
		if !ok || !complete || len(pair) != 2 {
			return nil, false
		}
		name, ok := pair[0].(*flow.Str)
		if !ok {
			return nil, false
		}
		rules = append(rules, logicalRule{name, pair[1]})
	}
	return rules, true
}

// ruleContexts are the functions whose result makes logical axis rules active while it is entered.
var ruleContexts = [...]string{"flax.linen.logical_axis_rules", "flax.nnx.logical_axis_rules"}

// entersElsewhere reports whether contexts are entered in a way that [flow.Context] doesn't tell: through an ExitStack.
func entersElsewhere(p *analyzers.Pass) bool {
	entered := map[*flow.Event]bool{}
	for _, e := range p.Facts().Named("with") {
		if o, ok := e.Callee.(*flow.Object); ok {
			entered[o.Made] = true
		}
	}
	for _, e := range p.Facts().Named(ruleContexts[:]...) {
		if !entered[e] {
			return true
		}
	}
	for _, e := range p.Facts().Events {
		if lastName(e.Name) == "enter_context" || lastName(e.Name) == "__enter__" {
			return true
		}
	}
	return false
}

// byPlace groups events by the node they belong to, in the order of their first evaluation.
func byPlace(events []*flow.Event) [][]*flow.Event {
	index := map[flow.Ref]int{}
	var out [][]*flow.Event
	for _, e := range events {
		i, seen := index[e.At]
		if !seen {
			i = len(out)
			index[e.At] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], e)
	}
	return out
}

// given is an argument that was passed and is not None.
func given(v flow.Value) bool { return v != nil && !flow.IsNone(v) }
