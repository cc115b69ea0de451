import jax
from flax import nnx
from jax.sharding import AxisType

from rules import make_rules

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


class Embed(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        table = nnx.initializers.normal()(rngs.params(), (64, 8))
        self.table = nnx.Param(table, sharding_names=("vocab", "embed"))


with jax.set_mesh(mesh), nnx.logical_axis_rules(make_rules()):
    print(Embed(nnx.Rngs(0)).table.get_value().sharding.spec)
