package flow

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
	return mapArrays(tree, func(a *Array) Value {
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
	return mapOnlyArrays(o.Attrs["tree"], func(a *Array) Value {
		out := flat.derived()
		out.Grad, out.Commit = flat.Grad, flat.Commit
		out.Dims, out.RankKnown, out.DType, out.Tree = a.Dims, a.RankKnown, a.DType, a.Tree
		return out
	})
}

func mergedLeaves(leaves []Value) (*Array, bool) {
	arrays, ok := arraysOf(leaves)
	if !ok {
		return nil, false
	}
	out := &Array{}
	mergeFacts(out, arrays...)
	return out, true
}

// arraysOf returns leaves as arrays, false where there are none or one is something else.
func arraysOf(leaves []Value) ([]*Array, bool) {
	arrays := make([]*Array, len(leaves))
	for i, l := range leaves {
		a, ok := asArray(l)
		if !ok {
			return nil, false
		}
		arrays[i] = a
	}
	return arrays, len(arrays) > 0
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
