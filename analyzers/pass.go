package analyzers

import (
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
)

// Pass is what a rule is given to judge one Python file.
type Pass struct {
	File     *flow.File
	Program  *flow.Program
	JAX      flow.Release
	Settings Settings
	Raises   []string // of the rule
	Report   func(Finding)

	// Facts interprets the file on its first call and returns the same facts on every further one.
	Facts func() *flow.Facts
}

// DumpPass is what a rule is given to judge one compiled module.
type DumpPass struct {
	Module   *link.Module
	Program  *flow.Program
	JAX      flow.Release
	Settings Settings
	Report   func(Finding)

	// Skip says that the module can't be judged by this rule, and why.
	Skip func(reason string)

	// Facts interprets a file of the run, named as findings do, on its first call and returns the same facts on every further
	// one. It returns nil for other files.
	Facts func(path string) *flow.Facts
}

// Settings are the thresholds that configuration can change.
type Settings struct {
	MinBytes          int64 // communication below this many bytes per step raises no 4xx or 5xx finding
	MinUnshardedBytes int64 // the same for findings about size without communication
	Budget            *Budget
	LogicalRules      []LogicalRule // what logical axis names stand for, as configured
}

// LogicalRule says which mesh axes a logical axis name of Flax stands for; none means that its dimension is replicated.
type LogicalRule struct {
	Name string
	Axes []string
}

// Budget is how much communication a step may have, as configured; nil where nothing is.
type Budget struct {
	BytesPerStep            []AxisBytes
	NoLowPrecisionGradients bool
	// NoImplicit reports whether the partitioner may put no exchange into a file, by the path that findings have. Nil forbids none.
	NoImplicit func(path string) bool
}

// AxisBytes is the number of bytes that one device may move over a mesh axis per step; the axis "*" stands for all exchanges.
type AxisBytes struct {
	Axis  string
	Bytes int64
}
