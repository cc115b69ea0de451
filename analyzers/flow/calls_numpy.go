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
	case "sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "median", "amax", "amin", "nansum", "nanmean", "count_nonzero", "argmax", "argmin", "ptp", "average":
		return in.reduceCall(name, c, c.value(0, "a"), 1)
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
		if name == "split" || name == "array_split" {
			if parts, ok := in.splitCall(host, name, c); ok {
				return parts
			}
		}
		return in.shapeCall(host, name, c)
	case "linalg.norm":
		return in.reduceCall(name, c, c.value(0, "x"), 2)
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
	return mapOnlyArrays(like, func(a *Array) Value {
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
func (in *interp) reduceCall(name string, c *Call, v Value, axisPos int) Value {
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
	out.Sharding = reducedSharding(out, a, axis, keep)
	switch name {
	case "mean", "average", "std", "var", "median", "linalg.norm":
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
	out.Commit = a.Commit
	in.selected(name, out, a, c)
	return out
}

// selected adds what the where= or weights= of a reduction brings along: a mean of chosen elements divides by their number.
func (in *interp) selected(name string, out, a *Array, c *Call) {
	chosen := c.value(-1, "where")
	if name == "average" {
		chosen = c.value(2, "weights")
	}
	if chosen == nil || IsNone(chosen) {
		return
	}
	by, ok := asArray(chosen)
	if !ok {
		out.VarKnown, out.Sum = false, nil
		return
	}
	mergeFacts(out, a, by)
	if name == "mean" || name == "average" {
		den := by.derived()
		den.Sum, den.Label = c.ev, by.Label
		out.Ratio = &Ratio{Num: a, Den: den, Event: c.ev}
	}
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
	if out.Sharding == nil {
		out.Sharding = in.eagerSharding(arrays...)
	}
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
