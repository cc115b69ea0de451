package hlomap_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// graph renders the modules of a text: computations with their instructions, operands by name.
func graph(t *testing.T, text string) string {
	t.Helper()
	mods, problems := hlomap.Open("test.txt", []byte(text))
	inPlace := strings.Contains(text, "to_apply=\n")
	var b strings.Builder
	for _, m := range mods {
		fmt.Fprintf(&b, "module %s\n", m.Name())
		for c := range hlomap.CompID(m.NumComputations()) {
			mark := ""
			if c == m.Entry() {
				mark = " entry"
			}
			fmt.Fprintf(&b, "%s%s:\n", m.CompName(c), mark)
			first, end := m.CompRange(c)
			for i := first; i < end; i++ {
				fmt.Fprintf(&b, " %d %s = %s", m.Line(i), m.InstrName(i), m.Opcode(i))
				for k, o := range m.Operands(i) {
					name := "?"
					if o != hlomap.NoInstr {
						name = m.InstrName(o)
					}
					fmt.Fprintf(&b, " %s", name)
					for _, p := range m.OperandPath(i, k) {
						fmt.Fprintf(&b, "#%d", p)
					}
				}
				for _, a := range leaves(m, i) {
					fmt.Fprintf(&b, " %s%v", a.DType, a.Shape)
				}
				if i == m.Root(c) {
					b.WriteString(" root")
				}
				if called := m.Called(i); inPlace && len(called) > 0 {
					b.WriteString(" calls")
					for _, c := range called {
						fmt.Fprintf(&b, " %s", m.CompName(c))
					}
				}
				b.WriteString("\n")
			}
		}
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "problem %d: %s\n", p.Line, p.Message)
	}
	return b.String()
}

func leaves(m *hlomap.Module, i hlomap.InstrID) []hlomap.Array {
	s := m.Shape(i)
	return s.Leaves()
}

// TestText reads the forms that HLO text comes in.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"printed", `HloModule m, num_partitions=8

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  ROOT %r = f32[8]{0} all-reduce(%p), to_apply=%add
}

`, `module m
add:
 4 a = parameter f32[]
 5 b = parameter f32[]
 6 s = add a b f32[] root
main entry:
 10 p = parameter f32[8]
 11 r = all-reduce p f32[8] root
`},
		{"no percent signs, no signatures, no root, no entry", `HloModule m
f {
  a = f32[2]{0} parameter(0)
  b = f32[2]{0} negate(a)
}
g {
  a = s32[] constant(7)
}
`, `module m
f:
 3 a = parameter f32[2]
 4 b = negate a f32[2] root
g entry:
 7 a = constant s32[] root
`},
		{"operand types, tuples, tiled layouts", `HloModule m
ENTRY %e (p: (f32[2], u8[])) -> f32[2] {
  %p = (f32[2]{0:T(8,128)(2,1)S(1)}, u8[]{:T(128)S(6)}) parameter(0)
  %g = f32[2]{0:T(256)} get-tuple-element((f32[2]{0}, /*index=1*/u8[]) %p), index=0
  ROOT %r = f32[2,3]{1,0:T(8,128)E(4)} dot(f32[2]{0:T(8,128)(2,1)} %g, f32[2]{0} %g)
}
`, `module m
e entry:
 3 p = parameter f32[2] u8[]
 4 g = get-tuple-element p f32[2]
 5 r = dot g g f32[2 3] root
`},
		{"instructions in place of operands", `HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] add(f32[4] multiply(x, f32[4] negate(f32[4] x)), negate(later)), metadata={op_name="a"}
  later = f32[4] copy(x)
  ROOT r = f32[] reduce(subtract(a, x), constant(0)), dimensions={0}
}
`, `module m
e entry:
 3 x = parameter f32[4]
 4 negate = negate x f32[4]
 4 multiply = multiply x negate f32[4]
 4 negate = negate later f32[4]
 4 a = add multiply negate f32[4]
 5 later = copy x f32[4]
 6 subtract = subtract a x f32[4]
 6 constant = constant []
 6 r = reduce subtract constant f32[] root
`},
		{"bodies in place", `HloModule m
%named (a: f32[], b: f32[]) -> f32[] {
  %tmp_0 = f32[] parameter(0)
  %tmp_1 = f32[] parameter(1)
  ROOT %tmp_2 = f32[] add(%tmp_0, %tmp_1)
}
ENTRY %e (p: f32[8], q: pred[]) -> f32[8] {
  %tmp_3 = f32[8]{0} parameter(0)
  %tmp_4 = f32[8]{0} all-reduce(%tmp_3), to_apply=
  (a: f32[], b: f32[]) -> f32[] {
    %tmp_1 = f32[] parameter(1)
    %tmp_0 = f32[] parameter(0)
    ROOT %tmp_2 = f32[] add(%tmp_0, %tmp_1)
  }, metadata={op_name="{"}
  %tmp_5 = s32[] constant(1)
  ROOT %tmp_6 = f32[8]{0} conditional(%tmp_5, %tmp_4, %tmp_4), branch_computations={
  {
    ROOT tmp_0 = f32[8]{0} parameter(0)
  },
  {
    tmp_0 = f32[8]{0} parameter(0)
    ROOT tmp_1 = f32[8]{0} map(tmp_0), dimensions={0}, to_apply=
    {
      tmp_0 = f32[] parameter(0)
      ROOT tmp_1 = f32[] negate(tmp_0)
    }
  }
  }
}
`, `module m
named:
 3 tmp_0 = parameter f32[]
 4 tmp_1 = parameter f32[]
 5 tmp_2 = add tmp_0 tmp_1 f32[] root
e entry:
 8 tmp_3 = parameter f32[8]
 9 tmp_4 = all-reduce tmp_3 f32[8] calls named
 15 tmp_5 = constant s32[]
 16 tmp_6 = conditional tmp_5 tmp_4 tmp_4 f32[8] root calls tmp_6 tmp_6
tmp_6:
 18 tmp_0 = parameter f32[8] root
tmp_6:
 21 tmp_0 = parameter f32[8]
 22 tmp_1 = map tmp_0 f32[8] root calls tmp_1
tmp_1:
 24 tmp_0 = parameter f32[]
 25 tmp_1 = negate tmp_0 f32[] root
`},
		{"comments with brackets, attributes on lines of their own", `HloModule m
ENTRY e {
  p = (f32[2]{0}, s32[]) parameter(0)
  g = f32[2]{0} get-tuple-element((f32[2]{0}, /*a(b{c"*/ s32[]) p),
    metadata={op_name="x"},
    index=0
  ROOT r = f32[2]{0} map(f32[2]{0} g, /*)*/ g), to_apply=
    e
}
`, `module m
e entry:
 3 p = parameter f32[2] s32[]
 4 g = get-tuple-element p f32[2]
 7 r = map g g f32[2] root calls e
`},
		{"operands and names that are left out", `HloModule , is_scheduled=true

{
  tmp_0 = f32[] parameter(0)
  ROOT tmp_1 = f32[] add(f32[] tmp_0, f32[] tmp_0)
}

ENTRY {
  tmp_0 = f32[2]{0} parameter(0)
  tmp_1 = (f32[2]{0}, f32[2]{0}) tuple(f32[2]{0} tmp_0, ...(+1))
  ROOT tmp_2 = (f32[2]{0}, f32[2]{0}, f32[2]{0}) all-reduce(tmp_0, ...(+2)), to_apply=
  {
    tmp_0 = f32[] parameter(0)
    ROOT tmp_1 = f32[] add(f32[] tmp_0, f32[] tmp_0)
  }
}
`, `module 
:
 4 tmp_0 = parameter f32[]
 5 tmp_1 = add tmp_0 tmp_0 f32[] root
 entry:
 9 tmp_0 = parameter f32[2]
 10 tmp_1 = tuple tmp_0 ? f32[2] f32[2]
 11 tmp_2 = all-reduce tmp_0 ? ? f32[2] f32[2] f32[2] root calls 
problem 10: operands are left out: print the module without compact operands
`},
		{"elided get-tuple-elements", `HloModule m
ENTRY e {
  %p = (f32[2]{0}, (s32[], u32[3]{0})) parameter(0)
  %n = f32[2]{0} negate(%p#0)
  ROOT %t = (f32[2]{0}, u32[3]{0}) tuple(%n, %p#1#1)
}
`, `module m
e entry:
 3 p = parameter f32[2] s32[] u32[3]
 4 n = negate p#0 f32[2]
 5 t = tuple n p#1#1 f32[2] u32[3] root
`},
		{"forward references", `HloModule m
ENTRY e {
  ROOT r = f32[] add(a, b)
  a = f32[] parameter(0)
  b = f32[] parameter(1)
}
`, `module m
e entry:
 3 r = add a b f32[] root
 4 a = parameter f32[]
 5 b = parameter f32[]
`},
		{"the same names in two computations", `HloModule m
f {
  x = f32[] parameter(0)
  ROOT y = f32[] negate(x)
}
ENTRY e {
  x = f32[2]{0} parameter(0)
  ROOT y = f32[2]{0} negate(x)
}
`, `module m
f:
 3 x = parameter f32[]
 4 y = negate x f32[] root
e entry:
 7 x = parameter f32[2]
 8 y = negate x f32[2] root
`},
		{"several modules", `// two modules
HloModule a
ENTRY e {
  ROOT x = f32[] parameter(0)
}
// -----
HloModule b, is_scheduled=true
ENTRY e {
  ROOT x = s8[] parameter(0)
}
`, `module a
e entry:
 4 x = parameter f32[] root
module b
e entry:
 9 x = parameter s8[] root
`},
		{"without a header, instructions over several lines, comments", `ENTRY e {
  // a comment
  p = f32[2,2]{1,0} parameter(0), /* another */
    metadata={op_name="x = y"
      source_line=3}

  c = f32[2,2]{1,0} constant({
    { 1, 2 }, { 3, 4 } })
  ROOT a = (f32[2,2]{1,0},
    f32[2,2]{1,0}) all-reduce(p,
    c /* = not an instruction */),
    replica_groups={}
}
`, `module 
e entry:
 3 p = parameter f32[2 2]
 7 c = constant f32[2 2]
 9 a = all-reduce p c f32[2 2] f32[2 2] root
`},
		{"instructions only", `%a = f32[4]{0} parameter(0)
%b = f32[4]{0} negate(f32[4]{0} %a)
`, `module 
 entry:
 1 a = parameter f32[4]
 2 b = negate a f32[4] root
`},
		{"all on one line", `HloModule m ENTRY e { a = f32[] parameter(0), sharding={replicated} b = f32[] negate(a) ROOT c = f32[] add(a, b), metadata={op_name="}"} }
`, `module m
e entry:
 1 a = parameter f32[]
 1 b = negate a f32[]
 1 c = add a b f32[] root
`},
		{"one line for a computation", `HloModule m
ENTRY e { a = f32[] parameter(0), sharding={replicated} b = f32[] negate(a) ROOT c = f32[] add(a, b), metadata={op_name="}"} }
`, `module m
e entry:
 2 a = parameter f32[]
 2 b = negate a f32[]
 2 c = add a b f32[] root
`},
		{"the brace on the line of the last instruction", `HloModule m
f {
  a = f32[] parameter(0) }
ENTRY e {
  a = f32[] parameter(0), metadata={op_name="{{{"}
  ROOT c = f32[] call(a), to_apply=f }
`, `module m
f:
 3 a = parameter f32[] root
e entry:
 5 a = parameter f32[]
 6 c = call a f32[] root
`},
		{"shapes left out, instructions in place, unknown opcodes and types", `HloModule m
ENTRY e {
  a = f99[3]{0} parameter(0)
  b = add(a, a)
  c = f32[] frobnicate(a, negate(b)), index=1
  ROOT d = f32[<=4,?] custom-call(f32[] c), custom_call_target="x"
}
`, `module m
e entry:
 3 a = parameter f99[3]
 4 b = add a a []
 5 negate = negate b []
 5 c = frobnicate a negate f32[]
 6 d = custom-call c f32[4 -1] root
`},
		{"execution thread, trailing comment, buffer and token", `HloModule m
%f (p: b(f32[4])) -> token[] {
  %p = b(f32[4]{0}) parameter(0)
  ROOT %t = token[] after-all()
}, execution_thread="host" // f
ENTRY %e () -> () {
  ROOT %t = () tuple()
} // e
`, `module m
f:
 3 p = parameter f32[4]
 4 t = after-all token[] root
e entry:
 7 t = tuple root
`},
		{"damaged: unknown operand, doubled name, never closed", `HloModule m
ENTRY e {
  a = f32[] negate(missing)
  a = f32[] parameter(0)
  b = f32[] add(a, a
  c = f32[] negate(a)
f {
  x = f32[] parameter(0)
`, `module m
e entry:
 3 a = negate ? f32[]
 4 a = parameter f32[]
 5 b = add a a f32[]
 6 c = negate a f32[] root
f:
 8 x = parameter f32[] root
problem 4: instruction "a" is defined twice
problem 5: operand list is never closed
problem 7: computation is never closed
problem 3: operand "missing" is not defined
problem 9: computation is never closed
`},
		{"other text", "import jax\n\nprint(1)\n", "problem 0: holds no HLO module\n"},
		{"a program", "import jax\n\n\ndef f(x):\n    h = {\n        y = x.sum(x)\n    }\n    return h\n", "problem 0: holds no HLO module\n"},
		{"nothing", "", "problem 0: holds no HLO module\n"},
		{"windows line ends", "HloModule m\r\n\r\nENTRY %e (p: f32[2]) -> f32[2] {\r\n  %p = f32[2]{0} parameter(0)\r\n  ROOT %r = f32[2]{0} negate(%p)\r\n}\r\n", `module m
e entry:
 4 p = parameter f32[2]
 5 r = negate p f32[2] root
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := graph(t, c.text); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestHugeLiteral reads a literal of megabytes with parentheses in it.
func TestHugeLiteral(t *testing.T) {
	text := "HloModule m\nENTRY e {\n  c = c64[100000]{0} constant({" + strings.Repeat("(1, 2), ", 1<<20) + "(0, 0)})\n  ROOT r = c64[100000]{0} negate(c)\n}\n"
	if got := graph(t, text); !strings.HasSuffix(got, "negate c c64[100000] root\n") {
		t.Errorf("%.200s", got)
	}
}

// TestLines counts the lines of every instruction of the stored dumps.
func TestLines(t *testing.T) {
	for _, d := range hlotest.Dumps(t) {
		if d.Set == "big" {
			continue
		}
		text := d.File(t, "after_opt.txt")
		m := openOne(t, "after_opt.txt", text)
		line, from := 1, 0
		for i := range hlomap.InstrID(m.NumInstructions()) {
			line += strings.Count(string(text[from:m.Offset(i)]), "\n")
			from = m.Offset(i)
			if m.Line(i) != line {
				t.Fatalf("%s: %s is on line %d, want %d", d, m.InstrName(i), m.Line(i), line)
			}
		}
	}
}

// TestFrameTables reads parents as the text printer writes them, one more than they are, and as the builds of one day did.
func TestFrameTables(t *testing.T) {
	const head = `HloModule m

FileNames
1 "a.py"
2 "dir/\"b\".py"

FunctionNames
1 "main"
2 "f.<locals>.<lambda>"

FileLocations
1 {file_name_id=1 function_name_id=1 line=40 end_line=40 column=4 end_column=22}
2 {file_name_id=2, function_name_id=2, line=17, end_line=19, column=11, end_column=5}

StackFrames
`
	const tail = `

ENTRY e {
  ROOT p = f32[] parameter(0), metadata={op_name="x" stack_frame_id=%d}
}
`
	for _, c := range []struct {
		name, frames string
		id           int
		want         string
	}{
		{"shifted", "1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}", 2, `[{dir/"b".py 17 11 f.<locals>.<lambda>} {a.py 40 4 main}]`},
		{"shifted root", "1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}", 1, `[{a.py 40 4 main}]`},
		{"raw", "1 {file_location_id=1 parent_frame_id=0}\n2 {file_location_id=2 parent_frame_id=1}", 2, `[{dir/"b".py 17 11 f.<locals>.<lambda>} {a.py 40 4 main}]`},
		{"id beyond the table", "1 {file_location_id=1 parent_frame_id=1}", 7, "[]"},
		{"no id", "1 {file_location_id=1 parent_frame_id=1}", 0, "[]"},
		{"cycle", "1 {file_location_id=1 parent_frame_id=3}\n2 {file_location_id=2 parent_frame_id=2}", 2, `[{dir/"b".py 17 11 f.<locals>.<lambda>} {a.py 40 4 main}]`},
		{"location beyond the table", "1 {file_location_id=9 parent_frame_id=1}", 1, "[]"},
	} {
		mods, _ := hlomap.Open("m.txt", fmt.Appendf(nil, head+c.frames+tail, c.id))
		if len(mods) != 1 {
			t.Fatalf("%s: %d modules", c.name, len(mods))
		}
		if got := fmt.Sprint(mods[0].Frames(0)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestEncodings reads text that a shell has turned into UTF-16, or that begins with a byte order mark.
func TestEncodings(t *testing.T) {
	const text = "HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0), metadata={op_name=\"\u00fc\U0001f600\"}\n}\n"
	wide := func(order binary.AppendByteOrder) string {
		var b []byte
		for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	for name, in := range map[string]string{"UTF-16LE": wide(binary.LittleEndian), "UTF-16BE": wide(binary.BigEndian), "UTF-8": "\ufeff" + text,
		"a byte too many": wide(binary.LittleEndian) + "\n"} {
		mods, problems := hlomap.Open("m.txt", []byte(in))
		if len(mods) != 1 || len(problems) > 0 || mods[0].OpName(0) != "\u00fc\U0001f600" || mods[0].Line(0) != 4 {
			t.Errorf("%s: %d modules, %v", name, len(mods), problems)
		}
	}
}

// TestMetadata reads source lines of releases before 2025-12, combined ones, and escapes.
func TestMetadata(t *testing.T) {
	for _, c := range []struct{ metadata, frames, opName string }{
		{`op_type="add" op_name="jit(f)/add" source_file="a.py" source_line=7`, "[{a.py 7 -1 }]", "jit(f)/add"},
		{`op_name="jit(f)/add" source_file="a.py" source_line=7 source_end_line=7 source_column=3 source_end_column=9`, "[{a.py 7 3 }]", "jit(f)/add"},
		{`op_name="x" source_file="a.py:10,dir/b.py:20"`, "[{a.py 10 -1 } {dir/b.py 20 -1 }]", "x"},
		{`op_name="x" source_file="odd,name.py"`, "[{odd,name.py 0 -1 }]", "x"},
		{`op_name="params[\'layers\'][0] \"\303\251\" \\ \n\x41" profile_type={1}`, "[]", "params['layers'][0] \"é\" \\ \nA"},
		{`op_type="" op_name=""`, "[]", ""},
		{``, "[]", ""},
	} {
		text := "HloModule m\nENTRY e {\n  ROOT p = f32[] parameter(0), sharding={{replicated metadata={op_name=\"inner\"}}}, metadata={" + c.metadata + "}, backend_config={\"a\":\"metadata={\"}\n}\n"
		mods, problems := hlomap.Open("m.txt", []byte(text))
		if len(mods) != 1 || len(problems) > 0 {
			t.Fatalf("%s: %v", c.metadata, problems)
		}
		if got := fmt.Sprint(mods[0].Frames(0)); got != c.frames {
			t.Errorf("%s: frames %s, want %s", c.metadata, got, c.frames)
		}
		if got := mods[0].OpName(0); got != c.opName {
			t.Errorf("%s: op_name %q, want %q", c.metadata, got, c.opName)
		}
	}
}

// TestAttributes finds attributes whatever stands around them.
func TestAttributes(t *testing.T) {
	text := `HloModule m, input_output_alias={ {0}: (3, {}, may-alias) }, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}, origin_recovery_table={
  {"a"} : {"b"},
  "
    HloModule inner
    ENTRY e { ROOT x = f32[] parameter(0) }
  "
}

ENTRY e {
  p = f32[8]{0} parameter(0), sharding={devices=[4]<=[4]}
  ROOT r = f32[8]{0} all-gather(p), channel_id=3, replica_groups=mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}, dimensions={0}, use_global_device_ids=true, frontend_attributes={k="v, index=9",j={"a":[1,{}]}}, control-predecessors={p}
}
`
	mods, problems := hlomap.Open("m.txt", []byte(text))
	if len(mods) != 1 || len(problems) > 0 {
		t.Fatal(problems)
	}
	m := mods[0]
	for _, c := range [][2]string{{"input_output_alias", "{ {0}: (3, {}, may-alias) }"}, {"num_partitions", "4"}} {
		if v, ok := m.Attr(c[0]); !ok || v != c[1] {
			t.Errorf("%s is %q", c[0], v)
		}
	}
	for _, c := range [][2]string{{"channel_id", "3"}, {"replica_groups", "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}"}, {"dimensions", "{0}"},
		{"use_global_device_ids", "true"}, {"frontend_attributes", `{k="v, index=9",j={"a":[1,{}]}}`}, {"control-predecessors", "{p}"}, {"sharding", ""}, {"index", ""}} {
		if v, ok := m.InstrAttr(1, c[0]); v != c[1] || ok != (c[1] != "") {
			t.Errorf("%s is %q, %v", c[0], v, ok)
		}
	}
	if c := m.Collectives(); len(c) != 1 || fmt.Sprint(c[0].ReplicaGroups) != "[[0 1] [2 3]]" {
		t.Errorf("%+v", c)
	}
}
