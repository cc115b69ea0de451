package link

import "testing"

func TestParseLog(t *testing.T) {
	log := "noise\n" +
		`W1129 12:50:52.965722   27425 spmd_partitioner.cc:656] [SPMD] Involuntary full rematerialization. The compiler cannot go from sharding {devices=[4,1,2]<=[2,4]T(1,0)} to {devices=[1,8,1]<=[8]} efficiently for HLO operation %mul.1 = f32[16,64,32]{2,1,0} multiply(%sharding_constraint.0, %mul.0), sharding={devices=[4,1,2]<=[2,4]T(1,0)}, metadata={op_name="jit(f)/mul" stack_frame_id=8}. As the last resort, SPMD will replicate the tensor` + "\n" +
		`W0000 [SPMD] Involuntary full rematerialization. The compiler cannot go from sharding {devices=[8,1]<=[8]} to {maximal device=0} efficiently for HLO operation %x.1 = f32[8,8]{1,0} copy(%p), metadata={op_name="x['w']"}.` + "\n" +
		"[SPMD] Involuntary full rematerialization. Cut off\n"
	got := ParseLog([]byte(log))
	if len(got) != 2 {
		t.Fatalf("found %d warnings, want 2: %+v", len(got), got)
	}
	a := got[0]
	if a.Line != 2 || a.Instruction != "mul.1" || a.OpName != "jit(f)/mul" || a.Shape != "f32[16,64,32]" ||
		a.From != "{devices=[4,1,2]<=[2,4]T(1,0)}" || a.To != "{devices=[1,8,1]<=[8]}" {
		t.Errorf("first warning: %+v", a)
	}
	if b := got[1]; b.To != "{maximal device=0}" || b.OpName != "x['w']" || b.Line != 3 {
		t.Errorf("second warning: %+v", b)
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add([]byte("[SPMD] Involuntary full rematerialization. from sharding {replicated} to {maximal device=0} efficiently for HLO operation %a = f32[] metadata={op_name=\"x"))
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, r := range ParseLog(log) {
			if r.Line < 1 {
				t.Errorf("line %d", r.Line)
			}
		}
	})
}
