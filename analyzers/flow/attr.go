package flow

import (
	"slices"
	"strconv"

	"github.com/shardls/shardls/pyparse"
)

// attributeNode evaluates object.name.
func (in *interp) attributeNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	obj := in.eval(s.Child(n, pyparse.FieldObject))
	return in.getAttr(obj, in.frame.file.text(s.Child(n, pyparse.FieldAttribute)), in.ref(n))
}

// getAttr is getattr on what is known.
func (in *interp) getAttr(obj Value, name string, at Ref) Value {
	switch o := obj.(type) {
	case *Ext:
		return in.extAttr(o, name, at)
	case *Module:
		if v := o.env.get(name); v != nil {
			return force(v)
		}
		if o.File == nil {
			return Unknown{}
		}
		if m := in.load(o.File.Syntax.Path, 1, name); m != nil {
			return m
		}
		return Unknown{}
	case *Instance:
		return in.instanceAttr(o, name, at)
	case *Class:
		return in.typeAttr(o, name)
	case *Super:
		return in.superAttr(o, name, at)
	case *Array:
		return in.arrayAttr(o, name, at)
	case *Mesh:
		return in.meshAttr(o, name, at)
	case *Sharding:
		return in.shardingAttr(o, name, at)
	case *Devices:
		return devicesAttr(o, name, at)
	case *Object:
		if v, ok := o.Attrs[name]; ok {
			return v
		}
		return &Method{Recv: o, Name: name, At: at}
	case *Func:
		if name == "__name__" {
			return &Str{S: o.Name, At: at}
		}
		return &Method{Recv: o, Name: name, At: at}
	case *Partial:
		switch name {
		case "func":
			return o.Fn
		case "__name__":
			return Unknown{}
		}
		return &Method{Recv: o, Name: name, At: at}
	case *Slice:
		return Unknown{}
	case *Str, Int, *Tuple:
		if name == "value" { // a member of an Enum is kept as its value, and no plain value has this attribute
			return obj
		}
	case Unknown:
		if name == "sharding" { // of some array: its spec is a PartitionSpec, whatever it says
			return &Object{Class: "sharding", Attrs: map[string]Value{"spec": &Spec{}}}
		}
		return Unknown{}
	case None:
		return Unknown{}
	}
	return &Method{Recv: obj, Name: name, At: at}
}

// member is an attribute of something of a library.
type member struct {
	of   *Ext
	name string
}

// reached is what a member is.
type reached struct {
	path    string // as the program wrote it
	value   Value
	missing bool // the target release lacks it
}

// extAttr reaches into a library module or object. Programs reach for the same few names again and again.
func (in *interp) extAttr(o *Ext, name string, at Ref) Value {
	m, known := in.members[member{o, name}]
	if !known {
		path := o.path() + "." + name
		m = reached{path: path, value: in.constantOf(ext(path)), missing: in.lacks(path)}
		in.members[member{o, name}] = m
	}
	in.recordName(m.path, at, false)
	in.missing = in.missing || m.missing
	return m.value
}

func (in *interp) instanceAttr(o *Instance, name string, at Ref) Value {
	if v, ok := o.Attrs[name]; ok && v != nil {
		return v
	}
	if v, ok := in.classAttr(o.Class, name); ok {
		return in.bind(v, o, at)
	}
	switch name {
	case "__class__":
		return o.Class
	case "__dict__":
		return attributesOf(o)
	}
	if o.Open {
		return Unknown{}
	}
	if hasForeignBase(o.Class) || o.Class.Dataclass || o.Class.Tuple {
		return &Method{Recv: o, Name: name, At: at}
	}
	return Unknown{}
}

// bind makes a method of a function found in a class.
func (in *interp) bind(v Value, self Value, at Ref) Value {
	switch f := v.(type) {
	case *Func:
		switch {
		case f.Static:
			return f
		case f.ClassM:
			if i, ok := self.(*Instance); ok {
				return in.made.bind(i.Class, f)
			}
			return in.made.bind(self, f)
		case f.Property:
			return in.call(in.made.bind(self, f), &Call{At: at, Fn: at, in: in})
		}
		return in.made.bind(self, f)
	case *Ext:
		if ofTrainState(f) {
			return in.made.bind(self, f)
		}
	case *Transformed:
		if f.binds() {
			return in.made.bind(self, f)
		}
	}
	return v
}

func (in *interp) typeAttr(c *Class, name string) Value {
	if v, ok := in.classAttr(c, name); ok {
		if f, isFn := v.(*Func); isFn && f.ClassM {
			return in.made.bind(c, f)
		}
		if e, isExt := v.(*Ext); isExt && ofTrainState(e) {
			return in.made.bind(c, e)
		}
		return v
	}
	if name == "__name__" {
		return &Str{S: c.Name, At: c.At}
	}
	if c.Tuple || c.Dataclass || hasForeignBase(c) {
		return &Method{Recv: c, Name: name}
	}
	return Unknown{}
}

func (in *interp) superAttr(s *Super, name string, at Ref) Value {
	for _, b := range s.Class.Bases {
		if base, ok := b.(*Class); ok {
			if v, ok := in.classAttr(base, name); ok {
				return in.bind(v, s.Self, at)
			}
			if name == "__init__" && (base.Dataclass || base.Tuple) {
				return &Method{Recv: &Super{Self: s.Self, Class: base}, Name: name, At: at}
			}
		}
	}
	return Unknown{}
}

// setAttr assigns an attribute.
func (in *interp) setAttr(obj Value, name string, v Value) {
	switch o := obj.(type) {
	case *Instance:
		in.assign(o.Attrs, name, v)
	case *Class:
		in.assign(o.Attrs, name, v)
	case *Module:
		in.assignIn(o.env, name, v)
	}
}

// subscriptNode evaluates object[index].
func (in *interp) subscriptNode(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	obj := in.eval(s.Child(n, pyparse.FieldValue))
	key := in.subscriptKey(n)
	return in.getItem(obj, key, in.ref(n))
}

// subscriptKey evaluates the index of a subscript: a tuple where there are several.
func (in *interp) subscriptKey(n pyparse.NodeID) Value {
	s := in.frame.file.Syntax
	subs := s.Subscripts(n)
	if len(subs) == 1 {
		v := in.eval(subs[0])
		if s.Is(subs[0], pyparse.KindListSplat) {
			return Unknown{}
		}
		start, end := s.Span(subs[0])
		_, stop := s.Span(n)
		for i := end; i < stop && start < end; i++ {
			if s.Source[i] == ',' {
				return &Tuple{Elems: []Value{v}}
			}
		}
		return v
	}
	t := &Tuple{}
	for _, sub := range subs {
		t.Elems = append(t.Elems, in.eval(sub))
	}
	return t
}

// getItem is object[key] on what is known.
func (in *interp) getItem(obj, key Value, at Ref) Value {
	switch o := obj.(type) {
	case *Dict:
		return dictItem(o, key)
	case *Array:
		return in.arrayItem(o, key, at)
	case *Tuple:
		return sequenceItem(o.Elems, o.Open, key, func(e []Value) Value { return &Tuple{Elems: e} })
	case *List:
		return sequenceItem(o.Elems, o.Open, key, func(e []Value) Value { return &List{Elems: e} })
	case *Spec:
		if elems, complete, _ := o.values(); complete {
			return sequenceItem(elems, false, key, func(e []Value) Value { return &Tuple{Elems: e} })
		}
	case *Str:
		return stringItem(o, key)
	case *Range:
		if elems, complete, _ := o.elements(); complete {
			return sequenceItem(elems, false, key, func(e []Value) Value { return &List{Elems: e} })
		}
	case *Devices:
		return devicesItem(o, key, at)
	case *Instance:
		return in.instanceItem(o, key, at)
	case *Method:
		if o.Name == "at" {
			return &Method{Recv: &Object{Class: "at", Attrs: map[string]Value{"array": o.Recv, "index": key}}, Name: "", At: at}
		}
		if o.Name == "flat" {
			if d, ok := o.Recv.(*Devices); ok {
				return devicesItem(d, key, at)
			}
		}
	case *Object:
		if v, ok := o.Attrs["[]"]; ok {
			return v
		}
		if o.Class == "jax.numpy.r_" {
			return Unknown{}
		}
	case *Ext:
		return o // a subscripted type such as list[int]
	case *Class:
		if o.enum == "" {
			return o
		}
		if name, ok := String(key); ok && slices.Contains(o.members, name) {
			return orUnknown(o.Attrs[name])
		}
	}
	return Unknown{}
}

func (in *interp) instanceItem(o *Instance, key Value, at Ref) Value {
	if o.Class.Tuple {
		elems, _, _ := Elements(o)
		return sequenceItem(elems, false, key, func(e []Value) Value { return &Tuple{Elems: e} })
	}
	if fn, ok := in.classAttr(o.Class, "__getitem__"); ok {
		return in.call(&Bound{Self: o, Fn: fn}, &Call{At: at, Fn: at, Pos: []Arg{{Value: key, At: at}}, in: in})
	}
	return Unknown{}
}

func dictItem(d *Dict, key Value) Value {
	if v, ok := d.Get(key); ok {
		return v
	}
	if constantKind(key) == 0 && len(d.Vals) > 0 && !d.Open { // an unknown key of a known dict: what all values share
		v := d.Vals[0]
		for _, x := range d.Vals[1:] {
			v = Join(v, x)
		}
		return v
	}
	return Unknown{}
}

func sequenceItem(elems []Value, open bool, key Value, slice func([]Value) Value) Value {
	if s, ok := key.(*Slice); ok {
		if open {
			return Unknown{}
		}
		picked, ok := sliceOf(elems, s)
		if !ok {
			return Unknown{}
		}
		return slice(picked)
	}
	i, ok := Integer(key)
	if !ok {
		if open || len(elems) == 0 {
			return Unknown{}
		}
		v := elems[0]
		for _, e := range elems[1:] {
			v = Join(v, e)
		}
		return v
	}
	if i < 0 {
		if open {
			return Unknown{}
		}
		i += int64(len(elems))
	}
	if i < 0 || i >= int64(len(elems)) {
		return Unknown{}
	}
	return elems[i]
}

// bounds resolves a slice over n elements.
func (s *Slice) bounds(n int64) (lo, hi, step int64, ok bool) {
	step = 1
	if s.Step != nil && !IsNone(s.Step) {
		if step, ok = Integer(s.Step); !ok || step == 0 {
			return 0, 0, 0, false
		}
	}
	lo, hi = 0, n
	if step < 0 {
		lo, hi = n-1, -1
	}
	clamp := func(v Value, to *int64) bool {
		if v == nil || IsNone(v) {
			return true
		}
		i, ok := Integer(v)
		if !ok {
			return false
		}
		if i < 0 {
			i += n
		}
		if step > 0 {
			*to = min(max(i, 0), n)
		} else {
			*to = min(max(i, -1), n-1)
		}
		return true
	}
	if !clamp(s.Lo, &lo) || !clamp(s.Hi, &hi) {
		return 0, 0, 0, false
	}
	return lo, hi, step, true
}

// Length is the number of elements that a slice picks of n.
func (s *Slice) Length(n int64) (int64, bool) {
	lo, hi, step, ok := s.bounds(n)
	if !ok {
		return 0, false
	}
	if step > 0 {
		return max(0, (hi-lo+step-1)/step), true
	}
	return max(0, (lo-hi-step-1)/-step), true
}

func sliceOf(elems []Value, s *Slice) ([]Value, bool) {
	lo, hi, step, ok := s.bounds(int64(len(elems)))
	if !ok {
		return nil, false
	}
	out := []Value{}
	for i := lo; (step > 0 && i < hi) || (step < 0 && i > hi); i += step {
		out = append(out, elems[i])
	}
	return out, true
}

func stringItem(o *Str, key Value) Value {
	if s, ok := key.(*Slice); ok {
		lo, hi, step, ok := s.bounds(int64(len(o.S)))
		if !ok || step != 1 {
			return Unknown{}
		}
		return &Str{S: o.S[lo:max(lo, hi)], At: o.At}
	}
	i, ok := Integer(key)
	if !ok {
		return Unknown{}
	}
	if i < 0 {
		i += int64(len(o.S))
	}
	if i < 0 || i >= int64(len(o.S)) {
		return Unknown{}
	}
	return &Str{S: o.S[i : i+1], At: o.At}
}

// setItem assigns object[key]; at is the element.
func (in *interp) setItem(obj, key, v Value, at Ref) {
	switch o := obj.(type) {
	case *Dict:
		in.touchDict(o)
		dictPut(o, key, v)
	case *List:
		in.touchList(o)
		i, ok := Integer(key)
		if i < 0 {
			i += int64(len(o.Elems))
		}
		if !ok || i < 0 || i >= int64(len(o.Elems)) {
			o.Elems, o.Open = nil, true
			return
		}
		o.Elems = append([]Value(nil), o.Elems...)
		o.Elems[i] = v
	case *Ext:
		if _, ok := String(key); ok {
			in.event(o.Name+".__setitem__", &Call{At: at, in: in, Pos: []Arg{{Value: key}, {Value: v}}})
		}
	}
}

func (in *interp) extendList(l *List, v Value) {
	in.touchList(l)
	elems, complete, ok := in.iterate(v)
	if !ok || !complete || len(l.Elems)+len(elems) > maxCollection {
		l.Open = true
		return
	}
	l.Elems = append(l.Elems, elems...)
}

func itoa(i int64) string { return strconv.FormatInt(i, 10) }
