// Package link joins the facts of Python sources to compiled modules: frames to files, functions to modules, replica
// groups to mesh axes, and lines of a dump to the lines of today.
package link

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/text"
)

// Dump is one module as it was read from one file. Path, Module and Rank are given by whoever read it; [Modules] fills in
// the rest. Rank orders dumps of the same module and stage: those of a lower rank (named on the command line) hide those
// of a higher one (configured).
type Dump struct {
	Path   string
	Rank   int
	Module *hlomap.Module
	// Capture is what was written down when the dump was made, nil for dumps of other makers.
	Capture *Capture

	Name        string
	Stage       hlomap.Stage
	Backend     string // "cpu", "tpu", "gpu", "" when the text does not tell
	Collectives []hlomap.Collective
	Meshes      []hlomap.Mesh // of the dump itself, with the user's names

	attribution *hlomap.Attribution
	collectives func() collectiveIndex
}

// collectiveIndex finds the collectives of a dump. Names are unique in a module.
type collectiveIndex struct {
	byInstr map[hlomap.InstrID]*hlomap.Collective
	byName  map[string]*hlomap.Collective
}

// Module is a compiled module joined to the sources of a workspace: all its stages, and which of them decides what.
// It is immutable and may be shared by goroutines.
type Module struct {
	Name    string // "jit_train_step"
	Sources *Sources
	Program *flow.Program

	// Deciding is the stage that decides names, lines, causes and element types: the module just after the partitioner,
	// else the target's own final module, else what there is.
	Deciding *Dump
	// Target is the final module of a TPU or a GPU, nil where there is none. It overrules element types and numbers of
	// executions, because the backend may have widened, narrowed or hoisted a collective. A CPU's never does: that backend
	// widens every 16-bit collective.
	Target *Dump
	// Before is the module before the partitioner, nil where there is none.
	Before *Dump
	// Dumps are all stages, in the order in which they were given.
	Dumps []*Dump

	Meshes             []hlomap.Mesh // known meshes of the right number of devices, the best first
	Rematerializations []Rematerialization
	texts              *texts
}

// Options are what the join needs to know besides the dumps.
type Options struct {
	Sources *Sources
	Program *flow.Program
	Meshes  []hlomap.Mesh // of configuration and of the sources, the best first
	Logs    [][]byte      // compiler logs
}

// Modules groups dumps by the module that they are stages of, decides which stage says what, and computes what the rules
// need of each. The order of the result follows the order of the dumps.
func Modules(dumps []Dump, opts Options) []*Module {
	var modules []*Module
	byKey := map[string]*Module{}
	lines := &texts{program: opts.Program, maps: map[string]*text.Map{}, histories: map[historyKey]*text.History{}}
	for i := range dumps {
		d := &dumps[i]
		d.prepare()
		m := byKey[d.key()]
		if m == nil {
			m = &Module{Name: d.Name, Sources: opts.Sources, Program: opts.Program, texts: lines}
			byKey[d.key()] = m
			modules = append(modules, m)
		}
		m.Dumps = append(m.Dumps, d)
	}
	modules = dropHidden(modules)
	for _, m := range modules {
		m.decide()
		m.Meshes = meshesFor(m, opts)
		for _, log := range opts.Logs {
			m.Rematerializations = append(m.Rematerializations, ParseLog(log)...)
		}
		for _, c := range m.captures() {
			m.Rematerializations = append(m.Rematerializations, ParseLog(c.Log)...)
		}
		for _, d := range m.Dumps {
			d.compute(m)
		}
	}
	return modules
}

// key tells modules apart that share a name: JAX compiles a function again for every new shape, and XLA numbers its files
// module_NNNN. Stages of one module share the folder and the number.
func (d *Dump) key() string {
	folder, base := "", d.Path
	if k := strings.LastIndexByte(d.Path, '/'); k >= 0 {
		folder, base = d.Path[:k], d.Path[k+1:]
	}
	number := ""
	if rest, ok := strings.CutPrefix(base, "module_"); ok {
		number, _, _ = strings.Cut(rest, ".")
	}
	return folder + "\x00" + number + "\x00" + d.Name
}

// dropHidden removes the modules whose every stage is also named by a dump of a lower rank.
func dropHidden(modules []*Module) []*Module {
	best := map[string]int{}
	kind := func(d *Dump) string { return d.Name + "\x00" + string(d.Stage) + "\x00" + d.Backend }
	for _, m := range modules {
		for _, d := range m.Dumps {
			if r, ok := best[kind(d)]; !ok || d.Rank < r {
				best[kind(d)] = d.Rank
			}
		}
	}
	kept := modules[:0]
	for _, m := range modules {
		var dumps []*Dump
		for _, d := range m.Dumps {
			if d.Rank == best[kind(d)] {
				dumps = append(dumps, d)
			}
		}
		if m.Dumps = dumps; len(dumps) > 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

func (m *Module) decide() {
	var partitioned, final, other *Dump
	for _, d := range m.Dumps {
		switch {
		case d.Stage == hlomap.AfterPartitioning && partitioned == nil:
			partitioned = d
		case d.Stage == hlomap.AfterOptimizations:
			if final == nil {
				final = d
			}
			if m.Target == nil && (d.Backend == "tpu" || d.Backend == "gpu") {
				m.Target = d
			}
		case d.Stage == hlomap.BeforeOptimizations:
			if m.Before == nil || d.partitionerInput() {
				m.Before = d
			}
		case other == nil:
			other = d
		}
	}
	for _, d := range []*Dump{partitioned, m.Target, final, other, m.Before} {
		if d != nil {
			m.Deciding = d
			return
		}
	}
}

// Function returns the name of the Python function that the module was compiled from: "train_step" for jit_train_step. It is
// "" for modules that JAX did not name after a function.
func (m *Module) Function() string {
	for _, prefix := range []string{"jit_", "pjit_", "pmap_"} {
		if name, ok := strings.CutPrefix(m.Name, prefix); ok {
			return name
		}
	}
	return ""
}

// partitionerInput reports whether this is the module as the partitioner got it, with its decided shardings, rather than
// as JAX made it. Names in the partitioner's warnings are those of this module.
func (d *Dump) partitionerInput() bool {
	return strings.Contains(d.Path, "before_spmd") || strings.Contains(d.Path, "before_tpu-spmd")
}

// DecidesTypes reports whether the deciding stage can tell element types of collectives. Where it can't, the reason says
// which dump would.
func (m *Module) DecidesTypes() (bool, string) { return m.tellsTypes(m.Deciding) }

// Widened says why the element types of a dump of the module are not those of the program where its backend made collectives wider, and
// which dump tells those; "" where none is known to be, or the types are what the target runs.
func (m *Module) Widened(d *Dump) string {
	ok, reason := m.tellsTypes(d)
	for k := range d.Collectives {
		if !ok && d.Collectives[k].WidenedByBackend {
			return reason
		}
	}
	return ""
}

func (m *Module) tellsTypes(d *Dump) (bool, string) {
	switch {
	case d == nil:
		return false, "no module was read"
	case d.Stage == hlomap.AfterPartitioning, d == m.Target:
		return true, ""
	case d.Stage == hlomap.AfterOptimizations:
		return false, "this dump can't tell element types: the CPU backend widens 16-bit collectives after partitioning; " +
			"read the after-partitioning module (--xla_dump_hlo_pass_re=spmd-partitioning)"
	}
	return false, "this dump was written before partitioning and holds no collectives of the partitioner"
}

func (d *Dump) prepare() {
	if d.Module == nil {
		return
	}
	d.Name, d.Stage, d.Backend = d.Module.Name(), d.Module.Stage(), backend(d.Path, d.Module)
	d.collectives = sync.OnceValue(func() collectiveIndex {
		n := len(d.Collectives)
		x := collectiveIndex{make(map[hlomap.InstrID]*hlomap.Collective, n), make(map[string]*hlomap.Collective, n)}
		for i := range d.Collectives {
			c := &d.Collectives[i]
			x.byInstr[c.ID] = c
			if x.byName[c.Name] == nil {
				x.byName[c.Name] = c
			}
		}
		return x
	})
}

// Gradients tells, parameter by parameter, where this dump reduces its gradient or why not. It is computed at the first
// call. The answer is nil for a dump without a module.
func (d *Dump) Gradients() *hlomap.Gradients {
	if d == nil || d.attribution == nil {
		return nil
	}
	return d.attribution.Gradients()
}

// LineOf returns the 1-based line of a collective in the dump, 0 in protos. It counts lines from the start of the module.
func (d *Dump) LineOf(c *hlomap.Collective) int {
	if c.Line == 0 {
		return d.Module.Line(c.ID)
	}
	return c.Line
}

// CollectiveAt returns the collective that an instruction of this dump is, nil for other instructions.
func (d *Dump) CollectiveAt(i hlomap.InstrID) *hlomap.Collective {
	return d.collectives().byInstr[i]
}

// CollectiveNamed returns the collective of this dump that has a name, nil where none has.
func (d *Dump) CollectiveNamed(name string) *hlomap.Collective { return d.collectives().byName[name] }

// backend tells from a module's text which compiler made it. Just after partitioning, CPU and GPU modules look the same.
func backend(path string, m *hlomap.Module) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	attributes, _ := m.Attr("frontend_attributes")
	switch {
	case m.Tiled(), strings.Contains(base, "tpu-spmd"):
		return "tpu"
	case strings.Contains(base, "cpu_after"):
		return "cpu"
	case strings.Contains(base, "gpu_after"), strings.Contains(attributes, "fingerprint_before_lhs"):
		return "gpu"
	}
	if m.Stage() != hlomap.AfterOptimizations {
		return ""
	}
	for i := range hlomap.InstrID(m.NumInstructions()) {
		switch m.Op(i) {
		case hlomap.OpAllReduceStart, hlomap.OpAllGatherStart:
			return "gpu"
		case hlomap.OpCustomCall:
			if target, _ := m.InstrAttr(i, "custom_call_target"); strings.Contains(target, "__cu") {
				return "gpu"
			}
		}
	}
	return "cpu"
}

// Place is where in the workspace something happens.
type Place struct {
	Path       string
	Line       int // 1-based
	Expression Expression
	Frame      int // index of the frame that was chosen; the ones before it lie outside the workspace
	Age        Age
}

// Locate returns the place of the first frame that lies in the workspace, and false when none does or when its line has
// been edited since the dump was made. Primitive is the JAX primitive lowered there; it chooses among expressions that
// start at the same point.
func (m *Module) Locate(frames []hlomap.Frame, primitive string) (Place, bool) {
	for k, f := range frames {
		path, ok := m.Sources.Match(f.Path)
		if !ok {
			continue
		}
		file, lines := m.texts.of(path)
		line, age := m.today(f)
		p := Place{Path: path, Line: line, Frame: k, Age: age}
		if age == AgeChanged {
			return p, false
		}
		if file == nil || line < 1 || line > lines.Lines() {
			continue
		}
		p.Expression = expressionAt(file.Tree(), lines, line, f.Column, primitive)
		return p, true
	}
	return Place{}, false
}

// texts keeps the line tables of files that frames point to.
type texts struct {
	program   *flow.Program
	mu        sync.Mutex
	maps      map[string]*text.Map
	histories map[historyKey]*text.History
}

func (t *texts) of(path string) (*flow.File, *text.Map) {
	if t.program == nil {
		return nil, nil
	}
	file := t.program.Files[path]
	if file == nil || file.Tree() == nil {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.maps[path]
	if m == nil {
		m = text.NewMap(file.Tree().Source)
		t.maps[path] = m
	}
	return file, m
}

// Text returns the line table of a file of the workspace, nil when it is not there.
func (m *Module) Text(path string) *text.Map {
	_, lines := m.texts.of(path)
	return lines
}

// At is something that a line of Python causes.
type At struct {
	Collective *hlomap.Collective
	Dump       *Dump
	// Via says how the line belongs to the collective: "own" frame, the "cause" of an operand, or an outer "caller".
	Via string
}

// Lines indexes the deciding stage's collectives by workspace file and 1-based line: their own line, the lines of the
// operations that cause them, and the first frame in the workspace. Within a line the order is that of the module.
func (m *Module) Lines() map[string]map[int][]At {
	index := map[string]map[int][]At{}
	add := func(frames []hlomap.Frame, via string, c *hlomap.Collective) {
		p, ok := m.Locate(frames, "")
		if !ok {
			return
		}
		if via == "own" && p.Frame > 0 {
			via = "caller"
		}
		if index[p.Path] == nil {
			index[p.Path] = map[int][]At{}
		}
		for _, at := range index[p.Path][p.Line] {
			if at.Collective == c {
				return
			}
		}
		index[p.Path][p.Line] = append(index[p.Path][p.Line], At{c, m.Deciding, via})
	}
	if m.Deciding == nil {
		return index
	}
	for i := range m.Deciding.Collectives {
		c := &m.Deciding.Collectives[i]
		if !c.Logical {
			continue
		}
		add(c.Stack(), "own", c)
		for k := range c.Operands {
			if cause := c.Operands[k].Cause; cause != nil {
				add(cause.Frames, "cause", c)
			}
		}
	}
	return index
}

// Paths returns every path that the frames of the module's collectives name, sorted.
func (m *Module) Paths() []string {
	var paths []string
	for _, d := range m.Dumps {
		if d.Module != nil {
			paths = append(paths, d.Module.FramePaths()...)
		}
	}
	sort.Strings(paths)
	return slices.Compact(paths)
}

// Attribution returns what is known of where the dump's exchanges come from, nil for a dump without a module.
func (d *Dump) Attribution() *hlomap.Attribution {
	if d == nil {
		return nil
	}
	return d.attribution
}
