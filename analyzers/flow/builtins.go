package flow

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// builtin calls a function of the builtins module.
func (in *interp) builtin(name string, c *Call) Value {
	if method, ok := strings.CutPrefix(name, "str."); ok { // str.upper and its like, taken from the class
		if s, isStr := c.value(0).(*Str); isStr {
			sub := *c
			sub.Pos = c.Pos[1:]
			return in.stringMethod(s, method, &sub)
		}
		return Unknown{}
	}
	switch name {
	case "len":
		return in.length(c.value(0))
	case "range":
		return makeRange(c)
	case "list", "tuple", "set", "frozenset", "sorted", "reversed":
		return in.collect(name, c)
	case "dict":
		return in.makeDict(c)
	case "dict.fromkeys":
		return in.dictFromKeys(c)
	case "zip", "enumerate", "map", "filter", "iter":
		return in.iteratorOf(name, c)
	case "isinstance", "issubclass":
		return in.isInstance(c)
	case "hasattr":
		return in.hasAttr(c)
	case "getattr":
		return in.getAttrCall(c)
	case "setattr":
		if name, ok := String(c.value(1)); ok {
			in.setAttr(c.value(0), name, c.value(2))
		}
		return None{}
	case "print":
		return None{}
	case "min", "max":
		return in.extreme(name, c)
	case "sum":
		return in.sum(c)
	case "int", "float", "bool", "str", "abs", "round", "repr":
		return in.convert(name, c)
	case "any", "all":
		return anyAll(name, c)
	case "slice":
		return sliceCall(c)
	case "next":
		return in.next(c)
	case "vars":
		if o, ok := c.value(0).(*Instance); ok {
			return attributesOf(o)
		}
	case "callable":
		switch c.value(0).(type) {
		case *Func, *Class, *Bound, *Partial, *Transformed:
			return Bool(true)
		case None, Int, *Str, Bool:
			return Bool(false)
		}
	case "type":
		if i, ok := c.value(0).(*Instance); ok {
			return i.Class
		}
	case "divmod":
		return &Tuple{Elems: []Value{numberBinary("//", c.value(0), c.value(1)), numberBinary("%", c.value(0), c.value(1))}}
	case "pow":
		return numberBinary("**", c.value(0), c.value(1))
	}
	return Unknown{}
}

func (in *interp) length(v Value) Value {
	switch v := v.(type) {
	case *Str:
		return Int(len(v.S))
	case *Array:
		if v.Rank() > 0 && v.Dims[0] >= 0 {
			return Int(v.Dims[0])
		}
		return Unknown{}
	case *Devices:
		if len(v.Dims) > 0 && v.Dims[0] >= 0 {
			return Int(v.Dims[0])
		}
		return &Object{Class: "device count", Attrs: map[string]Value{"local": Bool(v.Local)}}
	case *Object:
		if v.Class == "slices" {
			return &Object{Class: "slice count", Made: v.Made}
		}
	case *Instance:
		if fn, ok := in.classAttr(v.Class, "__len__"); ok {
			return in.call(&Bound{Self: v, Fn: fn}, &Call{in: in})
		}
	}
	if o, ok := v.(*Set); ok && o.Open && len(o.Elems) == 1 {
		if d, ok := o.Elems[0].(*Object); ok && d.Class == "device.slice_index" {
			return &Object{Class: "slice count", Made: d.Made}
		}
	}
	if elems, complete, ok := Elements(v); ok && complete {
		return Int(len(elems))
	}
	return Unknown{}
}

func makeRange(c *Call) Value {
	r := &Range{Step: 1}
	var parts []int64
	for _, a := range c.Pos {
		i, ok := Integer(a.Value)
		if !ok {
			return &Iterator{Kind: "range", Open: true, At: c.At}
		}
		parts = append(parts, i)
	}
	switch len(parts) {
	case 1:
		r.Hi = parts[0]
	case 2:
		r.Lo, r.Hi = parts[0], parts[1]
	case 3:
		r.Lo, r.Hi, r.Step = parts[0], parts[1], parts[2]
	default:
		return Unknown{}
	}
	return r
}

func (in *interp) collect(name string, c *Call) Value {
	wrap := func(e []Value, open bool) Value {
		switch name {
		case "tuple":
			return &Tuple{Elems: e, Open: open}
		case "set", "frozenset":
			return &Set{Elems: e, Open: open, Frozen: name == "frozenset"}
		}
		return &List{Elems: e, Open: open}
	}
	if len(c.Pos) == 0 {
		return wrap(nil, c.Splat)
	}
	if d, ok := c.Pos[0].Value.(*Devices); ok {
		if name == "reversed" {
			out := *d
			out.Ops = append(append([]string(nil), d.Ops...), reversal)
			return &out
		}
		if name == "sorted" {
			return &Devices{Base: "sorted(" + d.Base + ")", Dims: d.Dims, Local: d.Local, At: c.At}
		}
		return d
	}
	elems, complete, ok := in.iterate(c.Pos[0].Value)
	if !ok {
		if _, isArray := c.Pos[0].Value.(*Array); isArray {
			return wrap([]Value{elementOf(c.Pos[0].Value)}, true)
		}
		return wrap(nil, true)
	}
	if !complete {
		return wrap(elems, true)
	}
	elems = append([]Value(nil), elems...)
	if name == "reversed" {
		for i, j := 0, len(elems)-1; i < j; i, j = i+1, j-1 {
			elems[i], elems[j] = elems[j], elems[i]
		}
		return &Iterator{Kind: "reversed", Elems: elems, At: c.At, InFn: in.frame.fn}
	}
	if name == "sorted" {
		return in.sorted(elems, c)
	}
	return wrap(elems, false)
}

// sorted sorts elements where all of them, or their keys, can be compared.
func (in *interp) sorted(elems []Value, c *Call) Value {
	keys := slices.Clone(elems)
	if key := c.value(-1, "key"); key != nil && !IsNone(key) {
		for i, e := range elems {
			keys[i] = in.call(key, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: e}}, in: in})
		}
	}
	descending, known := Truth(orDefault(c.value(-1, "reverse"), Bool(false)))
	if len(elems) > 1 && (!known || !sortBy(keys, elems, descending)) {
		return &List{Elems: elems, Open: true}
	}
	return &List{Elems: elems}
}

// sortBy sorts elements and their keys in place, stably, when all keys can be compared.
func sortBy(keys, elems []Value, descending bool) bool {
	for i := 1; i < len(elems); i++ {
		for j := i; j > 0; j-- {
			c, known := order(keys[j-1], keys[j])
			if !known {
				return false
			}
			if descending {
				c = -c
			}
			if c <= 0 {
				break
			}
			keys[j-1], keys[j] = keys[j], keys[j-1]
			elems[j-1], elems[j] = elems[j], elems[j-1]
		}
	}
	return true
}

// next takes the next element of an iterator.
func (in *interp) next(c *Call) Value {
	it, ok := c.value(0).(*Iterator)
	if !ok || it.Open || it.Used >= len(it.Elems) {
		if len(c.Pos) < 2 {
			return elementOf(c.value(0))
		}
		if ok && !it.Open {
			return c.Pos[1].Value
		}
		if e := elementOf(c.value(0)); !IsUnknown(e) {
			return Join(e, c.Pos[1].Value)
		}
		return Unknown{}
	}
	v := it.Elems[it.Used]
	in.touchIter(it)
	it.Used++
	return v
}

// attributesOf is vars() of an object.
func attributesOf(o *Instance) Value {
	d := &Dict{Open: o.Open}
	for _, name := range slices.Sorted(maps.Keys(o.Attrs)) {
		d.Keys, d.Vals = append(d.Keys, &Str{S: name}), append(d.Vals, o.Attrs[name])
	}
	return d
}

func (in *interp) makeDict(c *Call) Value {
	d := &Dict{Open: c.Splat}
	if len(c.Pos) > 0 {
		if from, ok := c.Pos[0].Value.(*Dict); ok {
			in.dictUpdate(d, from)
		} else {
			pairs, complete, ok := in.iterate(c.Pos[0].Value)
			d.Open = d.Open || !ok || !complete
			for _, p := range pairs {
				kv, _, ok := Elements(p)
				if ok && len(kv) == 2 {
					dictPut(d, kv[0], kv[1])
				} else {
					d.Open = true
				}
			}
		}
	}
	for _, a := range c.Kw {
		dictPut(d, &Str{S: a.Name, At: a.At}, a.Value)
	}
	return d
}

// dictFromKeys is a dict with the same value under each key.
func (in *interp) dictFromKeys(c *Call) Value {
	keys, complete, ok := in.iterate(orUnknown(c.value(0, "iterable")))
	d := &Dict{Open: !ok || !complete}
	if d.Open || len(keys) > maxCollection {
		return &Dict{Open: true}
	}
	for _, k := range keys {
		dictPut(d, k, orDefault(c.value(1, "value"), None{}))
	}
	return d
}

func (in *interp) iteratorOf(name string, c *Call) Value {
	it := &Iterator{Kind: name, At: c.At, InFn: in.frame.fn}
	var columns [][]Value
	for i, a := range c.Pos {
		if i == 0 && (name == "map" || name == "filter") {
			continue
		}
		elems, complete, ok := in.iterate(a.Value)
		if !ok || !complete {
			it.Open = true
			elems = []Value{elementOf(a.Value)}
		}
		columns = append(columns, elems)
	}
	if len(columns) == 0 {
		return it
	}
	n := len(columns[0])
	for _, col := range columns {
		n = min(n, len(col))
	}
	for i := 0; i < n; i++ {
		row := make([]Value, len(columns))
		for j := range columns {
			row[j] = columns[j][i]
		}
		if name != "filter" {
			it.Elems = append(it.Elems, in.row(name, c, i, row, it))
			continue
		}
		keep, known := in.passes(c, row[0])
		it.Open = it.Open || !known
		if keep || !known {
			it.Elems = append(it.Elems, row[0])
		}
	}
	return it
}

// passes decides whether filter keeps an element.
func (in *interp) passes(c *Call, v Value) (keep, known bool) {
	if IsNone(c.Pos[0].Value) {
		return Truth(v)
	}
	return Truth(in.call(c.Pos[0].Value, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: v}}, in: in}))
}

func (in *interp) row(name string, c *Call, i int, row []Value, it *Iterator) Value {
	switch name {
	case "enumerate":
		if it.Open {
			return &Tuple{Elems: []Value{Unknown{}, row[0]}}
		}
		start, ok := Integer(c.value(1, "start"))
		if c.value(1, "start") != nil && !ok {
			return &Tuple{Elems: []Value{Unknown{}, row[0]}}
		}
		return &Tuple{Elems: []Value{Int(start + int64(i)), row[0]}}
	case "map":
		call := &Call{At: c.At, Fn: c.Fn, in: in}
		for _, v := range row {
			call.Pos = append(call.Pos, Arg{Value: v})
		}
		return in.call(c.Pos[0].Value, call)
	case "zip":
		return &Tuple{Elems: row}
	}
	return row[0]
}

func (in *interp) extreme(name string, c *Call) Value {
	values := []Value{}
	for _, a := range c.Pos {
		values = append(values, a.Value)
	}
	if len(values) == 1 {
		elems, complete, ok := in.iterate(values[0])
		if !ok || !complete {
			return Unknown{}
		}
		values = elems
	}
	if len(values) == 0 || c.arg(-1, "key") != nil {
		return Unknown{}
	}
	best := values[0]
	for _, v := range values[1:] {
		o, known := order(v, best)
		if !known {
			return Unknown{}
		}
		if name == "min" && o < 0 || name == "max" && o > 0 {
			best = v
		}
	}
	if _, ok := number(best); !ok {
		if _, ok := String(best); !ok {
			return Unknown{}
		}
	}
	return best
}

func (in *interp) sum(c *Call) Value {
	elems, complete, ok := in.iterate(c.value(0))
	if !ok || !complete {
		if e, isArray := elementOf(c.value(0)).(*Array); isArray {
			out := e.derived()
			return out
		}
		return Unknown{}
	}
	total := Value(Int(0))
	if s := c.value(1, "start"); s != nil {
		total = s
	}
	for i, e := range elems {
		if zero, isInt := total.(Int); i == 0 && isInt && zero == 0 {
			if _, isArray := e.(*Array); isArray {
				total = e
				continue
			}
		}
		total = in.binary("+", total, e, c.At.Node)
	}
	return total
}

func (in *interp) convert(name string, c *Call) Value {
	v := c.value(0)
	if v == nil {
		switch name {
		case "int":
			return Int(0)
		case "str":
			return &Str{At: c.At}
		}
		return Unknown{}
	}
	if a, ok := v.(*Array); ok {
		if name == "abs" && !a.Tree {
			return a.derived()
		}
		in.event("builtins."+name, c)
		return Unknown{}
	}
	if o := tainted(v); o != nil {
		return o
	}
	switch name {
	case "int":
		if i, ok := Integer(v); ok {
			return Int(i)
		}
		if f, ok := v.(Float); ok && math.Abs(float64(f)) < 1<<62 {
			return Int(int64(f))
		}
		if s, ok := String(v); ok {
			if i, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
				return Int(i)
			}
		}
	case "float":
		if f, ok := number(v); ok {
			return Float(f)
		}
		if s, ok := String(v); ok {
			if f, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
				return Float(f)
			}
		}
	case "bool":
		if t, known := Truth(v); known {
			return Bool(t)
		}
	case "str":
		if s, ok := v.(*Str); ok {
			return s
		}
		if text, ok := formatted(v); ok {
			return &Str{S: text, At: c.At}
		}
	case "abs":
		if i, ok := Integer(v); ok {
			return Int(max(i, -i))
		}
	case "round":
		if i, ok := Integer(v); ok {
			return Int(i)
		}
	}
	return Unknown{}
}

func anyAll(name string, c *Call) Value {
	elems, complete, ok := Elements(c.value(0))
	if !ok {
		return Unknown{}
	}
	known := complete
	for _, e := range elems {
		t, k := Truth(e)
		if k && t == (name == "any") {
			return Bool(name == "any")
		}
		known = known && k
	}
	if !known {
		return Unknown{}
	}
	return Bool(name == "all")
}

func sliceCall(c *Call) Value {
	switch len(c.Pos) {
	case 1:
		return &Slice{Hi: c.Pos[0].Value}
	case 2:
		return &Slice{Lo: c.Pos[0].Value, Hi: c.Pos[1].Value}
	case 3:
		return &Slice{Lo: c.Pos[0].Value, Hi: c.Pos[1].Value, Step: c.Pos[2].Value}
	}
	return Unknown{}
}
