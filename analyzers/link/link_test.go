package link

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

// dump makes a dump of a module that sums its argument over two devices, on line 2 of /home/user/train.py inside a library.
func dump(t *testing.T, path, attributes string, rank int) Dump {
	t.Helper()
	text := fmt.Sprintf(`HloModule jit_step, %snum_partitions=2

FileNames
1 "/usr/lib/python3/site-packages/lib/train.py"
2 "/home/user/train.py"

FunctionNames
1 "sum"
2 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=4 end_column=4}
2 {file_name_id=2 function_name_id=2 line=2 end_line=2 column=11 end_column=11}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[8]{0} parameter(0), sharding={replicated}
  ROOT r = f32[8]{0} all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add, metadata={op_name="jit(step)/dot_general" stack_frame_id=2}
}
`, attributes)
	modules, problems := hlomap.Open(path, []byte(text))
	if len(modules) != 1 || len(problems) > 0 {
		t.Fatalf("%s: %d modules, problems %v", path, len(modules), problems)
	}
	return Dump{Path: path, Module: modules[0], Rank: rank}
}

func options() Options {
	source := "def step(x):\n    return x @ x\n"
	return Options{
		Sources: NewSources([]string{"src/train.py"}, nil, nil),
		Program: &flow.Program{Files: map[string]*flow.File{"src/train.py": {Syntax: pyparse.Parse("src/train.py", []byte(source))}}},
		Meshes:  []hlomap.Mesh{{Axes: []hlomap.MeshAxis{{Name: "four", Size: 4}}}, {Axes: []hlomap.MeshAxis{{Name: "two", Size: 2}}}},
	}
}

const (
	tpu = "is_scheduled=true, entry_computation_layout={(f32[8]{0:T(128)})->f32[8]{0:T(128)}}, "
	gpu = `is_scheduled=true, frontend_attributes={fingerprint_before_lhs="0"}, `
	cpu = "is_scheduled=true, "
)

func TestModulesDecide(t *testing.T) {
	const after, final = "d/module_0001.jit_step.0001.spmd-partitioner.after_spmd-partitioning.before_x.txt", "d/module_0001.jit_step.%s_after_optimizations.txt"
	tests := []struct {
		name             string
		dumps            []Dump
		deciding, target string
		types            bool
	}{
		{"partitioned and CPU", []Dump{dump(t, fmt.Sprintf(final, "cpu"), cpu, 0), dump(t, after, "", 0)}, after, "", true},
		{"partitioned and GPU", []Dump{dump(t, fmt.Sprintf(final, "gpu"), gpu, 0), dump(t, after, "", 0)}, after, fmt.Sprintf(final, "gpu"), true},
		{"GPU alone", []Dump{dump(t, fmt.Sprintf(final, "gpu"), gpu, 0)}, fmt.Sprintf(final, "gpu"), fmt.Sprintf(final, "gpu"), true},
		{"TPU by its layouts", []Dump{dump(t, "d/after_opt.txt", tpu, 0)}, "d/after_opt.txt", "d/after_opt.txt", true},
		{"CPU alone", []Dump{dump(t, fmt.Sprintf(final, "cpu"), cpu, 0)}, fmt.Sprintf(final, "cpu"), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			modules := Modules(tt.dumps, options())
			if len(modules) != 1 {
				t.Fatalf("%d modules", len(modules))
			}
			m := modules[0]
			target := ""
			if m.Target != nil {
				target = m.Target.Path
			}
			types, reason := m.DecidesTypes()
			if m.Deciding.Path != tt.deciding || target != tt.target || types != tt.types || types == (reason != "") {
				t.Errorf("deciding %s, target %q, types %v (%s)", m.Deciding.Path, target, types, reason)
			}
		})
	}
}

func TestModulesGroupAndHide(t *testing.T) {
	paths := func(modules []*Module) []string {
		var list []string
		for _, m := range modules {
			for _, d := range m.Dumps {
				list = append(list, d.Path)
			}
		}
		return list
	}
	const a, b = "d/module_0001.jit_step.after_spmd-partitioning.txt", "d/module_0002.jit_step.after_spmd-partitioning.txt"
	two := Modules([]Dump{dump(t, a, "", 0), dump(t, b, "", 0)}, options())
	if len(two) != 2 {
		t.Fatalf("two compilations became %d modules", len(two))
	}
	if !two[1].Repeats(two[0]) {
		t.Error("the second compilation exchanges the same as the first, and does not say so")
	}
	two[1].Deciding.Collectives[0].Opcode = "all-to-all"
	if two[1].Repeats(two[0]) {
		t.Error("a compilation with another exchange passes for a repetition")
	}
	got := paths(Modules([]Dump{dump(t, "configured/"+a, "", 1), dump(t, "named/"+a, "", 0)}, options()))
	if !slices.Equal(got, []string{"named/" + a}) {
		t.Errorf("a configured dump is not hidden by a named one: %v", got)
	}
}

func TestLinesAndMeshes(t *testing.T) {
	m := Modules([]Dump{dump(t, "after_spmd-partitioning.txt", "", 0)}, options())[0]
	if m.Function() != "step" {
		t.Errorf("%s was compiled from %q", m.Name, m.Function())
	}
	at := m.Lines()["src/train.py"][2]
	if len(at) != 1 || at[0].Collective.Name != "r" || at[0].Via != "caller" {
		t.Fatalf("line 2 causes %+v", at)
	}
	if axes := at[0].Collective.Axes; !slices.Equal(axes, []string{"two"}) {
		t.Errorf("axes %v: the mesh with as many devices as partitions has axis two", axes)
	}
	place, ok := m.Locate(at[0].Collective.Frames, "dot_general")
	if !ok || place.Frame != 1 || place.Expression.Text() != "x @ x" {
		t.Errorf("located %+v, %q", place, place.Expression.Text())
	}
	if got := strings.Join(m.Paths(), " "); got != "/home/user/train.py /usr/lib/python3/site-packages/lib/train.py" {
		t.Errorf("paths %s", got)
	}
	if m.Deciding.LineOf(at[0].Collective) != 27 {
		t.Errorf("the all-reduce stands on line %d", m.Deciding.LineOf(at[0].Collective))
	}
}
