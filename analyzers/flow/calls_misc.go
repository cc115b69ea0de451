package flow

import "strings"

// randomCall evaluates functions of jax.random.
func (in *interp) randomCall(name string, c *Call) Value {
	switch name {
	case "PRNGKey", "key", "wrap_key_data":
		k := &Array{Key: true, RankKnown: true, Dims: []int64{}, VarKnown: true, Commit: Fresh, Made: c.ev, DType: "key"}
		if name == "PRNGKey" { // the older kind of key is an array of two words
			k.Dims, k.DType = []int64{2}, "uint32"
		}
		return k
	case "split", "fold_in", "clone", "key_data":
		a, ok := asArray(orUnknown(c.value(0, "key")))
		if !ok {
			return Unknown{}
		}
		out := a.derived()
		out.Key, out.Made, out.Commit = true, c.ev, Fresh
		if b, ok := c.value(1, "data").(*Array); ok && name == "fold_in" {
			mergeFacts(out, a, b)
		} else if name == "fold_in" && IsUnknown(c.value(1, "data")) {
			out.VarKnown = false
		}
		out.Tree = false
		if name == "split" {
			lead, known := []int64{2}, true
			if v := c.value(1, "num"); v != nil {
				lead, known = sizesOf(v)
			}
			out.RankKnown = known && a.RankKnown
			out.Dims = append(append([]int64{}, lead...), a.Dims...)
		}
		return out
	}
	return in.sample(name, c)
}

// sample evaluates a sampler: the numbers vary where the key does, and the parameters.
func (in *interp) sample(name string, c *Call) Value {
	k, ok := asArray(orUnknown(c.value(0, "key")))
	if !ok {
		return Unknown{}
	}
	out := &Array{Made: c.ev, Commit: Fresh, DType: "float32"}
	arrays := []*Array{k}
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, p := range list {
			if a, ok := p.Value.(*Array); ok {
				arrays = append(arrays, a)
			}
		}
	}
	mergeFacts(out, arrays...)
	pos := map[string]int{"normal": 1, "uniform": 1, "truncated_normal": 3, "bernoulli": 2, "randint": 1, "exponential": 1, "gumbel": 1, "laplace": 1, "categorical": -1, "rademacher": 1, "bits": 1}
	at, listed := pos[name]
	if !listed {
		at = -1
	}
	shape := c.value(at, "shape")
	switch {
	case shape != nil:
		out.Dims, out.RankKnown = sizesOf(shape)
	case at >= 0 && name != "bernoulli":
		out.Dims, out.RankKnown = []int64{}, true
	}
	switch name {
	case "bernoulli":
		out.DType = "bool"
	case "randint", "categorical", "permutation", "choice", "rademacher":
		out.DType = "int32"
	}
	if d := c.value(2, "dtype"); d != nil && (name == "normal" || name == "uniform") {
		if t := dtypeFrom(d); t != "" {
			out.DType = t
		}
	}
	out.Draws = mergeDraws(out.Draws, []*Event{c.ev})
	return in.placedAt(out, c)
}

// treeCall evaluates functions of jax.tree and jax.tree_util.
func (in *interp) treeCall(name string, c *Call) Value {
	switch name {
	case "map", "map_with_path":
		return in.treeMap(name, c)
	case "leaves":
		leaves, complete := Leaves(orUnknown(c.value(0)))
		return &List{Elems: leaves, Open: !complete}
	case "flatten", "tree_flatten_with_path", "flatten_with_path":
		tree := orUnknown(c.value(0))
		leaves, complete := Leaves(tree)
		return &Tuple{Elems: []Value{&List{Elems: leaves, Open: !complete}, &Object{Class: "treedef", Attrs: map[string]Value{"tree": tree}}}}
	case "structure":
		return &Object{Class: "treedef", Attrs: map[string]Value{"tree": orUnknown(c.value(0))}}
	case "unflatten":
		return in.unflatten(c)
	case "reduce":
		leaves, complete := Leaves(orUnknown(c.value(1)))
		if a, ok := mergedLeaves(leaves); ok {
			return in.reduceLeaves(c, leaves, complete, a)
		}
		return Unknown{}
	case "all":
		return Unknown{}
	case "register_dataclass", "register_pytree_node_class":
		if k, ok := c.value(0).(*Class); ok {
			k.Attrs[pytreeMark] = Bool(true)
			k.Frozen = true
			return k
		}
	}
	return in.generic("jax.tree."+name, c)
}

// replicated puts a dimension of one entry for each device in front of every leaf.
func replicated(tree Value) Value {
	return mapTree(tree, 0, func(leaf Value) Value {
		a, ok := asArray(leaf)
		if !ok {
			return leaf
		}
		out := a.derived()
		out.Weak, out.Commit = false, Committed
		if a.RankKnown {
			out.Dims = append([]int64{-1}, a.Dims...)
		}
		return out
	})
}

// ravelTree evaluates ravel_pytree: one vector of all leaves, and the function that makes a tree of such a vector.
func (in *interp) ravelTree(c *Call) Value {
	tree := orUnknown(c.value(0, "pytree"))
	leaves, complete := Leaves(tree)
	flat, ok := mergedLeaves(leaves)
	if !ok {
		return Unknown{}
	}
	size := int64(0)
	for i, l := range leaves {
		a, _ := asArray(l)
		if n := a.Size(); n < 0 || size < 0 || !complete {
			size = -1
		} else {
			size += n
		}
		if i == 0 {
			flat.Grad, flat.DType = a.Grad, a.DType
		} else {
			flat.Grad = joinGradients(&Array{Grad: flat.Grad}, a)
		}
		if a.DType != flat.DType {
			flat.DType = ""
		}
	}
	flat.Dims, flat.RankKnown, flat.Made = []int64{size}, true, c.ev
	return &Tuple{Elems: []Value{flat, &Object{Class: unravelClass, Made: c.ev, Attrs: map[string]Value{"tree": tree}}}}
}

// unravelClass is the class of what ravel_pytree returns beside the vector.
const unravelClass = "jax.flatten_util.unravel"

// unravel makes a tree of a vector.
func unravel(o *Object, c *Call) Value {
	flat, ok := asArray(orUnknown(c.value(0)))
	if !ok {
		return Unknown{}
	}
	return mapTree(o.Attrs["tree"], 0, func(leaf Value) Value {
		a, ok := asArray(leaf)
		if !ok {
			return Unknown{}
		}
		out := flat.derived()
		out.Grad, out.Commit = flat.Grad, flat.Commit
		out.Dims, out.RankKnown, out.DType, out.Tree = a.Dims, a.RankKnown, a.DType, a.Tree
		return out
	})
}

func mergedLeaves(leaves []Value) (*Array, bool) {
	out := &Array{}
	var arrays []*Array
	for _, l := range leaves {
		a, ok := asArray(l)
		if !ok {
			return nil, false
		}
		arrays = append(arrays, a)
	}
	if len(arrays) == 0 {
		return nil, false
	}
	mergeFacts(out, arrays...)
	return out, true
}

func (in *interp) reduceLeaves(c *Call, leaves []Value, complete bool, merged *Array) Value {
	f := orUnknown(c.value(0))
	var total Value
	if init := c.value(2, "initializer"); init != nil {
		total = init
	} else {
		total, leaves = leaves[0], leaves[1:]
	}
	for _, l := range leaves {
		total = in.call(f, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: total}, {Value: l}}, in: in})
	}
	if !complete {
		if a, ok := total.(*Array); ok {
			out := a.clone()
			mergeFacts(out, a, merged)
			return out
		}
	}
	return total
}

func (in *interp) unflatten(c *Call) Value {
	def, ok := c.value(0).(*Object)
	if !ok || def.Attrs["tree"] == nil {
		return Unknown{}
	}
	leaves, complete, ok := in.iterate(orUnknown(c.value(1)))
	old, all := Leaves(def.Attrs["tree"])
	if !ok || !complete || !all || len(old) != len(leaves) {
		if a, merged := mergedLeaves(leaves); merged {
			a.Tree = true
			return a
		}
		return Unknown{}
	}
	i := 0
	return mapTree(def.Attrs["tree"], 0, func(Value) Value {
		i++
		return leaves[i-1]
	})
}

// treeMap maps a function over the leaves of a tree, together with those of further trees.
func (in *interp) treeMap(name string, c *Call) Value {
	if len(c.Pos) < 2 {
		return Unknown{}
	}
	f := c.Pos[0].Value
	stop := c.value(-1, "is_leaf")
	tree := c.Pos[1].Value
	rest := make([]Value, 0, len(c.Pos)-2)
	for _, p := range c.Pos[2:] {
		rest = append(rest, p.Value)
	}
	return in.mapTrees(f, tree, rest, stop, name == "map_with_path", c, 0)
}

// mapTrees walks trees of equal structure. is_leaf is asked where it is given.
func (in *interp) mapTrees(f, tree Value, rest []Value, stop Value, path bool, c *Call, depth int) Value {
	if depth > maxTreeDepth || !in.step() {
		return Unknown{}
	}
	leaf := false
	if stop != nil && !IsNone(stop) {
		t, known := Truth(in.call(stop, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: tree}}, in: in}))
		leaf = known && t
	}
	if !leaf {
		switch x := tree.(type) {
		case None:
			return x
		case *Tuple:
			return &Tuple{Elems: in.mapEach(f, x.Elems, rest, stop, path, c, depth), Open: x.Open}
		case *List:
			return &List{Elems: in.mapEach(f, x.Elems, rest, stop, path, c, depth), Open: x.Open}
		case *Dict:
			out := &Dict{Keys: x.Keys, Open: x.Open}
			for i, k := range x.Keys {
				out.Vals = append(out.Vals, in.mapTrees(f, x.Vals[i], childrenOf(rest, func(r Value) Value { return dictChild(r, k) }), stop, path, c, depth+1))
			}
			return out
		case *Instance:
			if x.isTree() {
				out := &Instance{Class: x.Class, Attrs: map[string]Value{}, At: x.At, Open: x.Open}
				for _, field := range x.Class.Fields {
					out.Attrs[field.Name] = in.mapTrees(f, orUnknown(x.Attrs[field.Name]), childrenOf(rest, func(r Value) Value { return in.fieldChild(r, field.Name) }), stop, path, c, depth+1)
				}
				return out
			}
		}
	}
	return in.mapLeaf(f, tree, rest, path, c)
}

func (in *interp) mapLeaf(f, tree Value, rest []Value, path bool, c *Call) Value {
	call := &Call{At: c.At, Fn: c.Fn, in: in}
	wasTree := false
	if path {
		call.Pos = append(call.Pos, Arg{Value: &Tuple{Open: true}})
	}
	for _, v := range append([]Value{tree}, rest...) {
		if a, ok := v.(*Array); ok && a.Tree {
			x := a.clone()
			x.Tree = false
			v = x
			wasTree = true
		}
		call.Pos = append(call.Pos, Arg{Value: v})
	}
	r := in.call(f, call)
	if a, ok := r.(*Array); ok && wasTree {
		x := a.clone()
		x.Tree = true
		if !a.RankKnown {
			x.Dims = nil
		}
		return x
	}
	if wasTree {
		switch r.(type) {
		case *Sharding, *Spec, Unknown:
			return r
		}
	}
	return r
}

func (in *interp) mapEach(f Value, elems, rest []Value, stop Value, path bool, c *Call, depth int) []Value {
	out := make([]Value, len(elems))
	for i, e := range elems {
		out[i] = in.mapTrees(f, e, childrenOf(rest, func(r Value) Value { return elemChild(r, i, len(elems)) }), stop, path, c, depth+1)
	}
	return out
}

func childrenOf(rest []Value, pick func(Value) Value) []Value {
	out := make([]Value, len(rest))
	for i, r := range rest {
		out[i] = pick(r)
	}
	return out
}

func elemChild(r Value, i, n int) Value {
	if a, ok := r.(*Array); ok && a.Tree {
		return a
	}
	if elems, complete, ok := Elements(r); ok && complete && len(elems) == n {
		return elems[i]
	}
	return Unknown{}
}

func dictChild(r, key Value) Value {
	switch x := r.(type) {
	case *Dict:
		if v, ok := x.Get(key); ok {
			return v
		}
	case *Array:
		if x.Tree {
			return x
		}
	}
	return Unknown{}
}

func (in *interp) fieldChild(r Value, name string) Value {
	switch x := r.(type) {
	case *Instance:
		return orUnknown(x.Attrs[name])
	case *Array:
		if x.Tree {
			return x
		}
	}
	return Unknown{}
}

// nnCall evaluates functions of jax.nn.
func (in *interp) nnCall(name string, c *Call) Value {
	if elementwise(name) {
		return in.elementwiseCall(name, false, c)
	}
	switch name {
	case "logsumexp":
		return in.reduceCall(false, "sum", c, c.value(0, "a"), 1)
	case "one_hot":
		a, ok := asArray(orUnknown(c.value(0, "x")))
		if !ok {
			return Unknown{}
		}
		out := a.derived()
		out.Made, out.DType = c.ev, "float32"
		n := int64(-1)
		if i, ok := Integer(c.value(1, "num_classes")); ok {
			n = i
		}
		if a.Rank() >= 0 {
			out.Dims = append(append([]int64{}, a.Dims...), n)
		}
		return out
	}
	v := in.generic("jax.nn."+name, c)
	if a, ok := v.(*Array); ok {
		a.Tree = false
	}
	return v
}

// optaxCall evaluates functions of optax.
func (in *interp) optaxCall(name string, c *Call) Value {
	switch name {
	case "apply_updates":
		return in.applyUpdates(orUnknown(c.value(0, "params")), orUnknown(c.value(1, "updates")), c)
	case "global_norm":
		if a, ok := mergedResult(c); ok {
			out := a.(*Array)
			out.Tree, out.RankKnown, out.Dims, out.Made = false, true, []int64{}, c.ev
			return out
		}
		return Unknown{}
	case "incremental_update":
		if a, ok := mergedResult(c); ok {
			return a
		}
		return Unknown{}
	}
	if strings.HasPrefix(name, "softmax_cross_entropy") || strings.HasSuffix(name, "_loss") || name == "squared_error" {
		if a, ok := mergedResult(c); ok {
			a.(*Array).Tree = false
			return a
		}
		return Unknown{}
	}
	return &Object{Class: "optax." + name, Made: c.ev}
}

// applyUpdates adds updates to parameters.
func (in *interp) applyUpdates(params, updates Value, c *Call) Value {
	add := func(p, u Value) Value {
		a, aok := asArray(p)
		b, bok := asArray(u)
		if !aok || !bok {
			return Unknown{}
		}
		out := a.derived()
		mergeFacts(out, a, b)
		out.Made = c.ev
		if b.Grad != nil {
			in.update(out, a, b.Grad, c.ev)
		}
		return out
	}
	if a, ok := params.(*Array); ok && a.Tree {
		leaves, _ := Leaves(updates)
		if len(leaves) > 0 {
			return add(a, leaves[0])
		}
		return Unknown{}
	}
	leaves, complete := Leaves(updates)
	old, all := Leaves(params)
	if len(leaves) == 1 && len(old) > 0 {
		return mapTree(params, 0, func(p Value) Value { return add(p, leaves[0]) })
	}
	if !complete || !all || len(leaves) != len(old) {
		return Unknown{}
	}
	i := 0
	return mapTree(params, 0, func(p Value) Value {
		i++
		return add(p, leaves[i-1])
	})
}

// optaxMethod evaluates the methods of gradient transformations.
func (in *interp) optaxMethod(o *Object, method string, c *Call) Value {
	switch method {
	case "init":
		if a, ok := mergedResult(c); ok {
			x := a.(*Array)
			x.Commit, x.Made = CommitUnknown, c.ev
			return x
		}
	case "update":
		grads := orUnknown(c.value(0))
		arrays := []*Array{}
		for _, p := range c.Pos {
			leaves, _ := Leaves(p.Value)
			for _, l := range leaves {
				a, ok := asArray(l)
				if !ok {
					return &Tuple{Elems: []Value{Unknown{}, Unknown{}}}
				}
				arrays = append(arrays, a)
			}
		}
		updates := mapTree(grads, 0, func(leaf Value) Value {
			g, ok := asArray(leaf)
			if !ok {
				return Unknown{}
			}
			out := g.derived()
			mergeFacts(out, arrays...)
			out.Grad = g.Grad
			return out
		})
		state := &Array{Tree: true}
		mergeFacts(state, arrays...)
		state.VarUpper = true // some transformations keep no state, others only a count
		return &Tuple{Elems: []Value{updates, state}}
	}
	return Unknown{}
}

// miscCall evaluates what belongs to no larger topic.
func (in *interp) miscCall(name string, c *Call) (Value, bool) {
	switch name {
	case "packaging.version.parse", "packaging.version.Version", "distutils.version.LooseVersion", "looseversion.LooseVersion", "pkg_resources.parse_version":
		return versionOf(c.value(0)), true
	case "flax.jax_utils.replicate":
		return replicated(orUnknown(c.value(0, "tree"))), true
	case "flax.jax_utils.unreplicate":
		return firstRow(orUnknown(c.value(0, "tree"))), true
	case "jax.flatten_util.ravel_pytree":
		return in.ravelTree(c), true
	case "jax.block_until_ready":
		return orUnknown(c.value(0)), true
	case "jax.device_get":
		return mapTree(orUnknown(c.value(0)), 0, func(leaf Value) Value {
			a, ok := leaf.(*Array)
			if !ok {
				return leaf
			}
			out := a.derived()
			out.Host, out.Made, out.Memory = true, c.ev, ""
			return out
		}), true
	case "jax.experimental.multihost_utils.process_allgather":
		if a, ok := mergedResult(c); ok {
			x := a.(*Array)
			x.Host, x.Made = true, c.ev
			return x, true
		}
		return Unknown{}, true
	case "jax.experimental.multihost_utils.host_local_array_to_global_array", "jax.experimental.multihost_utils.global_array_to_host_local_array":
		if m, ok := c.value(1).(*Mesh); ok {
			in.meetTree(c.value(2, "pspecs"), m, MeetOther, c.ev, false)
		}
		return Unknown{}, true
	case "flax.linen.set_logical_axis_rules":
		in.applyRules(c.value(0, "rules"))
		return None{}, true
	case "jax.distributed.initialize", "jax.config.update", "jax.debug.print", "jax.debug.callback":
		return None{}, true
	case "jax.named_scope", "jax.default_device", "jax.default_matmul_precision", "jax.profiler.trace", "jax.transfer_guard", "jax.ensure_compile_time_eval", "jax.log_compiles", "jax.threefry_partitionable":
		return &Object{Class: name, Made: c.ev}, true
	case "collections.namedtuple":
		return in.namedTuple(c), true
	case "types.SimpleNamespace":
		o := &Instance{Class: &Class{Name: "SimpleNamespace", Attrs: map[string]Value{}}, Attrs: map[string]Value{}, At: c.At, Open: c.Splat}
		for _, a := range c.Kw {
			o.Attrs[a.Name] = a.Value
		}
		return o, true
	case "jax.experimental.pallas.pallas_call", "jax.ffi.ffi_call":
		return &Object{Class: name, Made: c.ev}, true
	}
	return nil, false
}

func versionOf(v Value) Value {
	s, ok := String(v)
	if !ok {
		return Unknown{}
	}
	t := &Tuple{}
	for _, part := range strings.Split(s, ".") {
		n := 0
		for _, r := range part {
			if r < '0' || r > '9' {
				break
			}
			n = n*10 + int(r-'0')
		}
		t.Elems = append(t.Elems, Int(n))
	}
	for len(t.Elems) < 3 {
		t.Elems = append(t.Elems, Int(0))
	}
	return t
}

func (in *interp) namedTuple(c *Call) Value {
	name, _ := String(c.value(0))
	var fields []string
	switch v := c.value(1).(type) {
	case *Str:
		fields = strings.FieldsFunc(v.S, func(r rune) bool { return r == ' ' || r == ',' })
	default:
		names, ok := Names(orUnknown(v))
		if !ok {
			return Unknown{}
		}
		for _, n := range names {
			fields = append(fields, n.S)
		}
	}
	k := &Class{Name: name, At: c.At, Tuple: true, Attrs: map[string]Value{}}
	for _, f := range fields {
		k.Fields = append(k.Fields, &Param{Name: f, Annotation: -1})
	}
	if d, complete, ok := Elements(orUnknown(c.value(-1, "defaults"))); ok && complete && len(d) <= len(k.Fields) {
		for i, v := range d {
			k.Fields[len(k.Fields)-len(d)+i].Default = v
		}
	}
	return k
}
