import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("dp",), axis_types=(AxisType.Auto,))

def loss(p, x, y):
    h = x.astype(jnp.bfloat16)
    for k in ("one", "two"):
        h = jnp.tanh(h @ p[k].astype(jnp.bfloat16))  # want SHD604 "'one'.*'two'.*'dp'.*16\.0 KiB"
    return jnp.mean((h.astype(jnp.float32) - y) ** 2)

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("dp"), P("dp")), out_specs=(P(), P()))
def step(p, x, y):
    l, g = jax.value_and_grad(loss)(p, x, y)
    n = jax.lax.axis_size("dp")
    return jax.tree.map(lambda a, b: a - 0.1 * b / n, p, g), jax.lax.pmean(l, "dp")

p = jax.device_put({"one": np.ones((64, 64), np.float32), "two": np.ones((64, 64), np.float32)}, NamedSharding(mesh, P()))
x = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P("dp")))
y = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(step(p, x, y))
