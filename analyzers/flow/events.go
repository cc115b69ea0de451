package flow

import "sync"

// Arg is one argument of a call. Name is "" for positional arguments. At is the argument's expression; for arguments that
// came out of *args or **kwargs it is the splat.
type Arg struct {
	Name  string
	Value Value
	At    Ref
	Entry Ref // of **kwargs: where the dict was given the value, invalid where that is not known
}

// Written is where the value of an argument is written: its expression, or the entry of the dict that it came out of.
func (a *Arg) Written() Ref {
	if a.Entry.Valid() {
		return a.Entry
	}
	return a.At
}

// Event is one evaluation of a call (or of an operation, see [Event.Name]) in one calling context. The same node gives one
// event for every context it was evaluated in.
type Event struct {
	// Name is the canonical qualified name of what was called, such as "jax.lax.psum". Methods of arrays are named
	// "jax.Array.sum", operators "op.add", "op.matmul", "op.getitem", "op.compare", with blocks "with", calls of functions
	// that jit or another transformation made "call.jit", "call.shard_map", "call.pmap", "call.grad", "call.vmap".
	Name    string
	At      Ref // the call, subscript or operator node
	Fn      Ref // the called expression
	Pos     []Arg
	Kw      []Arg
	Recv    Value // receiver of a method
	Callee  Value // the called value
	Result  Value
	Region  *Region
	Context *Context // shared by events, never changed
	Func    *Func    // enclosing function, nil at module level
	Unit    *Unit
	Handled []string // classes of exceptions that a try statement around the call in its function handles
	Order   int      // position in the order of evaluation
	Body    Value    // call.jit: what the body returned, before out_shardings
	Stmt    bool     // the call is a whole expression statement: its result is dropped
	Guarded bool     // inside a branch that tests for a name or a release, or in an except ImportError clause
	Splat   bool     // *args or **kwargs of unknown content were passed
	Reused  bool     // ppermute: the permutation is an iterator that was consumed before, or outlives the traced function
}

// Unit is a frame of the abstract call stack.
type Unit struct {
	Caller *Unit
	Call   Ref // the call that entered it; invalid for module level and for functions nothing calls
	Func   *Func
	Depth  int
}

// Arg returns the argument at position pos or named by one of names, or nil. Use -1 for keyword-only parameters.
func (e *Event) Arg(pos int, names ...string) *Arg { return pick(e.Pos, e.Kw, pos, names) }

// Value returns the value of an argument, nil when it was not passed.
func (e *Event) Value(pos int, names ...string) Value {
	if a := e.Arg(pos, names...); a != nil {
		return a.Value
	}
	return nil
}

func pick(args, kw []Arg, pos int, names []string) *Arg {
	for i := range kw {
		for _, n := range names {
			if kw[i].Name == n {
				return &kw[i]
			}
		}
	}
	if pos >= 0 && pos < len(args) {
		return &args[pos]
	}
	return nil
}

// MeetKind says how a spec met a mesh.
type MeetKind string

// The ways in which a spec meets a mesh.
const (
	MeetSharding   MeetKind = "NamedSharding"
	MeetConstraint MeetKind = "with_sharding_constraint"
	MeetInSpec     MeetKind = "in_specs"
	MeetOutSpec    MeetKind = "out_specs"
	MeetJitIn      MeetKind = "in_shardings"
	MeetJitOut     MeetKind = "out_shardings"
	MeetPut        MeetKind = "device_put"
	MeetReshard    MeetKind = "reshard"
	MeetOut        MeetKind = "out_sharding"
	MeetOther      MeetKind = "other"
)

// Meet is the moment at which a PartitionSpec meets the mesh that gives its names meaning.
type Meet struct {
	Spec  *Spec
	Mesh  *Mesh
	Kind  MeetKind
	Event *Event
	Bare  bool // a bare spec resolved through the mesh context
}

// PlaceKind says how an array met a sharding.
type PlaceKind string

// The ways in which an array meets a sharding.
const (
	PlacePut        PlaceKind = "device_put"
	PlaceConstraint PlaceKind = "with_sharding_constraint"
	PlaceJitIn      PlaceKind = "in_shardings"
	PlaceJitOut     PlaceKind = "out_shardings"
	PlaceInSpec     PlaceKind = "in_specs"
	PlaceOutSpec    PlaceKind = "out_specs"
	PlaceReshard    PlaceKind = "reshard"
	PlaceDevice     PlaceKind = "device"
)

// Placement is one array leaf meeting one sharding. Array is nil when the leaf is unknown.
type Placement struct {
	Kind  PlaceKind
	Array *Array
	Mesh  *Mesh
	Spec  *Spec
	Path  string // where in the tree the leaf is: ['count']
	Event *Event // the call
	At    Ref    // where a finding belongs: the call, or the keyword argument for out_shardings
	Of    Ref    // in_shardings: the argument that holds the leaf
	Shard *Sharding
}

// ManualCall is a shard_map, smap or pmap and what is known of its body.
type ManualCall struct {
	Kind     string // "shard_map", "smap", "pmap"
	Event    *Event // the call that made the mapped function
	Legacy   bool   // jax.experimental.shard_map
	Fn       Value
	Mesh     *Mesh // nil when unknown
	InSpecs  Value // nil when not given
	InArg    *Arg
	OutSpecs Value
	OutArg   *Arg
	Checked  Tri
	CheckArg *Arg
	Axes     AxisSet // manual axes
	AxesAll  bool
	AxisArg  *Arg
	Calls    []*ManualRun
}

// ManualRun is one evaluation of the body of a manual region.
type ManualRun struct {
	Map     *ManualCall
	Region  *Region
	Call    *Event // nil when nothing visible calls it
	Inputs  []Value
	Specs   []Value // the spec tree of each input, nil when unknown
	Result  Value
	Vmap    *Event // the call of vmap around it that maps one of its arguments, nil without one
	Differ  bool   // called in a derivative, with a result that depends on its variables
	Unnamed AxisSet
}

// Facts is what interpreting one file gave, together with the files it imports.
type Facts struct {
	Main       *File
	Files      map[string]*File // by path
	Release    Release
	Events     []*Event // in the order of evaluation
	Meets      []*Meet
	Placements []*Placement
	Manuals    []*ManualCall
	Carries    []*Carry
	Meshes     []*Mesh
	Updates    []*Update
	Mentions   []Mention
	Problem    string // a defect of the interpreter, "" where there was none
	Truncated  bool   // the budget of steps ended before the program did

	made     *batches  // where the parts of the facts lie
	indexing sync.Once // facts are shared by goroutines
	byName   map[string][]*Event
}

// Carry is a loop or a conditional of lax whose parts must have equal types: the carry before and after one iteration, or
// the results of two branches.
type Carry struct {
	Event  *Event
	Branch bool // cond or switch
	Before Value
	After  Value
}

// Mention is one place that names something of a library: an import, or an attribute.
type Mention struct {
	Path    string // as written, before aliases
	At      Ref
	Import  bool // else an attribute
	Guarded bool
}

// Named returns the events with one of the names, in the order of evaluation.
func (p *Facts) Named(names ...string) []*Event {
	p.indexing.Do(func() {
		counts := map[string]int{}
		for _, e := range p.Events {
			counts[e.Name]++
		}
		all := make([]*Event, len(p.Events))
		p.byName = make(map[string][]*Event, len(counts))
		for name, n := range counts {
			p.byName[name], all = all[:0:n], all[n:]
		}
		for _, e := range p.Events {
			p.byName[e.Name] = append(p.byName[e.Name], e)
		}
	})
	if len(names) == 1 {
		return p.byName[names[0]]
	}
	var out []*Event
	for _, n := range names {
		out = append(out, p.byName[n]...)
	}
	return out
}
