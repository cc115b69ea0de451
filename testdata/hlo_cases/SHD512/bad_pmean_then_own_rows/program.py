import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("shard",), axis_types=(AxisType.Auto,))

def loss(w, x):
    return jnp.mean(jnp.sin(x @ w) ** 2)

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("shard")), out_specs=P("shard"), check_vma=False)
def step(w, x):
    g = jax.lax.pmean(jax.grad(loss)(w, x), "shard")
    k = jax.lax.axis_index("shard")
    n = w.shape[0] // 8
    mine = jax.lax.dynamic_slice_in_dim(g, k * n, n, axis=0)  # want SHD512 "'shard'.*64\.0 KiB.*'shard'"
    return jax.lax.dynamic_slice_in_dim(w, k * n, n) - 0.1 * mine

w = jax.device_put(np.ones((256, 64), np.float32), NamedSharding(mesh, P()))
x = jax.device_put(np.ones((64, 256), np.float32), NamedSharding(mesh, P("shard")))
jax.block_until_ready(step(w, x))
