package config

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/shardls/shardls/internal/distance"
)

// Warning is something odd in a configuration that does not stop a run. Line is 1-based, 0 where there is none.
type Warning struct {
	File    string
	Line    int
	Message string
}

func (w Warning) String() string {
	if w.File == "" {
		return w.Message
	}
	if w.Line == 0 {
		return fmt.Sprintf("%s: %s", w.File, w.Message)
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Message)
}

// Parse reads the settings in a file. In a pyproject.toml they are the table [tool.shardls], and the result is nil where
// there is none; elsewhere they are the whole file or, if it has one, its [tool.shardls]. Unknown keys are warnings, wrong
// types and bad syntax are an [*Error] with the line.
func Parse(file string, data []byte) (*Config, []Warning, error) {
	doc, err := parseDocument(data)
	if err != nil {
		return nil, nil, inFile(file, err)
	}
	t, err := toolTable(doc)
	if err != nil {
		return nil, nil, inFile(file, err)
	}
	prefix := "tool.shardls."
	if t == nil {
		if path.Base(strings.ReplaceAll(file, "\\", "/")) == "pyproject.toml" {
			return nil, nil, nil
		}
		t, prefix = doc, ""
	}
	c := &Config{Path: file}
	warnings, err := decode(c, t, prefix, settings())
	for i := range warnings {
		warnings[i].File = file
	}
	return c, warnings, inFile(file, err)
}

// ParseInline reads settings given as TOML on a command line, such as `target-jax = "0.10.2"`.
func ParseInline(text string) (*Config, []Warning, error) {
	c, warnings, err := Parse("", []byte(text))
	if err != nil {
		return nil, nil, fmt.Errorf("--config %s: %w", strconv.Quote(text), err)
	}
	for i := range warnings {
		warnings[i].Message = "--config: " + warnings[i].Message
	}
	return c, warnings, nil
}

// toolTable returns [tool.shardls], nil where there is none.
func toolTable(doc *table) (*table, error) {
	tool := doc.nodes["tool"]
	if tool == nil {
		return nil, nil
	}
	tools, ok := tool.value.(*table)
	if !ok || tools.nodes["shardls"] == nil {
		return nil, nil
	}
	ours := tools.nodes["shardls"]
	if t, ok := ours.value.(*table); ok {
		return t, nil
	}
	return nil, underKey("tool.shardls", ours.want("a table"))
}

func inFile(file string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.File = file
	}
	return err
}

func decode(c *Config, t *table, prefix string, known []setting) ([]Warning, error) {
	var warnings []Warning
	for _, name := range t.keys {
		n := t.nodes[name]
		s := find(known, name)
		if s == nil {
			warnings = append(warnings, unknownKey(prefix, name, n.line, known))
			continue
		}
		if s.keys == nil {
			if err := s.set(c, n); err != nil {
				return warnings, underKey(prefix+name, err)
			}
			continue
		}
		if short, ok := n.value.(string); ok && name == "hardware" {
			c.Hardware.Name = short // hardware = "tpu-v5p"
			continue
		}
		sub, ok := n.value.(*table)
		if !ok {
			return warnings, underKey(prefix+name, n.want("a table"))
		}
		w, err := decode(c, sub, prefix+name+".", s.keys)
		warnings = append(warnings, w...)
		if err != nil {
			return warnings, err
		}
	}
	return warnings, nil
}

func underKey(key string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Key = key
	}
	return err
}

func find(known []setting, name string) *setting {
	for i := range known {
		if known[i].name == name {
			return &known[i]
		}
	}
	return nil
}

func unknownKey(prefix, name string, line int, known []setting) Warning {
	names := make([]string, len(known))
	for i := range known {
		names[i] = known[i].name
	}
	message := fmt.Sprintf("unknown setting %s%s", prefix, name)
	if near := Nearest(name, names); near != "" {
		message += fmt.Sprintf("; did you mean %s%s?", prefix, near)
	}
	return Warning{Line: line, Message: message}
}

// Nearest returns the candidate with the smallest edit distance to name, "" where none is near enough to be a slip. Of
// several as near, the one that begins most as name does is the likeliest: people get the end of a word wrong.
func Nearest(name string, candidates []string) string {
	lower := strings.ToLower(name)
	best, limit, shared := "", 1+max(1, len(name)/3), 0
	for _, c := range candidates {
		other := strings.ToLower(c)
		d, alike := distance.Between(lower, other), sharedPrefix(lower, other)
		if d < limit || d == limit && best != "" && alike > shared {
			best, limit, shared = c, d, alike
		}
	}
	return best
}

// sharedPrefix is how many bytes two words have in common from their beginning.
func sharedPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
