package units

import "testing"

func TestBytes(t *testing.T) {
	tests := []struct {
		n    int64
		want string
	}{{0, "0 B"}, {1023, "1023 B"}, {1024, "1.0 KiB"}, {1<<20 - 1, "1.0 MiB"}, {3 << 29, "1.5 GiB"}, {1<<63 - 1, "8.0 EiB"}}
	for _, tt := range tests {
		if got := Bytes(tt.n); got != tt.want {
			t.Errorf("Bytes(%d) = %q, want %q", tt.n, got, tt.want)
		}
	}
}
