import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "seq"), axis_types=(AxisType.Auto,) * 2)

@partial(jax.jit, donate_argnames="cache")
def prefill(cache, new, at):
    keys = jax.lax.dynamic_update_slice_in_dim(cache["k"], new, at, axis=1)  # want SHD504 "'cache\['.*'\]'.*'seq'.*256\.0 KiB"
    return {"k": keys}, keys.sum((1, 2))

cache = {"k": jax.device_put(np.ones((4, 512, 64), np.float32), NamedSharding(mesh, P("dp", "seq", None)))}
new = jax.device_put(np.ones((4, 16, 64), np.float32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(prefill(cache, new, 3))
