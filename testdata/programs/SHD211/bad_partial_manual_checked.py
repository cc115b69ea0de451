import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("pipe", "tensor"), axis_types=(AxisType.Auto,) * 2)


class Stage:
    def __init__(self, mesh: Mesh, hidden_axis: str = "tensor"):
        self.hidden = NamedSharding(mesh, P(None, hidden_axis))

    def __call__(self, w, x):
        h = jnp.tanh(x @ w[0])
        return jax.lax.with_sharding_constraint(h, self.hidden)  # want SHD211 "mesh"


run = functools.partial(jax.shard_map, mesh=mesh, axis_names={"pipe"})(
    Stage(mesh), in_specs=(P("pipe"), P()), out_specs=P("pipe"))
print(jax.jit(run)(jnp.ones((2, 8, 8)), jnp.ones((4, 8))).shape)
