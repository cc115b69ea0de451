package hlomap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Open reads the modules in a file: HLO text or an HLO proto (HloProto or HloModuleProto), plain or compressed with gzip
// or zstd. The name is used for problems and to tell the stage; it need not be a file. The modules keep data, which
// must not be changed afterwards. Content never makes it fail: it returns what could be read and what could not.
func Open(name string, data []byte) ([]*Module, []Problem) { return OpenMapped(name, data, nil) }

// OpenMapped is Open for data that is a mapped file. It calls release, from any goroutine, with parts of data whose memory may be given
// back: the content must be there again when it is next read. Parts begin at multiples of 64 KiB, which are whole pages on any system.
func OpenMapped(name string, data []byte, release func(part []byte)) ([]*Module, []Problem) {
	file := data
	data, err := decompress(file)
	data = fromUTF16(data)
	if release != nil && len(data) > 0 && &data[0] != &file[0] {
		release(file)
		release = nil
	}
	var problems []Problem
	if err != nil {
		problems = append(problems, Problem{Path: name, Message: err.Error()})
	}
	if int64(len(data)) > math.MaxUint32 {
		return nil, []Problem{{Path: name, Message: "larger than 4 GiB"}}
	}
	var read, mods []*Module
	if isProto(data) {
		if m := readProto(name, data, newResidence(data, release)); m != nil {
			read = append(read, m)
		}
	} else {
		read = readText(name, data, newResidence(data, release))
	}
	for _, m := range read {
		if m.foreign || m.name == "" && len(m.ops) == 0 {
			continue
		}
		m.stage = stageOf(m)
		problems = append(problems, m.problems...)
		mods = append(mods, m)
	}
	if len(mods) == 0 {
		message := "holds no HLO module"
		if reencoded(data) {
			message = "the file was re-encoded as text: every byte from 0x80 up is lost"
		}
		problems = append(problems, Problem{Path: name, Message: message})
	}
	return mods, problems
}

// fromUTF16 turns text in UTF-16 that begins with a byte order mark, as some shells on Windows write output to files, into UTF-8. All
// else it returns as it is.
func fromUTF16(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return data
	}
	out := make([]byte, 0, len(data)/2)
	for p := 2; p+2 <= len(data); p += 2 {
		c := rune(order.Uint16(data[p:]))
		if utf16.IsSurrogate(c) && p+4 <= len(data) {
			c = utf16.DecodeRune(c, rune(order.Uint16(data[p+2:])))
			p += 2
		}
		out = utf8.AppendRune(out, c)
	}
	return out
}

// The limits on decompression: so many times the size of the compressed file (HLO text shrinks by a factor of 10 to 100), but
// small files may grow to the least.
const (
	maxExpansion      = 300
	leastDecompressed = 64 << 20
	mostDecompressed  = 2 << 30
)

var errTooLarge = errors.New("decompressed content is too large")

// decompress undoes gzip or zstd, told by their first bytes. What was read before an error is returned with it.
func decompress(data []byte) ([]byte, error) { return decompressAtMost(data, mostDecompressed) }

// decompressAtMost is decompress with a bound of its own, in bytes.
func decompressAtMost(data []byte, most int64) ([]byte, error) {
	limit := min(max(int64(len(data))*maxExpansion, leastDecompressed), most)
	switch {
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		var size int64 // in the trailer, its low 32 bits
		if n := len(data); n > 4 {
			size = int64(binary.LittleEndian.Uint32(data[n-4:]))
		}
		return readLimited("gzip", r, min(size, int64(len(data))*maxExpansion), limit)
	case bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return unzstd(data, limit)
	}
	return data, nil
}

// unzstd undoes zstd, straight into one piece of memory where the file tells its size.
func unzstd(data []byte, limit int64) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	defer r.Close()
	out, err := r.DecodeAll(data, nil)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return out, fmt.Errorf("zstd: %w", errTooLarge)
	case err != nil:
		return out, fmt.Errorf("zstd: %w", err)
	}
	return out, nil
}

// readLimited reads all there is but for what is beyond the limit. The size, which nobody vouches for, is how much is expected.
func readLimited(format string, r io.Reader, size, limit int64) ([]byte, error) {
	out := make([]byte, 0, min(size, limit)+bytes.MinRead) // the reader tells the end only where there is room for more
	for {
		if len(out) == cap(out) {
			out = slices.Grow(out, len(out))
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > limit:
			return out[:limit], fmt.Errorf("%s: %w", format, errTooLarge)
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return out, fmt.Errorf("%s: %w", format, err)
		}
	}
}
