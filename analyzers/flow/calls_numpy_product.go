package flow

import (
	"slices"
	"strings"
)

// product evaluates matmul, dot and their relatives.
func (in *interp) product(host bool, name string, c *Call) Value {
	a, aok := asArray(orUnknown(c.value(0, "a")))
	b, bok := asArray(orUnknown(c.value(1, "b")))
	if !aok || !bok {
		return Unknown{}
	}
	out := &Array{Host: host && a.Host && b.Host, Made: c.ev}
	mergeFacts(out, a, b)
	out.Draws = multipliedDraws(a, b)
	out.DType, _ = promote(a, b)
	if d := c.value(-1, "preferred_element_type"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	switch name {
	case "matmul", "dot":
		out.Dims, out.RankKnown = matmulDims(a, b)
		out.Sharding = productSharding(a, b)
		if name == "dot" && (a.Rank() > 2 || b.Rank() > 2) {
			out.Dims, out.RankKnown, out.Sharding = nil, false, nil
		}
	case "vdot":
		out.Dims, out.RankKnown = []int64{}, true
	case "outer":
		if a.Rank() == 1 && b.Rank() == 1 {
			out.Dims, out.RankKnown = []int64{a.Dims[0], b.Dims[0]}, true
		}
	}
	out.Commit = commitOf(a, b)
	return in.placedOut(out, c)
}

// multipliedDraws are the draws that a product depends on. A random matrix that is the same on all devices and multiplies data that
// differs is a parameter, such as a projection, and is left out.
func multipliedDraws(arrays ...*Array) []*Event {
	differs := slices.ContainsFunc(arrays, func(a *Array) bool { return len(a.Var) > 0 })
	var out []*Event
	for _, a := range arrays {
		if len(a.Var) > 0 || !a.VarKnown || !differs {
			out = mergeEvents(out, a.Draws)
		}
	}
	return out
}

// placedOut applies an out_sharding argument to the result of an operation.
func (in *interp) placedOut(out *Array, c *Call) Value {
	v := c.value(-1, "out_sharding")
	if v == nil || IsNone(v) {
		return out
	}
	in.placeSharding(PlaceReshard, out, v, MeetOut, c.ev, c.At)
	if s, ok := in.shardingOf(v, MeetOut, c.ev); ok {
		out.Sharding = s
	}
	return out
}

// einsum reads the subscripts to find the shape of the result.
func (in *interp) einsum(host bool, c *Call) Value {
	var arrays []*Array
	for _, p := range c.Pos[min(1, len(c.Pos)):] {
		a, ok := asArray(p.Value)
		if !ok {
			return Unknown{}
		}
		arrays = append(arrays, a)
	}
	if len(arrays) == 0 {
		return Unknown{}
	}
	out := &Array{Host: host && allHost(arrays), Made: c.ev}
	mergeFacts(out, arrays...)
	out.Draws = multipliedDraws(arrays...)
	out.DType = arrays[0].DType
	if len(arrays) > 1 {
		out.DType, _ = promote(arrays[0], arrays[1])
	}
	if d := c.value(-1, "preferred_element_type"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	if s, ok := String(c.value(0)); ok {
		ranks := make([]int, len(arrays))
		for i, a := range arrays {
			ranks[i] = a.Rank()
		}
		if labels, result, ok := EinsumLabels(s, ranks); ok {
			out.Dims, out.RankKnown = einsumDims(labels, result, arrays)
			out.Sharding = einsumSharding(labels, result, arrays)
		}
	}
	out.Commit = commitOf(arrays...)
	return in.placedOut(out, c)
}

// EinsumLabels gives each dimension of the operands of an einsum and of its result a label: the letters of the equation, and bytes
// below the letters for those that an ellipsis stands for. Without an arrow the result has, in order, the labels that stand once. A
// rank of -1 is unknown; ok is false where the equation does not fit the ranks.
func EinsumLabels(equation string, ranks []int) (operands []string, result string, ok bool) {
	left, right, stated := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	operands = strings.Split(left, ",")
	if len(operands) != len(ranks) {
		return nil, "", false
	}
	longest := 0
	for i, labels := range operands {
		rest := ranks[i] - len(labels) + len(ellipsis)
		if !strings.Contains(labels, ellipsis) {
			if ranks[i] >= 0 && len(labels) != ranks[i] {
				return nil, "", false
			}
			continue
		}
		if ranks[i] < 0 || rest < 0 || rest > len(unnamed) {
			return nil, "", false
		}
		longest = max(longest, rest)
		operands[i] = strings.Replace(labels, ellipsis, unnamed[len(unnamed)-rest:], 1)
	}
	wide := unnamed[len(unnamed)-longest:]
	if stated {
		return operands, strings.Replace(right, ellipsis, wide, 1), true
	}
	all := strings.Join(operands, "")
	var once []byte
	for i := range len(all) {
		if strings.Count(all, all[i:i+1]) == 1 && !strings.Contains(unnamed, all[i:i+1]) {
			once = append(once, all[i])
		}
	}
	slices.Sort(once)
	return operands, wide + string(once), true
}

// ellipsis stands in an equation for dimensions without a letter, which are called unnamed here.
const (
	ellipsis = "..."
	unnamed  = "12345678"
)

func einsumDims(labels []string, result string, arrays []*Array) ([]int64, bool) {
	sizes := map[rune]int64{}
	for i, letters := range labels {
		for j, r := range letters {
			if old, ok := sizes[r]; !ok || old < 2 { // a dimension of an ellipsis that has size 1 is stretched
				sizes[r] = arrays[i].Dim(j)
			}
		}
	}
	out := []int64{}
	for _, r := range result {
		d, ok := sizes[r]
		if !ok {
			return nil, false
		}
		out = append(out, d)
	}
	return out, true
}

// einsumSharding is the layout of a product of two operands on Explicit axes, nil where JAX refuses to choose one.
func einsumSharding(labels []string, result string, arrays []*Array) *Sharding {
	var at *Sharding
	entries := map[byte]SpecEntry{}
	for i, a := range arrays {
		s, ok := explicitSpec(a)
		if !ok || s == nil || len(arrays) > 2 || a.Rank() < 0 {
			return nil
		}
		at = s
		for j := range labels[i] {
			if j >= len(s.Spec.Entries) || len(s.Spec.Entries[j].Names) == 0 {
				continue
			}
			label, entry := labels[i][j], s.Spec.Entries[j]
			if old, twice := entries[label]; twice && (strings.IndexByte(result, label) < 0 || !slices.Equal(axisNames(old), axisNames(entry))) {
				return nil
			}
			entries[label] = entry
		}
	}
	spec := &Spec{Known: true, Entries: make([]SpecEntry, len(result))}
	for k := range len(result) {
		spec.Entries[k] = entries[result[k]]
	}
	if RepeatsAxis(spec.Entries) {
		return nil
	}
	out := *at
	out.Spec = spec
	return &out
}

func axisNames(e SpecEntry) []string {
	var out []string
	for _, n := range e.Names {
		out = append(out, n.Name)
	}
	return out
}
