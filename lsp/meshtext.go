package lsp

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers/flow"
)

// meshText describes a mesh by its axes and sizes; unknown sizes are shown as such.
func meshText(m *flow.Mesh) string {
	if !m.Known {
		return "axes unknown"
	}
	devices, known := int64(1), true
	axes := make([]string, len(m.Axes))
	for i, a := range m.Axes {
		size := "?"
		if a.Size > 0 {
			size = fmt.Sprint(a.Size)
			devices *= a.Size
		} else {
			known = false
		}
		axes[i] = a.Name + "=" + size
	}
	text := strings.Join(axes, ", ")
	if known && len(axes) > 0 {
		text += fmt.Sprintf(" (%d %s)", devices, plural("device", int(min(devices, 2))))
	}
	return text
}

// specText says of each dimension over what it is sharded. mesh gives the sizes and may be nil.
func specText(spec *flow.Spec, mesh *flow.Mesh) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`", spec.String())
	if !spec.Known {
		return b.String()
	}
	for i, e := range spec.Entries {
		fmt.Fprintf(&b, "\n- dimension %d: %s", i, entryText(e, mesh))
	}
	if spec.Open {
		b.WriteString("\n- more dimensions may follow")
	} else {
		b.WriteString("\n- all others: not sharded")
	}
	return b.String()
}

func entryText(e flow.SpecEntry, mesh *flow.Mesh) string {
	switch {
	case e.Unknown:
		return "unknown"
	case e.Unconstrained:
		return "left to the compiler"
	case len(e.Names) == 0:
		return "not sharded"
	}
	names := make([]string, len(e.Names))
	for i, n := range e.Names {
		names[i] = n.Name
	}
	text := "sharded over " + strings.Join(names, ", then ")
	if mesh != nil {
		if n, ok := mesh.Shards(e); ok {
			text += fmt.Sprintf(", %d %s", n, plural("shard", int(min(n, 2))))
		}
	}
	return text
}
