package hlomap

import (
	"encoding/binary"
	"math/bits"
)

const (
	hashK0 = 0x9E3779B97F4A7C15
	hashK1 = 0xD6E8FEB86659FD93
)

// hash64 hashes the n bytes of b at off. It reads words, not bytes, wherever the buffer reaches far enough.
func hash64(b []byte, off, n int) uint64 {
	h := uint64(n) * hashK0
	for n > 8 {
		hi, lo := bits.Mul64(binary.LittleEndian.Uint64(b[off:])^h, hashK1)
		h, off, n = hi^lo, off+8, n-8
	}
	var v uint64
	if off+8 <= len(b) {
		v = binary.LittleEndian.Uint64(b[off:])
		if n < 8 {
			v &= 1<<(uint(n)*8) - 1
		}
	} else {
		for k := n - 1; k >= 0; k-- {
			v = v<<8 | uint64(b[off+k])
		}
	}
	hi, lo := bits.Mul64(v^h, hashK0)
	return hi ^ lo
}
