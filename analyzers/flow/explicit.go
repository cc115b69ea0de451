package flow

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

// elementwiseSharding is the layout of an elementwise result: that of the one operand that is sharded, or the common one.
func elementwiseSharding(out, a, b *Array) *Sharding {
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

// scalarSharding is the layout of a full reduction: replicated.
func scalarSharding(out, a *Array) *Sharding {
	s, ok := explicitSpec(a)
	if !ok || s == nil || out.Rank() != 0 {
		return nil
	}
	replicated := *s
	replicated.Spec = &Spec{Known: true}
	return &replicated
}
