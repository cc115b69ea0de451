package flow

import (
	"slices"
	"strings"
)

// AxisType is the type of a mesh axis.
type AxisType uint8

// The types of mesh axes.
const (
	UnknownType AxisType = iota
	Auto
	Explicit
	Manual
)

// String is JAX's name of the type.
func (t AxisType) String() string {
	return [...]string{"unknown", "Auto", "Explicit", "Manual"}[t]
}

// MeshAxis is one axis of a mesh. Size is -1 when unknown.
type MeshAxis struct {
	Name string
	At   Ref // the name's string
	Size int64
	Type AxisType
}

// Mesh is a device mesh. Known says that the axis names are all known; otherwise Axes is empty.
type Mesh struct {
	Axes          []MeshAxis
	Known         bool
	Devices       *Devices
	Maker         string // canonical name of the constructor, "" when only the type is known
	At            Ref    // the call that made it
	Name          string // the variable it was first assigned to, for messages
	ImplicitTypes bool   // make_mesh without axis_types
	Abstract      bool
	Empty         bool // the mesh outside of any context
}

// Axis finds an axis by name.
func (m *Mesh) Axis(name string) (MeshAxis, bool) {
	for _, a := range m.Axes {
		if a.Name == name {
			return a, true
		}
	}
	return MeshAxis{Size: -1}, false
}

// Size returns the number of devices along an axis, -1 when unknown.
func (m *Mesh) Size(name string) int64 {
	if m == nil {
		return -1
	}
	a, _ := m.Axis(name)
	return a.Size
}

// Names returns the axis names in mesh order.
func (m *Mesh) Names() []string {
	var out []string
	for _, a := range m.Axes {
		out = append(out, a.Name)
	}
	return out
}

// AllAxes reports whether every axis is known to have type t.
func (m *Mesh) AllAxes(t AxisType) bool {
	if !m.Known || len(m.Axes) == 0 {
		return false
	}
	for _, a := range m.Axes {
		if a.Type != t {
			return false
		}
	}
	return true
}

// Label names the mesh in messages.
func (m *Mesh) Label() string {
	if m.Name != "" {
		return m.Name
	}
	return "the mesh"
}

// Devices is an array or list of devices by the expression that made it. Two values with the same Base hold the same
// devices; Ops lists what was done to their order since ("[::-1]", ".T", "[:4]"), reshaping left out because it keeps the
// order. Dims is nil when unknown; a size is -1 when unknown.
type Devices struct {
	Base     string
	Ops      []string
	Dims     []int64
	Local    bool // jax.local_devices()
	CPU      bool // jax.devices("cpu")
	Host     bool // a numpy array rather than a list
	One      bool // a single device
	From     Value
	At       Ref
	Reshaped *Event // the call that gave the devices their shape
	Plain    bool   // ordered by id, not by a topology helper
	OfMesh   bool   // taken from another mesh, which decided on their order
	Known    bool   // the number of devices does not depend on the machine
}

// SameOrder reports whether a and b list the same devices in the same order; known is false when that cannot be told.
func (d *Devices) SameOrder(o *Devices) (same, known bool) {
	if d == nil || o == nil || d.Base == "" || d.Base != o.Base {
		return false, false
	}
	if slices.Equal(d.Ops, o.Ops) {
		return true, true
	}
	a, b := undone(d.withoutPrefix()), undone(o.withoutPrefix())
	if slices.Equal(a, b) { // of one list, from its first device on: the same if as many
		m, n := product(d.Dims), product(o.Dims)
		return m == n, m > 0 && n > 0
	}
	for _, op := range slices.Concat(a, b) {
		if strings.Contains(op, "?") {
			return false, false
		}
	}
	return false, true
}

// undone leaves out reversals that follow each other: the second restores the order.
func undone(ops []string) []string {
	var out []string
	for _, op := range ops {
		if last := len(out) - 1; op == reversal && last >= 0 && out[last] == reversal {
			out = out[:last]
			continue
		}
		out = append(out, op)
	}
	return out
}

// withoutPrefix lists the operations after a leading slice that only shortens the list of devices.
func (d *Devices) withoutPrefix() []string {
	if len(d.Ops) > 0 && strings.HasPrefix(d.Ops[0], "[:") && strings.Count(d.Ops[0], ":") == 2 && strings.HasSuffix(d.Ops[0], ":]") {
		return d.Ops[1:]
	}
	return d.Ops
}

// SpecEntry is what a PartitionSpec says of one dimension.
type SpecEntry struct {
	Names         []AxisName // empty: not sharded
	Unconstrained bool
	Unknown       bool
	At            Ref
}

// RepeatsAxis reports whether one mesh axis stands twice in entries, which JAX refuses.
func RepeatsAxis(entries []SpecEntry) bool {
	seen := map[string]bool{}
	for _, e := range entries {
		for _, n := range e.Names {
			if seen[n.Name] {
				return true
			}
			seen[n.Name] = true
		}
	}
	return false
}

// AxisName is an axis name in a spec. At is the place a finding about it points to: the entry inside P(...), or the argument
// of the call that passed it when P(...) is built from the parameters of a helper.
type AxisName struct {
	Name    string
	At      Ref
	Written Ref // the string itself, invalid where it was computed
}

// Spec is a PartitionSpec. When Known is false nothing is known of its entries. Open means that more entries may follow.
type Spec struct {
	Entries []SpecEntry
	Known   bool
	Open    bool
	At      Ref  // the P(...) call
	Reduced bool // carries unreduced= or reduced=
}

// Axes returns all names in the spec.
func (s *Spec) Axes() AxisSet {
	var names []string
	for _, e := range s.Entries {
		for _, n := range e.Names {
			names = append(names, n.Name)
		}
	}
	return Axes(names...)
}

// Complete reports whether every entry is known.
func (s *Spec) Complete() bool {
	if !s.Known || s.Open {
		return false
	}
	for _, e := range s.Entries {
		if e.Unknown {
			return false
		}
	}
	return true
}

// Mentions reports whether the spec names the axis, and whether that is certain.
func (s *Spec) Mentions(axis string) (yes, known bool) {
	if s.Axes().Has(axis) {
		return true, true
	}
	return false, s.Complete()
}

// String prints the spec as source: P('data', None).
func (s *Spec) String() string {
	if !s.Known {
		return "P(?)"
	}
	parts := make([]string, 0, len(s.Entries))
	for _, e := range s.Entries {
		parts = append(parts, e.String())
	}
	if s.Open {
		parts = append(parts, "...")
	}
	return "P(" + strings.Join(parts, ", ") + ")"
}

// String prints the entry as source.
func (e SpecEntry) String() string {
	switch {
	case e.Unknown:
		return "?"
	case e.Unconstrained:
		return "P.UNCONSTRAINED"
	case len(e.Names) == 0:
		return "None"
	case len(e.Names) == 1:
		return "'" + e.Names[0].Name + "'"
	}
	names := make([]string, len(e.Names))
	for i, n := range e.Names {
		names[i] = "'" + n.Name + "'"
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// values lists the entries as Python values, as iterating over a PartitionSpec gives them.
func (s *Spec) values() ([]Value, bool, bool) {
	if !s.Known {
		return nil, false, true
	}
	var out []Value
	for _, e := range s.Entries {
		out = append(out, e.pyValue())
	}
	return out, !s.Open, true
}

func (e SpecEntry) pyValue() Value {
	switch {
	case e.Unknown:
		return Unknown{}
	case e.Unconstrained:
		return &Ext{Name: "jax.sharding.PartitionSpec.UNCONSTRAINED"}
	case len(e.Names) == 0:
		return None{}
	case len(e.Names) == 1:
		return &Str{S: e.Names[0].Name, At: e.Names[0].At}
	}
	t := &Tuple{}
	for _, n := range e.Names {
		t.Elems = append(t.Elems, &Str{S: n.Name, At: n.At})
	}
	return t
}

// Canonical drops trailing None entries: jit takes P('x') and P('x', None) for the same layout.
func (s *Spec) Canonical() []SpecEntry {
	e := s.Entries
	for len(e) > 0 && len(e[len(e)-1].Names) == 0 && !e[len(e)-1].Unconstrained && !e[len(e)-1].Unknown {
		e = e[:len(e)-1]
	}
	return e
}

// Equivalent reports whether two specs mean the same layout; known is false when that cannot be told.
func (s *Spec) Equivalent(o *Spec) (same, known bool) {
	if !s.Complete() || !o.Complete() {
		return false, false
	}
	a, b := s.Canonical(), o.Canonical()
	if len(a) != len(b) {
		return false, true
	}
	for i := range a {
		if a[i].String() != b[i].String() {
			return false, true
		}
	}
	return true, true
}

// Sharding is a NamedSharding or another sharding object. Spec and Mesh are nil when unknown.
type Sharding struct {
	Kind       string // canonical class: "jax.sharding.NamedSharding", "jax.sharding.SingleDeviceSharding", ...
	Mesh       *Mesh
	Spec       *Spec
	MemoryKind string // "" when not given
	MemoryOpen bool   // given, but unknown
	At         Ref
	Device     *Devices
}

// Memory is the memory kind of what lies at the sharding: "device" where none is given, "" when it is unknown.
func (s *Sharding) Memory() string {
	switch {
	case s == nil || s.MemoryOpen:
		return ""
	case s.MemoryKind == "":
		return "device"
	}
	return s.MemoryKind
}

// String prints the sharding by its spec.
func (s *Sharding) String() string {
	if s.Spec != nil {
		return s.Spec.String()
	}
	return lastName(s.Kind)
}

// Shards returns the number of pieces a spec entry cuts a dimension into on m; ok is false when a size is unknown.
func (m *Mesh) Shards(e SpecEntry) (n int64, ok bool) {
	if e.Unknown || e.Unconstrained || m == nil {
		return 0, false
	}
	n = 1
	for _, name := range e.Names {
		size := m.Size(name.Name)
		if size <= 0 {
			return 0, false
		}
		n *= size
	}
	return n, true
}
