package flow

import "strings"

// shardingCall evaluates calls that make or use meshes, specs and shardings.
func (in *interp) shardingCall(name string, c *Call) (Value, bool) {
	switch name {
	case "jax.sharding.PartitionSpec":
		return in.makeSpec(c), true
	case "jax.sharding.Mesh":
		return in.makeMesh(c), true
	case "jax.make_mesh":
		return in.makeMeshCall(c), true
	case "jax.sharding.AbstractMesh":
		return in.makeAbstractMesh(c), true
	case "jax.sharding.NamedSharding":
		return in.makeSharding(c), true
	case "jax.sharding.SingleDeviceSharding":
		d, _ := c.value(0).(*Devices)
		return &Sharding{Kind: name, At: c.At, Device: d}, true
	case "jax.experimental.mesh_utils.create_device_mesh", "jax.experimental.mesh_utils.create_hybrid_device_mesh":
		return in.deviceMesh(name, c), true
	case "jax.devices", "jax.local_devices", "jax.lib.xla_bridge.devices":
		return jaxDevices(name, c), true
	case "jax.device_count", "jax.local_device_count":
		return &Object{Class: "device count", Made: c.ev, Attrs: map[string]Value{"local": Bool(name == "jax.local_device_count")}}, true
	case "jax.process_index", "jax.host_id":
		return &Object{Class: "process index", Made: c.ev}, true
	case "jax.process_count", "jax.host_count":
		return &Object{Class: "process count", Made: c.ev}, true
	case "jax.lax.with_sharding_constraint", "equinox.filter_shard":
		return in.constraint(c), true
	case "jax.device_put":
		return in.devicePut(c), true
	case "jax.sharding.reshard":
		return in.reshard(c), true
	case "jax.set_mesh":
		return in.setMesh(c), true
	case "jax.sharding.use_mesh", "jax.sharding.use_abstract_mesh":
		return &Object{Class: name, Made: c.ev, Attrs: map[string]Value{"mesh": orUnknown(c.value(0, "mesh"))}}, true
	case "jax.sharding.get_abstract_mesh", "jax.sharding.get_mesh":
		return in.contextMesh(), true
	case "jax.make_array_from_process_local_data", "jax.make_array_from_callback", "jax.make_array_from_single_device_arrays":
		return in.makeArray(name, c), true
	case "jax.typeof":
		if a, ok := c.value(0).(*Array); ok {
			return a, true
		}
		return Unknown{}, true
	case "jax.ShapeDtypeStruct":
		return in.shapeStruct(c), true
	}
	return nil, false
}

func orUnknown(v Value) Value {
	if v == nil {
		return Unknown{}
	}
	return v
}

// makeSpec evaluates PartitionSpec(...).
func (in *interp) makeSpec(c *Call) Value {
	s := &Spec{Known: true, At: c.At, Open: c.Splat}
	for _, a := range c.Pos {
		s.Entries = append(s.Entries, specEntry(a))
	}
	for _, a := range c.Kw {
		switch a.Name {
		case "unreduced", "reduced":
			s.Reduced = true
		}
	}
	return s
}

func specEntry(a Arg) SpecEntry {
	e := SpecEntry{At: a.At}
	switch v := a.Value.(type) {
	case None:
	case *Str:
		e.Names = []AxisName{{Name: v.S, At: v.place(a.At)}}
	case *Tuple, *List:
		elems, complete, _ := Elements(v)
		if !complete {
			e.Unknown = true
			return e
		}
		for _, x := range elems {
			s, ok := x.(*Str)
			if !ok {
				e.Unknown = true
				return e
			}
			e.Names = append(e.Names, AxisName{Name: s.S, At: s.place(a.At)})
		}
	case *Ext:
		e.Unconstrained = strings.HasSuffix(v.Name, ".UNCONSTRAINED")
		e.Unknown = !e.Unconstrained
	case *Method:
		_, isSpec := v.Recv.(*Spec)
		e.Unconstrained = isSpec && v.Name == "UNCONSTRAINED"
		e.Unknown = !e.Unconstrained
	default:
		e.Unknown = true
	}
	return e
}

// specFromValues turns the elements of spec + spec back into a spec.
func specFromValues(elems []Value, open bool) *Spec {
	s := &Spec{Known: true, Open: open}
	for _, v := range elems {
		s.Entries = append(s.Entries, specEntry(Arg{Value: v}))
	}
	return s
}

// meshAxes reads the axis_names argument of a mesh.
func meshAxes(v Value) ([]MeshAxis, bool) {
	names, ok := Names(v)
	if !ok {
		return nil, false
	}
	var axes []MeshAxis
	for _, n := range names {
		axes = append(axes, MeshAxis{Name: n.S, At: n.At, Size: -1})
	}
	return axes, true
}

// setTypes fills in the axis types from an axis_types argument, or with the constructor's default.
func setTypes(axes []MeshAxis, v Value, fallback AxisType) {
	for i := range axes {
		axes[i].Type = fallback
	}
	if v == nil || IsNone(v) {
		return
	}
	elems, complete, ok := Elements(v)
	for i := range axes {
		axes[i].Type = UnknownType
		if !ok {
			axes[i].Type = axisType(v)
		} else if complete && i < len(elems) {
			axes[i].Type = axisType(elems[i])
		}
	}
}

func axisType(v Value) AxisType {
	e, ok := v.(*Ext)
	if !ok {
		return UnknownType
	}
	switch e.Name {
	case "jax.sharding.AxisType.Auto":
		return Auto
	case "jax.sharding.AxisType.Explicit":
		return Explicit
	case "jax.sharding.AxisType.Manual":
		return Manual
	}
	return UnknownType
}

func (in *interp) addMesh(m *Mesh) *Mesh {
	in.facts.Meshes = append(in.facts.Meshes, m)
	return m
}

// makeMesh evaluates Mesh(devices, axis_names, axis_types).
func (in *interp) makeMesh(c *Call) Value {
	m := &Mesh{Maker: "jax.sharding.Mesh", At: c.At}
	m.Axes, m.Known = meshAxes(c.value(1, "axis_names"))
	setTypes(m.Axes, c.value(2, "axis_types"), Auto)
	switch d := c.value(0, "devices").(type) {
	case *Devices:
		m.Devices = d
		if len(d.Dims) == len(m.Axes) {
			for i := range m.Axes {
				m.Axes[i].Size = d.Dims[i]
			}
		}
	case *List, *Tuple:
		elems, complete, _ := Elements(d)
		if complete && len(m.Axes) == 1 {
			m.Axes[0].Size = int64(len(elems))
		}
		if len(elems) > 0 {
			if one, ok := elems[0].(*Devices); ok {
				m.Devices = &Devices{Base: one.Base, Ops: []string{"list"}, Local: one.Local, CPU: one.CPU}
			}
		}
	}
	return in.addMesh(m)
}

// sizesOf reads a shape: a sequence of integers, or one; an unknown size is -1.
func sizesOf(v Value) ([]int64, bool) {
	if i, ok := Integer(v); ok {
		return []int64{i}, true
	}
	elems, complete, ok := Elements(v)
	if !ok || !complete {
		return nil, false
	}
	out := []int64{}
	for _, e := range elems {
		i, ok := Integer(e)
		if !ok {
			i = -1
		}
		out = append(out, i)
	}
	return out, true
}

// makeMeshCall evaluates jax.make_mesh. Without axis_types the axes are Explicit since 0.9.0.
func (in *interp) makeMeshCall(c *Call) Value {
	m := &Mesh{Maker: "jax.make_mesh", At: c.At}
	m.Axes, m.Known = meshAxes(c.value(1, "axis_names"))
	types := c.value(2, "axis_types")
	if !in.rel.AtLeast(0, 9, 0) {
		types = c.value(-1, "axis_types")
		if types == nil && in.rel.AtLeast(0, 7, 0) {
			types = c.value(2)
		}
	}
	fallback := Auto
	if in.rel.AtLeast(0, 9, 0) {
		fallback = Explicit
	}
	m.ImplicitTypes = (types == nil || IsNone(types)) && !c.Splat
	setTypes(m.Axes, types, fallback)
	if sizes, ok := sizesOf(c.value(0, "axis_shapes", "axis_sizes")); ok && len(sizes) == len(m.Axes) {
		for i := range m.Axes {
			m.Axes[i].Size = sizes[i]
		}
	}
	m.Devices = &Devices{Base: "jax.make_mesh()", Dims: nil}
	if d, ok := c.value(-1, "devices").(*Devices); ok {
		m.Devices = &Devices{Base: "make_mesh(" + d.Base + ")", Ops: d.Ops}
	} else if v := c.value(-1, "devices"); v != nil {
		m.Devices = nil
	}
	return in.addMesh(m)
}

func (in *interp) makeAbstractMesh(c *Call) Value {
	m := &Mesh{Maker: "jax.sharding.AbstractMesh", At: c.At, Abstract: true}
	m.Axes, m.Known = meshAxes(c.value(1, "axis_names"))
	setTypes(m.Axes, c.value(2, "axis_types"), Auto)
	if sizes, ok := sizesOf(c.value(0, "axis_sizes", "shape_tuple")); ok && len(sizes) == len(m.Axes) {
		for i := range m.Axes {
			m.Axes[i].Size = sizes[i]
		}
	}
	return in.addMesh(m)
}

// makeSharding evaluates NamedSharding(mesh, spec): the spec meets the mesh.
func (in *interp) makeSharding(c *Call) Value {
	s := &Sharding{Kind: "jax.sharding.NamedSharding", At: c.At}
	s.Mesh, _ = c.value(0, "mesh").(*Mesh)
	s.Spec, _ = c.value(1, "spec").(*Spec)
	if k, ok := c.value(-1, "memory_kind").(*Str); ok {
		s.MemoryKind = k.S
	} else if v := c.value(-1, "memory_kind"); v != nil && !IsNone(v) {
		s.MemoryOpen = true
	}
	in.meet(s.Spec, s.Mesh, MeetSharding, c.ev, false)
	return s
}

// meet records that a spec met a mesh.
func (in *interp) meet(s *Spec, m *Mesh, kind MeetKind, e *Event, bare bool) {
	if s == nil || m == nil {
		return
	}
	in.facts.Meets = append(in.facts.Meets, &Meet{Spec: s, Mesh: m, Kind: kind, Event: e, Bare: bare})
}

// meetTree records the specs in a tree; shardings met their own mesh when they were made.
func (in *interp) meetTree(tree Value, m *Mesh, kind MeetKind, e *Event, bare bool) {
	leaves, _ := Leaves(orUnknown(tree))
	for _, l := range leaves {
		if s, ok := l.(*Spec); ok {
			in.meet(s, m, kind, e, bare)
		}
	}
}

// deviceMesh evaluates the helpers that order devices by topology.
func (in *interp) deviceMesh(name string, c *Call) Value {
	d := &Devices{Base: name + "()", Host: true, At: c.At, From: c.value(0, "mesh_shape")}
	d.Dims, _ = sizesOf(c.value(0, "mesh_shape"))
	if dcn, ok := sizesOf(c.value(1, "dcn_mesh_shape")); ok && strings.HasSuffix(name, "hybrid_device_mesh") && len(dcn) == len(d.Dims) {
		for i := range d.Dims {
			if d.Dims[i] < 0 || dcn[i] < 0 {
				d.Dims[i] = -1
			} else {
				d.Dims[i] *= dcn[i]
			}
		}
	}
	d.Base += dimsText(d.Dims)
	return d
}

func jaxDevices(name string, c *Call) Value {
	d := &Devices{Base: name + "()", At: c.At, Local: name == "jax.local_devices", Plain: true}
	if s, ok := c.value(0, "backend").(*Str); ok {
		d.Base = name + "(" + s.S + ")"
		d.CPU = s.S == "cpu"
	}
	return d
}

// contextMesh is the mesh that get_abstract_mesh returns: that of the shard_map around it, else the new context's (JAX 0.10.2
// does not see `with mesh:`).
func (in *interp) contextMesh() Value {
	manual := in.region.Find(ManualRegion, PmapRegion)
	switch {
	case manual != nil && manual.Mesh != nil:
		inside := *manual.Mesh
		inside.Abstract = true
		return &inside
	case manual != nil:
		return &Mesh{}
	case in.ctx.New != nil:
		return in.ctx.New
	case in.ctx.NewKnown && !in.region.Open():
		return &Mesh{Empty: true, Known: true, Abstract: true}
	}
	return &Mesh{}
}

// setMesh evaluates jax.set_mesh: it sets the mesh at once, and as a context manager undoes it at the end of the block.
func (in *interp) setMesh(c *Call) Value {
	v := orUnknown(c.value(0, "mesh"))
	before := in.ctx
	in.applyMesh(v, c.At)
	return &Object{Class: "jax.set_mesh", Made: c.ev, Attrs: map[string]Value{"mesh": v, "before": &savedContext{before}}}
}

// savedContext keeps the context that set_mesh replaced.
type savedContext struct{ ctx Context }

func (*savedContext) value() {}

func (in *interp) applyMesh(v Value, at Ref) {
	in.ctx.NewAt = at
	if m, ok := v.(*Mesh); ok {
		in.ctx.New, in.ctx.NewKnown = m, true
		return
	}
	in.ctx.New, in.ctx.NewKnown = nil, false
}

// enter evaluates entering a context manager.
func (in *interp) enter(v Value, e *Event) Value {
	switch x := v.(type) {
	case *Mesh:
		in.ctx.Legacy, in.ctx.LegacyKnown, in.ctx.LegacyAt = x, true, e.At
		return x
	case *Object:
		switch x.Class {
		case "jax.set_mesh", "jax.sharding.use_mesh", "jax.sharding.use_abstract_mesh":
			in.applyMesh(x.Attrs["mesh"], e.At)
			return x.Attrs["mesh"]
		case "flax.linen.logical_axis_rules", "flax.nnx.logical_axis_rules":
			in.applyRules(x.Made.Value(0, "rules"))
			return None{}
		}
		if !harmlessContext(x.Class) {
			in.forgetContext()
		}
		return x
	case *Instance:
		if fn, ok := in.classAttr(x.Class, "__enter__"); ok {
			return in.call(&Bound{Self: x, Fn: fn}, &Call{At: e.At, Fn: e.At, in: in})
		}
		in.forgetContext()
		return x
	case *Iterator:
		if x.Context == nil {
			in.forgetContext()
		} else {
			in.ctx = *x.Context
		}
		return elementOf(x)
	case None: // contextlib.nullcontext, or a value that cannot be entered
	default:
		in.forgetContext()
	}
	return Unknown{}
}

// applyRules makes logical axis rules the active ones; Linen and NNX share them (flax 0.12.8).
func (in *interp) applyRules(rules Value) {
	in.ctx.Rules, in.ctx.RulesUnknown = orUnknown(rules), false
}

// forgetContext notes that an unknown context manager may have set a mesh.
func (in *interp) forgetContext() {
	in.ctx.LegacyKnown, in.ctx.NewKnown = false, false
	in.ctx.Legacy, in.ctx.New = nil, nil
	in.ctx.Rules, in.ctx.RulesUnknown = nil, true
}

// harmlessContext reports whether a library's context manager leaves the mesh alone.
func harmlessContext(class string) bool {
	switch libraryOf(class) {
	case "jax", "flax", "optax", "orbax", "numpy", "contextlib", "tempfile", "time", "threading", "warnings", "os", "builtins", "concurrent", "tqdm", "equinox", "torch", "tensorflow", "open":
		return true
	}
	return false
}

// shardingOf views a sharding argument: a sharding object, or a bare spec with the mesh of the context.
func (in *interp) shardingOf(v Value, kind MeetKind, e *Event) (*Sharding, bool) {
	switch x := v.(type) {
	case *Sharding:
		return x, true
	case *Spec:
		m, known := in.specMesh(kind)
		if known && m != nil {
			in.meet(x, m, kind, e, true)
			return &Sharding{Kind: "jax.sharding.NamedSharding", Mesh: m, Spec: x, At: x.At}, true
		}
		return &Sharding{Kind: "jax.sharding.NamedSharding", Spec: x, At: x.At}, true
	case *Devices:
		return &Sharding{Kind: "jax.sharding.SingleDeviceSharding", Device: x, At: x.At}, true
	}
	return nil, false
}

// specMesh is the mesh that a bare spec is resolved with: constraints read both contexts, everything else the new one.
func (in *interp) specMesh(kind MeetKind) (*Mesh, bool) {
	if kind == MeetConstraint {
		return in.ctx.Mesh()
	}
	return in.ctx.New, in.ctx.NewKnown
}

// constraint evaluates with_sharding_constraint.
func (in *interp) constraint(c *Call) Value {
	x, sh := orUnknown(c.value(0, "x")), orUnknown(c.value(1, "shardings", "axis_resources", "device_or_shardings"))
	in.constrainTree(x, sh, c)
	return in.retarget(x, sh, MeetConstraint, c, in.region.Traced())
}

func (in *interp) constrainTree(x, sh Value, c *Call) {
	in.placeSharding(PlaceConstraint, x, sh, MeetConstraint, c.ev, c.At)
}

// retarget gives every leaf the sharding it is moved to.
func (in *interp) retarget(x, sh Value, kind MeetKind, c *Call, traced bool) Value {
	return in.zipShardings(x, sh, 0, func(leaf Value, s Value) Value {
		a, ok := asArray(leaf)
		if !ok {
			return leaf
		}
		out := a.clone()
		out.Made = c.ev
		out.Weak = false
		out.Commit = Committed
		if kind == MeetPut {
			out.Copy = a
			out.Host = false
		} else {
			out.Host = a.Host && !traced
		}
		out.Sharding = nil
		switch t := s.(type) {
		case *Sharding:
			out.Sharding = t
		case *Spec:
			if m, known := in.specMesh(kind); known && m != nil {
				out.Sharding = &Sharding{Kind: "jax.sharding.NamedSharding", Mesh: m, Spec: t, At: t.At}
			}
		case *Devices:
			out.Sharding = &Sharding{Kind: "jax.sharding.SingleDeviceSharding", Device: t, At: t.At}
		case nil, None:
			out.Sharding, out.Commit, out.Copy = a.Sharding, a.Commit, a.Copy
			if kind == MeetPut && a.Host {
				out.Commit = Fresh
			}
			return out
		case *Ext:
			out.Memory = memorySpace(t.Name)
			return out
		}
		out.Memory = out.Sharding.Memory()
		return out
	})
}

// memorySpace is the memory kind that a member of jax.memory.Space stands for (since JAX 0.7.1).
func memorySpace(name string) string {
	switch name {
	case "jax.memory.Space.Device":
		return "device"
	case "jax.memory.Space.Host":
		return "pinned_host"
	}
	return ""
}

// zipShardings walks a value together with a prefix tree of shardings.
func (in *interp) zipShardings(x, sh Value, depth int, f func(leaf, s Value) Value) Value {
	if depth > maxTreeDepth {
		return Unknown{}
	}
	switch s := sh.(type) {
	case *Sharding, *Spec, *Devices, *Ext, None, nil:
		return mapTree(x, 0, func(leaf Value) Value { return f(leaf, sh) })
	case *Dict:
		if d, ok := x.(*Dict); ok {
			out := &Dict{Keys: d.Keys, Open: d.Open}
			for i, k := range d.Keys {
				v, found := s.Get(k)
				if !found {
					v = Unknown{}
				}
				out.Vals = append(out.Vals, in.zipShardings(d.Vals[i], v, depth+1, f))
			}
			return out
		}
	case *Tuple, *List:
		se, complete, _ := Elements(sh)
		switch xv := x.(type) {
		case *Tuple:
			if complete && len(se) == len(xv.Elems) {
				return zipTuple(xv.Elems, se, func(a, b Value) Value { return in.zipShardings(a, b, depth+1, f) })
			}
		case *List:
			if complete && len(se) == len(xv.Elems) {
				return &List{Elems: zipTuple(xv.Elems, se, func(a, b Value) Value { return in.zipShardings(a, b, depth+1, f) }).Elems}
			}
		}
	case *Instance:
		if xi, ok := x.(*Instance); ok && xi.Class == s.Class {
			out := &Instance{Class: xi.Class, Attrs: map[string]Value{}, At: xi.At, Open: xi.Open}
			for k, v := range xi.Attrs {
				out.Attrs[k] = in.zipShardings(v, orUnknown(s.Attrs[k]), depth+1, f)
			}
			return out
		}
	}
	return mapTree(x, 0, func(leaf Value) Value { return f(leaf, Unknown{}) })
}

// placeSharding records that the leaves of x meet the shardings of sh.
func (in *interp) placeSharding(kind PlaceKind, x, sh Value, meet MeetKind, e *Event, at Ref) {
	in.meetBare(sh, meet, e)
	in.zipPaths(x, sh, "", 0, func(leaf, s Value, path string) {
		p := &Placement{Kind: kind, Event: e, At: at, Path: path}
		p.Array, _ = asArrayPtr(leaf)
		switch t := s.(type) {
		case *Sharding:
			p.Mesh, p.Spec, p.Shard = t.Mesh, t.Spec, t
		case *Spec:
			p.Spec = t
			if m, known := in.specMesh(meet); known {
				p.Mesh = m
			}
		default:
			return
		}
		in.facts.Placements = append(in.facts.Placements, p)
	})
}

func asArrayPtr(v Value) (*Array, bool) { return asArray(v) }

// meetBare records the bare specs in a tree of shardings.
func (in *interp) meetBare(sh Value, kind MeetKind, e *Event) {
	m, known := in.specMesh(kind)
	if !known || m == nil {
		return
	}
	in.meetTree(sh, m, kind, e, true)
}

// placeTree records that the leaves of x meet the specs of a shard_map.
func (in *interp) placeTree(kind PlaceKind, x, spec Value, m *Mesh, e *Event, at Ref, path string) {
	in.zipPaths(x, spec, path, 0, func(leaf, s Value, path string) {
		sp, ok := s.(*Spec)
		if !ok {
			return
		}
		p := &Placement{Kind: kind, Event: e, At: at, Path: path, Mesh: m, Spec: sp}
		p.Array, _ = asArray(leaf)
		in.facts.Placements = append(in.facts.Placements, p)
	})
}

// zipPaths walks a value with a prefix tree and tells the path of every leaf.
func (in *interp) zipPaths(x, sh Value, path string, depth int, f func(leaf, s Value, path string)) {
	if depth > maxTreeDepth {
		return
	}
	sub := func(i int) Value {
		if elems, complete, ok := Elements(sh); ok && complete && i < len(elems) {
			if _, isSpec := sh.(*Spec); !isSpec {
				return elems[i]
			}
		}
		return Unknown{}
	}
	prefix := func(v Value) bool {
		switch v.(type) {
		case *Sharding, *Spec, *Devices, None, nil:
			return true
		}
		return false
	}
	switch v := x.(type) {
	case *Tuple, *List:
		elems, _, _ := Elements(v)
		for i, e := range elems {
			s := sh
			if !prefix(sh) {
				s = sub(i)
			}
			in.zipPaths(e, s, path+"["+itoa(int64(i))+"]", depth+1, f)
		}
	case *Dict:
		for i, k := range v.Keys {
			s := sh
			if d, ok := sh.(*Dict); ok {
				s = Unknown{}
				if found, ok := d.Get(k); ok {
					s = found
				}
			} else if !prefix(sh) {
				s = Unknown{}
			}
			name, _ := formatted(k)
			in.zipPaths(v.Vals[i], s, path+"['"+name+"']", depth+1, f)
		}
	case None:
	default:
		f(x, sh, path)
	}
}

// devicePut evaluates device_put.
func (in *interp) devicePut(c *Call) Value {
	x, sh := orUnknown(c.value(0, "x")), c.value(1, "device")
	if sh == nil {
		sh = None{}
	}
	in.placeSharding(PlacePut, x, sh, MeetPut, c.ev, c.At)
	return in.retarget(x, sh, MeetPut, c, false)
}

func (in *interp) reshard(c *Call) Value {
	x, sh := orUnknown(c.value(0, "xs", "x")), orUnknown(c.value(1, "out_shardings", "out_sharding"))
	in.placeSharding(PlaceReshard, x, sh, MeetReshard, c.ev, c.At)
	return in.retarget(x, sh, MeetReshard, c, in.region.Traced())
}

// applySharding gives a result the sharding of an out_sharding argument.
func (in *interp) applySharding(v, sh Value) Value {
	return mapTree(v, 0, func(leaf Value) Value {
		a, ok := leaf.(*Array)
		if !ok {
			return leaf
		}
		out := a.clone()
		out.Sharding = nil
		switch t := sh.(type) {
		case *Sharding:
			out.Sharding = t
		case *Spec:
			if m, known := in.specMesh(MeetOut); known && m != nil {
				out.Sharding = &Sharding{Kind: "jax.sharding.NamedSharding", Mesh: m, Spec: t, At: t.At}
			}
		}
		return out
	})
}

// makeArray evaluates the functions that assemble a global array.
func (in *interp) makeArray(name string, c *Call) Value {
	out := &Array{Commit: Committed, VarKnown: true, Made: c.ev}
	pos := 0
	shape := c.value(2, "global_shape")
	if name != "jax.make_array_from_process_local_data" {
		pos = 1
		shape = c.value(0, "shape")
	}
	if dims, ok := sizesOf(orUnknown(shape)); ok {
		out.Dims, out.RankKnown = dims, true
	}
	if s, ok := in.shardingOf(orUnknown(c.value(pos, "sharding")), MeetOther, c.ev); ok {
		out.Sharding = s
	}
	if a, ok := c.value(1, "local_data").(*Array); ok && pos == 0 {
		out.DType = a.DType
		if !out.RankKnown && a.Rank() >= 0 {
			out.RankKnown = true
			out.Dims = make([]int64, a.Rank())
			for i := range out.Dims {
				out.Dims[i] = -1
			}
		}
	} else if pos == 0 && out.Dims == nil {
		out.Tree = true
	}
	return out
}

func (in *interp) shapeStruct(c *Call) Value {
	out := &Array{Static: true, VarKnown: true, Made: c.ev, Commit: CommitUnknown}
	if dims, ok := sizesOf(orUnknown(c.value(0, "shape"))); ok {
		out.Dims, out.RankKnown = dims, true
	}
	out.DType = dtypeFrom(orUnknown(c.value(1, "dtype")))
	if s, ok := in.shardingOf(orUnknown(c.value(-1, "sharding")), MeetOther, c.ev); ok {
		out.Sharding = s
	}
	return out
}

// meetJit records the bare specs among the shardings of a jit at the time it is made; they are resolved at the call.
func (in *interp) meetJit(t *Transformed, c *Call) {
	_ = t
	_ = c
}

// placeJitInputs records that the arguments of a jitted function meet its in_shardings.
func (in *interp) placeJitInputs(t *Transformed, c *Call) {
	sh := t.Value(-1, "in_shardings", "in_axis_resources")
	if sh == nil {
		return
	}
	in.meetJitTree(t, sh, MeetJitIn, c.ev)
	offset := 0
	if len(c.Pos) > 0 {
		if _, ok := c.Pos[0].Value.(*Instance); ok {
			if tuple, isTuple := sh.(*Tuple); isTuple && len(tuple.Elems) == len(c.Pos)-1 {
				offset = 1
			}
		}
	}
	for i := offset; i < len(c.Pos); i++ {
		first := len(in.facts.Placements)
		in.placeJit(PlaceJitIn, t, c.Pos[i].Value, prefixAt(sh, i-offset, nil), c, c.At)
		for _, p := range in.facts.Placements[first:] {
			p.Of = c.Pos[i].At
		}
	}
}

// meetJitTree lets bare specs of a jit meet the mesh of the context at the call: jit reads the new context, pjit the legacy
// one (JAX 0.10.2).
func (in *interp) meetJitTree(t *Transformed, sh Value, kind MeetKind, e *Event) {
	if m, known := in.jitMesh(t); known && m != nil {
		in.meetTree(sh, m, kind, e, true)
	}
}

func (in *interp) jitMesh(t *Transformed) (*Mesh, bool) {
	if t.Kind == "pjit" {
		return in.ctx.Legacy, in.ctx.LegacyKnown
	}
	return in.ctx.New, in.ctx.NewKnown
}

func (in *interp) placeJit(kind PlaceKind, t *Transformed, x, sh Value, c *Call, at Ref) {
	mesh, known := in.jitMesh(t)
	in.zipPaths(x, sh, "", 0, func(leaf, s Value, path string) {
		p := &Placement{Kind: kind, Event: c.ev, At: at, Path: path}
		p.Array, _ = asArray(leaf)
		switch v := s.(type) {
		case *Sharding:
			p.Mesh, p.Spec, p.Shard = v.Mesh, v.Spec, v
		case *Spec:
			p.Spec = v
			if known {
				p.Mesh = mesh
			}
		default:
			return
		}
		in.facts.Placements = append(in.facts.Placements, p)
	})
}

// placeJitOutputs records that the results meet out_shardings and gives them the sharding.
func (in *interp) placeJitOutputs(t *Transformed, c *Call, v Value) Value {
	c.ev.Body = v
	v = mapTree(v, 0, func(leaf Value) Value {
		a, ok := asArray(leaf)
		if !ok {
			return leaf
		}
		out := a.clone()
		out.Made, out.Copy, out.Host = c.ev, nil, false
		if out.Memory != "device" && !in.region.Traced() { // 0.7.2 moves it to the device, 0.10.2 does not
			out.Memory = ""
		}
		if in.region.Traced() {
			out.Made = a.Made
		}
		return out
	})
	arg := t.Arg(-1, "out_shardings", "out_axis_resources")
	if arg == nil {
		return v
	}
	in.meetJitTree(t, arg.Value, MeetJitOut, c.ev)
	in.placeJit(PlaceJitOut, t, v, arg.Value, c, arg.At)
	return in.zipShardings(v, arg.Value, 0, func(leaf, s Value) Value {
		a, ok := leaf.(*Array)
		if !ok {
			return leaf
		}
		out := a.clone()
		switch x := s.(type) {
		case *Sharding:
			out.Sharding, out.Commit, out.Memory = x, Committed, x.Memory()
		case *Spec:
			if m, known := in.jitMesh(t); known && m != nil {
				out.Memory = "device"
				out.Sharding, out.Commit = &Sharding{Kind: "jax.sharding.NamedSharding", Mesh: m, Spec: x, At: x.At}, Committed
			}
		}
		return out
	})
}

// meshAttr reads an attribute of a mesh.
func (in *interp) meshAttr(m *Mesh, name string, at Ref) Value {
	switch name {
	case "axis_names":
		if !m.Known {
			return &Tuple{Open: true}
		}
		t := &Tuple{}
		for _, a := range m.Axes {
			t.Elems = append(t.Elems, &Str{S: a.Name, At: a.At})
		}
		return t
	case "shape":
		d := &Dict{Open: !m.Known}
		for _, a := range m.Axes {
			d.Keys = append(d.Keys, &Str{S: a.Name, At: a.At})
			d.Vals = append(d.Vals, sizeOrUnknown(a.Size))
		}
		return d
	case "axis_sizes":
		t := &Tuple{Open: !m.Known}
		for _, a := range m.Axes {
			t.Elems = append(t.Elems, sizeOrUnknown(a.Size))
		}
		return t
	case "size":
		n := int64(1)
		for _, a := range m.Axes {
			if a.Size < 0 {
				return Unknown{}
			}
			n *= a.Size
		}
		if m.Known {
			return Int(n)
		}
		return Unknown{}
	case "devices":
		if m.Devices == nil {
			return Unknown{}
		}
		d := *m.Devices
		d.Host = true
		d.Dims = nil
		if m.Known {
			for _, a := range m.Axes {
				d.Dims = append(d.Dims, a.Size)
			}
		}
		return &d
	case "empty":
		if m.Empty {
			return Bool(true)
		}
		if m.Known && len(m.Axes) > 0 {
			return Bool(false)
		}
		return Unknown{}
	case "abstract_mesh":
		out := *m
		out.Abstract = true
		return &out
	case "axis_types":
		return in.meshTypes(m)
	}
	return &Method{Recv: m, Name: name, At: at}
}

func (in *interp) meshTypes(m *Mesh) Value {
	t := &Tuple{Open: !m.Known}
	for _, a := range m.Axes {
		if a.Type == UnknownType {
			t.Elems = append(t.Elems, Unknown{})
			continue
		}
		t.Elems = append(t.Elems, &Ext{Name: "jax.sharding.AxisType." + a.Type.String()})
	}
	return t
}

func sizeOrUnknown(n int64) Value {
	if n < 0 {
		return Unknown{}
	}
	return Int(n)
}

// shardingAttr reads an attribute of a sharding.
func (in *interp) shardingAttr(s *Sharding, name string, at Ref) Value {
	switch name {
	case "spec":
		if s.Spec != nil {
			return s.Spec
		}
		if s.Kind == "jax.sharding.NamedSharding" {
			return &Spec{}
		}
		return Unknown{}
	case "mesh":
		if s.Mesh != nil {
			return s.Mesh
		}
		return Unknown{}
	case "memory_kind":
		if s.MemoryKind != "" {
			return &Str{S: s.MemoryKind}
		}
		return Unknown{}
	}
	return &Method{Recv: s, Name: name, At: at}
}
