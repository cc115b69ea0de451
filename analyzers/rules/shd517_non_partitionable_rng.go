package rules

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/pyparse"
)

func shd517() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD517", Name: "non-partitionable-rng", Severity: analyzers.Warning, Evidence: analyzers.FromBoth, Since: "0.1.0",
		Summary: "random numbers are drawn by an implementation that can't be split over devices",
		Doc: analyzers.Documentation{
			Finds: "Communication inside jax.random functions: the counters of threefry are computed whole and exchanged.",
			Matters: "With jax_threefry_partitionable off (the default before JAX 0.5.0) every device draws the full array and holds it, and the counters travel by all-gather and collective-permute. " +
				"With it on, each device draws its part.",
			Example: `jax.config.update("jax_threefry_partitionable", False)
noise = jax.random.normal(key, x.shape)
`,
			Instead: `noise = jax.random.normal(key, x.shape)
`,
			FixSafety: "The fix is unsafe: the same key gives other numbers.",
			Ignore:    "When a published result must be reproduced bit by bit.",
		},
		Needles:   []string{threefrySetting},
		CheckDump: checkThreefry,
	}
}

// explainThreefry matches exchanges of random bits inside jax.random's own functions (JAX 0.4 to 0.10).
func explainThreefry(x *exchange) *why {
	if x.userMade() || len(x.Results) == 0 || x.Results[0].DType != "u32" && x.Results[0].DType != "u64" {
		return nil
	}
	random := evidence.InFunction(x.OpName, func(name string) bool {
		switch name {
		case "_uniform", "_normal", "_normal_real", "_bernoulli", "_randint", "_gumbel", "_truncated_normal", "_categorical", "_exponential", "_laplace",
			"_bits", "_random_bits", "threefry_2x32", "_threefry_random_bits_original", "_threefry_split_original", "_logistic", "_cauchy":
			return true
		}
		return false
	})
	if !random && x.primitive != "threefry2x32" && x.primitive != "random_bits" {
		return nil
	}
	return &why{frames: x.Frames, primitive: x.primitive}
}

// threefrySetting is the name of the switch in jax.config.
const threefrySetting = "jax_threefry_partitionable"

func checkThreefry(p *analyzers.DumpPass) {
	causes := explained(p, "SHD517")
	if len(causes) == 0 {
		return
	}
	path, call := threefrySwitch(p)
	if call == pyparse.None {
		for _, c := range causes {
			p.Report(c.finding(fmt.Sprintf("these random numbers are drawn whole on every device and threefry's counters are exchanged (%s, %s); "+
				"set jax_threefry_partitionable to True (the default since JAX 0.5.0)", c.opcodes(), c.cost())))
		}
		return
	}
	// One switch is to blame for all places.
	all := *causes[0]
	for _, c := range causes[1:] {
		all.exchanges = append(all.exchanges, c.exchanges...)
	}
	f := all.finding(fmt.Sprintf("with jax_threefry_partitionable off, random arrays are drawn whole on every device and threefry's counters are exchanged (%s, %s); delete this line",
		all.opcodes(), all.cost()))
	file := p.Program.Files[path].Tree()
	start, end := file.Span(call)
	for _, c := range causes {
		f.Related = append(f.Related, analyzers.Related{Span: c.span(), Message: "random numbers are drawn here"})
	}
	f.Span, f.Evidence = analyzers.Span{Path: path, Start: start, End: end}, analyzers.FromBoth
	from, to := file.Span(file.EnclosingStatement(call))
	if from == start && to == end {
		f.Fixes = []analyzers.Fix{{Title: "Delete the line", Safety: analyzers.Unsafe, Edits: []analyzers.Edit{{Span: wholeLine(path, file.Source, from, to)}}}}
	}
	p.Report(f)
}

// threefrySwitch finds config.update("jax_threefry_partitionable", False) in the program; pyparse.None when there is none.
func threefrySwitch(p *analyzers.DumpPass) (string, pyparse.NodeID) {
	if p.Program == nil {
		return "", pyparse.None
	}
	paths := make([]string, 0, len(p.Program.Files))
	for path, f := range p.Program.Files {
		if f != nil && f.Syntax != nil && bytes.Contains(f.Syntax.Source, []byte(threefrySetting)) {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	for _, path := range paths {
		file := p.Program.Files[path].Tree()
		for n := range file.Descendants(0) {
			args := file.Arguments(n)
			if !file.Is(n, pyparse.KindCall) || len(args) != 2 || !file.Is(args[1].Value, pyparse.KindFalse) {
				continue
			}
			if s, ok := file.StringValue(args[0].Value); ok && s == threefrySetting {
				return path, n
			}
		}
	}
	return "", pyparse.None
}

// wholeLine widens a statement that has its lines for itself to the line ends.
func wholeLine(path string, source []byte, from, to int) analyzers.Span {
	start, end := from, to
	for start > 0 && (source[start-1] == ' ' || source[start-1] == '\t') {
		start--
	}
	for end < len(source) && (source[end] == ' ' || source[end] == '\t') {
		end++
	}
	if (start == 0 || source[start-1] == '\n') && end < len(source) && source[end] == '\n' {
		return analyzers.Span{Path: path, Start: start, End: end + 1}
	}
	return analyzers.Span{Path: path, Start: from, End: to}
}
