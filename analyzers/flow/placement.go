package flow

import "iter"

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
	mesh, known := in.specMesh(meet)
	in.placeLeaves(kind, x, sh, e, at, mesh, known)
}

// placeLeaves records that the leaves of x meet the shardings of sh. A bare spec meets the mesh, if that is known.
func (in *interp) placeLeaves(kind PlaceKind, x, sh Value, e *Event, at Ref, mesh *Mesh, known bool) {
	zipPaths(x, sh, "", 0, func(leaf, s Value, path string) {
		p := &Placement{Kind: kind, Event: e, At: at, Path: path}
		p.Array, _ = asArray(leaf)
		switch s := s.(type) {
		case *Sharding:
			p.Mesh, p.Spec, p.Shard = s.Mesh, s.Spec, s
		case *Spec:
			p.Spec = s
			if known {
				p.Mesh = mesh
			}
		default:
			return
		}
		in.facts.Placements = append(in.facts.Placements, p)
	})
}

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
	zipPaths(x, spec, path, 0, func(leaf, s Value, path string) {
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
func zipPaths(x, sh Value, path string, depth int, f func(leaf, s Value, path string)) {
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
			zipPaths(e, s, path+"["+itoa(int64(i))+"]", depth+1, f)
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
			zipPaths(v.Vals[i], s, path+"['"+name+"']", depth+1, f)
		}
	case *Instance:
		if !v.isTree() {
			f(x, sh, path)
			return
		}
		for _, field := range v.Class.Fields {
			s := sh
			if other, ok := sh.(*Instance); ok && other.Class == v.Class {
				s = orUnknown(other.Attrs[field.Name])
			} else if !prefix(sh) {
				s = Unknown{}
			}
			zipPaths(orUnknown(v.Attrs[field.Name]), s, path+"."+field.Name, depth+1, func(leaf, s Value, path string) {
				if _, ok := leaf.(*Array); ok { // fields that hold something else may be static
					f(leaf, s, path)
				}
			})
		}
	case None:
	default:
		f(x, sh, path)
	}
}

// LeafPaths goes over the leaves of a tree, each with where in the tree it is: ['count'].
func LeafPaths(tree Value) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		more := true
		zipPaths(tree, nil, "", 0, func(leaf, _ Value, path string) { more = more && yield(path, leaf) })
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

// applySharding gives a result the sharding of an out_sharding argument.
func (in *interp) applySharding(v, sh Value) Value {
	return mapTree(v, 0, func(leaf Value) Value {
		a, ok := leaf.(*Array)
		if !ok {
			return leaf
		}
		out := a.clone()
		out.Sharding = in.layout(sh, MeetOut)
		return out
	})
}

// placeJitInputs records that the arguments of a jitted function meet its in_shardings.
func (in *interp) placeJitInputs(t *Transformed, c *Call) {
	sh := t.Value(-1, "in_shardings", "in_axis_resources")
	if sh == nil {
		return
	}
	in.meetJitTree(t, sh, MeetJitIn, c.ev)
	offset := unplaced(sh, c.Pos)
	for i := offset; i < len(c.Pos); i++ {
		first := len(in.facts.Placements)
		in.placeJit(PlaceJitIn, t, c.Pos[i].Value, prefixAt(sh, i-offset, nil), c, c.At)
		for _, p := range in.facts.Placements[first:] {
			p.Of = c.Pos[i].At
		}
	}
}

// unplaced is the number of leading arguments that in_shardings leave out: the receiver of a method.
func unplaced(sh Value, args []Arg) int {
	if len(args) > 0 {
		if _, ok := args[0].Value.(*Instance); ok {
			if tuple, isTuple := sh.(*Tuple); isTuple && len(tuple.Elems) == len(args)-1 {
				return 1
			}
		}
	}
	return 0
}

// laidOut gives the arguments of a jitted function the layout that in_shardings ask for, where they have none yet: the body sees them so.
func (in *interp) laidOut(t *Transformed, args []Arg) []Arg {
	sh := t.Value(-1, "in_shardings", "in_axis_resources")
	if sh == nil {
		return args
	}
	mesh, known := in.jitMesh(t)
	for i, offset := 0, unplaced(sh, args); i+offset < len(args); i++ {
		a := &args[i+offset]
		a.Value = in.zipShardings(a.Value, prefixAt(sh, i, nil), 0, func(leaf, s Value) Value {
			x, ok := leaf.(*Array)
			if !ok || x.Sharding != nil || x.Tree {
				return leaf
			}
			out := x.clone()
			out.Sharding = layoutOn(s, mesh, known)
			return out
		})
	}
	return args
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
	in.placeLeaves(kind, x, sh, c.ev, at, mesh, known)
}

// placeJitOutputs records that the results meet out_shardings and gives them the sharding.
func (in *interp) placeJitOutputs(t *Transformed, c *Call, v Value) Value {
	c.ev.Body = v
	v = mapArrays(v, func(a *Array) Value {
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
	in.placeJit(PlaceJitOut, t, v, arg.Value, c, arg.Written())
	return in.zipShardings(v, arg.Value, 0, func(leaf, s Value) Value {
		a, ok := leaf.(*Array)
		if given, one := s.(*Sharding); !ok && one && foreign(leaf) && !in.region.Traced() {
			return placedTree(given, c)
		}
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
