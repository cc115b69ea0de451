package hlomap

import (
	"slices"

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

// fieldReader goes through the fields of a message: in `for f := fieldsOf(b); f.next(); {` the reader is each field in turn. It
// allocates nothing: a large module has millions of fields.
type fieldReader struct {
	field
	message []byte
	p       int  // where the next field begins
	damaged bool // the message broke off in the middle of a field
}

func fieldsOf(message []byte) fieldReader { return fieldReader{message: message} }

// next moves to the next field. It answers false at the end, and where the message is damaged.
func (r *fieldReader) next() bool {
	b := r.message
	if r.p >= len(b) {
		return false
	}
	tag, p := varint(b, r.p)
	if p < 0 || tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
		return r.stop()
	}
	r.num, r.kind, r.n, r.data = protowire.Number(tag>>3), protowire.Type(tag&7), 0, nil
	switch r.kind {
	case protowire.VarintType:
		if r.n, p = varint(b, p); p < 0 {
			return r.stop()
		}
	case protowire.BytesType:
		size, q := varint(b, p)
		if q < 0 || size > uint64(len(b)-q) {
			return r.stop()
		}
		p = q + int(size)
		r.data, r.at = b[q:p:p], q
	default:
		n := protowire.ConsumeFieldValue(r.num, r.kind, b[p:])
		if n < 0 {
			return r.stop()
		}
		switch r.kind {
		case protowire.Fixed64Type:
			r.n, _ = protowire.ConsumeFixed64(b[p:])
		case protowire.Fixed32Type:
			v, _ := protowire.ConsumeFixed32(b[p:])
			r.n = uint64(v)
		}
		p += n
	}
	r.p = p
	return true
}

// stop ends the reading of a damaged message.
func (r *fieldReader) stop() bool {
	r.damaged, r.p = true, len(r.message)
	return false
}

// numbersOf returns the numbers that a small message has as its first fields, by field number.
func numbersOf(b []byte) (v [5]uint64) {
	for f := fieldsOf(b); f.next(); {
		if int(f.num) < len(v) {
			v[f.num] = f.n
		}
	}
	return v
}

// intsOf returns the numbers of one repeated field of a message.
func intsOf(b []byte, num protowire.Number) (out []int64) {
	for f := fieldsOf(b); f.next(); {
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
	count := 0
	for _, c := range f.data {
		if c < 0x80 { // the last byte of a number
			count++
		}
	}
	to = slices.Grow(to, count)
	for p := 0; p < len(f.data); {
		v, next := varint(f.data, p)
		if next < 0 {
			break
		}
		to, p = append(to, int64(v)), next
	}
	return to
}

// countFields returns how many fields of a message have a number.
func countFields(b []byte, num protowire.Number) int {
	n := 0
	for f := fieldsOf(b); f.next(); {
		if f.num == num {
			n++
		}
	}
	return n
}

// bytesField returns the first value of a length-delimited field of a message, nil when it is not there. XLA writes each
// field once and in the order of the numbers: reading on to see whether it comes again would read whole computations.
func bytesField(b []byte, num protowire.Number) []byte {
	for f := fieldsOf(b); f.next(); {
		if f.num == num && f.kind == protowire.BytesType {
			return f.data
		}
	}
	return nil
}
