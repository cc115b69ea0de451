package hlomap_test

import (
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// TestOracle compares every collective of every stored dump with what XLA's own code read in it.
func TestOracle(t *testing.T) {
	for _, d := range hlotest.Dumps(t) {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			e := d.Expected(t)
			for _, name := range e.Files() {
				want := e.Modules[name]
				m := openOne(t, name+".txt", d.File(t, name+".txt"))
				checkModule(t, name, m, &want)
			}
		})
	}
}

// openOne opens a file that holds one module and is understood entirely.
func openOne(t *testing.T, name string, data []byte) *hlomap.Module {
	t.Helper()
	mods, problems := hlomap.Open(name, data)
	for _, p := range problems {
		t.Errorf("%s:%d: %s", p.Path, p.Line, p.Message)
	}
	if len(mods) != 1 {
		t.Fatalf("%s: %d modules", name, len(mods))
	}
	return mods[0]
}

func checkModule(t *testing.T, name string, m *hlomap.Module, want *hlotest.Module) {
	t.Helper()
	if m.Name() != want.Module || m.CompName(m.Entry()) != want.Entry {
		t.Errorf("%s: module %s with entry %s, want %s with %s", name, m.Name(), m.CompName(m.Entry()), want.Module, want.Entry)
	}
	if !m.InOrder() {
		t.Errorf("%s: operands come after their users", name)
	}
	checkOpcodes(t, name, m, want)
	for _, d := range want.Differences(records(m.Collectives())) {
		t.Errorf("%s: %s", name, d)
	}
	logical := map[string]int{}
	for _, c := range m.Collectives() {
		if c.Logical {
			logical[c.Opcode]++
		}
	}
	for op, n := range want.LogicalCollectives {
		if logical[op] != n {
			t.Errorf("%s: %d exchanges of kind %s, want %d", name, logical[op], op, n)
		}
	}
}

// checkOpcodes counts instructions. Where the printer sugared asynchronous operations, XLA's parser makes the
// computation that they run up again: those are in the answers but not in the text.
func checkOpcodes(t *testing.T, name string, m *hlomap.Module, want *hlotest.Module) {
	t.Helper()
	got := map[string]int{}
	sugared := 0
	for i := range hlomap.InstrID(m.NumInstructions()) {
		if m.Op(i) == hlomap.OpAsyncStart && m.Opcode(i) != "async-start" {
			sugared++
		}
		got[m.Op(i).String()]++
		if s := m.Shape(i); s.DType == "" {
			t.Errorf("%s: %s has no shape", name, m.InstrName(i))
		}
	}
	if m.NumComputations() != want.Computations-sugared {
		t.Errorf("%s: %d computations and %d sugared operations, want %d", name, m.NumComputations(), sugared, want.Computations)
	}
	for op, n := range want.Opcodes {
		if sugared > 0 && (op == "parameter" || op == "reduce-scatter" || op == "all-to-all") {
			continue
		}
		if got[op] != n {
			t.Errorf("%s: %d instructions of kind %s, want %d", name, got[op], op, n)
		}
	}
}

// records turns collectives into what the JSON document says of them.
func records(cs []hlomap.Collective) []hlotest.Record {
	out := make([]hlotest.Record, len(cs))
	for k := range cs {
		c := &cs[k]
		r := hlotest.Record{Name: c.Name, Opcode: c.Opcode, Async: c.Async, Computation: c.Computation, ChannelID: c.ChannelID,
			ReplicaGroups: c.ReplicaGroups, SourceTargetPairs: c.SourceTargetPairs, Executions: c.Executions, OpName: &c.OpName,
			ReducerDType: &c.ReducerDType, Logical: &c.Logical, BytesPerExecution: c.BytesPerExecution, BytesPerStep: c.BytesPerStep}
		for _, f := range c.Frames {
			r.Frames = append(r.Frames, hlotest.RecordFrame{Path: f.Path, Line: f.Line, Function: f.Function})
		}
		for _, o := range c.Operands {
			r.Operands = append(r.Operands, hlotest.RecordArray{DType: o.DType, Shape: o.Shape, Bytes: o.Bytes, Parameters: o.Parameters})
		}
		for _, a := range c.Results {
			r.Results = append(r.Results, hlotest.RecordArray{DType: a.DType, Shape: a.Shape, Bytes: a.Bytes})
		}
		for _, w := range c.WrappedIn {
			r.WrappedIn = append(r.WrappedIn, hlotest.RecordAround{Kind: w.Kind, Computation: w.Computation})
		}
		out[k] = r
	}
	return out
}
