package flow

// Array is a JAX or NumPy array, or a pytree of unknown structure whose leaves all have these facts (Tree).
type Array struct {
	Dims      []int64 // nil when the rank is unknown; -1 for an unknown size
	RankKnown bool
	DType     string // NumPy's name such as "bfloat16"; "" when unknown
	Weak      bool   // weakly typed, as Python scalars are
	Tree      bool   // may be a pytree rather than one array
	Host      bool   // a numpy array
	Key       bool   // a PRNG key

	Sharding *Sharding // nil when unknown or none
	Memory   string    // memory kind: "device", "pinned_host"; "" when unknown, as for scalars, which may meet any
	Commit   Commit
	Static   bool // a ShapeDtypeStruct: a shape without data

	// Var holds the mesh axes over which the value differs between devices inside a manual region; VarKnown says whether
	// that is known. Touched holds every axis over which something it was computed from differed.
	Var      AxisSet
	VarKnown bool
	VarUpper bool // Var is an upper bound: library code may have reduced over some of it
	Touched  AxisSet
	Zero     bool      // all zeros: what a sum starts from
	HostData bool      // holds data that the program does not determine, which may differ between processes
	FromArgs bool      // depends on an argument of the manual region
	Draws    []*Event  // random draws that the value depends on
	Wrt      []*Event  // derivatives and vmaps with whose variables or mapped arguments the value may change
	Slope    *Gradient // a gradient that the value was computed from, nil when there is none

	Reduced []*Reduction // reductions over mesh axes on the way from the inputs, each once
	Grad    *Gradient    // the value is (a scaled or cast copy of) a gradient
	Update  *Update      // the value is a parameter after an update by a gradient
	Gather  *Event       // the value is the result of this all_gather
	Sum     *Event       // the value is a sum over array elements made by this call (possibly clamped from below)
	Ratio   *Ratio       // the value is a quotient
	Input   *Input       // the value is an argument of a manual region, as it came
	Part    bool         // the value is a part of the tree that Made made
	Made    *Event       // the call that made the value, nil after arithmetic
	Label   string       // the expression that names it, for messages
	Copy    *Array       // device_put: the array it was copied from
}

// Commit says whether an array is bound to its devices.
type Commit uint8

// Commit states: fresh arrays adapt to the other operands.
const (
	CommitUnknown Commit = iota
	Fresh
	Committed
)

// Reduction is a reduction over a mesh axis that a value went through.
type Reduction struct {
	Axis  string
	Kind  string // "psum", "pmean", "pmax", "pmin", "psum_scatter"
	Event *Event
}

// Gradient says what a gradient was taken of and what already happened to it.
type Gradient struct {
	Call     *Event  // the call of the differentiated function
	Region   *Region // the manual region it was taken in, nil outside
	Checked  Tri     // whether that region is checked
	Of       *Array  // the variable, nil when it was a tree of several
	Summed   AxisSet // checked: axes over which the transpose already summed it
	Inner    []*Reduction
	Loss     *Array
	Forward  bool         // forward mode: nothing is summed
	Outer    []*Reduction // reductions applied to the gradient since
	Elements bool
}

// Update is a parameter changed by a gradient.
type Update struct {
	Param *Array
	Grad  *Gradient
	Event *Event
}

// Ratio is a quotient of two values.
type Ratio struct {
	Num, Den *Array
	Event    *Event
}

// Input ties a value to an argument of a manual region.
type Input struct {
	Map   *ManualCall
	Index int
	Spec  *Spec // nil when unknown
}

// Tri is true, false or unknown.
type Tri uint8

// The three truth values.
const (
	Maybe Tri = iota
	Yes
	No
)

// TriOf turns a bool into a Tri.
func TriOf(b bool) Tri {
	if b {
		return Yes
	}
	return No
}

// Rank returns the number of dimensions, -1 when unknown or when the value may be a tree.
func (a *Array) Rank() int {
	if a == nil || !a.RankKnown || a.Tree {
		return -1
	}
	return len(a.Dims)
}

// Dim returns the size of dimension i (negative counts from the end), -1 when unknown.
func (a *Array) Dim(i int) int64 {
	if a.Rank() < 0 {
		return -1
	}
	if i < 0 {
		i += len(a.Dims)
	}
	if i < 0 || i >= len(a.Dims) {
		return -1
	}
	return a.Dims[i]
}

// Size returns the number of elements, -1 when unknown.
func (a *Array) Size() int64 {
	if a.Rank() < 0 {
		return -1
	}
	n := int64(1)
	for _, d := range a.Dims {
		if d < 0 {
			return -1
		}
		n *= d
	}
	return n
}

// Bytes returns the size in bytes, -1 when unknown.
func (a *Array) Bytes() int64 {
	n, w := a.Size(), DTypeBytes(a.DType)
	if n < 0 || w <= 0 {
		return -1
	}
	return n * w
}

// with copies a and drops what holds only for the value itself, keeping what its dependents inherit.
func (a *Array) derived() *Array {
	return &Array{
		Dims: a.Dims, RankKnown: a.RankKnown, DType: a.DType, Weak: a.Weak, Tree: a.Tree, Host: a.Host, Memory: a.Memory,
		Var: a.Var, VarKnown: a.VarKnown, VarUpper: a.VarUpper, Touched: a.Touched, Reduced: a.Reduced, FromArgs: a.FromArgs, HostData: a.HostData, Draws: a.Draws,
		Wrt: a.Wrt, Slope: a.slope(),
	}
}

// clone copies a with all its facts.
func (a *Array) clone() *Array {
	c := *a
	return &c
}

// scalar is the array that stands for a Python number or literal in array arithmetic.
func scalar(dtype string) *Array {
	return &Array{RankKnown: true, DType: dtype, Weak: true, VarKnown: true, Commit: Fresh}
}

// AsArray views v as an array: arrays and Python numbers.
func AsArray(v Value) (*Array, bool) { return asArray(v) }

func asArray(v Value) (*Array, bool) {
	switch v := v.(type) {
	case *Array:
		return v, true
	case Int:
		return scalar("int32"), true
	case Bool:
		return scalar("bool"), true
	case Float:
		return scalar("float32"), true
	}
	return nil, false
}

// mergeFacts gives out what it inherits from its operands: varying axes, reductions and tags.
func mergeFacts(out *Array, from ...*Array) {
	out.VarKnown = true
	out.Memory = sharedMemory(from)
	for _, a := range from {
		if a == nil {
			continue
		}
		out.Var = out.Var.Union(a.Var)
		out.Touched = out.Touched.Union(a.Touched)
		out.VarKnown = out.VarKnown && a.VarKnown
		out.VarUpper = out.VarUpper || a.VarUpper
		out.FromArgs = out.FromArgs || a.FromArgs
		out.HostData = out.HostData || a.HostData
		out.Reduced = mergeReductions(out.Reduced, a.Reduced)
		out.Draws = mergeEvents(out.Draws, a.Draws)
		out.Wrt = mergeEvents(out.Wrt, a.Wrt)
		if out.Slope == nil {
			out.Slope = a.slope()
		}
	}
}

// slope is the gradient that a value is or was computed from.
func (a *Array) slope() *Gradient {
	if a.Grad != nil {
		return a.Grad
	}
	return a.Slope
}

// sharedMemory is the memory kind that all operands with dimensions have, "" where one is unknown or they differ.
func sharedMemory(arrays []*Array) string {
	memory, found := "", false
	for _, a := range arrays {
		switch {
		case a == nil || a.Rank() == 0:
		case found && memory != a.Memory:
			return ""
		default:
			memory, found = a.Memory, true
		}
	}
	return memory
}

const maxReductions = 32 // beyond that a value's history is cut

func mergeReductions(a, b []*Reduction) []*Reduction {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	out := a
	for _, r := range b {
		if !hasReduction(out, r) && len(out) < maxReductions {
			out = append(out[:len(out):len(out)], r)
		}
	}
	return out
}

func hasReduction(list []*Reduction, r *Reduction) bool {
	for _, x := range list {
		if x == r || *x == *r {
			return true
		}
	}
	return false
}

const maxRemembered = 8 // random draws, or differentiated calls, that a value remembers

func mergeEvents(a, b []*Event) []*Event {
	if len(a) == 0 {
		return b
	}
	out := a
next:
	for _, e := range b {
		for _, x := range out {
			if x == e {
				continue next
			}
		}
		if len(out) < maxRemembered {
			out = append(out[:len(out):len(out)], e)
		}
	}
	return out
}

// Leaves lists the leaves of a pytree; complete is false where there may be more. None holds no leaves.
func Leaves(v Value) (leaves []Value, complete bool) {
	complete = true
	walkTree(v, 0, func(leaf Value) {
		if a, ok := leaf.(*Array); IsUnknown(leaf) || (ok && a.Tree) {
			complete = false
		}
		leaves = append(leaves, leaf)
	}, &complete)
	return leaves, complete
}

// Covered reports whether every leaf of a pytree is among its [Leaves], those of a tree of unknown structure by what they have in common.
func Covered(v Value) bool {
	complete := true
	walkTree(v, 0, func(leaf Value) { complete = complete && !IsUnknown(leaf) }, &complete)
	return complete
}

const maxTreeDepth = 12

func walkTree(v Value, depth int, leaf func(Value), complete *bool) {
	if depth > maxTreeDepth {
		*complete = false
		return
	}
	switch v := v.(type) {
	case None:
	case *Tuple:
		*complete = *complete && !v.Open
		for _, e := range v.Elems {
			walkTree(e, depth+1, leaf, complete)
		}
	case *List:
		*complete = *complete && !v.Open
		for _, e := range v.Elems {
			walkTree(e, depth+1, leaf, complete)
		}
	case *Dict:
		*complete = *complete && !v.Open
		for _, e := range v.Vals {
			walkTree(e, depth+1, leaf, complete)
		}
	case *Instance:
		if !v.isTree() {
			leaf(v)
			return
		}
		*complete = *complete && !v.Open
		for _, f := range v.Class.Fields {
			walkTree(v.Attrs[f.Name], depth+1, leaf, complete)
		}
	default:
		leaf(v)
	}
}

// isTree reports whether instances are pytree nodes: NamedTuples and dataclasses that a library registered.
func (v *Instance) isTree() bool {
	return v.Class.Tuple || v.Class.Frozen && v.Class.Dataclass && v.Class.registered()
}

// pytreeMark is the attribute by which classes remember that a library made them nodes of pytrees.
const pytreeMark = "__pytree__"

func (c *Class) registered() bool {
	if _, ok := c.Attrs[pytreeMark]; ok {
		return true
	}
	for _, b := range c.ancestors() {
		if base, ok := b.(*Class); ok {
			if _, ok := base.Attrs[pytreeMark]; ok {
				return true
			}
		}
	}
	return false
}

// mapTree applies f to every leaf and keeps the structure.
func mapTree(v Value, depth int, f func(Value) Value) Value {
	if depth > maxTreeDepth {
		return Unknown{}
	}
	each := func(vs []Value) []Value {
		out := make([]Value, len(vs))
		for i, e := range vs {
			out[i] = mapTree(e, depth+1, f)
		}
		return out
	}
	switch v := v.(type) {
	case None:
		return v
	case *Tuple:
		return &Tuple{Elems: each(v.Elems), Open: v.Open}
	case *List:
		return &List{Elems: each(v.Elems), Open: v.Open}
	case *Dict:
		return &Dict{Keys: v.Keys, Vals: each(v.Vals), Open: v.Open}
	case *Instance:
		if !v.isTree() {
			return f(v)
		}
		out := &Instance{Class: v.Class, Attrs: map[string]Value{}, At: v.At, Open: v.Open}
		for _, field := range v.Class.Fields {
			out.Attrs[field.Name] = mapTree(v.Attrs[field.Name], depth+1, f)
		}
		return out
	}
	return f(v)
}

// mapArrays maps the arrays of a tree, numbers among them; other leaves stay as they are.
func mapArrays(tree Value, f func(*Array) Value) Value {
	return mapTree(tree, 0, func(leaf Value) Value {
		if a, ok := asArray(leaf); ok {
			return f(a)
		}
		return leaf
	})
}

// mapOnlyArrays maps the arrays of a tree, numbers among them; nothing is known of what becomes of other leaves.
func mapOnlyArrays(tree Value, f func(*Array) Value) Value {
	return mapTree(tree, 0, func(leaf Value) Value {
		if a, ok := asArray(leaf); ok {
			return f(a)
		}
		return Unknown{}
	})
}
