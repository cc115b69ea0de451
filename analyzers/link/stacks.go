package link

import (
	"iter"
	"slices"

	"github.com/shardls/shardls/hlomap"
)

// Stack goes through the 1-based lines of the workspace, where they are today, that the stack of a collective passes through, innermost
// first. Lines that were edited since are left out.
func (m *Module) Stack(c *hlomap.Collective) iter.Seq2[string, int] {
	return func(yield func(path string, line int) bool) {
		frames := c.Stack()
		for k, f := range frames {
			if slices.Contains(frames[:k], f) {
				continue // a stack that passes through a loop repeats its outer frames
			}
			path, ok := m.Sources.Match(f.Path)
			line, age := m.today(f)
			if ok && age != AgeChanged && !yield(path, line) {
				return
			}
		}
	}
}
