package rules

import (
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

// parameterSpec returns the mesh axes per dimension of an entry parameter; false when its layout or the mesh is unknown.
func (x *exchange) parameterSpec(i hlomap.InstrID) ([][]string, bool) {
	s, ok := x.parameterSharding(i)
	if !ok || s.Replicated {
		return nil, false
	}
	return s.Spec(x.module.Mesh())
}

// parameterSharding reads the sharding attribute that the partitioner leaves on entry parameters.
func (x *exchange) parameterSharding(i hlomap.InstrID) (link.Sharding, bool) {
	if i == hlomap.NoInstr {
		return link.Sharding{}, false
	}
	text, ok := x.graph.M.InstrAttr(i, "sharding")
	if !ok {
		return link.Sharding{}, false
	}
	return link.ParseSharding(text)
}

// tiles returns into how many parts dimension d of a sharding is cut.
func tiles(s link.Sharding, d int) int {
	if d < 0 || d >= len(s.Tiles) {
		return 1
	}
	return s.Tiles[d]
}

func specText(spec [][]string) string { return link.PartitionSpec(spec) }
