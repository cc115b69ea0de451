import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "seq"), axis_types=(AxisType.Auto,) * 2)

@partial(jax.jit, donate_argnames="cache")
def decode(cache, w, x, at):
    k = (x @ w["k"])[:, None]
    keys = jax.lax.dynamic_update_slice_in_dim(cache["k"], k, at, axis=1)
    q = x @ w["q"]
    s = jnp.einsum("bd,btd->bt", q, keys)
    s = jnp.where(jnp.arange(keys.shape[1]) <= at, s, -1e9)
    return {"k": keys}, jnp.einsum("bt,btd->bd", jax.nn.softmax(s), keys)

cache = {"k": jax.device_put(np.ones((4, 512, 64), np.float32), NamedSharding(mesh, P("dp", "seq", None)))}
w = {n: jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P())) for n in "qk"}
x = jax.device_put(np.ones((4, 64), np.float32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(decode(cache, w, x, 3))
