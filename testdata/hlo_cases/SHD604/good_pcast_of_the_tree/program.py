import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("dp",), axis_types=(AxisType.Auto,))

def loss(p, x):
    return jnp.mean((x.astype(jnp.bfloat16) @ p["w"].astype(jnp.bfloat16)).astype(jnp.float32) ** 2)

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("dp")), out_specs=P())
def step(p, x):
    q = jax.tree.map(lambda a: jax.lax.pcast(a, ("dp",), to="varying"), p)
    g = jax.lax.pmean(jax.grad(loss)(q, x), "dp")
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g)

p = jax.device_put({"w": np.ones((64, 64), np.float32)}, NamedSharding(mesh, P()))
x = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(step(p, x))
