package hlomap

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message in wire form: a number for varints and fixed widths, bytes for everything that has a length.
type field struct {
	num  protowire.Number
	kind protowire.Type
	n    uint64
	data []byte
	at   int // offset of the data in the message
}

// fields visits the fields of a message until visit answers false. It answers false itself where the message is damaged.
func fields(b []byte, visit func(f *field) bool) bool {
	var f field
	for p := 0; p < len(b); {
		tag, n := varint(b, p)
		if n < 0 || tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
			return false
		}
		p = n
		f = field{num: protowire.Number(tag >> 3), kind: protowire.Type(tag & 7)}
		switch f.kind {
		case protowire.VarintType:
			if f.n, p = varint(b, p); p < 0 {
				return false
			}
		case protowire.BytesType:
			size, q := varint(b, p)
			if q < 0 || size > uint64(len(b)-q) {
				return false
			}
			f.data, f.at = b[q:q+int(size):q+int(size)], q
			p = q + int(size)
		default:
			n := protowire.ConsumeFieldValue(f.num, f.kind, b[p:])
			if n < 0 {
				return false
			}
			switch f.kind {
			case protowire.Fixed64Type:
				f.n, _ = protowire.ConsumeFixed64(b[p:])
			case protowire.Fixed32Type:
				v, _ := protowire.ConsumeFixed32(b[p:])
				f.n = uint64(v)
			}
			p += n
		}
		if !visit(&f) {
			return true
		}
	}
	return true
}

// each visits the fields of a message in a range loop. Damage ends it.
func each(b []byte) iter.Seq[*field] {
	return func(yield func(*field) bool) { fields(b, yield) }
}

// numbersOf returns the numbers that a small message has as its first fields, by field number.
func numbersOf(b []byte) (v [5]uint64) {
	for f := range each(b) {
		if int(f.num) < len(v) {
			v[f.num] = f.n
		}
	}
	return v
}

// intsOf returns the numbers of one repeated field of a message.
func intsOf(b []byte, num protowire.Number) (out []int64) {
	for f := range each(b) {
		if f.num == num {
			out = f.appendInts(out)
		}
	}
	return out
}

// varint reads the number at p and returns the position after it, -1 where there is none. Most fit in one byte or two.
func varint(b []byte, p int) (v uint64, next int) {
	if p < len(b) && b[p] < 0x80 {
		return uint64(b[p]), p + 1
	}
	if p+1 < len(b) && b[p+1] < 0x80 {
		return uint64(b[p]&0x7f) | uint64(b[p+1])<<7, p + 2
	}
	if p >= len(b) {
		return 0, -1
	}
	v, n := protowire.ConsumeVarint(b[p:])
	if n < 0 {
		return 0, -1
	}
	return v, p + n
}

// appendInts appends the numbers of a repeated integer field, packed or not.
func (f *field) appendInts(to []int64) []int64 {
	if f.kind == protowire.VarintType {
		return append(to, int64(f.n))
	}
	for p := 0; p < len(f.data); {
		v, n := protowire.ConsumeVarint(f.data[p:])
		if n < 0 {
			break
		}
		to = append(to, int64(v))
		p += n
	}
	return to
}

// bytesField returns the first value of a length-delimited field of a message, nil when it is not there. XLA writes each
// field once and in the order of the numbers: reading on to see whether it comes again would read whole computations.
func bytesField(b []byte, num protowire.Number) []byte {
	var out []byte
	fields(b, func(f *field) bool {
		if f.num != num || f.kind != protowire.BytesType {
			return true
		}
		if out = f.data; out == nil {
			out = []byte{}
		}
		return false
	})
	return out
}
