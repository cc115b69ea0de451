package hlomap

import (
	"bytes"
	"testing"

	"github.com/shardls/shardls/internal/hlotest"
)

// walkAll asks everything of everything, and checks that the graph holds together.
func walkAll(t *testing.T, m *Module) {
	t.Helper()
	n := InstrID(m.NumInstructions())
	if len(m.edgeStart) != int(n)+1 || len(m.at) != int(n) || len(m.operands) != int(n) {
		t.Fatal("the arrays differ in length")
	}
	next := InstrID(0)
	for c := range CompID(m.NumComputations()) {
		first, end := m.CompRange(c)
		if first != next || end < first {
			t.Fatalf("computation %d is %d to %d, after %d", c, first, end, next)
		}
		next = end
		if r := m.Root(c); end > first && (r < first || r >= end) || end == first && r != NoInstr {
			t.Fatalf("root %d is outside %d to %d", r, first, end)
		}
		for k := range min(m.NumParameters(c), 100) {
			if p := m.Parameter(c, k); p != NoInstr && (p < first || p >= end || m.Op(p) != OpParameter) {
				t.Fatalf("parameter %d is %d", k, p)
			}
		}
		m.CompName(c)
		m.CompThread(c)
		m.Callers(c)
		m.Times(c)
	}
	if next != n {
		t.Fatalf("computations end at %d, not %d", next, n)
	}
	for i := range n {
		walkOne(t, m, i)
	}
	for _, key := range []string{"num_partitions", "input_output_alias", "frontend_attributes", "entry_computation_layout", "is_scheduled"} {
		m.Attr(key)
	}
	for _, c := range m.Collectives() {
		for _, g := range c.ReplicaGroups {
			if len(g) > maxGroupIDs {
				t.Fatalf("a group of %d", len(g))
			}
		}
	}
	Attribute(m, nil).Gradients()
}

func walkOne(t *testing.T, m *Module, i InstrID) {
	t.Helper()
	first, end := m.CompRange(m.Comp(i))
	for k, o := range m.Operands(i) {
		if o != NoInstr && (o < first || o >= end) {
			t.Fatalf("operand %d of %d is %d, outside %d to %d", k, i, o, first, end)
		}
		m.OperandShape(i, k)
	}
	for _, u := range m.Users(i) {
		if u < first || u >= end {
			t.Fatalf("user of %d is %d", i, u)
		}
	}
	m.InstrName(i)
	m.Opcode(i)
	m.Shape(i)
	m.Metadata(i)
	m.Frames(i)
	m.Line(i)
	m.Called(i)
	m.ParameterNumber(i)
	m.TupleIndex(i)
	m.Literal(i)
	m.AsyncOp(i)
	for _, key := range []string{"sharding", "dimensions", "replica_groups", "backend_config", "slice", "to_apply", "lhs_contracting_dims"} {
		m.InstrAttr(i, key)
	}
}

const maxFuzzInput = 64 << 10

func FuzzText(f *testing.F) {
	for _, d := range hlotest.Dumps(f) {
		if d.Name == "explicit_sharding" || d.Name == "embed_gather" {
			for _, name := range d.Expected(f).Files() {
				f.Add(d.File(f, name+".txt"))
			}
		}
	}
	for _, s := range []string{"", "HloModule", "HloModule m\n", "HloModule m, a={", "ENTRY e {", "}", "{\n}\n", "e {\n  a = (", "e {\n  %a = f32[] add(%a#", "e {\n  ROOT",
		"HloModule m\n\nFileNames\n1 \"a", "StackFrames\n1 {file_location_id=1 parent_frame_id=-1}", "e { a = f32[] parameter(999999999999) }",
		"e {\n  a = f32[] constant({...}\n}", "e {\n a = ((((((((f32[] tuple()\n}", "*** Begin FILE ***\nHloModule m\n", "\xef\xbb\xbfHloModule m\n",
		"e {\n a = f32[] add(negate(a), f32[] add(b, negate(a)))\n}", "e {\n a = f32[] map(a), to_apply=\n {\n b = f32[] map(b), to_apply=\n {\n c = f32[] parameter(0)\n }\n }\n}",
		"HloModule m\ne {\n w = () while(w), body=e, condition=e\n r = f32[] all-reduce(w#0#1), to_apply=e, replica_groups=[1,2]<=[2]\n}\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > maxFuzzInput {
			return
		}
		before := bytes.Clone(text)
		for _, m := range readText("fuzz.txt", text, nil) {
			m.stage = stageOf(m)
			walkAll(t, m)
		}
		if !bytes.Equal(before, text) {
			t.Fatal("the reader changed its input")
		}
	})
}

func FuzzProto(f *testing.F) {
	for _, d := range hlotest.Dumps(f) {
		if d.Has("after_opt.hlo.pb") && (d.Name == "explicit_sharding" || d.Name == "multi_jit-eval_step" || d.Set == "jax-0.8.1" && d.Name == "tp_2d") {
			b := d.File(f, "after_opt.hlo.pb")
			f.Add(b)
			f.Add(b[:len(b)/2])
		}
	}
	f.Add([]byte{0x0a, 0x00})
	f.Add([]byte{0x0a, 0x02, 0x1a, 0x00})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzzInput {
			return
		}
		if m := readProto("fuzz.pb", data, nil); m != nil {
			m.stage = stageOf(m)
			walkAll(t, m)
		}
	})
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00"))
	f.Add([]byte("\x0a\xef\xbf\xbd\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		mods, problems := Open("fuzz", data)
		if len(mods) == 0 && len(problems) == 0 {
			t.Fatal("neither a module nor a problem")
		}
	})
}

func FuzzGroups(f *testing.F) {
	for _, s := range []string{"{{0,1},{2,3}}", "[4,2]<=[2,2,2]T(0,2,1)", "mesh['a'=4,'b'=2], device_ids=([4,2]T(1,0)) {'a':(2)2}", "@mesh<a=2,b=4> {a}",
		"maximal_mesh[device_id=3]", "[1,1099511627776]<=[1048576,1048576]T(1,0)", "{}", "mesh['a'=2], device_ids=(1,0) {0}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsePairs(text)
		g, ok := parseGroups(text)
		if !ok {
			return
		}
		g.devices()
		groups, large, ok := g.expand()
		total := 0
		for _, row := range groups {
			total += len(row)
		}
		if total > maxGroupIDs || large && groups != nil || !ok && groups != nil {
			t.Fatalf("%d ids, large %v, ok %v", total, large, ok)
		}
		if ok && !large && g.iota != nil && int64(total) != g.iota.rows*g.iota.size {
			t.Fatalf("%d ids in %d rows of %d", total, g.iota.rows, g.iota.size)
		}
	})
}
