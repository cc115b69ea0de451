package lsp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shardls/shardls/internal/config"
)

// settings are the choices of an editor's user. They win over configuration files unless the user prefers those. The
// JSON names are those of the editor's settings below "shardls".
type settings struct {
	Enable        *bool         `json:"enable"`
	Configuration string        `json:"configuration"` // a file, or inline TOML
	Lint          lintSettings  `json:"lint"`
	HLO           hloSettings   `json:"hlo"`
	CodeLens      switchSetting `json:"codeLens"`
	InlayHints    inlaySettings `json:"inlayHints"`
	Encoding      string        `json:"positionEncoding"` // only read by initialize
}

type lintSettings struct {
	Select       []string `json:"select"`
	Ignore       []string `json:"ignore"`
	ExtendSelect []string `json:"extendSelect"`
}

type hloSettings struct {
	Dumps   []string          `json:"dumps"`
	PathMap map[string]string `json:"pathMap"`
}

type switchSetting struct {
	Enable *bool `json:"enable"`
}

type inlaySettings struct {
	Collectives *bool `json:"collectives"`
}

func defaultSettings() settings { return settings{} }

// on is the value of a switch that is on unless it is set to false.
func on(b *bool) bool { return b == nil || *b }

// settingsFrom reads settings over defaults. Editors send them bare or below a "shardls" or "settings" key, and null for
// none at all.
func settingsFrom(raw []byte) (settings, error) {
	out := defaultSettings()
	var value any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &value); err != nil {
			return out, fmt.Errorf("settings: %w", err)
		}
	}
	tree, ok := withoutEmpty(value).(map[string]any)
	if !ok {
		if withoutEmpty(value) == nil {
			return out, nil
		}
		return out, fmt.Errorf("settings: want an object, not %s", raw)
	}
	for range 2 {
		for _, key := range []string{"settings", "shardls"} {
			if inner, ok := tree[key].(map[string]any); ok {
				tree = inner
			}
		}
	}
	pruned, err := json.Marshal(tree)
	if err != nil {
		return out, fmt.Errorf("settings: %w", err)
	}
	if err := json.Unmarshal(pruned, &out); err != nil {
		return defaultSettings(), fmt.Errorf("settings: %w", err)
	}
	return out, nil
}

// withoutEmpty drops null and empty lists and objects at any depth: they mean that nothing is set, and Lua can't tell an
// empty object from an empty list.
func withoutEmpty(value any) any {
	switch v := value.(type) {
	case []any:
		if len(v) == 0 {
			return nil
		}
		return v
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			if kept := withoutEmpty(inner); kept != nil {
				out[key] = kept
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	default:
		return value
	}
}

// override is the part of the settings that configuration files have too.
func (s settings) override() config.Config {
	c := config.Config{
		Select:       s.Lint.Select,
		Ignore:       s.Lint.Ignore,
		ExtendSelect: s.Lint.ExtendSelect,
	}
	c.HLO.Dumps = s.HLO.Dumps
	for from, to := range s.HLO.PathMap {
		c.HLO.PathMap = append(c.HLO.PathMap, config.PathMapping{From: from, To: to})
	}
	return c
}

// configFile is the configuration file that the settings name, "" for none or for inline TOML.
func (s settings) configFile() string {
	if strings.ContainsAny(s.Configuration, "=\n") {
		return ""
	}
	return s.Configuration
}
