package lsp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
)

// caused is a collective that a line of Python causes.
type caused struct {
	link.At
	module *link.Module
}

// traffic is what the compiled modules of a workspace say about its lines: by path and 1-based line.
type traffic map[string]map[int][]caused

// trafficOf joins the indices of all modules.
func trafficOf(modules []*link.Module) traffic {
	t := traffic{}
	for _, m := range modules {
		for path, lines := range m.Lines() {
			if t[path] == nil {
				t[path] = map[int][]caused{}
			}
			for line, list := range lines {
				for _, at := range list {
					t[path][line] = append(t[path][line], caused{at, m})
				}
			}
		}
	}
	return t
}

// between returns the collectives that stand on the 1-based lines from first to last, each once. Those that a line only
// causes, while another line holds them, are left out: that other line counts them.
func (t traffic) between(path string, first, last int) []caused {
	var found []caused
	seen := map[*hlomap.Collective]bool{}
	for _, line := range slices.Sorted(maps.Keys(t[path])) {
		if line < first || line > last {
			continue
		}
		for _, c := range t[path][line] {
			if c.Via != "cause" && !seen[c.Collective] {
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
		return "at least " + output.Bytes(t.bytes) + " per step"
	default:
		return output.Bytes(t.bytes) + " per step"
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
