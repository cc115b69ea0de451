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
			return "", OtherCompilation(name)
		}
	}
	if len(ids) > 1 {
		return "", fmt.Sprintf("%d programs in it are called %s", len(ids), name)
	}
	return ids[0], ""
}

// ParameterShapes spells the type and shape of every parameter of the entry computation.
func (m *Module) ParameterShapes() []string {
	shapes := make([]string, m.NumParameters(m.Entry()))
	for n := range shapes {
		if p := m.Parameter(m.Entry(), n); p != NoInstr {
			shape := m.Shape(p)
			for _, a := range shape.Leaves() {
				shapes[n] += fmt.Sprint(a.DType, a.Shape)
			}
		}
	}
	return shapes
}

// SameProgram reports whether a later stage may be one of the same program, as far as that can be told without the final module of
// that program: both take the same arrays by the same names, and something was narrow before where the later stage has widened something.
func SameProgram(before, after *Attribution) bool {
	b, a := before.training.g.m, after.training.g.m
	if !slices.Equal(b.ParameterShapes(), a.ParameterShapes()) || !sameNames(b, a) {
		return false
	}
	widened := slices.ContainsFunc(after.collectives, func(c Collective) bool { return c.WidenedByBackend })
	return !widened || slices.ContainsFunc(before.exchanges(), func(e Exchange) bool {
		bits, known := elementBits(e.OperandDType)
		return !known || bits < 32
	})
}

// sameNames reports whether the parameters of two entry computations have the same names, as far as both have any.
func sameNames(a, b *Module) bool {
	for n := range min(a.NumParameters(a.Entry()), b.NumParameters(b.Entry())) {
		p, q := a.Parameter(a.Entry(), n), b.Parameter(b.Entry(), n)
		if p == NoInstr || q == NoInstr {
			continue
		}
		if x, y := a.OpName(p), b.OpName(q); x != y && x != "" && y != "" {
			return false
		}
	}
	return true
}

// OtherCompilation is the reason why the events of a name are not those of a module.
func OtherCompilation(name string) string {
	return fmt.Sprintf("its instructions of %s are those of another compilation", name)
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
