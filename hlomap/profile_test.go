package hlomap

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

const profileFolder = "../testdata/profiles/dp_auto_bf16"

type expectedProfile struct {
	Planes []struct {
		Name   string
		Lines  int
		Events int
	}
	Modules map[string]struct{ Module string }
	Events  []struct {
		Module, Instruction    string
		Count                  int
		TotalPs                int64          `json:"total_ps"`
		MinPs                  int64          `json:"min_ps"`
		MaxPs                  int64          `json:"max_ps"`
		EventsPerDeviceOrdinal map[string]int `json:"events_per_device_ordinal"`
	} `json:"collective_events"`
}

func gunzip(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join(profileFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func expectProfile(t *testing.T) (e expectedProfile) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(profileFolder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	if len(e.Events) == 0 {
		t.Fatal("the expected profile has no events")
	}
	return e
}

func TestReadProfile(t *testing.T) {
	want := expectProfile(t)
	p, problems := ReadProfile("xplane.pb", gunzip(t, "xplane.pb.gz"))
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	for i, w := range want.Planes {
		if i >= len(p.Planes) || p.Planes[i] != (ProfilePlane{w.Name, w.Lines, w.Events}) {
			t.Errorf("plane %d: want %+v, planes %+v", i, w, p.Planes)
		}
	}
	if len(p.Modules) != len(want.Modules) {
		t.Errorf("%d modules, want %d", len(p.Modules), len(want.Modules))
	}
	for _, m := range p.Modules {
		if w, ok := want.Modules[m.Name+"("+m.ProgramID+")"]; !ok || w.Module != m.Name || len(m.Proto) == 0 {
			t.Errorf("module %s, program %s, %d bytes: not expected", m.Name, m.ProgramID, len(m.Proto))
		}
	}
	checkEvents(t, p, want, 0)
}

func TestReadTrace(t *testing.T) {
	p, problems := ReadTrace("trace.json", bytes.NewReader(gunzip(t, "trace.json.gz")))
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	// The trace rounds each duration to a microsecond with three to nine decimals.
	checkEvents(t, p, expectProfile(t), 1e6)
}

func checkEvents(t *testing.T, p *Profile, want expectedProfile, slack int64) {
	t.Helper()
	for _, w := range want.Events {
		got := p.Measured(w.Module, "", w.Instruction)
		if got == nil {
			t.Errorf("no measurement of %s in %s", w.Instruction, w.Module)
			continue
		}
		if got.Count != w.Count || !maps.Equal(got.Devices, w.EventsPerDeviceOrdinal) {
			t.Errorf("%s: %d events %v, want %d %v", w.Instruction, got.Count, got.Devices, w.Count, w.EventsPerDeviceOrdinal)
		}
		for _, pair := range [][2]int64{{got.TotalPs, w.TotalPs}, {got.MinPs, w.MinPs}, {got.MaxPs, w.MaxPs}} {
			if d := pair[0] - pair[1]; d < -slack || d > slack {
				t.Errorf("%s: total, min, max %d %d %d ps, want %d %d %d", w.Instruction, got.TotalPs, got.MinPs, got.MaxPs, w.TotalPs, w.MinPs, w.MaxPs)
			}
		}
	}
}

func TestProfileReencodedAsText(t *testing.T) {
	damaged := bytes.ToValidUTF8(gunzip(t, "xplane.pb.gz"), []byte("\uFFFD"))
	_, problems := ReadProfile("xplane.pb", damaged)
	if len(problems) != 1 || problems[0].Message != "the file was re-encoded as text: every byte above 127 was replaced" {
		t.Fatal(problems)
	}
}

func FuzzReadProfile(f *testing.F) {
	whole := gunzip(f, "xplane.pb.gz")
	f.Add(whole[:4096])
	f.Add([]byte{})
	f.Add([]byte("\x0a\x05\x12\x03abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, _ := ReadProfile("x", b)
		for _, op := range p.Ops {
			if op.Count <= 0 || op.MinPs > op.MaxPs {
				t.Fatalf("%+v", op)
			}
		}
		ReadTrace("x", bytes.NewReader(b))
	})
}
