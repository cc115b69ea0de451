package rules

import (
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// parameterSpec returns the mesh axes per dimension of an entry parameter; false when its layout or the mesh is unknown.
func (x *exchange) parameterSpec(i hlomap.InstrID) ([][]string, bool) {
	s, ok := x.parameterSharding(i)
	if !ok || s.Replicated() {
		return nil, false
	}
	return s.Axes(x.module.Mesh())
}

// parameterSharding reads the sharding attribute that the partitioner leaves on entry parameters.
func (x *exchange) parameterSharding(i hlomap.InstrID) (*hlomap.Sharding, bool) {
	if i == hlomap.NoInstr {
		return nil, false
	}
	text, ok := x.graph.M.InstrAttr(i, "sharding")
	if !ok {
		return nil, false
	}
	return link.ParseSharding(text)
}

// tiles returns into how many parts dimension d of a sharding is cut.
func tiles(s *hlomap.Sharding, d int) int {
	if t := s.Tiles(); d >= 0 && d < len(t) {
		return t[d]
	}
	return 1
}

func specText(spec [][]string) string { return link.PartitionSpec(spec) }
