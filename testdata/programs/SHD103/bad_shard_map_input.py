import jax
import jax.numpy as jnp
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((4, 2), ("data", "seq"), axis_types=(AxisType.Auto,) * 2)
SPECS = dict(tokens=P("data", "seq"), lengths=P("data", "seq"))


def masked(batch):
    return jnp.where(batch["lengths"] > 0, batch["tokens"], 0)


run = jax.shard_map(masked, mesh=mesh, in_specs=(SPECS,), out_specs=P("data", "seq"))
batch = {"tokens": jnp.ones((8, 16), jnp.int32), "lengths": jnp.ones((8,), jnp.int32)}
print(run(batch))  # want SHD103 "lengths"
