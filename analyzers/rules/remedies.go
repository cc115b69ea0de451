package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// nameOf spells a module of JAX as a file does: "jnp" for jax.numpy, "" when the file does not import it.
func nameOf(file *pyparse.File, module string) string {
	for _, i := range file.Imports {
		if i.Level == 0 && i.Target() == module && i.Bound != "" {
			return i.Bound
		}
	}
	if parent, last := module[:max(0, strings.LastIndexByte(module, '.'))], module[strings.LastIndexByte(module, '.')+1:]; parent != "" {
		if bound := nameOf(file, parent); bound != "" {
			return bound + "." + last
		}
	}
	return ""
}

func jnpName(file *pyparse.File) string { return nameOf(file, "jax.numpy") }

// unusedName returns base, or base with a number, so that no name of the file is called that.
func unusedName(file *pyparse.File, base string) string {
	taken := map[string]bool{}
	for n := range file.Descendants(0) {
		if file.Is(n, pyparse.KindIdentifier) && !isLabel(file, n) && !file.Is(file.Parent(n), pyparse.KindDottedName) {
			taken[file.Text(n)] = true
		}
	}
	name := base
	for k := 2; taken[name]; k++ {
		name = fmt.Sprintf("%s_%d", base, k)
	}
	return name
}

// defined is the edit that puts a definition behind the imports at the top of a file.
func defined(file *pyparse.File, path, definition string) analyzers.Edit {
	last := pyparse.None
	for n := range file.Children(0) {
		if file.Is(n, pyparse.KindImportStatement, pyparse.KindImportFromStatement, pyparse.KindFutureImportStatement) {
			last = n
		}
	}
	_, at := file.Span(last)
	for at < len(file.Source) && file.Source[at] != '\n' {
		at++
	}
	text := "\n\n" + definition
	if at < len(file.Source) {
		at++
	} else {
		text = "\n" + text
	}
	return analyzers.Edit{Span: analyzers.Span{Path: path, Start: at, End: at}, NewText: text}
}

// explicitAxes reports whether one of the files that led to the sums makes a mesh with Explicit axes: there the contraction
// over a sharded batch has to name its output sharding, which these edits do not. JAX 0.9.0 made Explicit the default of
// make_mesh.
func explicitAxes(m *link.Module, l *lowSum, release flow.Release) bool {
	for _, c := range l.causes() {
		for _, f := range c.Frames {
			path, ok := m.Sources.Match(f.Path)
			if !ok || m.Program.Files[path] == nil {
				continue
			}
			if file := m.Program.Files[path].Tree(); file != nil && makesExplicitMesh(file, release) {
				return true
			}
		}
	}
	return false
}

func makesExplicitMesh(file *pyparse.File, release flow.Release) bool {
	if strings.Contains(string(file.Source), "AxisType.Explicit") {
		return true
	}
	for n := range file.Descendants(0) {
		name := file.Text(file.Callee(n))
		if name[strings.LastIndexByte(name, '.')+1:] == "make_mesh" && release.AtLeast(0, 9, 0) &&
			file.KeywordArgument(n, "axis_types") == pyparse.None && len(file.Arguments(n)) < 3 {
			return true
		}
	}
	return false
}

// bareArray reports whether the parameters are one array rather than leaves of a tree.
func (l *lowSum) bareArray() bool {
	names := l.parameters()
	return len(names) == 1 && !strings.ContainsAny(names[0], "[.")
}

// toVarying spells the cast of a value to varying: pcast from JAX 0.8.2 on, pvary before.
func toVarying(jax, value, axes string, release flow.Release, bare bool) string {
	cast := func(x string) string {
		if release.Major == 0 && (release.Minor < 8 || release.Minor == 8 && release.Patch < 2) && release.Minor > 0 {
			return jax + ".lax.pvary(" + x + ", " + axes + ")"
		}
		return jax + ".lax.pcast(" + x + ", " + axes + `, to="varying")`
	}
	if bare {
		return cast(value)
	}
	return jax + ".tree.map(lambda leaf: " + cast("leaf") + ", " + value + ")"
}

func axisText(axes []string) string {
	if len(axes) == 1 {
		return `"` + axes[0] + `"`
	}
	return `("` + strings.Join(axes, `", "`) + `")`
}
