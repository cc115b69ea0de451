import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("dp",), axis_types=(AxisType.Auto,))

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("dp"), P("dp")), out_specs=(P(), P()))
def evaluate(w, x, y):
    z = x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)
    err = jnp.mean((z - y.astype(jnp.bfloat16)) ** 2)
    return jax.lax.pmean(err, "dp"), jax.lax.psum(jnp.sum(z.astype(jnp.float32)), "dp")  # want SHD603 "'dp'"

w = jax.device_put(np.ones((64, 8), np.float32), NamedSharding(mesh, P()))
x = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P("dp")))
y = jax.device_put(np.ones((64, 8), np.float32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(evaluate(w, x, y))
