package hlomap

import (
	"fmt"
	"strings"
	"testing"
)

func TestGroups(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// written out
		{"{{0,1},{2,3}}", "[[0 1] [2 3]]"},
		{"{{0},{1,2}}", "[[0] [1 2]]"},
		{"{ { 0, 2 }, { 1, 3 } }", "[[0 2] [1 3]]"},
		{"{0,1,2}", "[[0 1 2]]"},
		{"{}", "empty"},
		{"{{}}", "[[]]"},
		// iota
		{"[1,8]<=[8]", "[[0 1 2 3 4 5 6 7]]"},
		{"[2,4]<=[8]", "[[0 1 2 3] [4 5 6 7]]"},
		{"[4,2]<=[2,4]T(1,0)", "[[0 4] [1 5] [2 6] [3 7]]"},
		{"[2,10]<=[20]", "[[0 1 2 3 4 5 6 7 8 9] [10 11 12 13 14 15 16 17 18 19]]"},
		{"[4,2]<=[2,2,2]T(0,2,1)", "[[0 2] [1 3] [4 6] [5 7]]"},
		{"[2,4]<=[2,2,2]T(1,0,2)", "[[0 1 4 5] [2 3 6 7]]"},
		// axes of a mesh
		{"mesh['data'=2,'model'=4] {'model'}", "[[0 1 2 3] [4 5 6 7]]"},
		{"mesh['data'=2,'model'=4] {'data'}", "[[0 4] [1 5] [2 6] [3 7]]"},
		{"mesh['data'=2,'model'=4] {'data','model'}", "[[0 1 2 3 4 5 6 7]]"},
		{"mesh['data'=2,'model'=4] {'model','data'}", "[[0 4 1 5 2 6 3 7]]"},
		{"mesh['data'=2,'model'=4] {'model':(1)2}", "[[0 2] [1 3] [4 6] [5 7]]"},
		{"mesh['data'=2,'model'=4] {'model':(2)2}", "[[0 1] [2 3] [4 5] [6 7]]"},
		{"mesh['x'=16] {'x':(2)4}", "[[0 2 4 6] [1 3 5 7] [8 10 12 14] [9 11 13 15]]"},
		{"mesh['x'=8] {'x':(4)2, 'x':(1)2}", "[[0 4 1 5] [2 6 3 7]]"},
		{"mesh['axis_0'=8,'axis_1'=1] {'axis_0'}", "[[0 1 2 3 4 5 6 7]]"},
		{"mesh['axis_0'=8,'axis_1'=1] {'axis_0','axis_1'}", "[[0 1 2 3 4 5 6 7]]"},
		{"mesh['a'=4,'b'=2], device_ids=([4,2]T(1,0)) {'a'}", "[[0 4 1 5] [2 6 3 7]]"},
		{"mesh['a'=2,'b'=2], device_ids=(0,2,1,3) {'b'}", "[[0 2] [1 3]]"},
		{"mesh['x'=2,'y'=2] {1}", "[[0 1] [2 3]]"},
		{"mesh['it\\'s'=2,'y'=2] {'it\\'s'}", "[[0 2] [1 3]]"},
		{"@mesh<a=2,b=4> {a}", "[[0 4] [1 5] [2 6] [3 7]]"},
		{"maximal_mesh[device_id=3] {}", "[[3]]"},
		// no sense
		{"", "bad"}, {"{{0,1}", "bad"}, {"{{-1,2}}", "bad"}, {"[3,3]<=[8]", "bad"}, {"[2,4]<=[2,4]T(0,0)", "bad"}, {"[2,4]<=[8]T(1)", "bad"},
		{"[0,0]<=[0]", "bad"}, {"[2,4]<=", "bad"}, {"[2,4", "bad"}, {"mesh['a'=2] {'b'}", "bad"}, {"mesh['a'=0] {'a'}", "bad"}, {"mesh[", "bad"},
		{"mesh['a'=4] {'a':(3)2}", "bad"}, {"mesh['a'=4] {'a','a'}", "bad"}, {"mesh['a'=2], device_ids=(0,1,2) {'a'}", "bad"}, {"mesh['a'=2] {'a'", "bad"},
		// too many devices: nothing is allocated for them
		{"[1048576,1048576]<=[1099511627776]", "large"},
		{"[1,1099511627776]<=[1048576,1048576]T(1,0)", "large"},
		{"mesh['a'=1048576,'b'=1048576] {'a'}", "large"},
		{"[9223372036854775807,9223372036854775807]<=[9223372036854775807,9223372036854775807]", "large"},
		{"{{" + strings.Repeat("0,", maxGroupIDs) + "0}}", "large"},
	} {
		if got := groupsString(c.text); got != c.want {
			t.Errorf("%.60s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestLongValues reads long values that repeat, in a text where each stands alone: what is recognized as read before is what is there.
func TestLongValues(t *testing.T) {
	list := func(first int) string {
		ids := make([]string, 500)
		for k := range ids {
			ids[k] = fmt.Sprint(first + k)
		}
		return "{{" + strings.Join(ids, ",") + "}}"
	}
	a, b := list(0), list(1000)
	spelled := &spellings{}
	var first []byte
	for _, c := range []struct{ value, behind string }{
		{a, ", to_apply=%add"}, {b, ", to_apply=%add"}, {a, ", channel_id=1"}, {a, "\n"}, {a, ""}, {b, ",x"},
		{a + " {1}", ", x=1"}, {a + " {1}", ", x=1"}, {a, ",x"}, // goes on behind a blank
		{a[:len(a)-1] + "\n" + a, ""}, {a[:len(a)-1], ""}, {a[:len(a)-1], ", x=1}"}, // never closed, and later than before
		{list(1), ","}, {list(2), ","}, {list(3), ","}, {list(4), ","}, {a, ","}, // more than are kept
		{"{{0,1}}", ", x=1"}, {"mesh['x'=2] {'x'}", ", x=1"}, {"", ","},
	} {
		text := []byte("k=" + c.value + c.behind)
		value, end := spelled.value(text, 2)
		if want := endOfValue(text, 2); end != want || string(value) != string(text[2:want]) {
			t.Errorf("%d bytes before %q: ends at %d, want %d", len(c.value), c.behind, end, want)
		}
		switch {
		case first == nil:
			first = value
		case c.behind == ", channel_id=1" && &value[0] != &first[0]:
			t.Errorf("read again")
		}
	}
}

func groupsString(text string) string {
	g, ok := parseGroups([]byte(text))
	if !ok {
		return "bad"
	}
	if g.empty {
		return "empty"
	}
	groups, large, ok := g.expand()
	switch {
	case !ok:
		return "bad"
	case large:
		return "large"
	}
	return fmt.Sprint(groups)
}

func TestLargeGroupsAllocateLittle(t *testing.T) {
	text := []byte("[1048576,1048576]<=[1099511627776]")
	if n := testing.AllocsPerRun(10, func() {
		g, _ := parseGroups(text)
		g.expand()
	}); n > 20 {
		t.Errorf("%v allocations", n)
	}
}

func TestPairs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{{0,1},{1,2},{2,3},{3,0}}", "[[0 1] [1 2] [2 3] [3 0]] true"}, {"{}", "[] true"}, {"{{0,1,2}}", "[] false"}, {"{{0}", "[] false"},
	} {
		pairs, _, ok := parsePairs([]byte(c.text))
		if got := fmt.Sprint(pairs, " ", ok); strings.ReplaceAll(got, "  ", " ") != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestGroupModes checks what the ids in groups count, with two replicas of four partitions: device = 4·replica + partition.
func TestGroupModes(t *testing.T) {
	const counts = ", num_partitions=4"
	const header = "HloModule m, replica_count=2" + counts + "\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n" +
		"ENTRY main {\n  p = f32[8] parameter(0)\n"
	for _, c := range []struct{ instruction, groups, pairs string }{
		{"all-reduce(p), replica_groups={{0,1}}, to_apply=add", "[[0 4] [1 5] [2 6] [3 7]]", ""},
		{"all-reduce(p), replica_groups={}, to_apply=add", "[[0 4] [1 5] [2 6] [3 7]]", ""},
		{"all-reduce(p), replica_groups={{0},{1}}, to_apply=add", "[[0] [1] [2] [3] [4] [5] [6] [7]]", ""},
		{"all-reduce(p), channel_id=1, replica_groups={{0},{1}}, to_apply=add", "[[0 1 2 3] [4 5 6 7]]", ""},
		{"all-reduce(p), channel_id=1, replica_groups={{0,1}}, to_apply=add", "[[0 1 2 3 4 5 6 7]]", ""},
		{"all-reduce(p), channel_id=1, replica_groups={}, to_apply=add", "[[0 1 2 3 4 5 6 7]]", ""},
		{"all-reduce(p), channel_id=_, replica_groups={}, to_apply=add", "[[0 1 2 3 4 5 6 7]]", ""},
		{"all-reduce(p), channel_id=1, replica_groups={{0,5},{1,4}}, use_global_device_ids=true, to_apply=add", "[[0 5] [1 4]]", ""},
		{"all-to-all(p), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}", "[[0 1] [4 5] [2 3] [6 7]]", ""},
		{"all-to-all(p), channel_id=1, replica_groups={}, dimensions={0}", "[[0 1 2 3] [4 5 6 7]]", ""},
		{"all-to-all(p), replica_groups={{0,1}}, dimensions={0}", "[[0 4] [1 5] [2 6] [3 7]]", ""},
		{"all-to-all(p), replica_groups={{0,7}}, dimensions={0}", "[[0 7]]", ""}, // does not fit the counts: kept as written
		{"collective-permute(p), channel_id=1, source_target_pairs={{0,1}}", "[]", "[[0 1] [4 5]]"},
		{"collective-permute(p), source_target_pairs={{0,1}}", "[]", "[[0 4] [1 5] [2 6] [3 7]]"},
		{"all-reduce(p), channel_id=1, replica_groups=mesh['a{'=2,'b]'=4] {'a{'}, use_global_device_ids=true, to_apply=add", "[[0 4] [1 5] [2 6] [3 7]]", ""},
		// one partition: its count is left out
		{"one: all-reduce(p), replica_groups={}, to_apply=add", "[[0 1]]", ""},
		{"one: all-reduce(p), channel_id=1, replica_groups={{0},{1}}, to_apply=add", "[[0] [1]]", ""},
		{"one: all-to-all(p), channel_id=1, replica_groups={{0}}, dimensions={0}", "[[0] [1]]", ""},
		{"one: collective-broadcast(p), channel_id=1, replica_groups={}", "[[0] [1]]", ""},
		{"one: collective-permute(p), channel_id=1, source_target_pairs={{0,0}}", "[]", "[[0 0] [1 1]]"},
	} {
		header := header
		if i, ok := strings.CutPrefix(c.instruction, "one: "); ok {
			c.instruction, header = i, strings.Replace(header, counts, "", 1)
		}
		mods, problems := Open("m.txt", []byte(header+"  ROOT r = f32[8] "+c.instruction+"\n}\n"))
		if len(mods) != 1 || len(problems) > 0 {
			t.Fatalf("%s: %v", c.instruction, problems)
		}
		got := mods[0].Collectives()
		if len(got) != 1 {
			t.Errorf("%s: %d collectives", c.instruction, len(got))
			continue
		}
		if g := fmt.Sprint(got[0].ReplicaGroups); g != c.groups {
			t.Errorf("%s: groups %s, want %s", c.instruction, g, c.groups)
		}
		if p := fmt.Sprint(got[0].SourceTargetPairs); c.pairs != "" && p != c.pairs || c.pairs == "" && got[0].SourceTargetPairs != nil {
			t.Errorf("%s: pairs %s, want %s", c.instruction, p, c.pairs)
		}
	}
}
