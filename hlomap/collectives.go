package hlomap

// Collectives returns every exchange of the module in the order of the file, with what the module itself says of it:
// names, groups, element types, executions and bytes. Operands carry arrays only: attribution fills in the rest.
func (m *Module) Collectives() []Collective {
	return nil
}
