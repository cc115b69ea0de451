// Package config holds the settings of shardls: their names, types and defaults, and how they are read from TOML and
// merged. It touches no file; internal/project finds the bytes.
package config

import (
	"time"

	"github.com/shardls/shardls/analyzers"
)

// Config is one table of settings. A nil slice or map and a nil pointer mean "not set"; [Default] sets everything.
type Config struct {
	Path string // the file it was read from, "" for defaults and inline settings
	Dir  string // the directory that relative patterns start from

	// Flags marks what the flags of a command line say: their select and ignore refine what files say instead of replacing it.
	Flags bool

	Select         []string // prefixes of rule codes
	Ignore         []string
	ExtendSelect   []string
	PerFileIgnores []PerFileIgnore
	Severity       []SeverityOverride

	Exclude       []string // gitignore-like patterns
	ExtendExclude []string
	Src           []string // roots of the user's own packages, relative to Dir

	TargetJAX        string
	HLO              HLO
	Mesh             []Mesh
	LogicalAxisRules []LogicalAxisRule
	Hardware         Hardware
	Budget           Budget
}

// Budget is how much communication a step may have.
type Budget struct {
	BytesPerStep          []AxisBytes
	LowPrecisionGradients *bool    // false forbids sums of gradients in 16 bits or less
	NoImplicitCollectives []string // patterns of files in which the partitioner may put none, relative to Dir
}

// AxisBytes is the number of bytes that one device may move over a mesh axis per step; the axis "*" stands for all exchanges.
type AxisBytes struct {
	Axis  string
	Bytes int64
}

// PerFileIgnore switches rules off for the files that a pattern matches.
type PerFileIgnore struct {
	Pattern string
	Codes   []string
}

// SeverityOverride sets the severity of the rules whose code starts with Prefix.
type SeverityOverride struct {
	Prefix   string
	Severity analyzers.Severity
}

// HLO says where dumps are and which findings about them matter.
type HLO struct {
	Dumps             []string // globs, files or directories, relative to Dir
	Logs              []string // compiler logs, relative to Dir
	MinBytes          *int64   // bytes per step below which communication raises no SHD4 or SHD5 finding
	MinUnshardedBytes *int64   // the same for size without communication
	Profile           string   // of measured times, relative to Dir
	PathMap           []PathMapping
	MaxAge            time.Duration // dumps older than this are reported as old; 0 is no limit
}

// PathMapping replaces the prefix From of a path in a dump by To.
type PathMapping struct {
	From, To string
}

// Mesh is a mesh that the program builds at run time in a way that cannot be read from its source. It names the axes in dumps
// of as many devices.
type Mesh struct {
	Name string     // a label for people
	Axes []MeshAxis // in row-major order
}

// MeshAxis is one axis of a mesh and its size in devices.
type MeshAxis struct {
	Name string
	Size int
}

// LogicalAxisRule maps a logical axis name to mesh axes; none means replicated.
type LogicalAxisRule struct {
	Name string
	Axes []string
}

// Hardware names the accelerator that costs are estimated for, and overrides its link rates. Rates are in gigabytes per
// second and direction; 0 means the accelerator's own.
type Hardware struct {
	Name             string
	ICIGBps, DCNGBps float64
}

// DefaultMinBytes and DefaultMinUnshardedBytes are the thresholds where nothing is configured.
const (
	DefaultMinBytes          = 1 << 20
	DefaultMinUnshardedBytes = 64 << 20
)
