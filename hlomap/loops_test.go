package hlomap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
)

// loop is a module with one loop around an all-reduce. The pieces are what a test varies.
type loop struct {
	start, bound string // literals
	condition    string // ends with a root; c is the state, n the bound
	body         string // computes next from i
	outer        string // attributes of the while
}

func (l loop) text() string {
	return `HloModule m, num_partitions=8
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
plus_one {
  p = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT s = s32[] add(p, one)
}
less {
  p = s32[] parameter(0)
  q = s32[] parameter(1)
  ROOT s = pred[] compare(p, q), direction=LT
}
cond {
  c = (s32[], s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(` + l.bound + `)
  carried = s32[] get-tuple-element(c), index=1
` + l.condition + `
}
body {
  c = (s32[], s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] get-tuple-element(c), index=1
  x = f32[8]{0} get-tuple-element(c), index=2
  one = s32[] constant(1)
  two = s32[] constant(2)
` + l.body + `
  r = f32[8]{0} all-reduce(x), replica_groups={}, to_apply=add
  ROOT t = (s32[], s32[], f32[8]{0}) tuple(next, n, r)
}
ENTRY e {
  x = f32[8]{0} parameter(0)
  start = s32[] constant(` + l.start + `)
  ten = s32[] constant(10)
  init = (s32[], s32[], f32[8]{0}) tuple(start, ten, x)
  w = (s32[], s32[], f32[8]{0}) while(init), condition=cond, body=body` + l.outer + `
  ROOT y = f32[8]{0} get-tuple-element(w), index=2
}
`
}

func TestTripCounts(t *testing.T) {
	const up = "  next = s32[] add(i, one)"
	const less = "  ROOT r = pred[] compare(i, n), direction=LT"
	for _, c := range []struct {
		name string
		loop loop
		want string // executions and reason
	}{
		{"counted up", loop{"0", "80", less, up, ""}, "80 solved condition"},
		{"known", loop{"0", "80", less, up, `, backend_config={"known_trip_count":{"n":"7"},"known_init_step":{"init":"0","step":"1"}}`}, "7 known trip count"},
		{"known, quoted by an old printer", loop{"0", "80", less, up, `, backend_config="{\"known_trip_count\":{\"n\":\"7\"}}"`}, "7 known trip count"},
		{"known, in a larger configuration", loop{"0", "80", less, up, `, backend_config={"operation_queue_id":"0","known_trip_count":{"n": 12},"x":[]}`}, "12 known trip count"},
		{"known to be none", loop{"0", "80", less, up, `, backend_config={"known_trip_count":{"n":"0"}}`}, "0 known trip count"},
		{"start, step and rest", loop{"3", "10", less, "  next = s32[] add(i, two)", ""}, "4 solved condition"},
		{"two additions", loop{"0", "4", less, "  half = s32[] add(i, one)\n  next = s32[] add(one, half)", ""}, "2 solved condition"},
		{"a fused addition", loop{"0", "4", less, "  next = s32[] fusion(i), kind=kLoop, calls=plus_one", ""}, "4 solved condition"},
		{"a fused condition", loop{"0", "6", "  ROOT r = pred[] fusion(i, n), kind=kLoop, calls=less", up, ""}, "6 solved condition"},
		{"the bound in the state", loop{"0", "6", "  ROOT r = pred[] compare(i, carried), direction=LT", up, ""}, "10 solved condition"},
		{"the bound on the left", loop{"0", "6", "  ROOT r = pred[] compare(n, i), direction=GT", up, ""}, "6 solved condition"},
		{"up to and with the bound", loop{"0", "6", "  ROOT r = pred[] compare(i, n), direction=LE", up, ""}, "7 solved condition"},
		{"counted down", loop{"9", "0", "  ROOT r = pred[] compare(i, n), direction=GE", "  next = s32[] subtract(i, two)", ""}, "5 solved condition"},
		{"until equal", loop{"0", "6", "  ROOT r = pred[] compare(i, n), direction=NE", up, ""}, "6 solved condition"},
		{"both of two", loop{"0", "6", "  q = pred[] compare(i, n), direction=LT\n  s = pred[] compare(i, carried), direction=LT\n  ROOT r = pred[] and(q, s)", up, ""}, "6 solved condition"},
		{"through copies", loop{"0", "6", "  k = s32[] copy(i)\n  q = pred[] compare(k, n), direction=LT\n  ROOT r = pred[] copy(q)", "  k = s32[] copy(i)\n  next = s32[] add(k, one)", ""}, "6 solved condition"},
		{"never", loop{"9", "6", less, up, ""}, "0 solved condition"},
		// what must stay unknown
		{"an unknown second condition", loop{"0", "6", "  q = pred[] compare(i, n), direction=LT\n  s = pred[] custom-call(c), custom_call_target=\"x\"\n  ROOT r = pred[] and(q, s)", up, ""}, "unknown"},
		{"either of two", loop{"0", "6", "  q = pred[] compare(i, n), direction=LT\n  s = pred[] compare(i, carried), direction=LT\n  ROOT r = pred[] or(q, s)", up, ""}, "unknown"},
		{"a step that depends on data", loop{"0", "6", less, "  k = s32[] custom-call(x), custom_call_target=\"x\"\n  next = s32[] add(i, k)", ""}, "unknown"},
		{"a doubled counter", loop{"1", "6", less, "  next = s32[] add(i, i)", ""}, "unknown"},
		{"no step", loop{"0", "6", less, "  next = s32[] copy(i)", ""}, "unknown"},
		{"the wrong way", loop{"0", "6", less, "  next = s32[] subtract(i, one)", ""}, "unknown"},
		{"never equal", loop{"0", "7", "  ROOT r = pred[] compare(i, n), direction=NE", "  next = s32[] add(i, two)", ""}, "unknown"},
		{"a start from outside", loop{"0), metadata={op_name=\"x\"}\n  start2 = s32[] negate(start", "6", less, up, ""}, "6 solved condition"},
	} {
		mods, problems := hlomap.Open("m.txt", []byte(c.loop.text()))
		if len(mods) != 1 || len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
			continue
		}
		if got := runs(&mods[0].Collectives()[0]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func runs(c *hlomap.Collective) string {
	if c.Executions == nil {
		return "unknown" + c.ExecutionsReason
	}
	return fmt.Sprint(*c.Executions, " ", c.ExecutionsReason)
}

// TestExecutions multiplies along nested loops, adds over call sites, and marks branches.
func TestExecutions(t *testing.T) {
	const text = `HloModule m, num_partitions=8
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
shared {
  x = f32[8]{0} parameter(0)
  ROOT shared.1 = f32[8]{0} all-reduce(x), replica_groups={}, to_apply=add
}
inner_cond {
  c = (f32[8]{0}) parameter(0)
  in_condition = f32[8]{0} get-tuple-element(c), index=0
  in_condition.1 = f32[8]{0} all-reduce(in_condition), replica_groups={}, to_apply=add
  ROOT p = pred[] custom-call(in_condition.1), custom_call_target="x"
}
inner {
  c = (f32[8]{0}) parameter(0)
  x = f32[8]{0} get-tuple-element(c), index=0
  nested = f32[8]{0} all-reduce(x), replica_groups={}, to_apply=add
  y = f32[8]{0} call(nested), to_apply=shared
  ROOT t = (f32[8]{0}) tuple(y)
}
cond {
  c = (f32[8]{0}) parameter(0)
  ROOT p = pred[] custom-call(c), custom_call_target="x"
}
outer {
  c = (f32[8]{0}) parameter(0)
  x = f32[8]{0} get-tuple-element(c), index=0
  once = f32[8]{0} all-reduce(x), replica_groups={}, to_apply=add
  t = (f32[8]{0}) tuple(once)
  ROOT w = (f32[8]{0}) while(t), condition=inner_cond, body=inner, backend_config={"known_trip_count":{"n":"5"}}
}
branch {
  x = f32[8]{0} parameter(0)
  ROOT in_branch = f32[8]{0} all-reduce(x), replica_groups={}, to_apply=add
}
other {
  x = f32[8]{0} parameter(0)
  ROOT y = f32[8]{0} negate(x)
}
unknown_body {
  c = (f32[8]{0}) parameter(0)
  x = f32[8]{0} get-tuple-element(c), index=0
  endless = f32[8]{0} all-reduce(x), replica_groups={}, to_apply=add
  ROOT t = (f32[8]{0}) tuple(endless)
}
nobody {
  x = f32[8]{0} parameter(0)
  ROOT uncalled = f32[8]{0} all-reduce(x), replica_groups={}, to_apply=add
}
ENTRY e {
  x = f32[8]{0} parameter(0)
  k = s32[] parameter(1)
  t = (f32[8]{0}) tuple(x)
  w = (f32[8]{0}) while(t), condition=cond, body=outer, backend_config={"known_trip_count":{"n":"3"}}
  v = (f32[8]{0}) while(w), condition=cond, body=unknown_body
  y = f32[8]{0} get-tuple-element(v), index=0
  z = f32[8]{0} call(y), to_apply=shared
  u = f32[8]{0} conditional(k, z, z), branch_computations={branch, other}
  ROOT top = f32[8]{0} all-reduce(u), replica_groups={}, to_apply=add
}
`
	mods, problems := hlomap.Open("m.txt", []byte(text))
	if len(mods) != 1 || len(problems) > 0 {
		t.Fatal(problems)
	}
	want := map[string]string{"shared.1": "16 known trip count", "in_condition.1": "18 known trip count", "nested": "15 known trip count",
		"once": "3 known trip count", "in_branch": "1 entry", "endless": "unknown", "uncalled": "unknown", "top": "1 entry"}
	for _, c := range mods[0].Collectives() {
		if got := runs(&c); got != want[c.Name] {
			t.Errorf("%s: %s, want %s", c.Name, got, want[c.Name])
		}
		if c.Conditional != (c.Name == "in_branch") {
			t.Errorf("%s: conditional %v", c.Name, c.Conditional)
		}
		if known := c.BytesPerStep != nil; known != (c.Executions != nil) {
			t.Errorf("%s: bytes per step %v", c.Name, c.BytesPerStep)
		}
	}
}

// TestRecursion reads a module whose computations call each other in a circle, and a deep chain of calls.
func TestRecursion(t *testing.T) {
	circle := "HloModule m\na {\n  x = f32[] parameter(0)\n  r = f32[] all-reduce(x), replica_groups={}\n  ROOT y = f32[] call(r), to_apply=b\n}\nb {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=a\n}\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=a\n}\n"
	mods, _ := hlomap.Open("m.txt", []byte(circle))
	if got := runs(&mods[0].Collectives()[0]); got != "unknown" {
		t.Errorf("a circle: %s", got)
	}
	var b strings.Builder
	b.WriteString("HloModule m\nf0 {\n  x = f32[] parameter(0)\n  ROOT r = f32[] all-reduce(x), replica_groups={}\n}\n")
	for k := 1; k <= 20000; k++ {
		fmt.Fprintf(&b, "f%d {\n  x = f32[] parameter(0)\n  ROOT r = f32[] call(x), to_apply=f%d\n}\n", k, k-1)
	}
	mods, _ = hlomap.Open("m.txt", []byte(b.String()))
	if got := runs(&mods[0].Collectives()[0]); got != "1 entry" {
		t.Errorf("a chain: %s", got)
	}
}

// TestAsync reads the three spellings of one asynchronous operation.
func TestAsync(t *testing.T) {
	const add = "add {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  ROOT s = bf16[] add(a, b)\n}\n"
	const attributes = "channel_id=4, replica_groups={{0,1},{2,3}}, use_global_device_ids=true"
	for _, c := range []struct{ name, text, want string }{
		{"native all-gather", `ENTRY e {
  p = bf16[4]{0} parameter(0)
  s = (bf16[4]{0}, bf16[8]{0}) all-gather-start(p), ` + attributes + `, dimensions={0}, metadata={op_name="jit(f)/all_gather"}
  ROOT d = bf16[8]{0} all-gather-done(s)
}`, "s all-gather async e channel 4 [[0 1] [2 3]] bf16[4] -> bf16[8] S 16 wire 8 user"},
		{"native all-gather of two", `ENTRY e {
  p = bf16[4]{0} parameter(0)
  q = f32[2]{0} parameter(1)
  s = ((bf16[4]{0}, f32[2]{0}), (bf16[8]{0}, f32[4]{0})) all-gather-start(p, q), ` + attributes + `, dimensions={0}
  ROOT d = (bf16[8]{0}, f32[4]{0}) all-gather-done(s)
}`, "s all-gather async e channel 4 [[0 1] [2 3]] bf16[4] f32[2] -> bf16[8] f32[4] S 32 wire 16 unknown"},
		{"all-gather as old printers wrote it", `ENTRY e {
  p = bf16[4]{0} parameter(0)
  s = bf16[8]{0} all-gather-start(p), ` + attributes + `, dimensions={0}
  ROOT d = bf16[8]{0} all-gather-done(s)
}`, "s all-gather async e channel 4 [[0 1] [2 3]] bf16[4] -> bf16[8] S 16 wire 8 unknown"},
		{"native all-reduce of two", add + `ENTRY e {
  p = bf16[4]{0} parameter(0)
  q = bf16[2]{0} parameter(1)
  s = (bf16[4]{0}, bf16[2]{0}) all-reduce-start(p, q), ` + attributes + `, to_apply=add
  ROOT d = (bf16[4]{0}, bf16[2]{0}) all-reduce-done(s)
}`, "s all-reduce async e channel 4 [[0 1] [2 3]] bf16[4] bf16[2] -> bf16[4] bf16[2] S 12 wire 12 unknown reducer bf16"},
		{"native permute", `ENTRY e {
  p = bf16[4]{0} parameter(0)
  s = (bf16[4]{0}, bf16[4]{0}, u32[], u32[]) collective-permute-start(p), channel_id=4, source_target_pairs={{0,1},{1,0}}
  ROOT d = bf16[4]{0} collective-permute-done(s)
}`, "s collective-permute async e channel 4 pairs [[0 1] [1 0]] bf16[4] -> bf16[4] S 8 wire 8 unknown"},
		{"a computation of its own", add + `inside {
  p = bf16[8]{0} parameter(0)
  ROOT r = bf16[4]{0} reduce-scatter(p), ` + attributes + `, dimensions={0}, to_apply=add
}, execution_thread="x"
ENTRY e {
  p = bf16[8]{0} parameter(0)
  s = ((bf16[8]{0}), bf16[4]{0}) async-start(p), calls=inside, async_execution_thread="x", metadata={op_name="jit(f)/dot_general"}
  ROOT d = bf16[4]{0} async-done(s)
}`, "s reduce-scatter async e channel 4 [[0 1] [2 3]] bf16[8] -> bf16[4] S 16 wire 8 partitioner reducer bf16"},
		{"sugar", add + `ENTRY e {
  p = bf16[8]{0} parameter(0)
  s = ((bf16[8]{0}), bf16[4]{0}) reduce-scatter-start(p), ` + attributes + `, dimensions={0}, to_apply=add, metadata={op_name="jit(f)/dot_general"}
  ROOT d = bf16[4]{0} reduce-scatter-done(s)
}`, "s reduce-scatter async e channel 4 [[0 1] [2 3]] bf16[8] -> bf16[4] S 16 wire 8 partitioner reducer bf16"},
		{"permute in place", `ENTRY e {
  p = bf16[4]{0} parameter(0)
  z = s32[] constant(0)
  s = (bf16[4]{0}, bf16[4]{0}, u32[], u32[]) collective-permute-start(p, p, z, z), channel_id=4, source_target_pairs={{0,1},{1,0}}, slice_sizes={{2}}
  ROOT d = bf16[4]{0} collective-permute-done(s)
}`, "s collective-permute async e channel 4 pairs [[0 1] [1 0]] bf16[4] bf16[4] s32[] s32[] -> bf16[4] S 4 wire 4 unknown"},
		{"sugar for what has a start of its own", add + `ENTRY e {
  p = bf16[4]{0} parameter(0)
  q = bf16[2]{0} parameter(1)
  s = ((bf16[4]{0}, bf16[2]{0}), (bf16[4]{0}, bf16[2]{0}), u32[]) all-reduce-start(p, q), ` + attributes + `, to_apply=add
  ROOT d = (bf16[4]{0}, bf16[2]{0}) all-reduce-done(s)
}`, "s all-reduce async e channel 4 [[0 1] [2 3]] bf16[4] bf16[2] -> bf16[4] bf16[2] S 12 wire 12 unknown reducer bf16"},
		{"not asynchronous", `ENTRY e {
  p = bf16[8,2]{1,0} parameter(0)
  ROOT r = bf16[8,2]{1,0} all-to-all(p), channel_id=4, replica_groups={{0,1},{2,3}}, dimensions={0}, frontend_attributes={is_spmd_generated="true"}
}`, "r all-to-all e channel 4 [[0 1] [2 3]] bf16[8 2] -> bf16[8 2] S 32 wire 16 partitioner"},
		{"in a fusion", `fused {
  p = bf16[4]{0} parameter(0)
  ROOT r = bf16[8]{0} all-gather(p), ` + attributes + `, dimensions={0}
}
ENTRY e {
  p = bf16[4]{0} parameter(0)
  ROOT f = bf16[8]{0} fusion(p), kind=kCustom, calls=fused
}`, "r all-gather fused in fusion fused (f in e) channel 4 [[0 1] [2 3]] bf16[4] -> bf16[8] S 16 wire 8 unknown"},
	} {
		mods, problems := hlomap.Open("m.txt", []byte("HloModule m, is_scheduled=true, num_partitions=4\n"+c.text+"\n"))
		if len(mods) != 1 || len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
			continue
		}
		var got []string
		for _, x := range mods[0].Collectives() {
			got = append(got, exchange(&x))
		}
		if g := strings.Join(got, "\n"); g != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, g, c.want)
		}
	}
}

// exchange renders what a collective moves.
func exchange(c *hlomap.Collective) string {
	b := c.Name + " " + c.Opcode
	if c.Async {
		b += " async"
	}
	b += " " + c.Computation
	for _, w := range c.WrappedIn {
		b += fmt.Sprintf(" in %s %s (%s in %s)", w.Kind, w.Computation, w.Instruction, w.In)
	}
	if c.ChannelID != nil {
		b += fmt.Sprint(" channel ", *c.ChannelID)
	}
	if c.SourceTargetPairs != nil {
		b += fmt.Sprint(" pairs ", c.SourceTargetPairs)
	} else {
		b += fmt.Sprint(" ", c.ReplicaGroups)
	}
	for _, o := range c.Operands {
		b += fmt.Sprintf(" %s%v", o.DType, o.Shape)
	}
	b += " ->"
	for _, r := range c.Results {
		b += fmt.Sprintf(" %s%v", r.DType, r.Shape)
	}
	if c.BytesPerExecution != nil {
		b += fmt.Sprint(" S ", *c.BytesPerExecution)
	}
	if c.WireBytesPerExecution != nil {
		b += fmt.Sprint(" wire ", *c.WireBytesPerExecution)
	}
	b += " " + c.Origin
	if c.ReducerDType != "" {
		b += " reducer " + c.ReducerDType
	}
	return b
}
