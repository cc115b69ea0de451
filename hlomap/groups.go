package hlomap

import (
	"bytes"
	"slices"
	"strconv"
)

// maxGroupIDs bounds the device ids that one group list is expanded to.
const maxGroupIDs = 1 << 18

// groupSpec is a list of groups of replicas or partitions as it is written down, before expansion.
type groupSpec struct {
	lists [][]int   // written out
	large bool      // more ids than maxGroupIDs were written out
	iota  *iotaSpec // [rows,size]<=[dims]T(perm)
	mesh  *meshSpec // mesh['x'=2,'y'=4] {'x'}
	empty bool      // {}: everybody
}

// iotaSpec numbers devices by reshaping and transposing 0, 1, 2, …, and cuts the result into rows of size devices.
type iotaSpec struct {
	rows, size int64
	dims       []int64
	perm       []int
}

// meshSpec is a list of groups over axes of a mesh of devices.
type meshSpec struct {
	axes    []meshAxisSize
	ids     []int     // explicit device order; nil is 0, 1, 2, …
	iotaIDs *iotaSpec // device order as an iota; nil for none
	refs    []axisRef
}

type meshAxisSize struct {
	name string
	size int64
}

// axisRef is an axis or a part of one: the part of size devices whose more-major part has pre devices. Size 0 is the
// whole axis.
type axisRef struct {
	axis      int
	pre, size int64
}

// expand returns the groups; ok is false where the text or its numbers make no sense, and tooLarge is set (with ok)
// where there are more devices than maxGroupIDs.
func (g *groupSpec) expand() (groups [][]int, tooLarge, ok bool) {
	switch {
	case g.iota != nil:
		if g.iota.size <= 0 {
			return nil, false, false // a device order, not rows of groups
		}
		ids, large, ok := g.iota.ids()
		if !ok || large {
			return nil, large, ok
		}
		return cut(ids, int(g.iota.size)), false, true
	case g.mesh != nil:
		return g.mesh.expand()
	}
	return g.lists, g.large, true
}

// cut splits ids into rows of n.
func cut(ids []int, n int) [][]int {
	rows := make([][]int, 0, len(ids)/n)
	for i := 0; i+n <= len(ids); i += n {
		rows = append(rows, ids[i:i+n:i+n])
	}
	return rows
}

// product multiplies sizes; ok is false when one is not positive, large when the product passes maxGroupIDs.
func product(sizes []int64) (n int64, large, ok bool) {
	n = 1
	for _, s := range sizes {
		if s <= 0 {
			return 0, false, false
		}
		if n <= maxGroupIDs {
			n *= min(s, maxGroupIDs+1)
		}
	}
	return n, n > maxGroupIDs, true
}

// ids returns the numbering. It allocates nothing for a numbering that is too large.
func (s *iotaSpec) ids() (ids []int, large, ok bool) {
	n, large, ok := product(s.dims)
	if !ok || large {
		return nil, large, ok
	}
	if s.size > 0 && (s.rows <= 0 || s.rows > n || s.size > n || s.rows*s.size != n) {
		return nil, false, false
	}
	perm := s.perm
	if len(perm) == 0 {
		perm = make([]int, len(s.dims))
		for k := range perm {
			perm[k] = k
		}
	}
	base := make([]int, n)
	for k := range base {
		base[k] = k
	}
	out := transpose(base, s.dims, perm)
	return out, false, out != nil
}

// transpose reads ids as an array with the given dimensions and returns it, flattened, with its dimensions in the order of
// perm; nil where perm is not a permutation of the dimensions.
func transpose(ids []int, dims []int64, perm []int) []int {
	seen := make([]bool, len(dims))
	if len(perm) != len(dims) {
		return nil
	}
	for _, p := range perm {
		if p < 0 || p >= len(dims) || seen[p] {
			return nil
		}
		seen[p] = true
	}
	stride := make([]int, len(dims))
	for k, s := len(dims)-1, 1; k >= 0; k-- {
		stride[k] = s
		s *= int(dims[k])
	}
	out := make([]int, 0, len(ids))
	at := make([]int64, len(perm))
	for range ids {
		src := 0
		for k, p := range perm {
			src += int(at[k]) * stride[p]
		}
		out = append(out, ids[src])
		for k := len(perm) - 1; k >= 0; k-- {
			if at[k]++; at[k] < dims[perm[k]] {
				break
			}
			at[k] = 0
		}
	}
	return out
}

// expand moves the referenced axes last, in the order written, and cuts the devices into rows over them.
func (s *meshSpec) expand() (groups [][]int, large, ok bool) {
	sizes := make([]int64, len(s.axes))
	for k, a := range s.axes {
		sizes[k] = a.size
	}
	n, large, ok := product(sizes)
	if !ok || large {
		return nil, large, ok
	}
	ids := s.ids
	switch {
	case s.iotaIDs != nil:
		if ids, _, ok = s.iotaIDs.ids(); !ok {
			return nil, false, false
		}
	case ids == nil:
		ids = make([]int, n)
		for k := range ids {
			ids[k] = k
		}
	}
	if int64(len(ids)) != n {
		return nil, false, false
	}
	parts, ok := s.split()
	if !ok {
		return nil, false, false
	}
	return s.rows(ids, parts)
}

// axisPart is a factor of an axis.
type axisPart struct {
	axis      int
	pre, size int64
}

// split cuts every axis at the borders of the parts that are referenced.
func (s *meshSpec) split() (parts []axisPart, ok bool) {
	for a, axis := range s.axes {
		borders := []int64{1, axis.size}
		for _, r := range s.refs {
			if r.axis == a && r.size > 0 {
				borders = append(borders, r.pre, r.pre*r.size)
			}
		}
		slices.Sort(borders)
		borders = slices.Compact(borders)
		if axis.size == 1 {
			parts = append(parts, axisPart{a, 1, 1})
		}
		for k := 1; k < len(borders); k++ {
			pre, end := borders[k-1], borders[k]
			if pre < 1 || end%pre != 0 || axis.size%end != 0 {
				return nil, false
			}
			parts = append(parts, axisPart{a, pre, end / pre})
		}
	}
	return parts, true
}

// rows cuts the devices into one group for each setting of the parts that are not referenced.
func (s *meshSpec) rows(ids []int, parts []axisPart) (groups [][]int, large, ok bool) {
	var picked []int
	size := 1
	for _, r := range s.refs {
		from, to := int64(1), s.axes[r.axis].size
		if r.size > 0 {
			from, to = r.pre, r.pre*r.size
		}
		for k, p := range parts {
			if p.axis == r.axis && p.pre >= from && p.pre*p.size <= to {
				if slices.Contains(picked, k) {
					return nil, false, false
				}
				picked = append(picked, k)
				size *= int(p.size)
			}
		}
	}
	var perm []int
	dims := make([]int64, len(parts))
	for k, p := range parts {
		dims[k] = p.size
		if !slices.Contains(picked, k) {
			perm = append(perm, k)
		}
	}
	out := transpose(ids, dims, append(perm, picked...))
	if out == nil {
		return nil, false, false
	}
	return cut(out, size), false, true
}

// parseGroups reads the value of replica_groups.
func parseGroups(v []byte) (*groupSpec, bool) {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return nil, false
	}
	switch {
	case v[0] == '{':
		lists, large, ok := parseIDLists(v)
		return &groupSpec{lists: lists, large: large, empty: ok && !large && len(lists) == 0}, ok
	case v[0] == '[':
		s, _, ok := parseIota(v, 0)
		return &groupSpec{iota: s}, ok && s.size > 0
	}
	s, ok := parseMesh(v)
	return &groupSpec{mesh: s}, ok
}

// parseIDLists reads `{{0,1},{2,3}}`; also `{0,1}` as one list. More than maxGroupIDs ids are large, and not kept.
func parseIDLists(v []byte) (lists [][]int, large, ok bool) {
	lists = [][]int{}
	depth, total := 0, 0
	for p := 0; p < len(v); {
		switch c := v[p]; {
		case c == '{':
			if depth++; depth == 2 {
				lists = append(lists, []int{})
			}
			p++
		case c == '}':
			depth--
			p++
		case c == '-':
			return nil, false, false
		case c >= '0' && c <= '9':
			if len(lists) == 0 {
				lists = append(lists, []int{})
			}
			n, e := parseInt(v, p)
			if n > 1<<31 {
				return nil, false, false
			}
			if total++; total > maxGroupIDs {
				return nil, true, true
			}
			lists[len(lists)-1] = append(lists[len(lists)-1], int(n))
			p = e
		default:
			p++
		}
	}
	return lists, false, depth == 0
}

// parseIota reads `[4,2]<=[2,4]T(1,0)` at p. The first bracket may have any number of dimensions in a device order;
// only for two of them rows and size are set.
func parseIota(v []byte, p int) (s *iotaSpec, end int, ok bool) {
	s = &iotaSpec{}
	first, p, ok := parseNumbers(v, p, '[', ']')
	if !ok {
		return nil, p, false
	}
	if !bytes.HasPrefix(v[p:], []byte("<=")) {
		s.dims = first // a device order may leave the source out: `[4,16]T(1,0)`
	} else {
		if s.dims, p, ok = parseNumbers(v, p+2, '[', ']'); !ok {
			return nil, p, false
		}
		if len(first) == 2 {
			s.rows, s.size = first[0], first[1]
			if s.size <= 0 || s.rows <= 0 {
				return nil, p, false
			}
		}
	}
	if p < len(v) && v[p] == 'T' {
		var perm []int64
		if perm, p, ok = parseNumbers(v, p+1, '(', ')'); !ok {
			return nil, p, false
		}
		for _, n := range perm {
			s.perm = append(s.perm, int(min(n, 1<<30)))
		}
	}
	return s, p, true
}

// parseNumbers reads numbers separated by commas between two brackets.
func parseNumbers(v []byte, p int, open, end byte) (out []int64, after int, ok bool) {
	if p >= len(v) || v[p] != open {
		return nil, p, false
	}
	for p++; p < len(v); {
		switch c := v[p]; {
		case c == end:
			return out, p + 1, true
		case c == ',' || c == ' ':
			p++
		case c >= '0' && c <= '9':
			var n int64
			n, p = parseInt(v, p)
			if len(out) < maxGroupIDs {
				out = append(out, n)
			}
		default:
			return nil, p, false
		}
	}
	return nil, p, false
}

// parseMesh reads `mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x', 'y':(2)2}`, the spelling `@mesh<x=2> {x}` of some
// builds of late 2025, and `maximal_mesh[device_id=3]`.
func parseMesh(v []byte) (*meshSpec, bool) {
	s := &meshSpec{}
	p := bytes.IndexAny(v, "[<")
	if p < 0 {
		return nil, false
	}
	if bytes.HasPrefix(v, []byte("maximal_mesh")) {
		n, ok := bytes.CutPrefix(v[p:], []byte("[device_id="))
		if !ok {
			return nil, false
		}
		id, _ := parseInt(n, 0)
		s.axes, s.ids = []meshAxisSize{{"", 1}}, []int{int(min(id, 1<<31))}
		return s, true
	}
	p, ok := s.parseAxes(v, p+1)
	if !ok {
		return nil, false
	}
	if q := bytes.Index(v[p:], []byte("device_ids=(")); q >= 0 {
		if p, ok = s.parseOrder(v, p+q+len("device_ids=")); !ok {
			return nil, false
		}
	}
	if q := bytes.IndexByte(v[p:], '{'); q >= 0 {
		return s, s.parseRefs(v, p+q+1)
	}
	return s, true
}

// parseAxes reads `'x'=2,'y'=4]` and returns the position after the bracket.
func (s *meshSpec) parseAxes(v []byte, p int) (int, bool) {
	for p < len(v) {
		switch v[p] {
		case ']', '>':
			return p + 1, true
		case ',', ' ':
			p++
		default:
			name, e, ok := axisName(v, p)
			if !ok || e >= len(v) || v[e] != '=' {
				return p, false
			}
			n, q := parseInt(v, e+1)
			if q == e+1 {
				return p, false
			}
			s.axes = append(s.axes, meshAxisSize{name, n})
			p = q
		}
	}
	return p, false
}

// axisName reads a quoted or bare axis name.
func axisName(v []byte, p int) (name string, end int, ok bool) {
	if v[p] == '\'' || v[p] == '"' {
		e := skipString(v, p)
		return unquote(v[p:e]), e, e > p+1
	}
	e := p
	for e < len(v) && v[e] != '=' && v[e] != ',' && v[e] != '}' && v[e] != ':' && v[e] != ' ' {
		e++
	}
	return string(v[p:e]), e, e > p
}

// parseOrder reads the device order `([4,16]T(1,0))` or `(0,2,1,3)`.
func (s *meshSpec) parseOrder(v []byte, p int) (int, bool) {
	if p+1 < len(v) && v[p+1] == '[' {
		order, e, ok := parseIota(v, p+1)
		s.iotaIDs = order
		return e, ok
	}
	ids, e, ok := parseNumbers(v, p, '(', ')')
	for _, id := range ids {
		s.ids = append(s.ids, int(min(id, 1<<31)))
	}
	return e, ok
}

// parseRefs reads `'x', 'y':(2)4}`. An axis may also be named by its index.
func (s *meshSpec) parseRefs(v []byte, p int) bool {
	for p < len(v) {
		switch v[p] {
		case '}':
			return true
		case ',', ' ':
			p++
		default:
			name, e, ok := axisName(v, p)
			if !ok {
				return false
			}
			r := axisRef{axis: s.axisIndex(name)}
			if r.axis < 0 {
				return false
			}
			if e+1 < len(v) && v[e] == ':' && v[e+1] == '(' {
				r.pre, e = parseInt(v, e+2)
				if e >= len(v) || v[e] != ')' {
					return false
				}
				r.size, e = parseInt(v, e+1)
				if r.pre < 1 || r.size < 1 || r.pre > maxGroupIDs || r.size > maxGroupIDs {
					return false
				}
			}
			s.refs = append(s.refs, r)
			p = e
		}
	}
	return false
}

func (s *meshSpec) axisIndex(name string) int {
	for k, a := range s.axes {
		if a.name == name {
			return k
		}
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(s.axes) {
		return n
	}
	return -1
}

// parsePairs reads source_target_pairs.
func parsePairs(v []byte) (pairs [][2]int, large, ok bool) {
	lists, large, ok := parseIDLists(v)
	if !ok || large {
		return nil, large, ok
	}
	pairs = make([][2]int, 0, len(lists))
	for _, l := range lists {
		if len(l) != 2 {
			return nil, false, false
		}
		pairs = append(pairs, [2]int{l[0], l[1]})
	}
	return pairs, false, true
}
