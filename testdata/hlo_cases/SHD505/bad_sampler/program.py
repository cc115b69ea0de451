import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "vocab"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
def sample(key, h, head):
    logits = jnp.einsum("bd,dv->bv", h, head)
    top, ids = jax.lax.top_k(logits, 40)  # want SHD505 "'vocab'.*'dp'.*384\.0 KiB"
    choice = jax.random.categorical(key, top)
    return jnp.take_along_axis(ids, choice[:, None], axis=-1)

h = jax.device_put(np.ones((16, 64), np.float32), NamedSharding(mesh, P("dp")))
head = jax.device_put(np.ones((64, 4096), np.float32), NamedSharding(mesh, P(None, "vocab")))
jax.block_until_ready(sample(jax.random.key(0), h, head))
