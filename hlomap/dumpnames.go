package hlomap

import (
	"cmp"
	"slices"
	"strings"
)

// DumpFile is what a dump's file name tells.
type DumpFile struct {
	Name     string
	Process  string // the time stamp that tells runs in one folder apart, "" without one
	ModuleID int    // XLA's number of the module in its process
	Module   string // the module's name, "" where the file name leaves it out
	Stage    Stage
	Proto    bool
	Helper   bool // one of the small modules that JAX compiles on its own (jit_convert_element_type)
	Rank     int  // among the files of one module: the smaller the better a source
}

// The ranks of files, by what they hold. Names and lines are best just after the partitioner.
const (
	rankAfterPartitioning = iota * 10
	rankAfterOptimizations
	rankBeforeOptimizations
	rankBetween
)

// ClassifyDump tells, for the names of the files in one folder, which hold HLO that XLA dumped, and groups them by module:
// the best source of a module comes first, then per stage the better ones (text before proto), and modules that JAX
// compiles on its own come last. They are marked as helpers only where there are other modules too. Names of other
// kinds are left out. The answer does not depend on the order of the names.
func ClassifyDump(names []string) [][]DumpFile {
	type key struct {
		process string
		id      int
		module  string
	}
	groups := map[key][]DumpFile{}
	helpers := 0
	for _, n := range names {
		f, ok := classifyName(n)
		if !ok {
			continue
		}
		f.Helper = helperModules[f.Module]
		k := key{f.Process, f.ModuleID, f.Module}
		if len(groups[k]) == 0 && f.Helper {
			helpers++
		}
		groups[k] = append(groups[k], f)
	}
	out := make([][]DumpFile, 0, len(groups))
	for _, g := range groups {
		slices.SortFunc(g, func(a, b DumpFile) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Name, b.Name)) })
		for k := range g {
			g[k].Helper = g[k].Helper && helpers < len(groups)
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b []DumpFile) int {
		if a[0].Helper != b[0].Helper {
			if a[0].Helper {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a[0].Process, b[0].Process), cmp.Compare(a[0].ModuleID, b[0].ModuleID), cmp.Compare(a[0].Module, b[0].Module))
	})
	return out
}

// helperModules are the modules that JAX compiles for eager operations on arrays and for random numbers: a run of a few
// lines dumps dozens of them.
var helperModules = func() map[string]bool {
	set := map[string]bool{}
	for _, f := range strings.Fields(`convert_element_type broadcast_in_dim iota concatenate slice dynamic_slice
		dynamic_update_slice gather scatter squeeze expand_dims reshape transpose copy copy_p true_divide floor_divide remainder
		add subtract multiply negative less less_equal greater greater_equal equal not_equal maximum minimum
		bitwise_and bitwise_or bitwise_xor bitwise_not shift_left shift_right_logical select_n stack _unstack fn
		_threefry_seed _threefry_split _threefry_fold_in _threefry_random_bits _threefry_random_bits_original threefry_2x32
		_uniform _normal _normal_real _truncated_normal _randint _bernoulli _shuffle _gamma _categorical
		random_bits random_seed random_split random_wrap random_unwrap random_fold_in _random_seed _random_split
		_where _mean _reduce_sum _reduce_max _reduce_min _squeeze _multi_slice _identity_fn _power _var _std _einsum`) {
		set["jit_"+f] = true
	}
	return set
}()

// dumpExtensions are the endings of files that hold HLO, and whether they are protos.
var dumpExtensions = [...]struct {
	ext   string
	proto bool
}{{".hlo.pb", true}, {".pb", true}, {".txt", false}, {".hlo", false}}

// classifyName reads `[TIMESTAMP.]module_0012.NAME.SUFFIX.txt`.
func classifyName(name string) (DumpFile, bool) {
	f := DumpFile{Name: name, ModuleID: -1, Stage: UnknownStage}
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	known := false
	for _, e := range dumpExtensions {
		if s, ok := strings.CutSuffix(stem, e.ext); ok {
			stem, f.Proto, known = s, e.proto, true
			break
		}
	}
	if !known {
		return f, false
	}
	if first, rest, ok := strings.Cut(stem, "."); ok && atoi(first, -1) >= 0 {
		f.Process, stem = first, rest
	}
	stem, ok := strings.CutPrefix(stem, "module_")
	if !ok {
		return f, false
	}
	number, rest, ok := strings.Cut(stem, ".")
	if f.ModuleID = atoi(number, -1); !ok || f.ModuleID < 0 {
		return f, false
	}
	module, suffix, ok := splitSuffix(rest)
	if !ok {
		return f, false
	}
	f.Module = module
	f.Stage, f.Rank = stageOfSuffix(suffix)
	if f.Proto {
		f.Rank++ // text has lines to go to
	}
	return f, true
}

// splitSuffix splits `jit_f.cl_123.after_optimizations` into the module's name and what follows it.
func splitSuffix(rest string) (module, suffix string, ok bool) {
	at := suffixStart(rest)
	if at < 0 {
		return "", "", false
	}
	module = strings.TrimSuffix(rest[:at], ".")
	if cut := strings.LastIndexByte(module, '.'); strings.HasPrefix(module[cut+1:], "cl_") {
		module = module[:max(cut, 0)] // Google's number of the change that the compiler was built from
	}
	return module, rest[at:], true
}

// suffixStart returns where the description of the content starts in what follows the module's number, -1 where the file
// holds something else than HLO.
func suffixStart(rest string) int {
	if at := strings.LastIndex(rest, ".after_"); at >= 0 && strings.Contains(rest[at:], ".before_") {
		// NNNN.PIPELINE.after_PASS.before_NEXT
		if p := strings.LastIndexByte(rest[:at], '.'); p >= 0 {
			n := strings.LastIndexByte(rest[:p], '.') + 1
			if atoi(rest[n:p], -1) >= 0 {
				return n
			}
		}
		return -1
	}
	for _, s := range [...]string{"before_optimizations", "after_spmd_partitioner"} {
		if strings.HasSuffix(rest, s) && (len(rest) == len(s) || rest[len(rest)-len(s)-1] == '.') {
			return len(rest) - len(s)
		}
	}
	return finalStart(rest)
}

// finalStart recognises `cpu_after_optimizations`, `sm_9.0_gpu_after_optimizations`, `after_optimizations`, and TPU's further
// `after_optimizations_…`, but not the reports on memory that carry the same words.
func finalStart(rest string) int {
	const words = "after_optimizations"
	at := strings.LastIndex(rest, words)
	if at < 0 {
		return -1
	}
	for _, c := range rest[at+len(words):] {
		if (c < 'a' || c > 'z') && c != '_' {
			return -1
		}
	}
	start := strings.LastIndexByte(rest[:at], '.') + 1
	if start > 0 && strings.HasSuffix(rest[:at], "_gpu_") { // the dot of a compute capability
		if sm := strings.LastIndex(rest[:start-1], "sm_"); sm >= 0 && atoi(rest[sm+3:start-1], -1) >= 0 {
			return sm
		}
	}
	return start
}

// stageOfSuffix tells the stage and the rank from what follows the module's name.
func stageOfSuffix(suffix string) (Stage, int) {
	switch {
	case suffix == "before_optimizations":
		return BeforeOptimizations, rankBeforeOptimizations
	case suffix == "after_spmd_partitioner":
		return AfterPartitioning, rankAfterPartitioning
	case strings.HasSuffix(suffix, "after_optimizations"):
		return AfterOptimizations, rankAfterOptimizations
	case strings.Contains(suffix, "after_optimizations_"):
		return AfterOptimizations, rankAfterOptimizations + 2
	}
	_, passes, _ := strings.Cut(suffix, ".after_")
	pass, next, _ := strings.Cut(passes, ".before_")
	switch {
	case partitions(pass):
		return AfterPartitioning, rankAfterPartitioning + 2
	case partitions(next):
		return BeforeOptimizations, rankBetween
	}
	return UnknownStage, rankBetween
}

// partitions reports whether a pass is the partitioner, which has a prefix on TPU.
func partitions(pass string) bool {
	return strings.HasSuffix(pass, "spmd-partitioning") || strings.HasSuffix(pass, "spmd-partitioner")
}

// stageOf tells the stage of a module by the name of its file, else by its content. Between two passes it is unknown, but what is not
// partitioned yet must be known for that: its devices share nothing so far, for which no gradient is to blame.
func stageOf(m *Module) Stage {
	base := m.path[strings.LastIndexAny(m.path, `/\`)+1:]
	f, named := classifyName(base)
	if named && f.Stage != UnknownStage {
		return f.Stage
	}
	if s := m.stageOfContent(); !named || s == BeforeOptimizations {
		return s
	}
	return UnknownStage
}

// BeforePartitioner reports whether a module for several devices is not partitioned yet: what its devices will exchange is then not in
// it, but for what the program itself asks for.
func (m *Module) BeforePartitioner() bool {
	return m.Stage() == BeforeOptimizations && m.partitions() > 1
}

// stageOfContent tells the stage by what only one stage has: a schedule or fusions after optimization; the suffix "_spmd" of
// the entry just after partitioning; constraints, calls into bodies of shard_map and shardings on inner instructions before.
func (m *Module) stageOfContent() Stage {
	if v, _ := m.src.moduleAttr("is_scheduled"); v == "true" {
		return AfterOptimizations
	}
	sharded, collectives, ids := 0, 0, 0
	for i, op := range m.ops {
		switch {
		case op == OpFusion:
			return AfterOptimizations
		case op.IsCollective():
			collectives++
		case op == OpCustomCall:
			v, _ := m.src.attr(InstrID(i), "custom_call_target")
			switch unquote([]byte(v)) {
			case "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.FuncResultSharding",
				"xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape", "xla.sdy.ShardingGroup", "xla.sdy.PropagationBarrier":
				sharded++
			}
		case op == OpPartitionID:
			ids++
		}
	}
	attrs, _ := m.src.moduleAttr("frontend_attributes")
	switch {
	case m.entry != NoComp && strings.HasSuffix(m.CompName(m.entry), "_spmd"):
		return AfterPartitioning
	case sharded > 0 || strings.Contains(attrs, "xla.sdy.meshes"):
		return BeforeOptimizations
	case collectives > 0 || ids > 0:
		return AfterPartitioning
	case m.partitions() > 1:
		return BeforeOptimizations
	}
	return UnknownStage
}
