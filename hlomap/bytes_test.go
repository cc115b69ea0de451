package hlomap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
)

// TestBytes computes S, what a device sends, and a step's worth, by exact arithmetic.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		devices           int
		instruction, want string
	}{
		{8, "r = bf16[4096,4096]{1,0} all-reduce(p), replica_groups=[1,8]<=[8]", "33554432 58720256"},
		{64, "r = bf16[8192,28672]{1,0} all-gather(q), replica_groups=[1,64]<=[64], dimensions={0}", "469762048 462422016"},
		{4, "r = f32[256]{0} reduce-scatter(f), replica_groups=[1,4]<=[4], dimensions={0}", "4096 3072"},
		{8, "r = f32[8,128]{1,0} all-to-all(g), replica_groups=[1,8]<=[8], dimensions={0}", "4096 3584"},
		{8, "r = (f32[1024]{0}, bf16[4096,4096]{1,0}) all-reduce(f, p), replica_groups=[2,4]<=[8]", "33558528 50337792"},
		{8, "r = f32[1024]{0} all-reduce(f), replica_groups=[8,1]<=[8]", "4096 0"},
		{8, "r = f32[1024]{0} all-reduce(f), replica_groups={{0,1,2},{3}}", "4096 5462"}, // the larger group, rounded up
		{8, "r = f32[1024]{0} collective-permute(f), source_target_pairs={{0,1},{1,0}}", "4096 4096"},
		{8, "r = f32[1024]{0} collective-permute(f), source_target_pairs={{0,0},{1,1}}", "4096 0"},
		{8, "r = f32[1024]{0} collective-permute(f), source_target_pairs={}", "4096 0"},
		{8, "r = f32[1024]{0} collective-permute(f, f, i, i), source_target_pairs={{0,1}}, slice_sizes={{100},{28}}", "512 512"},
		{8, "r = f32[1024]{0} collective-broadcast(f), replica_groups={{0,1}}", "4096 4096"},
		{8, "r = f32[1024]{0} collective-broadcast(f, i), replica_groups={{0,1}}, has_dynamic_root=true", "4096 4096"},
		{8, "r = f32[512]{0} ragged-all-to-all(f, h, i, i, i, i), replica_groups={{0,1}}", "2048 1024"},
		{8, "r = s4[100]{0:E(4)} all-reduce(n), replica_groups={{0,1}}", "50 50"},
		{8, "r = s4[100]{0} all-reduce(w), replica_groups={{0,1}}", "100 100"},
		{8, "r = f32[<=16]{0} all-reduce(b), replica_groups={{0,1}}", "64 64"},
		// unknown is not zero
		{8, "r = f32[?]{0} all-reduce(u), replica_groups={{0,1}}", "unknown unknown"},
		{8, "r = f99[2]{0} all-reduce(x), replica_groups={{0,1}}", "unknown unknown"},
		{8, "r = f32[1024]{0} all-reduce(missing), replica_groups={{0,1}}", "unknown unknown"},
		{8, "r = f32[1024]{0} all-reduce(f), replica_groups=[3,3]<=[8]", "4096 unknown"},
		{8, "r = f32[1024]{0} all-reduce(f), replica_groups=[1,1099511627776]<=[1099511627776]", "4096 unknown"},
		{8, "r = f32[9223372036854775807,9223372036854775807]{1,0} all-reduce(v), replica_groups={{0,1}}", "unknown unknown"},
	} {
		text := fmt.Sprintf(`HloModule m, num_partitions=%d
ENTRY e {
  p = bf16[4096,4096]{1,0} parameter(0)
  q = bf16[128,28672]{1,0} parameter(1)
  f = f32[1024]{0} parameter(2)
  g = f32[8,128]{1,0} parameter(3)
  h = f32[512]{0} parameter(4)
  i = s32[] parameter(5)
  n = s4[100]{0:E(4)} parameter(6)
  w = s4[100]{0} parameter(7)
  u = f32[?]{0} parameter(8)
  x = f99[2]{0} parameter(9)
  v = f32[9223372036854775807,9223372036854775807]{1,0} parameter(10)
  b = f32[<=16]{0} parameter(11)
  ROOT %s, channel_id=1, use_global_device_ids=true
}
`, c.devices, c.instruction)
		mods, _ := hlomap.Open("m.txt", []byte(text))
		got := mods[0].Collectives()
		if len(got) != 1 {
			t.Errorf("%s: %d collectives", c.instruction, len(got))
			continue
		}
		if g := number(got[0].BytesPerExecution) + " " + number(got[0].WireBytesPerExecution); g != c.want {
			t.Errorf("%s: %s, want %s", c.instruction, g, c.want)
		}
		if large := strings.Contains(c.instruction, "1099511627776"); got[0].GroupsTooLarge != large {
			t.Errorf("%s: groups too large: %v", c.instruction, got[0].GroupsTooLarge)
		}
	}
}

func number(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

// TestInPlacePermute reads the sizes of the slices that permutes move within their buffers, from a text and from the proto that
// XLA (JAX 0.8.1) made of it.
func TestInPlacePermute(t *testing.T) {
	for _, name := range []string{"in_place_permute.txt", "in_place_permute.hlo.pb"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, c := range openOne(t, name, data).Collectives() {
			got = append(got, *c.BytesPerExecution)
		}
		// {2,16}; {2,16} and {4,8}; {1,16} of the one array and {1,8} of the other; four bytes each
		if want := []int64{128, 256, 96}; !slices.Equal(got, want) {
			t.Errorf("%s: %v bytes, want %v", name, got, want)
		}
	}
}
