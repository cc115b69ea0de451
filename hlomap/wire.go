package hlomap

import (
	"encoding/binary"
	"math/bits"
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

// fieldSet is a set of field numbers: a bit for each of those below [moreFields], which itself stands for all from there on.
type fieldSet uint64

const (
	moreFields = 63
	anyField   = ^fieldSet(0)
)

// next moves to the next field. It answers false at the end, and where the message is damaged.
func (r *fieldReader) next() bool { return r.find(anyField) }

// find is next for fields whose number is in a set: it steps over all others, of which it looks at no more than the length.
func (r *fieldReader) find(wanted fieldSet) bool {
	b := r.message
	for p := r.p; p < len(b); {
		tag, at := uint64(b[p]), p+1
		if tag >= 0x80 {
			if tag, at = longVarint(b, p); at < 0 {
				return r.stop()
			}
		}
		num, kind := tag>>3, protowire.Type(tag&7)
		if num == 0 || num > uint64(protowire.MaxValidNumber) {
			return r.stop()
		}
		n := uint64(0)
		switch kind {
		case protowire.VarintType, protowire.BytesType: // a number, or how many bytes there are
			if at < len(b) && b[at] < 0x80 {
				n, at = uint64(b[at]), at+1
			} else if n, at = longVarint(b, at); at < 0 {
				return r.stop()
			}
			p = at
			if kind == protowire.BytesType {
				if n > uint64(len(b)-at) {
					r.stop()
					r.num, r.data, r.at = protowire.Number(num), b[at:], at
					return false
				}
				n, p = 0, at+int(n)
			}
		default:
			if n, p = fixed(b, at, protowire.Number(num), kind); p < 0 {
				return r.stop()
			}
		}
		if wanted>>min(num, moreFields)&1 == 0 {
			continue
		}
		r.num, r.kind, r.n, r.data, r.p = protowire.Number(num), kind, n, nil, p
		if kind == protowire.BytesType {
			r.data, r.at = b[at:p:p], at
		}
		return true
	}
	r.p = len(b)
	return false
}

// short steps over the next field, and returns its bytes, where it is one with the given tag and a length of one byte. Else it returns
// nothing and stays where it is.
func (r *fieldReader) short(tag byte) []byte {
	b, at := r.message, r.p+2
	if at > len(b) || b[r.p] != tag || b[r.p+1] >= 0x80 {
		return nil
	}
	end := at + int(b[r.p+1])
	if end > len(b) {
		return nil
	}
	r.p = end
	return b[at:end]
}

// fixed reads a number of fixed width at p, and skips a group. The next position is -1 where the field is cut off.
func fixed(b []byte, p int, num protowire.Number, kind protowire.Type) (n uint64, next int) {
	size := protowire.ConsumeFieldValue(num, kind, b[p:])
	if size < 0 {
		return 0, -1
	}
	switch kind {
	case protowire.Fixed64Type:
		n, _ = protowire.ConsumeFixed64(b[p:])
	case protowire.Fixed32Type:
		v, _ := protowire.ConsumeFixed32(b[p:])
		n = uint64(v)
	}
	return n, p + size
}

// stop ends the reading of a damaged message. Of a field with a length that goes on beyond the message, [fieldReader.find] leaves what
// there is.
func (r *fieldReader) stop() bool {
	r.field, r.damaged, r.p = field{}, true, len(r.message)
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

// intsOf returns the numbers of one repeated field of a message, whose number is below [moreFields].
func intsOf(b []byte, num protowire.Number) (out []int64) {
	for f := fieldsOf(b); f.find(1 << num); {
		out = f.appendInts(out)
	}
	return out
}

// varint reads the number at p and returns the position after it, -1 where there is none.
func varint(b []byte, p int) (v uint64, next int) {
	if p < len(b) && b[p] < 0x80 {
		return uint64(b[p]), p + 1
	}
	return longVarint(b, p)
}

// longVarint is varint for numbers that are mostly longer than a byte. The ids of instructions take seven.
func longVarint(b []byte, p int) (v uint64, next int) {
	const high = 0x8080808080808080
	if p+8 > len(b) {
		return lastVarint(b, p)
	}
	w := binary.LittleEndian.Uint64(b[p:])
	if w&0x8000 == 0 {
		return w&0x7f | w>>1&0x3f80, p + 2
	}
	last := ^w & high // the highest bit is set in all bytes but the last
	if last == 0 {
		return lastVarint(b, p)
	}
	w &= (last ^ (last - 1)) &^ high
	w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
	w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
	return w&0x0fffffff | w&0x0fffffff00000000>>4, p + bits.TrailingZeros64(last)/8 + 1
}

// lastVarint is varint for numbers near the end of a message, and those of more than eight bytes.
func lastVarint(b []byte, p int) (v uint64, next int) {
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

// anyTrue reports whether one of the truth values of a repeated field, packed or not, is true.
func (f *field) anyTrue() bool {
	for _, c := range f.data {
		if c&0x7f != 0 {
			return true
		}
	}
	return f.n != 0
}

// countFields returns how many fields of a message have a number below [moreFields].
func countFields(b []byte, num protowire.Number) int {
	n := 0
	for f := fieldsOf(b); f.find(1 << num); {
		n++
	}
	return n
}

// bytesField returns the first value of a length-delimited field of a message with a number below [moreFields], nil when it is not there.
// XLA writes each field once and in the order of the numbers: reading on to see whether it comes again would read whole computations.
func bytesField(b []byte, num protowire.Number) []byte {
	for f := fieldsOf(b); f.find(1 << num); {
		if f.kind == protowire.BytesType {
			return f.data
		}
	}
	return nil
}
