"""ZeRO-3 by hand: gather, differentiate, scatter, update the shard."""
import functools

import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
tx = optax.adamw(1e-3)
SHARD = P("fsdp")


def unshard(tree):
    return jax.tree.map(lambda p: lax.all_gather(p, "fsdp", axis=0, tiled=True), tree)


def loss_fn(full, x, y):
    h = jax.nn.gelu(x @ full["up"])
    return jnp.mean((h @ full["down"] - y) ** 2)


@functools.partial(jax.jit, donate_argnums=(0, 1))
@functools.partial(jax.shard_map, mesh=mesh, in_specs=(SHARD, SHARD, SHARD, SHARD), out_specs=(SHARD, SHARD, P()), check_vma=False)
def step(shards, mu, x, y):
    full = unshard(shards)
    loss, grads = jax.value_and_grad(loss_fn)(full, x, y)
    grads = jax.tree.map(lambda g: lax.psum_scatter(g, "fsdp", tiled=True) / lax.axis_size("fsdp"), grads)
    mu = jax.tree.map(lambda m, g: 0.9 * m + g, mu, grads)
    shards = jax.tree.map(lambda p, m: p - 0.1 * m, shards, mu)
    return shards, mu, lax.pmean(loss, "fsdp")


params = {"up": jnp.ones((16, 32)), "down": jnp.ones((32, 8))}
put = functools.partial(jax.device_put, device=NamedSharding(mesh, SHARD))
params = jax.tree.map(put, params)
mu = jax.tree.map(jnp.zeros_like, params)
for _ in range(2):
    params, mu, loss = step(params, mu, jnp.ones((8, 16)), jnp.ones((8, 8)))
print(loss)
