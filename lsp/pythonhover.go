package lsp

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/internal/project"
)

// thing is what stands under the cursor and what there is to say of it.
type thing struct {
	start, end int // bytes
	text       string
}

// thingAt explains the rule code, mesh axis, spec or mesh at an offset, the narrowest first.
func (a *analysis) thingAt(path string, offset int) (thing, bool) {
	f := a.workspace.File(path)
	if f == nil {
		return thing{}, false
	}
	if t, ok := ruleAt(f, offset); ok {
		return t, true
	}
	if u, ok := a.axisAt(path, offset); ok {
		return thing{u.Start, u.End, a.axisText(u.Name)}, true
	}
	return factAt(f.Facts(), path, offset)
}

// ruleAt explains a code in a suppression comment.
func ruleAt(f *project.File, offset int) (thing, bool) {
	for _, s := range f.Syntax().Suppressions {
		for _, c := range s.Codes {
			if c.Start > offset || offset > c.End {
				continue
			}
			for _, rule := range project.Rules() {
				if rule.Code == c.Code {
					return thing{c.Start, c.End, ruleText(rule)}, true
				}
			}
		}
	}
	return thing{}, false
}

func ruleText(r *analyzers.Analyzer) string {
	text := fmt.Sprintf("**%s** %s: %s\n\n%s", r.Code, r.Name, r.Summary, r.Doc.Finds)
	if r.Doc.Matters != "" {
		text += "\n\n" + r.Doc.Matters
	}
	return text
}

// axisText says which meshes have an axis, and how large it is there.
func (a *analysis) axisText(name string) string {
	var meshes []string
	seen := map[string]bool{}
	for _, u := range a.named(name) {
		if u.Mesh == nil {
			continue
		}
		if text := fmt.Sprintf("%s: %s", u.Mesh.Label(), meshText(u.Mesh)); !seen[text] {
			seen[text] = true
			meshes = append(meshes, "\n- "+text)
		}
	}
	uses := plural("use", len(a.named(name)))
	if len(meshes) == 0 {
		return fmt.Sprintf("axis **%s**, which no mesh of the workspace is known to have; %d %s", name, len(a.named(name)), uses)
	}
	return fmt.Sprintf("mesh axis **%s**, %d %s\n%s", name, len(a.named(name)), uses, strings.Join(meshes, ""))
}

// factAt explains the smallest spec or mesh whose expression holds an offset.
func factAt(facts *flow.Facts, path string, offset int) (thing, bool) {
	best := thing{}
	found := false
	try := func(at flow.Ref, text func() string) {
		if !at.Valid() {
			return
		}
		where, start, end := at.Span()
		if where != path || offset < start || offset > end || found && end-start >= best.end-best.start {
			return
		}
		best, found = thing{start, end, text()}, true
	}
	for _, m := range facts.Meshes {
		try(m.At, func() string { return "**" + m.Label() + "**: " + meshText(m) })
	}
	// A spec that has met a mesh says more than one that has not.
	for _, m := range facts.Meets {
		try(m.Spec.At, func() string {
			text := specText(m.Spec, m.Mesh)
			if m.Mesh != nil && m.Mesh.Known {
				text += "\n\non " + m.Mesh.Label() + ": " + meshText(m.Mesh)
			}
			return text
		})
	}
	for _, e := range facts.Named("jax.sharding.PartitionSpec") {
		if spec, ok := e.Result.(*flow.Spec); ok {
			try(e.At, func() string { return specText(spec, nil) })
		}
	}
	return best, found
}
