package rules

import (
	"fmt"
	"slices"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/hlomap"
)

func shd602() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD602", Name: "wide-gather-before-narrow-cast", Severity: analyzers.Warning, Evidence: analyzers.FromHLO, Since: "0.1.0",
		Summary: "an array is gathered in float32 although only its 16-bit copy is used",
		Doc: analyzers.Documentation{
			Finds: "An all-gather of float32 whose every use is a cast to a 16-bit or 8-bit type. The module just after partitioning decides: a CPU's final module shows float32 for the good form as well.",
			Matters: "Twice the bytes travel, and twice the memory holds the gathered array. A cast that is pinned to the sharded layout, with a barrier so that XLA does not move it back, gathers 16-bit values " +
				"(JAX 0.10.2: 512 KiB become 256 KiB for 512 × 256 weights).",
			Example: `w = jax.lax.with_sharding_constraint(w, full).astype(jnp.bfloat16)
`,
			Instead: `w = jax.lax.with_sharding_constraint(w.astype(jnp.bfloat16), rows)
w = jax.lax.with_sharding_constraint(jax.lax.optimization_barrier(w), full)
`,
			Ignore: "When the float32 values are needed for something that the dump does not show.",
		},
		CheckDump: checkWideGather,
	}
}

func checkWideGather(p *analyzers.DumpPass) {
	if !decidesTypes(p) {
		return
	}
	var causes []*cause
	for _, x := range exchanges(p.Module) {
		if narrow := x.onlyNarrowed(); narrow != "" {
			causes = join(causes, x, &why{frames: x.Frames, primitive: x.primitive, subject: entryParameter(x.graph, x.operand()), detail: narrow})
		}
	}
	for _, c := range causes {
		b := c.bytes()
		if b == nil {
			continue
		}
		narrow, wide := c.why[0].detail.(string), c.exchanges[0].Results[0].DType
		p.Report(c.finding(fmt.Sprintf("%s of %s are sent for nothing; cast first, pin the cast to the sharded layout "+
			"(with_sharding_constraint, then optimization_barrier), and gather the copy",
			gatheredText(c, longType(wide), longType(narrow))+byteText(*b-*b*bits(narrow)/bits(wide)), c.cost())))
	}
}

// gatheredText says what is gathered in the wide type and used in the narrow one, with all names that are known.
func gatheredText(c *cause, wide, narrow string) string {
	var names []string
	for _, w := range c.why {
		if w.subject == "" {
			names = nil
			break
		}
		if !slices.Contains(names, w.subject) {
			names = append(names, w.subject)
		}
	}
	subject, plural := "the array", len(names) > 1
	switch {
	case len(names) > 0:
		subject = some(names, 4)
	case len(c.exchanges) > 1:
		subject, plural = fmt.Sprintf("%d arrays", len(c.exchanges)), true
	}
	if plural {
		return fmt.Sprintf("%s are gathered in %s %s, yet only their %s copies are used: ", subject, wide, c.over(), narrow)
	}
	return fmt.Sprintf("%s is gathered in %s %s, yet only its %s copy is used: ", subject, wide, c.over(), narrow)
}

// onlyNarrowed returns the narrow type that every use of a wide all-gather casts to, "" when there is another use.
func (x *exchange) onlyNarrowed() string {
	g := x.graph
	if !x.gathers() || len(x.Results) != 1 || x.Results[0].DType != "f32" && x.Results[0].DType != "f64" {
		return ""
	}
	narrow := ""
	for _, u := range g.Uses(x.instr, throughGathers) {
		s := g.M.Shape(u.User)
		if g.Op(u.User) != hlomap.OpConvert || bits(s.DType) == 0 || bits(s.DType) > 16 || s.DType[0] == 's' || s.DType[0] == 'u' {
			return ""
		}
		narrow = s.DType
	}
	if narrow == "" || g.M.Root(g.M.Entry()) == x.instr {
		return ""
	}
	return narrow
}

// bits returns the width of a float type, 0 for other types.
func bits(dtype string) int64 {
	switch {
	case dtype == "bf16" || dtype == "f16":
		return 16
	case dtype == "f32":
		return 32
	case dtype == "f64":
		return 64
	case len(dtype) > 2 && dtype[:2] == "f8":
		return 8
	}
	return 0
}
