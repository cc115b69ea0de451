import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

def loss(p, x):
    return jnp.mean(jnp.tanh(x @ p["a"]) ** 2)

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def step(p, x):
    g = jax.grad(loss)(p, x)
    g = jax.tree.map(lambda a: jax.lax.pmean(a.astype(jnp.bfloat16), "data").astype(jnp.float32), g)  # want SHD601 "'a'.*'data'.*8\.0 KiB"
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g)

p = jax.device_put({"a": np.ones((64, 64), np.float32)}, NamedSharding(mesh, P()))
x = jax.device_put(jnp.ones((32, 64)), NamedSharding(mesh, P("data")))
jax.block_until_ready(step(p, x))
