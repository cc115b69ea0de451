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
		e.Names = []AxisName{{Name: v.S, At: v.place(a.At), Written: v.At}}
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
			e.Names = append(e.Names, AxisName{Name: s.S, At: s.place(a.At), Written: s.At})
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

// placed says where a spec was put together out of others. Strings that stand there keep their own place.
func (s *Spec) placed(at Ref) {
	s.At = at
	for i := range s.Entries {
		s.Entries[i].At = at
		for j, name := range s.Entries[i].Names {
			s.Entries[i].Names[j].At = at
			if at.Contains(name.Written) {
				s.Entries[i].Names[j].At = name.Written
			}
		}
	}
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

// layout is the sharding that a sharding or a bare spec stands for, nil for a spec without a known mesh and for other values.
func (in *interp) layout(v Value, kind MeetKind) *Sharding {
	m, known := in.specMesh(kind)
	return layoutOn(v, m, known)
}

// layoutOn is layout with the mesh for bare specs, which may be unknown.
func layoutOn(v Value, m *Mesh, known bool) *Sharding {
	switch t := v.(type) {
	case *Sharding:
		return t
	case *Spec:
		if known && m != nil {
			return &Sharding{Kind: "jax.sharding.NamedSharding", Mesh: m, Spec: t, At: t.At}
		}
	}
	return nil
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
		if !ok && kind == MeetPut && foreign(leaf) && !in.region.Traced() {
			return placedTree(in.layout(s, kind), c)
		}
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
		out.Sharding = in.layout(s, kind)
		switch t := s.(type) {
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

// foreign reports whether nothing is known of a value, or no more than which library made it.
func foreign(v Value) bool {
	_, made := v.(*Object)
	return made || IsUnknown(v)
}

// placedTree is what a call puts on a mesh of a value of which nothing is known: a tree of arrays that lie there.
func placedTree(s *Sharding, c *Call) Value {
	if s == nil || s.Mesh == nil || s.Spec == nil || !s.Spec.Known {
		return Unknown{}
	}
	return &Array{Tree: true, Made: c.ev, Commit: Committed, Sharding: s, Memory: s.Memory()}
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

func (in *interp) reshard(c *Call) Value {
	x, sh := orUnknown(c.value(0, "xs", "x")), orUnknown(c.value(1, "out_shardings", "out_sharding"))
	in.placeSharding(PlaceReshard, x, sh, MeetReshard, c.ev, c.At)
	return in.retarget(x, sh, MeetReshard, c, in.region.Traced())
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
		in.placeSharding(PlaceDevice, out, orUnknown(c.value(pos, "sharding")), MeetOther, c.ev, c.At)
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
