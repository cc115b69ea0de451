package link

import (
	"slices"

	"github.com/shardls/shardls/hlomap"
)

// Repeats reports whether two modules are compilations of one function that exchange the same for the same lines. JAX compiles a step
// anew when the placement of an argument changes, often between the first call and the second; only one of them runs in a step.
func (m *Module) Repeats(o *Module) bool {
	if m.Name != o.Name || m.Deciding == nil || o.Deciding == nil {
		return false
	}
	return slices.EqualFunc(logical(m), logical(o), sameExchange)
}

func logical(m *Module) []*hlomap.Collective {
	var list []*hlomap.Collective
	for i := range m.Deciding.Collectives {
		if c := &m.Deciding.Collectives[i]; c.Logical {
			list = append(list, c)
		}
	}
	return list
}

func sameExchange(a, b *hlomap.Collective) bool {
	sameArray := func(x, y hlomap.Array) bool { return x.DType == y.DType && slices.Equal(x.Shape, y.Shape) }
	return a.Opcode == b.Opcode && slices.Equal(a.Axes, b.Axes) && sameNumber(a.BytesPerStep, b.BytesPerStep) &&
		slices.EqualFunc(a.Results, b.Results, sameArray) && slices.Equal(a.Frames, b.Frames)
}

// sameNumber compares numbers of which both may be unknown.
func sameNumber(a, b *int64) bool {
	return a == b || a != nil && b != nil && *a == *b
}
