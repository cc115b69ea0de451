package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd802() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD802", Name: "logical-axis-without-rule", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a logical axis name of Flax has no rule, so its dimension is replicated",
		Doc: analyzers.Documentation{
			Finds: "A logical name in a constraint or in the metadata of a Linen parameter for which the rules have no entry. " +
				"It speaks only when every list of rules in view is known entry by entry, or the configuration states the rules (logical-axis-rules); (name, None) is an entry.",
			Matters: "Nothing raises. The dimension is not sharded, and every device holds and computes all of it: with 8 devices along the axis, " +
				"eight times the memory that was planned for it.",
			Example: `import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh

rules = (("batch", "data"), ("ffn", "model"))
block = jax.jit(lambda x: nn.with_logical_constraint(x * 2, ("batch", "mlp")))

with jax.set_mesh(Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))), nn.logical_axis_rules(rules):
    block(np.ones((8, 4), np.float32))
`,
			Instead: `import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh

rules = (("batch", "data"), ("mlp", "model"))
block = jax.jit(lambda x: nn.with_logical_constraint(x * 2, ("batch", "mlp")))

with jax.set_mesh(Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))), nn.logical_axis_rules(rules):
    block(np.ones((8, 4), np.float32))
`,
			FixSafety: "Where one rule has a name that nothing uses, the fix renames it; else it writes the configured name that is spelt most alike. It is unsafe: the dimension becomes sharded.",
			Ignore:    "Where replication is meant; an entry (name, None) says so.",
		},
		Needles:  []string{"logical", "linen.partitioning", "linen import partitioning"},
		Requires: [][]string{{"with_logical", "logical_to_mesh", "LogicallyPartitioned", "linen.partitioning", "linen import partitioning"}},
		Check:    checkUnruledNames,
	}
}

// ruleUses are the calls that take a list of logical axis rules, with the position of that argument.
var ruleUses = [...]struct {
	name string
	pos  int
}{
	{"flax.linen.logical_axis_rules", 0}, {"flax.linen.set_logical_axis_rules", 0}, {"flax.nnx.logical_axis_rules", 0},
	{"flax.linen.logical_to_mesh", 1}, {"flax.linen.logical_to_mesh_axes", 1}, {"flax.linen.logical_to_mesh_sharding", 2},
	{"flax.linen.with_logical_constraint", 2}, {"flax.linen.with_logical_partitioning", 3}, {"flax.linen.LogicallyPartitioned", -1},
}

// nameUses are the calls that take logical axis names, with the position of that argument.
var nameUses = [...]struct {
	name string
	pos  int
	kw   string
}{
	{"flax.linen.with_logical_constraint", 1, "logical_axis_resources"}, {"flax.linen.with_logical_partitioning", 1, "names"},
	{"flax.linen.logical_to_mesh_axes", 0, "array_dim_names"}, {"flax.linen.LogicallyPartitioned", 1, "names"},
	{"flax.linen.partitioning.param_with_axes", -1, "axes"},
}

// unruled is one logical name without a rule.
type unruled struct {
	name  *flow.Str
	event *flow.Event
	arg   *flow.Arg
}

func checkUnruledNames(p *analyzers.Pass) {
	lists, known := ruleLists(p)
	configured := configuredRules(p)
	if configured != nil {
		lists, known = append(lists, configured), true
	}
	if !known || len(lists) == 0 {
		return
	}
	used := map[string]bool{}
	var missing []unruled
	for _, use := range nameUses {
		for _, events := range byPlace(p.Facts().Named(use.name)) {
			for _, e := range events {
				arg := e.Arg(use.pos, use.kw)
				if arg == nil {
					continue
				}
				leaves, _ := flow.Leaves(arg.Value)
				for _, leaf := range leaves {
					name, ok := leaf.(*flow.Str)
					if !ok {
						continue
					}
					used[name.S] = true
					if !ruledAnywhere(events, lists, name.S) && !ruled(configured, name.S) {
						missing = append(missing, unruled{name, e, arg})
					}
				}
			}
		}
	}
	out := newOnce(p)
	for _, m := range missing {
		at := m.arg.At
		if m.event.At.Contains(m.name.At) {
			at = m.name.At
		}
		f := unruledName(m, lists, missing, used)
		if f.Fixes == nil && at == m.name.At {
			f.Fixes = configuredName(configured, m.name)
		}
		out.report(at, f)
	}
}

// ruleLists are all lists of rules of the program, each once; known is false when an entry of one is not known.
func ruleLists(p *analyzers.Pass) (lists [][]logicalRule, known bool) {
	seen := map[flow.Value]bool{}
	for _, use := range ruleUses {
		for _, e := range p.Facts().Named(use.name) {
			v := e.Value(use.pos, "rules")
			if e.Splat {
				return nil, false
			}
			if !given(v) || seen[v] {
				continue
			}
			seen[v] = true
			rules, ok := logicalRules(v)
			if !ok {
				return nil, false
			}
			lists = append(lists, rules)
		}
	}
	return lists, true
}

// ruledAnywhere reports whether a name has a rule in one of the lists that can be active at a place: those of its contexts where
// they are known, else all of the program.
func ruledAnywhere(events []*flow.Event, lists [][]logicalRule, name string) bool {
	var active [][]logicalRule
	for _, e := range events {
		v := e.Value(2, "rules")
		if !given(v) || e.Name != "flax.linen.with_logical_constraint" {
			v = e.Context.Rules
		}
		rules, ok := logicalRules(v)
		if !ok || e.Name != "flax.linen.with_logical_constraint" {
			active = lists
			break
		}
		active = append(active, rules)
	}
	for _, rules := range active {
		if ruled(rules, name) {
			return true
		}
	}
	return false
}

// ruled reports whether a list has a rule for a name.
func ruled(rules []logicalRule, name string) bool {
	return slices.ContainsFunc(rules, func(r logicalRule) bool { return r.name.S == name })
}

// configuredName writes the configured name that a misspelt one most likely stands for.
func configuredName(configured []logicalRule, name *flow.Str) []analyzers.Fix {
	var names []string
	for _, r := range configured {
		names = append(names, r.name.S)
	}
	meant := nearest(name.S, names)
	if meant == "" {
		return nil
	}
	return fixOf("Write "+quote(meant), analyzers.Unsafe, replaced(name.At, literal(meant, name.At)))
}

// configuredRules are the rules that the configuration states, nil where it states none. They stand for lists that are made in code
// that is not in view.
func configuredRules(p *analyzers.Pass) []logicalRule {
	var rules []logicalRule
	for _, r := range p.Settings.LogicalRules {
		rules = append(rules, logicalRule{name: &flow.Str{S: r.Name}})
	}
	return rules
}

func unruledName(m unruled, lists [][]logicalRule, missing []unruled, used map[string]bool) analyzers.Finding {
	f := analyzers.Finding{Message: fmt.Sprintf("the logical axis %s has no rule, so its dimension is replicated; add a rule for it, or (%s, None) if that is meant",
		quote(m.name.S), quote(m.name.S))}
	for _, other := range missing {
		if other.name.S != m.name.S {
			return f
		}
	}
	var idle []*flow.Str
	for _, rules := range lists {
		for _, r := range rules {
			if !used[r.name.S] && r.name.At.Valid() {
				idle = append(idle, r.name)
			}
		}
	}
	if len(idle) != 1 || !idle[0].At.Valid() {
		return f
	}
	f.Related = []analyzers.Related{{Span: spanOf(idle[0].At), Message: "nothing uses the name of this rule"}}
	f.Fixes = fixOf("Rename the rule "+quote(idle[0].S), analyzers.Unsafe, replaced(idle[0].At, literal(m.name.S, idle[0].At)))
	return f
}
