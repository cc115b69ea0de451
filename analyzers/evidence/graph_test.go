package evidence

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
)

// module has a call, a loop with an invariant and an accumulator, a conditional and a barrier.
const module = `HloModule jit_f, num_partitions=2

body {
  p = (s32[], f32[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  acc = f32[4] get-tuple-element(p), index=1
  x = f32[4] get-tuple-element(p), index=2
  y = f32[4] tanh(x)
  sum = f32[4] add(acc, y)
  ROOT t = (s32[], f32[4], f32[4]) tuple(next, sum, x)
}

cond {
  p = (s32[], f32[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}

callee {
  a = f32[4] parameter(0)
  ROOT c = f32[4] copy(a)
}

ENTRY main {
  w = f32[4] parameter(0), metadata={op_name="params[\'w\']"}
  k = f32[4] call(w), to_apply=callee
  r = f32[2,2] reshape(k)
  flat = f32[4] reshape(r)
  zero = s32[] constant(0)
  z = f32[4] sine(flat), metadata={op_name="jit(f)/jit(g)/transpose(jvp(h))/sin"}
  init = (s32[], f32[4], f32[4]) tuple(zero, z, flat)
  loop = (s32[], f32[4], f32[4]) while(init), condition=cond, body=body
  out = f32[4] get-tuple-element(loop), index=1
  same = f32[4] get-tuple-element(loop), index=2
  id = u32[] partition-id()
  at = s32[] convert(id)
  half = f32[2] dynamic-slice(same, at), dynamic_slice_sizes={2}
  ROOT res = (f32[4], f32[2]) tuple(out, half)
}
`

func open(t *testing.T) Graph {
	t.Helper()
	modules, problems := hlomap.Open("f.txt", []byte(module))
	if len(modules) != 1 || len(problems) > 0 {
		t.Fatalf("%d modules, problems %v", len(modules), problems)
	}
	return Graph{M: modules[0]}
}

func (g Graph) named(t *testing.T, computation, name string) hlomap.InstrID {
	t.Helper()
	i := g.M.InstrByName(g.M.CompByName(computation), name)
	if i == hlomap.NoInstr {
		t.Fatalf("no instruction %s in %s", name, computation)
	}
	return i
}

func TestSource(t *testing.T) {
	g := open(t)
	for _, tt := range []struct{ computation, from, want string }{
		{"main", "flat", "w"},    // reshapes, a call and the copy in it
		{"main", "same", "w"},    // a loop hands the value on unchanged
		{"main", "out", "loop"},  // a loop changes the value
		{"body", "x", "w"},       // out of the body, through the initial tuple
		{"body", "acc", "p"},     // the accumulator depends on the iteration
		{"main", "half", "half"}, // a slice is more than a move
	} {
		if got := g.M.InstrName(g.Source(g.named(t, tt.computation, tt.from), nil)); got != tt.want {
			t.Errorf("source of %s is %s, want %s", tt.from, got, tt.want)
		}
	}
}

func TestUses(t *testing.T) {
	g := open(t)
	names := func(from string, through func(hlomap.Op) bool) []string {
		var list []string
		for _, u := range g.Uses(g.named(t, "main", from), through) {
			list = append(list, g.M.InstrName(u.User))
		}
		slices.Sort(list)
		return list
	}
	if got, want := names("w", nil), []string{"half", "y", "z"}; !slices.Equal(got, want) {
		t.Errorf("uses of w are %v, want %v", got, want)
	}
	if got, want := names("z", nil), []string{"sum"}; !slices.Equal(got, want) {
		t.Errorf("uses of z are %v, want %v", got, want)
	}
	tanh := func(op hlomap.Op) bool { return op == hlomap.OpTanh }
	if got, want := names("w", tanh), []string{"half", "sum", "z"}; !slices.Equal(got, want) {
		t.Errorf("uses of w behind tanh are %v, want %v", got, want)
	}
}

func TestLoops(t *testing.T) {
	g := open(t)
	loop := g.named(t, "main", "loop")
	if got := g.Loop(g.named(t, "body", "y")); got != loop {
		t.Errorf("the loop of y is %v, want %v", got, loop)
	}
	if got := g.Loop(g.named(t, "main", "z")); got != hlomap.NoInstr {
		t.Errorf("z stands in loop %v", got)
	}
	carry, ok := g.CarryOf(g.named(t, "body", "acc"))
	if !ok || carry != (Carry{loop, 1}) {
		t.Errorf("acc reads %v, %v", carry, ok)
	}
	if got := g.Init(carry); got != g.named(t, "main", "z") {
		t.Errorf("the accumulator starts as %s", g.M.InstrName(got))
	}
	if !g.OnPartition(g.named(t, "main", "at")) || g.OnPartition(g.named(t, "main", "zero")) {
		t.Error("only at depends on the partition")
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"jit(f)/jit(main)/dot_general[dimension_numbers=(((1,), (0,)), ((), ())) precision=None]": "dot_general",
		"jit(f)/transpose(jvp(a/b))/mul;jit(f)/broadcast_in_dim":                                  "broadcast_in_dim",
		"psum_invariant": "psum_invariant",
		"params['w']":    "",
		"":               "",
	} {
		if got := Primitive(name); got != want {
			t.Errorf("primitive of %q is %q, want %q", name, got, want)
		}
	}
	if got, want := Scopes("jit(f)/transpose(jvp(a/b))/while/body/mul"), []string{"jit(f)", "transpose(jvp(a/b))", "while", "body"}; !slices.Equal(got, want) {
		t.Errorf("scopes are %q, want %q", got, want)
	}
	if !Backward("jit(f)/transpose(jvp())/mul") || Backward("jit(f)/jvp()/mul") {
		t.Error("only transpose(...) is a backward pass")
	}
	uniform := func(name string) bool { return name == "_uniform" }
	if !InFunction("jit(f)/jit(_uniform)/add", uniform) || !InFunction("jit(f)/pjit(_uniform)/add", uniform) || InFunction("jit(f)/_uniform/add", uniform) {
		t.Error("InFunction looks at jit(...) and pjit(...) scopes only")
	}
}

// TestUsesAreBounded wants no answer about a value that loops in loops hand from each of their arrays to the next, rather than a part
// of one or a long wait.
func TestUsesAreBounded(t *testing.T) {
	const loops, arrays = 30, 200
	m := swapped(t, loops, arrays)
	g := Graph{M: m}
	start := m.InstrByName(m.CompByName("body.1"), "made")
	uses, all := g.uses(Value{Instr: start}, nil)
	if all || uses != nil {
		t.Errorf("%d uses, all of them: %v", len(uses), all)
	}
	small := swapped(t, 2, 3)
	start = small.InstrByName(small.CompByName("body.1"), "made")
	if uses, all := (Graph{M: small}).uses(Value{Instr: start}, nil); !all || len(uses) != 1 {
		t.Errorf("%d uses, all of them: %v, want the one that makes it", len(uses), all)
	}
}

// swapped is a module of loops in loops, each of which hands its arrays on from place to place.
func swapped(t *testing.T, loops, arrays int) *hlomap.Module {
	t.Helper()
	shape := "(" + strings.Repeat("f32[8], ", arrays-1) + "f32[8])"
	var b strings.Builder
	b.WriteString("HloModule jit_f, num_partitions=2\n\ncond {\n  p = " + shape + " parameter(0)\n  ROOT yes = pred[] constant(true)\n}\n")
	for loop := 1; loop <= loops; loop++ {
		fmt.Fprintf(&b, "\nbody.%d {\n  p = %s parameter(0)\n", loop, shape)
		from := "p"
		if loop > 1 {
			fmt.Fprintf(&b, "  inner = %s while(p), condition=cond, body=body.%d\n", shape, loop-1)
			from = "inner"
		}
		var carried []string
		for k := range arrays {
			fmt.Fprintf(&b, "  g.%d = f32[8] get-tuple-element(%s), index=%d\n", k, from, k)
			carried = append(carried, fmt.Sprintf("g.%d", (k+1)%arrays))
		}
		if loop == 1 {
			b.WriteString("  made = f32[8] tanh(g.0)\n")
			carried[0] = "made"
		}
		fmt.Fprintf(&b, "  ROOT t = %s tuple(%s)\n}\n", shape, strings.Join(carried, ", "))
	}
	fmt.Fprintf(&b, "\nENTRY main {\n  p = %s parameter(0)\n  ROOT w = %s while(p), condition=cond, body=body.%d\n}\n", shape, shape, loops)
	mods, problems := hlomap.Open("swapped.txt", []byte(b.String()))
	if len(mods) != 1 || len(problems) > 0 {
		t.Fatalf("%d modules, %v", len(mods), problems)
	}
	return mods[0]
}
