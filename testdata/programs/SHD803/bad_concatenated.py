"""A base table and overrides, joined in the belief that the first entry wins."""
import jax
import numpy as np
from flax import nnx
from jax.sharding import AxisType

BASE_RULES = (("embed", "fsdp"), ("mlp", "model"))
OVERRIDES = (("embed", None),)  # want SHD803 "embed"


class Mlp(nnx.Module):
    def __init__(self, width, hidden, rngs):
        init = nnx.with_partitioning(nnx.initializers.lecun_normal(), ("embed", "mlp"))
        self.up = nnx.Param(init(rngs.params(), (width, hidden)))

    def __call__(self, x):
        return nnx.relu(x @ self.up.get_value())


mesh = jax.make_mesh((4, 2), ("fsdp", "model"), axis_types=(AxisType.Auto,) * 2)
with jax.set_mesh(mesh), nnx.logical_axis_rules(BASE_RULES + OVERRIDES):
    model = Mlp(16, 8, nnx.Rngs(0))
    print(nnx.get_partition_spec(nnx.state(model))["up"].get_value())
