"""Linen's fallbacks in one table, NNX's rules in another."""
import flax.linen as nn
import jax
from flax import nnx
from jax.sharding import AxisType

LINEN_RULES = (("embed", "fsdp"), ("embed", "model"), ("mlp", "model"))
NNX_RULES = {"embed": "fsdp", "mlp": "model"}


class Mlp(nnx.Module):
    def __init__(self, rngs):
        init = nnx.with_partitioning(nnx.initializers.ones_init(), ("embed", "mlp"))
        self.w = nnx.Param(init(rngs.params(), (8, 4)))


mesh = jax.make_mesh((4, 2), ("fsdp", "model"), axis_types=(AxisType.Auto,) * 2)
print(nn.logical_to_mesh_axes(("mlp", "embed"), LINEN_RULES))
with jax.set_mesh(mesh), nnx.logical_axis_rules(tuple(NNX_RULES.items())):
    print(nnx.get_partition_spec(nnx.state(Mlp(nnx.Rngs(0))))["w"].get_value())
