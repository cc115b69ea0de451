package lsp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/project"
	"github.com/shardls/shardls/internal/units"
)

// caused is a collective that a line of Python causes.
type caused struct {
	link.At
	module *link.Module
	times  *moduleTimes
}

// traffic is what the compiled modules of a workspace say about its lines.
type traffic struct {
	// lines holds, by path and 1-based line, the collectives of a line itself: those that stand there and those that it
	// causes while another line holds them.
	lines map[string]map[int][]caused
	// through holds the same collectives by every line of their stacks, so that callers find them too.
	through map[string]map[int][]caused
}

// trafficOf joins the indices of all modules. Of several compilations that exchange the same, one counts.
func trafficOf(w *project.Workspace) *traffic {
	t := &traffic{lines: map[string]map[int][]caused{}, through: map[string]map[int][]caused{}}
	hardware, profile := clocks(w)
	for i, m := range w.Modules {
		if slices.ContainsFunc(w.Modules[:i], m.Repeats) {
			continue
		}
		times := newModuleTimes(w, m, hardware, profile)
		for path, lines := range m.Lines() {
			for line, list := range lines {
				for _, at := range list {
					put(t.lines, path, line, caused{at, m, times})
				}
			}
		}
		t.addStacks(m, times)
	}
	return t
}

func (t *traffic) addStacks(m *link.Module, times *moduleTimes) {
	if m.Deciding == nil {
		return
	}
	for i := range m.Deciding.Collectives {
		c := &m.Deciding.Collectives[i]
		if !c.Logical {
			continue
		}
		for path, line := range m.Stack(c) {
			put(t.through, path, line, caused{link.At{Collective: c, Dump: m.Deciding, Via: "caller"}, m, times})
		}
	}
}

func put(index map[string]map[int][]caused, path string, line int, c caused) {
	if index[path] == nil {
		index[path] = map[int][]caused{}
	}
	index[path][line] = append(index[path][line], c)
}

// standing returns the collectives that stand on a 1-based line.
func (t *traffic) standing(path string, line int) []caused {
	var found []caused
	for _, c := range t.lines[path][line] {
		if c.Via != "cause" {
			found = append(found, c)
		}
	}
	return found
}

// below returns the collectives that stand on the 1-based lines from first to last or in what these call, each once and
// in the order of the modules.
func (t *traffic) below(path string, first, last int) []caused {
	var found []caused
	seen := map[*hlomap.Collective]bool{}
	for _, line := range slices.Sorted(maps.Keys(t.through[path])) {
		if line < first || line > last {
			continue
		}
		for _, c := range t.through[path][line] {
			if !seen[c.Collective] {
				seen[c.Collective] = true
				found = append(found, c)
			}
		}
	}
	return found
}

// total is a sum of which some addends may be unknown.
type total struct {
	bytes   int64
	known   int
	unknown int
}

func (t *total) add(bytes *int64) {
	if bytes == nil {
		t.unknown++
		return
	}
	t.known++
	t.bytes += *bytes
}

// String is the sum for people; unknown is never shown as nothing.
func (t total) String() string {
	switch {
	case t.known == 0:
		return "unknown bytes per step"
	case t.unknown > 0:
		return "at least " + units.Bytes(t.bytes) + " per step"
	default:
		return units.Bytes(t.bytes) + " per step"
	}
}

// kindOf is what collectives are counted by.
type kindOf struct{ opcode, axes string }

// summary says in one line what collectives do: "3 all-reduces over data · 1.2 MiB per step · bf16". With several modules
// each has its own part, since they do not run in the same step.
func summary(list []caused) string {
	var parts []string
	byModule := map[*link.Module][]caused{}
	var order []*link.Module
	for _, c := range list {
		if byModule[c.module] == nil {
			order = append(order, c.module)
		}
		byModule[c.module] = append(byModule[c.module], c)
	}
	for _, m := range order {
		part := moduleSummary(byModule[m])
		if len(order) > 1 {
			part = m.Name + ": " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " | ")
}

func moduleSummary(list []caused) string {
	counts := map[kindOf]int{}
	var sum total
	dtypes := map[string]bool{}
	for _, c := range list {
		counts[kindOf{c.Collective.Opcode, axesText(c.Collective)}]++
		sum.add(c.Collective.BytesPerStep)
		for _, d := range dtypesOf(c.Collective) {
			dtypes[d] = true
		}
	}
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b kindOf) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a.opcode, b.opcode), strings.Compare(a.axes, b.axes))
	})
	var what []string
	for _, k := range kinds {
		what = append(what, fmt.Sprintf("%d %s%s", counts[k], plural(k.opcode, counts[k]), over(k.axes)))
	}
	parts := []string{strings.Join(what, ", "), sum.String()}
	if len(dtypes) > 0 {
		parts = append(parts, strings.Join(slices.Sorted(maps.Keys(dtypes)), ", "))
	}
	return strings.Join(parts, " · ")
}

// dtypesOf are the element types that a collective moves, each once.
func dtypesOf(c *hlomap.Collective) []string {
	var out []string
	add := func(a hlomap.Array) {
		if a.DType != "" && !slices.Contains(out, a.DType) {
			out = append(out, a.DType)
		}
	}
	for _, o := range c.Operands {
		add(o.Array)
	}
	if len(c.Operands) == 0 {
		for _, r := range c.Results {
			add(r)
		}
	}
	return out
}

// axesText lists mesh axes, or says over how many devices each group goes where their names are not known.
func axesText(c *hlomap.Collective) string {
	if c.Shift != nil {
		return c.Shift.String()
	}
	if len(c.Axes) > 0 {
		return strings.Join(c.Axes, ", ")
	}
	if len(c.ReplicaGroups) > 0 && len(c.ReplicaGroups[0]) > 0 {
		return fmt.Sprintf("%d devices", len(c.ReplicaGroups[0]))
	}
	return ""
}

func over(axes string) string {
	if axes == "" {
		return ""
	}
	return " over " + axes
}

func plural(noun string, n int) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "h"), strings.HasSuffix(noun, "s"):
		return noun + "es"
	default:
		return noun + "s"
	}
}
