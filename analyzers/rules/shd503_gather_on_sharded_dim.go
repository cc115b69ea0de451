package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/hlomap"
)

func shd503() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD503", Name: "gather-on-sharded-dim", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "a table is looked up along its sharded dimension",
		Doc: analyzers.Documentation{
			Finds: "A lookup such as table[ids] or jnp.take along a dimension of the table that is sharded.",
			Matters: "No device has all rows, so each looks up what it has, masks the rest with zeros, and the full result is summed over the axis (JAX 0.4.35 to 0.10.2): " +
				"batch × sequence × features elements per lookup. With the features sharded instead, the lookup is local.",
			Example: `table = jax.device_put(table, NamedSharding(mesh, P("model", None)))
h = table[ids]
`,
			Instead: `table = jax.device_put(table, NamedSharding(mesh, P(None, "model")))
h = table[ids]
`,
			Ignore: "When the same table is also the output projection and its vocabulary must stay sharded for the logits.",
		},
		CheckDump: func(p *analyzers.DumpPass) { each(p, "SHD503", describeLookup) },
	}
}

// lookup is a gather from a sharded table: the table's own layout and the layout to write instead, "" when unknown.
type lookup struct {
	have, want string
	shuffle    bool // as many rows are taken as there are
}

// explainLookup matches the sum of a masked lookup, and the all-gather of a table (other partitioners than that of
// JAX 0.4.35 to 0.10.2 may choose it).
func explainLookup(x *exchange) *why {
	g := x.graph
	if x.userMade() {
		return nil
	}
	gather := hlomap.NoInstr
	switch {
	case x.Opcode == "all-reduce":
		gather = maskedGather(x)
	case x.gathers():
		for _, u := range x.uses() {
			if g.Op(u.User) == hlomap.OpGather && u.Operand == 0 {
				gather = u.User
			}
		}
	}
	if gather == hlomap.NoInstr || !takesRows(g, gather) || x.gathers() && !slices.Contains(g.Dimensions(gather, "start_index_map"), x.dimension()) {
		return nil
	}
	table := g.Source(g.Operand(gather, 0), func(op hlomap.Op) bool { return op == hlomap.OpConvert || throughGathers(op) })
	if table != hlomap.NoInstr && x.multiplied(table) {
		return nil // tied to the output layer, whose product would then sum logits over the features
	}
	w := &why{frames: x.Frames, primitive: "gather", subject: entryParameter(g, table), detail: lookup{}}
	if w.subject != "" {
		l := x.swappedSpec(table)
		l.shuffle = x.takesAll(table, gather)
		w.detail = l
	}
	return w
}

// takesAll reports whether a lookup takes as many rows of a parameter as all devices have, as a permutation of a data set does.
func (x *exchange) takesAll(table, gather hlomap.InstrID) bool {
	sharding, ok := x.parameterSharding(table)
	dims := x.graph.Dims(table)
	if !ok || len(dims) == 0 {
		return false
	}
	rows := int64(1)
	for k, size := range x.graph.Dims(gather) {
		if !slices.Contains(x.graph.Dimensions(gather, "offset_dims"), k) {
			rows *= size
		}
	}
	return rows == dims[0]*int64(tiles(sharding, 0))
}

// takesRows reports whether a lookup takes more than one element for each index: the labels that are looked up among logits are one
// number each, which costs next to nothing and has no features to shard instead.
func takesRows(g evidence.Graph, gather hlomap.InstrID) bool {
	n := 1
	for _, size := range g.Dimensions(gather, "slice_sizes") {
		n *= size
	}
	return n > 1
}

// multiplied reports whether a table is an operand of a product too.
func (x *exchange) multiplied(table hlomap.InstrID) bool {
	through := func(op hlomap.Op) bool { return op == hlomap.OpConvert || throughGathers(op) }
	return len(dots(x.graph, x.graph.Uses(table, through))) > 0
}

// maskedGather returns the gather behind select(mask, 0, gather(table, ids)), hlomap.NoInstr when the reduction's operand
// is something else.
func maskedGather(x *exchange) hlomap.InstrID {
	g := x.graph
	convert := func(op hlomap.Op) bool { return op == hlomap.OpConvert }
	s := g.Source(g.Operand(x.instr, 0), convert)
	if s == hlomap.NoInstr || g.Op(s) != hlomap.OpSelect {
		return hlomap.NoInstr
	}
	for k := 1; k <= 2; k++ {
		lookup := g.Source(g.Operand(s, k), convert)
		if isZero(g, g.Operand(s, 3-k)) && lookup != hlomap.NoInstr && g.Op(lookup) == hlomap.OpGather {
			return lookup
		}
	}
	return hlomap.NoInstr
}

// swappedSpec spells a matrix parameter's layout and the one with its two dimensions exchanged.
func (x *exchange) swappedSpec(parameter hlomap.InstrID) lookup {
	spec, ok := x.parameterSpec(parameter)
	if !ok || len(spec) != 2 || len(spec[0]) == 0 || len(spec[1]) > 0 {
		return lookup{}
	}
	return lookup{have: specText(spec), want: specText([][]string{spec[1], spec[0]})}
}

func describeLookup(c *cause) analyzers.Finding {
	table := c.subject("")
	name := "the table"
	if table != "" {
		name = "table '" + table + "'"
	}
	advice := "shard another dimension of it"
	switch l := c.why[0].detail.(lookup); {
	case l.shuffle:
		advice = "as many rows are taken as there are: to shuffle them, permute those of each device in a shard_map, or all of them on the host"
	case l.want != "":
		advice = fmt.Sprintf("shard its features, %s instead of %s", l.want, l.have)
	}
	how := "the result is put together by"
	if c.exchanges[0].gathers() {
		how = "its rows are brought to every device first by"
	}
	return c.finding(fmt.Sprintf("this lookup goes along the sharded dimension of %s: %s %s %s, %s; %s",
		name, how, c.opcodes(), c.over(), c.cost(), advice))
}
