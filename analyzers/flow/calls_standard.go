package flow

import (
	"math"
	"strings"
)

// standardCall evaluates functions of Python's standard library.
func (in *interp) standardCall(name string, c *Call) Value {
	switch name {
	case "functools.partial":
		if len(c.Pos) == 0 {
			return Unknown{}
		}
		if c.Splat {
			in.escape(c)
		}
		return &Partial{Fn: c.Pos[0].Value, Pos: append([]Arg(nil), c.Pos[1:]...), Kw: c.Kw, At: c.At}
	case "functools.wraps", "functools.lru_cache", "functools.cache", "functools.singledispatch":
		if len(c.Pos) == 1 && name != "functools.wraps" && name != "functools.lru_cache" {
			return c.Pos[0].Value
		}
		if fn, ok := c.value(0).(*Func); ok && name == "functools.lru_cache" {
			return fn
		}
		return &Ext{Name: "shardls.identity"}
	case "functools.reduce":
		return in.reduce(c)
	case "math.prod":
		return numberProduct(c.value(0))
	case "math.ceil":
		if f, ok := number(c.value(0)); ok {
			return Int(math.Ceil(f))
		}
	case "math.floor":
		if f, ok := number(c.value(0)); ok {
			return Int(math.Floor(f))
		}
	case "math.sqrt", "math.log", "math.log2", "math.log10", "math.exp", "math.isqrt":
		if f, ok := number(c.value(0)); ok && len(c.Pos) == 1 && f > 0 {
			return realFunction(name[len("math."):], f)
		}
	case "itertools.chain":
		out := &Iterator{Kind: "chain", At: c.At, InFn: in.frame.fn}
		for _, a := range c.Pos {
			elems, complete, ok := in.iterate(a.Value)
			out.Open = out.Open || !ok || !complete
			out.Elems = append(out.Elems, elems...)
		}
		return out
	case "dataclasses.replace", "copy.replace":
		if o, ok := c.value(0).(*Instance); ok {
			return in.replaced(o, c)
		}
	case "dataclasses.asdict", "dataclasses.astuple":
		if o, ok := c.value(0).(*Instance); ok {
			return plainFields(o, name == "dataclasses.astuple", 0)
		}
	case "copy.copy", "copy.deepcopy":
		return c.value(0)
	case "typing.cast":
		return orUnknown(c.value(1, "val"))
	case "collections.OrderedDict":
		return in.makeDict(c)
	case "collections.defaultdict":
		return in.defaultDict(c.value(1))
	case "types.MappingProxyType":
		return orUnknown(c.value(0))
	case "operator.itemgetter", "operator.attrgetter":
		return &Partial{Fn: &Ext{Name: "shardls." + strings.TrimPrefix(name, "operator.")}, Pos: c.Pos, At: c.At}
	case "dataclasses.field", "dataclasses.dataclass": // the latter with options, which makes a decorator
		return &Object{Class: name, Made: c.ev}
	case "operator.add", "operator.sub", "operator.mul", "operator.truediv":
		op := map[string]string{"add": "+", "sub": "-", "mul": "*", "truediv": "/"}[name[len("operator."):]]
		if len(c.Pos) == 2 {
			return in.binary(op, c.Pos[0].Value, c.Pos[1].Value, c.At.Node)
		}
	}
	if a, ok := mergedResult(c); ok && name[:5] == "math." {
		return a
	}
	return Unknown{}
}

// numberProduct is math.prod.
func numberProduct(factors Value) Value {
	elems, complete, ok := Elements(factors)
	if !ok || !complete {
		return Unknown{}
	}
	total := Value(Int(1))
	for _, e := range elems {
		total = numberBinary("*", total, e)
	}
	return total
}

// defaultDict is a defaultdict with what another dict holds; it is open, as a missing key is made when it is asked for.
func (in *interp) defaultDict(from Value) Value {
	d := &Dict{}
	if from != nil {
		in.dictUpdate(d, from)
	}
	d.Open = true
	return d
}

// picked is what the function that itemgetter or attrgetter made returns: the last argument is the object.
func (in *interp) picked(attr bool, c *Call) Value {
	if len(c.Pos) < 2 || c.Splat {
		return Unknown{}
	}
	obj := c.Pos[len(c.Pos)-1].Value
	var out []Value
	for _, a := range c.Pos[:len(c.Pos)-1] {
		v := obj
		if !attr {
			out = append(out, in.getItem(obj, a.Value, c.At))
			continue
		}
		path, ok := String(a.Value)
		if !ok {
			return Unknown{}
		}
		for _, part := range splitDots(path) {
			v = in.getAttr(v, part, c.At)
		}
		out = append(out, v)
	}
	if len(out) == 1 {
		return out[0]
	}
	return &Tuple{Elems: out}
}

// plainFields is asdict or astuple of a dataclass: nested dataclasses and collections are copied.
func plainFields(v Value, tuple bool, depth int) Value {
	if depth > maxTreeDepth {
		return Unknown{}
	}
	each := func(vs []Value) []Value {
		out := make([]Value, len(vs))
		for i, e := range vs {
			out[i] = plainFields(e, tuple, depth+1)
		}
		return out
	}
	switch x := v.(type) {
	case *Instance:
		if !x.Class.Dataclass {
			return v
		}
		var names, vals []Value
		for _, f := range x.Class.Fields {
			names, vals = append(names, &Str{S: f.Name}), append(vals, plainFields(orUnknown(x.Attrs[f.Name]), tuple, depth+1))
		}
		if tuple {
			return &Tuple{Elems: vals, Open: x.Open}
		}
		return &Dict{Keys: names, Vals: vals, Open: x.Open}
	case *Tuple:
		return &Tuple{Elems: each(x.Elems), Open: x.Open}
	case *List:
		return &List{Elems: each(x.Elems), Open: x.Open}
	case *Dict:
		return &Dict{Keys: x.Keys, Vals: each(x.Vals), Open: x.Open}
	}
	return v
}

func (in *interp) reduce(c *Call) Value {
	elems, complete, ok := Elements(c.value(1))
	if !ok || !complete || len(elems) == 0 {
		return Unknown{}
	}
	total := elems[0]
	rest := elems[1:]
	if init := c.value(2); init != nil {
		total, rest = init, elems
	}
	for _, e := range rest {
		total = in.call(c.value(0), &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: total}, {Value: e}}, in: in})
	}
	return total
}

// realFunction is a function of math of a positive number.
func realFunction(name string, x float64) Value {
	switch name {
	case "sqrt":
		return Float(math.Sqrt(x))
	case "log":
		return Float(math.Log(x))
	case "log2":
		return Float(math.Log2(x))
	case "log10":
		return Float(math.Log10(x))
	case "exp":
		return Float(math.Exp(x))
	}
	return Int(math.Sqrt(x))
}
