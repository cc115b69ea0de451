package flow

import "github.com/shardls/shardls/pyparse"

// Value is what an expression evaluates to. The concrete types are the structs of this package that end in a value method;
// rules use type switches on them. Values are immutable unless their comment says otherwise.
type Value interface{ value() }

// Ref is a node of a file: where a value was written or a call stands.
type Ref struct {
	File *File
	Node pyparse.NodeID
}

// Valid reports whether the reference points anywhere.
func (r Ref) Valid() bool { return r.File != nil && r.Node != pyparse.None }

// Span returns the path and the half-open byte range.
func (r Ref) Span() (path string, start, end int) {
	if !r.Valid() {
		return "", 0, 0
	}
	start, end = r.File.Syntax.Span(r.Node)
	return r.File.Syntax.Path, start, end
}

// Text returns the source text.
func (r Ref) Text() string {
	if !r.Valid() {
		return ""
	}
	return r.File.Syntax.Text(r.Node)
}

// Contains reports whether other is r or stands inside it.
func (r Ref) Contains(other Ref) bool {
	return r.Valid() && other.File == r.File && r.File.Syntax.Contains(r.Node, other.Node)
}

// Unknown is a value about which nothing is known. It is infectious: what is computed from it is unknown.
type Unknown struct{}

// None, Bool, Int, Float and Ellipsis are the Python constants of those names.
type (
	None     struct{}
	Bool     bool
	Int      int64
	Float    float64
	Ellipsis struct{}
)

// Str is a string. At is the literal it came from. Strings matter as axis names, which is why they alone carry an origin.
type Str struct {
	S    string
	At   Ref
	site *site
}

// site remembers the argument that handed a constant to a function, so that a finding about it can point at the call. It
// counts only as long as that call is being evaluated.
type site struct {
	at    Ref
	frame *frame
}

// Tuple is a Python tuple. Open means that more elements may follow those listed.
type Tuple struct {
	Elems []Value
	Open  bool
}

// List is a Python list; it is mutable and compared by identity.
type List struct {
	Elems []Value
	Open  bool
}

// Set is a set or a frozenset.
type Set struct {
	Elems  []Value
	Open   bool
	Frozen bool
}

// Dict is a Python dict in insertion order; it is mutable. Open means that it may hold keys beyond those listed.
type Dict struct {
	Keys []Value
	Vals []Value
	Open bool
}

// Slice is a slice object; absent parts are nil.
type Slice struct{ Lo, Hi, Step Value }

// Range is range(Lo, Hi, Step) with known bounds.
type Range struct{ Lo, Hi, Step int64 }

// Iterator is a one-shot iterator: zip, map, filter, enumerate, iter, reversed or a generator. Used counts how often it was
// consumed and Frame tells in which call it was made (nil: at module level). Context is the mesh context in which a generator
// yields, nil for other iterators.
type Iterator struct {
	Kind    string
	Elems   []Value
	Open    bool
	At      Ref
	Used    int
	InFn    *Func
	Context *Context
}

// Module is a file of the workspace.
type Module struct {
	File *File // nil for a package without one
	env  *Env
}

// Ext is something of a library, by its canonical qualified name such as "jax.lax.psum".
type Ext struct {
	Name string
	Path string // the name as the program reached it, before aliases; "" when it is Name
}

// Func is a Python function or lambda of the workspace.
type Func struct {
	Name     string // "" for a lambda
	At       Ref    // function_definition or lambda node
	Params   []*Param
	Class    *Class // the class whose body holds the definition, or nil
	Static   bool   // staticmethod
	ClassM   bool   // classmethod
	Property bool
	Async    bool
	Gen      bool

	guarded bool  // defined behind a test for a name or a release
	within  *Mesh // the mesh that decorates it: every call runs in its context
	body    pyparse.NodeID
	env     *Env
	globals *Env
	module  *Module
}

// Param is one parameter of a function.
type Param struct {
	Name       string
	At         Ref
	Default    Value // nil when there is none
	DefaultAt  Ref
	Annotation pyparse.NodeID
	Kind       ParamKind
}

// ParamKind says how a parameter is passed.
type ParamKind uint8

// The kinds of parameters.
const (
	Positional ParamKind = iota // by position or by name
	PosOnly
	KeywordOnly
	VarArgs   // *args
	VarKwargs // **kwargs
)

// Bound is a method bound to its receiver.
type Bound struct {
	Self Value
	Fn   Value
}

// Method is a built-in method of a built-in receiver, such as array.sum or dict.items.
type Method struct {
	Recv Value
	Name string
	At   Ref // the attribute expression
}

// Partial is functools.partial.
type Partial struct {
	Fn  Value
	Pos []Arg
	Kw  []Arg
	At  Ref
}

// Class is a class of the workspace. Attrs is mutable.
type Class struct {
	Name      string
	At        Ref
	Bases     []Value
	Attrs     map[string]Value
	Dataclass bool
	Fields    []*Param // of a dataclass or a NamedTuple, in order, inherited ones first
	Tuple     bool     // NamedTuple
	Frozen    bool

	above     []Value   // see ancestors
	enum      string    // the enumeration of Python's that it derives from, such as StrEnum
	members   []string  // of an enumeration, in order
	made      *Instance // the last instance made
	madeCount int
}

// Instance is an object of a workspace class; its attributes are mutable.
type Instance struct {
	Class *Class
	Attrs map[string]Value
	At    Ref // the call that made it
	Open  bool

	lifts []*Transformed // of Flax, around the class, innermost first
}

// Object is an object made by a library call that has no type of its own here, such as optax.adam(1e-3). Class is the
// canonical name of what made it.
type Object struct {
	Class string
	Made  *Event
	Attrs map[string]Value
}

func (Unknown) value()      {}
func (None) value()         {}
func (Bool) value()         {}
func (Int) value()          {}
func (Float) value()        {}
func (Ellipsis) value()     {}
func (*Str) value()         {}
func (*Tuple) value()       {}
func (*List) value()        {}
func (*Set) value()         {}
func (*Dict) value()        {}
func (*Slice) value()       {}
func (*Range) value()       {}
func (*Iterator) value()    {}
func (*Module) value()      {}
func (*Ext) value()         {}
func (*Func) value()        {}
func (*Bound) value()       {}
func (*Method) value()      {}
func (*Partial) value()     {}
func (*Class) value()       {}
func (*Instance) value()    {}
func (*Object) value()      {}
func (*Transformed) value() {}
func (*Mesh) value()        {}
func (*Devices) value()     {}
func (*Spec) value()        {}
func (*Sharding) value()    {}
func (*Array) value()       {}
func (*DType) value()       {}

// IsUnknown reports whether v is unknown (or nil).
func IsUnknown(v Value) bool {
	if v == nil {
		return true
	}
	_, ok := v.(Unknown)
	return ok
}

// String returns a string constant.
func String(v Value) (string, bool) {
	s, ok := v.(*Str)
	if !ok {
		return "", false
	}
	return s.S, true
}

// Integer returns an integer constant; booleans count as Python counts them.
func Integer(v Value) (int64, bool) {
	switch v := v.(type) {
	case Int:
		return int64(v), true
	case Bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// IsNone reports whether v is None.
func IsNone(v Value) bool {
	_, ok := v.(None)
	return ok
}

// Elements returns the elements of a sequence or set; complete is false where more may follow.
func Elements(v Value) (elems []Value, complete, ok bool) {
	switch v := v.(type) {
	case *Tuple:
		return v.Elems, !v.Open, true
	case *List:
		return v.Elems, !v.Open, true
	case *Set:
		return v.Elems, !v.Open, true
	case *Iterator:
		return v.Elems, !v.Open, true
	case *Dict:
		return v.Keys, !v.Open, true
	case *Range:
		return v.elements()
	case *Spec:
		return v.values()
	case *Class:
		if v.enum != "" {
			return v.enumerated(), true, true
		}
	case *Instance:
		if v.Class.Tuple {
			for _, f := range v.Class.Fields {
				elems = append(elems, v.Attrs[f.Name])
			}
			return elems, true, true
		}
	}
	return nil, false, false
}

const maxRange = 4096 // longer ranges are not expanded

func (r *Range) elements() ([]Value, bool, bool) {
	if r.Step == 0 {
		return nil, false, true
	}
	var out []Value
	for i := r.Lo; (r.Step > 0 && i < r.Hi) || (r.Step < 0 && i > r.Hi); i += r.Step {
		if len(out) >= maxRange {
			return nil, false, true
		}
		out = append(out, Int(i))
	}
	return out, true, true
}

// Get returns the value stored under a key that equals k.
func (d *Dict) Get(k Value) (Value, bool) {
	for i, key := range d.Keys {
		if equal, known := Equal(key, k); known && equal {
			return d.Vals[i], true
		}
	}
	return nil, false
}

// Names returns the strings in v when v is a string or a complete sequence of strings.
func Names(v Value) ([]*Str, bool) {
	if s, ok := v.(*Str); ok {
		return []*Str{s}, true
	}
	elems, complete, ok := Elements(v)
	if !ok || !complete {
		return nil, false
	}
	var out []*Str
	for _, e := range elems {
		s, ok := e.(*Str)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}
