package hlomap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A computation that calls itself is looked at once: HLO has no recursion, and a few lines of it must not use up all steps.
func TestRecursionIsCutOff(t *testing.T) {
	m := readText("m", []byte("HloModule m\ne {\n w = () while(w), body=e, condition=e\n r = f32[] all-reduce(w#0#1), to_apply=e, replica_groups=[1,2]<=[2]\n}\n"), nil)[0]
	g := newDataGraph(m, m.Collectives())
	v := newVariance(g)
	if v.steps == 0 || v.steps > 100 {
		t.Errorf("%d steps of variance for %d instructions", v.steps, m.NumInstructions())
	}
	if d := newDestinations(g, v); d.steps > 100 {
		t.Errorf("%d steps of destinations for %d instructions", d.steps, m.NumInstructions())
	}
}

// A loop that carries n arrays has n uses of its parameter: what they say must take room for n elements, not for n tuples of n.
func TestUsesOfWideTuple(t *testing.T) {
	const n = 500
	shape := "(" + strings.TrimSuffix(strings.Repeat("f32[8], ", n), ", ") + ")"
	var b strings.Builder
	fmt.Fprintf(&b, "HloModule m, num_partitions=2\n\nENTRY e {\n  p = %s parameter(0)\n", shape)
	var names []string
	for k := range n {
		fmt.Fprintf(&b, "  g%d = f32[8] get-tuple-element(p), index=%d\n", k, k)
		names = append(names, fmt.Sprintf("g%d", k))
	}
	fmt.Fprintf(&b, "  ROOT t = %s tuple(%s)\n}\n", shape, strings.Join(names, ", "))
	m := readText("m", []byte(b.String()), nil)[0]
	g := newDataGraph(m, m.Collectives())
	d := newDestinations(g, newVariance(g))
	room := 0
	for _, r := range d.tuples.rows {
		room += len(r.elements)
	}
	if room > 4*n {
		t.Errorf("facts about %d elements for a tuple of %d", room, n)
	}
	for k := range n {
		if got := d.sets.members(d.flat(d.tuples.at(d.entry[0], k)).direct); !slices.Equal(got, []int32{int32(k)}) {
			t.Fatalf("element %d goes to %v", k, got)
		}
	}
}

// Numbers of parameters that no module has take no memory, however many computations name one.
func TestParameterNumbersTakeNoMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("HloModule m\n\n")
	for k := range 100 {
		fmt.Fprintf(&b, "c%d {\n  a = f32[] parameter(60000)\n  b = f32[] parameter(99999999999)\n}\n\n", k)
	}
	m := readText("m", []byte(b.String()), nil)[0]
	if len(m.params) > maxParameterGaps+m.NumInstructions() {
		t.Errorf("%d parameters in %d instructions", len(m.params), m.NumInstructions())
	}
	if m.Parameter(0, 60000) == NoInstr {
		t.Error("the one parameter of a part of a module is lost")
	}
	if problems := m.Problems(); len(problems) == 0 || !strings.Contains(problems[0].Message, "parameter number 99999999999 is too large") {
		t.Errorf("problems: %v", problems)
	}
}

// Tuples of facts keep their width: an array stands for every element of a tuple, those too that have the least fact.
func TestMergeOfTupleAndArray(t *testing.T) {
	table := newTupleTable()
	larger := func(a, b fact) fact { return max(a, b) }
	tuple := table.within([]int{2}, 7)
	merged := table.merge(tuple, 5, larger)
	var got []fact
	for k := range 4 {
		got = append(got, table.at(merged, k))
	}
	if want := []fact{5, 5, 7, 0}; !slices.Equal(got, want) {
		t.Errorf("merged: %v, want %v", got, want)
	}
	if a, b := table.within([]int{0}, 7), table.of([]fact{7, 0, 0}); a == b || table.merge(a, b, larger) != b {
		t.Error("tuples of other widths are taken for one another")
	}
}

// Outputs go to the argument that is the only one left, else to the nearest, and no argument has two.
func TestPairing(t *testing.T) {
	p := newPairing([][]int{{0, 1, 2}, {1}, {0, 1, 2}, nil}, 3)
	p.pairAll(func(o int, free []int) int {
		if o != 0 || !slices.Equal(free, []int{0, 2}) {
			t.Errorf("asked for the nearest of %v to %d", free, o)
		}
		return 2
	})
	if want := []int{2, 1, 0, -1}; !slices.Equal(p.owner, want) {
		t.Errorf("owners: %v, want %v", p.owner, want)
	}
}

// doublingTuples returns a tuple that holds another twice, which holds a third twice, and so on.
func doublingTuples(t *tupleTable, leaf fact, depth int) fact {
	for range depth {
		leaf = t.of([]fact{leaf, leaf})
	}
	return leaf
}

func TestSharedTuplesAreReadOnce(t *testing.T) {
	const depth = 60
	larger := func(a, b fact) fact { return max(a, b) }
	table := newTupleTable()
	a := doublingTuples(table, 3, depth)
	if got := table.flat(a, larger); got != 3 {
		t.Errorf("flat: got %d, want 3", got)
	}
	merged := table.merge(a, doublingTuples(table, 7, depth), larger)
	if got := table.flat(merged, larger); got != 7 {
		t.Errorf("flat of the merged tuple: got %d, want 7", got)
	}
	if limit := 2 * 3 * depth; table.steps > limit {
		t.Errorf("looked at %d elements of tuples, want at most %d", table.steps, limit)
	}
}

// Where every reduced array goes element by element into every output, the reductions of an output are not listed.
func TestHitsOfEveryOutput(t *testing.T) {
	const n = maxHits + 100
	var b strings.Builder
	b.WriteString("HloModule m, num_partitions=2\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n")
	var outputs []string
	for k := range n {
		fmt.Fprintf(&b, "  w%d = f32[8] parameter(%d)\n  r%d = f32[8] all-reduce(w%d), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add\n", k, k, k, k)
	}
	b.WriteString("  s0 = f32[8] copy(r0)\n")
	for k := 1; k < n; k++ {
		fmt.Fprintf(&b, "  s%d = f32[8] add(s%d, r%d)\n", k, k-1, k)
	}
	for k := range n {
		fmt.Fprintf(&b, "  u%d = f32[8] divide(w%d, s%d)\n", k, k, n-1)
		outputs = append(outputs, fmt.Sprintf("u%d", k))
	}
	fmt.Fprintf(&b, "  ROOT t = (%s) tuple(%s)\n}\n", strings.TrimSuffix(strings.Repeat("f32[8], ", n), ", "), strings.Join(outputs, ", "))
	m := readText("m", []byte(b.String()), nil)[0]
	tr := newTraining(newDataGraph(m, m.Collectives()))
	if len(tr.hits) != n {
		t.Fatalf("%d outputs, want %d", len(tr.hits), n)
	}
	for o, hits := range tr.hits {
		if len(hits) != 1 || !tr.crowded[o] {
			t.Fatalf("output %d: %d reductions, crowded %t", o, len(hits), tr.crowded[o])
		}
	}
}
