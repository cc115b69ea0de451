package lsp

import (
	"reflect"
	"testing"
)

func TestSettings(t *testing.T) {
	withDumps := defaultSettings()
	withDumps.HLO.Dumps = []string{"dump"}
	for raw, want := range map[string]settings{
		``:     defaultSettings(),
		`null`: defaultSettings(),
		`{}`:   defaultSettings(),
		`[]`:   defaultSettings(), // an empty table of Lua
		`{"lint":[],"hlo":{"dumps":[],"pathMap":[]},"unknown":7}`: defaultSettings(),
		`{"hlo":{"dumps":["dump"]}}`:                              withDumps,
		`{"shardls":{"hlo":{"dumps":["dump"]}}}`:                  withDumps,
		`{"settings":{"hlo":{"dumps":["dump"]}}}`:                 withDumps,
		`{"settings":{"shardls":{"hlo":{"dumps":["dump"]}}}}`:     withDumps,
	} {
		got, err := settingsFrom([]byte(raw))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", raw, got, err, want)
		}
	}
	for _, raw := range []string{`7`, `"x"`, `[1]`, `{"hlo":{"dumps":7}}`, `{`} {
		if got, err := settingsFrom([]byte(raw)); err == nil || !reflect.DeepEqual(got, defaultSettings()) {
			t.Errorf("%s: %+v, %v; want an error and the defaults", raw, got, err)
		}
	}
}
