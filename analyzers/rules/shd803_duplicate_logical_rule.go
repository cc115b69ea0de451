package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd803() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD803", Name: "duplicate-logical-rule", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a list of logical axis rules names an axis twice, and NNX keeps only the last entry",
		Doc: analyzers.Documentation{
			Finds: "A logical name with two different entries in a list of rules that Flax NNX reads. Lists that only Linen reads are left alone.",
			Matters: "Linen goes through the list in order and takes the first entry whose mesh axis is free, so that repeated names are fallbacks. " +
				"NNX makes a dict of it: the last entry wins, and parameters meant for ('embed', 'fsdp') came out sharded over 'model' or not at all.",
			Example: `import jax
import numpy as np
from flax import nnx
from jax.sharding import Mesh

rules = (("embed", "fsdp"), ("embed", "model"))
with jax.set_mesh(Mesh(np.array(jax.devices()).reshape(4, 2), ("fsdp", "model"))), nnx.logical_axis_rules(rules):
    w = nnx.Param(np.ones((8, 4), np.float32), sharding_names=("embed", None))
`,
			Instead: `import jax
import numpy as np
from flax import nnx
from jax.sharding import Mesh

rules = (("embed", "fsdp"),)
with jax.set_mesh(Mesh(np.array(jax.devices()).reshape(4, 2), ("fsdp", "model"))), nnx.logical_axis_rules(rules):
    w = nnx.Param(np.ones((8, 4), np.float32), sharding_names=("embed", None))
`,
			FixSafety: "The fix deletes the later entry. It is unsafe: parameters move to the axis of the first one.",
			Ignore:    "When the last entry is meant to win; then delete the first.",
		},
		Needles:  []string{"sharding_rules", "axis_rules", "sharding_names", "with_partitioning"},
		Requires: [][]string{{"nnx"}},
		Check:    checkDuplicateRules,
	}
}

func checkDuplicateRules(p *analyzers.Pass) {
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		if !strings.HasPrefix(e.Name, "flax.nnx.") {
			continue
		}
		v := e.Value(-1, "sharding_rules")
		switch {
		case e.Name == "flax.nnx.logical_axis_rules":
			v = e.Value(0, "rules")
		case !given(v) && (e.Name == "flax.nnx.with_partitioning" || e.Arg(-1, "sharding_names", "sharding", "out_sharding") != nil):
			v = e.Context.Rules
		}
		if rules, ok := logicalRules(v); ok {
			reportDuplicates(out, rules)
		}
	}
}

func reportDuplicates(out *once, rules []logicalRule) {
	first := map[string]logicalRule{}
	for _, r := range rules {
		before, repeated := first[r.name.S]
		if !repeated {
			first[r.name.S] = r
			continue
		}
		if same, known := flow.Equal(before.axes, r.axes); same || !known {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("the rules name %s twice, and NNX keeps the last entry only (Linen would try them in order); keep one", quote(r.name.S))}
		if before.name.At.Valid() {
			f.Related = []analyzers.Related{{Span: spanOf(before.name.At), Message: "the first entry, which NNX drops"}}
		}
		if edit, ok := entryDeleted(r.name.At); ok {
			f.Fixes = fixOf("Delete the later entry", analyzers.Unsafe, edit)
		}
		out.report(r.name.At, f)
	}
}

// entryDeleted is the edit that deletes the entry of a literal list or tuple that begins with the string at the given place.
func entryDeleted(name flow.Ref) (analyzers.Edit, bool) {
	if !name.Valid() {
		return analyzers.Edit{}, false
	}
	s := name.File.Syntax
	entry := s.Parent(name.Node)
	list := s.Parent(entry)
	if !s.Is(entry, pyparse.KindTuple, pyparse.KindList) || !s.Is(list, pyparse.KindTuple, pyparse.KindList) {
		return analyzers.Edit{}, false
	}
	previous, entries := pyparse.None, 0
	for c := range s.Children(list) {
		if c < entry {
			previous = c
		}
		entries++
	}
	if previous == pyparse.None {
		return analyzers.Edit{}, false
	}
	edit := replaced(flow.Ref{File: name.File, Node: entry}, "")
	_, edit.Span.Start = s.Span(previous)
	_, end := s.Span(list)
	rest := strings.TrimSpace(string(s.Source[edit.Span.End : end-1]))
	if entries == 2 && rest == "" && s.Is(list, pyparse.KindTuple) {
		edit.NewText = "," // what is left is a tuple of one
	}
	return edit, true
}
