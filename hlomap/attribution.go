package hlomap

// Attribution is what dataflow tells of a module's collectives: which parameter each operand is the value or the gradient
// of, and which operation made it. It is computed once, by [Attribute]; it is immutable and may be shared by goroutines.
type Attribution struct {
	m           *Module
	meshes      []Mesh
	collectives []Collective
	gradients   onceValue[*Gradients]
}

// Attribute follows the data of a module. The meshes, best first, give the axes their names; those that do not have as many
// devices as the module are passed over.
func Attribute(m *Module, meshes []Mesh) *Attribution {
	return &Attribution{m: m, meshes: meshes, collectives: m.Collectives()}
}

// Collectives returns the module's collectives in the order of the file, with axes, and with the role, the parameters, the
// cause and the first user of every operand. The slice is shared and must not be changed.
func (a *Attribution) Collectives() []Collective { return a.collectives }

// Gradients tells, parameter by parameter, where its gradient is reduced or why it is not. It is computed at the first call.
func (a *Attribution) Gradients() *Gradients {
	return a.gradients.get(func() *Gradients { return &Gradients{Reason: "not computed"} })
}
