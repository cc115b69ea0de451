package flow

import "slices"

// reversal is the operation of [::-1], reversed and flip on a list of devices.
const reversal = "[::-1]"

// deviceAt is one device of a list.
func deviceAt(d *Devices, index string) *Devices {
	return &Devices{Base: d.Base, Ops: append(slices.Clone(d.Ops), "["+index+"]"), One: true, Local: d.Local, CPU: d.CPU, From: d.From, At: d.At, Dims: []int64{}}
}

func devicesAttr(d *Devices, name string, at Ref) Value {
	switch name {
	case "T":
		return d.transposed(nil)
	case "shape":
		if d.Dims == nil {
			return &Tuple{Open: true}
		}
		return dimsTuple(d.Dims)
	case "ndim":
		if d.Dims != nil {
			return Int(len(d.Dims))
		}
		return Unknown{}
	case "size":
		return sizeValue(d.Dims)
	case "flat":
		return d.flattened()
	case "slice_index", "process_index", "id", "platform", "device_kind", "coords", "core_on_chip":
		if d.One {
			return &Object{Class: "device." + name}
		}
	}
	return &Method{Recv: d, Name: name, At: at}
}

// transposed permutes the axes; a transpose of one axis changes nothing.
func (d *Devices) transposed(perm []int64) *Devices {
	out := *d
	if d.Dims != nil && len(d.Dims) < 2 {
		return &out
	}
	op := ".T"
	for i, p := range perm {
		if i == 0 {
			op = "transpose"
		}
		op += " " + itoa(p)
	}
	if d.Dims != nil && !slices.ContainsFunc(d.Dims, func(n int64) bool { return n > 1 }) {
		op += "?" // of a grid that may be one row, whose transpose has the same order
	}
	if d.Dims != nil {
		op += dimsText(d.Dims)
		out.Dims = slices.Clone(d.Dims)
		slices.Reverse(out.Dims)
		if len(perm) == len(d.Dims) {
			for i, p := range perm {
				if p >= 0 && p < int64(len(d.Dims)) {
					out.Dims[i] = d.Dims[p]
				}
			}
		}
	}
	out.Ops = append(slices.Clone(d.Ops), op)
	return &out
}

func dimsText(dims []int64) string {
	s := "("
	for _, d := range dims {
		s += itoa(d) + ","
	}
	return s + ")"
}

func (d *Devices) flattened() *Devices {
	out := *d
	out.Dims = []int64{product(d.Dims)}
	return &out
}

// product multiplies sizes, -1 when one is unknown or there are none.
func product(dims []int64) int64 {
	if dims == nil {
		return -1
	}
	n := int64(1)
	for _, d := range dims {
		if d < 0 {
			return -1
		}
		n *= d
	}
	return n
}

func sizeValue(dims []int64) Value {
	if n := product(dims); n >= 0 {
		return Int(n)
	}
	return Unknown{}
}

func dimsTuple(dims []int64) *Tuple {
	t := &Tuple{Elems: make([]Value, len(dims))}
	for i, d := range dims {
		t.Elems[i] = Unknown{}
		if d >= 0 {
			t.Elems[i] = Int(d)
		}
	}
	return t
}

// devicesItem indexes or slices devices.
func devicesItem(d *Devices, key Value, at Ref) Value {
	if t, ok := key.(*Tuple); ok && len(t.Elems) > 0 {
		out := *d
		out.Dims = nil
		out.Ops = append(slices.Clone(d.Ops), at.Text())
		return &out
	}
	s, ok := key.(*Slice)
	if !ok {
		if i, isInt := Integer(key); isInt {
			if len(d.Dims) > 1 {
				return &Devices{Base: d.Base, Ops: append(slices.Clone(d.Ops), "["+itoa(i)+"]"), Dims: d.Dims[1:], Local: d.Local, CPU: d.CPU, Host: d.Host, At: d.At, Plain: d.Plain}
			}
			return deviceAt(d, itoa(i))
		}
		if len(d.Dims) <= 1 {
			return deviceAt(d, "?")
		}
		return Unknown{}
	}
	out := *d
	if d.Dims != nil {
		out.Dims = slices.Clone(d.Dims)
	} else {
		out.Dims = []int64{-1}
	}
	if s.Lo == nil && s.Hi == nil && s.Step == nil {
		return &out
	}
	if n, ok := sliceLength(s, out.Dims[0]); ok {
		if n == out.Dims[0] && s.Step == nil {
			return &out
		}
		out.Dims[0] = n
	} else {
		out.Dims[0] = -1
	}
	out.Ops = append(slices.Clone(d.Ops), sliceText(s))
	if n, ok := Integer(s.Hi); ok && s.Lo == nil && s.Step == nil && n >= 0 && out.Dims[0] < 0 {
		out.Dims[0] = n // a[:4] of a list that has at least four, which is what a program that runs has
	}
	return &out
}

func sliceLength(s *Slice, n int64) (int64, bool) {
	if n < 0 {
		return 0, false
	}
	return s.Length(n)
}

func sliceText(s *Slice) string {
	text := "["
	for i, v := range []Value{s.Lo, s.Hi, s.Step} {
		if i > 0 {
			text += ":"
		}
		if n, ok := Integer(v); ok {
			text += itoa(n)
		} else if v != nil && !IsNone(v) {
			text += "?"
		}
	}
	return text + "]"
}

// reshape gives devices new dimensions; a -1 is solved where the number of devices is known.
func (d *Devices) reshape(dims []int64) *Devices {
	out := *d
	out.Dims = slices.Clone(dims)
	out.Host = true
	if n := product(d.Dims); n > 0 {
		solveMinusOne(out.Dims, n)
	}
	return &out
}

// solveMinusOne replaces the one size below zero by what n elements leave for it.
func solveMinusOne(dims []int64, n int64) {
	open, rest := -1, int64(1)
	for i, d := range dims {
		if d < 0 {
			if open >= 0 {
				return
			}
			open = i
			continue
		}
		rest *= d
	}
	if open >= 0 && rest > 0 && n%rest == 0 {
		dims[open] = n / rest
	}
}
