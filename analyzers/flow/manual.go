package flow

// manualCall describes a shard_map, smap or pmap from the arguments it was made with.
func (in *interp) manualCall(kind, name string, t *Transformed, c *Call) *ManualCall {
	m := &ManualCall{Kind: kind, Event: c.ev, Fn: t.Fn, Legacy: name == "jax.experimental.shard_map.shard_map"}
	if kind == "pmap" {
		m.Checked = No
		if s, ok := t.Value(1, "axis_name").(*Str); ok {
			m.Axes, m.AxesAll = Axes(s.S), true
		}
		return m
	}
	if kind == "smap" {
		m.Checked = Yes
		m.Mesh, _ = in.ctx.Mesh()
		if s, ok := t.Value(-1, "axis_name").(*Str); ok {
			m.Axes, m.AxesAll = Axes(s.S), true
		}
		return m
	}
	positional := func(i int) int {
		if m.Legacy || len(c.Pos) > 1 {
			return i
		}
		return -1
	}
	m.InArg, m.OutArg = written(c.arg(positional(2), "in_specs")), written(c.arg(positional(3), "out_specs"))
	m.InSpecs, m.OutSpecs = c.value(positional(2), "in_specs"), c.value(positional(3), "out_specs")
	m.CheckArg = c.arg(positional(4), "check_vma", "check_rep")
	m.Checked = Yes
	if m.CheckArg != nil {
		truth, known := Truth(m.CheckArg.Value)
		m.Checked = Maybe
		if known {
			m.Checked = TriOf(truth)
		}
	} else if c.Splat {
		m.Checked = Maybe
	}
	in.manualMesh(m, c, positional(1))
	in.meetSpecs(m, c)
	return m
}

// manualMesh finds the mesh and the axes that become manual.
func (in *interp) manualMesh(m *ManualCall, c *Call, pos int) {
	switch v := c.value(pos, "mesh").(type) {
	case *Mesh:
		m.Mesh = v
	case nil, None:
		if in.ctx.New != nil && in.ctx.NewKnown {
			m.Mesh = in.ctx.New
		}
	}
	m.AxisArg = c.arg(-1, "axis_names")
	if m.Mesh != nil && m.Mesh.Known {
		m.Axes, m.AxesAll = Axes(m.Mesh.Names()...), true
	}
	if auto := c.value(-1, "auto"); auto != nil {
		if names, ok := Names(auto); ok {
			for _, n := range names {
				m.Axes = m.Axes.Minus(Axes(n.S))
			}
		} else {
			m.AxesAll = false
		}
	}
	if m.AxisArg == nil {
		return
	}
	names, ok := Names(m.AxisArg.Value)
	if !ok {
		m.Axes, m.AxesAll = nil, false
		return
	}
	if len(names) > 0 {
		m.Axes, m.AxesAll = nil, true
		for _, n := range names {
			m.Axes = m.Axes.Union(Axes(n.S))
		}
	}
}

// meetSpecs records that the specs of a shard_map meet its mesh.
func (in *interp) meetSpecs(m *ManualCall, c *Call) {
	if m.Mesh == nil {
		return
	}
	in.meetTree(m.InSpecs, m.Mesh, MeetInSpec, c.ev, false)
	in.meetTree(m.OutSpecs, m.Mesh, MeetOutSpec, c.ev, false)
}

// region makes the region of a manual body.
func (in *interp) manualRegion(m *ManualCall, c *Call) *Region {
	outer := in.region.Find(ManualRegion, PmapRegion)
	r := &Region{Kind: ManualRegion, At: m.Event.At, Call: c.ev, Mesh: m.Mesh, Own: m.Axes, Manual: m.Axes, ManualAll: m.AxesAll, Checked: m.Checked, Map: m, Size: -1}
	r.Binds = append([]string(nil), m.Axes...)
	r.BindsOpen = !m.AxesAll
	r.SumsGrads = in.rel.AtLeast(0, 6, 1)
	if outer != nil {
		r.Manual = r.Manual.Union(outer.Manual)
		r.ManualAll = r.ManualAll && outer.ManualAll
	}
	return r
}

// callManual runs the body of a shard_map on local views of its arguments.
func (in *interp) callManual(t *Transformed, c *Call) Value {
	m := t.Map
	if m.Mesh == nil && in.ctx.New != nil && t.Value(-1, "mesh") == nil { // the mesh of the context at the call
		in.manualMesh(m, t.args, -1)
		in.meetSpecs(m, t.args)
	}
	run := &ManualRun{Map: m, Call: c.ev, Region: in.manualRegion(m, c), Vmap: in.mapping(c)}
	if c.open {
		run.Call = nil
	}
	sub := *c
	sub.Pos, sub.Kw = nil, c.Kw
	if c.open {
		in.openInputs(m, c)
	}
	fits := true // with another number of specs than arguments nothing meets
	if t, ok := m.InSpecs.(*Tuple); ok {
		fits = t.Open || len(t.Elems) == len(c.Pos)
	}
	for i, a := range c.Pos {
		spec, known := in.inSpec(m, i)
		run.Specs = append(run.Specs, spec)
		if fits {
			in.placeTree(PlaceInSpec, a.Value, spec, m.Mesh, c.ev, c.At, "")
		}
		var v Value
		if known {
			v = in.localView(a.Value, spec, m, i, 0)
		} else {
			v = Unknown{}
		}
		run.Inputs = append(run.Inputs, v)
		sub.Pos = append(sub.Pos, Arg{Value: v, At: a.At})
	}
	run.Result = in.within(run.Region, func() Value { return in.forward(m.Fn, &sub) })
	run.Differ = in.differentiates(run.Result)
	m.Calls = append(m.Calls, run)
	return in.globalView(run.Result, m.OutSpecs, m, 0)
}

// openInputs makes up an argument for every spec when nothing visible calls the function.
func (in *interp) openInputs(m *ManualCall, c *Call) {
	n := len(c.Pos)
	if elems, complete, ok := Elements(m.InSpecs); ok && complete {
		if _, isSpec := m.InSpecs.(*Spec); !isSpec && (n == 0 || len(elems) > n) && hasVarArgs(m.Fn) {
			n = len(elems)
		}
	}
	for len(c.Pos) < n {
		c.Pos = append(c.Pos, Arg{Value: Unknown{}})
	}
}

func hasVarArgs(fn Value) bool {
	f, ok := fn.(*Func)
	if !ok {
		return true
	}
	for _, p := range f.Params {
		if p.Kind == VarArgs {
			return true
		}
	}
	return false
}

// inSpec returns the spec tree of argument i.
func (in *interp) inSpec(m *ManualCall, i int) (Value, bool) {
	switch v := m.InSpecs.(type) {
	case *Spec:
		return v, true
	case *Tuple:
		if i < len(v.Elems) {
			return v.Elems[i], true
		}
		return Unknown{}, false
	case *List:
		if i < len(v.Elems) {
			return v.Elems[i], true
		}
	case *Instance:
		if elems, ok, _ := Elements(v); ok && i < len(elems) {
			return elems[i], true
		}
	}
	return Unknown{}, false
}

// localView is what the body sees of an argument.
func (in *interp) localView(v, spec Value, m *ManualCall, index, depth int) Value {
	if depth > maxTreeDepth {
		return Unknown{}
	}
	switch s := spec.(type) {
	case *Spec:
		return in.localLeaves(v, s, m, index)
	case None:
		return v
	}
	sub := func(e Value, se Value) Value { return in.localView(e, se, m, index, depth+1) }
	switch x := v.(type) {
	case *Tuple:
		if s, ok, _ := Elements(spec); ok && len(s) == len(x.Elems) {
			return zipTuple(x.Elems, s, sub)
		}
	case *List:
		if s, ok, _ := Elements(spec); ok && len(s) == len(x.Elems) {
			return &List{Elems: zipTuple(x.Elems, s, sub).Elems}
		}
	case *Dict:
		if s, ok := spec.(*Dict); ok {
			out := &Dict{Open: x.Open}
			for i, k := range x.Keys {
				sv, found := s.Get(k)
				if !found {
					sv = Unknown{}
				}
				out.Keys, out.Vals = append(out.Keys, k), append(out.Vals, sub(x.Vals[i], sv))
			}
			return out
		}
	case Unknown:
		return in.unknownView(spec, m, index, depth)
	case *Array:
		if x.Tree {
			return in.unknownView(spec, m, index, depth)
		}
	}
	return Unknown{}
}

func zipTuple(a, b []Value, f func(x, y Value) Value) *Tuple {
	out := &Tuple{}
	for i := range a {
		out.Elems = append(out.Elems, f(a[i], b[i]))
	}
	return out
}

// unknownView builds what the body sees of an unknown argument from its spec tree.
func (in *interp) unknownView(spec Value, m *ManualCall, index, depth int) Value {
	if depth > maxTreeDepth {
		return Unknown{}
	}
	switch s := spec.(type) {
	case *Spec:
		return in.localLeaves(Unknown{}, s, m, index)
	case *Tuple:
		out := &Tuple{Open: s.Open}
		for _, e := range s.Elems {
			out.Elems = append(out.Elems, in.unknownView(e, m, index, depth+1))
		}
		return out
	case *Dict:
		out := &Dict{Open: s.Open, Keys: s.Keys}
		for _, e := range s.Vals {
			out.Vals = append(out.Vals, in.unknownView(e, m, index, depth+1))
		}
		return out
	}
	return Unknown{}
}

// localLeaves applies one spec to all leaves of an argument.
func (in *interp) localLeaves(v Value, s *Spec, m *ManualCall, index int) Value {
	varying := s.Axes().And(m.Axes)
	known := s.Complete() && m.AxesAll
	outer := in.region.InManual() != nil
	view := func(leaf Value) Value {
		a, ok := asArray(leaf)
		if !ok {
			if !IsUnknown(leaf) {
				return leaf
			}
			a = &Array{Tree: true, VarKnown: !outer}
		}
		out := a.clone()
		out.Made, out.Copy, out.Weak, out.Gather, out.Grad = nil, nil, false, nil, nil
		out.Reduced, out.Draws = nil, nil
		out.FromArgs, out.VarUpper = !a.HostData, false
		out.Var, out.Touched = varying, varying
		out.VarKnown = known
		if outer {
			out.Var, out.Touched = out.Var.Union(a.Var), out.Touched.Union(a.Touched)
			out.VarKnown = known && a.VarKnown
		}
		out.Input = &Input{Map: m, Index: index, Spec: s}
		out.Dims = shardDims(a, s, m.Mesh)
		out.Sharding = nil
		return out
	}
	if _, isTree := v.(Unknown); isTree || IsUnknown(v) {
		return view(Unknown{})
	}
	return mapTree(v, 0, view)
}

// shardDims divides the dimensions of a by the shards of the spec.
func shardDims(a *Array, s *Spec, mesh *Mesh) []int64 {
	if a.Rank() < 0 {
		return nil
	}
	dims := append([]int64{}, a.Dims...)
	for i, e := range s.Entries {
		if i >= len(dims) || (len(e.Names) == 0 && !e.Unknown) {
			continue
		}
		n, ok := mesh.Shards(e)
		if !ok || dims[i] < 0 || dims[i]%n != 0 {
			dims[i] = -1
			continue
		}
		dims[i] /= n
	}
	if s.Open || !s.Known {
		for i := len(s.Entries); i < len(dims); i++ {
			dims[i] = -1
		}
	}
	return dims
}

// globalView turns a result of the body into what the caller sees.
func (in *interp) globalView(v, spec Value, m *ManualCall, depth int) Value {
	outer := in.region.InManual()
	view := func(leaf Value, s *Spec) Value {
		a, ok := asArray(leaf)
		if !ok {
			return leaf
		}
		out := a.derived()
		out.Var, out.Touched, out.Reduced = a.Var.Minus(m.Axes), a.Touched.Minus(m.Axes), nil
		out.VarKnown = outer == nil || a.VarKnown
		out.VarUpper, out.Draws = outer != nil && a.VarUpper, nil
		out.FromArgs = outer != nil && a.FromArgs
		out.Weak = false
		out.Commit = Committed
		if s != nil && m.Mesh != nil && len(m.Axes) == len(m.Mesh.Axes) {
			out.Sharding = &Sharding{Kind: "jax.sharding.NamedSharding", Mesh: m.Mesh, Spec: s}
		}
		out.Dims = unshardDims(a, s, m.Mesh)
		return out
	}
	if s, ok := spec.(*Spec); ok {
		return mapTree(v, 0, func(leaf Value) Value { return view(leaf, s) })
	}
	x, isTuple := v.(*Tuple)
	se, complete, ok := Elements(spec)
	if isTuple && ok && complete && len(se) == len(x.Elems) && depth < maxTreeDepth {
		return zipTuple(x.Elems, se, func(e, s Value) Value { return in.globalView(e, s, m, depth+1) })
	}
	return mapTree(v, 0, func(leaf Value) Value {
		a, ok := view(leaf, nil).(*Array)
		if !ok {
			return leaf
		}
		a.Dims = nil
		a.RankKnown = false
		return a
	})
}

func unshardDims(a *Array, s *Spec, mesh *Mesh) []int64 {
	if a.Rank() < 0 {
		return nil
	}
	dims := append([]int64{}, a.Dims...)
	for i := range dims {
		if s == nil || s.Open || !s.Known {
			dims[i] = -1
			continue
		}
		if i >= len(s.Entries) || dims[i] < 0 || len(s.Entries[i].Names) == 0 && !s.Entries[i].Unknown {
			continue
		}
		if n, ok := mesh.Shards(s.Entries[i]); ok {
			dims[i] *= n
		} else {
			dims[i] = -1
		}
	}
	return dims
}

// callPmap runs the body of a pmap: arguments lose their mapped dimension and vary over its axis.
func (in *interp) callPmap(t *Transformed, c *Call) Value {
	m := t.Map
	r := &Region{Kind: PmapRegion, At: m.Event.At, Call: c.ev, Own: m.Axes, Manual: m.Axes, ManualAll: m.AxesAll, Checked: No, Map: m, Size: -1}
	bindAxis(r, t.Value(1, "axis_name"))
	run := &ManualRun{Map: m, Region: r, Call: c.ev}
	if c.open {
		run.Call = nil
	}
	axes := t.Value(2, "in_axes")
	static := staticPositions(t.Value(4, "static_broadcasted_argnums"))
	sub := *c
	sub.Pos = append([]Arg(nil), c.Pos...)
	for i := range sub.Pos {
		axis := prefixAt(axes, i, Int(0))
		if !static[int64(i)] && !isSelf(t, i, sub.Pos[i].Value) {
			sub.Pos[i].Value = in.pmapView(sub.Pos[i].Value, axis, m, i)
		}
		run.Inputs = append(run.Inputs, sub.Pos[i].Value)
	}
	run.Result = in.within(r, func() Value { return in.forward(t.Fn, &sub) })
	run.Differ = in.differentiates(run.Result)
	m.Calls = append(m.Calls, run)
	return mapArrays(run.Result, func(a *Array) Value {
		out := a.derived()
		out.Var, out.Touched, out.Reduced, out.VarKnown, out.Weak = nil, nil, nil, true, false
		out.Commit, out.Made, out.Host = Committed, c.ev, false
		out.VarUpper, out.FromArgs, out.Draws = false, false, nil
		if out.RankKnown {
			out.Dims = append([]int64{-1}, out.Dims...)
		}
		return out
	})
}

// isSelf reports whether argument i is the receiver of a mapped method.
func isSelf(t *Transformed, i int, v Value) bool {
	inst, ok := v.(*Instance)
	return i == 0 && ok && !inst.isTree()
}

func staticPositions(v Value) map[int64]bool {
	out := map[int64]bool{}
	if i, ok := Integer(v); ok {
		out[i] = true
	}
	if elems, complete, ok := Elements(v); ok && complete {
		for _, e := range elems {
			if i, ok := Integer(e); ok {
				out[i] = true
			}
		}
	}
	return out
}

func (in *interp) pmapView(v, axis Value, m *ManualCall, index int) Value {
	mapped := !IsNone(axis)
	view := func(leaf Value) Value {
		a, ok := asArray(leaf)
		if !ok {
			if !IsUnknown(leaf) {
				return leaf
			}
			a = &Array{Tree: true}
		}
		out := a.clone()
		out.Made, out.Copy, out.Grad, out.Gather, out.Reduced, out.Weak = nil, nil, nil, nil, nil, false
		out.VarKnown, out.VarUpper, out.FromArgs, out.Draws = !IsUnknown(axis), false, true, nil
		out.Var, out.Touched = nil, nil
		if mapped {
			out.Var, out.Touched = m.Axes, m.Axes
			out.Dims, out.RankKnown = nil, false
			if i, ok := Integer(axis); ok && a.Rank() > int(i) && i >= 0 {
				out.Dims = append(append([]int64{}, a.Dims[:i]...), a.Dims[i+1:]...)
				out.RankKnown = true
			}
		}
		out.Sharding = nil
		out.Input = &Input{Map: m, Index: index}
		return out
	}
	if IsUnknown(v) {
		return view(Unknown{})
	}
	return mapTree(v, 0, view)
}

// written is an argument with the place where its value is written, for findings about the value.
func written(a *Arg) *Arg {
	if a == nil || a.Written() == a.At {
		return a
	}
	out := *a
	out.At = a.Written()
	return &out
}
