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

// weight is a parameter that is multiplied with an activation.
type weight struct {
	parameter hlomap.InstrID
	name      string // tree path
	operand   int    // of the product that is the weight
	stacked   int    // leading dimensions of the parameter that a loop takes one by one
	sharding  *hlomap.Sharding
}

// weightOf returns the parameter that is one operand of a product, the right one where both are, and false when neither is.
// A loop may take the weights of its layers out of a stack.
func (x *exchange) weightOf(product hlomap.InstrID) (weight, bool) {
	g := x.graph
	for k := 1; k >= 0; k-- {
		operand := g.Operand(product, k)
		p := g.Source(operand, func(op hlomap.Op) bool { return op == hlomap.OpConvert || op == hlomap.OpDynamicSlice })
		name := entryParameter(g, p)
		sharding, ok := x.parameterSharding(p)
		if stacked := len(g.Dims(p)) - len(g.Dims(operand)); name != "" && ok && stacked >= 0 && len(g.Dims(operand)) > 0 {
			return weight{p, name, k, stacked, sharding}, true
		}
	}
	return weight{}, false
}

// contracted returns into how many parts the one contracted dimension of a weight is cut, 0 when there are several.
func (x *exchange) contracted(product hlomap.InstrID, w weight) int {
	attr := "rhs_contracting_dims"
	if w.operand == 0 {
		attr = "lhs_contracting_dims"
	}
	if d := x.graph.Dimensions(product, attr); len(d) == 1 {
		return tiles(w.sharding, d[0]+w.stacked)
	}
	return 0
}

// kept returns into how many parts the one dimension of a matrix that a product keeps is cut, 0 for weights that are no matrix.
func (x *exchange) kept(product hlomap.InstrID, w weight) int {
	attr := "rhs_contracting_dims"
	if w.operand == 0 {
		attr = "lhs_contracting_dims"
	}
	d := x.graph.Dimensions(product, attr)
	if len(d) != 1 || len(x.graph.Dims(x.graph.Operand(product, w.operand))) != 2 {
		return 0
	}
	return tiles(w.sharding, 1-d[0]+w.stacked)
}
