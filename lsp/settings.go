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
	if len(raw) == 0 || string(raw) == "null" {
		return out, nil
	}
	for range 3 {
		var wrapped map[string]json.RawMessage
		if err := json.Unmarshal(raw, &wrapped); err != nil {
			return out, fmt.Errorf("settings: %w", err)
		}
		inner, ok := wrapped["settings"]
		if !ok {
			inner, ok = wrapped["shardls"]
		}
		if !ok {
			break
		}
		raw = inner
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return defaultSettings(), fmt.Errorf("settings: %w", err)
	}
	return out, nil
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
