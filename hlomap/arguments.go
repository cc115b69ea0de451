package hlomap

// argument is what the file says of a parameter of the entry.
type argument struct {
	shape    Shape
	opName   string // mostly its tree path
	sharding []byte // part of the file where it is spelled there
	sharded  bool
}

// entryArgument is a parameter of the entry.
type entryArgument struct {
	shape    Shape
	opName   string
	sharding int32 // index in argumentTable.shardings, -1 for none
}

// argumentTable holds the parameters of the entry by number. They stand all over a file, and several questions go through all of
// them: each is read once. Where a number has no parameter the argument is empty.
type argumentTable struct {
	list      []entryArgument
	shardings []string // the different ones, as spelled, in order of first appearance
}

func (m *Module) entryArguments() *argumentTable {
	return m.arguments.get(func() *argumentTable {
		t := &argumentTable{}
		if m.Entry() == NoComp {
			return t
		}
		params := m.parameters(m.Entry())
		t.list = make([]entryArgument, len(params))
		seen, spelled := map[string]int32{}, &spellings{}
		var dims block[int64]
		for n := range t.list {
			if n%aheadInstructions == 0 {
				m.readAhead(params[n:min(n+aheadInstructions, len(params))])
			}
			t.list[n].sharding = -1
			p := params[n]
			if p == NoInstr {
				continue
			}
			a := m.src.argument(p, spelled, &dims)
			t.list[n].shape, t.list[n].opName = a.shape, a.opName
			if !a.sharded {
				continue
			}
			k, known := seen[string(a.sharding)]
			if !known {
				k = int32(len(t.shardings))
				t.shardings = append(t.shardings, string(a.sharding))
				seen[t.shardings[k]] = k
			}
			t.list[n].sharding = k
		}
		return t
	})
}
