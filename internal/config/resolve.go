package config

import (
	"fmt"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/shardls/shardls/analyzers"
)

// Resolved is what holds for the files below one configuration: defaults, then a file, then the command line.
type Resolved struct {
	Config          // the merged values
	flags  []Config // layers that refine the selection, weakest first
}

// Default returns the settings that hold where nothing is configured.
func Default() Config {
	minBytes, minUnsharded, allowed := int64(DefaultMinBytes), int64(DefaultMinUnshardedBytes), true
	return Config{
		Select:  []string{"SHD"},
		Exclude: defaultExclude(),
		Src:     []string{".", "src"},
		HLO:     HLO{MinBytes: &minBytes, MinUnshardedBytes: &minUnsharded},
		Budget:  Budget{LowPrecisionGradients: &allowed},
	}
}

// defaultExclude lists directories that hold no code of the user's own.
func defaultExclude() []string {
	return []string{
		".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pyenv", ".pytest_cache",
		".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__", "__pypackages__", "_build", "buck-out", "build",
		"dist", "node_modules", "site-packages", "venv",
	}
}

// Resolve merges layers over the defaults, weakest first; nil layers are skipped.
func Resolve(layers ...*Config) *Resolved {
	r := &Resolved{Config: Default()}
	for _, c := range layers {
		if c != nil {
			r.merge(c)
		}
	}
	return r
}

func (r *Resolved) merge(c *Config) {
	if c.Path != "" || c.Dir != "" {
		r.Path, r.Dir = c.Path, c.Dir
	}
	if c.Flags {
		r.flags = append(r.flags[:len(r.flags):len(r.flags)], *c)
	} else {
		override(&r.Select, c.Select)
		override(&r.Ignore, c.Ignore)
		override(&r.ExtendSelect, c.ExtendSelect)
	}
	override(&r.Exclude, c.Exclude)
	r.ExtendExclude = append(r.ExtendExclude[:len(r.ExtendExclude):len(r.ExtendExclude)], c.ExtendExclude...)
	override(&r.Src, c.Src)
	override(&r.PerFileIgnores, c.PerFileIgnores)
	r.Severity = append(r.Severity[:len(r.Severity):len(r.Severity)], c.Severity...)
	override(&r.Mesh, c.Mesh)
	override(&r.LogicalAxisRules, c.LogicalAxisRules)
	override(&r.HLO.Dumps, c.HLO.Dumps)
	override(&r.HLO.Logs, c.HLO.Logs)
	override(&r.HLO.PathMap, c.HLO.PathMap)
	if c.TargetJAX != "" {
		r.TargetJAX = c.TargetJAX
	}
	if c.HLO.MinBytes != nil {
		r.HLO.MinBytes = c.HLO.MinBytes
	}
	if c.HLO.MinUnshardedBytes != nil {
		r.HLO.MinUnshardedBytes = c.HLO.MinUnshardedBytes
	}
	if c.HLO.Profile != "" {
		r.HLO.Profile = c.HLO.Profile
	}
	if c.HLO.MaxAge != 0 {
		r.HLO.MaxAge = c.HLO.MaxAge
	}
	if c.Hardware != (Hardware{}) {
		r.Hardware = c.Hardware
	}
	override(&r.Budget.BytesPerStep, c.Budget.BytesPerStep)
	override(&r.Budget.NoImplicitCollectives, c.Budget.NoImplicitCollectives)
	if c.Budget.LowPrecisionGradients != nil {
		r.Budget.LowPrecisionGradients = c.Budget.LowPrecisionGradients
	}
}

func override[T any](into *[]T, value []T) {
	if value != nil {
		*into = value
	}
}

// Rules returns the codes that run on a file and the severity each reports at. The path is relative to the directory of
// the configuration, with slashes.
func (r *Resolved) Rules(path string, registry []*analyzers.Analyzer) map[string]analyzers.Severity {
	out := make(map[string]analyzers.Severity, len(registry))
	for _, a := range registry {
		if !r.selected(a.Code) || r.ignoredIn(a.Code, path) {
			continue
		}
		if s := r.severity(a); s != analyzers.Off {
			out[a.Code] = s
		}
	}
	return out
}

// selected takes the merged settings and then the flags: a layer that has select starts afresh, and in each the longest
// prefix that matches decides.
func (r *Resolved) selected(code string) bool {
	on := false
	for i := -1; i < len(r.flags); i++ {
		c := &r.Config
		if i >= 0 {
			c = &r.flags[i]
		}
		picked := max(longestPrefix(code, c.Select), longestPrefix(code, c.ExtendSelect))
		ignored := longestPrefix(code, c.Ignore)
		if c.Select != nil {
			on = false
		}
		switch {
		case picked >= 0 && picked > ignored:
			on = true
		case ignored >= 0:
			on = false
		}
	}
	return on
}

func (r *Resolved) ignoredIn(code, path string) bool {
	for _, p := range r.PerFileIgnores {
		if longestPrefix(code, p.Codes) < 0 {
			continue
		}
		pattern, negated := strings.CutPrefix(p.Pattern, "!")
		if MatchPath(pattern, path) != negated {
			return true
		}
	}
	return false
}

func (r *Resolved) severity(a *analyzers.Analyzer) analyzers.Severity {
	s, length := a.Severity, -1
	for _, o := range r.Severity {
		if n := longestPrefix(a.Code, []string{o.Prefix}); n >= length && n >= 0 {
			s, length = o.Severity, n
		}
	}
	return s
}

// longestPrefix returns the length of the longest of prefixes that code starts with, -1 where there is none. "ALL" is the
// empty prefix.
func longestPrefix(code string, prefixes []string) int {
	best := -1
	for _, p := range prefixes {
		if p == "ALL" {
			p = ""
		}
		if strings.HasPrefix(code, p) {
			best = max(best, len(p))
		}
	}
	return best
}

// MatchPath reports whether a pattern matches a slash-separated relative path or one of the directories above it. A
// pattern without a slash matches a name at any depth.
func MatchPath(pattern, path string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	pattern = strings.TrimPrefix(pattern, "/")
	for {
		if ok, err := doublestar.Match(pattern, path); ok && err == nil {
			return true
		}
		i := strings.LastIndexByte(path, '/')
		if i <= 0 {
			return false
		}
		path = path[:i]
	}
}

// CheckPatterns returns an error that names the first pattern that [MatchPath] cannot understand.
func CheckPatterns(patterns ...string) error {
	for _, p := range patterns {
		if !doublestar.ValidatePattern(strings.TrimPrefix(p, "!")) {
			return fmt.Errorf("want a pattern of paths, got %q", p)
		}
	}
	return nil
}

// Excluded reports whether a path, relative to the directory of the configuration, is excluded by it.
func (r *Resolved) Excluded(path string) bool {
	for _, list := range [][]string{r.Exclude, r.ExtendExclude} {
		for _, p := range list {
			if MatchPath(p, path) {
				return true
			}
		}
	}
	return false
}

// UnknownSelectors returns the selectors that no code starts with, sorted.
func UnknownSelectors(selectors []string, registry []*analyzers.Analyzer) []string {
	var unknown []string
	for _, s := range selectors {
		found := s == "ALL"
		for _, a := range registry {
			found = found || strings.HasPrefix(a.Code, s)
		}
		if !found {
			unknown = append(unknown, s)
		}
	}
	sort.Strings(unknown)
	return unknown
}

// UnknownCodes warns of codes that no rule has: what they select does not run, and what they switch off does. A configuration may be
// shared by several versions of shardls, so that they are no error.
func (c *Config) UnknownCodes(registry []*analyzers.Analyzer) []Warning {
	var warnings []Warning
	look := func(key string, codes []string) {
		for _, code := range UnknownSelectors(codes, registry) {
			warnings = append(warnings, Warning{File: c.Path, Message: fmt.Sprintf("%s: no rule's code begins with %q", key, code)})
		}
	}
	look("select", c.Select)
	look("extend-select", c.ExtendSelect)
	look("ignore", c.Ignore)
	for _, p := range c.PerFileIgnores {
		look("per-file-ignores", p.Codes)
	}
	for _, s := range c.Severity {
		look("severity", []string{s.Prefix})
	}
	return warnings
}

func tomlStrings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = `"` + s + `"`
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
