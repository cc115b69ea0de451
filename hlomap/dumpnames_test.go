package hlomap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/hlotest"
)

// TestStageOfContent opens every stored dump under a name that tells nothing.
func TestStageOfContent(t *testing.T) {
	want := map[string]hlomap.Stage{
		"before_opt": hlomap.BeforeOptimizations, "after_spmd": hlomap.AfterPartitioning,
		"after_opt": hlomap.AfterOptimizations, "as_text": hlomap.AfterOptimizations,
	}
	for _, d := range hlotest.Dumps(t) {
		for _, name := range d.Expected(t).Files() {
			if m := openOne(t, "dump.txt", d.File(t, name+".txt")); m.Stage() != want[name] {
				t.Errorf("%s/%s: stage %s, want %s", d, name, m.Stage(), want[name])
			}
		}
	}
}

// TestStageBetweenPasses: between two passes a module is either not partitioned yet, which its content tells, or anywhere after it.
func TestStageBetweenPasses(t *testing.T) {
	want := map[string]hlomap.Stage{"before_opt": hlomap.BeforeOptimizations, "after_spmd": hlomap.UnknownStage, "after_opt": hlomap.UnknownStage}
	for _, d := range hlotest.Dumps(t) {
		for _, name := range d.Expected(t).Files() {
			stage, ok := want[name]
			if !ok {
				continue
			}
			m := openOne(t, "module_0001.jit_f.0003.pipeline.after_dce.before_cse.txt", d.File(t, name+".txt"))
			if m.Stage() != stage {
				t.Errorf("%s/%s: stage %s, want %s", d, name, m.Stage(), stage)
			}
			for _, p := range hlomap.Attribute(m, nil).Gradients().Parameters {
				if stage == hlomap.BeforeOptimizations {
					t.Errorf("%s/%s: the gradient of %s is %s", d, name, p.Parameter, p.Status)
				}
			}
		}
	}
}

// TestStageOfName classifies the names that XLA gave the stored dumps.
func TestStageOfName(t *testing.T) {
	want := map[string]hlomap.Stage{
		"before_opt.txt": hlomap.BeforeOptimizations, "after_spmd.txt": hlomap.AfterPartitioning,
		"after_opt.txt": hlomap.AfterOptimizations, "after_opt.hlo.pb": hlomap.AfterOptimizations,
	}
	for _, d := range hlotest.Dumps(t) {
		e := d.Expected(t)
		var names []string
		stages := map[string]hlomap.Stage{}
		for stored, name := range e.XLANames {
			names = append(names, name)
			stages[name] = want[stored]
		}
		groups := hlomap.ClassifyDump(names)
		if len(names) == 0 {
			continue
		}
		if len(groups) != 1 || len(groups[0]) != len(names) {
			t.Errorf("%s: %d groups for %v", d, len(groups), names)
			continue
		}
		for _, f := range groups[0] {
			if f.Stage != stages[f.Name] || f.Module != "jit_"+strings.TrimPrefix(f.Module, "jit_") || f.Helper {
				t.Errorf("%s: %+v", d, f)
			}
		}
		if groups[0][0].Stage != hlomap.AfterPartitioning {
			t.Errorf("%s: best is %s", d, groups[0][0].Name)
		}
	}
}

func TestClassifyDump(t *testing.T) {
	names := []string{
		"module_0001.jit_convert_element_type.before_optimizations.txt",
		"1700000000000001.module_0003.jit_step.sm_9.0_gpu_after_optimizations.txt",
		"1700000000000001.module_0003.jit_step.sm_9.0_gpu_after_optimizations-buffer-assignment.txt",
		"1700000000000001.module_0003.jit_step.sm_9.0_gpu_after_optimizations-memory-usage-report.txt",
		"1700000000000001.module_0003.jit_step.after_spmd_partitioner.txt",
		"1700000000000001.module_0003.jit_step.0007.spmd-partitioner.after_spmd-partitioning.before_call-inliner.txt",
		"1700000000000001.module_0003.jit_step.0006.spmd-partitioner.after_shardy-xla.before_spmd-partitioning.txt",
		"1700000000000001.module_0003.jit_step.0012.opt.after_dce.before_cse.txt",
		"module_0002.jit_step.cl_933746096.after_optimizations.hlo.pb.gz",
		"module_0002.jit_step.cl_933746096.after_optimizations.txt",
		"module_0002.jit_step.cl_933746096.after_optimizations_before_buffer_assignment.txt",
		"module_0002.jit_step.debug_options", "module_0002.jit_step.ir-no-opt.ll", "module_0002.jit_step.config.pbtxt",
		"module_0004.before_optimizations.txt", // the name was too long for the file system
		"module_0005.jit__lambda_.cpu_after_optimizations.hlo.pb",
		"readme.txt", "train.py", "module_x.jit_f.before_optimizations.txt",
	}
	var got []string
	for _, g := range hlomap.ClassifyDump(names) {
		for _, f := range g {
			got = append(got, fmt.Sprintf("%s|%d|%s|%s|proto %v|helper %v", f.Process, f.ModuleID, f.Module, f.Stage, f.Proto, f.Helper))
		}
	}
	want := []string{
		"|2|jit_step|after-optimizations|proto false|helper false",
		"|2|jit_step|after-optimizations|proto true|helper false",
		"|2|jit_step|after-optimizations|proto false|helper false",
		"|4||before-optimizations|proto false|helper false",
		"|5|jit__lambda_|after-optimizations|proto true|helper false",
		"1700000000000001|3|jit_step|after-partitioning|proto false|helper false",
		"1700000000000001|3|jit_step|after-partitioning|proto false|helper false",
		"1700000000000001|3|jit_step|after-optimizations|proto false|helper false",
		"1700000000000001|3|jit_step|before-optimizations|proto false|helper false",
		"1700000000000001|3|jit_step|unknown|proto false|helper false",
		"|1|jit_convert_element_type|before-optimizations|proto false|helper true",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
	if g := hlomap.ClassifyDump(names[:1]); len(g) != 1 || g[0][0].Helper {
		t.Errorf("a folder of helpers alone: %+v", g)
	}
}
