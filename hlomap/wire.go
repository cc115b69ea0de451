package hlomap

import (
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
		num, kind, n := protowire.ConsumeTag(b[p:])
		if n < 0 {
			return false
		}
		p += n
		f = field{num: num, kind: kind}
		switch kind {
		case protowire.VarintType:
			f.n, n = protowire.ConsumeVarint(b[p:])
		case protowire.Fixed64Type:
			f.n, n = protowire.ConsumeFixed64(b[p:])
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b[p:])
			f.n = uint64(v)
		case protowire.BytesType:
			f.data, n = protowire.ConsumeBytes(b[p:])
			f.at = p + n - len(f.data)
		default:
			n = protowire.ConsumeFieldValue(num, kind, b[p:])
		}
		if n < 0 {
			return false
		}
		p += n
		if !visit(&f) {
			return true
		}
	}
	return true
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

// bytesField returns the last value of a length-delimited field of a message, nil when it is not there.
func bytesField(b []byte, num protowire.Number) []byte {
	var out []byte
	fields(b, func(f *field) bool {
		if f.num == num && f.kind == protowire.BytesType {
			out = f.data
			if out == nil {
				out = []byte{}
			}
		}
		return true
	})
	return out
}
