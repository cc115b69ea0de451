package hlomap

// Shape is the shape of an instruction's result: an array or a tuple of shapes.
type Shape struct {
	// DType is the element type as XLA prints it ("bf16"); "tuple" for tuples, "" when the shape could not be read.
	DType string
	// Dims are the dimensions; the upper bound where a dimension is dynamic, -1 where it is unbounded.
	Dims []int64
	// Elements are the members of a tuple.
	Elements []Shape
	// ElementBits is the width the layout gives an element of a sub-byte type (E(4)); 0 where it gives none.
	ElementBits int
	// MemorySpace is S(n) of the layout; 5 is host memory.
	MemorySpace int
	// Dynamic is set where a dimension has only an upper bound.
	Dynamic bool
}

// IsTuple reports whether the shape is a tuple.
func (s *Shape) IsTuple() bool { return s.DType == "tuple" }

// At returns the member of a tuple at the given path, and the shape itself for an empty path. The answer is the zero
// Shape where the path leaves the shape.
func (s *Shape) At(path ...int) Shape {
	cur := *s
	for _, k := range path {
		if !cur.IsTuple() || k < 0 || k >= len(cur.Elements) {
			return Shape{}
		}
		cur = cur.Elements[k]
	}
	return cur
}

// Leaves returns the arrays of the shape in pre-order. Tokens are leaves of no bytes.
func (s *Shape) Leaves() []Array {
	if !s.IsTuple() {
		return []Array{s.array()}
	}
	return s.appendLeaves(make([]Array, 0, len(s.Elements)))
}

func (s *Shape) appendLeaves(to []Array) []Array {
	if !s.IsTuple() {
		return append(to, s.array())
	}
	for i := range s.Elements {
		to = s.Elements[i].appendLeaves(to)
	}
	return to
}

func (s *Shape) array() Array {
	return Array{DType: s.DType, Shape: s.Dims, Bytes: s.bytes()}
}

// bytes returns the size of an array on the wire, -1 when it is unknown: logical elements only, since the padding of
// tiled layouts is not sent, and packed where the layout says so.
func (s *Shape) bytes() int64 {
	bits, ok := elementBits(s.DType)
	if !ok {
		return -1
	}
	if s.ElementBits > 0 {
		bits = int64(s.ElementBits)
	}
	n := int64(1)
	for _, d := range s.Dims {
		if d < 0 {
			return -1
		}
		if d != 0 && n > (1<<62)/d {
			return -1
		}
		n *= d
	}
	if bits != 0 && n > (1<<62)/bits {
		return -1
	}
	return (n*bits + 7) / 8
}

// elementBits returns the bits of one element in memory. Types below a byte take one, unless a layout packs them.
func elementBits(dtype string) (int64, bool) {
	switch dtype {
	case "pred", "s8", "u8", "s4", "u4", "s2", "u2", "s1", "u1",
		"f8e5m2", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e3m4", "f8e5m2fnuz", "f8e4m3fnuz", "f8e8m0fnu",
		"f6e3m2fn", "f6e2m3fn", "f4e2m1fn":
		return 8, true
	case "s16", "u16", "f16", "bf16":
		return 16, true
	case "s32", "u32", "f32":
		return 32, true
	case "s64", "u64", "f64", "c64":
		return 64, true
	case "c128":
		return 128, true
	case "token":
		return 0, true
	}
	return 0, false
}
