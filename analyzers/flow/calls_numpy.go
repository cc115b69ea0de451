package flow

import "strings"

// numpyCall evaluates functions of numpy (host) and jax.numpy.
func (in *interp) numpyCall(host bool, name string, c *Call) Value {
	switch name {
	case "array", "asarray", "asanyarray", "ascontiguousarray":
		return in.makeNumpy(host, c)
	case "zeros", "ones", "empty":
		return in.filled(host, c, c.value(0, "shape"), c.value(1, "dtype"))
	case "full":
		return in.filled(host, c, c.value(0, "shape"), c.value(2, "dtype"))
	case "zeros_like", "ones_like", "full_like", "empty_like":
		return in.filledLike(host, name, c)
	case "arange", "linspace", "eye", "identity", "tri":
		return in.counted(host, name, c)
	case "sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "median", "amax", "amin", "nansum", "nanmean", "count_nonzero", "argmax", "argmin", "ptp":
		return in.reduceCall(host, name, c, c.value(0, "a"), 1)
	case "reshape":
		return in.reshapeCall(c, c.value(0, "a"), c.value(1, "shape", "newshape"))
	case "transpose", "permute_dims":
		return in.transposeCall(c, c.value(0, "a"), c.value(1, "axes"))
	case "matmul", "dot", "vdot", "inner", "tensordot", "outer":
		return in.product(host, name, c)
	case "einsum":
		return in.einsum(host, c)
	case "expand_dims":
		return in.expandDims(c)
	case "squeeze", "ravel", "flip", "roll", "sort", "argsort", "cumsum", "cumprod", "tile", "repeat", "swapaxes", "moveaxis", "take", "take_along_axis",
		"split", "array_split", "broadcast_to", "pad", "concatenate", "stack", "hstack", "vstack", "where", "clip", "select", "atleast_1d", "atleast_2d", "fliplr", "flipud", "rot90", "triu", "tril", "diag":
		return in.shapeCall(host, name, c)
	case "linalg.norm":
		return in.reduceCall(host, name, c, c.value(0, "x"), 2)
	}
	if _, ok := dtypeOf(canonicalDType(name)); ok {
		return in.castScalar(canonicalDType(name), c)
	}
	if elementwise(name) {
		return in.elementwiseCall(name, host, c)
	}
	prefix := "jax.numpy."
	if host {
		prefix = "numpy."
	}
	v := in.generic(prefix+name, c)
	if a, ok := v.(*Array); ok {
		a.Tree = false
		a.Host = host
	}
	return v
}

// fresh describes a new array made by c.
func (in *interp) fresh(host bool, c *Call) *Array {
	return &Array{Host: host, Made: c.ev, Commit: Fresh, VarKnown: true}
}

// filled evaluates zeros(shape, dtype) and its relatives.
func (in *interp) filled(host bool, c *Call, shape, dtype Value) Value {
	out := in.fresh(host, c)
	if dims, ok := sizesOf(orUnknown(shape)); ok {
		out.Dims, out.RankKnown = dims, true
	} else if _, isArray := shape.(*Array); isArray {
		return Unknown{}
	}
	out.DType = "float32"
	out.Zero = strings.HasSuffix(c.ev.Name, ".zeros")
	if dtype != nil && !IsNone(dtype) {
		out.DType = dtypeFrom(dtype)
	}
	if fill, ok := c.value(1, "fill_value").(*Array); ok && strings.HasSuffix(c.ev.Name, ".full") {
		mergeFacts(out, fill)
		out.DType = fill.DType
	} else if c.value(1, "fill_value") != nil && strings.HasSuffix(c.ev.Name, ".full") && dtype == nil {
		out.DType = ""
	}
	return in.placedAt(out, c)
}

// placedAt applies the device= or out_sharding= argument of a constructor.
func (in *interp) placedAt(out *Array, c *Call) Value {
	for _, name := range []string{"device", "out_sharding"} {
		v := c.value(-1, name)
		if v == nil || IsNone(v) {
			continue
		}
		kind := PlaceDevice
		in.placeSharding(kind, out, v, MeetOut, c.ev, c.At)
		if s, ok := in.shardingOf(v, MeetOut, c.ev); ok {
			out.Sharding, out.Commit = s, Committed
		}
	}
	if in.ctx.New != nil && out.Sharding == nil && !out.Host && !in.region.Traced() && in.ctx.NewKnown {
		out.Sharding = &Sharding{Kind: "jax.sharding.NamedSharding", Mesh: in.ctx.New, Spec: &Spec{Known: true}}
		out.Commit = Committed // under set_mesh a fresh array belongs to the mesh, replicated
	}
	return out
}

// filledLike evaluates zeros_like and its relatives: they vary where their argument does since 0.7.0.
func (in *interp) filledLike(host bool, name string, c *Call) Value {
	like := orUnknown(c.value(0, "a"))
	return mapTree(like, 0, func(leaf Value) Value {
		a, ok := asArray(leaf)
		if !ok {
			return Unknown{}
		}
		out := in.fresh(host, c)
		out.Zero = name == "zeros_like"
		out.Dims, out.RankKnown, out.DType, out.Tree = a.Dims, a.RankKnown, a.DType, a.Tree
		if !in.region.Traced() {
			out.Sharding, out.Commit = a.Sharding, a.Commit
		}
		if in.rel.AtLeast(0, 7, 0) {
			out.Var, out.VarKnown, out.Touched = a.Var, a.VarKnown, a.Var
		}
		pos := 1
		if name == "full_like" {
			pos = 2
		}
		if d := c.value(pos, "dtype"); d != nil && !IsNone(d) {
			out.DType = dtypeFrom(d)
		}
		return out
	})
}

func (in *interp) counted(host bool, name string, c *Call) Value {
	out := in.fresh(host, c)
	out.DType = "int32"
	n := int64(-1)
	switch name {
	case "arange":
		out.Dims, out.RankKnown = []int64{-1}, true
		var parts []float64
		for _, a := range c.Pos {
			f, ok := number(a.Value)
			if !ok {
				parts = nil
				break
			}
			if _, isFloat := a.Value.(Float); isFloat {
				out.DType = "float32"
			}
			parts = append(parts, f)
		}
		switch len(parts) {
		case 1:
			n = int64(parts[0])
		case 2:
			n = int64(parts[1] - parts[0])
		case 3:
			if parts[2] > 0 {
				n = int64((parts[1]-parts[0])/parts[2] + 0.999999)
			}
		}
		out.Dims[0] = max(n, -1)
	case "linspace":
		out.DType = "float32"
		out.Dims, out.RankKnown = []int64{50}, true
		if v := c.value(2, "num"); v != nil {
			out.Dims[0] = -1
			if i, ok := Integer(v); ok {
				out.Dims[0] = i
			}
		}
	default:
		out.DType = "float32"
		out.Dims, out.RankKnown = []int64{-1, -1}, true
		if i, ok := Integer(c.value(0, "N", "n")); ok {
			out.Dims = []int64{i, i}
			if m, ok := Integer(c.value(1, "M")); ok {
				out.Dims[1] = m
			}
		}
	}
	if d := c.value(-1, "dtype"); d != nil {
		out.DType = dtypeFrom(d)
	}
	return in.placedAt(out, c)
}

// makeNumpy evaluates array(...) and asarray(...).
func (in *interp) makeNumpy(host bool, c *Call) Value {
	v := orUnknown(c.value(0, "object", "a"))
	switch x := v.(type) {
	case *Devices:
		d := *x
		d.Host = true
		return &d
	case *Array:
		out := x.clone()
		out.Made = c.ev
		if host != x.Host {
			out.Sharding, out.Commit = nil, Fresh
		}
		out.Host = host
		out.Weak = false
		if d := c.value(1, "dtype"); d != nil && !IsNone(d) {
			out.DType = dtypeFrom(d)
		}
		return out
	case Unknown:
		if !host {
			return Unknown{}
		}
		out := in.fresh(host, c)
		out.HostData = true
		return out
	case *List, *Tuple:
		if d, ok := devicesIn(v); ok {
			return d
		}
	case *Object:
		if x.Class == "process index" || x.Class == "process derived" {
			return &Array{Host: host, Made: c.ev, VarKnown: true, RankKnown: true}
		}
	}
	out := in.fresh(host, c)
	dims, leaf, ok := nested(v, 0)
	out.Dims, out.RankKnown = dims, ok
	out.HostData = !ok
	switch l := leaf.(type) {
	case Float:
		out.DType = "float32"
	case Int:
		out.DType = "int32"
	case Bool:
		out.DType = "bool"
	case *Array:
		mergeFacts(out, l)
		out.DType = l.DType
		out.Commit = CommitUnknown
	}
	if d := c.value(1, "dtype"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	return in.placedAt(out, c)
}

// devicesIn recognises a list of devices.
func devicesIn(v Value) (*Devices, bool) {
	elems, complete, _ := Elements(v)
	if !complete || len(elems) == 0 {
		return nil, false
	}
	first, ok := elems[0].(*Devices)
	if !ok {
		return nil, false
	}
	return &Devices{Base: first.Base, Ops: append(append([]string(nil), first.Ops...), "list"), Dims: []int64{int64(len(elems))}, Local: first.Local, CPU: first.CPU, Host: true}, true
}

// nested is the shape of nested lists and their first leaf.
func nested(v Value, depth int) (dims []int64, leaf Value, ok bool) {
	elems, complete, isSeq := Elements(v)
	switch x := v.(type) {
	case *List, *Tuple, *Range:
	case *Array:
		return x.Dims, x, x.RankKnown && !x.Tree
	default:
		_, isNum := asArray(v)
		return []int64{}, v, isNum
	}
	if !isSeq || depth > 6 {
		return nil, nil, false
	}
	if !complete {
		return nil, nil, false
	}
	if len(elems) == 0 {
		return []int64{0}, Float(0), true
	}
	inner, leaf, ok := nested(elems[0], depth+1)
	for _, e := range elems {
		if _, isFloat := e.(Float); isFloat {
			leaf = e
		}
	}
	return append([]int64{int64(len(elems))}, inner...), leaf, ok
}

// castScalar evaluates jnp.float32(x) and its relatives.
func (in *interp) castScalar(dtype string, c *Call) Value {
	if c.ev == nil {
		c.ev = in.event("jax.numpy."+dtype, c)
	}
	if e, ok := c.Callee.(*Ext); ok {
		c.ev.Name = e.Name
	}
	if a, ok := c.value(0).(*Array); ok {
		out := a.derived()
		out.Grad = a.Grad
		out.DType, out.Weak = dtype, false
		c.ev.Result = out
		return out
	}
	if _, ok := asArray(orUnknown(c.value(0))); ok {
		out := in.fresh(false, c)
		out.RankKnown, out.Dims, out.DType = true, []int64{}, dtype
		v := in.placedAt(out, c)
		c.ev.Result = v
		return v
	}
	return Unknown{}
}

// reduceCall evaluates reductions over array elements.
func (in *interp) reduceCall(host bool, name string, c *Call, v Value, axisPos int) Value {
	a, ok := asArray(orUnknown(v))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Tree = false
	out.Made = c.ev
	out.Host = a.Host
	keep, kknown := Truth(orDefault(c.value(-1, "keepdims"), Bool(false)))
	axis := c.value(axisPos, "axis")
	out.Dims, out.RankKnown = nil, false
	if kknown && !IsUnknown(orDefault(axis, None{})) {
		out.Dims, out.RankKnown = reduceDims(&Array{Dims: a.Dims, RankKnown: a.RankKnown}, axis, keep)
	}
	out.Sharding = scalarSharding(out, a)
	switch name {
	case "mean", "std", "var", "median", "linalg.norm":
		if a.DType != "" && categoryOf(a.DType) < 3 {
			out.DType = "float32"
		}
	case "any", "all":
		out.DType = "bool"
	case "argmax", "argmin", "count_nonzero":
		out.DType = "int32"
	case "sum", "prod":
		if a.DType == "bool" {
			out.DType = "int32"
		}
	}
	out.Weak = false
	if d := c.value(-1, "dtype"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	if name == "sum" || name == "nansum" || name == "count_nonzero" {
		out.Sum = c.ev
	}
	_ = host
	out.Commit = a.Commit
	return out
}

// elementwise reports whether a function works element by element and keeps the broadcast shape.
func elementwise(name string) bool {
	switch name {
	case "abs", "absolute", "add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "mod", "remainder", "power", "pow", "negative", "sign", "sqrt",
		"square", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arctan2",
		"maximum", "minimum", "fmax", "fmin", "floor", "ceil", "round", "rint", "trunc", "logical_and", "logical_or", "logical_not", "logical_xor", "equal",
		"not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf", "isfinite", "nan_to_num", "reciprocal", "rsqrt", "logaddexp", "erf",
		"relu", "relu6", "gelu", "silu", "swish", "sigmoid", "softplus", "elu", "leaky_relu", "log_sigmoid", "selu", "mish", "hard_tanh", "hard_swish", "celu",
		"softmax", "log_softmax", "standardize", "logistic", "neg", "sub", "mul", "div", "max", "min", "integer_pow", "cbrt", "conj", "clamp", "soft_sign",
		"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift", "nextafter", "heaviside", "hypot", "real", "imag", "angle", "copy":
		return true
	}
	return false
}

// elementwiseCall evaluates a function that works element by element.
func (in *interp) elementwiseCall(name string, host bool, c *Call) Value {
	var arrays []*Array
	for i, p := range c.Pos {
		a, ok := asArray(p.Value)
		if !ok {
			if i > 0 && (name == "softmax" || name == "log_softmax" || name == "round") {
				break
			}
			return Unknown{}
		}
		arrays = append(arrays, a)
		if name == "softmax" || name == "log_softmax" || name == "standardize" || name == "round" {
			break
		}
	}
	if len(arrays) == 0 || c.Splat {
		return Unknown{}
	}
	out := &Array{Host: host && allHost(arrays), Made: c.ev, Tree: arrays[0].Tree}
	mergeFacts(out, arrays...)
	out.Dims, out.RankKnown = broadcast(arrays...)
	out.DType, out.Weak = arrays[0].DType, arrays[0].Weak
	if len(arrays) > 1 {
		out.DType, out.Weak = promote(arrays[0], arrays[1])
	}
	out.Commit, out.Sharding = commitOf(arrays...), mappedSharding(out, arrays)
	if op := operatorOf(name); op != "" && len(arrays) == 2 {
		in.operatorFacts(op, out, arrays[0], arrays[1], c.ev)
	}
	in.elementFacts(name, out, arrays)
	return out
}

func allHost(arrays []*Array) bool {
	for _, a := range arrays {
		if !a.Host && !a.Weak {
			return false
		}
	}
	return true
}

func operatorOf(name string) string {
	switch name {
	case "add":
		return "+"
	case "subtract", "sub":
		return "-"
	case "multiply", "mul":
		return "*"
	case "divide", "true_divide", "div":
		return "/"
	}
	return ""
}

// elementFacts keeps what survives a function of one array: a clamped sum is still a sum.
func (in *interp) elementFacts(name string, out *Array, arrays []*Array) {
	switch name {
	case "maximum", "fmax", "max":
		for i, a := range arrays {
			if a.Sum != nil && len(arrays) == 2 && len(arrays[1-i].Var) == 0 {
				out.Sum = a.Sum
			}
		}
	case "negative", "neg", "nan_to_num", "round", "conj", "real", "copy":
		out.Grad = arrays[0].Grad
	case "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_not":
		out.DType, out.Weak = "bool", false
	case "tanh", "exp", "log", "sqrt", "sigmoid", "gelu", "relu", "silu", "softmax", "log_softmax", "sin", "cos":
		if out.DType != "" && categoryOf(out.DType) < 3 {
			out.DType = "float32"
		}
	}
}

func (in *interp) reshapeCall(c *Call, v, shape Value) Value {
	if d, ok := v.(*Devices); ok {
		if dims, ok := sizesOf(orUnknown(shape)); ok {
			out := d.reshape(dims)
			out.Reshaped = c.ev
			return out
		}
		out := *d
		out.Dims, out.Host = nil, true
		return &out
	}
	a, ok := asArray(orUnknown(v))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Tree = false
	out.Made, out.Grad, out.Gather = c.ev, a.Grad, a.Gather
	out.Commit = a.Commit
	out.Dims, out.RankKnown = nil, false
	if dims, ok := sizesOf(orUnknown(shape)); ok {
		out.Dims, out.RankKnown = append([]int64{}, dims...), true
		if n := a.Size(); n >= 0 {
			solveMinusOne(out.Dims, n)
		}
	}
	return out
}

func (in *interp) transposeCall(c *Call, v, axes Value) Value {
	if d, ok := v.(*Devices); ok {
		perm, _ := sizesOf(orUnknown(axes))
		return d.transposed(perm)
	}
	a, ok := asArray(orUnknown(v))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Made, out.Grad, out.Commit = c.ev, a.Grad, a.Commit
	if a.Rank() < 0 {
		return out
	}
	if axes == nil || IsNone(axes) {
		out.Dims = reversed(a.Dims)
		return out
	}
	perm, ok := sizesOf(axes)
	if !ok || len(perm) != len(a.Dims) {
		out.Dims, out.RankKnown = nil, false
		return out
	}
	out.Dims = make([]int64, len(perm))
	for i, p := range perm {
		if p < 0 {
			p += int64(len(perm))
		}
		out.Dims[i] = -1
		if p >= 0 && p < int64(len(a.Dims)) {
			out.Dims[i] = a.Dims[p]
		}
	}
	return out
}

// product evaluates matmul, dot and their relatives.
func (in *interp) product(host bool, name string, c *Call) Value {
	a, aok := asArray(orUnknown(c.value(0, "a")))
	b, bok := asArray(orUnknown(c.value(1, "b")))
	if !aok || !bok {
		return Unknown{}
	}
	out := &Array{Host: host && a.Host && b.Host, Made: c.ev}
	mergeFacts(out, a, b)
	out.DType, _ = promote(a, b)
	if d := c.value(-1, "preferred_element_type"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	switch name {
	case "matmul", "dot":
		out.Dims, out.RankKnown = matmulDims(a, b)
		out.Sharding = productSharding(a, b)
		if name == "dot" && (a.Rank() > 2 || b.Rank() > 2) {
			out.Dims, out.RankKnown, out.Sharding = nil, false, nil
		}
	case "vdot":
		out.Dims, out.RankKnown = []int64{}, true
	case "outer":
		if a.Rank() == 1 && b.Rank() == 1 {
			out.Dims, out.RankKnown = []int64{a.Dims[0], b.Dims[0]}, true
		}
	}
	out.Commit = commitOf(a, b)
	return in.placedOut(out, c)
}

// placedOut applies an out_sharding argument to the result of an operation.
func (in *interp) placedOut(out *Array, c *Call) Value {
	v := c.value(-1, "out_sharding")
	if v == nil || IsNone(v) {
		return out
	}
	in.placeSharding(PlaceReshard, out, v, MeetOut, c.ev, c.At)
	if s, ok := in.shardingOf(v, MeetOut, c.ev); ok {
		out.Sharding = s
	}
	return out
}

// einsum reads the subscripts to find the shape of the result.
func (in *interp) einsum(host bool, c *Call) Value {
	var arrays []*Array
	for _, p := range c.Pos[min(1, len(c.Pos)):] {
		a, ok := asArray(p.Value)
		if !ok {
			return Unknown{}
		}
		arrays = append(arrays, a)
	}
	if len(arrays) == 0 {
		return Unknown{}
	}
	out := &Array{Host: host && allHost(arrays), Made: c.ev}
	mergeFacts(out, arrays...)
	out.DType = arrays[0].DType
	if len(arrays) > 1 {
		out.DType, _ = promote(arrays[0], arrays[1])
	}
	if d := c.value(-1, "preferred_element_type"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	if s, ok := String(c.value(0)); ok {
		out.Dims, out.RankKnown = einsumDims(strings.ReplaceAll(s, " ", ""), arrays)
	}
	out.Commit = commitOf(arrays...)
	return in.placedOut(out, c)
}

func einsumDims(spec string, arrays []*Array) ([]int64, bool) {
	left, right, found := strings.Cut(spec, "->")
	inputs := strings.Split(left, ",")
	if !found || strings.Contains(spec, ".") || len(inputs) != len(arrays) {
		return nil, false
	}
	sizes := map[rune]int64{}
	for i, letters := range inputs {
		for j, r := range letters {
			if old, ok := sizes[r]; !ok || old < 0 {
				sizes[r] = -1
				if arrays[i].Rank() == len(letters) {
					sizes[r] = arrays[i].Dims[j]
				}
			}
		}
	}
	out := []int64{}
	for _, r := range right {
		d, ok := sizes[r]
		if !ok {
			return nil, false
		}
		out = append(out, d)
	}
	return out, true
}

func (in *interp) expandDims(c *Call) Value {
	a, ok := asArray(orUnknown(c.value(0, "a")))
	if !ok {
		return Unknown{}
	}
	out := a.derived()
	out.Made, out.Grad, out.Commit = c.ev, a.Grad, a.Commit
	axes, ok := sizesOf(orUnknown(c.value(1, "axis", "dimensions")))
	if !ok || a.Rank() < 0 {
		out.Dims, out.RankKnown = nil, false
		return out
	}
	rank := int64(a.Rank() + len(axes))
	at := map[int64]bool{}
	for _, x := range axes {
		if x < 0 {
			x += rank
		}
		at[x] = true
	}
	out.Dims = []int64{}
	next := 0
	for i := int64(0); i < rank; i++ {
		if at[i] {
			out.Dims = append(out.Dims, 1)
		} else if next < len(a.Dims) {
			out.Dims = append(out.Dims, a.Dims[next])
			next++
		}
	}
	return out
}

// shapeCall evaluates functions that rearrange arrays.
func (in *interp) shapeCall(host bool, name string, c *Call) Value {
	first := orUnknown(c.value(0))
	if d, ok := first.(*Devices); ok {
		switch name {
		case "ravel":
			return d.flattened()
		case "flip", "fliplr", "flipud", "roll", "sort", "rot90", "take", "repeat", "tile", "swapaxes", "moveaxis":
			out := *d
			out.Ops = append(append([]string(nil), d.Ops...), name)
			if name != "flip" && name != "roll" && name != "sort" {
				out.Dims = nil
			}
			return &out
		}
		out := *d
		out.Dims = nil
		return &out
	}
	var arrays []*Array
	collect := func(v Value) bool {
		a, ok := asArray(v)
		if ok {
			arrays = append(arrays, a)
		}
		return ok
	}
	switch name {
	case "concatenate", "stack", "hstack", "vstack":
		elems, complete, ok := Elements(first)
		if !ok || !complete {
			if a, isArray := first.(*Array); isArray {
				arrays = append(arrays, a)
				break
			}
			return Unknown{}
		}
		for _, e := range elems {
			if !collect(e) {
				return Unknown{}
			}
		}
	case "where", "clip", "select", "take", "take_along_axis", "pad":
		limit := map[string]int{"where": 3, "clip": 3, "take": 2, "take_along_axis": 2, "pad": 1, "select": 3}[name]
		for i, p := range c.Pos {
			if i >= limit {
				break
			}
			if IsNone(p.Value) {
				continue
			}
			if !collect(p.Value) {
				return Unknown{}
			}
		}
	default:
		if !collect(first) {
			return Unknown{}
		}
	}
	if len(arrays) == 0 {
		return Unknown{}
	}
	out := &Array{Host: host && allHost(arrays), Made: c.ev}
	mergeFacts(out, arrays...)
	main := arrays[0]
	if name == "where" && len(arrays) == 3 {
		main = arrays[1]
		out.DType, out.Weak = promote(arrays[1], arrays[2])
	} else {
		out.DType = main.DType
	}
	out.Commit = commitOf(arrays...)
	in.rearranged(name, out, main, arrays, c)
	return out
}

// rearranged fills in shape and facts of a rearranged array.
func (in *interp) rearranged(name string, out, main *Array, arrays []*Array, c *Call) {
	switch name {
	case "where", "clip":
		out.Dims, out.RankKnown = broadcast(arrays...)
		out.Grad = main.Grad
	case "flip", "roll", "sort", "argsort", "cumsum", "cumprod", "fliplr", "flipud", "triu", "tril":
		out.Dims, out.RankKnown = main.Dims, main.RankKnown && !main.Tree
		if c.value(-1, "axis") == nil && (name == "cumsum" || name == "cumprod") && main.Rank() != 1 {
			out.Dims, out.RankKnown = nil, false
		}
	case "ravel":
		if n := main.Size(); n >= 0 {
			out.Dims, out.RankKnown = []int64{n}, true
		} else {
			out.Dims, out.RankKnown = []int64{-1}, true
		}
		out.Grad = main.Grad
	case "broadcast_to":
		out.Dims, out.RankKnown = sizesOf(orUnknown(c.value(1, "shape")))
	case "pad":
		out.Dims, out.RankKnown = paddedDims(main, c.value(1, "pad_width"))
	case "concatenate":
		out.Dims, out.RankKnown = concatDims(arrays, c.value(1, "axis"))
	case "stack":
		if dims, ok := broadcast(arrays...); ok {
			axis, isInt := Integer(orDefault(c.value(1, "axis"), Int(0)))
			if isInt && axis >= 0 && axis <= int64(len(dims)) {
				out.Dims, out.RankKnown = append(append(append([]int64{}, dims[:axis]...), int64(len(arrays))), dims[axis:]...), true
			}
		}
	case "swapaxes":
		i, iok := Integer(c.value(1, "axis1"))
		j, jok := Integer(c.value(2, "axis2"))
		if n := int64(main.Rank()); n >= 0 && iok && jok {
			if i < 0 {
				i += n
			}
			if j < 0 {
				j += n
			}
			if i >= 0 && i < n && j >= 0 && j < n {
				out.Dims, out.RankKnown = append([]int64{}, main.Dims...), true
				out.Dims[i], out.Dims[j] = out.Dims[j], out.Dims[i]
			}
		}
	case "repeat":
		if n, ok := Integer(c.value(1, "repeats")); ok {
			if axis, ok := Integer(orUnknown(c.value(2, "axis"))); ok && main.Rank() > int(max(axis, -axis-1)) {
				if axis < 0 {
					axis += int64(main.Rank())
				}
				out.Dims, out.RankKnown = append([]int64{}, main.Dims...), true
				if out.Dims[axis] >= 0 {
					out.Dims[axis] *= n
				}
			}
		}
	case "take":
		if axis, ok := Integer(orUnknown(c.value(2, "axis"))); ok && len(arrays) == 2 && axis == 0 && main.Rank() > 0 && arrays[1].Rank() >= 0 {
			out.Dims, out.RankKnown = append(append([]int64{}, arrays[1].Dims...), main.Dims[1:]...), true
		}
	}
}

func paddedDims(a *Array, width Value) ([]int64, bool) {
	if a.Rank() < 0 || width == nil {
		return nil, false
	}
	pairs, complete, ok := Elements(width)
	if !ok || !complete {
		if n, isInt := Integer(width); isInt {
			out := append([]int64{}, a.Dims...)
			for i := range out {
				if out[i] >= 0 {
					out[i] += 2 * n
				}
			}
			return out, true
		}
		return nil, false
	}
	if len(pairs) != a.Rank() {
		return nil, false
	}
	out := append([]int64{}, a.Dims...)
	for i, p := range pairs {
		w, ok := sizesOf(p)
		lo, hi := int64(-1), int64(-1)
		if ok && len(w) == 2 {
			lo, hi = w[0], w[1]
		}
		if lo < 0 || hi < 0 || out[i] < 0 {
			out[i] = -1
			continue
		}
		out[i] += lo + hi
	}
	return out, true
}

func concatDims(arrays []*Array, axis Value) ([]int64, bool) {
	i, ok := Integer(orDefault(axis, Int(0)))
	n := arrays[0].Rank()
	if i < 0 {
		i += int64(n)
	}
	if !ok || n < 0 || i < 0 || i >= int64(n) {
		return nil, false
	}
	out := append([]int64{}, arrays[0].Dims...)
	for _, a := range arrays[1:] {
		if a.Rank() != n {
			return nil, false
		}
		if out[i] < 0 || a.Dims[i] < 0 {
			out[i] = -1
		} else {
			out[i] += a.Dims[i]
		}
	}
	return out, true
}
