"""A mapped function keeps the names of its parameters, by which it can be told what to donate."""
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((1,), ("data",))


def step(params, momentum, x):
    return params + x.mean(), momentum * 0.9


mapped = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), P()), out_specs=(P(), P()))
train = jax.jit(mapped, donate_argnames=("params", "momentum"))
params = jax.device_put(jnp.zeros((8, 8)), NamedSharding(mesh, P()))
momentum = jax.device_put(jnp.zeros((8, 8)), NamedSharding(mesh, P()))
new, moved = train(params, momentum, jnp.ones((8, 8)))
print(new.sum(), momentum.sum())  # want SHD303 "momentum was donated to train"
