package flow

import "strings"

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
		m.Devices = &Devices{Base: "make_mesh(" + d.Base + ")", Ops: d.Ops, Local: d.Local, CPU: d.CPU, At: d.At}
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
		return meshSize(m)
	case "devices":
		return meshDevices(m)
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
	case "manual_axes":
		return m.axesOf(Manual)
	case "auto_axes":
		return m.axesOf(Auto)
	case "explicit_axes":
		return m.axesOf(Explicit)
	case "_any_axis_manual":
		if t := m.axesOf(Manual); !t.Open {
			return Bool(len(t.Elems) > 0)
		}
		return Unknown{}
	case "are_all_axes_manual":
		return m.onlyAxesOf(Manual)
	case "are_all_axes_auto":
		return m.onlyAxesOf(Auto)
	case "are_all_axes_explicit":
		return m.onlyAxesOf(Explicit)
	}
	return &Method{Recv: m, Name: name, At: at}
}

// meshSize is the number of devices of a mesh.
func meshSize(m *Mesh) Value {
	n := int64(1)
	for _, a := range m.Axes {
		if a.Size < 0 {
			return Unknown{}
		}
		n *= a.Size
	}
	if !m.Known {
		return Unknown{}
	}
	return Int(n)
}

// meshDevices is the array of devices of a mesh, in the shape of its axes.
func meshDevices(m *Mesh) Value {
	if m.Devices == nil {
		return Unknown{}
	}
	d := *m.Devices
	d.Host, d.OfMesh = true, true
	d.Dims = nil
	if m.Known {
		for _, a := range m.Axes {
			d.Dims = append(d.Dims, a.Size)
		}
	}
	return &d
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

// axesOf lists the axes of a type.
func (m *Mesh) axesOf(t AxisType) *Tuple {
	out := &Tuple{Open: !m.Known}
	for _, a := range m.Axes {
		switch a.Type {
		case t:
			out.Elems = append(out.Elems, &Str{S: a.Name, At: a.At})
		case UnknownType:
			return &Tuple{Open: true}
		}
	}
	return out
}

// onlyAxesOf tells whether all axes of a mesh have a type.
func (m *Mesh) onlyAxesOf(t AxisType) Value {
	axes := m.axesOf(t)
	if axes.Open {
		return Unknown{}
	}
	return Bool(len(axes.Elems) == len(m.Axes) && len(m.Axes) > 0)
}

func sizeOrUnknown(n int64) Value {
	if n < 0 {
		return Unknown{}
	}
	return Int(n)
}
