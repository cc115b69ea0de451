package hlomap

// compTable finds computations by name: open addressing over integers, as in [nameTable]. A module may have a reducer of its
// own for each of its reductions. A slot holds the upper half of the name's hash and the ordinal of the computation plus one.
type compTable []uint64

func newCompTable(m *Module) compTable {
	size := 16
	for size*3/4 < len(m.comps) {
		size *= 2
	}
	t := make(compTable, size)
	for c := range m.comps {
		h := m.comps[c].hash
		at := h & uint64(size-1)
		for t[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		t[at] = h>>32<<32 | uint64(c+1)
	}
	return t
}

// compNamed returns the first computation with a name, or NoComp. Names whose hashes of 64 bits are equal count as equal: they are
// all over the file, and reading them again would cost more than all else.
func (m *Module) compNamed(name []byte) CompID {
	t := m.compNames.get(func() compTable { return newCompTable(m) })
	h := hash64(name, 0, len(name))
	for at := h & uint64(len(t)-1); t[at] != 0; at = (at + 1) & uint64(len(t)-1) {
		if t[at]>>32 != h>>32 {
			continue
		}
		if c := CompID(uint32(t[at]) - 1); m.comps[c].hash == h {
			return c
		}
	}
	return NoComp
}
