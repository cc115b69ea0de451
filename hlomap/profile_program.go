package hlomap

import (
	"fmt"
	"slices"
)

// Program returns the program id under which a profile knows a module: programs that JAX compiled for other shapes have the same
// name. Final is the final stage of the module, by whose instructions it is told from those; with nil the name has to be
// enough. The reason says why there is none.
func (p *Profile) Program(name string, final *Module) (id, reason string) {
	known := map[string]int{} // by id: measured instructions that the final module has
	all := map[string]int{}
	var names map[string]bool
	if final != nil {
		names = make(map[string]bool, final.NumInstructions())
		for i := range InstrID(final.NumInstructions()) {
			names[final.InstrName(i)] = true
		}
	}
	var ids []string
	for i := range p.Ops {
		op := &p.Ops[i]
		if op.Module != name {
			continue
		}
		if all[op.ProgramID] == 0 {
			ids = append(ids, op.ProgramID)
		}
		all[op.ProgramID]++
		if names[op.Instruction] {
			known[op.ProgramID]++
		}
	}
	if len(ids) == 0 {
		return "", fmt.Sprintf("it has no event of %s", name)
	}
	if final != nil {
		ids = slices.DeleteFunc(ids, func(id string) bool { return known[id] < all[id] || !p.sameExchanges(name, id, final) })
		if len(ids) == 0 {
			return "", fmt.Sprintf("its instructions of %s are those of another compilation", name)
		}
	}
	if len(ids) > 1 {
		return "", fmt.Sprintf("%d programs in it are called %s", len(ids), name)
	}
	return ids[0], ""
}

// sameExchanges reports whether a program exchanges the same arrays in the same order as a module, where the profile holds it.
func (p *Profile) sameExchanges(name, id string, final *Module) bool {
	m := p.Final(name, id)
	if m == nil {
		return true
	}
	return slices.EqualFunc(m.exchanges(), final.exchanges(), func(a, b Collective) bool {
		return a.Name == b.Name && a.Opcode == b.Opcode && slices.EqualFunc(a.Operands, b.Operands, func(a, b Operand) bool { return sameArray(&a.Array, &b.Array) })
	})
}

// Final reads the final stage of a program from the profile, nil where it is not in it (a Chrome trace has none).
func (p *Profile) Final(name, id string) *Module {
	for i := range p.Modules {
		if m := &p.Modules[i]; m.Name == name && m.ProgramID == id {
			if read, _ := Open(name+".hlo.pb", m.Proto); len(read) == 1 {
				return read[0]
			}
		}
	}
	return nil
}

// Measurement is what a profile saw of a collective.
type Measurement struct {
	*MeasuredOp
	// Operands is how many arrays the measured collective exchanges: it may combine the one that was asked for with others.
	Operands int
}
