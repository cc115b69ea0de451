package driver

import (
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
)

// TestConcern wants a rule to look at a file only where the file and those that it imports hold all that the rule asks for.
func TestConcern(t *testing.T) {
	check := func(*analyzers.Pass) {}
	local := &analyzers.Analyzer{Code: "SHD901", Needles: []string{"donate"}, Check: check}
	across := &analyzers.Analyzer{Code: "SHD902", Requires: [][]string{{"Mesh("}}, Check: check}
	plain := &analyzers.Analyzer{Code: "SHD903", Needles: []string{"environ"}, WithoutLibrary: true, Check: check}
	needles := NewNeedles([]*analyzers.Analyzer{local, across, plain})
	sources := map[string]string{
		"p/meshes.py":  "import jax\nmesh = jax.sharding.Mesh(devices, 'x')\n",
		"p/uses.py":    "from .meshes import mesh\nprint(mesh)\n",
		"p/specs.py":   "from jax.sharding import PartitionSpec\n",
		"p/donates.py": "from jax import jit\njit(f, donate_argnums=0)\n",
		"p/private.py": "from jax._src import api\napi.jit(f, donate_argnums=0)\n",
		"p/quotes.py":  "import jax\n",
		"p/plain.py":   "import os\nos.environ['X'] = '1'\n",
	}
	concerned := map[string]map[*analyzers.Analyzer]bool{
		"p/meshes.py": {across: true}, "p/uses.py": {across: true}, "p/donates.py": {local: true}, "p/plain.py": {plain: true},
	}
	program := &flow.Program{Files: map[string]*flow.File{}}
	var outlines []flow.Outline
	for path, source := range sources {
		program.Files[path] = &flow.File{}
		o := needles.Outline([]byte(source))
		o.Path = path
		outlines = append(outlines, o)
	}
	relations := program.Relate(outlines, needles.Everything())
	for i, o := range outlines {
		for _, a := range []*analyzers.Analyzer{local, across, plain} {
			if got, want := needles.Concern(a, o.Marks, relations[i].Reach), concerned[o.Path][a]; got != want {
				t.Errorf("%s concerns %s: %v, want %v", o.Path, a.Code, got, want)
			}
		}
	}
}
