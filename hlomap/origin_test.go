package hlomap

import "testing"

func TestOriginOfName(t *testing.T) {
	for _, c := range []struct{ opName, origin string }{
		{"jit(f)/transpose(jvp())/dot_general", "partitioner"},
		{"jit(f)/jit(main)/shard_map/psum", "user"},
		{"jit(f)/transpose(jvp())/shard_map/psum_invariant", "user"},
		{"jit(f)/shard_map/ppermute", "user"},
		{"psum_invariant", "user"},
		{"jit(f)/shard_map/all_gather_start", "user"},
		{"jit(f)/sharding_constraint", "partitioner"},
		{"params['psum']", "partitioner"},
		{"jit(f)/jit(main)/reduce_sum[axes=(0, 1)]", "partitioner"},
		{"jit(f)/jit(main)/psum[axes=('data',) axis_index_groups=None]", "user"},
		{"jit(f)/(dot_general:add:dot_general)", "partitioner"},
		{"jit(f)/shard_map/(psum:psum)", "user"},
		{"jit(f)/(shard_map/psum:transpose(jvp(a:b))/dot_general)", "unknown"},
		{"jit(f)/transpose(jvp(bhtv,hvd->btd))", "partitioner"},
	} {
		if origin, reason := originOfName(c.opName); origin != c.origin || reason == "" {
			t.Errorf("%s: %s (%s), want %s", c.opName, origin, reason, c.origin)
		}
	}
}

func TestCombinedNames(t *testing.T) {
	names, ok := combinedNames("jit(f)/(transpose(jvp(a:b))/dot_general:add[x=1:2]:jvp()/mul)")
	if want := []string{"jit(f)/transpose(jvp(a:b))/dot_general", "jit(f)/add[x=1:2]", "jit(f)/jvp()/mul"}; !ok || len(names) != 3 || names[0] != want[0] || names[1] != want[1] || names[2] != want[2] {
		t.Errorf("%q, want %q", names, want)
	}
	for _, single := range []string{"jit(f)/add", "jit(f)", "jit(f)/transpose(jvp(a:b))", "", ")", "a/(b)"} {
		if names, ok := combinedNames(single); ok {
			t.Errorf("%s: %q", single, names)
		}
	}
}
