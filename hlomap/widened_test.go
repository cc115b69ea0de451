package hlomap_test

import (
	"fmt"
	"testing"
)

// TestWidenedByBackend tells casts that passes insert around an exchange from those of the program.
func TestWidenedByBackend(t *testing.T) {
	const inserted, written = "", `, metadata={op_name="jit(f)/convert_element_type"}`
	for _, c := range []struct {
		name, before, after, back string
		want                      bool
	}{
		{"float normalization", inserted, "bf16", inserted, true},
		{"an algebraic pass has merged the cast back with the program's", inserted, "bf16", written, true},
		{"the program's own casts", written, "bf16", written, false},
		{"the result stays wide", inserted, "f32", inserted, false},
	} {
		text := fmt.Sprintf(`HloModule m, is_scheduled=true, num_partitions=2
cast {
  x = bf16[8]{0} parameter(0)
  ROOT wide = f32[8]{0} convert(x)%s
}
ENTRY e {
  p = bf16[8]{0} parameter(0)
  wide = f32[8]{0} fusion(p), kind=kLoop, calls=cast
  moved = f32[8]{0} bitcast(wide)
  g = f32[16]{0} all-gather(moved), replica_groups={{0,1}}, dimensions={0}, metadata={op_name="jit(f)/dot_general"}
  ROOT back = %s[16]{0} convert(g)%s
}
`, c.before, c.after, c.back)
		got := openOne(t, "cpu_after_optimizations.txt", []byte(text)).Collectives()
		if len(got) != 1 || got[0].WidenedByBackend != c.want {
			t.Errorf("%s: %v, want %v", c.name, got[0].WidenedByBackend, c.want)
		}
	}
}
