package hlomap

// Attribution is what dataflow tells of a module's collectives: which parameter each operand is the value or the gradient
// of, and which operation made it. It is computed once, by [Attribute]; it is immutable and may be shared by goroutines.
type Attribution struct {
	meshes      []Mesh
	collectives []Collective
	gradients   onceValue[*Gradients]
	training    *training
}

// Attribute follows the data of a module. The meshes, best first, give the axes their names; those that do not have as many
// devices as the module are passed over.
func Attribute(m *Module, meshes []Mesh) *Attribution { return AttributeAfter(nil, m, meshes) }

// AttributeAfter is Attribute for a module of which it is known what it was before partitioning, too: that tells whether what its
// devices return are copies of one array or its parts, where the module itself does not. It may be nil.
func AttributeAfter(before, m *Module, meshes []Mesh) *Attribution {
	collectives, done := m.lendCollectives()
	defer done()
	a := &Attribution{collectives: collectives}
	g := newDataGraph(m, a.collectives)
	for _, mesh := range meshes {
		if mesh.Devices() == g.devices {
			a.meshes = append(a.meshes, mesh)
		}
	}
	a.training = newTraining(g)
	a.training.before = before
	a.attribute(a.training)
	return a
}

// Collectives returns the module's collectives in the order of the file, with axes, and with the role, the parameters, the
// cause and the first user of every operand. The slice is shared and must not be changed.
func (a *Attribution) Collectives() []Collective { return a.collectives }

// Gradients tells, parameter by parameter, where its gradient is reduced or why it is not. It is computed at the first call.
func (a *Attribution) Gradients() *Gradients {
	return a.gradients.get(func() *Gradients { return a.gradientsOf(a.training) })
}

// axisNames is what is known of the axes of a list of groups.
type axisNames struct {
	axes  []string
	exact bool
}

// nameAxes fills in the axes of a collective. Lists of groups repeat: seen keeps what was found, by their number.
func (a *Attribution) nameAxes(c *Collective, list int32, seen map[int32]axisNames) {
	if c.SourceTargetPairs != nil {
		for m := range a.meshes {
			if s, ok := a.meshes[m].ShiftOfPairs(c.SourceTargetPairs); ok {
				c.Axes, c.AxesExact, c.Shift = []string{s.Axis}, a.meshes[m].Source != "inferred", &s
				break
			}
		}
		return
	}
	if len(c.ReplicaGroups) == 0 {
		return
	}
	x, ok := seen[list]
	if !ok {
		x.axes, x.exact = a.axesOfGroups(c.ReplicaGroups)
		seen[list] = x
	}
	c.Axes, c.AxesExact = x.axes, x.exact
}

// axesOfGroups names the axes of groups over the first mesh that explains them with whole axes, else over the first that
// does with parts of axes.
func (a *Attribution) axesOfGroups(groups [][]int) (axes []string, exact bool) {
	for m := range a.meshes {
		mesh := &a.meshes[m]
		found := mesh.AxesOfGroups(groups)
		if found == nil {
			continue
		}
		whole := true
		for _, name := range found {
			whole = whole && mesh.axis(name) >= 0
		}
		if whole {
			return found, mesh.Source != "inferred"
		}
		if axes == nil {
			axes, exact = found, mesh.Source != "inferred"
		}
	}
	return axes, exact
}

// cause describes what made the values of a reduction.
func (a *Attribution) cause(t *training, h reductionHit) *Cause { return t.describeCause(h) }
