package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd908() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD908", Name: "shardy-disabled", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		JAX:     analyzers.Releases{From: "0.7.0"},
		Summary: "the program asks for the old partitioner",
		Doc: analyzers.Documentation{
			Finds:   "jax_use_shardy_partitioner set to False, in jax.config.update or through JAX_USE_SHARDY_PARTITIONER in os.environ.",
			Matters: "Shardy is the default since JAX 0.7.0; the older propagation is no longer developed, and explicit sharding needs Shardy.",
			Example: `import jax

jax.config.update("jax_use_shardy_partitioner", False)
`,
			Instead: `import jax
`,
			FixSafety: "The fix deletes the statement. It is unsafe because another partitioner may choose other shardings.",
			Ignore:    "While a custom_partitioning without sharding_rule is still in use.",
		},
		Needles: []string{shardyFlag, shardyEnvironment}, WithoutLibrary: true, // the environment is set before any import
		Check: checkShardyDisabled,
	}
}

const (
	shardyFlag        = "jax_use_shardy_partitioner"
	shardyEnvironment = "JAX_USE_SHARDY_PARTITIONER"
)

func checkShardyDisabled(p *analyzers.Pass) {
	if !p.JAX.AtLeast(0, 7, 0) {
		return
	}
	out := newOnce(p)
	for _, e := range p.Facts().Events {
		flag := switchesShardyOff(e)
		if flag == "" || e.Guarded {
			continue
		}
		f := analyzers.Finding{Message: fmt.Sprintf("%s switches to the partitioner that JAX left in 0.7.0; delete the line", flag)}
		// Where the name comes from a table, the line sets other flags too, as an update may.
		alone := len(e.Pos) > 0 && !isKind(e.Pos[0].At, pyparse.KindIdentifier, pyparse.KindDictionary)
		if statement := wholeStatement(e.At); statement.Valid() && (alone || len(e.Pos) == 0 && len(e.Kw) == 1) {
			f.Fixes = fixOf("Delete the line", analyzers.Unsafe, lineDropped(statement))
		}
		out.report(e.At, f)
	}
}

// switchesShardyOff returns the flag that a call sets to false, "" when it does nothing of the kind.
func switchesShardyOff(e *flow.Event) string {
	switch e.Name {
	case "jax.config.update":
		name, _ := flow.String(e.Value(0, "name"))
		if v, ok := e.Value(1, "val").(flow.Bool); ok && name == shardyFlag && !bool(v) {
			return shardyFlag
		}
	case "os.environ.__setitem__", "os.environ.setdefault", "os.putenv":
		if name, _ := flow.String(e.Value(0)); name == shardyEnvironment && switchedOff(e.Value(1)) {
			return shardyEnvironment
		}
	case "os.environ.update":
		value := e.Value(-1, shardyEnvironment)
		if d, ok := e.Value(0).(*flow.Dict); ok && value == nil {
			value, _ = d.Get(&flow.Str{S: shardyEnvironment})
		}
		if switchedOff(value) {
			return shardyEnvironment
		}
	}
	return ""
}

// switchedOff reports whether JAX reads the value of an environment variable as false.
func switchedOff(v flow.Value) bool {
	value, _ := flow.String(v)
	switch strings.ToLower(value) {
	case "0", "false", "off", "no", "n", "f":
		return true
	}
	return false
}

// wholeStatement is the statement around a node if it is one line at its own level and not the only one of its block.
func wholeStatement(at flow.Ref) flow.Ref {
	if !at.Valid() {
		return flow.Ref{}
	}
	s := at.File.Syntax
	n := s.EnclosingStatement(at.Node)
	parent := s.Parent(n)
	if n == pyparse.None || !s.Is(parent, pyparse.KindModule) && len(s.ChildList(parent)) < 2 {
		return flow.Ref{}
	}
	return flow.Ref{File: at.File, Node: n}
}

// lineDropped is the edit that removes a statement and its line.
func lineDropped(statement flow.Ref) analyzers.Edit {
	span, source := spanOf(statement), statement.File.Syntax.Source
	for span.Start > 0 && strings.IndexByte(" \t", source[span.Start-1]) >= 0 {
		span.Start--
	}
	for span.End < len(source) && source[span.End] != '\n' {
		span.End++
	}
	if span.End < len(source) {
		span.End++
	}
	return analyzers.Edit{Span: span}
}
