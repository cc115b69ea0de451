package capture

import (
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":              "HloModule x",
		"another version":       `{"version":2}`,
		"no version":            `{}`,
		"a path that leads out": `{"version":1,"modules":[{"files":[{"path":"../../etc/passwd"}]}]}`,
		"an absolute path":      `{"version":1,"modules":[{"files":[{"path":"/etc/passwd"}]}]}`,
		"a snapshot outside":    `{"version":1,"sources":[{"snapshot":"../x"}]}`,
	} {
		if m, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: parsed as %+v", name, m)
		}
	}
}

func TestParseKeepsUnknownApart(t *testing.T) {
	m, err := Parse([]byte(`{"version":1,"status":null,"modules":[{"name":"jit_f","arguments":null,"meshes":[]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != nil || m.Modules[0].Arguments != nil || m.Modules[0].Meshes == nil {
		t.Errorf("manifest = %+v", m)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"modules":[{"files":[{"path":"a/b.txt"}]}]}`))
	f.Add([]byte(`{"version":1,"sources":[{"snapshot":"sources/a.py"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Parse(b)
		if err != nil {
			return
		}
		for _, module := range m.Modules {
			for _, file := range module.Files {
				if strings.HasPrefix(file.Path, "/") || strings.HasPrefix(file.Path, "..") {
					t.Errorf("path %q leads out", file.Path)
				}
			}
		}
	})
}
