package hlomap_test

import (
	"fmt"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// TestStacksReachTheProgram joins frames across calls: with the callers' frames every stack of JAX 0.10.2 on CPU reaches
// the program's top level, in all stages; in the final module, where XLA has joined them, nothing is added.
func TestStacksReachTheProgram(t *testing.T) {
	joined := 0
	for _, d := range hlotest.Dumps(t) {
		if d.Set != "cpu" {
			continue
		}
		for _, name := range d.Expected(t).Files() {
			m := openOne(t, name+".txt", d.File(t, name+".txt"))
			for _, c := range m.Collectives() {
				stack := c.Stack()
				if len(stack) == 0 || stack[len(stack)-1].Function != "<module>" {
					t.Errorf("%s/%s: %s has the stack %v", d, name, c.Name, stack)
				}
				if len(c.CallerFrames) > 0 {
					joined++
					if name == "after_opt" {
						t.Errorf("%s: %s has frames %v and %v", d, c.Name, c.Frames, c.CallerFrames)
					}
				}
			}
		}
	}
	if joined < 50 {
		t.Errorf("joined %d stacks", joined)
	}
}

func TestCallerFrames(t *testing.T) {
	const text = `HloModule m

FileNames
1 "lib.py"
2 "train.py"

FunctionNames
1 "body"
2 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=5 end_line=5 column=4 end_column=4}
2 {file_name_id=2 function_name_id=2 line=9 end_line=9 column=4 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}
3 {file_location_id=1 parent_frame_id=3}

once {
  x = f32[] parameter(0)
  relative = f32[] all-reduce(x), replica_groups={}, metadata={op_name="psum" stack_frame_id=1}
  ROOT complete = f32[] all-reduce(relative), replica_groups={}, metadata={op_name="jit(f)/psum" stack_frame_id=3}
}
twice {
  x = f32[] parameter(0)
  ROOT shared = f32[] all-reduce(x), replica_groups={}, metadata={op_name="psum" stack_frame_id=1}
}
ENTRY e {
  x = f32[] parameter(0)
  a = f32[] call(x), to_apply=once, metadata={op_name="jit(f)/shard_map" stack_frame_id=2}
  b = f32[] call(a), to_apply=twice, metadata={op_name="jit(f)/g" stack_frame_id=2}
  ROOT c = f32[] call(b), to_apply=twice, metadata={op_name="jit(f)/h" stack_frame_id=1}
}
`
	want := map[string]string{"relative": "[{train.py 9 4 step}]", "complete": "[]", "shared": "[]"}
	for _, c := range openOne(t, "m.txt", []byte(text)).Collectives() {
		if got := fmt.Sprint(c.CallerFrames); got != want[c.Name] {
			t.Errorf("%s: %s, want %s", c.Name, got, want[c.Name])
		}
		if n := len(c.Stack()); n != len(c.Frames)+len(c.CallerFrames) {
			t.Errorf("%s: %d frames", c.Name, n)
		}
	}
}

// TestCauseFrames follows what makes a gradient out of the body of a shard_map to the script, also before XLA's inliner has
// joined the frames of body and call.
func TestCauseFrames(t *testing.T) {
	checked := 0
	for _, d := range hlotest.Dumps(t) {
		if d.Set != "cpu" || d.Name != "dp_shard_map" {
			continue
		}
		m := openOne(t, "after_spmd.txt", d.File(t, "after_spmd.txt"))
		for _, p := range hlomap.Attribute(m, nil).Gradients().Parameters {
			for _, r := range p.Reductions {
				checked++
				if n := len(r.Cause.Frames); n == 0 || r.Cause.Frames[n-1].Function != "<module>" {
					t.Errorf("%s: the frames of %s are %v", p.Parameter, r.Cause.Instruction, r.Cause.Frames)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("nothing was checked")
	}
}
