package rules

import (
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/pyparse"
)

// constrained is an edit that puts the range of a file into with_sharding_constraint with the given layout; nil where the
// file has no one mesh to name, or does not import what the constraint needs.
func constrained(file *pyparse.File, path string, start, end int, spec [][]string) []analyzers.Edit {
	mesh := moduleMesh(file)
	constraint, named, partition := spelling(file, "jax.lax.with_sharding_constraint"), spelling(file, "jax.sharding.NamedSharding"), spelling(file, "jax.sharding.PartitionSpec")
	if mesh == "" || constraint == "" || named == "" || partition == "" {
		return nil
	}
	layout := strings.ReplaceAll(strings.TrimPrefix(link.PartitionSpec(spec), "P"), "'", `"`)
	return []analyzers.Edit{
		{Span: analyzers.Span{Path: path, Start: start, End: start}, NewText: constraint + "("},
		{Span: analyzers.Span{Path: path, Start: end, End: end}, NewText: ", " + named + "(" + mesh + ", " + partition + layout + "))"},
	}
}

// moduleMesh returns the name of the one mesh that a file makes at its top level, "" when there is none or several.
func moduleMesh(file *pyparse.File) string {
	name := ""
	for statement := range file.Children(0) {
		for n := range file.Children(statement) {
			a, ok := file.Assignment(n)
			if !ok || len(a.Targets) != 1 || !file.Is(a.Targets[0], pyparse.KindIdentifier) || !makesMesh(file, a.Value) {
				continue
			}
			if name != "" {
				return ""
			}
			name = file.Text(a.Targets[0])
		}
	}
	return name
}

// makesMesh reports whether an expression is a call of one of JAX's mesh constructors.
func makesMesh(file *pyparse.File, n pyparse.NodeID) bool {
	callee := file.Text(file.Callee(n))
	switch lastName(callee) {
	case "Mesh", "make_mesh":
		return true
	}
	return false
}
