package pyparse

import (
	"fmt"
	"strings"
)

// Tree renders the tree below n, one node a line, for tests and bug reports.
func (f *File) Tree(n NodeID) string {
	var b strings.Builder
	depth := map[NodeID]int{f.Parent(n): -1}
	for c := range f.Descendants(n) {
		d := depth[f.Parent(c)] + 1
		depth[c] = d
		x := f.Nodes[c]
		b.WriteString(strings.Repeat("  ", d))
		if x.Field != FieldNone {
			b.WriteString(x.Field.String() + ": ")
		}
		fmt.Fprintf(&b, "%v [%d-%d]", x.Kind, x.Start, x.End)
		if x.Next == uint32(c)+1 {
			fmt.Fprintf(&b, " %q", f.Text(c))
		}
		for i, name := range []string{"error", "missing", "too-deep", "rewritten"} {
			if x.Flags&(1<<i) != 0 {
				b.WriteString(" " + name)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
