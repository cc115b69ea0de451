package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

func shd901() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD901", Name: "removed-jax-api", Severity: analyzers.Error, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a name or an argument that the JAX release in use no longer has",
		Doc: analyzers.Documentation{
			Finds: "Imports, attributes and keyword arguments about sharding that the target release of JAX does not have. Code inside try/except ImportError or AttributeError, behind hasattr or getattr with a default, " +
				"and in the branch of a version test that the target release does not take is left alone, and so are names that the file binds itself.",
			Matters: "The line raises ImportError, AttributeError or TypeError. The table behind the rule was measured on 33 releases from 0.4.13 to 0.10.2.",
			Example: `import jax
import numpy as np
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.sharding.use_mesh(mesh):
    pass
`,
			Instead: `import jax
import numpy as np
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()), ("data",))
with jax.set_mesh(mesh):
    pass
`,
			FixSafety: "Where the same thing has another name today the fix writes that name, and where an argument was dropped without replacement it deletes it; both are safe. PositionalSharding becomes a NamedSharding of a mesh over the same devices, " +
				"device_put_replicated and device_put_sharded become device_put of a stacked array; both are unsafe, as the new shardings are of another type. Where the replacement takes other arguments otherwise there is no fix.",
			Ignore: "When the file is meant for an older release than the project's: set target-jax.",
		},
		Needles: apiNeedles(),
		Check:   checkRemoved,
	}
}

func checkRemoved(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	goneModules := map[string]bool{}
	for _, m := range facts.Mentions {
		c, exact := changeOf(m.Path)
		if m.Guarded || !c.goneIn(p.JAX) {
			continue
		}
		if m.Import && c.Kind == "module" {
			if goneBefore(facts.Mentions, c, p.JAX) {
				continue
			}
			goneModules[c.Name] = true
		}
		if !m.Import && inGoneModule(m.Path, goneModules) {
			continue
		}
		if exact && c.Kind == "module" && !m.Import && partOfGone(facts.Mentions, m, p.JAX) {
			continue
		}
		if exact || m.Import {
			out.report(m.At, removedName(m, c, p.JAX))
		}
	}
	for _, e := range facts.Events {
		if !e.Guarded && strings.HasPrefix(e.Name, "jax.") {
			removedArguments(out, e, p.JAX)
		}
	}
	for _, e := range facts.Named("jax.config.update") {
		if flag, ok := flow.String(e.Value(0, "name")); ok && !e.Guarded && apiChanges()[flag].goneIn(p.JAX) {
			f := analyzers.Finding{
				Message:    fmt.Sprintf("the flag %s was removed in JAX %s, so the call raises; delete it", flag, apiChanges()[flag].Gone),
				Confidence: confidence(p.JAX),
			}
			if statement := wholeStatement(e.At); statement.Valid() && statement.Text() == e.At.Text() {
				f.Fixes = fixOf("Delete the line", analyzers.Safe, lineDropped(statement))
			}
			out.report(e.At, f)
		}
	}
}

// partOfGone reports whether what names a module is part of a longer name that is gone too: the longer one says what to use instead.
func partOfGone(mentions []flow.Mention, module flow.Mention, target flow.Release) bool {
	return slices.ContainsFunc(mentions, func(m flow.Mention) bool {
		c, exact := changeOf(m.Path)
		return exact && strings.HasPrefix(m.Path, module.Path+".") && c.goneIn(target) && m.At.Contains(module.At)
	})
}

// goneBefore reports whether a file uses a name of a module that was removed earlier than the module was: the use is where it broke.
func goneBefore(mentions []flow.Mention, module *apiChange, target flow.Release) bool {
	return slices.ContainsFunc(mentions, func(m flow.Mention) bool {
		c, exact := changeOf(m.Path)
		if !exact || !strings.HasPrefix(c.Name, module.Name+".") || !c.goneIn(target) {
			return false
		}
		gone, err := flow.ParseRelease(c.Gone)
		return err == nil && !reached(gone, module.Gone)
	})
}

func inGoneModule(path string, gone map[string]bool) bool {
	for module := range gone {
		if path == module || strings.HasPrefix(path, module+".") {
			return true
		}
	}
	return false
}

func removedName(m flow.Mention, c *apiChange, target flow.Release) analyzers.Finding {
	name := m.Path
	if m.Path != c.Name {
		name = fmt.Sprintf("%s, with the module %s,", m.Path, c.Name)
	}
	f := analyzers.Finding{
		Message:    fmt.Sprintf("%s %s%s", name, removedWhen(c), useInstead(c.Replacement)),
		Confidence: confidence(target),
	}
	if c.Same != "" && m.Path == c.Name && flow.Exists(c.Same, target) {
		if edits := renamed(m, c.Same); edits != nil {
			f.Fixes = fixOf("Write "+c.Same, analyzers.Safe, edits...)
		}
	}
	switch {
	case c.Name == "jax.lax.pvary":
		f.Fixes = pcastInstead(m)
	case c.Name == "jax.sharding.PositionalSharding":
		f.Fixes = namedInstead(m)
	case c.Name == "jax.device_put_replicated", c.Name == "jax.device_put_sharded":
		f.Fixes = stackedPut(m)
	}
	return f
}

// pcastInstead turns calls of pvary into calls of pcast, which has to be told where to.
func pcastInstead(m flow.Mention) []analyzers.Fix {
	w := writing(m.At.File)
	r := replacing(w, m)
	pcast := r.name("jax.lax.pcast")
	for _, use := range usesOf(m) {
		call, first, ok := callOf(use)
		if !ok || first != 0 {
			return nil
		}
		edits, ok := withArgument(call, "to="+quoted(m.At.File, "varying"))
		if !ok {
			return nil
		}
		r.edits = append(append(r.edits, edits...), replaced(use, pcast))
	}
	return r.fix("Use jax.lax.pcast", analyzers.Safe)
}

func removedWhen(c *apiChange) string {
	if c.Before {
		return "was removed before JAX " + c.Gone
	}
	return "was removed in JAX " + c.Gone
}

func useInstead(replacement string) string {
	if replacement == "" {
		return ""
	}
	return "; use " + replacement
}

// removedArguments reports the keyword arguments of a call that the target release does not take.
func removedArguments(out *once, e *flow.Event, target flow.Release) {
	for _, a := range e.Kw {
		c := apiChanges()[e.Name+":"+a.Name]
		if !c.goneIn(target) || handles(e, []string{"TypeError"}) {
			continue
		}
		f := analyzers.Finding{
			Message:    fmt.Sprintf("%s takes no argument %s: it %s", e.Name, a.Name, removedWhen(c)),
			Confidence: confidence(target),
		}
		key, ok := keyOf(a.At)
		switch {
		case !ok && a.Entry.Valid() && c.Replacement != "" && !strings.ContainsAny(c.Replacement, " /"):
			f.Message += "; write " + c.Replacement
			f.Fixes = entryRenamed(a, c.Replacement)
		case c.Delete:
			f.Message += "; delete it"
			if edit, dropped := argumentDropped(a.At); dropped {
				f.Fixes = fixOf("Delete "+a.Name, analyzers.Safe, edit)
			}
		case c.Replacement != "":
			f.Message += "; write " + c.Replacement
			if ok && !strings.ContainsAny(c.Replacement, " /") {
				f.Fixes = fixOf("Rename to "+c.Replacement, analyzers.Safe, replaced(key, c.Replacement))
			}
		}
		if ok {
			out.report(key, f)
		} else {
			out.reportOf(a.Name, a.At, f)
		}
	}
}
