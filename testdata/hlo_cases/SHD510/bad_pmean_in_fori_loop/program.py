import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("workers",), axis_types=(AxisType.Auto,))

def loss(w, x):
    return jnp.mean(jnp.tanh(x @ w) ** 2)

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(None, "workers")), out_specs=P(), check_vma=False)
def step(w, micro):
    def body(i, acc):
        g = jax.grad(loss)(w, micro[i])
        return acc + jax.lax.pmean(g, "workers") / micro.shape[0]  # want SHD510 "'workers'.*160\.0 KiB"
    return w - 0.5 * jax.lax.fori_loop(0, micro.shape[0], body, jnp.zeros_like(w))

w = jax.device_put(np.ones((64, 128), np.float32), NamedSharding(mesh, P()))
micro = jax.device_put(np.ones((5, 64, 64), np.float32), NamedSharding(mesh, P(None, "workers")))
jax.block_until_ready(step(w, micro))
