package hlomap

import "bytes"

// maxShapeDepth bounds the nesting of tuples in a shape.
const maxShapeDepth = 100

// parseShape reads the shape at p and returns the position after it; ok is false where there is none. The dimensions are kept in dims.
func parseShape(t []byte, p int, dims *block[int64]) (s Shape, end int, ok bool) {
	return parseShapeDepth(t, p, dims, 0)
}

func parseShapeDepth(t []byte, p int, dims *block[int64], depth int) (s Shape, end int, ok bool) {
	if depth > maxShapeDepth || p >= len(t) {
		return Shape{}, p, false
	}
	if t[p] == '(' {
		return parseTuple(t, p, dims, depth)
	}
	e := skipName(t, p)
	if e == p || e >= len(t) {
		return Shape{}, p, false
	}
	if t[e] == '(' && string(t[p:e]) == "b" { // a buffer: b(f32[4]{0})
		s, e, ok = parseShapeDepth(t, e+1, dims, depth+1)
		if e = skipBlank(t, e); !ok || e >= len(t) || t[e] != ')' {
			return Shape{}, p, false
		}
		return s, e + 1, true
	}
	if t[e] != '[' {
		return Shape{}, p, false
	}
	s.DType = elementType(t[p:e])
	if e, ok = s.parseDims(t, e+1, dims); !ok {
		return Shape{}, p, false
	}
	return s, s.parseLayout(t, e), true
}

// elementType returns the name of an element type; known ones share memory.
func elementType(b []byte) string {
	switch string(b) {
	case "bf16":
		return "bf16"
	case "f32":
		return "f32"
	case "s32":
		return "s32"
	case "u32":
		return "u32"
	case "pred":
		return "pred"
	case "f16":
		return "f16"
	}
	return string(b)
}

func parseTuple(t []byte, p int, dims *block[int64], depth int) (s Shape, end int, ok bool) {
	s.DType = "tuple"
	if end, ok := skipTupleShape(t, p); ok && depth == 0 { // the state of a training step has thousands of elements
		s.Elements = make([]Shape, 0, bytes.Count(t[p:end], []byte{'['}))
	}
	for p = skipBlank(t, p+1); p < len(t) && t[p] != ')'; p = skipBlank(t, p) {
		var e Shape
		if e, p, ok = parseShapeDepth(t, p, dims, depth+1); !ok {
			return Shape{}, p, false
		}
		s.Elements = append(s.Elements, e)
		if p = skipBlank(t, p); p < len(t) && t[p] == ',' {
			p++
		}
	}
	if p >= len(t) {
		return Shape{}, p, false
	}
	return s, p + 1, true
}

// parseDims reads the dimensions after "[" and the closing bracket.
func (s *Shape) parseDims(t []byte, p int, dims *block[int64]) (end int, ok bool) {
	var room [8]int64
	list := room[:0]
	s.Dims = []int64{}
	for p < len(t) {
		switch c := t[p]; {
		case c == ']':
			if len(list) > 0 {
				s.Dims = dims.keep(list)
			}
			return p + 1, true
		case c == ' ' || c == ',' || c == '\t':
			p++
		case c == '?':
			list, s.Dynamic = append(list, -1), true
			p++
		case c == '<' && p+1 < len(t) && t[p+1] == '=':
			s.Dynamic = true
			p += 2
		case c >= '0' && c <= '9':
			var n int64
			n, p = parseInt(t, p)
			list = append(list, n)
		default:
			return p, false
		}
	}
	return p, false
}

// parseLayout reads the layout at p, if there is one, and keeps what matters of it. A brace that is followed by
// neither a number nor ":" nor "}" opens a computation, not a layout.
func (s *Shape) parseLayout(t []byte, p int) int {
	if p+1 >= len(t) || t[p] != '{' || !layoutStart(t[p+1]) && !layoutAfterBlank(t, p+1) {
		return p
	}
	end, ok := skipBalanced(t, p)
	if !ok {
		return p
	}
	for depth, q := 0, p+1; q+2 < end; q++ {
		switch t[q] {
		case '(':
			depth++
		case ')':
			depth--
		case 'E', 'S':
			if depth != 0 || t[q+1] != '(' {
				continue
			}
			n, e := parseInt(t, q+2)
			if e == q+2 || t[e] != ')' {
				continue
			}
			if t[q] == 'E' {
				s.ElementBits = int(n)
			} else {
				s.MemorySpace = int(n)
			}
		}
	}
	return end
}

// layoutAfterBlank reports whether a blank and the start of a layout are at p.
func layoutAfterBlank(t []byte, p int) bool {
	q := skipBlank(t, p)
	return q > p && q < len(t) && layoutStart(t[q])
}

func layoutStart(c byte) bool { return c >= '0' && c <= '9' || c == ':' || c == '}' }

// parseInt reads a decimal number; it saturates instead of overflowing. The end is p where there is none.
func parseInt(t []byte, p int) (n int64, end int) {
	const limit = (1<<63 - 1 - 9) / 10
	for p < len(t) && t[p] >= '0' && t[p] <= '9' {
		if n <= limit {
			n = n*10 + int64(t[p]-'0')
		}
		p++
	}
	return n, p
}
