"""A data-parallel tutorial: shard_map with check on, psum of gradients and division by the count of devices."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("batch",), axis_types=(AxisType.Auto,))
batch_sharding = NamedSharding(mesh, P("batch"))
replicated = NamedSharding(mesh, P())


def predict(params, x):
    for W, b in params:
        outputs = jnp.dot(x, W) + b
        x = jnp.maximum(outputs, 0.0)
    return outputs


def loss(params, batch):
    inputs, targets = batch
    return jnp.mean(jnp.sum((predict(params, inputs) - targets) ** 2, axis=-1))


def init(key, sizes):
    return [(jax.random.normal(k, (m, n)) / m**0.5, jnp.zeros(n)) for k, m, n in zip(jax.random.split(key, len(sizes)), sizes[:-1], sizes[1:])]


@jax.jit
@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("batch")), out_specs=P())
def gradfun(params, batch):
    grads = jax.grad(loss)(params, batch)
    summed = jax.tree.map(lambda g: jax.lax.psum(g, "batch"), grads)  # want SHD202 "batch"
    return jax.tree.map(lambda g: g / 8, summed)


params = jax.device_put(init(jax.random.key(0), [4, 8, 2]), replicated)
batch = jax.device_put((jnp.ones((16, 4)), jnp.ones((16, 2))), batch_sharding)
print(jax.tree.map(jnp.shape, gradfun(params, batch)))
