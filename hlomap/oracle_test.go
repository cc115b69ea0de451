package hlomap_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

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

// TestProtoOracle compares the stored protos with the answers too: the same collectives, computations and shapes as in the text.
func TestProtoOracle(t *testing.T) {
	read := 0
	for _, d := range hlotest.Dumps(t) {
		if !d.Has("after_opt.hlo.pb") {
			continue
		}
		read++
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			want := d.Expected(t).Modules["after_opt"]
			data := d.File(t, "after_opt.hlo.pb")
			m := openOne(t, "after_opt.hlo.pb", data)
			checkModule(t, "after_opt.hlo.pb", m, &want)
			if want.Instructions != m.NumInstructions() {
				t.Errorf("%d instructions, want %d", m.NumInstructions(), want.Instructions)
			}
			sameModules(t, m, openOne(t, "after_opt.txt", d.File(t, "after_opt.txt")))
			inner, _ := protowireField(data, 1) // the HloModuleProto alone
			if bare := openOne(t, "bare.pb", inner); bare.Name() != m.Name() || bare.NumInstructions() != m.NumInstructions() {
				t.Errorf("the bare module is %s with %d instructions", bare.Name(), bare.NumInstructions())
			}
		})
	}
	if read < 50 {
		t.Errorf("read %d protos", read)
	}
}

// TestSnapshots reads modules that were saved with their arguments and results.
func TestSnapshots(t *testing.T) {
	dumps := hlotest.Dumps(t)
	hlo := dumps[slices.IndexFunc(dumps, func(d hlotest.Dump) bool { return d.Has("after_opt.hlo.pb") })].File(t, "after_opt.hlo.pb")
	want := openOne(t, "after_opt.hlo.pb", hlo)
	module, _ := protowireField(hlo, 1)
	literal := field(1, []byte("\x10\x0b")) // a LiteralProto that has only its shape, f32[]
	for name, snapshot := range map[string][]byte{
		"HloSnapshot":            slices.Concat(field(1, hlo), field(2, literal), field(2, literal), field(3, literal), field(4, []byte("CPU"))),
		"HloUnoptimizedSnapshot": slices.Concat(field(1, module), field(2, literal), field(2, literal)),
	} {
		got := openOne(t, "execution_0000.hlo_snapshot.pb", snapshot)
		if got.Name() != want.Name() || got.NumInstructions() != want.NumInstructions() || len(got.Collectives()) != len(want.Collectives()) {
			t.Errorf("%s: %s with %d instructions and %d collectives", name, got.Name(), got.NumInstructions(), len(got.Collectives()))
		}
	}
}

// field is a length-delimited field in wire form.
func field(num protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), data)
}

// TestBodiesInPlace reads a module that XLA printed with the bodies of computations in place of their names, scheduled and with
// canonical names: the same exchanges as in the module as XLA dumps it.
func TestBodiesInPlace(t *testing.T) {
	for _, d := range hlotest.Dumps(t) {
		if !d.Has("bodies_in_place.txt") {
			continue
		}
		text := d.File(t, "bodies_in_place.txt")
		want := exchanges(openOne(t, "after_opt.txt", d.File(t, "after_opt.txt")))
		if got := exchanges(openOne(t, "bodies_in_place.txt", text)); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: got\n%s\nwant\n%s", d, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		entry := text[bytes.Index(text, []byte("ENTRY")):] // the bodies are in it
		if got := exchanges(openOne(t, "entry.txt", entry)); !slices.Equal(got, want) {
			t.Errorf("%s, the entry alone: got\n%s\nwant\n%s", d, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		return
	}
	t.Error("no dump has its bodies in place")
}

// exchanges describes the collectives of a module without the names of instructions.
func exchanges(m *hlomap.Module) []string {
	var out []string
	for _, c := range m.Collectives() {
		out = append(out, fmt.Sprint(c.Opcode, c.ReplicaGroups, *c.Executions, c.ExecutionsReason, *c.BytesPerStep, c.ReducerDType, c.OpName, c.Frames))
	}
	slices.Sort(out)
	return out
}

// protowireField returns the first length-delimited field of a message with the given number.
func protowireField(b []byte, want protowire.Number) ([]byte, bool) {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, false
		}
		if num == want && kind == protowire.BytesType {
			v, n := protowire.ConsumeBytes(b[n:])
			return v, n >= 0
		}
		m := protowire.ConsumeFieldValue(num, kind, b[n:])
		if m < 0 {
			return nil, false
		}
		b = b[n+m:]
	}
	return nil, false
}

// sameModules compares two readings of one module instruction by instruction, in the same order.
func sameModules(t *testing.T, a, b *hlomap.Module) {
	t.Helper()
	for _, key := range []string{"input_output_alias", "is_scheduled", "frontend_attributes", "entry_computation_layout"} {
		va, _ := a.Attr(key)
		vb, _ := b.Attr(key)
		if plainText(va) != plainText(vb) {
			t.Errorf("%s is %s and %s", key, va, vb)
		}
	}
	if a.NumComputations() != b.NumComputations() {
		t.Fatalf("%d and %d computations", a.NumComputations(), b.NumComputations())
	}
	for c := range hlomap.CompID(a.NumComputations()) {
		if a.CompName(c) != b.CompName(c) {
			t.Fatalf("computation %d is %s and %s", c, a.CompName(c), b.CompName(c))
		}
		if a.InstrName(a.Root(c)) != b.InstrName(b.Root(c)) || a.NumParameters(c) != b.NumParameters(c) || a.CompThread(c) != b.CompThread(c) {
			t.Errorf("computation %s: root, parameters or thread differ", a.CompName(c))
		}
		first, end := a.CompRange(c)
		if f, e := b.CompRange(c); f != first || e != end {
			t.Fatalf("computation %s has the instructions %d to %d and %d to %d", a.CompName(c), first, end, f, e)
		}
		for i := first; i < end; i++ {
			if da, db := describe(a, i), describe(b, i); da != db {
				t.Errorf("instruction %s differs:\n%s\n%s", a.InstrName(i), da, db)
			}
		}
	}
}

// plainText takes out what two printings of one value may differ in.
func plainText(s string) string {
	s = strings.NewReplacer(" ", "", "%", "").Replace(s)
	for {
		from := strings.Index(s, "/*")
		if from < 0 {
			return s
		}
		to := strings.Index(s[from:], "*/")
		if to < 0 {
			return s
		}
		s = s[:from] + s[from+to+2:]
	}
}

// describe renders all that the graph says of an instruction.
func describe(m *hlomap.Module, i hlomap.InstrID) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %v param %d index %d", m.InstrName(i), m.Opcode(i), m.Shape(i), m.ParameterNumber(i), m.TupleIndex(i))
	for _, o := range m.Operands(i) {
		b.WriteString(" " + m.InstrName(o))
	}
	for _, c := range m.Called(i) {
		b.WriteString(" calls " + m.CompName(c))
	}
	for _, key := range []string{"dimensions", "sharding", "channel_id", "custom_call_target", "lhs_contracting_dims", "rhs_contracting_dims",
		"lhs_batch_dims", "direction", "kind", "slice", "dynamic_slice_sizes", "replica_groups", "source_target_pairs", "use_global_device_ids",
		"frontend_attributes", "to_apply", "body", "condition", "calls"} {
		if v, ok := m.InstrAttr(i, key); ok {
			fmt.Fprintf(&b, " %s=%s", key, plainText(v))
		}
	}
	if v, ok := m.Literal(i); ok && m.Shape(i).DType[0] != 'f' && m.Shape(i).DType[0] != 'b' && len(m.Shape(i).Dims) == 0 {
		b.WriteString(" literal " + v)
	}
	md := m.Metadata(i)
	fmt.Fprintf(&b, " op_name %q at %s:%d", md.OpName, md.SourceFile, md.SourceLine)
	return b.String()
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

// TestCutProtos: of a proto that is cut off the beginning is read, and it is said that there was more.
func TestCutProtos(t *testing.T) {
	dumps := hlotest.Dumps(t)
	data := dumps[slices.IndexFunc(dumps, func(d hlotest.Dump) bool { return d.Has("after_opt.hlo.pb") })].File(t, "after_opt.hlo.pb")
	whole := openOne(t, "after_opt.hlo.pb", data)
	inner, _ := protowireField(data, 1)
	end := bytes.Index(data, inner) + len(inner)
	for _, size := range []int{end / 20, end / 3, end / 2, end * 9 / 10} {
		mods, problems := hlomap.Open("after_opt.hlo.pb", data[:size])
		if len(mods) != 1 || len(problems) == 0 || !mods[0].CutOff() || mods[0].Name() != whole.Name() {
			t.Errorf("%d of %d bytes: %d modules, %v", size, end, len(mods), problems)
			continue
		}
		if n := mods[0].NumInstructions(); n == 0 || n >= whole.NumInstructions() || size > end/2 && n < whole.NumInstructions()/2 {
			t.Errorf("%d of %d bytes: %d of %d instructions", size, end, n, whole.NumInstructions())
		}
		hlomap.Attribute(mods[0], nil).Gradients()
	}
	for size := range 40 {
		hlomap.Open("after_opt.hlo.pb", data[:size])
	}
}
