package hlomap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestDecompressionIsBounded wants what fits within a bound, and a word about the rest.
func TestDecompressionIsBounded(t *testing.T) {
	const size, most = 1 << 20, 1 << 12
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	if _, err := w.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"gzip": gz.Bytes(), "zstd": e.EncodeAll(make([]byte, size), nil)} {
		if out, err := decompressAtMost(data, most); !errors.Is(err, errTooLarge) || len(out) > most {
			t.Errorf("%s: %d bytes of at most %d, %v", name, len(out), most, err)
		}
		if out, err := decompressAtMost(data, mostProfile); err != nil || len(out) != size {
			t.Errorf("%s: %d bytes of %d, %v", name, len(out), size, err)
		}
	}
}
