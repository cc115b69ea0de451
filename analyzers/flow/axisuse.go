package flow

import (
	"sort"
	"strings"

	"github.com/shardls/shardls/pyparse"
)

// AxisUse is one string literal that names a mesh axis.
type AxisUse struct {
	Name       string
	At         Ref // the literal
	Start, End int // bytes of the name itself, without its quotes
	Declares   bool
	Mesh       *Mesh // the mesh that the literal declares an axis of, nil for other uses
}

// axisArguments names, by the last part of a callee's canonical name, the positions of arguments that hold axis names;
// keywords hold them for every callee of JAX.
var axisArguments = map[string]int{
	"psum": 1, "pmean": 1, "pmax": 1, "pmin": 1, "ppermute": 1, "pshuffle": 1, "pswapaxes": 1, "all_gather": 1, "all_to_all": 1,
	"psum_scatter": 1, "pvary": 1, "pcast": 1, "axis_index": 0, "axis_size": 0, "all_gather_invariant": 1,
}

// axisKeywords are the keyword arguments that hold axis names.
var axisKeywords = []string{"axis_name", "axis_names", "spmd_axis_name", "mesh_axes"}

// AxisUses lists the literals of all interpreted files that name mesh axes: where meshes declare them, in PartitionSpecs and
// in collectives, also where a name reaches these through constants and parameters. Names that vmap binds are no mesh axes.
// The order is by path and place.
func (p *Facts) AxisUses() []AxisUse {
	c := axisUses{seen: map[Ref]int{}}
	for _, m := range p.Meshes {
		for _, a := range m.Axes {
			c.add(a.Name, a.At, m)
		}
	}
	for _, e := range p.Events {
		c.event(e)
	}
	sort.SliceStable(c.found, func(i, j int) bool {
		a, b := c.found[i].At.File.Syntax.Path, c.found[j].At.File.Syntax.Path
		return a < b || a == b && c.found[i].Start < c.found[j].Start
	})
	return c.found
}

type axisUses struct {
	found []AxisUse
	seen  map[Ref]int
}

func (c *axisUses) event(e *Event) {
	switch {
	case e.Name == "jax.sharding.PartitionSpec":
		for _, a := range e.Pos {
			c.value(a.Value, e)
		}
		return
	case !strings.HasPrefix(e.Name, "jax.") || strings.HasSuffix(e.Name, ".vmap"):
		return
	}
	if at, ok := axisArguments[lastName(e.Name)]; ok && at < len(e.Pos) {
		c.value(e.Pos[at].Value, e)
	}
	for _, keyword := range axisKeywords {
		if a := e.Arg(-1, keyword); a != nil {
			c.value(a.Value, e)
		}
	}
}

// value adds the strings of a name, or of a sequence or set of names.
func (c *axisUses) value(v Value, e *Event) {
	if s, ok := v.(*Str); ok {
		if !vmapped(e.Region, s.S) {
			c.add(s.S, s.At, nil)
		}
		return
	}
	elements, _, _ := Elements(v)
	for _, element := range elements {
		if s, ok := element.(*Str); ok {
			c.value(s, e)
		}
	}
}

// vmapped reports whether the innermost region that binds a name is that of vmap.
func vmapped(r *Region, name string) bool {
	for ; r != nil; r = r.Parent {
		for _, b := range r.Binds {
			if b == name {
				return r.Kind == VmapRegion
			}
		}
	}
	return false
}

// add keeps a literal that spells the name in one piece.
func (c *axisUses) add(name string, at Ref, mesh *Mesh) {
	if !at.Valid() || !at.File.Syntax.Is(at.Node, pyparse.KindString) {
		return
	}
	if i, ok := c.seen[at]; ok {
		if mesh != nil && !c.found[i].Declares {
			c.found[i].Declares, c.found[i].Mesh = true, mesh
		}
		return
	}
	literal := at.File.Syntax.StringLiteral(at.Node)
	if !literal.Exact || literal.Bytes || len(literal.Pieces) != 1 || name == "" {
		return
	}
	start, end := literal.Pieces[0].ContentStart, literal.Pieces[0].ContentEnd
	if string(at.File.Syntax.Source[start:end]) != name { // spelled with escapes, or joined of several strings
		return
	}
	c.seen[at] = len(c.found)
	c.found = append(c.found, AxisUse{Name: name, At: at, Start: start, End: end, Declares: mesh != nil, Mesh: mesh})
}

// TakesAxisNames reports whether positional arguments of the function with a canonical name hold names of mesh axes.
func TakesAxisNames(canonical string) bool {
	if canonical == "jax.sharding.PartitionSpec" {
		return true
	}
	_, ok := axisArguments[lastName(canonical)]
	return ok && strings.HasPrefix(canonical, "jax.lax.")
}
