package output

import (
	"fmt"
	"math"
	"strings"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/units"
)

// group is what some collectives have in common, and their sums.
type group struct {
	key     string
	count   int64
	opcodes []string
	axes    []string
	dtypes  []string
	runs    *int64 // executions; nil when one is unknown
	bytes   *int64 // bytes per step; nil when one is unknown
	time    *int64 // nanoseconds per step; nil when one is unknown
	order   int
}

// grouped sums the collectives of a module by line, parameter, axis, function or opcode. A collective that has several
// parameters counts fully for each: the rows then do not add up to the total.
func (m *Module) grouped(by string) ([]Column, []row) {
	var groups []*group
	index := map[string]*group{}
	for i := range m.Collectives {
		c := &m.Collectives[i]
		if !c.Logical {
			continue
		}
		for _, key := range m.keysOf(c, by) {
			g := index[key]
			if g == nil {
				g = &group{key: key, runs: new(int64), bytes: new(int64), time: new(int64), order: i}
				index[key] = g
				groups = append(groups, g)
			}
			g.add(c)
			g.time = sum(g.time, m.nanoseconds(c))
		}
	}
	columns := []Column{{Title: by}, {Title: "collectives", Right: true}}
	if by != "opcode" {
		columns = append(columns, Column{Title: "opcode"})
	}
	if by != "axis" {
		columns = append(columns, Column{Title: "axes"})
	}
	columns = append(columns, Column{Title: "dtype"}, Column{Title: "executions", Right: true}, Column{Title: "bytes/step", Right: true})
	if m.Hardware != nil {
		columns = append(columns, Column{Title: "time/step", Right: true})
	}
	rows := make([]row, 0, len(groups))
	for _, g := range groups {
		rows = append(rows, g.row(by, m.Hardware != nil))
	}
	return columns, rows
}

// row is the line of the group, without the column that its key repeats.
func (g *group) row(by string, timed bool) row {
	r := row{order: g.order, keys: map[string]int64{}}
	r.cells = []string{g.key, r.number("collectives", &g.count, decimal)}
	if by != "opcode" {
		r.cells = append(r.cells, list(g.opcodes, 3))
	}
	if by != "axis" {
		r.cells = append(r.cells, list(g.axes, 3))
	}
	r.cells = append(r.cells, list(g.dtypes, 3), r.number("executions", g.runs, decimal), r.number("bytes/step", g.bytes, units.Bytes))
	if timed {
		r.cells = append(r.cells, r.number("time/step", g.time, Seconds))
	}
	return r
}

func (g *group) add(c *hlomap.Collective) {
	g.count++
	g.opcodes = appendNew(g.opcodes, c.Opcode)
	g.axes = appendNew(g.axes, axesText(c))
	g.dtypes = appendNew(g.dtypes, dtypeText(c))
	g.runs = sum(g.runs, c.Executions)
	g.bytes = sum(g.bytes, c.BytesPerStep)
}

// sum adds, and is unknown as soon as one side is, or where the sum is too large for a number.
func sum(a, b *int64) *int64 {
	if a == nil || b == nil || *a > math.MaxInt64-*b {
		return nil
	}
	n := *a + *b
	return &n
}

// keysOf are the groups that a collective belongs to.
func (m *Module) keysOf(c *hlomap.Collective, by string) []string {
	switch by {
	case "line":
		return []string{m.lineText(c)}
	case "opcode":
		return []string{c.Opcode}
	case "axis":
		return []string{axesText(c)}
	case "function":
		if s := m.SourceOf(c); s.Function != "" {
			return []string{fmt.Sprintf("%s (%s)", s.Function, s.Path)}
		}
		return []string{unknown}
	}
	if p := parametersOf(c); len(p) > 0 {
		return p
	}
	return []string{strings.TrimSpace(unknown + " " + roleOf(c))}
}

// roleOf is the role that the operands share, "" where they differ or none is known.
func roleOf(c *hlomap.Collective) string {
	role := hlomap.Role("")
	for i := range c.Operands {
		r := c.Operands[i].Role
		if r == "" || r == hlomap.RoleUnknown || role != "" && r != role {
			return ""
		}
		role = r
	}
	if role == "" {
		return ""
	}
	return "(" + string(role) + ")"
}
