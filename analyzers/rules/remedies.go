package rules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// unusedName returns base, or base with a number, so that no name of the file is called that.
func unusedName(file *pyparse.File, base string, others ...string) string {
	taken := map[string]bool{}
	for _, name := range others {
		taken[name] = true
	}
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
		if lastName(name) == "make_mesh" && release.AtLeast(0, 9, 0) &&
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
		if release.AtLeast(0, 8, 2) {
			return jax + ".lax.pcast(" + x + ", " + axes + `, to="varying")`
		}
		return jax + ".lax.pvary(" + x + ", " + axes + ")"
	}
	if bare {
		return cast(value)
	}
	return jax + ".tree.map(lambda leaf: " + cast("leaf") + ", " + value + ")"
}

// axisText writes one axis name, or a tuple of several.
func axisText(axes []string) string { return tupled(quotedNames(axes)) }

func quotedNames(names []string) []string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return quoted
}
