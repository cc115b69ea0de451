package pyparse

// Suppression is a comment that asks for findings to be kept quiet.
type Suppression struct {
	Form  SuppressionForm
	Codes []SuppressedCode // never empty; codes of other tools in a noqa list are left out
	// Start and End are the byte range of the directive itself, from its # or from its own word in a comment that says more.
	Start, End int
	// ScopeStart and ScopeEnd are the byte range in which a finding has to start to be suppressed.
	ScopeStart, ScopeEnd int
	Reason               string
}

// SuppressionForm is the way a suppression is written.
type SuppressionForm uint8

// The forms.
const (
	Ignore     SuppressionForm = iota // # shardls: ignore[SHD601] reason
	FileIgnore                        // # shardls: file-ignore[SHD601] reason
	NoQA                              // # noqa: SHD601
)

// SuppressedCode is one code, or prefix of codes, in a suppression.
type SuppressedCode struct {
	Code       string // upper case
	Start, End int    // byte range of the code
}
