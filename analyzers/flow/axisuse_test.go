package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

func TestAxisUses(t *testing.T) {
	source := `import jax
from functools import partial
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
BATCH = "data"
mesh = jax.make_mesh((4, 2), ("data", "model"))
spec = P(("data", "model"), None)
other = P(BATCH)
print("data", {"data": 1})
@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P(), axis_names={"data"})
def f(x):
    return jax.lax.psum(x, axis_name="data")
def g(x):
    return jax.lax.psum(x, "rows")
h = jax.vmap(g, axis_name="rows")(1)
`
	var got []string
	lines := strings.Split(source, "\n")
	for _, u := range Interpret(pyparse.Parse("a.py", []byte(source)), Options{}).AxisUses() {
		line := strings.Count(source[:u.Start], "\n")
		if source[u.Start:u.End] != u.Name {
			t.Errorf("%q is at %q", u.Name, source[u.Start:u.End])
		}
		got = append(got, fmt.Sprintf("%s %v %s", u.Name, u.Declares, lines[line]))
	}
	want := []string{
		`data false BATCH = "data"`,
		`data true mesh = jax.make_mesh((4, 2), ("data", "model"))`,
		`model true mesh = jax.make_mesh((4, 2), ("data", "model"))`,
		`data false spec = P(("data", "model"), None)`,
		`model false spec = P(("data", "model"), None)`,
		`data false @partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P(), axis_names={"data"})`,
		`data false @partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P(), axis_names={"data"})`,
		`data false     return jax.lax.psum(x, axis_name="data")`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
