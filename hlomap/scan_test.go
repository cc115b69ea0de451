package hlomap

import (
	"encoding/binary"
	"testing"
)

// TestOtherThanName compares the eight bytes at once with the table, in every place and beside every neighbor that could carry.
func TestOtherThanName(t *testing.T) {
	for _, rest := range []byte{0, 'a', '-', 0x7f, 0x80, 0xff} {
		for c := range 256 {
			for at := range 8 {
				b := []byte{rest, rest, rest, rest, rest, rest, rest, rest}
				b[at] = byte(c)
				got := otherThanName(binary.LittleEndian.Uint64(b))
				for k := range b {
					if other := got>>(8*k)&0xff == 0x80; other == nameChar[b[k]] || !other && got>>(8*k)&0xff != 0 {
						t.Fatalf("byte %d of %q: bits %#x", k, b, got>>(8*k)&0xff)
					}
				}
			}
		}
	}
}
