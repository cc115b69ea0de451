package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// document is the part of the JSON document that the answers speak of.
type document struct {
	Version int `json:"version"`
	Modules []struct {
		Name         string           `json:"name"`
		Stage        string           `json:"stage"`
		Devices      int              `json:"devices"`
		Instructions int              `json:"instructions"`
		Collectives  []hlotest.Record `json:"collectives"`
	} `json:"modules"`
}

func moduleOf(m *hlomap.Module) CollectivesModule {
	return CollectivesModule{Name: m.Name(), Path: m.Path(), Stage: m.Stage(), Devices: m.Devices(),
		Instructions: m.NumInstructions(), Collectives: m.Collectives()}
}

// TestCollectivesDocument writes the document of every stored dump, decodes it and compares it with the answers.
func TestCollectivesDocument(t *testing.T) {
	for _, d := range hlotest.Dumps(t) {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			e := d.Expected(t)
			for _, name := range e.Files() {
				mods, problems := hlomap.Open(name+".txt", d.File(t, name+".txt"))
				if len(mods) != 1 || len(problems) > 0 {
					t.Fatalf("%s: %d modules, %v", name, len(mods), problems)
				}
				var out bytes.Buffer
				if err := WriteCollectives(&out, []CollectivesModule{moduleOf(mods[0])}, CollectivesOptions{}); err != nil {
					t.Fatal(err)
				}
				var doc document
				if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				want := e.Modules[name]
				if doc.Version != 1 || len(doc.Modules) != 1 || doc.Modules[0].Name != want.Module {
					t.Fatalf("%s: version %d, %d modules", name, doc.Version, len(doc.Modules))
				}
				if doc.Modules[0].Devices != e.Devices {
					t.Errorf("%s: %d devices, want %d", name, doc.Modules[0].Devices, e.Devices)
				}
				for _, diff := range want.Differences(doc.Modules[0].Collectives) {
					t.Errorf("%s: %s", name, diff)
				}
			}
		})
	}
}

// TestCollectiveFields compares one record as a whole, with everything known and with nothing known.
func TestCollectiveFields(t *testing.T) {
	n, s, w, step := int64(24), int64(12288), int64(21504), int64(294912)
	channel := int64(1)
	full := hlomap.Collective{Name: "all-reduce.7", Opcode: "all-reduce", Computation: "body", Logical: true, ChannelID: &channel,
		ReplicaGroups: [][]int{{0, 1}, {2, 3}}, Axes: []string{"data"}, AxesExact: true, Executions: &n, ExecutionsReason: "known trip count",
		Origin: "partitioner", OriginReason: "because", OpName: `jit(f)/"x"`,
		Frames:   []hlomap.Frame{{Path: "/p/train.py", Line: 31, Column: 4, Function: "loss"}},
		Operands: []hlomap.Operand{{Array: hlomap.Array{DType: "bf16", Shape: []int64{96, 64}, Bytes: 12288}, Role: hlomap.RoleGradient, Parameters: []string{"params['w0']"}, ParamPrecision: "exact"}},
		Results:  []hlomap.Array{{DType: "bf16", Shape: []int64{96, 64}, Bytes: 12288}}, BytesPerExecution: &s, WireBytesPerExecution: &w, BytesPerStep: &step,
		ReducerDType: "bf16", WrappedIn: []hlomap.Wrapper{{Kind: "call", Computation: "body", Instruction: "call.1", In: "main"}}}
	got := string(AppendCollective(nil, &full, "jit_f", CollectivesOptions{Display: func(p string) string { return strings.TrimPrefix(p, "/p/") }}))
	want := `{"module":"jit_f","name":"all-reduce.7","opcode":"all-reduce","async":false,"computation":"body",` +
		`"wrappedIn":[{"kind":"call","computation":"body","instruction":"call.1","in":"main"}],"logical":true,"channelId":1,` +
		`"replicaGroups":[[0,1],[2,3]],"sourceTargetPairs":null,"axes":["data"],"axesExact":true,"executions":24,"executionsReason":"known trip count",` +
		`"origin":"partitioner","originReason":"because","opName":"jit(f)/\"x\"",` +
		`"source":{"path":"train.py","line":31,"column":null,"function":"loss","precision":"exact"},"frames":[{"path":"train.py","line":31,"function":"loss"}],` +
		`"operands":[{"dtype":"bf16","shape":[96,64],"bytes":12288,"role":"gradient","parameters":["params['w0']"],` +
		`"source":{"path":null,"line":null,"column":null,"function":null,"precision":"none"},"precision":"exact","firstUser":null}],` +
		`"results":[{"dtype":"bf16","shape":[96,64],"bytes":12288}],"bytesPerExecution":12288,"wireBytesPerExecution":21504,"bytesPerStep":294912,` +
		`"reducerDtype":"bf16","widenedByBackend":false}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	empty := hlomap.Collective{Name: "a", Opcode: "collective-permute", Computation: "c", Origin: "unknown",
		Operands: []hlomap.Operand{{Array: hlomap.Array{Bytes: -1}, Role: hlomap.RoleUnknown}}}
	got = string(AppendCollective(nil, &empty, "", CollectivesOptions{}))
	want = `{"name":"a","opcode":"collective-permute","async":false,"computation":"c","logical":false,"channelId":null,` +
		`"replicaGroups":null,"sourceTargetPairs":null,"axes":null,"axesExact":false,"shift":null,"executions":null,"executionsReason":null,` +
		`"origin":"unknown","originReason":null,"opName":null,"source":{"path":null,"line":null,"column":null,"function":null,"precision":"none"},` +
		`"frames":null,"operands":[{"dtype":null,"shape":null,"bytes":null,"role":"unknown","parameters":null,` +
		`"source":{"path":null,"line":null,"column":null,"function":null,"precision":"none"},"precision":null,"firstUser":null}],"results":[],` +
		`"bytesPerExecution":null,"wireBytesPerExecution":null,"bytesPerStep":null,"reducerDtype":null,"widenedByBackend":false}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestShift says how far a permute moves data, and whether it wraps around.
func TestShift(t *testing.T) {
	c := hlomap.Collective{Name: "a", Opcode: "collective-permute", SourceTargetPairs: [][2]int{{0, 1}, {1, 2}, {2, 3}}, Axes: []string{"stage"},
		AxesExact: true, Shift: &hlomap.Shift{Axis: "stage", Steps: 1, Open: true}}
	got := string(AppendCollective(nil, &c, "", CollectivesOptions{}))
	if want := `"sourceTargetPairs":[[0,1],[1,2],[2,3]],"axes":["stage"],"axesExact":true,"shift":{"axis":"stage","steps":1,"open":true},"executions"`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	if got := directionText(&c); got != "stage +1 open" {
		t.Errorf("in a table it is %q", got)
	}
}

func TestJSONString(t *testing.T) {
	for _, s := range []string{"", "plain", "q\"b\\", "tab\tline\nnul\x00\x1f\x7f", "é∂𝄞", "bad\xff\xc3(", "\xed\xa0\x80"} {
		std, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got, want string
		if err := json.Unmarshal(appendJSONString(nil, s), &got); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if err := json.Unmarshal(std, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%q came back as %q, want %q", s, got, want)
		}
	}
}

// TestJSONStringBytes puts every byte at every place of a word of eight, and behind it.
func TestJSONStringBytes(t *testing.T) {
	for at := range 12 {
		for c := range 256 {
			b := []byte("abcdefghijkl")
			b[at] = byte(c)
			var got string
			if err := json.Unmarshal(appendJSONString(nil, string(b)), &got); err != nil {
				t.Fatalf("%q: %v", b, err)
			}
			if want := strings.ToValidUTF8(string(b), "\ufffd"); got != want {
				t.Fatalf("%q became %q", want, got)
			}
		}
	}
}

// brokenPipe fails at the first write.
type brokenPipe struct{}

var errPipe = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errPipe }

func TestCollectivesWriteError(t *testing.T) {
	if err := WriteCollectives(brokenPipe{}, nil, CollectivesOptions{}); !errors.Is(err, errPipe) {
		t.Errorf("error %v", err)
	}
}
