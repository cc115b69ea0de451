package flow

import "slices"

// On a mesh whose axes are all Explicit the sharding is part of an array's type, so that operators carry it along. On Auto
// axes the compiler chooses, and nothing is known of a result.

// explicitSpec returns the layout of an array on Explicit axes; ok is false where it is unknown. Numbers have no axes.
func explicitSpec(a *Array) (s *Sharding, ok bool) {
	if a.Sharding == nil {
		return nil, a.Weak && a.Rank() == 0
	}
	if a.Sharding.Spec == nil || !a.Sharding.Spec.Complete() || a.Sharding.Mesh == nil || !a.Sharding.Mesh.AllAxes(Explicit) {
		return nil, false
	}
	return a.Sharding, true
}

// onOneDevice is the device that one of two operands is bound to, where the other one goes along: it was never placed.
func onOneDevice(a, b *Array) *Sharding {
	if a.Commit == Fresh {
		a, b = b, a
	}
	if b.Commit == Fresh && a.Commit == Committed && a.Sharding != nil && a.Sharding.Device != nil {
		return a.Sharding
	}
	return nil
}

// eagerSharding is the layout of what an elementwise operation outside of a trace makes of one placed array and numbers, or of several that
// lie alike: theirs (JAX 0.4.35 to 0.10.2). nil where it is not known, as in code that some processes only reach: what they compute there
// may wait for the others for ever.
func (in *interp) eagerSharding(arrays ...*Array) *Sharding {
	if in.region.Traced() || in.region.Find(DivergentRegion) != nil {
		return nil
	}
	var found *Array
	for _, a := range arrays {
		switch {
		case a.Weak && a.Rank() == 0:
		case a.Commit != Committed || a.Sharding == nil || a.Rank() < 0:
			return nil
		case found == nil:
			found = a
		case a.Sharding != found.Sharding || a.Rank() != found.Rank():
			return nil
		}
	}
	if found == nil {
		return nil
	}
	return found.Sharding
}

// elementwiseSharding is the layout of an elementwise result: that of the one operand that is sharded, or the common one.
func elementwiseSharding(out, a, b *Array) *Sharding {
	if one := onOneDevice(a, b); one != nil {
		return one
	}
	s, ok := explicitSpec(a)
	t, both := explicitSpec(b)
	if !ok || !both || s == nil && t == nil {
		return nil
	}
	switch {
	case t == nil || s != nil && len(t.Spec.Axes()) == 0 && out.Rank() == a.Rank():
		return s
	case s == nil || len(s.Spec.Axes()) == 0 && out.Rank() == b.Rank():
		return t
	}
	if same, sure := s.Spec.Equivalent(t.Spec); same && sure && a.Rank() == b.Rank() && a.Rank() >= 0 {
		return s
	}
	return nil
}

// mappedSharding is the layout of what a function of each element makes of one or two arrays.
func mappedSharding(out *Array, arrays []*Array) *Sharding {
	switch len(arrays) {
	case 1:
		if one := arrays[0].Sharding; one != nil && one.Device != nil {
			return one
		}
		if s, ok := explicitSpec(arrays[0]); ok {
			return s
		}
	case 2:
		return elementwiseSharding(out, arrays[0], arrays[1])
	}
	return nil
}

// productSharding is the layout of a product with a matrix: the rows lie as those of the first operand, the columns as those of the
// second. It is nil where both name one axis, which JAX refuses.
func productSharding(a, b *Array) *Sharding {
	s, ok := explicitSpec(a)
	t, both := explicitSpec(b)
	if !ok || !both || s == nil || t == nil || a.Rank() < 1 || b.Rank() != 2 {
		return nil
	}
	entries := make([]SpecEntry, a.Rank())
	copy(entries[:a.Rank()-1], s.Spec.Entries)
	if len(t.Spec.Entries) > 1 {
		entries[a.Rank()-1] = t.Spec.Entries[1]
	}
	if RepeatsAxis(entries) {
		return nil
	}
	out := *s
	out.Spec = &Spec{Known: true, Entries: entries}
	return &out
}

// reducedSharding is the layout of a reduction over array elements: that of the dimensions which stay.
func reducedSharding(out, a *Array, axis Value, keep bool) *Sharding {
	s, ok := explicitSpec(a)
	if !ok || s == nil || out.Rank() < 0 {
		return nil
	}
	reduced := *s
	reduced.Spec = &Spec{Known: true}
	if axis == nil || IsNone(axis) || out.Rank() == 0 {
		return &reduced
	}
	axes, ok := sizesOf(axis)
	if !ok || a.Rank() < 0 {
		return nil
	}
	for i, entry := range s.Spec.Entries {
		switch gone := slices.Contains(axes, int64(i)) || slices.Contains(axes, int64(i-a.Rank())); {
		case !gone:
			reduced.Spec.Entries = append(reduced.Spec.Entries, entry)
		case keep:
			reduced.Spec.Entries = append(reduced.Spec.Entries, SpecEntry{})
		}
	}
	return &reduced
}

// transpose gives an array the dimensions of another of known rank, dimension i that of perm[i] or an unknown one where that is -1,
// and their layout where all are known.
func (a *Array) transpose(of *Array, perm []int) {
	a.Dims = make([]int64, len(perm))
	for i, p := range perm {
		a.Dims[i] = -1
		if p >= 0 {
			a.Dims[i] = of.Dims[p]
		}
	}
	if !slices.Contains(perm, -1) {
		a.Sharding = transposedSharding(of, perm)
	}
}

// transposedSharding is the layout of an array whose dimension i is dimension perm[i] of another.
func transposedSharding(a *Array, perm []int) *Sharding {
	s, ok := explicitSpec(a)
	if !ok || s == nil {
		return nil
	}
	out := *s
	out.Spec = &Spec{Known: true}
	for _, p := range perm {
		entry := SpecEntry{}
		if p >= 0 && p < len(s.Spec.Entries) {
			entry = s.Spec.Entries[p]
		}
		out.Spec.Entries = append(out.Spec.Entries, entry)
	}
	return &out
}

// backwards lists the dimensions of an array from the last to the first.
func backwards(rank int) []int {
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = rank - 1 - i
	}
	return perm
}
