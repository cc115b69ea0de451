package flow

// broadcast gives the dimensions of operands broadcast together; ok is false when a rank is unknown.
func broadcast(arrays ...*Array) (dims []int64, ok bool) {
	dims = []int64{}
	for _, a := range arrays {
		if a.Rank() < 0 {
			return nil, false
		}
		dims = broadcastTwo(dims, a.Dims)
	}
	return dims, true
}

func broadcastTwo(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append([]int64{}, a...)
	off := len(a) - len(b)
	for i, d := range b {
		x := out[off+i]
		switch {
		case x == 1:
			out[off+i] = d
		case d == 1 || x == d:
		case x < 0 && d > 1:
			out[off+i] = d
		case d < 0 && x > 1:
		default:
			out[off+i] = -1
		}
	}
	return out
}

// matmulDims is the shape of a @ b.
func matmulDims(a, b *Array) ([]int64, bool) {
	ra, rb := a.Rank(), b.Rank()
	if ra < 1 || rb < 1 {
		return nil, false
	}
	switch {
	case ra == 1 && rb == 1:
		return []int64{}, true
	case ra == 1:
		return append(append([]int64{}, b.Dims[:rb-2]...), b.Dims[rb-1]), true
	case rb == 1:
		return append([]int64{}, a.Dims[:ra-1]...), true
	}
	batch := broadcastTwo(a.Dims[:ra-2], b.Dims[:rb-2])
	return append(batch, a.Dims[ra-2], b.Dims[rb-1]), true
}

// reduceDims removes the reduced axes.
func reduceDims(a *Array, axis Value, keep bool) ([]int64, bool) {
	if axis == nil || IsNone(axis) {
		if !keep {
			if a.Tree {
				return nil, false
			}
			return []int64{}, true
		}
		if a.Rank() < 0 {
			return nil, false
		}
		out := make([]int64, a.Rank())
		for i := range out {
			out[i] = 1
		}
		return out, true
	}
	if a.Rank() < 0 {
		return nil, false
	}
	axes, ok := sizesOf(axis)
	if !ok {
		return nil, false
	}
	gone := map[int]bool{}
	for _, x := range axes {
		if x < 0 {
			x += int64(a.Rank())
		}
		if x < 0 || x >= int64(a.Rank()) {
			return nil, false
		}
		gone[int(x)] = true
	}
	out := []int64{}
	for i, d := range a.Dims {
		if !gone[i] {
			out = append(out, d)
		} else if keep {
			out = append(out, 1)
		}
	}
	return out, true
}

// arrayBinary evaluates an operator with an array operand.
func (in *interp) arrayBinary(op string, l, r Value, at Ref) Value {
	a, aok := asArray(l)
	b, bok := asArray(r)
	if !aok || !bok {
		in.event("op."+opName(op), &Call{At: at, Pos: []Arg{{Value: l}, {Value: r}}, in: in})
		return Unknown{}
	}
	e := in.event("op."+opName(op), &Call{At: at, Pos: []Arg{{Value: l}, {Value: r}}, in: in})
	out := &Array{Host: a.Host && (b.Host || b.Weak) || b.Host && a.Weak} // operators work on arrays, not on trees
	mergeFacts(out, a, b)
	if op == "@" {
		out.Dims, out.RankKnown = matmulDims(a, b)
		out.Draws = multipliedDraws(a, b)
	} else {
		out.Dims, out.RankKnown = broadcast(a, b)
	}
	out.DType, out.Weak = promote(a, b)
	in.operatorFacts(op, out, a, b, e)
	out.Commit = commitOf(a, b)
	if op == "@" {
		out.Sharding = productSharding(a, b)
	} else {
		out.Sharding = elementwiseSharding(out, a, b)
		if out.Sharding == nil {
			out.Sharding = in.eagerSharding(a, b)
		}
	}
	e.Result = out
	return out
}

// commitOf is the commitment of a result: committed if an operand is.
func commitOf(arrays ...*Array) Commit {
	c := Fresh
	for _, a := range arrays {
		switch a.Commit {
		case Committed:
			return Committed
		case CommitUnknown:
			c = CommitUnknown
		}
	}
	return c
}

// operatorFacts carries gradients, quotients and updates through an operator.
func (in *interp) operatorFacts(op string, out, a, b *Array, e *Event) {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		out.DType, out.Weak = "bool", false
		return
	case "/":
		out.Ratio = &Ratio{Num: a, Den: b, Event: e}
		if a.DType != "" && categoryOf(a.DType) < 3 && categoryOf(b.DType) < 3 {
			out.DType = "float32"
		}
	}
	switch {
	case a.Grad != nil && b.Grad != nil, op == "+" && (a.Zero || b.Zero):
		out.Grad = joinGradients(a, b)
	case a.Grad != nil && (op == "*" || op == "/"):
		out.Grad = a.Grad
	case b.Grad != nil && op == "*":
		out.Grad = b.Grad
	case op == "+" && a.Grad != nil && in.blended(b):
		out.Grad = a.Grad
	case op == "+" && b.Grad != nil && in.blended(a):
		out.Grad = b.Grad
	case b.Grad != nil && (op == "-" || op == "+"):
		in.update(out, a, b.Grad, e)
	case a.Grad != nil && op == "+":
		in.update(out, b, a.Grad, e)
	}
	if a.Sum != nil && (op == "+" || op == "-") && b.Var == nil {
		out.Sum = a.Sum
	}
	if b.Sum != nil && op == "+" && a.Var == nil {
		out.Sum = b.Sum
	}
}

// blended reports whether adding a gradient to a value gives a direction rather than a new parameter: in a manual region the value
// is computed, as a decayed momentum or a weight decay is, and not an argument as it came.
func (in *interp) blended(a *Array) bool {
	return in.region.InManual() != nil && a.Input == nil && a.Update == nil && !a.Weak
}

// update notes that a parameter was changed by a gradient.
func (in *interp) update(out, param *Array, g *Gradient, e *Event) {
	if param.Weak {
		out.Grad = g
		return
	}
	out.Update = &Update{Param: param, Grad: g, Event: e}
	in.facts.Updates = append(in.facts.Updates, out.Update)
}

func opName(op string) string {
	switch op {
	case "+":
		return "add"
	case "-":
		return "sub"
	case "*":
		return "mul"
	case "/":
		return "truediv"
	case "//":
		return "floordiv"
	case "%":
		return "mod"
	case "@":
		return "matmul"
	case "**":
		return "pow"
	case "==", "!=", "<", "<=", ">", ">=":
		return "comparison"
	}
	return "bitwise"
}

// arrayAttr reads an attribute of an array.
func (in *interp) arrayAttr(a *Array, name string, at Ref) Value {
	if !a.Tree || a.RankKnown {
		switch name {
		case "shape":
			if a.Rank() < 0 {
				return &Tuple{Open: true}
			}
			return dimsTuple(a.Dims)
		case "ndim":
			if a.Rank() >= 0 {
				return Int(a.Rank())
			}
			return Unknown{}
		case "size":
			if n := a.Size(); n >= 0 {
				return Int(n)
			}
			return Unknown{}
		}
	}
	switch name {
	case "shape":
		return &Tuple{Open: true}
	case "ndim", "size", "nbytes", "itemsize", "is_fully_addressable", "is_fully_replicated":
		return Unknown{}
	case "dtype":
		if a.DType != "" {
			return &DType{Name: a.DType}
		}
		return Unknown{}
	case "T", "mT":
		out := a.derived()
		out.Grad, out.Gather = a.Grad, nil
		if r := a.Rank(); r >= 0 {
			perm := backwards(r)
			if name == "mT" && r > 2 { // the last two dimensions alone
				for i := range perm {
					perm[i] = i
				}
				perm[r-2], perm[r-1] = r-1, r-2
			}
			out.transpose(a, perm)
			out.Commit = a.Commit
		}
		return out
	case "real", "imag":
		return a.derived()
	case "sharding":
		if a.Sharding != nil {
			return a.Sharding
		}
		return Unknown{}
	case "at":
		return &Method{Recv: a, Name: "at", At: at}
	}
	if a.Tree && !arrayMethod(name) { // an attribute of a tree node: a part of the tree
		out := a.clone()
		out.Label, out.Part = "", true
		return out
	}
	return &Method{Recv: a, Name: name, At: at}
}

// arrayMethod reports whether arrays have a method of that name, or trees such as dicts.
func arrayMethod(name string) bool {
	switch name {
	case "sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "argmax", "argmin", "cumsum", "cumprod", "reshape", "transpose", "astype",
		"flatten", "ravel", "squeeze", "swapaxes", "dot", "item", "tolist", "block_until_ready", "copy", "clip", "round", "take", "repeat", "sort", "argsort",
		"addressable_data", "addressable_shards", "global_shards", "conj", "diagonal", "trace", "view", "get", "items", "keys", "values", "replace", "_replace",
		"apply_gradients", "apply", "update", "pop", "devices", "on_device_size_in_bytes", "is_deleted", "delete", "copy_to_host_async", "__array__", "init", "apply_fn", "__call__":
		return true
	}
	return false
}

// arrayItem indexes an array, or a tree of unknown structure.
func (in *interp) arrayItem(a *Array, key Value, at Ref) Value {
	e := in.event("op.getitem", &Call{At: at, Recv: a, Pos: []Arg{{Value: key}}, in: in})
	v := indexArray(a, key)
	e.Result = v
	return v
}

func indexArray(a *Array, key Value) Value {
	if a.Tree {
		out := a.clone()
		out.Label, out.Part = "", true
		if s, ok := key.(*Str); ok && a.Label != "" {
			out.Label = a.Label + "['" + s.S + "']"
		}
		return out
	}
	out := a.derived()
	out.Grad, out.Key, out.Gather = a.Grad, a.Key, a.Gather
	out.Commit = a.Commit
	if a.Input != nil {
		out.Input = a.Input
	}
	keys := []Value{key}
	if t, ok := key.(*Tuple); ok && !t.Open {
		keys = t.Elems
	}
	var index []*Array
	for _, k := range keys {
		if x, ok := k.(*Array); ok {
			index = append(index, x)
		}
	}
	if len(index) > 0 {
		mergeFacts(out, append(index, a)...)
		out.Grad = nil
	}
	out.Dims, out.RankKnown = indexDims(a, keys)
	return out
}

// indexDims is the shape of a[keys].
func indexDims(a *Array, keys []Value) ([]int64, bool) {
	if a.Rank() < 0 {
		return nil, false
	}
	used := 0
	for _, k := range keys {
		switch k.(type) {
		case None, Ellipsis:
		default:
			used++
		}
	}
	if used > a.Rank() {
		return nil, false
	}
	out := []int64{}
	i := 0
	for _, k := range keys {
		switch x := k.(type) {
		case None:
			out = append(out, 1)
		case Ellipsis:
			for n := a.Rank() - used; n > 0; n-- {
				out = append(out, a.Dims[i])
				i++
			}
		case *Slice:
			d := int64(-1)
			if a.Dims[i] >= 0 {
				if n, ok := x.Length(a.Dims[i]); ok {
					d = n
				}
			}
			if a.Dims[i] < 0 && x.Lo == nil && x.Hi == nil && x.Step == nil {
				d = -1
			}
			out = append(out, d)
			i++
		case Int, Bool:
			i++
		case *Array:
			if x.DType == "bool" || x.Rank() < 0 {
				return nil, false
			}
			out = append(out, x.Dims...)
			i++
		default:
			return nil, false
		}
	}
	return append(out, a.Dims[min(i, len(a.Dims)):]...), true
}
