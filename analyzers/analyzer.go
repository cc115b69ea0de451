// Package analyzers holds the contract between rules and the programs that run them: what a rule says of itself
// ([Analyzer]), what it is given ([Pass], [DumpPass]) and what it reports ([Finding]).
//
// The package knows nothing of files, processes, the protocol or logging. Rules live in analyzers/rules, one file each;
// analyzers/driver runs them.
package analyzers

import "time"

// Severity orders findings by how much they matter.
type Severity uint8

// From least to most severe. Off is a setting, never a finding's severity.
const (
	Off Severity = iota
	Info
	Warning
	Error
)

// String is the name used in output and configuration.
func (s Severity) String() string {
	return [...]string{"off", "info", "warning", "error"}[s]
}

// Evidence says what a finding rests on.
type Evidence string

// The kinds of evidence, as printed.
const (
	FromSource Evidence = "source"
	FromHLO    Evidence = "hlo"
	FromBoth   Evidence = "both"
)

// Confidence says how sure a finding is.
type Confidence string

// Certain findings follow from facts alone; likely ones rest on one stated assumption, such as the JAX release.
const (
	Certain Confidence = "certain"
	Likely  Confidence = "likely"
)

// Safety says whether applying a fix can change what correct code does.
type Safety string

// Safe fixes are applied by --fix, unsafe ones only by --unsafe-fixes.
const (
	Safe   Safety = "safe"
	Unsafe Safety = "unsafe"
)

// Analyzer is one rule.
type Analyzer struct {
	Code     string // "SHD101"
	Name     string // "unknown-mesh-axis"
	Summary  string // one line without a final period
	Severity Severity
	Evidence Evidence
	Since    string // release of shardls that introduced the rule
	JAX      Releases
	Doc      Documentation

	// Raises names the exceptions that JAX raises where the rule fires, without modules, base classes included. Code whose own
	// handler is for one of them means it to be raised.
	Raises []string

	// Needles are byte strings of which a file must hold at least one, outside comments and triple-quoted strings, for Check to have
	// anything to say, or use a file that does. The prefilter is derived from them: a file that concerns no rule is not even parsed,
	// and a function that nothing calls and that has to do with no needle is not interpreted. Nil means [flow.Words], without which
	// a file says nothing about sharding; a rule that looks at every file has the empty string.
	Needles []string

	// Requires narrows that further: of each of these sets too a byte string must stand in the file or in one that it imports,
	// directly or through others.
	Requires [][]string

	// WithoutLibrary says that the rule also judges programs that import none of the libraries that flow knows, not even through
	// others of their files.
	WithoutLibrary bool

	// Check judges one Python file from its source alone. It may be nil.
	Check func(*Pass)
	// CheckDump judges one compiled module together with the sources it came from. It may be nil.
	CheckDump func(*DumpPass)
}

// Releases is a range of JAX releases, both ends inclusive; an empty end is open.
type Releases struct {
	From, To string
}

// Documentation is a rule's page. Example and Instead are whole Python programs or fragments that run as tests: the rule
// fires in Example at least once and never in Instead (rules that need a dump name a directory in their tests for it).
type Documentation struct {
	Finds     string // what it finds
	Matters   string // why it matters, with numbers where it is about cost
	Example   string
	Instead   string
	FixSafety string // what the fix does and why it is safe or not; empty where there is none
	Ignore    string // when to ignore it
}

// Span is a half-open byte range of one file, 0-based.
type Span struct {
	Path       string
	Start, End int
}

// Finding is one thing a rule has to say.
type Finding struct {
	Code       string
	Name       string
	Severity   Severity
	Message    string // one sentence naming the concrete axis, array, dtype, bytes, release, and what to write
	Span       Span
	Evidence   Evidence
	Confidence Confidence
	Fixes      []Fix // alternatives, the preferred one first
	Related    []Related
	HLO        *HLOFacts // nil on findings made from source alone
}

// Fix is one way to remedy a finding. Its edits do not overlap.
type Fix struct {
	Title  string
	Safety Safety
	Edits  []Edit
}

// Edit replaces Span with NewText.
type Edit struct {
	Span    Span
	NewText string
}

// Related points to another place that explains a finding. Line is 1-based and used where the place has no byte range
// that is known (a line of a dump); then Span has only its Path.
type Related struct {
	Span    Span
	Line    int
	Message string
}

// HLOFacts is what a finding knows of the compiled program.
type HLOFacts struct {
	Module       string
	Collectives  []string
	BytesPerStep *int64   // nil when unknown
	Axes         []string // nil when unknown
	Executions   *int64   // nil when unknown
	Dump         string   // path of the dump
	Stage        string
	Backend      string    // "cpu", "tpu", "gpu", "" when unknown
	Stale        string    // how the lines of the dump relate to those of today: "no", "moved", "unknown"
	Written      time.Time // when the dump was written, zero when unknown
	Older        bool      // the file of the finding was changed after the dump was written
}
