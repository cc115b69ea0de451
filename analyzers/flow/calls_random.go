package flow

// randomCall evaluates functions of jax.random.
func (in *interp) randomCall(name string, c *Call) Value {
	switch name {
	case "PRNGKey", "key", "wrap_key_data":
		k := &Array{Key: true, RankKnown: true, Dims: []int64{}, VarKnown: true, Commit: Fresh, Made: c.ev, DType: "key"}
		if name == "PRNGKey" { // the older kind of key is an array of two words
			k.Dims, k.DType = []int64{2}, "uint32"
		}
		return k
	case "split", "fold_in", "clone", "key_data":
		a, ok := asArray(orUnknown(c.value(0, "key")))
		if !ok {
			return Unknown{}
		}
		out := a.derived()
		out.Key, out.Made, out.Commit = true, c.ev, Fresh
		if b, ok := c.value(1, "data").(*Array); ok && name == "fold_in" {
			mergeFacts(out, a, b)
		} else if name == "fold_in" && IsUnknown(c.value(1, "data")) {
			out.VarKnown = false
		}
		out.Tree = false
		if name == "split" {
			lead, known := []int64{2}, true
			if v := c.value(1, "num"); v != nil {
				lead, known = sizesOf(v)
			}
			out.RankKnown = known && a.RankKnown
			out.Dims = append(append([]int64{}, lead...), a.Dims...)
		}
		return out
	}
	return in.sample(name, c)
}

// sample evaluates a sampler: the numbers vary where the key does, and the parameters.
func (in *interp) sample(name string, c *Call) Value {
	k, ok := asArray(orUnknown(c.value(0, "key")))
	if !ok {
		return Unknown{}
	}
	out := &Array{Made: c.ev, Commit: Fresh, DType: "float32"}
	arrays := []*Array{k}
	for _, list := range [2][]Arg{c.Pos, c.Kw} {
		for _, p := range list {
			if a, ok := p.Value.(*Array); ok {
				arrays = append(arrays, a)
			}
		}
	}
	mergeFacts(out, arrays...)
	pos := map[string]int{"normal": 1, "uniform": 1, "truncated_normal": 3, "bernoulli": 2, "randint": 1, "exponential": 1, "gumbel": 1, "laplace": 1, "categorical": -1, "rademacher": 1, "bits": 1}
	at, listed := pos[name]
	if !listed {
		at = -1
	}
	shape := c.value(at, "shape")
	switch {
	case shape != nil:
		out.Dims, out.RankKnown = sizesOf(shape)
	case at >= 0 && name != "bernoulli":
		out.Dims, out.RankKnown = []int64{}, true
	}
	switch name {
	case "bernoulli":
		out.DType = "bool"
	case "randint", "categorical", "permutation", "choice", "rademacher":
		out.DType = "int32"
	}
	if d := c.value(2, "dtype"); d != nil && (name == "normal" || name == "uniform") {
		if t := dtypeFrom(d); t != "" {
			out.DType = t
		}
	}
	out.Draws = mergeEvents(out.Draws, []*Event{c.ev})
	return in.placedAt(out, c)
}
