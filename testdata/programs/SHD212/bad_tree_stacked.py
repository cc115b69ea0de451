"""A dictionary of gradients, stacked with a leading device dimension by tree.map."""
import jax
import jax.numpy as jnp
from flax import linen as nn
from jax.sharding import AxisType, PartitionSpec as P

AXIS = "data"
mesh = jax.make_mesh((8,), (AXIS,), axis_types=(AxisType.Auto,))
model = nn.Dense(1)
params = model.init(jax.random.key(0), jnp.ones((1, 4)))


def grads_of(params, batch):
    def objective(p):
        return jnp.mean(model.apply(p, batch) ** 2)

    grads = jax.grad(objective)(params)  # want SHD212 "data"
    return jax.tree.map(lambda g: g[None], grads)


run = jax.shard_map(grads_of, mesh=mesh, in_specs=(P(), P(AXIS)), out_specs=P(AXIS))
print(jax.tree.map(jnp.shape, run(params, jnp.ones((16, 4)))))
