package flow

import "strings"

// nnCall evaluates functions of jax.nn.
func (in *interp) nnCall(name string, c *Call) Value {
	if elementwise(name) {
		return in.elementwiseCall(name, false, c)
	}
	switch name {
	case "logsumexp":
		return in.reduceCall("sum", c, c.value(0, "a"), 1)
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

// miscCall evaluates what belongs to no larger topic.
func (in *interp) miscCall(name string, c *Call) (Value, bool) {
	switch name {
	case "packaging.version.parse", "packaging.version.Version", "distutils.version.LooseVersion", "looseversion.LooseVersion", "pkg_resources.parse_version":
		return versionOf(c.value(0)), true
	case "importlib.metadata.version":
		if distribution, _ := String(c.value(0, "distribution_name")); distribution == "jax" {
			return &Str{S: in.rel.String()}, true
		}
		return Unknown{}, true
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
